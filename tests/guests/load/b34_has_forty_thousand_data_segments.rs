//! Row: B34
//!
//! Tries: to bring the compiler down with forty thousand data segments.
//!
//! Answer: ok; it is compiled and served as any other.

use crate::corpus::frame;
use crate::guest::GuestTool;
use wit_component::StringEncoding;

const SEGMENTS: usize = 40_000;

pub(super) fn component(name: &str) -> Vec<u8> {
    let segments: String =
        (0..SEGMENTS).map(|at| format!("(data (i32.const {}) \"x\")", 40_000 + at % 20_000)).collect();
    let answer = "(func $call (type $call)
        (call $text (i32.const 1024) (i32.const 3)))";
    frame::component(&GuestTool::new(name), StringEncoding::UTF8, &format!("{segments}{answer}"))
}
