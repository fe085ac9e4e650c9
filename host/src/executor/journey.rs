//! One call on its way: its place in the log, what is known of it so far, and the certainty that it is recorded,
//! however it ends. A journey that is dropped on the way was cancelled by its caller.

use std::borrow::Cow;
use std::time::Instant;

use super::feed::{Feed, Happening};
use super::raw;
use crate::gate::{Admitted, Call, Passed, Replay, shown};
use crate::id::{ApprovalId, CallId, RunId};
use crate::policy::Redaction;
use crate::registry::Registry;
use crate::sandbox::Ran;
use crate::spec::{Code, Failure, Outcome, Success, Usage};
use crate::store::{CallStart, Figures, Row, Settled, Slot, StoreError, Text, TraceEvent, now_unix_ms};

/// What a call's record holds beside its texts, in bytes; rounded up.
pub(super) const RECORD_BYTES: usize = 1_024;

/// How many things happen on the way of most calls.
const EVENTS: usize = 4;

/// What is kept of the arguments of a call that was refused, in bytes.
const REFUSED_BYTES: usize = 64 << 10;

/// One call on its way.
pub(super) struct Journey<'a> {
    call: &'a Call,
    registry: &'a Registry,
    call_id: CallId,
    run: RunId,
    began: Instant,
    /// Since when the deadline runs.
    since: Instant,
    began_unix_ms: u64,
    admitted: Option<&'a Admitted>,
    attempt: u32,
    usage: Usage,
    started: bool,
    events: Vec<TraceEvent>,
    /// Taken when the record is written.
    slot: Option<Slot>,
    replayed: bool,
    /// Who is told what happens; mostly nobody.
    feed: Option<Feed>,
}

impl<'a> Journey<'a> {
    pub(super) fn new(
        call: &'a Call,
        call_id: CallId,
        registry: &'a Registry,
        slot: Slot,
        feed: Option<Feed>,
    ) -> Self {
        let run = call.run.clone().unwrap_or_else(|| RunId::of_call(&call_id));
        let began = Instant::now();
        if let Some(feed) = &feed {
            let surface = call.caller.surface.as_str();
            let within = call.within.as_ref().map(|within| within.call.clone());
            feed.tell(Happening::Started { run: run.clone(), surface, within });
        }
        Self {
            call,
            registry,
            call_id,
            run,
            began,
            since: began,
            began_unix_ms: now_unix_ms(),
            admitted: None,
            attempt: 0,
            usage: Usage::default(),
            started: false,
            events: Vec::with_capacity(EVENTS),
            slot: Some(slot),
            replayed: false,
            feed,
        }
    }

    pub(super) fn call_id(&self) -> &CallId {
        &self.call_id
    }

    /// Notes that something happened.
    pub(super) fn note(&mut self, name: &'static str, detail: impl Into<String>) {
        self.note_at(Instant::now(), name, detail);
    }

    fn note_at(&mut self, when: Instant, name: &'static str, detail: impl Into<String>) {
        let since = when.saturating_duration_since(self.began);
        let offset_us = u64::try_from(since.as_micros()).unwrap_or(u64::MAX);
        self.events.push(TraceEvent { offset_us, name: Cow::Borrowed(name), detail: detail.into() });
    }

    /// The gates decided.
    pub(super) fn gates(&self, passed: &Result<Passed, Failure>) {
        if let Some(feed) = &self.feed {
            feed.tell_gates(passed);
        }
    }

    /// The call passed all gates.
    pub(super) fn admitted(&mut self, admitted: &'a Admitted) {
        self.admitted = Some(admitted);
        if let Some(edit) = admitted.edit() {
            self.note("edited", edit);
        }
    }

    /// An attempt is about to begin.
    pub(super) fn attempt(&mut self, attempt: u32) {
        self.attempt = attempt;
    }

    /// How many attempts were made, the one under way included.
    pub(super) fn attempts(&self) -> u32 {
        self.attempt
    }

    /// Writes down that the attempt begins. It is on disk before this returns.
    pub(super) async fn begin(&mut self) -> Result<(), StoreError> {
        if let Some(admitted) = self.admitted
            && let Some(slot) = &mut self.slot
        {
            let start = CallStart {
                call_id: self.call_id.clone(),
                tenant: self.call.caller.tenant.id.clone(),
                user: self.call.caller.user.clone(),
                run: self.run.clone(),
                tool: shown(&self.call.tool),
                component: Some(admitted.entry().source.digest),
                surface: self.call.caller.surface.as_str(),
                started_unix_ms: self.began_unix_ms,
                attempt: self.attempt,
                arguments: admitted.entry().policy.redaction.json(admitted.own_arguments().raw()),
            };
            slot.begin(start).await?;
        }
        Ok(())
    }

