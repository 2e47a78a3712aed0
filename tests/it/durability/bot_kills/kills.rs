//! No game is lost on time that its clock allowed.

use std::{collections::BTreeMap, net::SocketAddr, time::Duration};

use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng, seq::SliceRandom as _};
use serde_json::{Value, json};
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    process::Command,
    sync::watch,
    task::JoinSet,
    time::{Instant, sleep, timeout},
};

use super::{
    program::{Heard, Program, Start},
    verdict::{Kill, Verdict, Victim},
};
use crate::{
    durability::crash::{checker::History, random_kills::verified_records},
    harness::{self, Home, Peer, Server, binary, now_ms},
};

/// How many programs are killed, in the short and in the long form: as many of each kind.
const KILLS: usize = 6;
const KILLS_LONG: usize = 30;

/// The variable that chooses another number of kills, and a seed: `100` or `100 17`.
const KILLS_VARIABLE: &str = "ADAMANT_BOT_KILLS";

#[expect(clippy::disallowed_methods, reason = "the environment chooses the kills")]
fn chosen() -> (usize, u64) {
    let by_default = if harness::is_long() { KILLS_LONG } else { KILLS };
    let chosen = std::env::var(KILLS_VARIABLE).unwrap_or_else(|_| by_default.to_string());
    let mut numbers = chosen.split(' ');
    let kills = numbers.next().and_then(|kills| kills.parse().ok()).expect("a number of kills");
    let seed = numbers.next().map(|seed| seed.parse().expect("a seed"));
    (kills, seed.unwrap_or_else(|| rand::rng().random()))
}

#[tokio::test]
async fn kills_lose_no_game_on_time() {
    let (kills, seed) = chosen();
    // As many of each kind, in an order of the seed.
    let victims = Victim::ALL.iter().copied().cycle().take(kills).collect();
    let campaign = Campaign { seed, victims, clock: LONG_CLOCK, keeps_log_in: true };
    let verdict = campaign.run().await;
    assert!(verdict.lost_on_time.is_empty(), "{}", verdict.losses());
    assert!(verdict.faults.is_empty(), "{}", verdict.faults.join("\n"));
    assert!(verdict.moves > kills, "the bots have played");
}

/// The control: a bot that does not come back as the same user loses its games on time.
#[tokio::test]
async fn a_bot_without_its_log_in_loses_on_time() {
    let victims = vec![Victim::Bot];
    // This seed strikes a bot whose game lasts, so that it is in a game.
    let campaign = Campaign { seed: 1, victims, clock: "4s+0s", keeps_log_in: false };
    let verdict = campaign.run().await;
    let is_found = verdict.lost_on_time.iter().any(|lost| lost.user == "ada");
    assert!(is_found, "{verdict:?}");
}

/// A clock that allows many restarts: a minute for the game, and 2 seconds more with each move.
const LONG_CLOCK: &str = "1m+2s";

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
    victims: Vec<Victim>,
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

/// Forwards connections to the server that runs now, and cuts them off while none does.
pub(super) struct Gate {
    address: SocketAddr,
    server: watch::Sender<Option<SocketAddr>>,
    /// The task that forwards; it ends with this.
    _forwarding: JoinSet<()>,
}

impl Gate {
    /// Opens an address that leads to a server.
    pub(super) async fn open(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let (server, leads_to) = watch::channel(Some(server));
        let mut forwarding = JoinSet::new();
        forwarding.spawn(forward(listener, leads_to));
        Self { address, server, _forwarding: forwarding }
    }

    /// The address that stays.
    pub(super) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Leads further connections to another port.
    pub(super) fn lead_to(&self, server: SocketAddr) {
        self.server.send_replace(Some(server));
    }

    /// Cuts further connections off: the port may be another program's by now.
    pub(super) fn shut(&self) {
        self.server.send_replace(None);
    }
}

async fn forward(listener: TcpListener, leads_to: watch::Receiver<Option<SocketAddr>>) {
    let mut open = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let (mut client, _) = accepted.expect("it listens");
                let Some(address) = *leads_to.borrow() else { continue };
                open.spawn(async move {
                    if let Ok(mut server) = TcpStream::connect(address).await {
                        let quick = [server.set_nodelay(true), client.set_nodelay(true)];
                        if quick.iter().all(Result::is_ok) {
                            copy_bidirectional(&mut client, &mut server).await.ok();
                        }
                    }
                });
            }
            Some(_) = open.join_next() => {}
        }
    }
}

/// The most milliseconds for which the server is away.
const AWAY_MS_MAX: u64 = 20_000;

/// How the server ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    Kill,
    Term,
}

impl Signal {
    pub(super) const ALL: [Self; 2] = [Self::Kill, Self::Term];

    /// The signal in text.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Kill => "SIGKILL",
            Self::Term => "SIGTERM",
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Outage {
    pub(super) signal: Signal,
    /// The time between the end of the server and its start.
    pub(super) lasts: Duration,
}

/// Draws outages, as many with each signal.
pub(super) fn draw(count: usize, rng: &mut SmallRng) -> Vec<Outage> {
    let mut signals: Vec<Signal> = Signal::ALL.into_iter().cycle().take(count).collect();
    signals.shuffle(rng);
    let lasts = |rng: &mut SmallRng| Duration::from_millis(rng.random_range(0..=AWAY_MS_MAX));
    signals.into_iter().map(|signal| Outage { signal, lasts: lasts(rng) }).collect()
}

/// An outage that is over. Times are in Unix milliseconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Past {
    pub(super) signal: Signal,
    pub(super) at: u64,
    /// When the server listened again.
    pub(super) back_at: u64,
}

impl Past {
    /// The same as a kill of the server.
    pub(super) const fn as_kill(&self) -> Kill {
        Kill { victim: Victim::Server, bot: None, at: self.at, back_at: self.back_at }
    }
}

/// Counts times in milliseconds as a row of a table: how many there are, their median, the greatest.
pub(super) fn row(name: &str, mut times: Vec<u64>) -> String {
    times.sort_unstable();
    let (median, most) = (times.get(times.len() / 2), times.last());
    let [median, most] = [median, most].map(|ms| ms.copied().unwrap_or_default());
    format!("{name:<24}{:>8}{median:>13} ms{most:>13} ms", times.len())
}

/// Returns the milliseconds from the end of each outage to a user's next move. An outage counts
/// only if the user moved before the next one.
fn returns(past: &[Past], moved_at: &[u64]) -> Vec<u64> {
    let nexts = past.iter().skip(1).map(|next| next.at).chain([u64::MAX]);
    let first = |(past, next): (&Past, u64)| {
        let later = moved_at.iter().copied().filter(|at| (past.back_at..next).contains(at));
        later.min().map(|at| at - past.back_at)
    };
    past.iter().zip(nexts).filter_map(first).collect()
}

/// What a user's moves are after all outages, by the name of the user's client.
pub(super) fn returns_by_client<'a>(
    past: &[Past],
    users: impl Iterator<Item = (&'a str, &'static str)>,
    moved_at: &BTreeMap<String, Vec<u64>>,
) -> BTreeMap<&'static str, Vec<u64>> {
    let mut by_client = BTreeMap::new();
    for (user, client) in users {
        let of_user = moved_at.get(user).map(|at| returns(past, at)).unwrap_or_default();
        by_client.entry(client).or_insert_with(Vec::new).extend(of_user);
    }
    by_client
}
