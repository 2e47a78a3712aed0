//! Requests to other servers on behalf of users: `POST` by `https` to a public address, which is
//! resolved once. No redirect is followed, and the body of an answer is not read.

use std::{io, net::SocketAddr, pin::pin, sync::Arc};

use bytes::Bytes;
use futures::future::{Either, select};
use http_body_util::Full;
use hyper::{
    HeaderMap, Request, StatusCode,
    client::conn::http1,
    header::{HOST, HeaderValue, USER_AGENT},
};
use hyper_util::rt::TokioIo;
use rustls::{ClientConfig, RootCertStore, pki_types::ServerName};
use tokio::{
    net::{TcpStream, lookup_host},
    sync::OnceCell,
    time::timeout,
};
use tokio_rustls::{TlsConnector, client::TlsStream};

use super::url::{OutgoingUrl, is_public};
use crate::{
    address::ClientAddress,
    limits::{
        OUTGOING_ADDRESSES_MAX, OUTGOING_CONNECT_MAX, OUTGOING_HEAD_BYTES_MAX,
        OUTGOING_PER_ADDRESS, OUTGOING_TIME_MAX, RATE_KEYS_MAX,
    },
    rate_limiter::RateLimiter,
    runtime::{environment::Environment, time::TimeSource, work_pool::WorkPool},
};

/// Sends requests to other servers.
#[derive(Debug)]
pub(super) struct OutgoingClient {
    allow_private: bool,
    /// Trusts the root certificates of the machine. Read before the first request.
    tls: OnceCell<Arc<ClientConfig>>,
    addresses: RateLimiter<ClientAddress>,
    time: TimeSource,
    work: WorkPool,
}

/// Why a request has no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum OutgoingError {
    #[error("the host has no address: {0}")]
    Resolve(io::Error),
    #[error("the host has an address that is not public")]
    Private,
    #[error("too many requests to this address")]
    TooMany,
    #[error("no connection: {0}")]
    Connect(io::Error),
    #[error("no answer: {0}")]
    Http(#[from] hyper::Error),
    #[error("no answer in time")]
    TimedOut,
}

impl OutgoingClient {
    /// Returns a client that may send requests to private addresses only if allowed.
    pub(super) fn new(allow_private: bool, environment: &Environment) -> Self {
        let Environment { time, work, .. } = environment.clone();
        let addresses = RateLimiter::new(OUTGOING_PER_ADDRESS, RATE_KEYS_MAX);
        Self { allow_private, tls: OnceCell::new(), addresses, time, work }
    }

    /// Sends a request; returns the status of the answer.
    pub(super) async fn post(
        &self,
        url: &OutgoingUrl,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<StatusCode, OutgoingError> {
        let exchange = async {
            let addresses = self.resolve(url).await?;
            let stream = self.connect(url, &addresses).await.map_err(OutgoingError::Connect)?;
            send(stream, request(url, headers, body)).await
        };
        timeout(OUTGOING_TIME_MAX, exchange).await.unwrap_or(Err(OutgoingError::TimedOut))
    }

    /// Resolves a host once. The connection goes to one of these addresses, whatever the name leads
    /// to by then.
    async fn resolve(&self, url: &OutgoingUrl) -> Result<Vec<SocketAddr>, OutgoingError> {
        let found = lookup_host((url.host(), url.port())).await.map_err(OutgoingError::Resolve)?;
        let addresses: Vec<SocketAddr> = found.take(OUTGOING_ADDRESSES_MAX).collect();
        if !self.allow_private && !addresses.iter().all(|address| is_public(address.ip())) {
            return Err(OutgoingError::Private);
        }
        let first = addresses.first().ok_or_else(|| {
            OutgoingError::Resolve(io::Error::from(io::ErrorKind::AddrNotAvailable))
        })?;
        match self.addresses.take(&first.ip().into(), self.time.now_ms()) {
            Ok(()) => Ok(addresses),
            Err(_) => Err(OutgoingError::TooMany),
        }
    }

    async fn connect(
        &self,
        url: &OutgoingUrl,
        addresses: &[SocketAddr],
    ) -> io::Result<TlsStream<TcpStream>> {
        let name = ServerName::try_from(url.host().to_owned()).map_err(io::Error::other)?;
        let tls = self.tls.get_or_try_init(|| self.trusting_the_machine()).await?;
        let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for address in addresses {
            let connecting = timeout(OUTGOING_CONNECT_MAX, TcpStream::connect(address));
            match connecting.await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())) {
                Ok(stream) => {
                    return TlsConnector::from(Arc::clone(tls)).connect(name, stream).await;
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    async fn trusting_the_machine(&self) -> io::Result<Arc<ClientConfig>> {
        let found = self.work.run(rustls_native_certs::load_native_certs).await;
        let found = found.map_err(io::Error::other)?;
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(found.certs);
        if roots.is_empty() {
            // operator: the machine has no root certificates, so every notification fails. Install
            // `ca-certificates`, or set `SSL_CERT_FILE`
            tracing::warn!("no root certificates found");
        }
        let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        Ok(Arc::new(config))
    }
}

fn request(url: &OutgoingUrl, headers: HeaderMap, body: Bytes) -> Request<Full<Bytes>> {
    let mut request = Request::new(Full::new(body));
    *request.method_mut() = hyper::Method::POST;
    *request.uri_mut() = url.path().parse().unwrap_or_default();
    *request.headers_mut() = headers;
    let agent = HeaderValue::from_static(concat!("adamant/", env!("CARGO_PKG_VERSION")));
    request.headers_mut().insert(USER_AGENT, agent);
    if let Ok(host) = HeaderValue::from_str(url.authority()) {
        request.headers_mut().insert(HOST, host);
    }
    request
}

/// Sends a request over a connection of its own, which closes with the head of the answer.
async fn send(
    stream: TlsStream<TcpStream>,
    request: Request<Full<Bytes>>,
) -> Result<StatusCode, OutgoingError> {
    let (mut sender, connection) = http1::Builder::new()
        .max_buf_size(OUTGOING_HEAD_BYTES_MAX)
        .handshake(TokioIo::new(stream))
        .await?;
    let answer = match select(pin!(sender.send_request(request)), pin!(connection)).await {
        Either::Left((answer, _)) => answer,
        // The connection has ended, so the answer is there or never comes.
        Either::Right((_, answer)) => answer.await,
    };
    Ok(answer?.status())
}
