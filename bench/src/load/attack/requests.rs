//! Attacks by requests alone: connections, pages and passwords.

use std::{net::Ipv4Addr, time::Duration};

use anyhow::{Context as _, Result};
use futures::future::join_all;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
    time::timeout_at,
};

use super::{
    arena::Arena,
    attacker::{Attacker, Tally, attacker, pause},
};

/// Clients of one address that reconnect again and again.
const RECONNECTING: usize = 40;

/// The default burst of requests of a connection.
const BURST: usize = 40;

/// Connections that request pages, all of one address.
const READERS: usize = 12;

/// Addresses that log in with wrong passwords, and concurrent attempts of each.
const LOGGING_IN: (u8, usize) = (31, 3);

/// The pause of a client whose connection was rejected.
const REFUSED: Duration = Duration::from_millis(50);

pub(super) async fn reconnects(arena: Arena, tally: &Tally) -> Result<()> {
    // Cursors of unknown games are looked up, too.
    let cursors: serde_json::Map<_, _> =
        (0..256).map(|game| (format!("zz{game:06}"), json!({"seq":1}))).collect();
    let auth = json!({"guest":"stranger"});
    let first = Attacker::enter(arena, attacker(1), &auth, tally).await.context("one is let in")?;
    let hello = json!({
        "type":"hello","id":"h","proto":[1],"auth":{"token":first.welcome["token"]},"resume":cursors
    });
    let hello = &hello;
    let coming = (0..RECONNECTING).map(|_| async move {
        while arena.is_running() {
            let Some(mut one) = Attacker::enter_with(arena, attacker(1), hello, tally).await else {
                pause(arena, REFUSED).await;
                continue;
            };
            for _ in 0..BURST {
                let user = json!({"type":"user","name":"house"});
                if !matches!(one.ask(arena, "requests", user).await, Ok(Ok(_))) {
                    break;
                }
            }
        }
    });
    join_all(coming).await;
    Ok(())
}

pub(super) async fn pages(arena: Arena, tally: &Tally) -> Result<()> {
    let front =
        String::from_utf8_lossy(&fetch(arena, attacker(1), "/", "identity").await?).into_owned();
    let styles = front.split('"').find(|path| path.ends_with("style.css"));
    let styles = styles.context("the front page names its style sheet")?;
    let reading = (0..READERS).map(|number| async move {
        let path = if number % 2 == 0 { styles } else { "/schema/v1.json" };
        while arena.is_running() {
            // A rejected or closed connection is replaced.
            drop(get(arena, attacker(1), path, path, tally).await);
        }
    });
    join_all(reading).await;
    Ok(())
}

pub(super) async fn log_ins(arena: Arena, tally: &Tally) -> Result<()> {
    let (addresses, at_once) = LOGGING_IN;
    let trying = (0..addresses).flat_map(|address| (0..at_once).map(move |at| (address, at))).map(
        |(address, at)| async move {
            let auth = json!({"user":format!("house{at}"),"password":"not the password"});
            while arena.is_running() {
                drop(Attacker::enter(arena, attacker(10 + address), &auth, tally).await);
                pause(arena, REFUSED).await;
            }
        },
    );
    join_all(trying).await;
    Ok(())
}

/// Connects from a loopback address.
pub(super) async fn connect(arena: Arena, from: Ipv4Addr) -> Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((from, 0).into())?;
    Ok(socket.connect(arena.address).await?)
}

/// Requests a path over a new connection and counts the response by status. A rejected client
/// pauses.
pub(super) async fn get(
    arena: Arena,
    from: Ipv4Addr,
    path: &str,
    what: &str,
    tally: &Tally,
) -> Result<()> {
    let reading = fetch(arena, from, path, "gzip");
    let Ok(answer) = timeout_at(arena.until, reading).await else { return Ok(()) };
    if let Ok(answer) = answer {
        let status = answer.get(9..12).map_or("none".into(), String::from_utf8_lossy);
        tally.add(format!("{what}: {status}"));
        if status == "200" {
            return Ok(());
        }
    } else {
        tally.add(format!("{what}: closed"));
    }
    pause(arena, REFUSED).await;
    Ok(())
}

/// Requests a path in an encoding over a new connection and returns the whole response.
pub(super) async fn fetch(
    arena: Arena,
    from: Ipv4Addr,
    path: &str,
    accepted: &str,
) -> Result<Vec<u8>> {
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: {accepted}\r\n\
         Connection: close\r\n\r\n"
    );
    let mut stream = connect(arena, from).await?;
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    Ok(answer)
}
