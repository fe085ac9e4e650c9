//! The surfaces: MCP, HTTP and the command line. Each turns what came in into a [`Call`](crate::gate::Call), hands it
//! to the executor, and shows the outcome. None decides anything about a call, and none words a failure.

mod batch;
mod body;
pub mod cli;
pub mod components;
pub mod http;
pub mod identity;
pub mod mcp;
mod round;
pub mod view;
