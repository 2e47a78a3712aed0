//! What the players of a loop's games notice while other clients ask much of the same loop.

use std::{cell::RefCell, net::SocketAddr, rc::Rc, thread, time::Duration};

use anyhow::{Context as _, Result, anyhow};
use clap::ValueEnum;
use futures::future::try_join_all;
use hdrhistogram::Histogram;
use memchr::memmem::{self, Finder};
use serde_json::{Value, json};
use tokio::{
    sync::oneshot,
    task::{JoinSet, LocalSet},
    time::{Instant, MissedTickBehavior, interval},
};

use super::{
    Bench, measured,
    moves::{SETUP_AT_ONCE, Times, WARM_UP_PLIES, micros_since, play, play_paced, seat_all},
};
use crate::{
    machine::{self, Buckets},
    peer::{Pair, Peer, endless, hello, pair, scripts},
    report::{Latency, histogram},
    target::{Conditions, Program, Target},
    workload_names,
};

/// The games whose moves are measured: as many as one live list has.
const GAMES: usize = 200;

/// Their moves a second.
const PER_S: u32 = 400;

/// Moves of each game while the server is otherwise idle, and again under noise.
const PLIES: usize = 20;

/// Plies of the long games.
const LONG_PLIES: usize = 10_000;

/// Long games that are opened by turns: enough that each is parked again before its next turn.
const LONG_GAMES: usize = 4;

/// The number of the first long game's players.
const LONG_FROM: usize = 300_000;

/// How long a game without clients stays open.
const PARK_AFTER: Duration = Duration::from_millis(200);

/// The histogram of the loop's passes.
const PASSES: &str = "adamant_room_pass_seconds";

/// Measures moves on a server with one loop, first without other clients and then with this noise.
pub(crate) async fn interference(bench: &mut Bench<'_>, noise: Noise) -> Result<()> {
    let conditions =
        Conditions { loops: Some(1), park_after: Some(PARK_AFTER), ..Conditions::default() };
    let target = Target::start_under(conditions, Program::Adamant, bench.launch)?;
    let mut long = long_games(&target).await?;
    let pairs = seat_all(&target, GAMES, &scripts(WARM_UP_PLIES + 2 * PLIES)).await?;
    target.settle().await?;
    let pairs = play_paced(pairs, WARM_UP_PLIES, PER_S, &Times::new()).await?;
    let pairs = measure(bench, &target, pairs, &workload_names::quiet(noise.name())).await?;
    let games = NoisyGames {
        watched: pairs[0].game.clone(),
        paged: long.swap_remove(0),
        opened: long,
        plies: LONG_PLIES,
    };
    let running = RunningNoise::start(target.address(), noise, games).await?;
    measure(bench, &target, pairs, noise.name()).await?;
    for (what, count, unit) in running.stop().await?.figures() {
        bench.add(&format!("{}: {what}", noise.name()), Program::Adamant, count, unit);
    }
    Ok(())
}

/// Plays in all games at their pace and adds the latency of moves, and what the loop's passes took.
async fn measure(
    bench: &mut Bench<'_>,
    target: &Target,
    pairs: Vec<Pair>,
    name: &str,
) -> Result<Vec<Pair>> {
    let times = Times::new();
    let before = passes(target).await?;
    let (phase, pairs) = measured(target, play_paced(pairs, PLIES, PER_S, &times)).await?;
    let passes = passes(target).await?.since(&before);
    let latency = Latency::from(&times.borrow().ack);
    let moves = (pairs.len() * PLIES) as u64;
    bench.add_cpu(&workload_names::to_ack(name), Program::Adamant, &phase, moves, Some(latency));
    for (what, seconds) in [
        (workload_names::MEAN_PASS, passes.mean()),
        (workload_names::P99_PASS, passes.quantile(0.99)),
        (workload_names::LONGEST_PASS, passes.quantile(1.0)),
    ] {
        if let Some(seconds) = seconds {
            bench.add(&format!("{name}: {what}"), Program::Adamant, 1e6 * seconds, "us");
        }
    }
    Ok(pairs)
}

async fn passes(target: &Target) -> Result<Buckets> {
    machine::buckets(target.address(), PASSES).await
}

/// Plays the long games, whose players then leave. Returns their ids.
async fn long_games(target: &Target) -> Result<Vec<String>> {
    let script = endless(LONG_PLIES);
    let times = Times::new();
    let playing = (0..=LONG_GAMES).map(|number| {
        let (script, times) = (&script, &times);
        async move {
            let pair = pair(target, LONG_FROM + number, script).await?;
            Ok(play(pair, LONG_PLIES, None, times).await?.game)
        }
    });
    try_join_all(playing).await
}

