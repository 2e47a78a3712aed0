//! Attacks on games: takebacks, offers, and abandoned games.

use std::{cell::Cell, net::Ipv4Addr, rc::Rc, time::Duration};

use anyhow::{Context as _, Result};
use futures::future::{join_all, try_join_all};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpSocket,
    time::{timeout, timeout_at},
};

use super::{
    attacker::{Arena, Attacker, Tally, attacker, pause},
    requests::{fetch, get},
};
use crate::peer::longest;

/// Sessions of each of the two attacking guests.
const SESSIONS: usize = 25;

/// Plies before the first takeback.
const PLIES: usize = 1_000;

/// The share of the attack in which the game grows, before its record is read.
const READ_AFTER: f64 = 0.6;

/// Clients that read the record at once.
const READERS: usize = 12;

/// Guests of one address who start games with server bots.
const GUESTS: usize = 60;

/// Connects two guests from one address with many sessions each, and starts a game between
/// them.
async fn start_pair(
    arena: Arena,
    rules: &str,
    tally: &Tally,
) -> Result<([Vec<Attacker>; 2], String)> {
    let mut sides = Vec::new();
    for name in ["stranger-a", "stranger-b"] {
        sides.push(Attacker::guest_with_sessions(arena, attacker(1), name, SESSIONS, tally).await?);
    }
    let mut sides: [Vec<Attacker>; 2] = sides.try_into().ok().context("there are two sides")?;
    let seek = json!({"type":"seek","rules":rules,"seat":0});
    let sought =
        sides[0][0].ask_until_accepted(arena, "seeks", &seek).await?.context("a seek is opened")?;
    let accept = json!({"type":"accept","seek":sought["seek"]});
    let begun = sides[1][0]
        .ask_until_accepted(arena, "accepts", &accept)
        .await?
        .context("a game begins")?;
    Ok((sides, begun["game"].as_str().context("it has an id")?.to_owned()))
}

/// Sends a request over a side's next session that the server accepts: each has its own rate.
async fn ask_by_any_session(
    side: &mut [Attacker],
    next: &mut usize,
    arena: Arena,
    what: &str,
    request: &Value,
) -> Result<Option<Value>> {
    let mut refused = 0;
    while arena.is_running() {
        *next = (*next + 1) % side.len();
        match side[*next].ask(arena, what, request.clone()).await? {
            Ok(answer) => return Ok(Some(answer)),
            Err(wait) => {
                refused += 1;
                if refused > 2 * side.len() {
                    return Ok(None);
                }
                if refused >= side.len() {
                    pause(arena, wait).await;
                }
            }
        }
    }
    Ok(None)
}

pub(crate) async fn takebacks(arena: Arena, tally: &Tally) -> Result<()> {
    let begun = tokio::time::Instant::now();
    let growing = Arena { until: begun + (arena.until - begun).mul_f64(READ_AFTER), ..arena };
    let script = longest(PLIES);
    let (mut sides, game) = start_pair(growing, script.kind.name(), tally).await?;
    let mut next = [0, 0];
    let mut turn: u64 = 0;
    for (mover, notation) in &script.moves {
        let request = json!({"type":"move","game":game,"turn":turn,"move":notation});
        let side = &mut sides[*mover];
        if ask_by_any_session(side, &mut next[*mover], growing, "moves", &request).await?.is_none()
        {
            break;
        }
        turn += 1;
    }
    if let Some((mover, notation)) = script.moves.last() {
        grow_by_takebacks(&mut sides, &mut next, growing, (&game, *mover, notation, turn)).await?;
    }
    // The readers are twelve connections; the attack itself reads only some kilobytes.
    let path = format!("/v1/games/{game}/record");
    let reading = (0..READERS).map(|_| async {
        while arena.is_running() {
            get(arena, attacker(1), &path, "records", tally).await?;
        }
        anyhow::Ok(())
    });
    try_join_all(reading).await?;
    Ok(())
}

