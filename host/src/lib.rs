//! A host that runs untrusted WebAssembly components as tools for language models.
//!
//! Read the modules in this order; each may use only those above it:
//!
//! | layer | module | owns |
//! |---|---|---|
//! | 0 | [`id`] | names and ids |
//! | 1 | [`spec`] | what tools say and return, and how a call ends |
//! | 2 | [`policy`] | what the operator decided: access, grants, limits, pools |
//! | 3 | [`registry`] | which tools there are now |
//! | 4 | [`store`] | audit, traces, keys and values, approvals on disk |
//! | 5 | [`gate`] | may this call run? |
//! | 6 | [`provider`] | tools, calls and results in the forms of those who serve models |
//! | 7 | [`wall`] | what the process may still ask of the system |
//! | 8 | [`sandbox`] | Wasmtime: compile, describe, run |
//! | 9 | [`executor`] | the one path of a call |
//! | 10 | [`config`] | files and environment to settings |
//! | 11 | [`api`] | the surfaces: MCP, HTTP, command line |

pub mod api;
pub mod executor;
pub mod gate;
pub mod id;
pub mod policy;
pub mod provider;
pub mod registry;
pub mod sandbox;
pub mod spec;
pub mod store;
pub mod wall;

pub mod config;