/// Noise on its own thread.
#[derive(Debug)]
pub(crate) struct RunningNoise {
    stop: oneshot::Sender<()>,
    done: oneshot::Receiver<Result<Heard>>,
}

impl RunningNoise {
    /// Starts the noise, and waits until all its clients are connected.
    pub(crate) async fn start(
        address: SocketAddr,
        noise: Noise,
        games: NoisyGames,
    ) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (begun, begins) = oneshot::channel();
        let (stop, stopped) = oneshot::channel();
        let (send, done) = oneshot::channel();
        thread::spawn(move || {
            machine::give_way();
            let making = make(address, noise, games, begun, stopped);
            // The receiving measurement may have failed already.
            drop(send.send(LocalSet::new().block_on(&runtime, making)));
        });
        let running = Self { stop, done };
        if begins.await.is_err() {
            running.stop().await?;
            return Err(anyhow!("the noise ended at once"));
        }
        Ok(running)
    }

    /// Ends the noise. Returns what its clients have received since all were connected.
    pub(crate) async fn stop(self) -> Result<Heard> {
        // Noise that has failed stops no more.
        self.stop.send(()).ok();
        self.done.await.context("the thread of the noise has ended")?
    }
}

async fn make(
    address: SocketAddr,
    noise: Noise,
    games: NoisyGames,
    begun: oneshot::Sender<()>,
    stopped: oneshot::Receiver<()>,
) -> Result<Heard> {
    let heard = Rc::new(RefCell::new(Heard::new()));
    let stage = Stage { address, games: Rc::new(games), heard: Rc::clone(&heard) };
    let mut clients = noise.begin(&stage).await?;
    heard.replace(Heard::new());
    begun.send(()).ok();
    tokio::select! {
        // An error means that the measurement has failed.
        _ = stopped => {}
        ended = clients.join_next() => {
            ended.context("there are clients")??.context(noise.name())?;
        }
    }
    Ok(heard.replace(Heard::new()))
}

/// Spectators of one of the measured games.
const SPECTATORS: usize = 5_000;

/// Clients that ask for pages of a long game's positions.
const PAGE_READERS: usize = 10;

const PAGE_BOARDS: usize = 100;

/// The shortest time between two openings.
const OPEN_EVERY: Duration = Duration::from_millis(100);

/// The numbers of the first noisy clients.
const NOISY_FROM: usize = 400_000;

/// What other clients do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Noise {
    /// All of them at once.
    All,
    /// A client opens parked games of 10,000 plies.
    Opening,
    /// 5,000 spectators watch one of the measured games.
    Spectators,
    /// A client shows the boards of all measured games.
    Boards,
    /// Ten clients ask for positions of a game of 10,000 plies.
    Positions,
}

/// What the parts of the noise share.
#[derive(Debug, Clone)]
pub(crate) struct Stage {
    pub(crate) address: SocketAddr,
    pub(crate) games: Rc<NoisyGames>,
    pub(crate) heard: Rc<RefCell<Heard>>,
}

impl Noise {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::All => "interference: by all",
            Self::Opening => "interference: by opening",
            Self::Spectators => "interference: by spectators",
            Self::Boards => "interference: by boards",
            Self::Positions => "interference: by positions",
        }
    }

    fn has(self, part: Self) -> bool {
        self == part || self == Self::All
    }

    /// Connects its clients and starts them.
    pub(crate) async fn begin(self, stage: &Stage) -> Result<JoinSet<Result<()>>> {
        let mut clients = JoinSet::new();
        if self.has(Self::Spectators) {
            let numbers: Vec<_> = (0..SPECTATORS).collect();
            for chunk in numbers.chunks(SETUP_AT_ONCE) {
                let joining = chunk.iter().map(|&number| stage.spectator(number));
                for spectator in try_join_all(joining).await? {
                    clients.spawn_local(stage.clone().listen(spectator));
                }
            }
        }
        if self.has(Self::Boards) {
            let peer = stage.client(SPECTATORS).await?;
            clients.spawn_local(stage.clone().show_boards(peer));
        }
        if self.has(Self::Opening) {
            let peer = stage.client(SPECTATORS + 1).await?;
            clients.spawn_local(stage.clone().open_games(peer));
        }
        if self.has(Self::Positions) {
            for number in 0..PAGE_READERS {
                let peer = stage.client(SPECTATORS + 2 + number).await?;
                clients.spawn_local(stage.clone().read_pages(peer));
            }
        }
        Ok(clients)
    }
}

