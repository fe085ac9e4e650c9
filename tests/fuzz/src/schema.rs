//! The admission of schemas, and gate 4: a schema is refused or compiled, and its check of any arguments ends.

use super::parts;
use toolhost_check::{Accept, Arguments, Schema, SchemaLimits};

/// Tries one input.
pub fn run(data: &[u8]) {
    let Some([schema, arguments]) = parts(data) else { return };
    let (Ok(schema), Ok(arguments)) = (str::from_utf8(schema), str::from_utf8(arguments)) else { return };
    let Ok(schema) = Schema::admit_input(schema, &SchemaLimits::TOOL, Accept::default()) else { return };
    // What is admitted once is admitted again, from its own source.
    let source = schema.source().to_string();
    Schema::admit_input(&source, &SchemaLimits::TOOL, Accept::default()).expect("the same schema");
    let Ok(arguments) = Arguments::parse("tool", arguments) else { return };
    let checked = schema.check("tool", &arguments);
    // The words are there exactly when the verdict is no.
    assert_eq!(checked.is_ok(), schema.check_value(arguments.value()).is_ok());
    if let Err(refusal) = checked {
        assert!(refusal.message.starts_with("The arguments for 'tool' do not match its schema. "));
    }
}
