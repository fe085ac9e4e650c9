//! Files and environment to settings of every layer. The only place that reads either.

mod settings;

pub use crate::store::StoreSettings;
pub use settings::{ComponentSettings, ServerSettings, Settings};
