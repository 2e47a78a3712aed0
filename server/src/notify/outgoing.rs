//! Requests to other servers on behalf of users: `POST` by `https` to a public address, which is
//! resolved once. No redirect is followed, and the body of an answer is not read.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    pin::pin,
    sync::Arc,
};

use bytes::Bytes;
use futures::future::{Either, select};
use http_body_util::Full;
use hyper::{
    HeaderMap, Request, StatusCode, Uri,
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

use crate::{
    address::ClientAddress,
    limits::{self, OUTGOING_URL_BYTES_MAX},
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
        let addresses = RateLimiter::new(limits::OUTGOING_PER_ADDRESS, limits::RATE_KEYS_MAX);
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
        timeout(limits::OUTGOING_TIME_MAX, exchange).await.unwrap_or(Err(OutgoingError::TimedOut))
    }

    /// Resolves a host once. The connection goes to one of these addresses, whatever the name leads
    /// to by then.
    async fn resolve(&self, url: &OutgoingUrl) -> Result<Vec<SocketAddr>, OutgoingError> {
        let found = lookup_host((url.host(), url.port())).await.map_err(OutgoingError::Resolve)?;
        let addresses: Vec<SocketAddr> = found.take(limits::OUTGOING_ADDRESSES_MAX).collect();
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
            let connecting = timeout(limits::OUTGOING_CONNECT_MAX, TcpStream::connect(address));
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
        .max_buf_size(limits::OUTGOING_HEAD_BYTES_MAX)
        .handshake(TokioIo::new(stream))
        .await?;
    let answer = match select(pin!(sender.send_request(request)), pin!(connection)).await {
        Either::Left((answer, _)) => answer,
        // The connection has ended, so the answer is there or never comes.
        Either::Right((_, answer)) => answer.await,
    };
    Ok(answer?.status())
}

const HTTPS_PORT: u16 = 443;

/// A URL of another server, with `https`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OutgoingUrl(Uri);

/// Why the server does not send requests to a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum UrlError {
    #[error("it has more than {OUTGOING_URL_BYTES_MAX} bytes")]
    TooLong,
    #[error("it is not of the form https://example.org/path")]
    Form,
    #[error("its port is below 1024 and is not that of https")]
    Port,
    #[error("it leads to an address that is not public")]
    Private,
}

impl OutgoingUrl {
    /// Reads a URL. Whether a host name leads to public addresses shows only once it is resolved.
    pub(super) fn read(text: &str, allow_private: bool) -> Result<Self, UrlError> {
        if text.len() > OUTGOING_URL_BYTES_MAX {
            return Err(UrlError::TooLong);
        }
        let url: Uri = text.parse().map_err(|_| UrlError::Form)?;
        let authority = url.authority().ok_or(UrlError::Form)?;
        let is_plain = !authority.host().is_empty() && !authority.as_str().contains('@');
        if url.scheme_str() != Some("https") || !is_plain || text.contains('#') {
            return Err(UrlError::Form);
        }
        let has_port = authority.as_str().len() > authority.host().len();
        match authority.port_u16() {
            None if has_port => return Err(UrlError::Form),
            Some(HTTPS_PORT | 1024..) | None => {}
            // There are other services, which would take the greeting of TLS for an attack.
            Some(_) if !allow_private => return Err(UrlError::Port),
            Some(_) => {}
        }
        let url = Self(url);
        let is_private = url.host().parse().is_ok_and(|address| !is_public(address));
        if is_private && !allow_private { Err(UrlError::Private) } else { Ok(url) }
    }

    /// The host: a name or an address.
    pub(super) fn host(&self) -> &str {
        let host = self.0.host().unwrap_or_default();
        host.trim_start_matches('[').trim_end_matches(']')
    }

    pub(super) fn port(&self) -> u16 {
        self.0.port_u16().unwrap_or(HTTPS_PORT)
    }

