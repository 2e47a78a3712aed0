//! What comes before a session: requests by HTTP, which pass through, and refused upgrades.

use std::net::SocketAddr;

use adamant_protocol::{SUBPROTOCOL, WEBSOCKET_PATH};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional},
    net::TcpStream,
    time::timeout,
};
use tokio_tungstenite::tungstenite::{
    handshake::server::{ErrorResponse, Request, Response},
    http::{HeaderValue, header::SEC_WEBSOCKET_PROTOCOL},
};

use crate::limits::CHAOS_HEAD;

/// Reads the head of a request without taking it; `None` if there is none in time.
pub(super) async fn peek_head(stream: &TcpStream) -> Option<String> {
    let (patience, most) = CHAOS_HEAD;
    let mut bytes = vec![0; most];
    let reading = async {
        loop {
            let length = stream.peek(&mut bytes).await.ok()?;
            let head = String::from_utf8_lossy(&bytes[..length]).into_owned();
            if length == 0 || head.contains("\r\n\r\n") || length == most {
                return (length > 0).then_some(head);
            }
            tokio::task::yield_now().await;
        }
    };
    timeout(patience, reading).await.ok().flatten()
}

/// Whether a request is the upgrade to a WebSocket.
pub(super) fn is_upgrade(head: &str) -> bool {
    let path = head.split(' ').nth(1).unwrap_or_default();
    path == WEBSOCKET_PATH && head.to_ascii_lowercase().contains("upgrade: websocket")
}

/// Answers an upgrade with a status and the time to wait.
pub(super) async fn refuse(mut stream: TcpStream, head: &str, status: u16, wait_ms: u64) {
    let (name, code) = match status {
        429 => ("Too Many Requests", "rate_limited"),
        _ => ("Service Unavailable", "busy"),
    };
    let body = serde_json::json!({
        "type": "error", "code": code, "message": "come back later", "retry": "after",
        "retry_after_ms": wait_ms,
    });
    let body = body.to_string();
    let seconds = wait_ms.div_ceil(1_000);
    let answer = format!(
        "HTTP/1.1 {status} {name}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
         retry-after: {seconds}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    // What is unread when a socket closes resets the connection, and the answer is lost.
    let mut taken = vec![0; head.len()];
    if stream.read_exact(&mut taken).await.is_ok()
        && stream.write_all(answer.as_bytes()).await.is_ok()
    {
        stream.shutdown().await.ok();
        // The client closes once it has read the answer.
        timeout(CHAOS_HEAD.0, stream.read(&mut taken)).await.ok();
    }
}

/// Passes a request by HTTP through.
pub(super) async fn pass_through(mut stream: TcpStream, inner: SocketAddr) {
    if let Ok(mut server) = TcpStream::connect(inner).await {
        copy_bidirectional(&mut stream, &mut server).await.ok();
    }
}

/// Answers the handshake of a client: with the sub-protocol, if the client offers it.
#[expect(clippy::result_large_err, clippy::unnecessary_wraps, reason = "the library's signature")]
pub(super) fn agree(request: &Request, mut response: Response) -> Result<Response, ErrorResponse> {
    if request.headers().contains_key(SEC_WEBSOCKET_PROTOCOL) {
        let name = HeaderValue::from_static(SUBPROTOCOL);
        response.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, name);
    }
    Ok(response)
}
