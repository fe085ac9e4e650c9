//! The Model Context Protocol over Streamable HTTP and over standard input and output.
//!
//! Revision 2026-07-28 comes first; 2025-11-25 and 2025-06-18 are served too. No revision gets a session: each request
//! stands by itself, carries its own identity, and is answered on its own stream, so that ids that two clients both
//! use never meet. Nothing here decides about a call or words a failure.

mod arguments;
mod endpoint;
mod http;
mod input;
mod news;
mod progress;
mod request;
mod result;
pub mod stdio;
mod tools;

pub use http::Mount;
