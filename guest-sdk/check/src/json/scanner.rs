//! The machine that walks over JSON bytes.
//!
//! It owns the grammar and the position. Its stack is a vector with one byte for each open container, so a million
//! `[` cost a megabyte and never the thread's stack. Strict scans end at the first fault; tolerant scans end only
//! where the structure cannot be followed any further.

use std::borrow::Cow;
use std::ops::Range;

use super::keys::{OpenObjects, unescape};
use super::{Fault, Kind, Limits, Located, Reason, is_space};

/// Keys with this beginning make `serde_json` read an object as a number or as raw text, so that the value checked
/// would not be the value written.
const RESERVED_KEY: &[u8] = b"$serde_json::";

/// A fault by byte offset, before line and column are counted.
pub(super) type Hit = (usize, Reason);

/// What the grammar allows next.
#[derive(Clone, Copy)]
enum Next {
    Value,
    FirstItem,
    FirstKey,
    Key,
    AfterValue,
}

/// One open container.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Array,
    Object,
    /// An object so deep that its keys are not compared any more.
    DeepObject,
}

pub(super) struct Scanner<'t> {
    pub(super) text: &'t [u8],
    pub(super) at: usize,
    pub(super) limits: Limits,
    stack: Vec<Open>,
    objects: OpenObjects<'t>,
    elements: usize,
    kind: Kind,
    /// `None` for a strict scan.
    search: Option<Search<'t>>,
}

/// The state of a tolerant scan for a path.
struct Search<'t> {
    path: &'t [&'t str],
    /// How many keys of the path lead to the container that is followed now.
    matched: usize,
    start: Option<usize>,
    end: Option<usize>,
    /// Depth of the stack where the value at the path begins.
    base: usize,
    /// The element count outside, kept while the inside is counted.
    elements_outside: usize,
    inside: Option<Hit>,
    outside: Option<Hit>,
}

impl Search<'_> {
    fn is_inside(&self) -> bool {
        self.start.is_some() && self.end.is_none()
    }

    fn note(&mut self, hit: Hit) {
        let slot = if self.is_inside() { &mut self.inside } else { &mut self.outside };
        // The end of an over-long text lies before faults found earlier, so the smaller offset wins.
        match slot {
            Some((offset, _)) if *offset <= hit.0 => {}
            _ => *slot = Some(hit),
        }
    }
}

impl<'t> Scanner<'t> {
    pub(super) fn strict(text: &'t [u8], limits: &Limits) -> Self {
        Self {
            text,
            at: 0,
            limits: *limits,
            stack: Vec::new(),
            objects: OpenObjects::default(),
            elements: 0,
            kind: Kind::Null,
            search: None,
        }
    }