    /// The guest is about to start: from now on it may have an effect.
    pub(super) fn start(&mut self, when: tokio::time::Instant) {
        self.started = true;
        self.note_at(when.into_std(), "started", "");
    }

    /// The guest did not start after all.
    pub(super) fn never_started(&mut self) {
        self.started = false;
    }

    /// Since when the deadline runs, by the clock that deadlines are kept by: since the call came in, or since a reviewer
    /// decided.
    pub(super) fn since(&self) -> tokio::time::Instant {
        self.since.into()
    }

    /// The call is about to wait for a reviewer: it holds no more of the log than its record needs.
    pub(super) fn waits(&mut self, approval: &ApprovalId) {
        self.note("waits", approval.to_string());
        if let Some(feed) = &self.feed {
            feed.tell(Happening::Waits { approval: approval.clone() });
        }
        if let Some(slot) = &mut self.slot {
            slot.shrink(RECORD_BYTES);
        }
    }

    /// A reviewer decided, and the deadline begins.
    pub(super) fn goes_on(&mut self) {
        self.since = Instant::now();
    }

    /// The attempt ended.
    pub(super) fn ran(&mut self, ran: &Ran) {
        self.usage.fuel = self.usage.fuel.saturating_add(ran.used.fuel);
        self.usage.memory_peak_bytes = self.usage.memory_peak_bytes.max(ran.used.memory_peak_bytes);
        if let Some(slot) = &mut self.slot {
            raw::keep(slot.row(), &ran.ended);
        }
        for note in &ran.notes {
            self.note("http", note.clone());
        }
        if let Some(output) = &ran.output {
            self.note("output", crate::spec::clean(output.clone()));
        }
    }

    /// The journey's end: records it, and makes the one form that every surface shows.
    pub(super) fn finish(mut self, result: Result<Success, Failure>) -> Outcome {
        let result = result.map_err(|failure| self.settled(failure));
        self.record(result.as_ref().err());
        self.outcome(self.usage, false, result)
    }

    /// The same for a call that gets the outcome of an earlier one.
    pub(super) fn replay(mut self, replay: Replay) -> Outcome {
        self.note("replayed", replay.call.to_string());
        let Settled { attempt, usage, result } = *replay.settled;
        self.attempt = attempt;
        self.replayed = true;
        self.record(result.as_ref().err());
        self.outcome(usage, true, result)
    }

    fn outcome(&self, usage: Usage, replayed: bool, result: Result<Success, Failure>) -> Outcome {
        Outcome {
            call_id: self.call_id.clone(),
            tool: shown(&self.call.tool),
            attempt: self.attempt,
            replayed,
            usage,
            result,
        }
    }

    /// What was used so far.
    pub(super) fn usage(&self) -> Usage {
        Usage { wall_ms: self.wall_ms(), ..self.usage }
    }

    fn wall_ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// What becomes of the call if it is dropped from now on.
    pub(super) fn dropped(&self) -> Failure {
        self.settled(gone())
    }

    /// A side-effecting call that was stopped after its guest started may have had its effect.
    pub(super) fn settled(&self, failure: Failure) -> Failure {
        let stopped = matches!(
            failure.code,
            Code::Timeout
                | Code::Cancelled
                | Code::FuelExhausted
                | Code::MemoryLimit
                | Code::ToolCrashed
                | Code::BadResult
                | Code::Internal
        );
        let effect = self.started && self.admitted.is_some_and(|admitted| admitted.entry().has_side_effect());
        Failure { may_have_taken_effect: failure.may_have_taken_effect || (stopped && effect), ..failure }
    }

