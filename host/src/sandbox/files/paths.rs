//! Which paths a guest may name at all, looked at before any of them reaches the system.
//!
//! The sandbox of `wasmtime-wasi` keeps a path inside of its directory. This rule stands before it and knows nothing of
//! the system: a path is refused if it would mean another place or another thing on any of them. So a tool meets the
//! same rule everywhere, and a gap in the sandbox of one system is no gap here.

use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

/// The longest path, in bytes.
const LONGEST: usize = 4_096;
/// How many names one path may have.
const MOST_NAMES: usize = 64;

/// Names that are devices on Windows, whatever ending they have. Those with a number follow after it.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];
const NUMBERED_DEVICES: [&str; 2] = ["com", "lpt"];

/// Whether a path stays below the directory that it begins in, as far as can be read from it.
///
/// # Errors
/// The code that the guest is given: `not-permitted` for what leads elsewhere, `invalid` for what names nothing on any
/// system, `name-too-long` for what is over the bounds.
pub(super) fn check(path: &str) -> Result<(), ErrorCode> {
    if path.len() > LONGEST {
        return Err(ErrorCode::NameTooLong);
    }
    if path.contains('\0') {
        return Err(ErrorCode::Invalid);
    }
    // A colon ends a drive's letter, or begins a stream beside the file's own.
    if path.starts_with('/') || path.contains(['\\', ':']) {
        return Err(ErrorCode::NotPermitted);
    }
    let mut depth = 0_usize;
    for (number, name) in path.split('/').enumerate() {
        if number >= MOST_NAMES {
            return Err(ErrorCode::NameTooLong);
        }
        match name {
            "" | "." => {}
            ".." => depth = depth.checked_sub(1).ok_or(ErrorCode::NotPermitted)?,
            _ if is_ambiguous(name) => return Err(ErrorCode::NotPermitted),
            _ => depth += 1,
        }
    }
    Ok(())
}

/// Whether a name is another on Windows: a device, or `..` with dots and spaces after it.
fn is_ambiguous(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end_matches(' ');
    if stem.is_empty() {
        return name.chars().all(|letter| matches!(letter, '.' | ' '));
    }
    let stem = stem.to_lowercase();
    DEVICES.contains(&stem.as_str())
        || NUMBERED_DEVICES.iter().any(|device| {
            let mut number = stem.strip_prefix(device).unwrap_or_default().chars();
            matches!((number.next(), number.next()), (Some('0'..='9' | '¹' | '²' | '³'), None))
        })
}

/// The path without slashes at its end, which say that it is a directory. A link that is named so would be followed.
pub(super) fn without_slashes(path: &str) -> &str {
    path.trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_paths_are_taken() {
        let long = "x".repeat(LONGEST);
        for path in
            ["", ".", "a", "a/b.txt", "a/", "a//b", "./a", "a/../b", "ü/日本", "...a", ".hidden", &long]
        {
            assert_eq!(check(path), Ok(()), "{path}");
        }
        for name in ["console", "com", "com10", "com¹0", "lpt", "nullable", "auxiliary.txt", "a.con"] {
            assert_eq!(check(name), Ok(()), "{name}");
        }
        assert_eq!(check(&vec!["a"; MOST_NAMES].join("/")), Ok(()));
    }

    #[test]
    fn what_leads_elsewhere_is_refused() {
        for path in
            ["/", "/a", "//a/b", "..", "../a", "a/../..", "a/b/../../../c", "./..", "a/./../../b", "..//.."]
        {
            assert_eq!(check(path), Err(ErrorCode::NotPermitted), "{path}");
        }
        for path in [
            "C:",
            "C:/a",
            "c:a",
            "a/C:/b",
            "C:\\a",
            "\\\\server\\share",
            "\\a",
            "a\\..\\..\\b",
            "//?/C:/a",
            "\\\\?\\C:\\a",
            "a.txt:stream",
            "a::$DATA",
            "..\\a",
        ] {
            assert_eq!(check(path), Err(ErrorCode::NotPermitted), "{path}");
        }
        for path in [
            "con",
            "CON",
            "Con.txt",
            "a/nul",
            "AUX.tar.gz",
            "prn ",
            "prn .x",
            "COM1",
            "com¹",
            "lpt³.x",
            "CONIN$",
        ] {
            assert_eq!(check(path), Err(ErrorCode::NotPermitted), "{path}");
        }
        for path in [".. ", "...", ". .", " ", "a/.. /b", "... /x"] {
            assert_eq!(check(path), Err(ErrorCode::NotPermitted), "{path}");
        }
    }

    #[test]
    fn what_is_over_the_bounds_is_refused() {
        assert_eq!(check(&"x".repeat(LONGEST + 1)), Err(ErrorCode::NameTooLong));
        assert_eq!(check(&vec!["a"; MOST_NAMES + 1].join("/")), Err(ErrorCode::NameTooLong));
        assert_eq!(check("a\0b"), Err(ErrorCode::Invalid));
    }
}
