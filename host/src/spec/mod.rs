//! What tools say and return: the spec, content, and how a call ended. Knows no policy, no WebAssembly and no wire.

mod content;
mod failure;
mod input;
mod outcome;
mod scrub;
mod secret;
mod text;
mod tool;

pub use content::{Content, Media, Reply, Resource, ResourceBody, ResourceLink, ToolResult};
pub use failure::{Code, Failure, Gate};
pub use input::{InputAnswer, InputMethod, InputRequest, InputRequired, RawRequest};
pub use outcome::{Outcome, Success, Usage};
pub use scrub::{ScrubStream, Scrubber};
pub use secret::Secret;
pub use text::{Truncated, clean, clean_json, is_clean, truncate, truncate_before};
pub use tool::{Annotations, Delivery, Example, SpecFault, ToolSpec, Wishes};
