//! Row: B35
//!
//! Tries: to overflow the stack of the compiler with ten thousand blocks inside of each other.
//!
//! Answer: ok; the compiler has a stack of its own that is large enough.

use crate::corpus::frame;
use crate::guest::GuestTool;
use wit_component::StringEncoding;

const DEPTH: usize = 10_000;

pub(super) fn component(name: &str) -> Vec<u8> {
    // Folded text would overflow the stack of the text's own parser.
    let deep = format!("(func $deep {} {})", "block ".repeat(DEPTH), "end ".repeat(DEPTH));
    let answer = "(func $call (type $call)
        (call $deep) (call $text (i32.const 1024) (i32.const 3)))";
    frame::component(&GuestTool::new(name), StringEncoding::UTF8, &format!("{deep}{answer}"))
}
