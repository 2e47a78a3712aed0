//! Games by the clock while the server is interrupted again and again.

use std::{collections::BTreeMap, fmt, net::SocketAddr, time::Duration};

use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng, seq::SliceRandom as _};
use tokio::{sync::watch, task::JoinSet, time::sleep};
use tokio_util::sync::CancellationToken;

use super::player::{Loss, Player, Seen, Shared};
use crate::{
    durability::crash::random_kills::wait_for_acks,
    harness::{self, Server, now_ms},
};

/// The variable that chooses a seed.
const SEED_VARIABLE: &str = "ADAMANT_OUTAGES_SEED";

/// Pairs of players, and the games that each pair plays at once.
const PAIRS: usize = 10;
const GAMES: usize = 10;

/// The most moves between two interruptions. The fewest is none, so that some interruptions hit
/// while players come back.
const MOVES_BETWEEN_MAX: u64 = 150;

/// Moves at the end, in which each live game goes on and each flag that fell would be seen.
const MOVES_AT_THE_END: u64 = 1_000;

#[expect(clippy::disallowed_methods, reason = "the environment chooses the seed")]
fn chosen_seed() -> u64 {
    let chosen = std::env::var(SEED_VARIABLE);
    chosen.map_or_else(|_| rand::rng().random(), |seed| seed.parse().expect("a seed"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn outages_and_pauses_cost_nobody_a_game() {
    let seed = chosen_seed();
    println!("seed {seed}");
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut arena = Arena::open(&mut rng).await;
    let mut done = Vec::new();
    for interruption in draw(harness::is_long(), &mut rng) {
        arena.play_on(rng.random_range(0..=MOVES_BETWEEN_MAX)).await;
        done.push(arena.interrupt(interruption).await);
    }
    arena.play_on(MOVES_AT_THE_END).await;
    let report = arena.close(done).await;
    println!("{report}");
    let (in_time, others): (Vec<_>, Vec<_>) =
        report.losses.iter().partition(|loss| loss.is_in_time);
    assert!(in_time.is_empty(), "lost although the move was on its way: {in_time:#?}");
    // A busy machine may hold up a client for too long now and then.
    assert!(others.len() * 50 <= report.games(), "too many are lost otherwise: {others:#?}");
    assert!(report.live_min >= PAIRS * GAMES / 2, "only {} games were live", report.live_min);
}

/// The server and its players.
struct Arena {
    server: Server,
    told: watch::Sender<Option<SocketAddr>>,
    shared: Shared,
    playing: JoinSet<Seen>,
    live_min: usize,
}

/// An interruption that is over.
struct Done {
    kind: Kind,
    /// When it began, in epoch milliseconds.
    from: u64,
}

impl Arena {
    /// Starts the server and all games.
    async fn open(rng: &mut SmallRng) -> Self {
        let server = Server::embedded(|setup| {
            setup.argument("--no-limits");
            setup.argument("--no-house");
        })
        .await;
        let (told, address) = watch::channel(Some(server.address()));
        let shared = Shared {
            address,
            acked: watch::Sender::new(0),
            live: watch::Sender::new(0),
            stop: CancellationToken::new(),
        };
        let mut players = Vec::new();
        for pair in 0..PAIRS {
            let [one, other] = ["ann", "bob"].map(|name| format!("{name}{pair}"));
            for (names, starts) in [([&*one, &*other], GAMES), ([&*other, &*one], 0)] {
                players.push(Player::enter(names, starts, shared.clone(), rng.fork()).await);
            }
        }
        let mut playing = JoinSet::new();
        for player in players {
            playing.spawn(player.run());
        }
        let mut arena = Self { server, told, shared, playing, live_min: PAIRS * GAMES };
        let mut live = arena.shared.live.subscribe();
        while *live.borrow_and_update() < PAIRS * GAMES {
            arena.play_on(1).await;
        }
        arena
    }

    /// Lets the players make a number of moves.
    async fn play_on(&mut self, moves: u64) {
        let target = *self.shared.acked.borrow() + moves;
        let goes_on = wait_for_acks(&self.shared.acked, target, &mut self.playing).await;
        assert!(goes_on, "the games stand still");
    }

    async fn interrupt(&mut self, Interruption { kind, lasts }: Interruption) -> Done {
        let live = *self.shared.live.borrow();
        self.live_min = self.live_min.min(live);
        let from = now_ms();
        match kind.means {
            Means::Pause => {
                self.server.node(0).pause().await;
                sleep(lasts).await;
                self.server.node(0).resume().await;
            }
            Means::Outage => {
                self.server.kill().await;
                self.told.send_replace(None);
                sleep(lasts).await;
                self.server.restart().await;
                self.told.send_replace(Some(self.server.address()));
            }
        }
        let (lasted, in_all) = (lasts.as_millis(), now_ms() - from);
        println!("at {from}, {kind}: {lasted} ms, {in_all} ms in all, with {live} games");
        Done { kind, from }
    }

    /// Ends the games and counts.
    async fn close(mut self, done: Vec<Done>) -> Report {
        self.shared.stop.cancel();
        let (mut ends, mut losses, mut sent_away) = (BTreeMap::new(), Vec::new(), 0);
        while let Some(seen) = self.playing.join_next().await {
            let seen = seen.expect("no player has failed");
            for (reason, count) in seen.ends {
                *ends.entry(reason).or_default() += count;
            }
            losses.extend(seen.losses);
            sent_away += seen.sent_away;
        }
        let (moves, live) = (*self.shared.acked.borrow(), *self.shared.live.borrow());
        Report { done, moves, live, live_min: self.live_min, ends, losses, sent_away }
    }
}

/// What has happened.
struct Report {
    done: Vec<Done>,
    moves: u64,
    /// Games that were live at the end, and the fewest before an interruption.
    live: usize,
    live_min: usize,
    /// Why games ended, with their number.
    ends: BTreeMap<String, usize>,
    losses: Vec<Loss>,
    sent_away: usize,
}

impl Report {
    /// All games, the live ones too.
    fn games(&self) -> usize {
        self.live + self.ends.values().sum::<usize>()
    }

    /// Returns the games that were lost after interruptions of a kind: those whose move was
    /// written in time, and the others.
    fn lost_after(&self, kind: Option<Kind>) -> [usize; 2] {
        let last_before = |at: u64| self.done.iter().rev().find(|done| done.from <= at);
        let of_kind = |loss: &&Loss| last_before(loss.at).map(|done| done.kind) == kind;
        let (in_time, others): (Vec<&Loss>, Vec<&Loss>) =
            self.losses.iter().filter(of_kind).partition(|loss| loss.is_in_time);
        [in_time.len(), others.len()]
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<28}{:>8}{:>20}{:>20}",
            "", "times", "lost, moved in time", "lost otherwise"
        )?;
        for kind in Kind::ALL {
            let times = self.done.iter().filter(|done| done.kind == kind).count();
            let [in_time, others] = self.lost_after(Some(kind));
            writeln!(f, "{:<28}{times:>8}{in_time:>20}{others:>20}", kind.to_string())?;
        }
        let games = self.games();
        let ends: Vec<String> =
            self.ends.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        let (moves, live_min) = (self.moves, self.live_min);
        writeln!(
            f,
            "{games} games, of which at least {live_min} were live before an interruption"
        )?;
        writeln!(
            f,
            "{moves} moves acknowledged; {} sessions sent away by the server",
            self.sent_away
        )?;
        write!(f, "ended: {}", ends.join(", "))
    }
}

/// How the server is interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Means {
    /// The process stands still (SIGSTOP), and its sockets stay open.
    Pause,
    /// The process is killed (SIGKILL), and started again later.
    Outage,
}

