//! `GET /v1/events`: what happens in the tenant's calls in this process, as server-sent events (the HTML standard, section
//! 9.2): `started`, `gate`, `waits`, `progress`, `ended`. A client that reads too slowly is told `lost` and let go; it may
//! connect again. What happened meanwhile is not told again; `GET /v1/calls` lists it.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::response::sse::{Event as Frame, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::StreamExt as _;
use futures_util::stream::{Stream, unfold};
use serde_json::{Value, json};

use super::answers::crowded;
use super::query::no_query;
use super::routes::{Served, key};
use crate::api::identity::Role;
use crate::executor::{Event, Happening, Listener, Lost};
use crate::policy::Tenant;

/// How long nothing is said before a comment shows that the connection lives.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Tells what happens until the client leaves, falls behind, or the host ends.
pub(super) async fn listen(State(served): State<Served>, request: Request) -> Result<Response, Response> {
    let principal = served.known(request.headers(), Some(Role::Caller)).await?;
    no_query(request.uri())?;
    let listener = served.host().listen(&principal.tenant.id);
    let listener = listener.map_err(|_| crowded("The tenant has as many listeners as it may."))?;
    let (host, key) = (served.host().clone(), key(request.headers()));
    let identity = served.identity().clone();
    // A key or token that stands for nobody any more hears nothing any more.
    let refused = async move {
        match key {
            Some(key) => drop(identity.until_refused(&host, &key).await),
            None => std::future::pending().await,
        }
    };
    Ok(told(listener, principal.tenant, refused))
}

fn told(
    listener: Listener,
    tenant: Arc<Tenant>,
    refused: impl Future<Output = ()> + Send + 'static,
) -> Response {
    Sse::new(frames(listener, tenant).take_until(Box::pin(refused)))
        .keep_alive(KeepAlive::new().interval(KEEP_ALIVE).text("keep-alive"))
        .into_response()
}

fn frames(listener: Listener, tenant: Arc<Tenant>) -> impl Stream<Item = Result<Frame, Infallible>> {
    unfold(Some((listener, tenant)), async |listening| {
        let (mut listener, tenant) = listening?;
        loop {
            let (frame, goes_on) = match listener.next().await? {
                // A key or token that is good for some tools hears of those.
                Ok(event) if !tenant.access.leaves(&event.tool) => continue,
                Ok(event) => (frame(&event), true),
                Err(Lost(number)) => (named("lost", &json!({"n_events": number})), false),
            };
            return Some((Ok(frame), goes_on.then_some((listener, tenant))));
        }
    })
}

fn frame(event: &Event) -> Frame {
    let (name, mut data) = match &event.what {
        Happening::Started { run, surface, within } => {
            let within = within.as_ref().map(crate::id::CallId::as_str);
            ("started", json!({"run": run.as_str(), "surface": surface, "within": within}))
        }
        Happening::Gate { gate, passed } => {
            ("gate", json!({"gate": gate.number(), "name": gate.as_str(), "passed": passed}))
        }
        Happening::Waits { approval } => ("waits", json!({"approval": approval.as_str()})),
        Happening::Progress(progress) => {
            ("progress", json!({"done": progress.done, "total": progress.total, "message": progress.message}))
        }
        Happening::Ended { code, attempt, replayed, wall_ms } => {
            ("ended", json!({"code": code, "attempt": attempt, "replayed": replayed, "wall_ms": wall_ms}))
        }
    };
    if let Some(object) = data.as_object_mut() {
        object.insert("call_id".to_owned(), event.call_id.as_str().into());
        object.insert("tool".to_owned(), event.tool.as_str().into());
    }
    named(name, &data)
}

/// JSON has no line breaks of its own, so that its text is one line.
fn named(name: &str, data: &Value) -> Frame {
    Frame::default().event(name).data(data.to_string())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use http_body_util::BodyExt as _;

    use super::*;
    use crate::executor::{Host, Settings};

    #[tokio::test]
    async fn a_connection_on_which_nothing_is_said_shows_that_it_lives() {
        let folder = tempfile::tempdir().unwrap();
        let host =
            Host::start(Settings::built_in(folder.path()), Path::new("nothing-is-compiled")).await.unwrap();
        let local: crate::id::TenantId = "local".parse().unwrap();
        let tenant = host.tenant(&local).unwrap();
        let mut body = told(host.listen(&local).unwrap(), tenant, std::future::pending()).into_body();
        tokio::time::pause();
        let frame = tokio::time::timeout(KEEP_ALIVE * 2, body.frame()).await.expect("something is said");
        assert_eq!(&*frame.unwrap().unwrap().into_data().unwrap(), b": keep-alive\n\n");
        host.close();
        let frame = tokio::time::timeout(KEEP_ALIVE / 2, body.frame()).await.expect("the end, at once");
        assert!(frame.is_none(), "the host ended");
    }
}
