//! The seam between the SDK's own types and the component's exported interface. Nothing else sees both.

mod convert;
mod imports;

use crate::bindings::exports::toolhost::tool::tools as wit;
use crate::context::Context;
use crate::failure::ToolError;
use crate::tool::Tool;

/// The exported `describe`.
pub fn describe(tools: &[&dyn Tool]) -> Vec<wit::Spec> {
    tools.iter().map(|tool| convert::spec(tool.spec())).collect()
}

/// The exported `call`.
///
/// # Errors
/// What the tool reports, or kind `UnknownTool` for a name that `describe` has not given.
pub fn call(tools: &[&dyn Tool], request: wit::CallRequest) -> Result<wit::Reply, wit::Failure> {
    let Some(tool) = tools.iter().find(|tool| tool.name() == request.name) else {
        let message = format!("This component has no tool named '{}'.", request.name);
        return Err(convert::failure(&ToolError::with_kind("UnknownTool", message)));
    };
    let answers = convert::answers(request.answers).map_err(|error| convert::failure(&error))?;
    let context = Context::new(Box::new(imports::Imports), answers, request.state);
    tool.call(&context, &request.arguments).map(convert::reply).map_err(|error| convert::failure(&error))
}
