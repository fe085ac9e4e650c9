//! All tools of one snapshot in all forms, each written once.

use std::sync::{Arc, OnceLock};

use super::export::{Exported, export};
use super::format::{Format, Strict};
use super::report::{Report, ToolReport};
use super::schema::{ANTHROPIC_OPTIONAL, ANTHROPIC_STRICT_TOOLS, ANTHROPIC_UNIONS, Plan};
use crate::policy::{Access, Pattern};
use crate::registry::{Entry, Snapshot};

/// What a caller wants to see.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The form.
    pub format: Format,
    /// Whether the model is held to the schemas.
    pub strict: Strict,
    /// What the caller may call.
    pub access: &'a Access,
    /// The request's own narrower list.
    pub narrowed: Option<&'a [Pattern]>,
}

/// A list of tools in a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Compact JSON, `{"tools": [...]}`, as the provider takes the field `tools` of a request. The same bytes from run to
    /// run, the tools by name.
    pub text: String,
    /// What became of each tool.
    pub report: Report,
}

/// The tools of one snapshot in all forms.
#[derive(Debug)]
pub struct Catalogue {
    snapshot: Arc<Snapshot>,
    /// In the snapshot's order, which is by name.
    forms: Vec<Forms>,
}

/// One tool in each form.
#[derive(Debug, Default)]
struct Forms {
    mcp: OnceLock<Exported>,
    openai: OnceLock<Exported>,
    openai_strict: OnceLock<Exported>,
    openai_chat: OnceLock<Exported>,
    openai_chat_strict: OnceLock<Exported>,
    anthropic: OnceLock<Exported>,
    anthropic_strict: OnceLock<Exported>,
    gemini: OnceLock<Exported>,
}

/// The form that one tool has in a list.
struct Chosen<'c> {
    exported: &'c Exported,
    strict: bool,
    not_strict: Option<String>,
}

impl Catalogue {
    pub(super) fn new(snapshot: Arc<Snapshot>) -> Self {
        let forms = snapshot.all().iter().map(|_| Forms::default()).collect();
        Self { snapshot, forms }
    }

    pub(super) fn is_of(&self, snapshot: &Arc<Snapshot>) -> bool {
        Arc::ptr_eq(&self.snapshot, snapshot)
    }

    /// The tools that a caller may call, in a form.
    #[must_use]
    pub fn list(&self, wanted: &Wanted<'_>) -> Listed {
        let mut texts = Vec::new();
        let mut report = Report::default();
        self.each(wanted, |entry, chosen| {
            texts.push(chosen.exported.text.as_str());
            report.tools.push(ToolReport {
                name: entry.name.clone(),
                tokens: chosen.exported.tokens(),
                strict: chosen.strict,
                weakened: chosen.exported.notes.clone(),
                not_strict: chosen.not_strict,
            });
        });
        let tools = texts.join(",");
        let text = match wanted.format {
            // All functions are one tool to Gemini.
            Format::Gemini if texts.is_empty() => r#"{"tools":[]}"#.to_owned(),
            Format::Gemini => format!(r#"{{"tools":[{{"functionDeclarations":[{tools}]}}]}}"#),
            _ => format!(r#"{{"tools":[{tools}]}}"#),
        };
        Listed { text, report }
    }

    /// The way back for the arguments of a tool, as a model was shown it. None for a name that no tool has.
    pub(super) fn plan(&self, wanted: &Wanted<'_>, tool: &str) -> Option<&Plan> {
        let at = self.snapshot.all().binary_search_by(|entry| entry.name.as_str().cmp(tool)).ok()?;
        let (entry, forms) = (self.snapshot.all().get(at)?, self.forms.get(at)?);
        // Whether a tool of Anthropic's is strict depends on the others of its list; how its arguments are read does not.
        let strict = if wanted.format == Format::Anthropic { Strict::Off } else { wanted.strict };
        Some(&forms.chosen(entry, wanted.format, strict).exported.plan)
    }

    fn each<'c>(&'c self, wanted: &Wanted<'_>, mut with: impl FnMut(&'c Entry, Chosen<'c>)) {
        let mut budget = Budget::default();
        let all = self.snapshot.all().iter().zip(&self.forms);
        for (entry, forms) in all {
            if !wanted.access.permits(entry.name.as_str(), wanted.narrowed) {
                continue;
            }
            let mut chosen = forms.chosen(entry, wanted.format, wanted.strict);
            if wanted.format == Format::Anthropic
                && chosen.strict
                && let Err(reason) = budget.take(chosen.exported)
            {
                let exported = forms.of(entry, wanted.format, false);
                chosen = Chosen { exported, strict: false, not_strict: Some(reason) };
            }
            with(entry, chosen);
        }
    }
}

impl Forms {
    fn of(&self, entry: &Entry, format: Format, strict: bool) -> &Exported {
        let slot = match (format, strict) {
            (Format::Mcp, _) => &self.mcp,
            (Format::OpenAi, false) => &self.openai,
            (Format::OpenAi, true) => &self.openai_strict,
            (Format::OpenAiChat, false) => &self.openai_chat,
            (Format::OpenAiChat, true) => &self.openai_chat_strict,
            (Format::Anthropic, false) => &self.anthropic,
            (Format::Anthropic, true) => &self.anthropic_strict,
            (Format::Gemini, _) => &self.gemini,
        };
        slot.get_or_init(|| export(entry, format, strict))
    }

    fn chosen(&self, entry: &Entry, format: Format, strict: Strict) -> Chosen<'_> {
        let loose =
            |not_strict| Chosen { exported: self.of(entry, format, false), strict: false, not_strict };
        let by_openai = matches!(format, Format::OpenAi | Format::OpenAiChat);
        match strict {
            Strict::Off => return loose(None),
            Strict::Auto if !by_openai => return loose(None),
            Strict::On if !by_openai && format != Format::Anthropic => {
                return loose(Some(format!("the form {format} has no strict mode")));
            }
            Strict::Auto | Strict::On => {}
        }
        let exported = self.of(entry, format, true);
        let lost = exported.notes.first().filter(|_| strict == Strict::Auto);
        let lost = lost.map(|note| format!("in strict mode {note}"));
        match exported.no_strict_form.clone().or(lost) {
            Some(reason) => loose(Some(reason)),
            None => Chosen { exported, strict: true, not_strict: None },
        }
    }
}

/// What Anthropic takes of strict tools in one request.
#[derive(Debug, Default)]
struct Budget {
    tools: usize,
    optional: usize,
    unions: usize,
}

impl Budget {
    /// Makes room for one more.
    ///
    /// # Errors
    /// What there is no more room for.
    fn take(&mut self, exported: &Exported) -> Result<(), String> {
        let after = [
            (self.tools + 1, ANTHROPIC_STRICT_TOOLS, "strict tools"),
            (self.optional + exported.n_optional, ANTHROPIC_OPTIONAL, "optional properties of strict tools"),
            (
                self.unions + exported.n_unions,
                ANTHROPIC_UNIONS,
                "properties of several types in strict tools",
            ),
        ];
        if let Some((found, most, what)) = after.iter().find(|(found, most, _)| found > most) {
            return Err(format!("the request would have {found} {what}; Anthropic takes {most}"));
        }
        let [(tools, ..), (optional, ..), (unions, ..)] = after;
        *self = Self { tools, optional, unions };
        Ok(())
    }
}
