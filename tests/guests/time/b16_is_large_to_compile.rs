//! Row: B16
//!
//! Tries: to slow down the calls that run while it is loaded: ten thousand functions have to be compiled.
//!
//! Answer: ok; it is compiled elsewhere, and others are answered meanwhile.

use crate::corpus::frame;
use crate::guest::GuestTool;
use wit_component::StringEncoding;

pub(super) fn component(name: &str) -> Vec<u8> {
    let body: String = (0..40)
        .map(|at| format!("(local.set 0 (i64.mul (i64.add (local.get 0) (i64.const {at})) (i64.const 31)))"))
        .collect();
    let functions: String = (0..10_000)
        .map(|at| format!("(func $f{at} (param i64) (result i64) {body} (local.get 0))"))
        .collect();
    let answer = "(func $call (type $call) (call $text (i32.const 1024) (i32.const 3)))";
    frame::component(&GuestTool::new(name), StringEncoding::UTF8, &format!("{functions}{answer}"))
}
