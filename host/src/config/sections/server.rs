//! `[server]`.

use std::net::SocketAddr;

use crate::config::error::ConfigError;
use crate::config::read::{Table, Value};
use crate::executor::Settings;
use crate::policy::Disclosure;
use crate::wall::Demand;

pub(super) fn read(mut table: Table<'_>, settings: &mut Settings) -> Result<(), ConfigError> {
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
        let host = if origins {
            text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")).ok_or_else(|| {
                value
                    .fault("must be an origin")
                    .with_help("write scheme and host, as \"https://tools.example\"")
            })?
        } else {
            text
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || ".-:[]_".contains(c);
        if host.is_empty() || host.len() > 255 || !host.chars().all(plain) {
            let what = if origins { "an origin without a path" } else { "a host, with or without a port" };
            return Err(value.fault(format!("must be {what}; patterns are not supported")));
        }
        names.push(text.to_owned());
    }
    Ok(names)
}