    pub(super) fn tolerant(text: &'t [u8], path: &'t [&'t str], limits: &Limits) -> Self {
        let search = Search {
            path,
            matched: 0,
            start: None,
            end: None,
            base: 0,
            elements_outside: 0,
            inside: None,
            outside: None,
        };
        Self { search: Some(search), ..Self::strict(text, limits) }
    }

    pub(super) fn finish(mut self) -> Result<Kind, Fault> {
        if self.text.len() > self.limits.bytes {
            let limit = self.limits.bytes;
            return Err(Fault::place(self.text, limit, Reason::TooLong { limit }));
        }
        let result = self.run();
        let broken = first_invalid_utf8(self.text).map(|offset| (offset, Reason::NotUtf8));
        let hit = match (result, broken) {
            (Ok(()), None) => return Ok(self.kind),
            (Ok(()), Some(broken)) => broken,
            (Err(hit), None) => hit,
            (Err(hit), Some(broken)) => {
                if broken.0 <= hit.0 {
                    broken
                } else {
                    hit
                }
            }
        };
        Err(Fault::place(self.text, hit.0, hit.1))
    }

    pub(super) fn finish_located(mut self) -> Located {
        let result = self.run();
        let text = self.text;
        let Some(mut search) = self.search.take() else { return Located::default() };
        if let Err(hit) = result {
            search.note(hit);
        }
        let span = match (search.start, search.end) {
            (Some(start), Some(end)) => Some(start..end),
            _ => None,
        };
        // A value whose end is hidden reaches to the end of the text.
        let reach = search.start.map(|start| start..search.end.unwrap_or(text.len()));
        search.note_utf8_and_length(text, reach.clone(), &self.limits);
        let start = reach.as_ref().map_or(0, |reach| reach.start);
        let value = reach.and_then(|reach| text.get(reach)).unwrap_or_default();
        Located {
            span,
            inside: search.inside.map(|(offset, reason)| Fault::place(value, offset - start, reason)),
            outside: search.outside.map(|(offset, reason)| Fault::place(text, offset, reason)),
        }
    }

    fn run(&mut self) -> Result<(), Hit> {
        self.skip_space();
        if self.at == self.text.len() {
            return Err((0, Reason::Empty));
        }
        self.kind = kind_of(self.text.get(self.at).copied());
        self.enter_if_target(0);
        let mut next = Next::Value;
        loop {
            self.skip_space();
            next = match next {
                Next::Value => self.value()?,
                Next::FirstItem if self.peek() == Some(b']') => self.close(),
                Next::FirstItem => self.item()?,
                Next::FirstKey if self.peek() == Some(b'}') => self.close(),
                Next::FirstKey => self.key("a key in double quotes or '}'")?,
                Next::Key => self.key("a key in double quotes")?,
                Next::AfterValue => {
                    self.leave_if_target();
                    match self.stack.last() {
                        None if self.at == self.text.len() => return Ok(()),
                        None => return Err((self.at, Reason::Trailing)),
                        Some(Open::Array) => match self.peek() {
                            Some(b',') => {
                                self.at += 1;
                                self.skip_space();
                                self.item()?
                            }
                            Some(b']') => self.close(),
                            _ => return Err(self.expected("',' or ']'")),
                        },
                        Some(_) => match self.peek() {
                            Some(b',') => {
                                self.at += 1;
                                Next::Key
                            }
                            Some(b'}') => self.close(),
                            _ => return Err(self.expected("',' or '}'")),
                        },
                    }
                }
            };
        }
    }

    fn value(&mut self) -> Result<Next, Hit> {
        match self.peek() {
            Some(b'{') => self.open(Open::Object),
            Some(b'[') => self.open(Open::Array),
            Some(b'"') => self.string().map(|_| Next::AfterValue),
            Some(b'-' | b'0'..=b'9') => self.number().map(|()| Next::AfterValue),
            Some(byte) if byte.is_ascii_alphabetic() => self.word().map(|()| Next::AfterValue),
            _ => Err(self.expected("a value")),
        }
    }

    fn item(&mut self) -> Result<Next, Hit> {
        self.count_element()?;
        self.value()
    }

    fn open(&mut self, open: Open) -> Result<Next, Hit> {
        let base = self.search.as_ref().filter(|search| search.is_inside()).map_or(0, |search| search.base);
        let level = self.stack.len() + 1 - base;
        let limit = self.limits.depth;
        if level > limit {
            self.soft((self.at, Reason::TooDeep { limit }))?;
        }
        self.at += 1;
        let (open, next) = match open {
            Open::Array => (Open::Array, Next::FirstItem),
            _ if level > limit => (Open::DeepObject, Next::FirstKey),
            _ => {
                self.objects.open();
                (Open::Object, Next::FirstKey)
            }
        };
        self.stack.push(open);
        Ok(next)
    }

    fn close(&mut self) -> Next {
        self.at += 1;
        if self.stack.pop() == Some(Open::Object) {
            self.objects.close();
        }
        let containers_left = self.stack.len().saturating_sub(1);
        if let Some(search) = &mut self.search {
            search.matched = search.matched.min(containers_left);
        }
        Next::AfterValue
    }

    fn key(&mut self, wanted: &'static str) -> Result<Next, Hit> {
        if self.peek() != Some(b'"') {
            return Err(self.expected(wanted));
        }
        let key_at = self.at;
        self.count_element()?;
        let (range, escaped) = self.string()?;
        let raw = self.text.get(range).unwrap_or_default();
        let key = if escaped { Cow::Owned(unescape(raw)) } else { Cow::Borrowed(raw) };
        if key.starts_with(RESERVED_KEY) {
            self.soft((key_at, Reason::ReservedKey))?;
        }
        let on_path = self.advance_on_path(&key);
        if self.stack.last() == Some(&Open::Object) {
            let echo = key.clone();
            if !self.objects.add(key) {
                self.soft((key_at, Reason::duplicate(&echo)))?;
            }
        }
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(self.expected("':'"));
        }
        self.at += 1;
        self.skip_space();
        if on_path {
            let matched = self.search.as_ref().map_or(0, |search| search.matched);
            self.enter_if_target(matched);
        }
        self.value()
    }

