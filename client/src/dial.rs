//! From an address to an open session: a stream of bytes, the WebSocket and `hello`.

use std::{fmt, io, path::Path, pin::Pin, time::Duration};

use adamant_protocol::{
    SUBPROTOCOL,
    codec::{FRAME_BYTES_MAX, encode_request},
    from_client::{FromClient, Hello},
    to_client::{ToClient, Welcome},
};
use futures::{SinkExt as _, StreamExt as _};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};
use tokio_tungstenite::{
    WebSocketStream, client_async_with_config,
    tungstenite::{
        self, ClientRequestBuilder, Message,
        protocol::{CloseFrame, WebSocketConfig},
    },
};

#[cfg(feature = "tls")]
use crate::tls::{Tls, TlsFault};
use crate::{
    config::Address,
    error::{ConnectError, DisconnectReason},
};

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
    #[cfg(feature = "tls")]
    tls: Option<Tls>,
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
    /// The certificates cannot be read, or the address is one with TLS and the crate is built
    /// without its feature `tls`.
    #[cfg_attr(not(feature = "tls"), expect(unused_variables, reason = "certificates are of TLS"))]
    pub fn new(address: Address, extra_ca: Option<&Path>) -> Result<Self, ConnectError> {
        #[cfg(feature = "tls")]
        let tls = address.is_secure().then(|| Tls::new(extra_ca)).transpose()?;
        #[cfg(not(feature = "tls"))]
        if address.is_secure() {
            let why = "this program is built without TLS".into();
            return Err(ConnectError::Tls { address: Box::new(address), why });
        }
        Ok(Self {
            address,
            #[cfg(feature = "tls")]
            tls,
        })
    }
}

impl Dial for Network {
    fn dial(&self) -> DialFuture {
        let address = self.address.clone();
        #[cfg(feature = "tls")]
        let tls = self.tls.clone();
        Box::pin(async move {
            let tcp = TcpStream::connect((address.host(), address.port())).await?;
            // A move is one small frame; waiting to fill a segment would only delay it.
            tcp.set_nodelay(true)?;
            #[cfg(feature = "tls")]
            if let Some(tls) = tls {
                let stream = tls.connect(address.host(), tcp).await?;
                return Ok(Box::new(stream) as Box<dyn Transport>);
            }
            Ok(Box::new(tcp) as Box<dyn Transport>)
        })
    }
}

/// The longest that dialling, handshakes and `hello` may take together.
pub(crate) const OPEN_TIMEOUT: Duration = Duration::from_secs(10);

/// The size of the read buffer. Frames are small, and programs hold many connections.
const READ_BUFFER_BYTES: usize = 16 * 1024;

/// The largest frame that a server may send: a long game's snapshot, or a long list.
const FRAME_IN_BYTES_MAX: usize = 1024 * 1024;

/// The size of the write buffer, beyond which writing fails.
const WRITE_BUFFER_BYTES_MAX: usize = 16 * FRAME_BYTES_MAX;

pub(crate) type Socket = WebSocketStream<Box<dyn Transport>>;

pub(crate) async fn open(
    dial: &dyn Dial,
    address: &Address,
    hello: Hello,
) -> Result<(Box<Socket>, Box<Welcome>), ConnectError> {
    let opening = async {
        let transport = dial.dial().await.map_err(|error| dial_error(&error, address))?;
        let request =
            ClientRequestBuilder::new(address.uri().clone()).with_sub_protocol(SUBPROTOCOL);
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BUFFER_BYTES)
            .max_message_size(Some(FRAME_IN_BYTES_MAX))
            .max_frame_size(Some(FRAME_IN_BYTES_MAX))
            .write_buffer_size(0)
            .max_write_buffer_size(WRITE_BUFFER_BYTES_MAX);
        let (mut socket, _) = client_async_with_config(request, transport, Some(config))
            .await
            .map_err(|error| handshake_error(error, address))?;
        let welcome = send_hello(&mut socket, address, hello).await?;
        Ok((Box::new(socket), welcome))
    };
    let timed_out = || Err(ConnectError::TimedOut { address: Box::new(address.clone()) });
    tokio::time::timeout(OPEN_TIMEOUT, opening).await.unwrap_or_else(|_| timed_out())
}

