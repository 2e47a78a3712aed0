//! Bots of `adamant bot`, the Python and the TypeScript client play at 3 and 5 seconds a move while
//! the server is away again and again.

use std::{collections::BTreeMap, fs, os::unix::fs::symlink, path::PathBuf, time::Duration};

use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};
use tokio::{
    sync::watch,
    time::{Instant, sleep, timeout},
};

use super::{
    kills::{
        Gate, Outage, Past, STANDSTILL, Signal, TICK, draw, finished, have_gone_on, live,
        returns_by_client, row,
    },
    program::{AckedMove, Heard, Program, Start},
    verdict::{Kill, Loss, Verdict},
};
use crate::{
    durability::crash::{checker::History, random_kills::verified_records},
    harness::{Home, Peer, Server, binary, now_ms, python, repository},
};

/// How many outages there are by default.
const OUTAGES: usize = 10;

/// The variable that chooses another number of outages, and a seed: `50` or `50 17`.
const OUTAGES_VARIABLE: &str = "ADAMANT_CLIENT_OUTAGES";

/// The variable with the folder of the TypeScript client, which is built and has its packages.
const TYPESCRIPT_VARIABLE: &str = "ADAMANT_TYPESCRIPT";

/// A board on which games of random moves take a while, and end.
const BOARD: &str = "-board=8x4 -pieces=2x4";

/// The games that a user keeps going with each opponent.
const GAMES: usize = 5;

/// The most moves of the Python and TypeScript bots between two outages. The fewest is none, so
/// that some outages begin while clients come back.
const MOVES_BETWEEN_MAX: usize = 300;

/// How much later than the server clients may come back in the control: a clock stands for 20 s.
const TOO_LATE: Duration = Duration::from_secs(30);

/// The lines that a lost game shows of its loser: how long before and after its end.
const SHOWN_BEFORE_MS: u64 = 30_000;
const SHOWN_AFTER_MS: u64 = 2_000;

/// What a bot is made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Client {
    Adamant,
    Python,
    TypeScript,
}

impl Client {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Adamant => "adamant bot",
            Self::Python => "Python",
            Self::TypeScript => "TypeScript",
        }
    }
}

/// A user, the time for each move in the games that it asks for, and whom it asks.
struct User {
    name: &'static str,
    client: Client,
    move_ms: u64,
    opponents: &'static [&'static str],
}

/// Each pair of clients plays with both times.
const USERS: [User; 6] = [
    User { name: "ada", client: Client::Adamant, move_ms: 0, opponents: &[] },
    User { name: "bea", client: Client::Adamant, move_ms: 0, opponents: &[] },
    User { name: "pia", client: Client::Python, move_ms: 3_000, opponents: &["ada", "bea", "tia"] },
    User { name: "pat", client: Client::Python, move_ms: 5_000, opponents: &["ada", "bea", "tom"] },
    User {
        name: "tia",
        client: Client::TypeScript,
        move_ms: 3_000,
        opponents: &["ada", "bea", "pat"],
    },
    User {
        name: "tom",
        client: Client::TypeScript,
        move_ms: 5_000,
        opponents: &["ada", "bea", "pia"],
    },
];

/// All games that the users want at once.
fn games_wanted() -> usize {
    USERS.iter().map(|user| user.opponents.len() * GAMES).sum()
}

#[expect(clippy::disallowed_methods, reason = "the environment chooses the outages")]
fn chosen() -> (usize, u64) {
    let chosen = std::env::var(OUTAGES_VARIABLE).unwrap_or_else(|_| OUTAGES.to_string());
    let mut numbers = chosen.split(' ');
    let outages = numbers.next().and_then(|count| count.parse().ok()).expect("a number of outages");
    let seed = numbers.next().map(|seed| seed.parse().expect("a seed"));
    (outages, seed.unwrap_or_else(|| rand::rng().random()))
}