/// Interruptions that are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kind {
    means: Means,
    /// How long they last, in milliseconds.
    from_ms: u64,
    until_ms: u64,
    /// How many there are in the short and in the long form.
    short: usize,
    long: usize,
}

impl Kind {
    const fn new(means: Means, (from_ms, until_ms): (u64, u64), short: usize, long: usize) -> Self {
        Self { means, from_ms, until_ms, short, long }
    }

    /// All kinds. A clock stands for 20 seconds at most until its player is back, so that longer
    /// outages count apart.
    const ALL: [Self; 6] = [
        Self::new(Means::Pause, (100, 1_000), 2, 60),
        Self::new(Means::Pause, (1_000, 3_000), 2, 40),
        Self::new(Means::Pause, (3_000, 10_000), 0, 20),
        Self::new(Means::Outage, (0, 3_000), 2, 25),
        Self::new(Means::Outage, (3_000, 20_000), 0, 15),
        Self::new(Means::Outage, (20_000, 30_000), 0, 10),
    ];
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let means = match self.means {
            Means::Pause => "pauses",
            Means::Outage => "outages",
        };
        write!(f, "{means} of {} to {} ms", self.from_ms, self.until_ms)
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Interruption {
    pub(super) kind: Kind,
    lasts: Duration,
}

/// Draws the interruptions of a run, in their order.
fn draw(is_long: bool, rng: &mut SmallRng) -> Vec<Interruption> {
    let mut drawn = Vec::new();
    for kind in Kind::ALL {
        for _ in 0..if is_long { kind.long } else { kind.short } {
            let lasts = Duration::from_millis(rng.random_range(kind.from_ms..=kind.until_ms));
            drawn.push(Interruption { kind, lasts });
        }
    }
    drawn.shuffle(rng);
    drawn
}
