//! `[server]`.

use std::net::SocketAddr;

use crate::config::error::ConfigError;
use crate::config::read::{Table, Value};
use crate::executor::{Authentication, Settings};
use crate::policy::Disclosure;
use crate::wall::Demand;

pub(super) fn read(mut table: Table<'_>, settings: &mut Settings) -> Result<(), ConfigError> {
    if let Some(authentication) = table.take("authentication") {
        settings.server.authentication = authentication
            .word(&[("automatic", Authentication::Automatic), ("required", Authentication::Required)])?;
    }
    if let Some(value) = table.take("public_url") {
        settings.server.public_url = Some(origin(&value)?.to_owned());
    }
    if let Some(listen) = table.take("listen") {
        let address: SocketAddr = listen.string()?.parse().map_err(|_| {
            listen
                .fault(format!(
                    "must be an address and a port, and is {:?}",
                    listen.string().unwrap_or_default()
                ))
                .with_help("write it as \"127.0.0.1:7878\" or \"[::1]:7878\"")
        })?;
        settings.may_listen(address).map_err(|fault| listen.fault(format!("cannot be used: {fault}")))?;
        settings.server.listen = address;
    }
    if let Some(hosts) = table.take("allowed_hosts") {
        settings.server.allowed_hosts = names(&hosts, false)?;
    }
    if let Some(origins) = table.take("allowed_origins") {
        settings.server.allowed_origins = names(&origins, true)?;
    }
    if let Some(disclosure) = table.take("disclosure") {
        settings.server.disclosure =
            disclosure.word(&[("normal", Disclosure::Normal), ("strict", Disclosure::Strict)])?;
    }
    if let Some(wall) = table.take("wall") {
        settings.server.wall = wall.word(&[
            ("available", Demand::Available),
            ("required", Demand::Required),
            ("off", Demand::Off),
        ])?;
    }
    table.close()
}

/// Hosts, or origins, each of them whole: a pattern would let more in than it seems to.
fn names(values: &Value<'_>, origins: bool) -> Result<Vec<String>, ConfigError> {
    let mut names = Vec::new();
    for value in values.list()? {
        let text = value.string()?;
        if origins {
            origin(&value)?;
        } else if !is_host(text) {
            return Err(value.fault("must be a host, with or without a port; patterns are not supported"));
        }
        names.push(text.to_owned());
    }
    Ok(names)
}

/// Scheme and host, and nothing else.
fn origin<'a>(value: &Value<'a>) -> Result<&'a str, ConfigError> {
    let text = value.string()?;
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")).ok_or_else(|| {
        value.fault("must be an origin").with_help("write scheme and host, as \"https://tools.example\"")
    })?;
    if !is_host(host) {
        return Err(value.fault("must be an origin without a path; patterns are not supported"));
    }
    Ok(text)
}

fn is_host(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || ".-:[]_".contains(c);
    !text.is_empty() && text.len() <= 255 && text.chars().all(plain)
}
