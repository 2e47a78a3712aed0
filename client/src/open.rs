//! From a stream of bytes to an open session: the WebSocket handshake, hello and welcome.

use std::time::Duration;

use adamant_protocol::{
    FRAME_BYTES_MAX, SUBPROTOCOL, ToClient,
    codec::encode_request,
    from_client::{FromClient, Hello},
    to_client::Welcome,
};
use futures::{SinkExt as _, StreamExt as _};
use tokio_tungstenite::{
    WebSocketStream, client_async_with_config,
    tungstenite::{
        self, ClientRequestBuilder, Message,
        protocol::{CloseFrame, WebSocketConfig},
    },
};

use crate::{Address, ConnectError, Dial, DisconnectReason, Transport};

/// How long dialling, handshakes and hello may take together.
pub(crate) const OPEN_TIMEOUT: Duration = Duration::from_secs(10);

/// What is read from the socket at once. Frames are small, and programs hold many connections.
const READ_BUFFER_BYTES: usize = 16 * 1024;

/// The largest frame that a server may send: a long game's snapshot, or a long list.
const FRAME_IN_BYTES_MAX: usize = 1024 * 1024;

/// What may wait to be written before writing fails.
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
        let transport = dial.dial().await?;
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
            .map_err(handshake_error)?;
        let welcome = greet(&mut socket, hello).await?;
        Ok((Box::new(socket), welcome))
    };
    tokio::time::timeout(OPEN_TIMEOUT, opening).await.unwrap_or(Err(ConnectError::TimedOut))
}

async fn greet(socket: &mut Socket, hello: Hello) -> Result<Box<Welcome>, ConnectError> {
    let id = hello.id.clone();
    let text = encode_request(&FromClient::Hello(hello));
    socket.send(Message::text(text)).await.map_err(handshake_error)?;
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
            .map_err(|error| ConnectError::NotAdamant(error.to_string()))?;
        match message {
            Some(ToClient::Welcome(welcome)) if welcome.re == id => return Ok(Box::new(welcome)),
            // A refusal may come without `re`, when the server could not even read the hello.
            Some(ToClient::Error(failed)) if failed.re.as_ref().is_none_or(|re| *re == id) => {
                return Err(ConnectError::Refused(Box::new(failed)));
            }
            Some(_) | None => {}
        }
    }
}

fn handshake_error(error: tungstenite::Error) -> ConnectError {
    if let tungstenite::Error::Io(error) = error {
        ConnectError::Unreachable(error)
    } else if let tungstenite::Error::Http(response) = error {
        ConnectError::NotAdamant(format!("it answers with HTTP status {}", response.status()))
    } else {
        ConnectError::NotAdamant(error.to_string())
    }
}

/// How a socket ended that was closed with this frame, or with none.
pub(crate) fn closed(frame: Option<CloseFrame>) -> DisconnectReason {
    match frame {
        Some(frame) => DisconnectReason::Closed {
            code: frame.code.into(),
            reason: frame.reason.as_str().into(),
        },
        None => DisconnectReason::Lost("the other side went away".into()),
    }
}

/// How a socket ended that failed.
pub(crate) fn lost(error: &tungstenite::Error) -> DisconnectReason {
    DisconnectReason::Lost(error.to_string().into())
}
