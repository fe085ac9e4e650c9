//! Row: B37
//!
//! Tries: to make the host link and name a hundred and twenty thousand imports.
//!
//! Answer: refused; how many a component has is bounded before it is linked.

use crate::corpus::frame::{COMPONENT, number, section};

const IMPORTS: usize = 120_000;

pub(super) fn component(_name: &str) -> Vec<u8> {
    let mut imports = number(IMPORTS).to_vec();
    for at in 0..IMPORTS {
        let name = format!("thing-{at}");
        imports.push(0);
        imports.extend(number(name.len()));
        imports.extend_from_slice(name.as_bytes());
        // An instance of the first type, which is empty.
        imports.extend([5, 0]);
    }
    [COMPONENT, &section(7, &[1, 0x42, 0]), &section(10, &imports)].concat()
}
