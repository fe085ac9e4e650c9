//! Row: B34
//!
//! Tries: to bring the compiler down with a function that has a hundred thousand instructions which depend on
//!   each other.
//!
//! Answer: ok, after a while; or it would be refused, but nothing falls over.

use crate::corpus::frame;
use crate::guest::GuestTool;
use wit_component::StringEncoding;

const INSTRUCTIONS: usize = 100_000;

pub(super) fn component(name: &str) -> Vec<u8> {
    let step = "(local.set 0 (i32.add (i32.mul (local.get 0) (i32.const 3)) (i32.const 1)))";
    let body = step.repeat(INSTRUCTIONS / 5);
    let large = format!("(func $large (param i32) (result i32) {body} (local.get 0))");
    let answer = "(func $call (type $call)
        (drop (call $large (i32.const 1))) (call $text (i32.const 1024) (i32.const 3)))";
    frame::component(&GuestTool::new(name), StringEncoding::UTF8, &format!("{large}{answer}"))
}
