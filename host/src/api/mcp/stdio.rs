//! MCP over standard input and output: one message a line, one caller for the life of the process. The output carries
//! frames and nothing else.

mod lines;

use std::time::Duration;

use rmcp::service::{QuitReason, serve_directly_with_ct};
use rmcp::transport::stdio_pipes;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use super::endpoint::{Endpoint, Shared};
use super::news;
use crate::executor::Host;
use crate::gate::Caller;
use lines::Lines;

#[cfg(test)]
mod tests;

/// How long calls may go on after the input has ended. Whoever pipes requests in still reads the answers; a client
/// that has gone waits no longer than this for its server to end.
const AFTER_INPUT: Duration = Duration::from_secs(1);

/// Serves one caller on this process's standard input and output until the input ends or `stop` is done. Calls that
/// still run then are dropped, so that they are settled as cancelled when the host shuts down.
///
/// A read from a terminal cannot be taken back: the process has to end itself after this returns because of `stop`.
pub async fn serve(host: Host, caller: Caller, stop: impl Future<Output = ()>) {
    let (input, output) = stdio_pipes();
    serve_on(host, caller, input, output, stop).await;
}

/// The same on any pair of streams.
pub async fn serve_on(
    host: Host,
    caller: Caller,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
    stop: impl Future<Output = ()>,
) {
    let gone = CancellationToken::new();
    let tenant = caller.tenant.clone();
    let endpoint = Endpoint::new(Shared::new(host.clone()), caller, gone.clone()).telling_all();
    let lines = Lines::new(input, output, gone.clone(), AFTER_INPUT);
    // No handshake is waited for: the current revision has none, and for the older ones it is a request like any
    // other, so that no first message can end the process.
    let service = serve_directly_with_ct(endpoint, lines, None, gone.child_token());
    let cancel = service.cancellation_token();
    let peer = service.peer().clone();
    let news = async {
        news::tell_elder(&host, &tenant, peer).await;
        std::future::pending::<()>().await;
    };
    let mut ended = std::pin::pin!(service.waiting());
    tokio::select! {
        reason = &mut ended => report(reason),
        () = news => {}
        () = stop => {
            gone.cancel();
            cancel.cancel();
            report(ended.await);
        }
    }
    gone.cancel();
}

fn report(reason: Result<QuitReason, tokio::task::JoinError>) {
    match reason {
        Ok(reason) => tracing::debug!(?reason, "standard input is no longer served"),
        Err(error) => tracing::error!(%error, "serving standard input ended in a fault"),
    }
}
