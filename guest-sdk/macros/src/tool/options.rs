//! The options in `#[tool(...)]`.

use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, ItemFn, Lit, LitStr, Meta, Token};

use super::key_template;
use super::parameters::Parameters;
use crate::mistakes::Mistakes;

const KNOWN: [&str; 12] = [
    "name",
    "title",
    "description",
    "read_only",
    "destructive",
    "idempotent",
    "open_world",
    "requires_approval",
    "timeout",
    "pool",
    "delivery",
    "idempotency_key",
];

/// The longest name that the host accepts.
const MAX_NAME: usize = 48;

/// What `#[tool(...)]` says.
#[derive(Default)]
pub(super) struct Options {
    name: Option<LitStr>,
    pub(super) title: Option<String>,
    description: Option<String>,
    pub(super) read_only: bool,
    pub(super) destructive: bool,
    pub(super) idempotent: bool,
    pub(super) open_world: bool,
    pub(super) requires_approval: bool,
    pub(super) timeout_ms: Option<u64>,
    pub(super) pool: Option<String>,
    pub(super) delivery: Option<Delivery>,
    pub(super) idempotency_key: Option<LitStr>,
}

#[derive(Clone, Copy)]
pub(super) enum Delivery {
    AtMostOnce,
    AtLeastOnce,
}

impl Options {
    pub(super) fn parse(tokens: TokenStream, mistakes: &mut Mistakes) -> Self {
        let mut options = Self::default();
        let metas = match Punctuated::<Meta, Token![,]>::parse_terminated.parse2(tokens) {
            Ok(metas) => metas,
            Err(error) => {
                mistakes.push(error);
                return options;
            }
        };
        let mut seen: Vec<String> = Vec::new();
        for meta in &metas {
            let option = meta.path().get_ident().map(|ident| ident.unraw().to_string()).unwrap_or_default();
            if !KNOWN.contains(&option.as_str()) {
                let shown = if option.is_empty() { "this".to_owned() } else { format!("`{option}`") };
                let known = KNOWN.join("`, `");
                mistakes
                    .add(meta.path(), format!("{shown} is not an option of `#[tool]`; there are `{known}`"));
                continue;
            }
            if seen.contains(&option) {
                mistakes.add(meta.path(), format!("the option `{option}` is given twice"));
                continue;
            }
            options.set(&option, meta, mistakes);
            seen.push(option);
        }
        if options.read_only
            && options.destructive
            && let Some(meta) = metas.iter().find(|meta| meta.path().is_ident("destructive"))
        {
            mistakes.add(meta, "`read_only` and `destructive` contradict each other");
        }
        options
    }

    fn set(&mut self, option: &str, meta: &Meta, mistakes: &mut Mistakes) {
        match option {
            "read_only" => self.read_only = flag(option, meta, mistakes),
            "destructive" => self.destructive = flag(option, meta, mistakes),
            "idempotent" => self.idempotent = flag(option, meta, mistakes),
            "open_world" => self.open_world = flag(option, meta, mistakes),
            "requires_approval" => self.requires_approval = flag(option, meta, mistakes),
            _ => {
                if let Some(literal) = text(option, meta, mistakes) {
                    self.set_text(option, literal, mistakes);
                }
            }
        }
    }

    fn set_text(&mut self, option: &str, literal: LitStr, mistakes: &mut Mistakes) {
        let value = literal.value();
        if value.trim().is_empty() {
            mistakes.add(&literal, format!("the option `{option}` is empty"));
            return;
        }
        match option {
            "name" => self.name = Some(literal),
            "title" => self.title = Some(value),
            "description" => self.description = Some(value.trim().to_owned()),
            "timeout" => match milliseconds(&value) {
                Some(timeout) => self.timeout_ms = Some(timeout),
                None => mistakes.add(
                    &literal,
                    format!("`timeout` is a whole number of ms, s or m above zero, such as \"250ms\" or \"10s\", not \"{value}\""),
                ),
            },
            "pool" => match bad_name(&value) {
                None => self.pool = Some(value),
                Some(reason) => mistakes.add(&literal, format!("the pool's name \"{value}\" {reason}")),
            },
            "delivery" => match value.as_str() {
                "at_most_once" => self.delivery = Some(Delivery::AtMostOnce),
                "at_least_once" => self.delivery = Some(Delivery::AtLeastOnce),
                _ => mistakes.add(
                    &literal,
                    format!("`delivery` is \"at_most_once\" or \"at_least_once\", not \"{value}\""),
                ),
            },
            _ => self.idempotency_key = Some(literal),
        }
    }

    /// The tool's name: the option's, else the function's.
    pub(super) fn tool_name(&self, function: &ItemFn, mistakes: &mut Mistakes) -> String {
        let name = match &self.name {
            Some(literal) => literal.value(),
            None => function.sig.ident.unraw().to_string(),
        };
        if let Some(reason) = bad_name(&name) {
            let message = format!("the tool's name \"{name}\" {reason}");
            match &self.name {
                Some(literal) => mistakes.add(literal, message),
                None => mistakes.add(&function.sig.ident, message),
            }
        }
        name
    }

    pub(super) fn description(&self) -> Option<String> {
        self.description.clone()
    }

    pub(super) fn check_key_template(&self, parameters: &Parameters, mistakes: &mut Mistakes) {
        let Some(literal) = &self.idempotency_key else { return };
        let known: Vec<&str> = parameters.names().collect();
        for fault in key_template::faults(&literal.value(), &known) {
            mistakes.add(literal, fault);
        }
    }
}

fn flag(option: &str, meta: &Meta, mistakes: &mut Mistakes) -> bool {
    match meta {
        Meta::Path(_) => true,
        Meta::NameValue(pair) => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Bool(value), .. }) => value.value,
            other => {
                mistakes.add(other, format!("`{option}` stands alone or is `true` or `false`"));
                false
            }
        },
        Meta::List(list) => {
            mistakes.add(list, format!("`{option}` stands alone or is `true` or `false`"));
            false
        }
    }
}

fn text(option: &str, meta: &Meta, mistakes: &mut Mistakes) -> Option<LitStr> {
    if let Meta::NameValue(pair) = meta {
        if let Expr::Lit(ExprLit { lit: Lit::Str(literal), .. }) = &pair.value {
            return Some(literal.clone());
        }
        mistakes.push(syn::Error::new(pair.value.span(), format!("`{option}` is a text in quotes")));
        return None;
    }
    mistakes.add(meta, format!("`{option}` needs a text: `{option} = \"...\"`"));
    None
}

/// Why the host would refuse a name, or none.
fn bad_name(name: &str) -> Option<String> {
    let starts = name.chars().next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    let plain = name.chars().all(|each| each.is_ascii_alphanumeric() || each == '_' || each == '-');
    if !starts || !plain {
        return Some(
            "has other characters than letters, digits, `_` and `-`, or begins with a digit or `-`"
                .to_owned(),
        );
    }
    (name.len() > MAX_NAME).then(|| format!("is {} characters long, {MAX_NAME} are allowed", name.len()))
}

fn milliseconds(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|each: char| !each.is_ascii_digit());
    let unit = text.strip_prefix(digits)?;
    let factor = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        _ => return None,
    };
    // `parse` alone would take "+1".
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number: u64 = plain.then(|| digits.parse().ok()).flatten()?;
    number.checked_mul(factor).filter(|milliseconds| *milliseconds > 0)
}
