//! Attacks by requests alone: connections, pages and passwords.

use std::{net::Ipv4Addr, time::Duration};

use anyhow::{Context as _, Result};
use futures::future::{join_all, try_join_all};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
    time::{timeout, timeout_at},
};

use super::attacker::{Arena, Attacker, Tally, attacker, pause};
use crate::{
    machine,
    peer::{begin_game, guest},
    target::{Conditions, Launch, Program, Service, Target},
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

pub(crate) async fn reconnects(arena: Arena, tally: &Tally) -> Result<()> {
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

pub(crate) async fn pages(arena: Arena, tally: &Tally) -> Result<()> {
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

pub(crate) async fn log_ins(arena: Arena, tally: &Tally) -> Result<()> {
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
pub(crate) async fn connect(arena: Arena, from: Ipv4Addr) -> Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((from, 0).into())?;
    Ok(socket.connect(arena.address).await?)
}

/// Requests a path over a new connection and counts the response by status. A rejected client
/// pauses.
pub(crate) async fn get(
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
pub(crate) async fn fetch(
    arena: Arena,
    from: Ipv4Addr,
    path: &str,
    accepted: &str,
) -> Result<Vec<u8>> {
    machine::fetch(connect(arena, from).await?, path, accepted).await
}

/// The largest board: a picture and an opinion of it cost the most.
const LARGEST: &str = "-size=8 -pieces=99";

/// Connections that request pictures, all of one address.
const PAINTERS: u32 = 10;

/// The largest side of a picture in pixels, and how many sides are requested by turns, so that the
/// server has few of them at hand.
const SIDES: (u32, u32) = (640, 300);

/// When a client that wants no picture hangs up.
const HANG_UP: Duration = Duration::from_millis(60);

/// Addresses that request documents, and connections of each.
const READING: (u8, usize) = (16, 2);

/// Addresses that ask for opinions, and connections of each.
const ASKING: (u8, usize) = (31, 2);

/// Starts a game on the largest board, and leaves it.
async fn largest_game(arena: Arena, tally: &Tally) -> Result<String> {
    let mut pair = Vec::new();
    for name in ["drawn-a", "drawn-b"] {
        let one = Attacker::enter(arena, attacker(2), &json!({"guest":name}), tally).await;
        pair.push(one.context("a guest is let in")?);
    }
    let seek = json!({"type":"seek","rules":"adamas","options":LARGEST,"seat":0});
    let sought = pair[0].ask_until_accepted(arena, "seeks", &seek).await?;
    let accept = json!({"type":"accept","seek":sought.context("a seek is opened")?["seek"]});
    let begun = pair[1].ask_until_accepted(arena, "accepts", &accept).await?;
    let game = begun.context("a game begins")?["game"].clone();
    Ok(game.as_str().context("it has an id")?.to_owned())
}

/// Requests the largest pictures and hangs up on every other.
pub(crate) async fn pictures(arena: Arena, tally: &Tally) -> Result<()> {
    let game = largest_game(arena, tally).await?;
    let path = |side: u32| format!("/game/{game}/board.png?size={side}");
    by_turns(arena, async |painter, side| {
        let path = path(side);
        let reading = get(arena, attacker(1), &path, "pictures", tally);
        if painter % 2 == 0 {
            drop(reading.await);
        } else if timeout(HANG_UP, reading).await.is_err() {
            tally.add("pictures: hung up");
        }
    })
    .await;
    Ok(())
}

/// Requests drawings that the server compresses.
pub(crate) async fn drawings(arena: Arena, tally: &Tally) -> Result<()> {
    let game = largest_game(arena, tally).await?;
    let path = |side: u32| format!("/game/{game}/board.svg?size={side}");
    by_turns(arena, async |_, side| {
        drop(get(arena, attacker(1), &path(side), "drawings", tally).await);
    })
    .await;
    Ok(())
}

/// Has all painters do something with one side after the other, until the attack ends.
async fn by_turns(arena: Arena, act: impl AsyncFn(u32, u32)) {
    let (largest, count) = SIDES;
    let painting = (0..PAINTERS).map(|painter| {
        let act = &act;
        async move {
            let mut turn = painter;
            while arena.is_running() {
                act(painter, largest - turn % count).await;
                turn += PAINTERS;
            }
        }
    });
    join_all(painting).await;
}

/// Requests the page's documents, each of which the server puts together anew.
pub(crate) async fn documents(arena: Arena, tally: &Tally) -> Result<()> {
    let (addresses, each) = READING;
    let reading = (0..addresses).flat_map(|address| (0..each).map(move |_| address)).map(
        |address| async move {
            while arena.is_running() {
                drop(get(arena, attacker(10 + address), "/rules", "documents", tally).await);
            }
        },
    );
    join_all(reading).await;
    Ok(())
}

/// Asks for the dearest opinions, without a name.
pub(crate) async fn opinions(arena: Arena, tally: &Tally) -> Result<()> {
    let (addresses, each) = ASKING;
    let hello = json!({"type":"hello","id":"h","proto":[1]});
    let explore = json!({
        "type":"explore","rules":"adamas","options":LARGEST,"players":3,"opinion":"hard"
    });
    let (hello, explore) = (&hello, &explore);
    let asking = (0..addresses).flat_map(|address| (0..each).map(move |_| address)).map(
        |address| async move {
            let from = attacker(100 + address);
            let Some(mut one) = Attacker::enter_with(arena, from, hello, tally).await else {
                return;
            };
            while arena.is_running() {
                match one.ask(arena, "opinions", explore.clone()).await {
                    Ok(Ok(_)) => {}
                    Ok(Err(wait)) => pause(arena, wait).await,
                    Err(_) => return,
                }
            }
        },
    );
    join_all(asking).await;
    Ok(())
}

/// Finished games in the store.
const GAMES: usize = 6_000;
const GAMES_FULL: usize = 60_000;

/// Pairs that play at the same time.
const PAIRS: usize = 20;

/// Clients that request lists at once.
const LIST_READERS: usize = 40;

/// Starts a server whose store holds many finished games.
pub(crate) async fn with_finished_games(
    conditions: Conditions,
    launch: &Launch,
    full: bool,
) -> Result<Target> {
    let open = Conditions { service: Service::Load, ..conditions };
    let target = Target::start_under(open, Program::Adamant, launch)?;
    let games = if full { GAMES_FULL } else { GAMES };
    let playing = (0..PAIRS).map(|pair| {
        let target = &target;
        async move {
            let mut one = guest(target, 2 * pair).await?;
            let mut other = guest(target, 2 * pair + 1).await?;
            for _ in 0..games / PAIRS {
                let game = begin_game(&mut one, &mut other, ("diam", ""), None).await?;
                one.ask(&json!({"type":"move","id":format!("{game}-0"),"game":game,"turn":0,
                    "move":"A1"}))
                    .await?;
                one.ask(&json!({"type":"resign","id":format!("{game}-1"),"game":game})).await?;
            }
            anyhow::Ok(())
        }
    });
    try_join_all(playing).await?;
    target.settle().await?;
    Ok(target.crash_and_restart_under(conditions, launch)?.0)
}

pub(crate) async fn lists(arena: Arena, tally: &Tally) -> Result<()> {
    let paths = [
        "/v1/games?state=finished&players=3",
        "/v1/games?state=finished&rules=unknown",
        "/v1/users/g0/history?rules=unknown",
        "/v1/games?state=finished&rules=adamas",
    ];
    let reading = (0..LIST_READERS).map(|number| async move {
        let path = paths[number % paths.len()];
        while arena.is_running() {
            drop(get(arena, attacker(1), path, path, tally).await);
        }
    });
    join_all(reading).await;
    Ok(())
}

/// Addresses, and connections of each.
const SILENT: (u8, usize) = (16, 64);

/// Bytes of an endless header: more than a server should keep.
const HEAD_BYTES: usize = 300 * 1024;

/// How soon a closed connection is replaced.
const AGAIN: Duration = Duration::from_millis(20);

pub(crate) async fn handshakes(arena: Arena, tally: &Tally) -> Result<()> {
    let (addresses, each) = SILENT;
    let holding = (0..addresses).flat_map(|address| (0..each).map(move |at| (address, at))).map(
        |(address, at)| async move {
            while arena.is_running() {
                let holding = async {
                    let mut stream = connect(arena, attacker(10 + address)).await?;
                    // Half of them send nothing, and half send an endless head.
                    if at % 2 == 0 {
                        stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ").await?;
                        stream.write_all(&vec![b'x'; HEAD_BYTES]).await?;
                    }
                    stream.read_to_end(&mut Vec::new()).await?;
                    anyhow::Ok(())
                };
                let what = match timeout_at(arena.until, holding).await {
                    Ok(Ok(())) => "closed",
                    Ok(Err(_)) => "reset",
                    Err(_) => "held to the end",
                };
                tally.add(what);
                pause(arena, AGAIN).await;
            }
        },
    );
    join_all(holding).await;
    Ok(())
}
