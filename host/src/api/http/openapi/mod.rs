//! `/openapi.json`: the description of the HTTP API (OpenAPI 3.1), for people and for programs that write clients. Made once, at
//! start. A test compares its paths and methods with those of the router, and every answer of a real server with its shapes.

mod operation;
mod paths;
mod served;
mod shapes;
mod supervision;

use axum::http::StatusCode;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{Components, ComponentsBuilder, Info, License, OpenApi};

use super::fault::Fault;

/// The name of the one way to say who one is.
const KEY: &str = "key";

/// The document as JSON. Without keys nobody has to show one.
pub(super) fn text(has_keys: bool) -> String {
    // Texts and numbers always become JSON.
    document(has_keys).to_json().unwrap_or_default()
}

fn document(has_keys: bool) -> OpenApi {
    let mut info = Info::new("toolhost", env!("CARGO_PKG_VERSION"));
    let mut license = License::new(env!("CARGO_PKG_LICENSE"));
    license.identifier = Some(env!("CARGO_PKG_LICENSE").to_owned());
    info.license = Some(license);
    info.description = Some(description());
    let mut document = OpenApi::new(info, paths::paths());
    document.components = Some(components(has_keys));
    document.security = has_keys.then(|| vec![SecurityRequirement::new::<_, [&str; 0], &str>(KEY, [])]);
    document
}

fn components(has_keys: bool) -> Components {
    let components = paths::schemas(ComponentsBuilder::new());
    if !has_keys {
        return components.build();
    }
    let key = HttpBuilder::new().scheme(HttpAuthScheme::Bearer);
    let key =
        key.description(Some("One of the tenant's keys (RFC 6750). It alone says whose calls are made."));
    components.security_scheme(KEY, SecurityScheme::Http(key.build())).build()
}

/// What is true of all paths, with every code that there is.
fn description() -> String {
    let mut text = String::from(
        "Runs untrusted WebAssembly components as tools for language models. MCP is served at /mcp.\n\n\
         A failure of a tool, and a refusal at one of the five gates, is a result with the status 200. Any other status \
         means that nothing ran, and has a body {error: {code, message}}. The codes:\n\n",
    );
    for fault in Fault::ALL {
        text.push_str(&format!("- `{}` ({}): {}.\n", fault.code(), fault.status().as_u16(), fault.meaning()));
    }
    text
}

/// Faults of one status, and what they mean.
fn meanings(faults: &[Fault], status: StatusCode) -> String {
    let of_status = faults.iter().filter(|fault| fault.status() == status);
    let lines: Vec<String> =
        of_status.map(|fault| format!("`{}`: {}.", fault.code(), fault.meaning())).collect();
    lines.join(" ")
}
