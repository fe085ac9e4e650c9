//! Combinations of schemas, written as one schema as far as that can be done.
//!
//! No provider takes a combination at the root, and some take none. What holds for all forms moves into the schema
//! around them; what cannot is handed back, to stand in the description.

use serde_json::{Map, Value, json};

/// Keywords that look at the ones beside them, so that they mean something else in other company.
const LOOKS_ASIDE: [&str; 13] = [
    "additionalProperties",
    "patternProperties",
    "unevaluatedProperties",
    "items",
    "prefixItems",
    "unevaluatedItems",
    "contains",
    "minContains",
    "maxContains",
    "if",
    "then",
    "else",
    "dependentSchemas",
];
/// Keywords that mean the same in any company.
const SAYS_ITSELF: [&str; 6] =
    ["type", "title", "description", "default", "examples", "unevaluatedProperties"];

/// Merges `allOf` into the schema around it. What is left of it goes to `moved`.
pub(super) fn all_of(node: &mut Map<String, Value>, moved: &mut Map<String, Value>) {
    let Some(Value::Array(branches)) = node.shift_remove("allOf") else { return };
    let mut left = Vec::new();
    for branch in branches {
        let Value::Object(branch) = branch else {
            // `true` says nothing, and `false` that nothing is valid.
            if branch == Value::Bool(false) {
                left.push(branch);
            }
            continue;
        };
        let is_alone = node.keys().all(|keyword| SAYS_ITSELF.contains(&keyword.as_str()));
        if !is_alone && branch.keys().any(|keyword| LOOKS_ASIDE.contains(&keyword.as_str())) {
            left.push(Value::Object(branch));
            continue;
        }
        let mut rest = Map::new();
        for (keyword, held) in branch {
            merge(node, keyword, held, &mut rest);
        }
        if !rest.is_empty() {
            left.push(Value::Object(rest));
        }
    }
    if !left.is_empty() {
        open(node, &left, moved);
        moved.insert("allOf".to_owned(), Value::Array(left));
    }
}

/// Adds one keyword of a branch to the schema around it, or to `rest` if both say something of it.
fn merge(node: &mut Map<String, Value>, keyword: String, held: Value, rest: &mut Map<String, Value>) {
    match (keyword.as_str(), held) {
        ("properties", Value::Object(more)) => merge_properties(node, more, rest),
        ("title" | "description" | "default" | "examples", held) => drop(node.entry(keyword).or_insert(held)),
        ("required", Value::Array(more)) => {
            let own = node.entry(keyword).or_insert_with(|| Value::Array(Vec::new()));
            for name in more {
                if let Value::Array(own) = own
                    && !own.contains(&name)
                {
                    own.push(name);
                }
            }
        }
        (_, held) => match node.get(&keyword) {
            Some(own) if *own == held => {}
            Some(_) => drop(rest.insert(keyword, held)),
            None => drop(node.insert(keyword, held)),
        },
    }
}

fn merge_properties(node: &mut Map<String, Value>, more: Map<String, Value>, rest: &mut Map<String, Value>) {
    let others = node.get("additionalProperties").cloned();
    let own = node.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    let Value::Object(own) = own else { return };
    let mut judged_too = Map::new();
    for (name, schema) in more {
        match (own.get_mut(&name), &others) {
            (Some(one), _) if *one == schema => {}
            (Some(one), _) => *one = json!({"allOf": [one.take(), schema]}),
            (None, None) => drop(own.insert(name, schema)),
            // The schema around refuses what it does not name itself, whatever a branch knows.
            (None, Some(Value::Bool(false))) => {}
            (None, Some(_)) => drop(judged_too.insert(name, schema)),
        }
    }
    if !judged_too.is_empty() {
        rest.insert("properties".to_owned(), Value::Object(judged_too));
    }
}

/// Forms that stand in the description may know names that the schema around them does not, so that "nothing else" has
/// to stand there with them.
fn open(node: &mut Map<String, Value>, forms: &[Value], moved: &mut Map<String, Value>) {
    let knows_more = |form: &Value| {
        let keywords = form.as_object().into_iter().flat_map(Map::keys);
        let mut keywords = keywords.map(String::as_str);
        keywords
            .any(|keyword| LOOKS_ASIDE.contains(&keyword) || matches!(keyword, "allOf" | "anyOf" | "oneOf"))
    };
    if forms.iter().any(knows_more)
        && let Some(closed) = node.shift_remove("unevaluatedProperties")
    {
        moved.insert("unevaluatedProperties".to_owned(), closed);
    }
}

