//! The tools as MCP lists them: those and only those that the caller may call, sorted by name, the same bytes from
//! run to run.

use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{CacheScope, ErrorData, JsonObject, ListToolsResult, Tool, ToolAnnotations};
use serde_json::Value;

use crate::id::ToolName;
use crate::policy::{Access, Pattern};
use crate::registry::{Entry, Snapshot};
use crate::spec::{Annotations, ToolSpec};

#[cfg(test)]
mod tests;

/// How many tools one answer has. Many clients never ask for a second page, so that this is more than most hosts have.
const PAGE: usize = 1_000;

/// How long a list may be taken for fresh. A caller whose list is out of date is refused at the gates, not served.
const FRESH_MS: u64 = 30_000;

/// The tools of the current snapshot in MCP's form. Holds one snapshot, whatever clients ask for.
#[derive(Debug, Default)]
pub(super) struct Listing {
    latest: Mutex<Option<Arc<Rendered>>>,
}

#[derive(Debug)]
struct Rendered {
    snapshot: Arc<Snapshot>,
    /// In the snapshot's order, which is by name.
    tools: Vec<Tool>,
    compares_headers: bool,
}

/// The schema keyword by which a tool wants an argument repeated in a header.
const HEADER_KEYWORD: &str = "\"x-mcp-header\"";

impl Listing {
    /// The tools that a caller may call, from a cursor on.
    ///
    /// # Errors
    /// Invalid params for a cursor that this host never gave.
    pub(super) fn page(
        &self,
        snapshot: &Arc<Snapshot>,
        access: &Access,
        narrowed: Option<&[Pattern]>,
        cursor: Option<&str>,
    ) -> Result<ListToolsResult, ErrorData> {
        let after = cursor
            .map(str::parse::<ToolName>)
            .transpose()
            .map_err(|_| ErrorData::invalid_params("The cursor is not one that this server gave.", None))?;
        let rendered = self.rendered(snapshot);
        // Rendered tools stand in the snapshot's order, and the visible ones are a subsequence of it.
        let mut all = rendered.tools.iter();
        let visible = snapshot
            .visible(access, narrowed)
            .filter_map(|entry| all.find(|tool| tool.name == entry.name.as_str()));
        let (page, next) = page_of(visible, after.as_ref().map(ToolName::as_str), PAGE);
        let mut result = ListToolsResult::with_all_items(page);
        result.next_cursor = next;
        Ok(result.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Private))
    }

    /// Whether any tool wants arguments repeated in headers.
    pub(super) fn compares_headers(&self, snapshot: &Arc<Snapshot>) -> bool {
        self.rendered(snapshot).compares_headers
    }

    /// A tool whose arguments may be repeated in headers; `None` for all tools of a host that has no such tool.
    pub(super) fn with_headers(&self, snapshot: &Arc<Snapshot>, name: &str) -> Option<Tool> {
        let rendered = self.rendered(snapshot);
        if !rendered.compares_headers {
            return None;
        }
        let at = rendered.tools.binary_search_by(|tool| (*tool.name).cmp(name)).ok()?;
        rendered.tools.get(at).cloned()
    }

    fn rendered(&self, snapshot: &Arc<Snapshot>) -> Arc<Rendered> {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        match &*latest {
            Some(rendered) if Arc::ptr_eq(&rendered.snapshot, snapshot) => rendered.clone(),
            _ => {
                let all = snapshot.all();
                let rendered = Arc::new(Rendered {
                    snapshot: snapshot.clone(),
                    tools: all.iter().map(|entry| tool(entry)).collect(),
                    compares_headers: all
                        .iter()
                        .any(|entry| entry.spec.input_schema.contains(HEADER_KEYWORD)),
                });
                *latest = Some(rendered.clone());
                rendered
            }
        }
    }
}

/// All tools that a caller may call, as one list in MCP's form.
#[must_use]
pub fn render_tools(snapshot: &Snapshot, access: &Access, narrowed: Option<&[Pattern]>) -> Vec<Value> {
    snapshot.visible(access, narrowed).map(|entry| render_tool(entry)).collect()
}

/// One tool in MCP's form.
#[must_use]
pub fn render_tool(entry: &Entry) -> Value {
    // A tool is strings and JSON, which always serialise.
    serde_json::to_value(tool(entry)).unwrap_or_default()
}

fn page_of<'a>(
    tools: impl Iterator<Item = &'a Tool>,
    after: Option<&str>,
    size: usize,
) -> (Vec<Tool>, Option<String>) {
    let mut rest = tools.skip_while(|tool| after.is_some_and(|after| &*tool.name <= after));
    let page: Vec<Tool> = rest.by_ref().take(size).cloned().collect();
    let next = rest.next().and(page.last()).map(|last| last.name.to_string());
    (page, next)
}

fn tool(entry: &Entry) -> Tool {
    render(&entry.name, &entry.spec, entry.policy.annotations)
}

fn render(name: &ToolName, spec: &ToolSpec, shown: Annotations) -> Tool {
    let mut tool = Tool::new(name.to_string(), spec.description.clone(), schema(&spec.input_schema));
    tool.title.clone_from(&spec.title);
    tool.output_schema = spec.output_schema.as_deref().map(schema);
    // All four are written out: what a client assumes about an absent hint differs from hint to hint.
    tool.annotations = Some(ToolAnnotations::from_raw(
        None,
        Some(shown.read_only),
        Some(shown.destructive),
        Some(shown.idempotent),
        Some(shown.open_world),
    ));
    tool
}

/// A schema with its keys in their order and its numbers as they were written. MCP wants an object, so that the two
/// schemas which are a bare word are written in their long form.
fn schema(text: &str) -> Arc<JsonObject> {
    let object = match serde_json::from_str(text) {
        Ok(Value::Object(object)) => object,
        Ok(Value::Bool(false)) => {
            JsonObject::from_iter([("not".to_owned(), Value::Object(JsonObject::new()))])
        }
        // Schemas were checked at load, so that this is `true`.
        _ => JsonObject::new(),
    };
    Arc::new(object)
}
