//! The SDK from the outside: the tools that an author writes, and what a model is told of them.

mod calls;
mod handwritten;
mod refused;
mod schemas;
mod unions;
