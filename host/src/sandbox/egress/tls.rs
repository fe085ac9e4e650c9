//! TLS to peers: rustls with the public certificate authorities of Mozilla's list, and those that the operator adds.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use tokio_rustls::TlsConnector;

/// Why a certificate authority is not taken.
#[derive(Debug, thiserror::Error)]
#[error("[egress] authorities[{number}] is no list of certificates in PEM: {reason}")]
pub struct AuthorityError {
    number: usize,
    reason: String,
}

/// A connector that trusts the public authorities and these.
pub(super) fn connector(authorities: &[Vec<u8>]) -> Result<TlsConnector, AuthorityError> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.into() };
    for (number, pem) in authorities.iter().enumerate() {
        let fault = |reason: String| AuthorityError { number, reason };
        let mut found = false;
        for certificate in CertificateDer::pem_slice_iter(pem) {
            roots.add(certificate.map_err(|e| fault(e.to_string()))?).map_err(|e| fault(e.to_string()))?;
            found = true;
        }
        if !found {
            return Err(fault("there is none".to_owned()));
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|e| AuthorityError { number: 0, reason: e.to_string() })?;
    let mut config = config.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    // A session that is taken up again would tie the calls of two tenants together.
    config.resumption = rustls::client::Resumption::disabled();
    Ok(TlsConnector::from(Arc::new(config)))
}