    fn count_element(&mut self) -> Result<(), Hit> {
        self.elements += 1;
        let limit = self.limits.elements;
        if self.elements == limit + 1 {
            self.soft((self.at, Reason::TooManyElements { limit }))
        } else {
            Ok(())
        }
    }

    /// Follows the path by one key; `true` if the value after this key lies on the path.
    fn advance_on_path(&mut self, key: &[u8]) -> bool {
        let depth = self.stack.len();
        let Some(search) = &mut self.search else { return false };
        if search.start.is_some() || depth != search.matched + 1 {
            return false;
        }
        match search.path.get(search.matched) {
            Some(wanted) if wanted.as_bytes() == key => {
                search.matched += 1;
                true
            }
            _ => false,
        }
    }

    fn enter_if_target(&mut self, matched: usize) {
        let (at, base) = (self.at, self.stack.len());
        if let Some(search) = &mut self.search
            && search.start.is_none()
            && search.path.len() == matched
        {
            search.start = Some(at);
            search.base = base;
            search.elements_outside = std::mem::take(&mut self.elements);
        }
    }

    fn leave_if_target(&mut self) {
        // White space has been skipped already, so the end is found by going back over it.
        let (depth, before) = (self.stack.len(), self.text.get(..self.at).unwrap_or_default());
        if let Some(search) = &mut self.search
            && search.is_inside()
            && depth == search.base
        {
            search.end = before.iter().rposition(|byte| !is_space(*byte)).map(|last| last + 1);
            self.elements = search.elements_outside;
        }
    }

    pub(super) fn soft(&mut self, hit: Hit) -> Result<(), Hit> {
        match &mut self.search {
            None => Err(hit),
            Some(search) => {
                search.note(hit);
                Ok(())
            }
        }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(is_space) {
            self.at += 1;
        }
    }
}

impl Search<'_> {
    fn note_utf8_and_length(&mut self, text: &[u8], value: Option<Range<usize>>, limits: &Limits) {
        let Some(value) = value else {
            if let Some(offset) = first_invalid_utf8(text) {
                note_first(&mut self.outside, (offset, Reason::NotUtf8));
            }
            return;
        };
        let part = |range: Range<usize>| text.get(range).unwrap_or_default();
        if let Some(offset) = first_invalid_utf8(part(0..value.start)) {
            note_first(&mut self.outside, (offset, Reason::NotUtf8));
        }
        if let Some(offset) = first_invalid_utf8(part(value.end..text.len())) {
            note_first(&mut self.outside, (value.end + offset, Reason::NotUtf8));
        }
        if let Some(offset) = first_invalid_utf8(part(value.clone())) {
            note_first(&mut self.inside, (value.start + offset, Reason::NotUtf8));
        }
        if value.len() > limits.bytes {
            // The strict scan looks at the length before anything else, so this fault wins here too.
            self.inside = Some((value.start + limits.bytes, Reason::TooLong { limit: limits.bytes }));
        }
    }
}

fn note_first(slot: &mut Option<Hit>, hit: Hit) {
    if slot.as_ref().is_none_or(|(offset, _)| hit.0 <= *offset) {
        *slot = Some(hit);
    }
}

fn first_invalid_utf8(text: &[u8]) -> Option<usize> {
    std::str::from_utf8(text).err().map(|error| error.valid_up_to())
}

fn kind_of(first: Option<u8>) -> Kind {
    match first {
        Some(b'{') => Kind::Object,
        Some(b'[') => Kind::Array,
        Some(b'"') => Kind::String,
        Some(b't' | b'f') => Kind::Boolean,
        Some(b'-' | b'0'..=b'9') => Kind::Number,
        _ => Kind::Null,
    }
}
