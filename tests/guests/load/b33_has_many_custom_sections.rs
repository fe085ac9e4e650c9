//! Row: B33
//!
//! Tries: to make the host keep much that is no code: two hundred thousand sections that mean nothing.
//!
//! Answer: refused; how many there may be, with all that they hold, is bounded.

use crate::corpus::frame;
use crate::guest::GuestTool;
use wit_component::StringEncoding;

const SECTIONS: usize = 200_000;

pub(super) fn component(name: &str) -> Vec<u8> {
    let answer = "(func $call (type $call)
        (call $text (i32.const 1024) (i32.const 3)))";
    let mut bytes = frame::component(&GuestTool::new(name), StringEncoding::UTF8, answer);
    for _ in 0..SECTIONS {
        // Its number, its length, the length of its name, and the name.
        bytes.extend([0, 2, 1, b'x']);
    }
    bytes
}