/// Sends `hello` and waits for `welcome`.
async fn send_hello(
    socket: &mut Socket,
    address: &Address,
    hello: Hello,
) -> Result<Box<Welcome>, ConnectError> {
    let id = hello.id.clone();
    let text = encode_request(&FromClient::Hello(hello));
    let sent = socket.send(Message::text(text)).await;
    sent.map_err(|error| handshake_error(error, address))?;
    loop {
        let frame = match socket.next().await {
            Some(Ok(frame)) => frame,
            Some(Err(error)) => return Err(ConnectError::Closed(lost(&error))),
            None => return Err(ConnectError::Closed(closed(None))),
        };
        let text = match frame {
            Message::Text(text) => text,
            Message::Close(frame) => return Err(ConnectError::Closed(closed(frame))),
            Message::Binary(_) | Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {
                continue;
            }
        };
        let message = ToClient::from_bytes(text.as_bytes())
            .map_err(|error| not_adamant(address, &error.to_string()))?;
        match message {
            Some(ToClient::Welcome(welcome)) if welcome.re == id => return Ok(Box::new(welcome)),
            // An error without `re` means that the server could not decode the `hello`.
            Some(ToClient::Error(failed)) if failed.re.as_ref().is_none_or(|re| *re == id) => {
                return Err(ConnectError::Refused(Box::new(failed)));
            }
            Some(_) | None => {}
        }
    }
}

/// Converts an error of opening a stream.
fn dial_error(error: &io::Error, address: &Address) -> ConnectError {
    let address = Box::new(address.clone());
    #[cfg(feature = "tls")]
    if let Some(fault) = error.get_ref().and_then(|inner| inner.downcast_ref::<TlsFault>()) {
        return ConnectError::Tls { address, why: fault.to_string().into() };
    }
    ConnectError::Unreachable { address, why: describe(error) }
}

/// Describes a network error without the number that the system has for it.
fn describe(error: &io::Error) -> Box<str> {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => "connection refused".into(),
        io::ErrorKind::ConnectionReset | io::ErrorKind::UnexpectedEof => {
            "the other side broke off".into()
        }
        io::ErrorKind::TimedOut => "no answer in time".into(),
        _ => {
            let text = error.to_string();
            text.split_once(" (os error").map_or(text.as_str(), |(text, _)| text).into()
        }
    }
}

/// Converts an error of the WebSocket handshake.
fn handshake_error(error: tungstenite::Error, address: &Address) -> ConnectError {
    if let tungstenite::Error::Io(error) = error {
        dial_error(&error, address)
    } else if let tungstenite::Error::Http(response) = error {
        http_error(response.status().as_u16(), response.body().as_deref(), address)
    } else if matches!(error, tungstenite::Error::Protocol(_)) && !address.is_secure() {
        let why = "it does not answer as a web server does; if it speaks TLS, its address begins \
                   with wss://";
        not_adamant(address, why)
    } else {
        not_adamant(address, &error.to_string())
    }
}

/// Converts an HTTP response to the request for a WebSocket.
fn http_error(status: u16, body: Option<&[u8]>, address: &Address) -> ConnectError {
    let problem = body.and_then(|body| serde_json::from_slice::<Problem>(body).ok());
    match (problem, status) {
        (Some(Problem { message, retry_after_ms }), 429 | 503) => ConnectError::Unavailable {
            address: Box::new(address.clone()),
            why: message,
            retry_after: retry_after_ms.map(Duration::from_millis),
        },
        (_, 502..=504) => {
            let why = format!("a proxy cannot reach the server (HTTP status {status})").into();
            let retry_after = None;
            ConnectError::Unavailable { address: Box::new(address.clone()), why, retry_after }
        }
        _ => not_adamant(address, &format!("it answers with HTTP status {status}")),
    }
}

/// The body with which the server refuses a session by HTTP.
#[derive(serde::Deserialize)]
struct Problem {
    message: Box<str>,
    retry_after_ms: Option<u64>,
}

fn not_adamant(address: &Address, why: &str) -> ConnectError {
    ConnectError::NotAdamant { address: Box::new(address.clone()), why: why.into() }
}

/// Returns the reason of a close frame, or of a stream that ended without one.
pub(crate) fn closed(frame: Option<CloseFrame>) -> DisconnectReason {
    match frame {
        Some(frame) => DisconnectReason::Closed {
            code: frame.code.into(),
            reason: frame.reason.as_str().into(),
        },
        None => DisconnectReason::Lost("the other side went away".into()),
    }
}

/// Returns the reason of a socket error.
pub(crate) fn lost(error: &tungstenite::Error) -> DisconnectReason {
    DisconnectReason::Lost(error.to_string().into())
}
