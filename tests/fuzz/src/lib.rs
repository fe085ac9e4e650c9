//! What is fuzzed: each module takes any bytes, tries them, and panics where a promise is broken. `just fuzz` lets a
//! coverage-guided fuzzer look for such bytes; `just test` tries those that it found interesting.

pub mod arguments;
pub mod component;
pub mod egress;
pub mod schema;
pub mod scrub;
pub mod texts;

/// The parts of an input between its first zero bytes; the last part may have more of them.
fn parts<const N: usize>(data: &[u8]) -> Option<[&[u8]; N]> {
    let parts: Vec<&[u8]> = data.splitn(N, |byte| *byte == 0).collect();
    parts.try_into().ok()
}
