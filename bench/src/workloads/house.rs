//! How long people wait for the server's bots while the bots, and the analyses of finished games,
//! have much to think about.

use std::{cell::RefCell, time::Duration};

use adamant_rules::Kind;
use anyhow::{Context as _, Result};
use futures::{StreamExt as _, TryStreamExt as _, future::try_join_all, stream};
use hdrhistogram::Histogram;
use memchr::memmem::Finder;
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, interval, sleep, timeout_at};

use super::{
    Bench,
    moves::{SETUP_AT_ONCE, Times, micros_since, play, play_paced, seat_all},
};
use crate::{
    machine,
    peer::{Peer, pair, scripts},
    report::{Latency, histogram},
    target::{Conditions, Program, Service, Target},
    workload_names,
};

/// How long people play.
const FOR: Duration = Duration::from_mins(1);

/// Games with a clock against bots, which are measured, and how long their players think.
const CLOCKED: usize = 20;
const PAUSE: Duration = Duration::from_secs(3);

/// Games without a clock against bots.
const UNTIMED: usize = 100;

/// Finished games that are to be analysed, and the plies of each.
const ANALYSED: usize = 500;
const ANALYSED_PLIES: usize = 40;

/// How long until a full queue is asked again.
const ASK_AGAIN: Duration = Duration::from_millis(100);

/// Games between people, and their moves a second in all.
const ROOMS: usize = 1_000;
const ROOMS_PER_S: u32 = 1;

/// The bots whose thoughts are the longest.
const BOTS: [&str; 3] = ["house-6", "house-7", "house-hard"];

/// The numbers of guests who play against bots.
const FROM: usize = 400_000;

/// The histogram of the waits for a search in games with a clock.
const WAITS: &str = "adamant_house_wait_seconds";

/// What else the server does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beside {
    /// The bots play games without clocks, and finished games are analysed.
    Thoughts,
    /// People play each other.
    Rooms,
}

impl Beside {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Thoughts => workload_names::HOUSE_BESIDE_THOUGHTS,
            Self::Rooms => workload_names::HOUSE_BESIDE_ROOMS,
        }
    }
}

/// Measures the answers of bots in games with a clock, and how long their searches waited.
pub(crate) async fn house(bench: &mut Bench<'_>, beside: Beside) -> Result<()> {
    let conditions = Conditions { service: Service::LoadAndHouse, ..Conditions::default() };
    let target = Target::start_under(conditions, Program::Adamant, bench.launch)?;
    let answers = RefCell::new(histogram());
    let before;
    match beside {
        Beside::Thoughts => {
            let finished = finished_games(&target).await?;
            before = target.begin_peak()?;
            let until = Instant::now() + FOR;
            let untimed = try_join_all((0..UNTIMED).map(|number| {
                let unmeasured = RefCell::new(histogram());
                let target = &target;
                async move { play_bots(target, FROM + number, None, until, &unmeasured).await }
            }));
            let clocked = clocked(&target, until, &answers);
            tokio::try_join!(untimed, clocked, analyse(&target, &finished, until))?;
        }
        Beside::Rooms => {
            let plies = usize::try_from(u64::from(ROOMS_PER_S) * FOR.as_secs())?;
            let pairs = seat_all(&target, ROOMS, &scripts(ANALYSED_PLIES)).await?;
            before = target.begin_peak()?;
            let until = Instant::now() + FOR;
            let (moving, standing) = split(pairs, plies);
            let people = async {
                drop(play_paced(moving, 1, ROOMS_PER_S, &Times::new()).await?);
                Ok(())
            };
            tokio::try_join!(clocked(&target, until, &answers), people)?;
            drop(standing);
        }
    }
    let waits = machine::buckets(target.address(), WAITS).await?;
    let answers = answers.into_inner();
    let latency = Latency::from(&answers);
    let name = beside.name();
    let longest = waits.quantile(1.0).context("no bot has searched")?;
    bench.add(&workload_names::house_wait(name), Program::Adamant, 1e3 * longest, "ms");
    let longest = Duration::from_micros(latency.max_us).as_secs_f64();
    bench.add(&workload_names::house_answer(name), Program::Adamant, longest, "s");
    #[expect(clippy::cast_precision_loss, reason = "a count of moves")]
    bench.add(&workload_names::house_moves(name), Program::Adamant, answers.len() as f64, "moves");
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52 bytes")]
    let mib = target.peak_bytes()?.saturating_sub(before) as f64 / 1_048_576.0;
    bench.add(&workload_names::house_memory(name), Program::Adamant, mib, "MiB");
    Ok(())
}

/// The games of which each makes one move, and those that only stand there.
fn split<T>(mut pairs: Vec<T>, moving: usize) -> (Vec<T>, Vec<T>) {
    let standing = pairs.split_off(moving.min(pairs.len()));
    (pairs, standing)
}

