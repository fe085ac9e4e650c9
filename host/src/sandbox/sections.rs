//! Sections of a component that are no code. The engine reads over them, and each is read again by whoever looks at the
//! component, so that there may only be so many.
//!
//! The walk goes by the binary format alone: a section is its number, its length in LEB128, and its content. Modules and
//! components inside are walked too. What does not follow the format is left to the compiler to refuse.

use super::PrepareError;

/// Custom sections of a component with all that is inside of it. A tool chain makes some dozens.
const MOST: u64 = 1_000;
/// What all of them may hold, in bytes: room for the debug information of a large tool.
const MOST_BYTES: u64 = 32 << 20;

const HEADER: usize = 8;
const CUSTOM: u8 = 0;
/// The numbers of a module and of a component inside of a component.
const INNER: [u8; 2] = [1, 4];

/// Refuses a component with too many custom sections, or too much in them.
///
/// # Errors
/// [`PrepareError::TooMuchCustom`].
pub(super) fn check(component: &[u8]) -> Result<(), PrepareError> {
    let (mut sections, mut bytes) = (0, 0);
    // What is still to be walked: a list and no recursion, since nesting is the component's own.
    let mut waiting = vec![component];
    while let Some(whole) = waiting.pop() {
        let is_component = whole.get(4..HEADER).is_some_and(|version| version != [1, 0, 0, 0]);
        let mut rest = whole.get(HEADER..).unwrap_or_default();
        while let Some((number, content, after)) = section(rest) {
            if number == CUSTOM {
                sections += 1;
                bytes += u64::try_from(content.len()).unwrap_or(u64::MAX);
            } else if is_component && INNER.contains(&number) {
                waiting.push(content);
            }
            rest = after;
        }
    }
    if sections > MOST || bytes > MOST_BYTES {
        return Err(PrepareError::TooMuchCustom { sections, bytes, most: MOST, most_bytes: MOST_BYTES });
    }
    Ok(())
}

/// The first section: its number, its content, and what comes after it.
fn section(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (number, rest) = bytes.split_first()?;
    let (length, rest) = leb(rest)?;
    let (content, after) = rest.split_at_checked(length)?;
    Some((*number, content, after))
}

/// A length of at most 32 bits in LEB128, and what comes after it.
fn leb(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value: u64 = 0;
    for (at, byte) in bytes.iter().take(5).enumerate() {
        value |= u64::from(byte & 0x7F) << (7 * at);
        if byte & 0x80 == 0 {
            return Some((usize::try_from(value).ok()?, bytes.get(at + 1..)?));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPONENT: [u8; 8] = [0, b'a', b's', b'm', 13, 0, 1, 0];
    const MODULE: [u8; 8] = [0, b'a', b's', b'm', 1, 0, 0, 0];

    fn framed(number: u8, content: &[u8]) -> Vec<u8> {
        let mut framed = vec![number];
        let mut length = content.len();
        loop {
            let low = u8::try_from(length & 0x7F).unwrap();
            length >>= 7;
            framed.push(if length > 0 { low | 0x80 } else { low });
            if length == 0 {
                break;
            }
        }
        [framed, content.to_vec()].concat()
    }

    fn custom(size: usize) -> Vec<u8> {
        framed(CUSTOM, &[&[1, b'x'][..], &vec![0; size - 2]].concat())
    }

    #[test]
    fn sections_are_counted_wherever_they_stand() {
        let many = |count: usize| custom(2).repeat(count);
        let module = [MODULE.to_vec(), many(400)].concat();
        let inner = [COMPONENT.to_vec(), many(300), framed(1, &module)].concat();
        let whole = |own: usize| [COMPONENT.to_vec(), framed(4, &inner), many(own)].concat();
        assert!(check(&whole(300)).is_ok());
        let fault = check(&whole(301)).unwrap_err().to_string();
        assert_eq!(
            fault,
            "it has 1001 custom sections with 2002 bytes; at most 1000 with 33554432 bytes are taken"
        );
    }

    #[test]
    fn what_they_hold_is_counted_too() {
        let most = usize::try_from(MOST_BYTES).unwrap();
        let large = |size| [COMPONENT.to_vec(), custom(most / 2), custom(size)].concat();
        assert!(check(&large(most / 2)).is_ok());
        assert!(check(&large(most / 2 + 1)).is_err());
    }

    #[test]
    fn what_is_no_section_ends_the_walk() {
        // A length beyond the end, one of six bytes, and none at all.
        for bytes in [&[0, 0x7F, 1][..], &[0, 0x80, 0x80, 0x80, 0x80, 0x80, 0], &[0]] {
            assert!(check(&[&COMPONENT, bytes].concat()).is_ok());
        }
        assert!(check(&[]).is_ok() && check(&COMPONENT[..5]).is_ok());
        // In a module the numbers of components mean something else.
        let module =
            [MODULE.to_vec(), framed(4, &[COMPONENT.to_vec(), custom(2).repeat(1_001)].concat())].concat();
        assert!(check(&module).is_ok());
    }
}
