//! W1: moves in many rooms of two players. On the real server each is judged, recorded and synced
//! before it is answered.

use std::{cell::RefCell, rc::Rc, time::Duration};

use anyhow::Result;
use futures::future::try_join_all;
use hdrhistogram::Histogram;
use memchr::memmem::Finder;
use serde_json::json;
use tokio::time::{Instant, sleep_until};

use super::{Bench, Phase, measured};
use crate::load::{
    report::{Latency, histogram},
    script::{Script, scripts},
    seating::{Pair, pair, seat},
    subject::{Program, Subject},
};

/// Moves of one game: enough for a middle, few enough that the scripts need not be chosen.
const PLIES: usize = 40;

/// Moves of one measurement, at the least: the system counts CPU time in hundredths of a second.
const MOVES_MIN: usize = 40_000;

/// Sockets that connect at the same time.
pub(super) const SETUP_AT_ONCE: usize = 64;

/// Rooms in a closed loop: each moves again as soon as the move before was answered and heard.
pub async fn moves(bench: &mut Bench<'_>, program: Program, rooms: usize) -> Result<()> {
    let subject = Subject::start(program, bench.launch)?;
    let scripts = scripts(PLIES);
    let mut pairs = seat_all(&subject, rooms, &scripts).await?;
    let latencies = Rc::new(RefCell::new(histogram()));
    let games = MOVES_MIN.div_ceil(rooms * PLIES).max(2);
    let (mut phase, mut count) = (Phase::nothing(), 0);
    for game in 0..games {
        if game > 0 {
            pairs = reseat_all(&subject, pairs, &scripts).await?;
        }
        let playing = try_join_all(pairs.into_iter().map(|pair| play(pair, None, &latencies)));
        let (played, back) = measured(&subject, playing).await?;
        pairs = back;
        // The first game warms both sides up.
        if game > 0 || games == 1 {
            phase = phase.and(&played);
            count += rooms * PLIES;
        }
    }
    let workload = format!("W1 moves, {rooms} rooms");
    let latency = Latency::from(&*latencies.borrow());
    bench.enter_cpu(&workload, program, &phase, count as u64, Some(latency));
    Ok(())
}

/// Rooms that together make so many moves a second, however fast they are answered.
pub async fn paced_moves(
    bench: &mut Bench<'_>,
    program: Program,
    rooms: usize,
    per_s: u32,
) -> Result<()> {
    let subject = Subject::start(program, bench.launch)?;
    let pairs = seat_all(&subject, rooms, &scripts(PLIES)).await?;
    let latencies = Rc::new(RefCell::new(histogram()));
    let rooms_u32 = u32::try_from(rooms)?;
    let every = Duration::from_secs(1) * rooms_u32 / per_s;
    let begin = Instant::now() + Duration::from_millis(50);
    let playing = pairs.into_iter().zip(0..).map(|(pair, number)| {
        let pace = Pace { first: begin + every * number / rooms_u32, every };
        play(pair, Some(pace), &latencies)
    });
    let (phase, _pairs) = measured(&subject, try_join_all(playing)).await?;
    let workload = format!("W1 paced {per_s}/s");
    let latency = Latency::from(&*latencies.borrow());
    bench.enter_cpu(&workload, program, &phase, (rooms * PLIES) as u64, Some(latency));
    Ok(())
}

/// Seats so many pairs, a few at a time.
pub(super) async fn seat_all(
    subject: &Subject,
    rooms: usize,
    scripts: &[Script],
) -> Result<Vec<Pair>> {
    let mut pairs = Vec::with_capacity(rooms);
    for chunk in (0..rooms).collect::<Vec<_>>().chunks(SETUP_AT_ONCE) {
        let seated =
            chunk.iter().map(|&number| pair(subject, number, &scripts[number % scripts.len()]));
        pairs.extend(try_join_all(seated).await?);
    }
    Ok(pairs)
}

/// The same sockets at new games; the old ones are given up.
async fn reseat_all(subject: &Subject, pairs: Vec<Pair>, scripts: &[Script]) -> Result<Vec<Pair>> {
    if subject.program != Program::Adamant {
        return Ok(pairs);
    }
    let mut again = Vec::with_capacity(pairs.len());
    let mut pairs = pairs.into_iter().enumerate().peekable();
    while pairs.peek().is_some() {
        let chunk = pairs.by_ref().take(SETUP_AT_ONCE).map(|(number, mut pair)| async move {
            pair.peers[0].ask(&json!({"type":"resign","id":"r","game":pair.game})).await?;
            for peer in &mut pair.peers {
                peer.text_with(&Finder::new(r#""kind":"ended""#)).await?;
            }
            seat(subject, pair.peers, number, &scripts[number % scripts.len()]).await
        });
        again.extend(try_join_all(chunk.collect::<Vec<_>>()).await?);
    }
    Ok(again)
}

/// When a pair moves.
struct Pace {
    first: Instant,
    every: Duration,
}

/// Plays a pair's game: a move, its answer to the mover, its arrival at the other.
async fn play(
    mut pair: Pair,
    pace: Option<Pace>,
    latencies: &Rc<RefCell<Histogram<u64>>>,
) -> Result<Pair> {
    let is_real = !pair.game.is_empty();
    let (ok, moved) = (Finder::new(r#""type":"ok""#), Finder::new(r#""kind":"moved""#));
    let anything = Finder::new("");
    let (answer, arrival) = if is_real { (&ok, &moved) } else { (&anything, &anything) };
    let mut due = pace.as_ref().map(|pace| pace.first);
    for (mover, frame) in &pair.frames {
        if let (Some(at), Some(pace)) = (&mut due, &pace) {
            sleep_until(*at).await;
            *at += pace.every;
        }
        let sent = Instant::now();
        pair.peers[*mover].send_frame(frame).await?;
        pair.peers[*mover].text_with(answer).await?;
        let micros = u64::try_from(sent.elapsed().as_micros()).unwrap_or(u64::MAX);
        latencies.borrow_mut().saturating_record(micros);
        // The one who has moved hears the event, too, and passes over it when next listening.
        pair.peers[1 - *mover].text_with(arrival).await?;
    }
    Ok(pair)
}
