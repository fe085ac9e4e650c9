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
    latest: Mutex<Option<(Arc<Snapshot>, Arc<[Tool]>)>>,
}

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
        let tools = self.rendered(snapshot);
        // Rendered tools stand in the snapshot's order, and the visible ones are a subsequence of it.
        let mut all = tools.iter();
        let visible = snapshot
            .visible(access, narrowed)
            .filter_map(|entry| all.find(|tool| tool.name == entry.name.as_str()));
        let (page, next) = page_of(visible, after.as_ref().map(ToolName::as_str), PAGE);
        let mut result = ListToolsResult::with_all_items(page);
        result.next_cursor = next;
        Ok(result.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Private))
    }

    fn rendered(&self, snapshot: &Arc<Snapshot>) -> Arc<[Tool]> {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        match &*latest {
            Some((of, tools)) if Arc::ptr_eq(of, snapshot) => tools.clone(),
            _ => {
                let tools: Arc<[Tool]> = snapshot.all().iter().map(|entry| tool(entry)).collect();
                *latest = Some((snapshot.clone(), tools.clone()));
                tools
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
