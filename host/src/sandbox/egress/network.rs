//! Names to addresses, and addresses to connections. A trait, so that the checks in between can be tried against any
//! resolver and any peer.

use std::future::Future;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::pin::Pin;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Semaphore;

/// Names that are being looked up at the same time. A lookup is a blocking call that cannot be ended, and a server of names
/// that does not answer holds it for long.
const LOOKUPS: usize = 32;

/// A connection to a peer.
pub trait Connection: AsyncRead + AsyncWrite + Send + Sync + Unpin + 'static {}

impl<T: AsyncRead + AsyncWrite + Send + Sync + Unpin + 'static> Connection for T {}

/// What is to come.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 'a>>;

/// How names are resolved and addresses reached. It is asked for one resolution of a request at most, and dials only what
/// was checked.
pub trait Network: std::fmt::Debug + Send + Sync {
    /// All addresses of a name.
    fn resolve<'a>(&'a self, name: &'a str, port: u16) -> Later<'a, Vec<SocketAddr>>;

    /// A connection to an address.
    fn dial(&self, address: SocketAddr) -> Later<'_, Box<dyn Connection>>;
}

/// The system's resolver and its TCP.
#[derive(Debug)]
pub struct SystemNetwork {
    lookups: Arc<Semaphore>,
}

impl Default for SystemNetwork {
    fn default() -> Self {
        Self { lookups: Arc::new(Semaphore::new(LOOKUPS)) }
    }
}

impl Network for SystemNetwork {
    fn resolve<'a>(&'a self, name: &'a str, port: u16) -> Later<'a, Vec<SocketAddr>> {
        Box::pin(async move {
            let turn = self.lookups.clone().acquire_owned().await.map_err(io::Error::other)?;
            let name = name.to_owned();
            let looked_up = tokio::task::spawn_blocking(move || {
                // It is held until the system has answered, even if nobody waits any more.
                let _turn = turn;
                Ok((name.as_str(), port).to_socket_addrs()?.collect())
            });
            looked_up.await.map_err(io::Error::other)?
        })
    }

    #[expect(clippy::disallowed_methods, reason = "the one place that dials, after every check")]
    fn dial(&self, address: SocketAddr) -> Later<'_, Box<dyn Connection>> {
        Box::pin(async move {
            let stream = tokio::net::TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            Ok(Box::new(stream) as Box<dyn Connection>)
        })
    }
}
