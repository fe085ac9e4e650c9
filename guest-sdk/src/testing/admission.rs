//! What the host would refuse at load, as far as a spec alone decides it.

use toolhost_check::{Accept, Schema};

use super::LIMITS;
use crate::tool::Tool;

/// The longest name that the host accepts.
const MAX_NAME: usize = 48;

/// Checks the tools of one component as the host does when it loads one: their names, their descriptions and their
/// schemas. One line in a component's tests.
///
/// ```
/// # use toolhost_sdk::tool;
/// # /// Says yes. No side effect.
/// # #[tool]
/// # fn yes() -> bool { true }
/// assert_eq!(toolhost_sdk::testing::admit(&[&yes {}]), Ok(()));
/// ```
///
/// # Errors
/// The first fault, with the name of the tool that has it.
pub fn admit(tools: &[&dyn Tool]) -> Result<(), String> {
    let mut names: Vec<String> = Vec::new();
    for tool in tools {
        let spec = tool.spec();
        let name = &spec.name;
        if !is_name(name) || name != tool.name() {
            return Err(format!("'{name}' is not a tool's name"));
        }
        if names.contains(name) {
            return Err(format!("two tools are named '{name}'"));
        }
        if spec.description.trim().is_empty() {
            return Err(format!("the tool '{name}' has no description"));
        }
        input_schema(*tool)?;
        output_schema(*tool)?;
        names.push(spec.name);
    }
    Ok(())
}

pub(super) fn input_schema(tool: &dyn Tool) -> Result<Schema, String> {
    let text = tool.spec().input_schema.to_string();
    Schema::admit_input(&text, LIMITS, Accept::default())
        .map_err(|fault| format!("the input schema of '{}': {fault}", tool.name()))
}

pub(super) fn output_schema(tool: &dyn Tool) -> Result<Option<Schema>, String> {
    let Some(schema) = tool.spec().output_schema else { return Ok(None) };
    Schema::compile(&schema.to_string(), LIMITS)
        .map(Some)
        .map_err(|fault| format!("the output schema of '{}': {fault}", tool.name()))
}

fn is_name(name: &str) -> bool {
    let starts = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    starts
        && name.len() <= MAX_NAME
        && name.chars().all(|each| each.is_ascii_alphanumeric() || each == '_' || each == '-')
}
