//! Attacks on games: takebacks, offers, and games that are begun to be left.

use std::{cell::Cell, rc::Rc};

use anyhow::{Context as _, Result};
use futures::future::{join_all, try_join_all};
use serde_json::{Value, json};

use super::{
    Arena,
    requests::get,
    stranger::{Stranger, Tally, attacker, pause},
};
use crate::load::script::longest;

/// Sessions of each of two guests who attack together.
const SESSIONS: usize = 25;

/// Plies before the first takeback.
const PLIES: usize = 1_000;

/// The part of the attack's time in which the game grows; after it, it is read.
const READ_AFTER: f64 = 0.6;

/// How many read the record at once.
const READERS: usize = 12;

/// Guests of one address who begin games with the server's players.
const GUESTS: usize = 60;

/// Two guests at one address with many sessions each, and a game between them.
async fn two(arena: Arena, rules: &str, tally: &Tally) -> Result<([Vec<Stranger>; 2], String)> {
    let mut sides = Vec::new();
    for name in ["stranger-a", "stranger-b"] {
        sides.push(Stranger::guest_with_sessions(arena, attacker(1), name, SESSIONS, tally).await?);
    }
    let mut sides: [Vec<Stranger>; 2] = sides.try_into().ok().context("there are two sides")?;
    let seek = json!({"type":"seek","rules":rules,"seat":0});
    let sought = sides[0][0].insist(arena, "seeks", &seek).await?.context("a seek is opened")?;
    let accept = json!({"type":"accept","seek":sought["seek"]});
    let begun = sides[1][0].insist(arena, "accepts", &accept).await?.context("a game begins")?;
    Ok((sides, begun["game"].as_str().context("it has an id")?.to_owned()))
}

