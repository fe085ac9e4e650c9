//! `/healthz` and `/readyz`, for supervisors. They name no file and no tenant: nobody has to show a key here.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use super::routes::Served;
use crate::id::CallId;
use crate::store::View;

/// Answers as long as the process does.
pub(super) async fn healthy() -> Json<Value> {
    Json(json!({"ok": true}))
}

/// Answers with the reasons why the host cannot do its work.
pub(super) async fn ready(State(served): State<Served>) -> Response {
    let host = served.host();
    let mut reasons = Vec::new();
    if host.tools().all().is_empty() {
        reasons.push(json!({"code": "no_tools", "message": "No tool is loaded."}));
    }
    // A call that never was is asked for: the answer says that there is one.
    if let Err(error) = host.store().trace(View::Operator, &CallId::fresh()).await {
        tracing::error!(%error, "the store does not answer");
        reasons.push(json!({"code": "store_unavailable", "message": "The store does not answer."}));
    }
    // While hosts are replaced one by one their tools differ for a while, which is no reason to serve nobody.
    let differing = host.store().hosts_with_other_tools(host.tools().hash()).await.ok();
    let status = if reasons.is_empty() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let body = json!({
        "ready": reasons.is_empty(),
        "reasons": reasons,
        "n_tools": host.tools().all().len(),
        "n_running": host.running(),
        "n_hosts_with_other_tools": differing,
        "n_refused_components": host.load_report().refused.len(),
    });
    (status, Json(body)).into_response()
}
