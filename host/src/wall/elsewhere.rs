//! Systems other than Linux, which offer neither Landlock nor seccomp.

use std::path::PathBuf;

use super::{Rules, WallError};

pub(super) struct Restricted {
    pub(super) version: Option<i32>,
    pub(super) absent: Vec<PathBuf>,
}

pub(super) fn restrict(_: &Rules) -> Result<Restricted, WallError> {
    Ok(Restricted { version: None, absent: Vec::new() })
}

pub(super) fn restrict_thread(_: &Rules) -> Result<bool, WallError> {
    Ok(false)
}

pub(super) fn restrict_process(_: &Rules) -> Result<bool, WallError> {
    Ok(false)
}

pub(super) fn end_listening() -> Result<(), WallError> {
    Ok(())
}