async fn clocked(
    target: &Target,
    until: Instant,
    answers: &RefCell<Histogram<u64>>,
) -> Result<Vec<()>> {
    let clock = json!({"mode":"fischer","base_ms":300_000,"inc_ms":3_000});
    let numbers = FROM + UNTIMED..FROM + UNTIMED + CLOCKED;
    try_join_all(numbers.map(|number| {
        let clock = clock.clone();
        async move { play_bots(target, number, Some(&clock), until, answers).await }
    }))
    .await
}

/// What a player reads of `your_turn`.
#[derive(Deserialize)]
struct Turn {
    turn: u32,
    legal: Vec<String>,
}

/// Plays games against a bot until then, by random moves, and notes how long the bot takes. Without a
/// clock, it moves at once.
async fn play_bots(
    target: &Target,
    number: usize,
    clock: Option<&Value>,
    until: Instant,
    answers: &RefCell<Histogram<u64>>,
) -> Result<()> {
    let mut rng = SmallRng::seed_from_u64(number as u64);
    let (mut peer, name) = (Peer::connect(target.address(), number).await?, format!("p{number}"));
    let hello = json!({"guest":name});
    peer.ask(&json!({"type":"hello","id":"h","proto":[1],"auth":hello,"caps":["legal"]})).await?;
    for round in number.. {
        let kind = Kind::ALL[round % Kind::ALL.len()].name();
        let bot = BOTS[number % BOTS.len()];
        let mut challenge =
            json!({"type":"challenge","id":format!("c{round}"),"rules":kind,"seats":[name, bot]});
        if let Some(clock) = clock {
            challenge["clock"] = clock.clone();
        }
        peer.ask(&challenge).await?;
        let playing = play_game(&mut peer, &mut rng, clock.is_some().then_some(answers));
        match timeout_at(until, playing).await {
            Ok(played) => played?,
            Err(_) => break,
        }
    }
    Ok(())
}

/// Plays one game to its end.
async fn play_game(
    peer: &mut Peer,
    rng: &mut SmallRng,
    answers: Option<&RefCell<Histogram<u64>>>,
) -> Result<()> {
    let words = ["\"type\":\"your_turn\"", "\"kind\":\"ended\"", "\"type\":\"challenge_closed\""];
    let [turn, ended, closed] = words.map(|words| Finder::new(words).into_owned());
    let closed: Value = serde_json::from_slice(peer.text_with(&closed).await?)?;
    let game =
        closed["game"].as_str().with_context(|| format!("the bot said {closed}"))?.to_owned();
    let mut moved_at: Option<Instant> = None;
    loop {
        let text = peer.text().await?;
        if ended.find(text).is_some() {
            return Ok(());
        }
        if turn.find(text).is_none() {
            continue;
        }
        if let Some((answers, at)) = answers.zip(moved_at) {
            answers.borrow_mut().record(micros_since(at))?;
        }
        let Turn { turn, legal } = serde_json::from_slice(text)?;
        let notation = &legal[rng.random_range(0..legal.len())];
        let id = format!("{game}:{turn}");
        let mv = json!({"type":"move","id":id,"game":game,"turn":turn,"move":notation});
        if answers.is_some() {
            sleep(PAUSE).await;
        }
        moved_at = Some(Instant::now());
        peer.send(&mv.to_string()).await?;
    }
}

/// Plays games between people to their end. Returns their ids.
async fn finished_games(target: &Target) -> Result<Vec<String>> {
    let scripts = scripts(ANALYSED_PLIES);
    let playing = (0..ANALYSED).map(|number| {
        let script = &scripts[number % scripts.len()];
        async move {
            let pair = pair(target, number, script).await?;
            let mut pair = play(pair, ANALYSED_PLIES, None, &Times::new()).await?;
            let resign = json!({"type":"resign","id":"r","game":pair.game});
            // A script may have ended the game.
            pair.peers[0].ask_any(&resign).await?;
            anyhow::Ok(pair.game)
        }
    });
    stream::iter(playing).buffer_unordered(SETUP_AT_ONCE).try_collect().await
}

/// Has all these games analysed, as many at once as the server takes.
async fn analyse(target: &Target, games: &[String], until: Instant) -> Result<()> {
    let mut peer = Peer::connect(target.address(), FROM + UNTIMED + CLOCKED).await?;
    peer.ask(&json!({"type":"hello","id":"h","proto":[1],"auth":{"guest":"analyst"}})).await?;
    let mut asking = interval(ASK_AGAIN);
    for (number, game) in (0_u64..).zip(games.iter().cycle()) {
        if Instant::now() >= until {
            break;
        }
        let request = json!({"type":"analyse","id":format!("a{number}"),"game":game});
        let answer = peer.ask_any(&request).await?;
        if answer["type"] == "error" {
            asking.tick().await;
        }
    }
    sleep(until - Instant::now().min(until)).await;
    Ok(())
}