    /// The host and the port, as in the header `Host`.
    pub(super) fn authority(&self) -> &str {
        self.0.authority().map_or("", |authority| authority.as_str())
    }

    pub(super) fn origin(&self) -> String {
        format!("https://{}", self.authority().to_ascii_lowercase())
    }

    pub(super) fn path(&self) -> &str {
        self.0.path_and_query().map_or("/", |path| path.as_str())
    }
}

/// Whether an address belongs to the public internet (the registries of RFC 6890).
pub(super) fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

const fn is_public_v4(address: Ipv4Addr) -> bool {
    match address.octets() {
        // This network, private, loopback, multicast and reserved.
        [0 | 10 | 127 | 224.., ..]
        // Shared by customers of a provider.
        | [100, 64..=127, ..]
        // Link-local; the metadata of clouds.
        | [169, 254, ..]
        // Private.
        | [172, 16..=31, ..]
        | [192, 168, ..]
        // Protocol assignments and documentation.
        | [192, 0, 0 | 2, _]
        | [198, 51, 100, _]
        | [203, 0, 113, _]
        // The relay of 6to4.
        | [192, 88, 99, _]
        // Benchmarks.
        | [198, 18 | 19, ..] => false,
        _ => true,
    }
}

const fn is_public_v6(address: Ipv6Addr) -> bool {
    match address.segments() {
        // Tunnels that contain an IPv4 address, and protocol assignments.
        // 2001:db8 and 3fff are for documentation.
        [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x2002, ..] | [0x3fff, 0..=0xfff, ..] => false,
        // Global unicast.
        [0x2000..=0x3fff, ..] => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_urls_with_https_and_a_plain_host_are_read() {
        let url = OutgoingUrl::read("https://Hooks.example:8443/a?b=c", false).unwrap();
        assert_eq!((url.host(), url.port(), url.path()), ("Hooks.example", 8443, "/a?b=c"));
        assert_eq!(url.origin(), "https://hooks.example:8443");
        let bare = OutgoingUrl::read("https://[2606:4700::1]", false).unwrap();
        assert_eq!((bare.host(), bare.port(), bare.path()), ("2606:4700::1", 443, "/"));
        for (url, error) in [
            ("http://example.org/", UrlError::Form),
            ("https://ann:secret@example.org/", UrlError::Form),
            ("https://example.org/#part", UrlError::Form),
            ("https:///path", UrlError::Form),
            ("/path", UrlError::Form),
            ("https://example.org:99999/", UrlError::Form),
            ("https://example.org:22/", UrlError::Port),
            ("https://127.0.0.1/", UrlError::Private),
            ("https://[::ffff:10.0.0.1]/", UrlError::Private),
            (&format!("https://example.org/{}", "a".repeat(1024)), UrlError::TooLong),
        ] {
            assert_eq!(OutgoingUrl::read(url, false), Err(error), "{url}");
        }
        assert!(OutgoingUrl::read("https://127.0.0.1/", true).is_ok());
    }

    #[test]
    fn addresses_outside_of_the_public_internet_are_recognised() {
        let outside = "0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 169.254.169.254 172.16.0.1 \
             172.31.255.255 192.0.0.8 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.51.100.1 \
             203.0.113.1 \
             224.0.0.1 240.0.0.1 255.255.255.255 :: ::1 ::ffff:127.0.0.1 ::127.0.0.1 \
             64:ff9b::7f00:1 100::1 2001::1 2001:db8::1 2002:7f00:1:: 3fff::1 fc00::1 fd12::1 \
             fe80::1 fec0::1 ff02::1";
        for address in outside.split(' ') {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
        let public = "1.1.1.1 100.63.0.1 100.128.0.1 172.15.0.1 172.32.0.1 192.0.1.1 198.17.0.1 \
             223.255.255.255 2001:4860::1 2606:4700::1111 2a00:1450::1 ::ffff:8.8.8.8";
        for address in public.split(' ') {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }
}
