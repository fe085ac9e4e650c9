//! The tools as MCP lists them: those and only those that the caller may call, sorted by name, the same bytes from
//! run to run.

use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{CacheScope, ErrorData, JsonObject, ListToolsResult, Tool};

use crate::id::ToolName;
use crate::policy::{Access, Pattern};
use crate::provider;
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
    serde_json::from_value(provider::mcp::tool(name, spec, shown)).unwrap_or_else(|fault| {
        // The library takes every tool that it can describe; should it not, the tool is listed all the same.
        tracing::error!(%name, %fault, "the tool cannot be shown in full");
        Tool::new(name.to_string(), spec.description.clone(), Arc::new(JsonObject::new()))
    })
}
