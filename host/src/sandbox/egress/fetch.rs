//! Documents that the operator names: one request over a connection of its own, bounded in size and time. No redirect is
//! followed. Nothing of a guest comes here, so that an address inside the operator's network may be named.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, HOST, USER_AGENT};
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;

use super::send::Driver;
use super::{AuthorityError, Connection, Network, Tls, tls};
use crate::policy::{DocumentUrl, Host};

/// From the name to the last byte.
const WITHIN: Duration = Duration::from_secs(10);
/// Addresses of one name that are tried.
const TRIED: usize = 4;
const HEAD_BYTES: usize = 16 << 10;

/// Why there is no document.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// It took too long.
    #[error("it did not arrive within {} s", WITHIN.as_secs())]
    Slow,
    /// The host cannot be reached, or does not agree on TLS.
    #[error("its host cannot be reached: {0}")]
    Unreachable(#[from] io::Error),
    /// What came is not HTTP/1.1, or broke off.
    #[error("the answer cannot be read: {0}")]
    Broken(#[from] hyper::Error),
    /// Another status than 200. A redirect is not followed.
    #[error("the answer has the status {}", .0.as_u16())]
    Status(StatusCode),
    /// It is too long, or broke off.
    #[error("the answer is longer than {0} bytes, or broke off")]
    Body(usize),
}

/// Fetches documents.
#[derive(Debug)]
pub struct Fetcher {
    network: Arc<dyn Network>,
    tls: Tls,
}

impl Fetcher {
    /// A fetcher over a network, with certificate authorities beside the public ones.
    ///
    /// # Errors
    /// [`AuthorityError`] if one cannot be read.
    pub fn new(authorities: &[Vec<u8>], network: Arc<dyn Network>) -> Result<Self, AuthorityError> {
        Ok(Self { network, tls: Tls(tls::connector(authorities)?) })
    }

    /// Fetches a document of at most so many bytes, within ten seconds. Dropping the future closes the connection.
    ///
    /// # Errors
    /// [`FetchError`] says why there is none.
    pub async fn get(&self, url: &DocumentUrl, most: usize) -> Result<Bytes, FetchError> {
        tokio::time::timeout(WITHIN, self.exchange(url, most)).await.map_err(|_| FetchError::Slow)?
    }

    async fn exchange(&self, url: &DocumentUrl, most: usize) -> Result<Bytes, FetchError> {
        let connection = TokioIo::new(self.connect(url).await?);
        let (mut sender, connection) =
            http1::Builder::new().max_buf_size(HEAD_BYTES).handshake(connection).await?;
        let request = Request::get(url.target())
            .header(HOST, url.destination().authority())
            .header(ACCEPT, "application/json")
            .header(USER_AGENT, concat!("toolhost/", env!("CARGO_PKG_VERSION")))
            .body(Empty::<Bytes>::new())
            .map_err(io::Error::other)?;
        let _driver = Driver(tokio::spawn(connection));
        let answer = sender.send_request(request).await?;
        if answer.status() != StatusCode::OK {
            return Err(FetchError::Status(answer.status()));
        }
        let body = Limited::new(answer.into_body(), most).collect().await;
        body.map(http_body_util::Collected::to_bytes).map_err(|_| FetchError::Body(most))
    }

    async fn connect(&self, url: &DocumentUrl) -> io::Result<Box<dyn Connection>> {
        let to = url.destination();
        let (name, addresses) = match &to.host {
            Host::Address(address) => (ServerName::from(*address), vec![(*address, to.port).into()]),
            Host::Name(name) => {
                let server = ServerName::try_from(name.clone()).map_err(io::Error::other)?;
                (server, self.network.resolve(name, to.port).await?)
            }
        };
        let mut last = io::Error::other("the name has no address");
        for address in addresses.into_iter().take(TRIED) {
            match self.network.dial(address).await {
                Ok(connection) => return Ok(Box::new(self.tls.0.connect(name, connection).await?)),
                Err(fault) => last = fault,
            }
        }
        Err(last)
    }
}
