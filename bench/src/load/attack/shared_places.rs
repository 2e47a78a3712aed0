//! Attacks on places that everybody shares: downloads, and the first page of the directory of bots.

use std::{net::Ipv4Addr, time::Duration};

use anyhow::{Context as _, Result};
use futures::future::join_all;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpSocket,
    time::{timeout, timeout_at},
};

use super::{
    arena::Arena,
    attacker::{Attacker, Tally, attacker, pause},
    requests::fetch,
};

/// Networks that download slowly, and downloads of each: one address may have no more.
const SLOW: (u8, usize) = (8, 2);

/// Bytes that a slow reader takes at once, how often, and its receive buffer.
const SIP_BYTES: usize = 1_024;
const SIP_EVERY: Duration = Duration::from_millis(100);
const NARROW_BYTES: u32 = 4 * 1024;

/// How often somebody else begins a download, and how long until it must have begun.
const DOWNLOAD_EVERY: Duration = Duration::from_secs(2);
const BEGUN_WITHIN: Duration = Duration::from_secs(4);

/// How often the list of files is read until it has one.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Bots of one address.
const BOTS: usize = 40;

/// Bots of one network that the directory lists at most.
const LISTED_MAX: usize = 10;

/// Takes all downloads and reads them slowly, while somebody else downloads.
pub(super) async fn downloads(arena: Arena, tally: &Tally) -> Result<()> {
    let path = path_of_the_largest(arena).await?;
    let path = path.as_str();
    let (networks, each) = SLOW;
    let holding = (0..networks).flat_map(|network| (0..each).map(move |_| network)).map(
        |network| async move {
            while arena.is_running() {
                let sipping = sip(arena, network_of(network), path);
                let what = match timeout_at(arena.until, sipping).await {
                    Ok(Ok(status)) => format!("slow downloads: {status}"),
                    Ok(Err(_)) => "slow downloads: cut".to_owned(),
                    Err(_) => "slow downloads: held to the end".to_owned(),
                };
                tally.add(what);
                pause(arena, SIP_EVERY).await;
            }
        },
    );
    let downloading = async {
        // The slow ones come first.
        pause(arena, DOWNLOAD_EVERY).await;
        while arena.is_running() {
            begin_download(arena, path, tally).await;
            pause(arena, DOWNLOAD_EVERY).await;
        }
    };
    tokio::join!(join_all(holding), downloading);
    Ok(())
}

/// The path of the largest file of finished games, once there is one.
async fn path_of_the_largest(arena: Arena) -> Result<String> {
    loop {
        let answer = fetch(arena, attacker(1), "/v1/downloads", "identity").await?;
        let answer = String::from_utf8_lossy(&answer);
        let list: Value = answer
            .split_once("\r\n\r\n")
            .and_then(|(_, body)| serde_json::from_str(body).ok())
            .context("a list of files")?;
        let files = list["files"].as_array().into_iter().flatten();
        let largest = files.max_by_key(|file| file["bytes"].as_u64());
        if let Some(name) = largest.and_then(|file| file["file"].as_str()) {
            return Ok(format!("/v1/downloads/{name}"));
        }
        anyhow::ensure!(arena.is_running(), "no finished game is published");
        pause(arena, LOOK_EVERY).await;
    }
}

/// An address in a network of its own.
const fn network_of(number: u8) -> Ipv4Addr {
    Ipv4Addr::new(127, 1, number, 1)
}

/// Downloads a file a few bytes at a time. Returns the status.
async fn sip(arena: Arena, from: Ipv4Addr, path: &str) -> Result<String> {
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(NARROW_BYTES)?;
    socket.bind((from, 0).into())?;
    let mut stream = socket.connect(arena.address).await?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut status = String::new();
    let mut sip = [0; SIP_BYTES];
    loop {
        let read = stream.read(&mut sip).await?;
        if read == 0 {
            return Ok(status);
        }
        if status.is_empty() {
            status = sip
                .get(9..12)
                .map_or_else(String::new, |status| String::from_utf8_lossy(status).into_owned());
        }
        pause(arena, SIP_EVERY).await;
    }
}

/// Begins a download as somebody with a common line, who comes again where the server asks for it.
async fn begin_download(arena: Arena, path: &str, tally: &Tally) {
    let from = Ipv4Addr::new(127, 2, 0, 1);
    let beginning = async {
        loop {
            match fetch(arena, from, path, "identity").await {
                Ok(answer) if answer.get(9..12) == Some(b"200") => return,
                Ok(_) => tally.add("downloads: refused"),
                Err(_) => tally.add("downloads: cut"),
            }
            pause(arena, SIP_EVERY).await;
        }
    };
    match timeout(BEGUN_WITHIN, beginning).await {
        Ok(()) => tally.add("downloads: whole"),
        Err(_) if arena.is_running() => tally.harm("a download could not begin"),
        Err(_) => {}
    }
}

/// Lists bots of one address, which say their status anew without end, while others read the
/// directory.
pub(super) async fn directory(arena: Arena, tally: &Tally) -> Result<()> {
    let bots = (0..BOTS).map(|number| async move {
        let auth = json!({"guest":format!("a-bot{number}"),"bot":true});
        let Some(mut bot) = Attacker::enter(arena, attacker(1), &auth, tally).await else { return };
        for free in (0..1_000).cycle() {
            let status = json!({"type":"bot_status","accepts":{},"free":free});
            match bot.ask(arena, "statuses", status).await {
                Ok(Ok(_)) => {}
                Ok(Err(wait)) => pause(arena, wait).await,
                Err(_) => return,
            }
            if !arena.is_running() {
                return;
            }
        }
    });
    let reading = async {
        let hello = json!({"type":"hello","id":"h","proto":[1]});
        let reader = Attacker::enter_with(arena, attacker(2), &hello, tally).await;
        let mut reader = reader.context("a reader is let in")?;
        let list = json!({"type":"directory"});
        while let Some(list) = reader.ask_until_accepted(arena, "directories", &list).await? {
            let is_attacker =
                |bot: &&Value| bot["user"].as_str().is_some_and(|name| name.starts_with("a-bot"));
            let bots = list["bots"].as_array().into_iter().flatten();
            if bots.filter(is_attacker).count() > LISTED_MAX {
                tally.harm("a network filled the directory");
            }
            pause(arena, SIP_EVERY).await;
        }
        anyhow::Ok(())
    };
    let (_, read) = tokio::join!(join_all(bots), reading);
    read
}
