//! Connections and their bounds: how many, how long a peer may take for its headers, and how they end.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustix::net::sockopt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;

use crate::api::body;

/// How many connections are open at once; more wait in the system's queue. Below the usual limit of 1,024 open files,
/// with room for the store and the tools.
const MOST_CONNECTIONS: usize = 896;

/// How long a peer is waited for. A connection that is closed frees its place and stops the calls that came by it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// How long it may take for its headers, and how long a connection may be idle between two requests.
    pub(super) headers: Duration,
    /// How long it may take for the body of a request.
    pub(super) body: Duration,
    /// How long it may leave an answer unread.
    pub(super) unread: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { headers: Duration::from_secs(30), body: body::PATIENCE, unread: Duration::from_secs(30) }
    }
}

/// How many headers a request may have.
const MOST_HEADERS: usize = 100;

/// Bytes of all headers of a request together, and of a connection's read buffer.
const HEADER_BYTES: usize = 64 << 10;

/// The pause after the system refused to open a connection, for instance for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// How often the peer of a connection on which nothing is said is asked whether it is there.
const KEEP_ALIVE: Duration = Duration::from_secs(30);

/// Serves all connections until `stop` is done; see [`super::Server::run`]. Cancels `streams` when the grace is over.
pub(super) async fn serve(
    listener: TcpListener,
    router: Router,
    stop: impl Future<Output = ()>,
    grace: Duration,
    streams: CancellationToken,
    patience: Patience,
) {
    let permits = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let draining = CancellationToken::new();
    let mut connections = JoinSet::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let accepted = async {
            let permit = permits.clone().acquire_owned().await;
            (permit, listener.accept().await)
        };
        tokio::select! {
            () = &mut stop => break,
            Some(_) = connections.join_next() => {}
            (permit, accepted) = accepted => match accepted {
                Ok((stream, _)) => {
                    let connection = connection(stream, router.clone(), draining.clone(), patience);
                    connections.spawn(async move {
                        connection.await;
                        drop(permit);
                    });
                }
                Err(error) if is_peers_fault(&error) => {}
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
        }
    }
    drop(listener);
    draining.cancel();
    let drained = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(grace, drained).await.is_err() {
        tracing::warn!(n_connections = connections.len(), "connections are closed after the grace");
        streams.cancel();
    }
    connections.shutdown().await;
}

async fn connection(stream: TcpStream, router: Router, draining: CancellationToken, patience: Patience) {
    // An answer is one small write, which must not wait for the acknowledgement of the one before.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection keeps its delay");
    }
    if let Err(error) = keep_alive(&stream) {
        tracing::debug!(%error, "a connection is not asked whether its peer is there");
    }
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(patience.headers)
        .max_headers(MOST_HEADERS)
        .max_buf_size(HEADER_BYTES);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(patience.unread));
    let mut stream = std::pin::pin!(stream);
    let connection = http.serve_connection(TokioIo::new(stream.as_mut()), TowerToHyperService::new(router));
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = draining.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// Lets the system find out when a peer is gone without a word: nothing is sent while a call waits for its reviewer.
fn keep_alive(stream: &TcpStream) -> io::Result<()> {
    sockopt::set_tcp_keepidle(stream, KEEP_ALIVE)?;
    sockopt::set_tcp_keepintvl(stream, KEEP_ALIVE)?;
    Ok(sockopt::set_socket_keepalive(stream, true)?)
}

fn is_peers_fault(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionRefused
    )
}
