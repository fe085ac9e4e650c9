//! One row of the table of calls on its way to the database, in memory that the next rows use again: a record is made by the
//! thread of a call and read by that of the writer, and memory that goes back and forth costs both of them.

use serde::Serialize;

use super::super::record::CallRecord;
use crate::id::Digest;
use crate::spec::Gate;

/// Memory that is not kept for further rows.
const MOST_KEPT: usize = 4 << 10;

/// A column of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text {
    /// See [`CallRecord::call_id`].
    CallId,
    /// See [`CallRecord::tenant`].
    Tenant,
    /// See [`CallRecord::user`].
    User,
    /// See [`CallRecord::run`].
    Run,
    /// See [`CallRecord::tool`].
    Tool,
    /// See [`CallRecord::surface`].
    Surface,
    /// See [`CallRecord::code`].
    Code,
    /// See [`CallRecord::kind`].
    Kind,
    /// See [`CallRecord::message`].
    Message,
    /// See [`CallRecord::operator`].
    Operator,
    /// See [`CallRecord::arguments`].
    Arguments,
    /// See [`CallRecord::raw_content`].
    RawContent,
    /// See [`CallRecord::raw_structured`].
    RawStructured,
    /// See [`CallRecord::events`]; as JSON.
    Events,
}

const TEXTS: usize = Text::Events as usize + 1;

/// The columns that are no texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Figures {
    /// See [`CallRecord::component`].
    pub component: Option<Digest>,
    /// See [`CallRecord::side_effect`].
    pub side_effect: bool,
    /// See [`CallRecord::started_unix_ms`].
    pub started_unix_ms: u64,
    /// See [`CallRecord::wall_ms`].
    pub wall_ms: u64,
    /// See [`CallRecord::fuel`].
    pub fuel: u64,
    /// See [`CallRecord::memory_peak_bytes`].
    pub memory_peak_bytes: u64,
    /// See [`CallRecord::attempt`].
    pub attempt: u32,
    /// See [`CallRecord::gate`].
    pub gate: Option<Gate>,
}

/// One row.
#[derive(Debug, Default)]
pub struct Row {
    /// The columns that are no texts.
    pub figures: Figures,
    bytes: Vec<u8>,
    /// Where each text stands in the bytes; nothing for one that is not there.
    places: [Option<(usize, usize)>; TEXTS],
}

impl Row {
    /// An empty row in memory that was used before.
    pub(super) fn in_memory(bytes: Vec<u8>) -> Self {
        Self { bytes, ..Self::default() }
    }

    /// The row's memory, to be used again; none that is too large to be kept.
    pub(super) fn into_memory(self) -> Option<Vec<u8>> {
        let mut bytes = self.bytes;
        bytes.clear();
        (1..=MOST_KEPT).contains(&bytes.capacity()).then_some(bytes)
    }

    /// What the row weighs in memory, for the bound of the log.
    pub(super) fn weight(&self) -> usize {
        size_of::<Self>() + self.bytes.len()
    }

    /// Sets a text.
    pub fn set(&mut self, column: Text, text: &str) {
        let began = self.bytes.len();
        self.bytes.extend_from_slice(text.as_bytes());
        self.place(column, began);
    }

    /// Sets a text to a value's JSON. What has none is left out.
    pub fn set_json(&mut self, column: Text, value: &impl Serialize) {
        let began = self.bytes.len();
        let written = serde_json::to_writer(&mut self.bytes, value).is_ok();
        self.place(column, began);
        if !written {
            self.clear(column);
        }
    }

    /// Takes a text away. Its memory is free again with the row's.
    pub fn clear(&mut self, column: Text) {
        if let Some(place) = self.places.get_mut(column as usize) {
            *place = None;
        }
    }

    /// A text, if it is there.
    #[must_use]
    pub fn text(&self, column: Text) -> Option<&str> {
        let (from, to) = (*self.places.get(column as usize)?)?;
        // Only texts and JSON are written.
        std::str::from_utf8(self.bytes.get(from..to)?).ok()
    }

    /// Fills the row with a record.
    pub fn fill(&mut self, record: &CallRecord) {
        self.figures = Figures {
            component: record.component,
            side_effect: record.side_effect,
            started_unix_ms: record.started_unix_ms,
            wall_ms: record.wall_ms,
            fuel: record.fuel,
            memory_peak_bytes: record.memory_peak_bytes,
            attempt: record.attempt,
            gate: record.gate,
        };
        let texts = [
            (Text::CallId, Some(record.call_id.as_str())),
            (Text::Tenant, Some(record.tenant.as_str())),
            (Text::User, record.user.as_ref().map(crate::id::UserId::as_str)),
            (Text::Run, Some(record.run.as_str())),
            (Text::Tool, Some(record.tool.as_str())),
            (Text::Surface, Some(record.surface)),
            (Text::Code, Some(&*record.code)),
            (Text::Kind, record.kind.as_deref()),
            (Text::Message, record.message.as_deref()),
            (Text::Operator, record.operator.as_deref()),
            (Text::Arguments, Some(record.arguments.as_str())),
            (Text::RawContent, record.raw_content.as_deref()),
            (Text::RawStructured, record.raw_structured.as_deref()),
        ];
        for (column, text) in texts {
            match text {
                Some(text) => self.set(column, text),
                None => self.clear(column),
            }
        }
        if record.events.is_empty() {
            self.clear(Text::Events);
        } else {
            self.set_json(Text::Events, &record.events);
        }
    }

    fn place(&mut self, column: Text, began: usize) {
        let ended = self.bytes.len();
        if let Some(place) = self.places.get_mut(column as usize) {
            *place = Some((began, ended));
        }
    }
}
