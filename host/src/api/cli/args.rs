//! What several commands take, and how their texts become values.

use std::sync::Arc;
use std::time::Duration;

use super::error::CliError;
use super::exit::Exit;
use crate::executor::Settings;
use crate::gate::{Caller, Surface};
use crate::id::{TenantId, UserId};
use crate::policy::{Pattern, Tenant};

/// The tenant of whoever says nothing.
const LOCAL: &str = "local";

/// In whose name a command asks.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct CallerArgs {
    /// The tenant in whose name to ask [default: local, or the only one]
    #[arg(long, value_name = "ID", help_heading = "Caller")]
    pub tenant: Option<TenantId>,

    /// The person or program behind the request
    #[arg(long, value_name = "NAME", help_heading = "Caller")]
    pub user: Option<UserId>,

    /// Only tools that fit one of these patterns, `*` for any characters; can be given again
    #[arg(long, value_name = "PATTERN", value_delimiter = ',', help_heading = "Caller")]
    pub allow: Vec<Pattern>,
}

impl CallerArgs {
    /// The caller that is meant. Whoever may run commands on the store's machine may speak for every tenant.
    ///
    /// # Errors
    /// [`CliError::Usage`] if there is no such tenant; it names those that there are.
    pub fn caller(&self, settings: &Settings) -> Result<Caller, CliError> {
        let tenant = self.tenant(settings)?;
        Ok(Caller { tenant: Arc::new(tenant.clone()), user: self.user.clone(), surface: Surface::Cli })
    }

    /// The request's own narrower list, if there is one.
    #[must_use]
    pub fn narrowed(&self) -> Option<Vec<Pattern>> {
        if self.allow.is_empty() { None } else { Some(self.allow.clone()) }
    }

    fn tenant<'s>(&self, settings: &'s Settings) -> Result<&'s Tenant, CliError> {
        let tenants = &settings.tenants;
        let wanted = self.tenant.as_ref().map_or(LOCAL, TenantId::as_str);
        let only = tenants.values().next().filter(|_| tenants.len() == 1 && self.tenant.is_none());
        tenants.values().find(|tenant| tenant.id.as_str() == wanted).or(only).ok_or_else(|| {
            let names: Vec<&str> = tenants.keys().map(TenantId::as_str).take(20).collect();
            CliError::Usage(format!(
                "there is no tenant '{wanted}'. Choose one with --tenant: {}",
                names.join(", ")
            ))
        })
    }
}

/// A time such as `500ms`, `10s`, `2m`, `1h` or `30d`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let fault = || "write a whole number and a unit: 500ms, 10s, 2m, 1h or 30d".to_owned();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at_checked(digits).ok_or_else(fault)?;
    let number: u64 = number.parse().map_err(|_| fault())?;
    let millis = match unit {
        "ms" => Some(number),
        "s" => number.checked_mul(1_000),
        "m" => number.checked_mul(60_000),
        "h" => number.checked_mul(3_600_000),
        "d" => number.checked_mul(86_400_000),
        _ => return Err(fault()),
    };
    match millis {
        Some(0) => Err("it must be longer than nothing".to_owned()),
        Some(millis) if millis <= 366 * 24 * 3_600_000 => Ok(Duration::from_millis(millis)),
        _ => Err("it must be no longer than a year".to_owned()),
    }
}

/// The end of a command's help: examples, then the exit codes that it can give.
pub(super) fn after_help(examples: &[&str], exits: &[Exit]) -> String {
    let mut text = String::from("Examples:\n");
    for example in examples {
        text.push_str(&format!("  {example}\n"));
    }
    text.push_str("\nExit codes:\n");
    for exit in exits {
        text.push_str(&format!("  {:<4} {}\n", exit.code(), exit.meaning()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tenant_is_the_named_one_else_the_local_one_else_the_only_one() {
        let with = |names: &[&str]| {
            let mut settings = super::super::tests::settings();
            settings.tenants = names
                .iter()
                .map(|name| Tenant::local(name.parse().unwrap()))
                .map(|it| (it.id.clone(), it))
                .collect();
            settings
        };
        let chosen = |settings: &Settings, name: Option<&str>| {
            let args = CallerArgs { tenant: name.map(|it| it.parse().unwrap()), ..CallerArgs::default() };
            args.caller(settings)
                .map(|caller| caller.tenant.id.to_string())
                .map_err(|error| error.to_string())
        };
        assert_eq!(chosen(&with(&["acme", "local"]), None), Ok("local".to_owned()));
        assert_eq!(chosen(&with(&["acme", "local"]), Some("acme")), Ok("acme".to_owned()));
        assert_eq!(chosen(&with(&["acme"]), None), Ok("acme".to_owned()));
        let message = "there is no tenant 'local'. Choose one with --tenant: acme, beta";
        assert_eq!(chosen(&with(&["acme", "beta"]), None), Err(message.to_owned()));
        assert!(chosen(&with(&["acme"]), Some("local")).is_err());
    }

    #[test]
    fn times_are_read_as_they_are_written() {
        for (text, millis) in
            [("500ms", 500), ("10s", 10_000), ("2m", 120_000), ("1h", 3_600_000), ("30d", 2_592_000_000)]
        {
            assert_eq!(duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for bad in [
            "",
            "10",
            "s",
            "-1s",
            "1.5s",
            "10 s",
            "10S",
            "0s",
            "99999999999999999999s",
            "9000h",
            "367d",
            "1ä",
        ] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }
}
