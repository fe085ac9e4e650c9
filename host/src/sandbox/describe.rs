//! Asking a component what tools it has: once, with no caller, a clock that stands still, constant randomness and a
//! small budget.

use std::pin::pin;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};
use wasmtime::Store;

use super::code::Code;
use super::cpu::CpuPermits;
use super::outcome::{Ended, Phase, classify};
use super::sink::Sink;
use super::state::HostState;
use super::{convert, wasi};
use crate::spec::{SpecFault, ToolSpec, is_clean};

/// How long a component may take to start and describe itself, on a machine that compiles others meanwhile.
const TIME: Duration = Duration::from_secs(5);
/// Fuel for the same.
const FUEL: u64 = 10_000_000_000;
/// What a description may hand over in all, in bytes.
const BYTES: usize = 4 << 20;
/// Tools in one component.
const TOOLS: usize = 1_000;
/// Bounds on single texts, in bytes.
const DESCRIPTION: usize = 8 << 10;
const TITLE: usize = 256;
const SCHEMA: usize = 64 << 10;
const EXAMPLES: usize = 20;

/// Why a component has no description.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DescribeError {
    /// It did not end in time.
    #[error("its start function and `describe` did not end within {} s", TIME.as_secs())]
    Endless,
    /// It used up its budget.
    #[error("its start function and `describe` used up their budget: {0}")]
    Budget(String),
    /// It failed.
    #[error("its `describe` failed: {0}")]
    Failed(String),
    /// What it says is not sound.
    #[error(transparent)]
    Spec(#[from] SpecFault),
}

/// All tools of a component, in the order in which it names them, with sound names, options and lengths.
pub(super) async fn describe(
    code: &Code,
    cpu: &CpuPermits,
    memory_bytes: u64,
) -> Result<Vec<ToolSpec>, DescribeError> {
    // What it prints while it describes itself is nobody's business.
    let output = Sink::default();
    let wasi = wasi::constant(&output);
    let mut store = Store::new(code.engine(), HostState::new(memory_bytes, output, Some(wasi)));
    store.limiter(|state| &mut state.limiter);
    store.set_hostcall_fuel(BYTES);
    store.set_fuel(FUEL).map_err(|e| DescribeError::Failed(format!("{e:#}")))?;
    let turns = cpu.share(&mut store, None);
    let described = {
        let work = pin!(async {
            let tool = code.whole().instantiate_async(&mut store).await?;
            tool.toolhost_tool_tools().call_describe(&mut store).await
        });
        timeout_at(Instant::now() + TIME, turns.of(work)).await
    };
    let said = match described {
        Err(_elapsed) => return Err(DescribeError::Endless),
        Ok(Ok(said)) => said,
        Ok(Err(error)) => {
            return Err(match classify(Phase::Call, &error, store.data().limiter.denied()) {
                Ended::OutOfFuel => DescribeError::Budget("CPU".to_owned()),
                Ended::Refused(denial) => DescribeError::Budget(denial.to_string()),
                Ended::Crashed(reason) | Ended::Unreadable(reason) => DescribeError::Failed(reason),
                _ => DescribeError::Failed(format!("{error:#}")),
            });
        }
    };
    match said.len() {
        0 => return Err(SpecFault::Empty.into()),
        found if found > TOOLS => return Err(SpecFault::TooMany { found, most: TOOLS }.into()),
        _ => {}
    }
    let mut specs: Vec<ToolSpec> = Vec::with_capacity(said.len());
    for spec in said {
        let spec = convert::spec(spec)?;
        if specs.iter().any(|other| other.name == spec.name) {
            return Err(SpecFault::Doubled(spec.name).into());
        }
        lengths(&spec)?;
        specs.push(spec);
    }
    Ok(specs)
}

fn lengths(spec: &ToolSpec) -> Result<(), SpecFault> {
    if spec.description.trim().is_empty() {
        return Err(SpecFault::NoDescription(spec.name.clone()));
    }
    let (found, most) = (spec.examples.len().max(spec.required_capabilities.len()), EXAMPLES);
    if found > most {
        return Err(SpecFault::TooLong {
            tool: spec.name.to_string(),
            field: "list of examples",
            found,
            most,
        });
    }
    let mut texts = vec![
        ("description", Some(&spec.description), DESCRIPTION),
        ("title", spec.title.as_ref(), TITLE),
        ("input schema", Some(&spec.input_schema), SCHEMA),
        ("output schema", spec.output_schema.as_ref(), SCHEMA),
        ("idempotency key template", spec.wishes.idempotency_key.as_ref(), TITLE),
    ];
    texts.extend(spec.required_capabilities.iter().map(|name| ("list of capabilities", Some(name), TITLE)));
    for example in &spec.examples {
        texts.push(("list of examples", Some(&example.title), TITLE));
        texts.push(("list of examples", Some(&example.arguments), DESCRIPTION));
    }
    for (field, text, most) in texts {
        // A schema is looked at where it is parsed, since it may write the same as escapes.
        if text.is_some_and(|text| !is_clean(text)) {
            return Err(SpecFault::Hidden { tool: spec.name.to_string(), field });
        }
        let found = text.map_or(0, String::len);
        if found > most {
            return Err(SpecFault::TooLong { tool: spec.name.to_string(), field, found, most });
        }
    }
    Ok(())
}
