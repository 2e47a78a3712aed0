//! Opens a session on a stream of bytes: the WebSocket handshake, `hello` and `welcome`.

use std::{io, time::Duration};

use adamant_protocol::{
    SUBPROTOCOL,
    codec::{FRAME_BYTES_MAX, encode_request},
    from_client::{FromClient, Hello},
    to_client::{ToClient, Welcome},
};
use futures::{SinkExt as _, StreamExt as _};
use tokio_tungstenite::{
    WebSocketStream, client_async_with_config,
    tungstenite::{
        self, ClientRequestBuilder, Message,
        protocol::{CloseFrame, WebSocketConfig},
    },
};

use crate::{
    address::Address,
    dial::{Dial, Transport},
    error::{ConnectError, DisconnectReason},
    tls::TlsFault,
};

/// The longest that dialling, handshakes and `hello` may take together.
pub(crate) const OPEN_TIMEOUT: Duration = Duration::from_secs(10);

/// The size of the read buffer. Frames are small, and programs hold many connections.
const READ_BUFFER_BYTES: usize = 16 * 1024;

/// The largest frame that a server may send: a long game's snapshot, or a long list.
const FRAME_IN_BYTES_MAX: usize = 1024 * 1024;

/// The size of the write buffer, beyond which writing fails.
const WRITE_BUFFER_BYTES_MAX: usize = 16 * FRAME_BYTES_MAX;

/// An open WebSocket.
pub(crate) type Socket = WebSocketStream<Box<dyn Transport>>;

/// Opens a session.
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
    match error.get_ref().and_then(|inner| inner.downcast_ref::<TlsFault>()) {
        Some(fault) => ConnectError::Tls { address, why: fault.to_string().into() },
        None => ConnectError::Unreachable { address, why: describe(error) },
    }
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