/// Takes the last move back and makes it again for as long as the server accepts.
async fn grow_by_takebacks(
    sides: &mut [Vec<Attacker>; 2],
    next: &mut [usize; 2],
    arena: Arena,
    (game, mover, notation, mut turn): (&str, usize, &str, u64),
) -> Result<()> {
    let other = 1 - mover;
    let offer = json!({"type":"offer","game":game,"what":"takeback"});
    while arena.is_running() {
        let offered = ask_by_any_session(
            &mut sides[mover],
            &mut next[mover],
            arena,
            "takeback offers",
            &offer,
        )
        .await?;
        let Some(offered) = offered else { break };
        let answer = json!({"type":"answer","game":game,"offer":offered["offer"],"accept":true});
        let answered =
            ask_by_any_session(&mut sides[other], &mut next[other], arena, "takebacks", &answer)
                .await?;
        if answered.is_none() {
            break;
        }
        turn += 1;
        let request = json!({"type":"move","game":game,"turn":turn,"move":notation});
        if ask_by_any_session(&mut sides[mover], &mut next[mover], arena, "moves", &request)
            .await?
            .is_none()
        {
            break;
        }
        turn += 1;
    }
    Ok(())
}

pub(crate) async fn offers(arena: Arena, tally: &Tally) -> Result<()> {
    let (sides, game) = start_pair(arena, "hexma", tally).await?;
    let [mut one, mut other] = sides;
    let game = game.as_str();
    let offering = async |side: &mut Vec<Attacker>, what: &str| -> Result<()> {
        let mut next = 0;
        let offer = json!({"type":"offer","game":game,"what":what});
        while arena.is_running() {
            let Some(open) = ask_by_any_session(side, &mut next, arena, "offers", &offer).await?
            else {
                continue;
            };
            let withdraw = json!({"type":"withdraw","game":game,"offer":open["offer"]});
            ask_by_any_session(side, &mut next, arena, "withdrawals", &withdraw).await?;
        }
        Ok(())
    };
    let (first, second) = tokio::join!(offering(&mut one, "draw"), offering(&mut other, "abort"));
    first.and(second)
}

/// Starts a game against a server bot and returns its id.
async fn start_house_game(
    guest: &mut Attacker,
    arena: Arena,
    house: &str,
    clock: Option<&Value>,
) -> Result<Option<Value>> {
    let name = guest.welcome["user"]["name"].clone();
    let mut challenge = json!({"type":"challenge","rules":"diam","seats":[name, house]});
    if let Some(clock) = clock {
        challenge["clock"] = clock.clone();
    }
    if guest.ask_until_accepted(arena, "challenges", &challenge).await?.is_none() {
        return Ok(None);
    }
    guest.wait_for(arena, r#""type":"challenge_closed""#).await
}

async fn guests(arena: Arena, tally: &Tally) -> Vec<Attacker> {
    let entering = (0..GUESTS).map(|number| {
        let auth = json!({"guest":format!("stranger{number}")});
        async move { Attacker::enter(arena, attacker(1), &auth, tally).await }
    });
    join_all(entering).await.into_iter().flatten().collect()
}

pub(crate) async fn finished(arena: Arena, tally: &Tally) -> Result<()> {
    let mut guests = guests(arena, tally).await;
    let clock = json!({"mode":"fischer","base_ms":180_000,"inc_ms":0});
    let playing = guests.iter_mut().map(|guest| async {
        while arena.is_running() {
            let Some(closed) = start_house_game(guest, arena, "house-easy", Some(&clock)).await?
            else {
                break;
            };
            if let Some(game) = closed.get("game") {
                let abort = json!({"type":"abort","game":game});
                guest.ask_until_accepted(arena, "games given up", &abort).await?;
            }
        }
        anyhow::Ok(())
    });
    // A rejected guest takes no further part.
    drop(join_all(playing).await);
    Ok(())
}

pub(crate) async fn occupy_house(arena: Arena, tally: &Tally) -> Result<()> {
    let mut guests = guests(arena, tally).await;
    let turn = Rc::new(Cell::new(0_usize));
    let playing = guests.iter_mut().map(|guest| {
        let turn = Rc::clone(&turn);
        async move {
            while arena.is_running() {
                turn.set(turn.get() + 1);
                let house = ["house", "house-easy", "house-hard"][turn.get() % 3];
                let Some(closed) = start_house_game(guest, arena, house, None).await? else {
                    break;
                };
                let what = if closed.get("game").is_some() { "games begun" } else { "declined" };
                tally.add(what);
            }
            anyhow::Ok(())
        }
    });
    drop(join_all(playing).await);
    Ok(())
}

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

const BOTS: usize = 40;

/// Bots of one network that the directory lists at most.
const LISTED_MAX: usize = 10;

/// Takes all downloads and reads them slowly, while somebody else downloads.
pub(crate) async fn downloads(arena: Arena, tally: &Tally) -> Result<()> {
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
pub(crate) async fn directory(arena: Arena, tally: &Tally) -> Result<()> {
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
