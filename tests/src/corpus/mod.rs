//! The hostile guests of `guests/`: what their files say about themselves, and the components that they are.
//!
//! A file of WebAssembly text is a whole component, or the fields of a core module around which the frame puts what each
//! tool needs. A Rust file makes the component, where a text would be too long.

mod frame;

use wit_component::StringEncoding;

use crate::guest::GuestTool;

/// A guest of the corpus.
#[derive(Debug, Clone, Copy)]
pub struct HostileGuest {
    /// The folder that it stands in.
    pub group: &'static str,
    /// The name of its file, of its tool, and of its test.
    pub name: &'static str,
    /// The file's text.
    pub source: &'static str,
    /// How it becomes a component.
    pub form: Form,
}

/// How a file becomes a component.
#[derive(Debug, Clone, Copy)]
pub enum Form {
    /// The file is WebAssembly text.
    Text,
    /// The file is Rust, and this function of it makes the bytes.
    Made(fn(&str) -> Vec<u8>),
}

include!(concat!(env!("OUT_DIR"), "/corpus.rs"));

impl HostileGuest {
    /// The guest of that name.
    ///
    /// # Panics
    /// If there is none.
    pub fn named(name: &str) -> &'static Self {
        ALL.iter().find(|guest| guest.name == name).unwrap_or_else(|| panic!("there is no guest {name}"))
    }

    /// A line of the file's head, such as that of `Row`, `Tries` or `Answer`, with the lines that go on with it.
    ///
    /// # Panics
    /// If the head has no such line.
    pub fn says(&self, word: &str) -> String {
        let said: Vec<String> = self.head(word).collect();
        assert!(!said.is_empty(), "{} does not say its {word}", self.name);
        said.join(" ")
    }

    /// The code of the outcome that the guest has to get, or `refused`.
    pub fn answer(&self) -> String {
        let answer = self.says("Answer");
        let end = answer.find([' ', ',', '.', ':', ';']).unwrap_or(answer.len());
        answer[..end].to_owned()
    }

    /// The component.
    ///
    /// # Panics
    /// If the text is not WebAssembly, since then the guest is wrong.
    pub fn component(&self) -> Vec<u8> {
        match self.form {
            Form::Made(make) => make(self.name),
            Form::Text if self.fields().starts_with("(component") => {
                wat::parse_str(self.source).unwrap_or_else(|fault| panic!("{}: {fault}", self.name))
            }
            Form::Text => frame::component(&self.tool(), self.strings(), self.source),
        }
    }

    /// The tool as the head describes it.
    fn tool(&self) -> GuestTool {
        let mut tool = GuestTool::new(self.name);
        for setting in self.head("Spec") {
            let (key, value) =
                setting.split_once(" = ").unwrap_or_else(|| panic!("{}: {setting}", self.name));
            match key {
                "timeout_ms" => tool.timeout_ms = value.parse().ok(),
                "requires_approval" => tool.requires_approval = value == "true",
                "input_schema" => tool.input_schema = value.to_owned(),
                "output_schema" => tool.output_schema = Some(value.to_owned()),
                _ => panic!("{}: a specification has no {key}", self.name),
            }
        }
        tool
    }

    /// How its strings are encoded.
    fn strings(&self) -> StringEncoding {
        match self.head("Strings").next().as_deref() {
            None => StringEncoding::UTF8,
            Some("UTF-16") => StringEncoding::UTF16,
            Some("latin1+utf16") => StringEncoding::CompactUTF16,
            Some(other) => panic!("{}: there are no strings of {other}", self.name),
        }
    }

    fn fields(&self) -> &'static str {
        let mut rest = self.source;
        while rest.starts_with(";;") {
            rest = rest.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
        }
        rest
    }

    /// The values of the head's lines of one word. A line that begins with three spaces goes on with the one before.
    fn head(&self, word: &str) -> impl Iterator<Item = String> + use<'_> {
        let mut values: Vec<String> = Vec::new();
        let mut on = false;
        for line in self.source.lines() {
            let Some(line) = line.strip_prefix(";;").or_else(|| line.strip_prefix("//!")) else { break };
            if let Some(more) = line.strip_prefix("   ") {
                if on && let Some(value) = values.last_mut() {
                    value.push(' ');
                    value.push_str(more.trim());
                }
            } else if let Some((_, value)) = line.trim().split_once(": ").filter(|(said, _)| *said == word) {
                values.push(value.to_owned());
                on = true;
            } else {
                on = false;
            }
        }
        values.into_iter()
    }
}
