//! Attacks on games: takebacks, offers, and abandoned games.

use std::{cell::Cell, rc::Rc};

use anyhow::{Context as _, Result};
use futures::future::{join_all, try_join_all};
use serde_json::{Value, json};

use super::{
    arena::Arena,
    attacker::{Attacker, Tally, attacker, pause},
    requests::get,
};
use crate::load::script::longest;

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

pub(super) async fn takebacks(arena: Arena, tally: &Tally) -> Result<()> {
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

pub(super) async fn offers(arena: Arena, tally: &Tally) -> Result<()> {
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

pub(super) async fn finished(arena: Arena, tally: &Tally) -> Result<()> {
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

pub(super) async fn occupy_house(arena: Arena, tally: &Tally) -> Result<()> {
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
