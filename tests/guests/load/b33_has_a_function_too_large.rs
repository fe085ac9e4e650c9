//! Row: B33
//!
//! Tries: to keep the compiler busy for minutes with one function of twelve megabytes.
//!
//! Answer: refused; the compiler that had to look at it is a process of its own.

use crate::corpus::frame::{COMPONENT, MODULE, number, section};

/// The body of the function, in bytes.
const BODY: usize = 12_000_000;

pub(super) fn component(_name: &str) -> Vec<u8> {
    // No locals, instructions that do nothing, and the end.
    let mut body = vec![1; BODY];
    body[0] = 0;
    body[BODY - 1] = 0x0b;
    let code = [&[1], number(BODY).as_slice(), &body].concat();
    let types = section(1, &[1, 0x60, 0, 0]);
    let module = [MODULE, &types, &section(3, &[1, 0]), &section(10, &code)].concat();
    [COMPONENT, &section(1, &module)].concat()
}
