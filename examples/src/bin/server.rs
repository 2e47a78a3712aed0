//! A server that lets guests in and answers pings: it listens at `127.0.0.1:0` or the address given,
//! and prints where.

use std::{
    env,
    error::Error,
    io::Write as _,
    time::{SystemTime, UNIX_EPOCH},
};

use adamant_protocol::{
    Decoded, ErrorCode, FromClient, PROTOCOL_VERSION, SUBPROTOCOL, ToClient, codec,
    from_client::{Auth, Hello, Software},
    to_client::{Failed, Heartbeat, Limits, Me, Pong, Welcome},
    values::Named,
};
use futures::{SinkExt as _, StreamExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::{
    accept_hdr_async,
    tungstenite::{
        self, Message,
        handshake::server::{ErrorResponse, Request, Response},
        http::{HeaderValue, header::SEC_WEBSOCKET_PROTOCOL},
    },
};

fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.as_millis().try_into().unwrap_or(u64::MAX)
}

fn welcome(hello: Hello) -> ToClient {
    let name = match hello.auth {
        Some(Auth::Guest(name) | Auth::GuestProgram(name)) => Some(name),
        _ => None,
    };
    let software = Software::new("example".into(), env!("CARGO_PKG_VERSION").into());
    let limits = Limits::new(codec::FRAME_BYTES_MAX as u64, 0, 0);
    let heartbeat = Heartbeat::new(10_000, 30_000);
    let mut welcome = Welcome::new(
        hello.id,
        PROTOCOL_VERSION,
        software,
        "s1".into(),
        now_ms(),
        Named::default(),
        limits,
        heartbeat,
        "none".into(),
    );
    welcome.user = name.map(|name| Me::new(name, false, true));
    ToClient::Welcome(welcome)
}

fn reply(request: Decoded) -> ToClient {
    match request {
        Ok(FromClient::Hello(hello)) => welcome(hello),
        Ok(FromClient::Ping(ping)) => ToClient::Pong(Pong::new(ping.id, now_ms(), now_ms())),
        Ok(other) => {
            let id = Some(other.id().clone());
            let message = format!("there is nothing to {} here", other.kind());
            ToClient::Error(Failed::new(id, ErrorCode::NotFound, message))
        }
        Err(bad) => ToClient::Error(Failed::new(bad.id, bad.code, bad.message)),
    }
}

#[expect(clippy::result_large_err, reason = "the handshake demands it")]
fn choose_protocol(_: &Request, mut response: Response) -> Result<Response, ErrorResponse> {
    response.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(SUBPROTOCOL));
    Ok(response)
}

async fn serve(stream: TcpStream) -> tungstenite::Result<()> {
    let mut socket = accept_hdr_async(stream, choose_protocol).await?;
    while let Some(message) = socket.next().await {
        if let Message::Text(text) = message? {
            let reply = reply(codec::decode(text.as_bytes()));
            socket.send(Message::text(codec::encode(&reply))).await?;
        }
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = env::args().nth(1).unwrap_or_else(|| "127.0.0.1:0".to_owned());
    let listener = TcpListener::bind(address).await?;
    println!("ws://{}", listener.local_addr()?);
    std::io::stdout().flush()?;
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(serve(stream));
    }
}
