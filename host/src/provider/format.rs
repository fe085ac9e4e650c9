//! The names of the forms that tools are shown in.

use std::fmt;
use std::str::FromStr;

/// Whose form it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// MCP's `tools/list`.
    Mcp,
    /// OpenAI's Responses API.
    OpenAi,
    /// OpenAI's Chat Completions API.
    OpenAiChat,
    /// Anthropic's Messages API.
    Anthropic,
    /// Gemini's `generateContent`.
    Gemini,
}

/// Whether a model is held to a tool's schema while it writes the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Strict {
    /// Where that loses nothing: OpenAI's forms, for tools whose whole schema their strict mode can express. Only what is
    /// optional and may be null by the tool's own schema is always given then, as null.
    #[default]
    Auto,
    /// Wherever the schema has a strict form, even if some of it has to move into the description, as far as the
    /// provider takes strict tools in one request.
    On,
    /// Nowhere.
    Off,
}

/// A text that names no format, or no way to be strict.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no {what} of that name; choose one of: {known}")]
pub struct UnknownName {
    what: &'static str,
    known: String,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Mcp, Self::OpenAi, Self::OpenAiChat, Self::Anthropic, Self::Gemini];

    /// The name on the command line and in requests.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Mcp => "mcp",
            Self::OpenAi => "openai",
            Self::OpenAiChat => "openai-chat",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }
}

impl Strict {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Auto, Self::On, Self::Off];

    /// The name on the command line and in requests.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::On => "on",
            Self::Off => "off",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Strict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Format {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        named(text, "format", &Self::ALL)
    }
}

impl FromStr for Strict {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        named(text, "way to be strict", &Self::ALL)
    }
}

fn named<T: Copy + fmt::Display>(text: &str, what: &'static str, all: &[T]) -> Result<T, UnknownName> {
    let known = || all.iter().map(T::to_string);
    all.iter()
        .copied()
        .find(|one| one.to_string() == text)
        .ok_or_else(|| UnknownName { what, known: known().collect::<Vec<_>>().join(", ") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_shown() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        for strict in Strict::ALL {
            assert_eq!(strict.to_string().parse(), Ok(strict));
        }
        let said = "OpenAI".parse::<Format>().unwrap_err().to_string();
        assert_eq!(
            said,
            "there is no format of that name; choose one of: mcp, openai, openai-chat, anthropic, gemini"
        );
        let said = "yes".parse::<Strict>().unwrap_err().to_string();
        assert_eq!(said, "there is no way to be strict of that name; choose one of: auto, on, off");
    }
}