impl Stage {
    async fn client(&self, number: usize) -> Result<Peer> {
        let number = NOISY_FROM + number;
        let mut peer = Peer::connect(self.address, number).await?;
        hello(&mut peer, &json!({"guest": format!("g{number}")})).await?;
        Ok(peer)
    }

    async fn spectator(&self, number: usize) -> Result<Peer> {
        let mut peer = self.client(number).await?;
        peer.ask(&json!({"type":"watch","id":"w","game":self.games.watched})).await?;
        Ok(peer)
    }

    async fn listen(self, mut peer: Peer) -> Result<()> {
        let moved = Finder::new(r#""kind":"moved""#);
        loop {
            peer.text_with(&moved).await?;
            self.heard.borrow_mut().events += 1;
        }
    }

    async fn show_boards(self, mut peer: Peer) -> Result<()> {
        peer.send(&json!({"type":"live","id":"l","many":true}).to_string()).await?;
        let board = Finder::new(r#""position""#);
        loop {
            let boards = board.find_iter(peer.text().await?).count();
            self.heard.borrow_mut().boards += boards as u64;
        }
    }

    async fn open_games(self, mut peer: Peer) -> Result<()> {
        let mut ticks = interval(OPEN_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        for game in self.games.opened.iter().cycle() {
            ticks.tick().await;
            let begun = Instant::now();
            if self.answers(&mut peer, &json!({"type":"watch","id":"w","game":game})).await? {
                self.heard.borrow_mut().openings.saturating_record(micros_since(begun));
            }
            self.answers(&mut peer, &json!({"type":"unwatch","id":"u","game":game})).await?;
        }
        Ok(())
    }

    async fn read_pages(self, mut peer: Peer) -> Result<()> {
        let NoisyGames { paged, plies, .. } = &*self.games;
        let from = plies - PAGE_BOARDS;
        let request = json!({
            "type":"positions","id":"p","game":paged,"from_ply":from,"limit":PAGE_BOARDS
        });
        loop {
            let begun = Instant::now();
            if self.answers(&mut peer, &request).await? {
                self.heard.borrow_mut().pages.saturating_record(micros_since(begun));
            }
        }
    }

    /// Sends a request. Returns whether the server carries it out.
    async fn answers(&self, peer: &mut Peer, request: &Value) -> Result<bool> {
        let id = request.get("id").and_then(Value::as_str).context("a request has an id")?;
        peer.send(&request.to_string()).await?;
        let reply = peer.text_with(&Finder::new(&format!(r#""re":"{id}""#))).await?;
        let is_refused = memmem::find(reply, br#""type":"error""#).is_some();
        self.heard.borrow_mut().refused += u64::from(is_refused);
        Ok(!is_refused)
    }
}

/// The games that the noise is about.
#[derive(Debug)]
pub(crate) struct NoisyGames {
    /// The measured game with spectators.
    pub(crate) watched: String,
    /// The long game whose positions are read.
    pub(crate) paged: String,
    /// The long games that are opened by turns.
    pub(crate) opened: Vec<String>,
    /// The plies of each long game.
    pub(crate) plies: usize,
}

/// What the noisy clients have received.
#[derive(Debug)]
pub(crate) struct Heard {
    pub(crate) events: u64,
    /// Boards of the live list.
    pub(crate) boards: u64,
    pub(crate) refused: u64,
    /// How long openings took.
    pub(crate) openings: Histogram<u64>,
    /// How long pages of positions took.
    pub(crate) pages: Histogram<u64>,
}

impl Heard {
    pub(crate) fn new() -> Self {
        let (openings, pages) = (histogram(), histogram());
        Self { events: 0, boards: 0, refused: 0, openings, pages }
    }

    /// The figures of the noise that there was, each with its unit.
    #[expect(clippy::cast_precision_loss, reason = "counts of work are far below 2^52")]
    pub(crate) fn figures(&self) -> Vec<(&'static str, f64, &'static str)> {
        let mut figures = vec![("refused requests", self.refused as f64, "requests")];
        if self.events > 0 {
            figures.push(("events to spectators", self.events as f64, "events"));
        }
        if self.boards > 0 {
            figures.push(("boards of the live list", self.boards as f64, "boards"));
        }
        for (times, count, median) in [
            (&self.openings, "openings", "median opening"),
            (&self.pages, "pages of positions", "median page"),
        ] {
            if !times.is_empty() {
                figures.push((count, times.len() as f64, "answers"));
                figures.push((median, times.value_at_quantile(0.5) as f64, "us"));
            }
        }
        figures
    }
}