    fn record(&mut self, failure: Option<&Failure>) {
        self.usage.wall_ms = self.wall_ms();
        let Some(slot) = self.slot.take() else { return };
        if let Some(feed) = &self.feed {
            feed.tell(Happening::Ended {
                code: failure.map_or("ok", |failure| failure.code.as_str()),
                attempt: self.attempt,
                replayed: self.replayed,
                wall_ms: self.usage.wall_ms,
            });
        }
        let entry = self.admitted.map(Admitted::entry);
        // Of a tool that is not there, nothing is known that could be left out.
        let refused =
            if entry.is_none() { self.registry.snapshot().get(&self.call.tool).cloned() } else { None };
        let redaction = entry
            .or(refused.as_ref())
            .map(|entry| &entry.policy.redaction)
            .filter(|redaction| !redaction.is_empty());
        if let Some(redaction) = redaction {
            redact_events(&mut self.events, redaction);
        }
        slot.finish(|row| {
            row.figures = Figures {
                component: entry.map(|entry| entry.source.digest),
                side_effect: entry.is_some_and(|entry| entry.has_side_effect()),
                started_unix_ms: self.began_unix_ms,
                wall_ms: self.usage.wall_ms,
                fuel: self.usage.fuel,
                memory_peak_bytes: self.usage.memory_peak_bytes,
                attempt: self.attempt,
                gate: failure.and_then(|failure| failure.gate),
            };
            let caller = &self.call.caller;
            row.set(Text::CallId, self.call_id.as_str());
            row.set(Text::Tenant, caller.tenant.id.as_str());
            if let Some(user) = &caller.user {
                row.set(Text::User, user.as_str());
            }
            row.set(Text::Run, self.run.as_str());
            row.set(Text::Tool, &shown(&self.call.tool));
            row.set(Text::Surface, caller.surface.as_str());
            row.set(Text::Code, failure.map_or("ok", |failure| failure.code.as_str()));
            if let Some(failure) = failure {
                row.set(Text::Kind, &failure.kind);
                row.set(Text::Message, &failure.message);
                if let Some(operator) = &failure.operator {
                    row.set(Text::Operator, operator);
                }
            }
            row.set(Text::Arguments, &self.arguments());
            if !self.events.is_empty() {
                row.set_json(Text::Events, &self.events);
            }
            if let Some(redaction) = redaction {
                redact(row, redaction, failure.map(|failure| failure.code));
            }
        });
    }
}

impl Journey<'_> {
    /// The arguments as they came in. Those of a call that no gate let through are anything, and are cut.
    fn arguments(&self) -> Cow<'_, str> {
        if let Some(admitted) = self.admitted {
            return admitted.own_arguments().raw().into();
        }
        let all = &self.call.arguments;
        if all.len() <= REFUSED_BYTES {
            return String::from_utf8_lossy(all);
        }
        let kept = String::from_utf8_lossy(all.get(..REFUSED_BYTES).unwrap_or(all));
        format!("{kept}...[{} bytes in all]", all.len()).into()
    }
}

impl Drop for Journey<'_> {
    fn drop(&mut self) {
        if self.slot.is_some() {
            let failure = if std::thread::panicking() {
                Failure {
                    operator: Some("the host panicked".to_owned()),
                    ..Failure::internal(&self.call_id, "")
                }
            } else {
                gone()
            };
            let failure = self.settled(failure);
            self.record(Some(&failure));
        }
    }
}

/// Takes out of a row what the operator does not want in it, and every text that may repeat it.
fn redact(row: &mut Row, redaction: &Redaction, code: Option<Code>) {
    let whole = |text: &str| redaction.text(text.to_owned());
    // In arguments that do not match the schema what is to be left out may stand anywhere.
    let misplaced = matches!(code, Some(Code::BadJson | Code::BadArgs));
    let arguments = |text: &str| if misplaced { whole(text) } else { redaction.json(text) };
    // A result with no places in it is a text.
    let structured =
        |text: &str| if text.starts_with(['{', '[']) { redaction.json(text) } else { whole(text) };
    let kept = [
        (Text::Arguments, row.text(Text::Arguments).map(arguments)),
        (Text::RawStructured, row.text(Text::RawStructured).map(structured)),
        (Text::RawContent, row.text(Text::RawContent).map(whole)),
        // The gates' words about arguments quote them, and so may the guest's own.
        (Text::Message, row.text(Text::Message).map(whole)),
    ];
    for (column, text) in kept {
        if let Some(text) = text {
            row.set(column, &text);
        }
    }
}

fn redact_events(events: &mut [TraceEvent], redaction: &Redaction) {
    for event in events {
        if ["failed", "output", "edited"].contains(&&*event.name) {
            event.detail = redaction.text(std::mem::take(&mut event.detail));
        }
    }
}

fn gone() -> Failure {
    Failure::new(Code::Cancelled, "The caller went away before the call ended.")
}
