//! Row: B35
//!
//! Tries: to overflow the stack of whoever walks through it: a thousand components inside of each other.
//!
//! Answer: refused, for what it lacks; nothing falls over.

use crate::corpus::frame::{COMPONENT, section};

const DEPTH: usize = 1_000;

pub(super) fn component(_name: &str) -> Vec<u8> {
    let mut bytes = COMPONENT.to_vec();
    for _ in 0..DEPTH {
        bytes = [COMPONENT, &section(4, &bytes)].concat();
    }
    bytes
}
