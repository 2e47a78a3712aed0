//! Games of bots, during which one program after the other is killed.

use std::{collections::BTreeMap, time::Duration};

use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng, seq::SliceRandom as _};
use serde_json::{Value, json};
use tokio::{
    process::Command,
    sync::watch,
    time::{Instant, sleep, timeout},
};

use super::{
    gate::Gate,
    program::{Heard, Program, Start},
    verdict::{Kill, Verdict, Victim},
};
use crate::{
    durability::crash::{checker::History, random_kills::verified_records},
    harness::{Home, Peer, Server, binary, now_ms},
};

/// A clock that allows many restarts: a minute for the game, and 2 seconds more with each move.
pub(super) const LONG_CLOCK: &str = "1m+2s";

/// The bots, each with the game that it seeks and its games at once. Two seek the same.
const BOTS: [(&str, &str, &[&str], &str); 4] = [
    ("ada", "adamas", &["-size=3", "-pieces=8"], "1"),
    ("bea", "adamas", &["-size=3", "-pieces=8"], "1"),
    ("cay", "diam", &["-board=8x4", "-pieces=2x4"], "3"),
    ("dee", "diam", &["-board=8x4", "-pieces=2x4"], "3"),
];

/// How many moves the engines examine for each move: enough that many kills strike a thought.
const NODES: &str = "2000";

/// The most moves of all bots between two kills. The fewest is none, so that some kills strike
/// while programs come back.
const MOVES_BETWEEN_KILLS_MAX: usize = 16;

/// The most milliseconds between these moves and the kill: it is to strike anywhere in a thought.
const DELAY_MS_MAX: u64 = 400;

/// How long the bots may take for these moves: as long as their clocks.
pub(super) const STANDSTILL: Duration = Duration::from_mins(1);

/// The interval at which a program that has ended is noticed.
pub(super) const TICK: Duration = Duration::from_millis(200);

/// What is to be done.
pub(super) struct Campaign {
    /// Chooses the moments and the victims among programs of a kind.
    pub(super) seed: u64,
    /// What is killed, in any order.
    pub(super) victims: Vec<Victim>,
    /// The clock of all games.
    pub(super) clock: &'static str,
    /// Whether a bot that was killed comes back with its log-in.
    pub(super) keeps_log_in: bool,
}

impl Campaign {
    /// Lets the bots play, kills, and judges all games.
    pub(super) async fn run(self) -> Verdict {
        let Self { seed, mut victims, clock, keeps_log_in } = self;
        println!("seed {seed}");
        let mut rng = SmallRng::seed_from_u64(seed);
        victims.shuffle(&mut rng);
        let mut arena = Arena::open(clock, keeps_log_in).await;
        let mut verdict = Verdict::default();
        let has_begun = |arena: &Arena| arena.bots.iter().all(Program::has_played);
        let mut goes_on = arena.until(has_begun).await;
        for (number, victim) in (1..).zip(&victims) {
            let moves = arena.moves() + rng.random_range(0..=MOVES_BETWEEN_KILLS_MAX);
            goes_on = goes_on && arena.until(|arena| arena.moves() >= moves).await;
            sleep(Duration::from_millis(rng.random_range(0..=DELAY_MS_MAX))).await;
            goes_on = goes_on && arena.kill(*victim, &mut rng).await;
            if goes_on && let Some(Kill { bot, .. }) = arena.kills.last() {
                let of = bot.map(|bot| format!(" of {bot}")).unwrap_or_default();
                let (what, moves, of_all) = (victim.as_str(), arena.moves(), victims.len());
                println!("kill {number:>3} of {of_all}: the {what}{of}, after {moves} moves");
            }
        }
        if !goes_on || !arena.live_games_go_on().await {
            verdict.faults.push("the games stand still".to_owned());
        }
        arena.judge(&mut verdict, !keeps_log_in).await;
        println!("{}", verdict.table(&arena.kills));
        println!("longest wait before a reconnect: {} s", arena.heard.borrow().longest_wait_s);
        verdict
    }
}

/// The server, the bots, and what has happened.
struct Arena {
    server: Server,
    gate: Gate,
    bots: Vec<Program>,
    heard: watch::Receiver<Heard>,
    kills: Vec<Kill>,
    /// Bots that have ended by themselves after they had played.
    ended: Vec<String>,
}

impl Arena {
    async fn open(clock: &str, keeps_log_in: bool) -> Self {
        let server = Server::with(|setup| {
            setup.argument("--no-limits");
            setup.argument("--no-house");
        })
        .await;
        let gate = Gate::open(server.address()).await;
        let engine =
            format!("'{}' engine --level search --nodes {NODES}", binary("adamant").display());
        let (sender, heard) = watch::channel(Heard::default());
        let bots = BOTS
            .iter()
            .map(|&(name, game, options, at_once)| {
                let first = ["bot", "--guest", name, "--engine", &engine, "--seek", game];
                let then = ["--clock", clock, "--games-at-once", at_once];
                let words = first.iter().chain(options).chain(&then);
                let words = words.map(|&word| word.to_owned()).collect();
                let program = binary("adamant");
                let start = Start { name, program, words, variables: Vec::new() };
                Program::start(gate.address(), (start, Home::new()), keeps_log_in, &sender)
            })
            .collect();
        Self { server, gate, bots, heard, kills: Vec::new(), ended: Vec::new() }
    }

    /// How many moves the bots know to be acknowledged.
    fn moves(&self) -> usize {
        self.heard.borrow().moves.len()
    }

