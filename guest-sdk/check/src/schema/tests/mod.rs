mod admission;
mod agreement;
mod bombs;
mod refused;
mod table;
mod words;

use super::*;

fn compile(text: &str) -> Result<Schema, SchemaFault> {
    Schema::compile(text, &SchemaLimits::TOOL)
}

fn schema(text: &str) -> Schema {
    compile(text).unwrap_or_else(|fault| panic!("{fault}: {text}"))
}

/// What is wrong with a value, as `FIELD: REASON.` sentences; empty if nothing is.
fn said(schema: &Schema, value: &str) -> String {
    let value: Value = serde_json::from_str(value).expect(value);
    match schema.check_value(&value) {
        Ok(()) => String::new(),
        Err(faults) => faults.to_string(),
    }
}

fn fault_of(text: &str) -> String {
    compile(text).err().map_or_else(|| "compiles".to_owned(), |fault| fault.to_string())
}