/// The next of a side's sessions that the server answers: each of them has a rate of its own.
async fn by_any(
    side: &mut [Stranger],
    next: &mut usize,
    arena: Arena,
    what: &str,
    request: &Value,
) -> Result<Option<Value>> {
    let mut refused = 0;
    while arena.goes_on() {
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

pub(super) async fn takebacks(arena: Arena, tally: &Tally) -> Result<()> {
    let begun = tokio::time::Instant::now();
    let growing = Arena { until: begun + (arena.until - begun).mul_f64(READ_AFTER), ..arena };
    let script = longest(PLIES);
    let (mut sides, game) = two(growing, script.kind.name(), tally).await?;
    let mut next = [0, 0];
    let mut turn: u64 = 0;
    for (mover, notation) in &script.moves {
        let request = json!({"type":"move","game":game,"turn":turn,"move":notation});
        let side = &mut sides[*mover];
        if by_any(side, &mut next[*mover], growing, "moves", &request).await?.is_none() {
            break;
        }
        turn += 1;
    }
    if let Some((mover, notation)) = script.moves.last() {
        grow_by_takebacks(&mut sides, &mut next, growing, (&game, *mover, notation, turn)).await?;
    }
    // The readers are twelve connections; the whole attack on the reading side is some kilobytes.
    let path = format!("/v1/games/{game}/record");
    let reading = (0..READERS).map(|_| async {
        while arena.goes_on() {
            get(arena, attacker(1), &path, "records", tally).await?;
        }
        anyhow::Ok(())
    });
    try_join_all(reading).await?;
    Ok(())
}

/// Takes the last move back and makes it again for as long as the server agrees.
async fn grow_by_takebacks(
    sides: &mut [Vec<Stranger>; 2],
    next: &mut [usize; 2],
    arena: Arena,
    (game, mover, notation, mut turn): (&str, usize, &str, u64),
) -> Result<()> {
    let other = 1 - mover;
    let offer = json!({"type":"offer","game":game,"what":"takeback"});
    while arena.goes_on() {
        let offered =
            by_any(&mut sides[mover], &mut next[mover], arena, "takeback offers", &offer).await?;
        let Some(offered) = offered else { break };
        let answer = json!({"type":"answer","game":game,"offer":offered["offer"],"accept":true});
        let answered =
            by_any(&mut sides[other], &mut next[other], arena, "takebacks", &answer).await?;
        if answered.is_none() {
            break;
        }
        turn += 1;
        let request = json!({"type":"move","game":game,"turn":turn,"move":notation});
        if by_any(&mut sides[mover], &mut next[mover], arena, "moves", &request).await?.is_none() {
            break;
        }
        turn += 1;
    }
    Ok(())
}

pub(super) async fn offers(arena: Arena, tally: &Tally) -> Result<()> {
    let (sides, game) = two(arena, "hexma", tally).await?;
    let [mut one, mut other] = sides;
    let game = game.as_str();
    let offering = async |side: &mut Vec<Stranger>, what: &str| -> Result<()> {
        let mut next = 0;
        let offer = json!({"type":"offer","game":game,"what":what});
        while arena.goes_on() {
            let Some(open) = by_any(side, &mut next, arena, "offers", &offer).await? else {
                continue;
            };
            let withdraw = json!({"type":"withdraw","game":game,"offer":open["offer"]});
            by_any(side, &mut next, arena, "withdrawals", &withdraw).await?;
        }
        Ok(())
    };
    let (first, second) = tokio::join!(offering(&mut one, "draw"), offering(&mut other, "abort"));
    first.and(second)
}

/// Begins one game against the server's player; gives back its id.
async fn begin(
    guest: &mut Stranger,
    arena: Arena,
    house: &str,
    clock: Option<&Value>,
) -> Result<Option<Value>> {
    let name = guest.welcome["user"]["name"].clone();
    let mut challenge = json!({"type":"challenge","rules":"diam","seats":[name, house]});
    if let Some(clock) = clock {
        challenge["clock"] = clock.clone();
    }
    if guest.insist(arena, "challenges", &challenge).await?.is_none() {
        return Ok(None);
    }
    guest.hears(arena, r#""type":"challenge_closed""#).await
}

async fn guests(arena: Arena, tally: &Tally) -> Vec<Stranger> {
    let entering = (0..GUESTS).map(|number| {
        let auth = json!({"guest":format!("stranger{number}")});
        async move { Stranger::enter(arena, attacker(1), &auth, tally).await }
    });
    join_all(entering).await.into_iter().flatten().collect()
}

pub(super) async fn finished(arena: Arena, tally: &Tally) -> Result<()> {
    let mut guests = guests(arena, tally).await;
    let clock = json!({"mode":"fischer","base_ms":180_000,"inc_ms":0});
    let playing = guests.iter_mut().map(|guest| async {
        while arena.goes_on() {
            let Some(closed) = begin(guest, arena, "house-easy", Some(&clock)).await? else {
                break;
            };
            if let Some(game) = closed.get("game") {
                let abort = json!({"type":"abort","game":game});
                guest.insist(arena, "games given up", &abort).await?;
            }
        }
        anyhow::Ok(())
    });
    // A guest who is sent away takes no further part.
    drop(join_all(playing).await);
    Ok(())
}

pub(super) async fn occupy_house(arena: Arena, tally: &Tally) -> Result<()> {
    let mut guests = guests(arena, tally).await;
    let turn = Rc::new(Cell::new(0_usize));
    let playing = guests.iter_mut().map(|guest| {
        let turn = Rc::clone(&turn);
        async move {
            while arena.goes_on() {
                turn.set(turn.get() + 1);
                let house = ["house", "house-easy", "house-hard"][turn.get() % 3];
                let Some(closed) = begin(guest, arena, house, None).await? else { break };
                let what = if closed.get("game").is_some() { "games begun" } else { "declined" };
                tally.add(what);
            }
            anyhow::Ok(())
        }
    });
    drop(join_all(playing).await);
    Ok(())
}
