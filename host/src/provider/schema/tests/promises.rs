//! The promises of a form, tried with any schema and any value.

use std::collections::HashMap;

use proptest::prelude::*;
use serde_json::{Map, Value};

use super::any::{Dice, any_schema, combined, of_all_parts, value};
use super::rules::breaches;
use super::*;

/// What a model sends for a value, if it is held to the form: names as it was shown them, and null for what is absent.
fn sent(form: &Value, names: &HashMap<String, String>, value: &Value) -> Value {
    let all = form.get("allOf").and_then(Value::as_array).into_iter().flatten();
    let value = &all.fold(value.clone(), |value, form| sent(form, names, &value));
    if let Some(forms) = form.get("anyOf").or(form.get("oneOf")).and_then(Value::as_array) {
        let written = forms.iter().map(|form| (form, sent(form, names, value)));
        let fits = |(form, written): &(&Value, Value)| takes(form, written);
        return written.into_iter().find(fits).map_or_else(|| value.clone(), |(_, written)| written);
    }
    match value {
        Value::Array(items) => {
            let form = form.get("items").unwrap_or(&Value::Null);
            items.iter().map(|item| sent(form, names, item)).collect()
        }
        Value::Object(members) => {
            let properties = form.get("properties").unwrap_or(&Value::Null);
            let mut written = Map::new();
            for (name, member) in members {
                let alias = names.get(name).filter(|alias| properties.get(alias.as_str()).is_some());
                let alias = alias.unwrap_or(name);
                let part = properties.get(alias).or(form.get("additionalProperties")).unwrap_or(&Value::Null);
                written.insert(alias.clone(), sent(part, names, member));
            }
            for name in form.get("required").and_then(Value::as_array).into_iter().flatten() {
                written.entry(name.as_str().unwrap()).or_insert(Value::Null);
            }
            written.into()
        }
        other => other.clone(),
    }
}

fn aliases(inlined: &Value, dialect: &Dialect) -> HashMap<String, String> {
    let mut names = Vec::new();
    measure::property_names(inlined, &mut names);
    let table = Aliases::new(names.iter().copied(), dialect.names);
    names.into_iter().map(|name| (name.to_owned(), table.of(name).to_owned())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Each form takes every value that the tool takes, and gives it back as it was, digit by digit.
    #[test]
    fn what_the_tool_takes_survives_every_form(seed in any::<u64>()) {
        let schema = any_schema(seed);
        let (inlined, cut) = inline::inline(&schema);
        prop_assert!(cut.is_empty());
        for (name, dialect) in ALL {
            let form = express(&schema, dialect);
            if form.no_strict_form.is_some() || dialect.strict && !form.notes.is_empty() {
                continue;
            }
            let names = aliases(&inlined, dialect);
            for throw in 0..4 {
                let meant = of_all_parts(&inlined, &mut Dice(seed ^ throw));
                if schema.check_value(&meant).is_err() {
                    prop_assert!(combined(&inlined), "{meant} for {}", schema.source());
                    continue;
                }
                let mut came = sent(&form.schema, &names, &meant);
                prop_assert!(takes(&form.schema, &came), "{name}: {came} for {}", form.schema);
                form.plan.apply(&mut came);
                prop_assert!(schema.check_value(&came).is_ok(), "{name}: {came}");
                prop_assert_eq!(came.to_string(), sorted_like(&came, &meant).to_string(), "{}", name);
            }
        }
    }

    /// Whatever a model that is held to a lossless form sends, the tool takes.
    #[test]
    fn what_a_strict_model_sends_is_what_the_tool_takes(seed in any::<u64>()) {
        let schema = any_schema(seed);
        for (name, dialect) in ALL {
            let form = express(&schema, dialect);
            if !dialect.strict || form.no_strict_form.is_some() || !form.notes.is_empty() {
                continue;
            }
            for throw in 0..4 {
                let mut came = value(&form.schema, &mut Dice(seed ^ throw));
                if !takes(&form.schema, &came) {
                    prop_assert!(combined(schema.source()), "{came} for {}", form.schema);
                    continue;
                }
                let before = came.to_string();
                form.plan.apply(&mut came);
                let judged = schema.check_value(&came);
                prop_assert!(judged.is_ok(), "{name}: {before} came back as {came}: {judged:?}");
            }
        }
    }

    /// A form without strict mode is there for every schema, and keeps the rules of its provider.
    #[test]
    fn every_form_keeps_its_rules(seed in any::<u64>()) {
        let schema = any_schema(seed);
        for (name, dialect) in ALL {
            let form = express(&schema, dialect);
            prop_assert!(dialect.strict || form.no_strict_form.is_none());
            if form.no_strict_form.is_none() {
                let breaches = breaches(&form.schema, dialect);
                prop_assert!(breaches.is_empty(), "{name}: {breaches:?} in {}", form.schema);
            }
        }
    }
}

/// One value with its members in the order of another, at all levels: the order says nothing. What may be null by the tool's
/// own schema and is not given, a strict model gives as null.
fn sorted_like(came: &Value, meant: &Value) -> Value {
    match (came, meant) {
        (Value::Object(came), Value::Object(meant)) if meant.keys().all(|name| came.contains_key(name)) => {
            let ordered = came.iter().map(|(name, member)| {
                let meant = meant.get(name).unwrap_or(&Value::Null);
                (name.clone(), sorted_like(member, meant))
            });
            Value::Object(ordered.collect())
        }
        (Value::Array(came), Value::Array(meant)) if came.len() == meant.len() => {
            came.iter().zip(meant).map(|(came, meant)| sorted_like(came, meant)).collect()
        }
        (_, meant) => meant.clone(),
    }
}
