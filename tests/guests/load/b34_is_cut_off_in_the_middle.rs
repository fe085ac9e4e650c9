//! Row: B34
//!
//! Tries: to be taken although half of it is missing.
//!
//! Answer: refused; what is not whole is not compiled.

use crate::corpus::frame;
use crate::guest::GuestTool;
use wit_component::StringEncoding;

pub(super) fn component(name: &str) -> Vec<u8> {
    let answer = "(func $call (type $call)
        (call $text (i32.const 1024) (i32.const 3)))";
    let mut whole = frame::component(&GuestTool::new(name), StringEncoding::UTF8, answer);
    whole.truncate(whole.len() / 2);
    whole
}
