//! Finding and reading the configuration file.

#![expect(clippy::disallowed_methods, reason = "this module alone reads the configuration file")]

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use toml::de::DeTable;

use super::environment;
use super::error::ConfigError;
use super::read::{Source, Table};
use super::sections;
use crate::executor::Settings;

/// The file that is taken from the working directory when none is named.
pub const FILE_NAME: &str = "host.toml";
/// Every setting with its default, as a file that could be loaded.
pub const DEFAULT_CONFIG: &str = include_str!("../../default-config.toml");

/// Nobody writes more by hand, and a file that has no end is not read to it.
const LARGEST_FILE: u64 = 1 << 20;

/// The settings of the named file, else of `host.toml` in the working directory if it is there, else those that are
/// built in. Paths in the file are relative to its folder.
///
/// # Errors
/// [`ConfigError`] says what is wrong, where, and what to do. A file that is there and cannot be read is never passed
/// over.
pub fn load(explicit: Option<&Path>, working_directory: &Path) -> Result<Settings, ConfigError> {
    let file = match explicit {
        Some(named) => working_directory.join(named),
        None => working_directory.join(FILE_NAME),
    };
    let bytes = match small_file(&file) {
        Ok(bytes) => bytes,
        Err(fault) if explicit.is_none() && fault.kind() == io::ErrorKind::NotFound => {
            let mut settings = Settings::built_in(working_directory);
            settings.store.secrets_key = environment::secrets_key();
            return Ok(settings);
        }
        Err(fault) => return Err(ConfigError::unreadable(file, format!("cannot be read: {fault}"))),
    };
    match String::from_utf8(bytes) {
        Ok(text) => parse(&text, &file),
        Err(_) => Err(ConfigError::unreadable(file, "is not UTF-8 text".to_owned())),
    }
}

/// A small file: that of the configuration, or one that it names.
pub(super) fn small_file(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file)?.take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
    if bytes.len() > usize::try_from(LARGEST_FILE).unwrap_or(usize::MAX) {
        return Err(io::Error::other(format!("it has more than {LARGEST_FILE} bytes")));
    }
    Ok(bytes)
}

/// When a configuration file changed, and how large it is; none if it cannot be looked at. Blocks the thread.
#[must_use]
pub fn changed(file: &Path) -> Option<(u64, SystemTime)> {
    let found = std::fs::metadata(file).ok()?;
    Some((found.len(), found.modified().ok()?))
}

/// The settings that a text says, as if it stood in that file.
///
/// # Errors
/// As [`load`].
pub fn parse(text: &str, file: &Path) -> Result<Settings, ConfigError> {
    let folder = file.parent().unwrap_or(Path::new(""));
    let source = Source { file: file.to_path_buf(), text: Arc::from(text) };
    let document = DeTable::parse(text).map_err(|fault| {
        source.fault(&fault.span().unwrap_or(0..0), format!("not valid TOML: {}", fault.message()))
    })?;
    let mut settings = sections::document(Table::document(&source, &document), folder)?;
    settings.file = Some(file.to_path_buf());
    Ok(settings)
}
