//! From an address to a stream of bytes.

use std::{fmt, io, pin::Pin, sync::Arc};

use rustls::pki_types::ServerName;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};
use tokio_rustls::TlsConnector;

use crate::{address::Address, error::ConnectError, tls};

/// A stream of bytes that a WebSocket can run over.
pub trait Transport: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Transport for T {}

/// What a [`Dial`] returns.
pub type DialFuture = Pin<Box<dyn Future<Output = io::Result<Box<dyn Transport>>> + Send>>;

/// Opens streams to one server: over the network, or pipes inside a test.
pub trait Dial: Send + Sync + 'static {
    /// Opens a new stream.
    fn dial(&self) -> DialFuture;
}

/// Dials over TCP, with TLS if the address says so.
pub struct Network {
    address: Address,
    tls: Option<TlsConnector>,
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Network {
    /// Prepares to dial an address, with the certificates of a PEM file besides the machine's.
    ///
    /// # Errors
    ///
    /// The certificates cannot be read.
    pub fn new(address: Address, extra_ca: Option<&std::path::Path>) -> Result<Self, ConnectError> {
        let tls = if address.is_secure() {
            Some(TlsConnector::from(Arc::new(tls::client_config(extra_ca)?)))
        } else {
            None
        };
        Ok(Self { address, tls })
    }
}

impl Dial for Network {
    fn dial(&self) -> DialFuture {
        let address = self.address.clone();
        let tls = self.tls.clone();
        Box::pin(async move {
            let tcp = TcpStream::connect((address.host(), address.port())).await?;
            // A move is one small frame; waiting to fill a segment would only delay it.
            tcp.set_nodelay(true)?;
            let Some(tls) = tls else { return Ok(Box::new(tcp) as Box<dyn Transport>) };
            let name = ServerName::try_from(address.host().to_owned())
                .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
            let stream = tls.connect(name, tcp).await.map_err(tls::explain)?;
            Ok(Box::new(stream) as Box<dyn Transport>)
        })
    }
}