/// Shows the properties of the forms that a value may have (`anyOf`, `oneOf`, `then` and `else`) in the schema around
/// them, and requires what all forms require. That the forms exclude each other is lost, and goes to `moved`.
pub(super) fn forms(node: &mut Map<String, Value>, keyword: &str, moved: &mut Map<String, Value>) {
    let Some(held) = node.shift_remove(keyword) else { return };
    let branches = match &held {
        Value::Array(branches) => branches.clone(),
        one => vec![one.clone()],
    };
    // A name that is only in a form does not open an object that refuses what it does not name itself.
    let closed = node.get("additionalProperties") == Some(&Value::Bool(false));
    let mut together: Map<String, Value> = Map::new();
    for branch in &branches {
        for (name, schema) in branch.get("properties").and_then(Value::as_object).into_iter().flatten() {
            match together.get_mut(name) {
                None => drop(together.insert(name.clone(), json!([schema]))),
                Some(Value::Array(seen)) if !seen.contains(schema) => seen.push(schema.clone()),
                Some(_) => {}
            }
        }
    }
    if !together.is_empty()
        && let Value::Object(own) = node.entry("properties").or_insert_with(|| Value::Object(Map::new()))
    {
        for (name, schemas) in together {
            if closed || own.contains_key(&name) {
                continue;
            }
            let mut schemas = schemas.as_array().cloned().unwrap_or_default();
            let schema = if schemas.len() == 1 { schemas.remove(0) } else { json!({"anyOf": schemas}) };
            own.insert(name, schema);
        }
    }
    open(node, &branches, moved);
    // Which of `then` and `else` holds is not known.
    if held.is_array() {
        let first = branches.first().and_then(|branch| branch.get("required")?.as_array()).cloned();
        let in_all = |name: &Value| {
            branches.iter().all(|branch| {
                branch.get("required").and_then(Value::as_array).is_some_and(|names| names.contains(name))
            })
        };
        let shared: Vec<Value> = first.into_iter().flatten().filter(in_all).collect();
        if !shared.is_empty() {
            merge(node, "required".to_owned(), Value::Array(shared), &mut Map::new());
        }
    }
    moved.insert(keyword.to_owned(), held);
}

/// Says "nothing else" in the way that every provider knows, where no form names further properties any more.
pub(super) fn close(node: &mut Map<String, Value>) {
    const FORMS: [&str; 8] =
        ["anyOf", "oneOf", "allOf", "if", "then", "else", "dependentSchemas", "patternProperties"];
    if node.get("unevaluatedProperties") == Some(&Value::Bool(false))
        && !node.contains_key("additionalProperties")
        && !FORMS.iter().any(|form| node.contains_key(*form))
    {
        node.shift_remove("unevaluatedProperties");
        node.insert("additionalProperties".to_owned(), false.into());
    }
}

/// Whether no value can have two of these forms: their types differ, or one required property has another constant in
/// each. Then "exactly one" and "at least one" are the same.
pub(super) fn are_disjoint(branches: &[Value]) -> bool {
    let distinct = |values: Vec<Option<Value>>| {
        let mut seen = Vec::new();
        values.into_iter().all(|value| match value {
            Some(value) if !seen.contains(&value) => {
                seen.push(value);
                true
            }
            _ => false,
        })
    };
    let kind = |branch: &Value| match branch.get("type")?.as_str()? {
        // A whole number has both types.
        "integer" => Some(Value::from("number")),
        name => Some(Value::from(name)),
    };
    let tag = |branch: &Value, name: &str| {
        let required = branch.get("required")?.as_array()?;
        let schema = branch.get("properties")?.get(name)?;
        let only = match (schema.get("const"), schema.get("enum")?.as_array()?.as_slice()) {
            (Some(constant), _) => constant,
            (None, [single]) => single,
            _ => return None,
        };
        (only.is_string() && required.iter().any(|one| one == name)).then(|| only.clone())
    };
    let constant = |branch: &Value, name: &str| match branch.get("properties")?.get(name)?.get("const") {
        Some(only) if only.is_string() => {
            branch.get("required")?.as_array()?.iter().any(|one| one == name).then(|| only.clone())
        }
        _ => tag(branch, name),
    };
    let names = branches.first().and_then(|branch| branch.get("properties")?.as_object());
    let names = names.into_iter().flat_map(Map::keys);
    let objects = || branches.iter().all(|branch| branch.get("type").is_some_and(|it| it == "object"));
    distinct(branches.iter().map(kind).collect())
        || objects()
            && names.into_iter().any(|name| distinct(branches.iter().map(|it| constant(it, name)).collect()))
}
