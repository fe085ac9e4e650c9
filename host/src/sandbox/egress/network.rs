//! Names to addresses, and addresses to connections. A trait, so that the checks in between can be tried against any
//! resolver and any peer.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;

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
    lookups: Semaphore,
}

impl Default for SystemNetwork {
    fn default() -> Self {
        Self { lookups: Semaphore::new(LOOKUPS) }
    }
}

impl Network for SystemNetwork {
    fn resolve<'a>(&'a self, name: &'a str, port: u16) -> Later<'a, Vec<SocketAddr>> {
        Box::pin(async move {
            let _turn = self.lookups.acquire().await.map_err(io::Error::other)?;
            Ok(tokio::net::lookup_host((name, port)).await?.collect())
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
