//! Files and environment to settings of every layer. The only place that reads either.
//!
//! A file is accepted whole or refused with the place of its fault. No accepted file gives a weaker limit than it
//! says: a figure that would have no effect is an error, and so is a key that nobody reads.

mod environment;
mod error;
mod load;
mod read;
mod sections;
#[cfg(test)]
mod tests;

pub use crate::executor::{ComponentSettings, ListenError, ServerSettings, Settings};
pub use crate::spec::Secret;
pub use crate::store::StoreSettings;
pub use environment::{environment_key, log_filter, password_files, search_path};
pub use error::ConfigError;
pub use load::{DEFAULT_CONFIG, FILE_NAME, changed, load, parse};
