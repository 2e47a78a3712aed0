//! Attacks by requests that cost more than their bytes tell: pictures of boards, documents and
//! opinions.

use std::time::Duration;

use anyhow::{Context as _, Result};
use futures::future::join_all;
use serde_json::json;
use tokio::time::timeout;

use super::{
    arena::Arena,
    attacker::{Attacker, Tally, attacker, pause},
    requests::get,
};

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
pub(super) async fn pictures(arena: Arena, tally: &Tally) -> Result<()> {
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
pub(super) async fn drawings(arena: Arena, tally: &Tally) -> Result<()> {
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
pub(super) async fn documents(arena: Arena, tally: &Tally) -> Result<()> {
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
pub(super) async fn opinions(arena: Arena, tally: &Tally) -> Result<()> {
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
