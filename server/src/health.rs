//! Asks the running server whether it is ready for players.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    pin::pin,
    sync::Arc,
};

use bytes::Bytes;
use futures::future::{Either, select};
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::{Request, Response, StatusCode, body::Incoming, client::conn::http1, header::HOST};
use hyper_util::rt::TokioIo;
use rustls::{
    ClientConfig, DigitallySignedStruct, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::TlsConnector;

use crate::{
    config::{NetworkConfig, TlsError},
    limits::{HEALTH_BYTES_MAX, HEALTH_MAX},
};

/// What a server says of itself.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Health {
    /// Whether players should be sent to it.
    pub ready: bool,
    /// `ready`, or why not, as in `/readyz`.
    pub says: String,
}

/// Why a server cannot be asked.
#[expect(missing_docs, reason = "each message says it")]
#[derive(Debug, thiserror::Error)]
pub enum HealthError {
    #[error("no server answers on {address}: {error}")]
    Unreachable { address: SocketAddr, error: io::Error },
    #[error("{address} does not encrypt as network.tls says: {error}")]
    Handshake { address: SocketAddr, error: io::Error },
    #[error("the server on {address} does not answer in time")]
    TimedOut { address: SocketAddr },
    #[error("the server on {address} does not speak HTTP: {error}")]
    Http { address: SocketAddr, error: hyper::Error },
    #[error(transparent)]
    Tls(#[from] TlsError),
}

/// Asks the server that listens where this configuration says.
///
/// # Errors
///
/// [`HealthError`] if nobody listens there, or somebody who is not this server.
pub async fn ask(network: &NetworkConfig) -> Result<Health, HealthError> {
    let address = reachable(network.listen);
    let asking = timeout(HEALTH_MAX, ask_at(address, network));
    asking.await.unwrap_or(Err(HealthError::TimedOut { address }))
}

/// A server that listens on all addresses is on the loopback, too.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}

async fn ask_at(address: SocketAddr, network: &NetworkConfig) -> Result<Health, HealthError> {
    let stream = TcpStream::connect(address).await;
    let stream = stream.map_err(|error| HealthError::Unreachable { address, error })?;
    let asked = match &network.tls {
        None => get_readiness(stream, address).await,
        Some(tls) => {
            let connector = connector_to(tls.load()?.certificate);
            let name = ServerName::IpAddress(address.ip().into());
            let encrypted = connector.connect(name, stream).await;
            let encrypted = encrypted.map_err(|error| HealthError::Handshake { address, error })?;
            get_readiness(encrypted, address).await
        }
    };
    asked.map_err(|error| HealthError::Http { address, error })
}

async fn get_readiness(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    address: SocketAddr,
) -> hyper::Result<Health> {
    let request = Request::get("/readyz").header(HOST, address.to_string()).body(Empty::new());
    let request: Request<Empty<Bytes>> = request.expect("its parts are valid");
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    let answer = pin!(async { read(sender.send_request(request).await?).await });
    match select(answer, pin!(connection)).await {
        Either::Left((answer, _)) => answer,
        // The connection has ended, so the answer is there or never comes.
        Either::Right((_, answer)) => answer.await,
    }
}

async fn read(response: Response<Incoming>) -> hyper::Result<Health> {
    let ready = response.status() == StatusCode::OK;
    let status = response.status().to_string();
    let body = Limited::new(response.into_body(), HEALTH_BYTES_MAX).collect().await;
    let text = body.map(|body| String::from_utf8_lossy(&body.to_bytes()).trim().to_owned());
    Ok(Health { ready, says: text.unwrap_or(status) })
}

/// Trusts the configured certificate alone, whoever has issued it and for whichever name.
fn connector_to(certificate: CertificateDer<'static>) -> TlsConnector {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let algorithms = provider.signature_verification_algorithms;
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the provider has the default versions")
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Configured { certificate, algorithms }))
        .with_no_client_auth();
    Arc::new(config).into()
}

#[derive(Debug)]
struct Configured {
    certificate: CertificateDer<'static>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for Configured {
    fn verify_server_cert(
        &self,
        found: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        if *found == self.certificate {
            return Ok(ServerCertVerified::assertion());
        }
        let why = "its certificate is another one";
        Err(rustls::Error::General(why.to_owned()))
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_on_all_addresses_is_asked_on_the_loopback() {
        for (listen, asked) in [
            ("0.0.0.0:7777", "127.0.0.1:7777"),
            ("[::]:7777", "[::1]:7777"),
            ("192.0.2.1:80", "192.0.2.1:80"),
        ] {
            assert_eq!(reachable(listen.parse().unwrap()), asked.parse().unwrap());
        }
    }
}