    /// Starts programs again that have ended by themselves.
    fn revive(&mut self) {
        for bot in &mut self.bots {
            if bot.has_ended() {
                // A bot that finds no server when it starts ends: that is the service manager's.
                if bot.has_played() {
                    self.ended.push(format!("{} ended: {}", bot.name, bot.last_line()));
                }
                bot.start_again(self.gate.address());
            }
        }
    }

    /// Waits until something holds that moves bring about; false if it never does.
    async fn until(&mut self, mut holds: impl FnMut(&Self) -> bool) -> bool {
        let given_up_at = Instant::now() + STANDSTILL;
        loop {
            self.revive();
            if holds(self) {
                return true;
            }
            if Instant::now() > given_up_at {
                return false;
            }
            // No move for a while is no failure yet.
            timeout(TICK, self.heard.changed()).await.ok();
        }
    }

    /// Kills a program, and starts it again. Returns `false` if there is none to kill.
    async fn kill(&mut self, victim: Victim, rng: &mut SmallRng) -> bool {
        let (at, bot) = match victim {
            Victim::Server => {
                let at = now_ms();
                self.server.kill().await;
                self.server.restart().await;
                self.gate.lead_to(self.server.address());
                (at, None)
            }
            Victim::Bot => {
                let chosen = rng.random_range(0..self.bots.len());
                let bot = &mut self.bots[chosen];
                let at = now_ms();
                bot.kill().await;
                bot.start_again(self.gate.address());
                (at, Some(bot.name))
            }
            Victim::Engine => {
                let mut killed = None;
                while killed.is_none() {
                    // A bot that has just come back has no engine yet.
                    if !self.until(|arena| !arena.engines().is_empty()).await {
                        return false;
                    }
                    let engines = self.engines();
                    let Some(&(bot, engine)) =
                        engines.get(rng.random_range(0..engines.len().max(1)))
                    else {
                        continue;
                    };
                    let at = now_ms();
                    // The game may have ended, and its engine with it.
                    killed = kill(engine).await.then_some((at, Some(bot)));
                }
                killed.expect("the loop has ended")
            }
        };
        let back_at = if victim == Victim::Engine { at } else { now_ms() };
        self.kills.push(Kill { victim, bot, at, back_at });
        true
    }

    /// The engines of bots that play, with the bots' names.
    fn engines(&self) -> Vec<(&'static str, u32)> {
        let playing = self.bots.iter().filter(|bot| bot.has_played());
        playing.flat_map(|bot| bot.engines().into_iter().map(|engine| (bot.name, engine))).collect()
    }

    /// Waits until both players of each live game have moved again, or it has ended.
    async fn live_games_go_on(&mut self) -> bool {
        let mut lists = Peer::anonymous(&self.server).await;
        let wanted = live(&mut lists).await;
        let given_up_at = Instant::now() + STANDSTILL;
        loop {
            self.revive();
            if have_gone_on(&wanted, &live(&mut lists).await) {
                return true;
            }
            if Instant::now() > given_up_at {
                return false;
            }
            timeout(TICK, self.heard.changed()).await.ok();
        }
    }

    /// Ends the bots and judges all games. Those with a short clock end by themselves first, so
    /// that no record grows while it is read.
    async fn judge(&mut self, verdict: &mut Verdict, has_short_clocks: bool) {
        for bot in &mut self.bots {
            bot.kill().await;
        }
        verdict.until = now_ms();
        verdict.faults.append(&mut self.ended);
        let mut lists = Peer::anonymous(&self.server).await;
        while has_short_clocks && !live(&mut lists).await.is_empty() {
            timeout(TICK, self.heard.changed()).await.ok();
        }
        let mut games: Vec<String> = live(&mut lists).await.into_keys().collect();
        games.extend(finished(&mut lists).await);
        let acked = self.heard.borrow().moves.clone();
        for game in games {
            let records = verified_records(&self.server, &game, &History::default()).await;
            verdict.judge(&game, &records, &self.kills, &acked);
        }
    }
}

/// The live games with their plies.
pub(super) async fn live(lists: &mut Peer) -> BTreeMap<String, u64> {
    let entry = |game: Value| Some((game["game"].as_str()?.to_owned(), game["ply"].as_u64()?));
    listed(lists, "live").await.into_iter().filter_map(entry).collect()
}

/// Whether both players of each game have moved since, or it has ended.
pub(super) fn have_gone_on(before: &BTreeMap<String, u64>, now: &BTreeMap<String, u64>) -> bool {
    before.iter().all(|(game, ply)| now.get(game).is_none_or(|now| *now >= ply + 2))
}

/// All finished games.
pub(super) async fn finished(lists: &mut Peer) -> Vec<String> {
    let id = |game: Value| Some(game["game"].as_str()?.to_owned());
    listed(lists, "finished").await.into_iter().filter_map(id).collect()
}

/// The whole list of the games in a state.
async fn listed(lists: &mut Peer, state: &str) -> Vec<Value> {
    let mut games = Vec::new();
    let mut request = json!({"type": "games", "state": state, "limit": 100});
    loop {
        let list = lists.ask(request.clone()).await;
        games.extend(list["games"].as_array().into_iter().flatten().cloned());
        let Some(next) = list["next"].as_str().filter(|_| list["more"] == true) else {
            return games;
        };
        request["before"] = json!(next);
    }
}

/// Kills a process with SIGKILL. Returns whether it still ran.
async fn kill(process: u32) -> bool {
    let sent = Command::new("kill").args(["-KILL", &process.to_string()]).output().await;
    sent.is_ok_and(|output| output.status.success())
}
