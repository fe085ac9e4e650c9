//! The HTTP server: the listener, its bounds, and its routes. It admits connections and requests; what a call may do
//! is decided at the gates.

mod accept;
mod answers;
mod approvals;
mod calls;
mod challenge;
mod components;
mod connection;
mod events;
mod explain;
mod fault;
mod health;
mod openapi;
mod origin;
mod query;
mod records;
mod routes;
#[cfg(test)]
mod tests;
mod tools;

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

pub use origin::SettingFault;

use super::identity::{Identity, IdentityError};
use super::mcp;
use crate::executor::{Host, ListenError};
use connection::Patience;
use origin::Origins;
use routes::Served;

/// How long requests may go on once the server is asked to stop.
const GRACE: Duration = Duration::from_secs(10);

/// Why the server cannot start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// The address is taken, or not this machine's.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address that was asked for.
        address: SocketAddr,
        /// The system's reason.
        source: std::io::Error,
    },
    /// Everybody on the network could act in a tenant's name.
    #[error(transparent)]
    Unprotected(#[from] ListenError),
    /// A host or an origin in the settings is none.
    #[error(transparent)]
    Setting(#[from] SettingFault),
    /// Callers cannot be told apart.
    #[error(transparent)]
    Identity(#[from] IdentityError),
}

/// A server that listens and does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    served: Served,
    stop: CancellationToken,
    patience: Patience,
}

impl Server {
    /// Listens on the address of the settings; port 0 takes a free one.
    ///
    /// # Errors
    /// [`BindError`]; nothing listens then.
    #[expect(clippy::disallowed_methods, reason = "the one place that listens")]
    pub async fn bind(host: Host) -> Result<Self, BindError> {
        let settings = &host.settings().server;
        let asked = settings.listen;
        host.settings().may_listen(asked)?;
        let identity = Identity::of_server(&host).await?;
        let listen = |source| BindError::Listen { address: asked, source };
        let listener = TcpListener::bind(asked).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let origins = Origins::new(address, settings)?;
        let stop = CancellationToken::new();
        let mcp = mcp::Mount::new(host.clone(), stop.clone());
        let served = Served::new(host, origins, identity, mcp);
        Ok(Self { listener, address, served, stop, patience: Patience::default() })
    }

    /// The address that is listened on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers requests until `stop` is done. Then nothing new is taken, what runs may go on for a grace of ten
    /// seconds, and what still runs after that is dropped. The host itself is not shut down.
    ///
    /// If the future is dropped, all connections are closed at once.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let Self { listener, served, stop: streams, patience, .. } = self;
        let router = routes::router(served.patient(patience.body));
        connection::serve(listener, router, stop, GRACE, streams, patience).await;
    }
}