#[expect(clippy::disallowed_methods, reason = "xtask builds the client, and says where")]
fn typescript() -> PathBuf {
    let folder = std::env::var_os(TYPESCRIPT_VARIABLE);
    PathBuf::from(folder.expect("cargo xtask kills --clients builds the TypeScript client"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs the TypeScript client, which cargo xtask kills --clients builds"]
async fn outages_cost_no_client_a_game() {
    let (count, seed) = chosen();
    println!("seed {seed}");
    let mut rng = SmallRng::seed_from_u64(seed);
    let outages = draw(count, &mut rng);
    let (verdict, live_min) = play(outages, Duration::ZERO, &mut rng).await;
    assert!(verdict.lost_on_time.is_empty(), "{}", verdict.losses());
    assert_eq!(verdict.ends.get("timed_out"), None, "no outage counts as thinking");
    assert!(verdict.faults.is_empty(), "{}", verdict.faults.join("\n"));
    assert!(live_min * 2 >= games_wanted(), "only {live_min} games were live");
}

/// The control: clients that come back when their clocks run again lose on time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs the TypeScript client, which cargo xtask kills --clients builds"]
async fn clients_that_are_back_too_late_lose_on_time() {
    let mut rng = SmallRng::seed_from_u64(1);
    let outages = vec![Outage { signal: Signal::Kill, lasts: Duration::ZERO }];
    let (verdict, live) = play(outages, TOO_LATE, &mut rng).await;
    let lost = verdict.lost_on_time.len();
    assert!(lost * 2 >= live, "{lost} of {live} games are lost");
}

/// Plays through outages, after which clients reach the server so much later. Returns what the
/// records say, and how many games were live before each outage at least.
async fn play(outages: Vec<Outage>, late: Duration, rng: &mut SmallRng) -> (Verdict, usize) {
    let mut arena = Arena::open().await;
    let mut goes_on = arena.fill().await;
    let of_all = outages.len();
    for (number, outage) in (1..).zip(outages) {
        let moves = arena.moves() + rng.random_range(0..=MOVES_BETWEEN_MAX);
        goes_on = goes_on && arena.play_on(moves).await;
        if goes_on {
            arena.interrupt(outage, late).await;
            println!("outage {number:>3} of {of_all}: {}", arena.last_in_words());
        }
    }
    goes_on = goes_on && arena.live_games_go_on().await;
    arena.close(goes_on).await
}

/// The server, the bots, and what has happened.
struct Arena {
    server: Server,
    gate: Gate,
    bots: Vec<Program>,
    heard: watch::Receiver<Heard>,
    past: Vec<Past>,
    /// The live games before each outage.
    live: Vec<usize>,
}

impl Arena {
    async fn open() -> Self {
        let server = Server::embedded(|setup| {
            setup.argument("--no-limits");
            setup.argument("--no-house");
        })
        .await;
        let gate = Gate::open(server.address()).await;
        let (sender, heard) = watch::channel(Heard::default());
        let mut bots = Vec::new();
        for user in &USERS {
            bots.push(Program::start(gate.address(), start(user).await, true, &sender));
        }
        Self { server, gate, bots, heard, past: Vec::new(), live: Vec::new() }
    }

    /// How many moves the Python and TypeScript bots have seen stored.
    fn moves(&self) -> usize {
        self.heard.borrow().moves.len()
    }

    /// Waits until all games have begun; false if that never happens.
    async fn fill(&mut self) -> bool {
        let mut lists = Peer::anonymous(&self.server).await;
        let given_up_at = Instant::now() + STANDSTILL;
        while live(&mut lists).await.len() < games_wanted() {
            if Instant::now() > given_up_at {
                return false;
            }
            timeout(TICK, self.heard.changed()).await.ok();
        }
        true
    }

    /// Waits until the bots have made so many moves; false if they never do.
    async fn play_on(&mut self, moves: usize) -> bool {
        let reached = self.heard.wait_for(|heard| heard.moves.len() >= moves);
        timeout(STANDSTILL, reached).await.is_ok_and(|reached| reached.is_ok())
    }

    async fn interrupt(&mut self, Outage { signal, lasts }: Outage, late: Duration) {
        self.live.push(live(&mut Peer::anonymous(&self.server).await).await.len());
        let at = now_ms();
        self.gate.shut();
        match signal {
            Signal::Kill => self.server.kill().await,
            Signal::Term => assert!(self.server.stop().await.success(), "it stops in order"),
        }
        sleep(lasts).await;
        self.server.restart().await;
        self.past.push(Past { signal, at, back_at: now_ms() });
        sleep(late).await;
        self.gate.lead_to(self.server.address());
    }

    /// What the last outage was.
    fn last_in_words(&self) -> String {
        let Some(Past { signal, at, back_at }) = self.past.last() else { return String::new() };
        let (away, live, moves) = (back_at - at, self.live.last().unwrap_or(&0), self.moves());
        format!("{}, away for {away} ms, with {live} games, after {moves} moves", signal.as_str())
    }

    /// Waits until both players of each live game have moved again, or it has ended.
    async fn live_games_go_on(&mut self) -> bool {
        let mut lists = Peer::anonymous(&self.server).await;
        let before = live(&mut lists).await;
        let given_up_at = Instant::now() + STANDSTILL;
        while !have_gone_on(&before, &live(&mut lists).await) {
            if Instant::now() > given_up_at {
                return false;
            }
            timeout(TICK, self.heard.changed()).await.ok();
        }
        true
    }

    /// Ends the bots, judges all games, and prints what was found.
    async fn close(mut self, goes_on: bool) -> (Verdict, usize) {
        let mut verdict = Verdict::default();
        if !goes_on {
            verdict.faults.push("the games stand still".to_owned());
        }
        for bot in &mut self.bots {
            if bot.has_ended() {
                verdict.faults.push(format!("{} ended: {}", bot.name, bot.last_line()));
            } else {
                bot.kill().await;
            }
        }
        verdict.until = now_ms();
        let mut acked: BTreeMap<String, Vec<AckedMove>> = BTreeMap::new();
        for ack in &self.heard.borrow().moves {
            acked.entry(ack.game.clone()).or_default().push(ack.clone());
        }
        let kills: Vec<Kill> = self.past.iter().map(Past::as_kill).collect();
        let mut lists = Peer::anonymous(&self.server).await;
        let mut games: Vec<String> = live(&mut lists).await.into_keys().collect();
        games.extend(finished(&mut lists).await);
        for game in games {
            let records = verified_records(&self.server, &game, &History::default()).await;
            let acked = acked.remove(&game).unwrap_or_default();
            verdict.judge(&game, &records, &kills, &acked);
        }
        let live_min = self.live.iter().copied().min().unwrap_or_default();
        println!("{}\nat least {live_min} games live before an outage", self.table(&verdict));
        for loss in &verdict.lost_on_time {
            println!("{loss}, at {}\n{}", loss.at, self.said_before(loss));
        }
        (verdict, live_min)
    }

    /// Formats how long the outages took, and how soon the clients moved again.
    fn table(&self, verdict: &Verdict) -> String {
        let mut lines = vec![format!("{:<24}{:>8}{:>16}{:>16}", "", "times", "p50", "max")];
        for signal in Signal::ALL {
            let of_signal = self.past.iter().filter(|past| past.signal == signal);
            let away = of_signal.map(|past| past.back_at - past.at).collect();
            lines.push(row(&format!("away after {}", signal.as_str()), away));
        }
        let users = USERS.iter().map(|user| (user.name, user.client.as_str()));
        for (client, times) in returns_by_client(&self.past, users, &verdict.moved_at) {
            lines.push(row(&format!("{client} moves"), times));
        }
        lines.push(verdict.sum());
        lines.join("\n")
    }

    /// What a player who has lost said before the end, except for moves.
    fn said_before(&self, loss: &Loss) -> String {
        let Some(bot) = self.bots.iter().find(|bot| bot.name == loss.user) else {
            return String::new();
        };
        let shown = loss.at.saturating_sub(SHOWN_BEFORE_MS)..loss.at + SHOWN_AFTER_MS;
        let said = bot.said();
        let lines = said.iter().filter(|line| shown.contains(&line.at) && !line.is_move());
        let lines: Vec<String> = lines.map(|line| format!("  {} {}", line.at, line.text)).collect();
        lines.join("\n")
    }
}

/// How a user's bot is started, and in which folder.
async fn start(user: &User) -> (Start, Home) {
    let home = Home::new();
    let &User { name, client, move_ms, opponents } = user;
    let of_script = |script: String| -> Vec<String> {
        let wanted = [script, name.to_owned(), move_ms.to_string(), GAMES.to_string()];
        wanted.into_iter().chain(opponents.iter().map(|&name| name.to_owned())).collect()
    };
    let mut variables = vec![("BOARD", BOARD.to_owned())];
    let (program, words) = match client {
        Client::Adamant => {
            let words = ["bot", "--guest", name, "--level", "random", "--accept-any"];
            let at_once = ["--games-at-once", "64"];
            let words = words.into_iter().chain(at_once).map(str::to_owned).collect();
            (binary("adamant"), words)
        }
        Client::Python => {
            let package = repository().join("clients/python/src");
            variables.push(("PYTHONPATH", package.display().to_string()));
            (python().await, of_script(home.write("bot.py", include_str!("bot.py"))))
        }
        Client::TypeScript => {
            let package = typescript();
            // As npm installs it.
            let installed = home.path().join("node_modules/@adamant");
            fs::create_dir_all(&installed).expect("room for files");
            symlink(&package, installed.join("client")).expect("room for files");
            let node = package.join("node_modules/.bin/node");
            (node, of_script(home.write("bot.mjs", include_str!("bot.mjs"))))
        }
    };
    (Start { name, program, words, variables }, home)
}
