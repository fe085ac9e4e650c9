//! From a destination to a connection: one resolution, every address looked at, and one of them dialled.

use std::net::{IpAddr, SocketAddr};

use rustls::pki_types::ServerName;
use wasmtime_wasi_http::Error;

use super::network::Connection;
use super::request::Checked;
use crate::policy::{Host, Scheme, refusal};

/// Addresses of one name that are tried.
const TRIED: usize = 4;

/// A connection to the request's host. All of it together takes no longer than the caller lets it.
pub(super) async fn connect(checked: &Checked) -> Result<Box<dyn Connection>, Error> {
    let addresses = addresses(checked).await?;
    let connection = dial(checked, &addresses).await?;
    match checked.to.scheme {
        Scheme::Http => Ok(connection),
        Scheme::Https => encrypt(checked, connection).await,
    }
}

/// The addresses of the host. If one of them must not be dialled, none is: a name that points inside is not trusted.
async fn addresses(checked: &Checked) -> Result<Vec<SocketAddr>, Error> {
    let port = checked.to.port;
    let found = match &checked.to.host {
        Host::Address(address) => vec![SocketAddr::new(*address, port)],
        Host::Name(name) => checked.call.egress.network.resolve(name, port).await.map_err(|fault| {
            checked.note(format_args!("failed: the name was not resolved: {fault}"));
            Error::DnsError { rcode: None, info_code: None }
        })?,
    };
    if found.is_empty() {
        checked.note(format_args!("failed: the name has no address"));
        return Err(Error::DestinationNotFound);
    }
    let granted = checked.call.granted();
    for address in found.iter().map(SocketAddr::ip) {
        let bound = || {
            checked.bound.iter().find_map(|rule| refusal(std::slice::from_ref(rule), &checked.to, address))
        };
        if let Some(what) = granted.refusal(&checked.to, address).or_else(bound) {
            checked.note(format_args!("refused: {} is {what}", shown(address)));
            return Err(Error::DestinationIpProhibited);
        }
    }
    // A resolver chooses addresses, and never the port.
    Ok(found.into_iter().take(TRIED).map(|address| SocketAddr::new(address.ip(), port)).collect())
}

async fn dial(checked: &Checked, addresses: &[SocketAddr]) -> Result<Box<dyn Connection>, Error> {
    let mut last = Error::DestinationUnavailable;
    // Each may take its part of the time, so that a silent one leaves some to the others.
    let each = checked.connect / u32::try_from(addresses.len().max(1)).unwrap_or(1);
    for address in addresses {
        match tokio::time::timeout(each, checked.call.egress.network.dial(*address)).await {
            Ok(Ok(connection)) => return Ok(connection),
            Ok(Err(fault)) => {
                checked.note(format_args!("failed: {} does not answer: {fault}", shown(address.ip())));
                last = match fault.kind() {
                    std::io::ErrorKind::ConnectionRefused => Error::ConnectionRefused,
                    _ => Error::DestinationUnavailable,
                };
            }
            Err(_elapsed) => {
                checked.note(format_args!("failed: {} does not answer in time", shown(address.ip())));
                last = Error::ConnectionTimeout;
            }
        }
    }
    Err(last)
}

async fn encrypt(checked: &Checked, connection: Box<dyn Connection>) -> Result<Box<dyn Connection>, Error> {
    let name = match &checked.to.host {
        Host::Address(address) => ServerName::from(*address),
        Host::Name(name) => ServerName::try_from(name.clone()).map_err(|_| Error::TlsProtocolError)?,
    };
    match checked.call.egress.tls.0.connect(name, connection).await {
        Ok(encrypted) => Ok(Box::new(encrypted)),
        Err(fault) => {
            let rustls = fault.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
            // The text of an alert is the peer's, and is left out.
            let (error, what) = match rustls {
                Some(rustls::Error::InvalidCertificate(reason)) => {
                    (Error::TlsCertificateError, format!("its certificate is not trusted: {reason}"))
                }
                Some(_) => (Error::TlsProtocolError, "it does not agree on TLS".to_owned()),
                None => (Error::ConnectionTerminated, "it closed the connection before TLS stood".to_owned()),
            };
            checked.note(format_args!("failed: {what}"));
            Err(error)
        }
    }
}

fn shown(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}
