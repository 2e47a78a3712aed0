//! What other clients notice of an attack: those that are connected before it, newcomers, and a player
//! who comes back; and the report about it.

use std::{
    collections::BTreeMap,
    fmt::{self, Display, Write as _},
    net::{Ipv4Addr, SocketAddr},
    time::Duration,
};

use anyhow::{Context as _, Result, ensure};
use futures::future::join_all;
use hdrhistogram::Histogram;
use memchr::memmem::Finder;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::{Instant, MissedTickBehavior, error::Elapsed, interval, sleep_until, timeout};

use crate::{
    peer::{Peer, begin_game, hello},
    report::histogram,
};

/// Sessions that ping, each from its own address.
const SESSIONS: u8 = 4;

/// The interval of each session's pings, within the server's limit of messages.
const PING_EVERY: Duration = Duration::from_millis(125);

/// A ping that takes longer counts as this long.
const LONGEST: Duration = Duration::from_mins(1);

/// A few connected clients that only ping.
#[derive(Debug)]
pub(crate) struct Bystander {
    peers: Vec<Peer>,
    pings: u64,
}

impl Bystander {
    pub(crate) async fn connect(address: SocketAddr) -> Result<Self> {
        let mut peers = Vec::new();
        for number in 1..=SESSIONS {
            let from = Ipv4Addr::new(127, 0, 200, number);
            let mut peer = Peer::connect_from(address, from).await?;
            hello(&mut peer, &json!({"guest":format!("bystander{number}")})).await?;
            peers.push(peer);
        }
        Ok(Self { peers, pings: 0 })
    }

    /// Pings until `until`; returns the durations.
    pub(crate) async fn ping_until(&mut self, until: Instant) -> Result<Pings> {
        self.pings += 1;
        let round = self.pings;
        let pinging = self.peers.iter_mut().map(|peer| ping_until(peer, round, until));
        let mut all = histogram();
        let mut closed = 0;
        for result in join_all(pinging).await {
            let (one, is_closed) = result?;
            all.add(one)?;
            closed += u64::from(is_closed);
        }
        Ok(Pings::new(&all, closed))
    }
}

async fn ping_until(peer: &mut Peer, round: u64, until: Instant) -> Result<(Histogram<u64>, bool)> {
    let mut times = histogram();
    let mut ticks = interval(PING_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut count = 0_u64;
    while Instant::now() < until {
        ticks.tick().await;
        count += 1;
        let begun = Instant::now();
        let ping = json!({"type":"ping","id":format!("p{round}-{count}"),"t0":0});
        let answered = timeout(LONGEST, peer.ask_any(&ping)).await;
        times.record(u64::try_from(begun.elapsed().as_micros())?.max(1))?;
        if let Ok(Err(_)) = answered {
            return Ok((times, true));
        }
    }
    Ok((times, false))
}

/// How often a newcomer connects.
const COME_EVERY: Duration = Duration::from_secs(2);

/// How long a newcomer waits before it gives up.
const PATIENCE: Duration = Duration::from_secs(10);

/// Runs newcomers one after the other, each from its own address.
pub(crate) async fn newcomers(address: SocketAddr, until: Instant) -> Visits {
    let mut newcomers = Visits::default();
    for number in 1..=250_u8 {
        let begun = Instant::now();
        if begun + COME_EVERY > until {
            break;
        }
        newcomers.came(timeout(PATIENCE, play(address, number)).await, begun);
        sleep_until((begun + COME_EVERY).min(until)).await;
    }
    newcomers
}

/// Connects, sends `hello`, challenges a server bot, makes one move and resigns.
async fn play(address: SocketAddr, number: u8) -> Result<()> {
    let mut peer = Peer::connect_from(address, Ipv4Addr::new(127, 0, 201, number)).await?;
    let name = format!("newcomer{number}");
    peer.ask(&json!({
        "type":"hello","id":"h","proto":[1],"auth":{"guest":name},"caps":["legal"]
    }))
    .await
    .context("hello")?;
    let clock = json!({"mode":"fischer","base_ms":180_000,"inc_ms":2_000});
    peer.ask(&json!({
        "type":"challenge","id":"c","rules":"diam","seats":[name,"house"],"clock":clock
    }))
    .await
    .context("challenge")?;
    let turn: Value = loop {
        let text = peer.text().await?;
        if Finder::new(r#""type":"your_turn""#).find(text).is_some() {
            break serde_json::from_slice(text)?;
        }
        let declined = Finder::new(r#""type":"challenge_closed""#).find(text).is_some()
            && Finder::new(r#""reason":"declined""#).find(text).is_some();
        ensure!(!declined, "the house declines: {}", String::from_utf8_lossy(text));
    };
    peer.ask(&json!({
        "type":"move","id":"m","game":turn["game"],"turn":turn["turn"],"move":turn["legal"][0]
    }))
    .await
    .context("move")?;
    peer.ask(&json!({"type":"resign","id":"r","game":turn["game"]})).await.context("resign")?;
    Ok(())
}

/// How often the player comes back: the game is parked in between.
const RETURN_EVERY: Duration = Duration::from_secs(4);

/// A player who has left a game, at its turn.
#[derive(Debug)]
pub(crate) struct Returning {
    address: SocketAddr,
    token: Value,
    game: String,
}

impl Returning {
    /// Begins a game with a running clock; both players leave.
    pub(crate) async fn begin(address: SocketAddr) -> Result<Self> {
        let mut opponent = Peer::connect_from(address, Ipv4Addr::new(127, 0, 203, 2)).await?;
        hello(&mut opponent, &json!({"guest":"opponent"})).await?;
        let mut player = Peer::connect_from(address, home()).await?;
        let welcome = hello(&mut player, &json!({"guest":"returning"})).await?;
        let clock = json!({"mode":"fischer","base_ms":600_000,"inc_ms":0});
        let rules = ("adamas", "");
        let game = begin_game(&mut opponent, &mut player, rules, Some(&clock)).await?;
        let first = json!({"type":"move","id":"m","game":game,"turn":0,"move":"c1-c2"});
        opponent.ask(&first).await.context("the first move")?;
        Ok(Self { address, token: welcome["token"].clone(), game })
    }

    /// Comes back again and again until `until`.
    pub(crate) async fn return_until(&self, until: Instant) -> Visits {
        let mut visits = Visits::default();
        loop {
            let begun = Instant::now();
            if begun + RETURN_EVERY > until {
                return visits;
            }
            visits.came(timeout(PATIENCE, self.come_back()).await, begun);
            sleep_until((begun + RETURN_EVERY).min(until)).await;
        }
    }

    /// Connects, sends `hello`, and asks for the game.
    async fn come_back(&self) -> Result<()> {
        let mut player = Peer::connect_from(self.address, home()).await?;
        hello(&mut player, &json!({"token":self.token})).await.context("hello")?;
        let watch = json!({"type":"watch","id":"w","game":self.game});
        player.ask(&watch).await.context("the game")?;
        Ok(())
    }
}

const fn home() -> Ipv4Addr {
    Ipv4Addr::new(127, 0, 203, 1)
}

/// The largest 95th percentile of a bystander's ping during an attack, in milliseconds.
const PING_P95_MAX_MS: f64 = 50.0;

/// The longest time in which a player is back in the game during an attack, in milliseconds.
const RETURN_MAX_MS: u64 = 1_000;

/// The durations of a bystander's pings, in milliseconds.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Pings {
    pub(crate) count: u64,
    pub(crate) p50_ms: f64,
    /// The 95th percentile.
    pub(crate) p95_ms: f64,
    pub(crate) max_ms: f64,
    /// Bystanders whose connection the server closed.
    pub(crate) closed: u64,
}

impl Pings {
    pub(crate) fn new(times: &Histogram<u64>, closed: u64) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "microseconds of at most a minute")]
        let ms = |micros: u64| micros as f64 / 1_000.0;
        Self {
            count: times.len(),
            p50_ms: ms(times.value_at_quantile(0.5)),
            p95_ms: ms(times.value_at_quantile(0.95)),
            max_ms: ms(times.max()),
            closed,
        }
    }
}

/// Clients that come during an attack.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Visits {
    pub(crate) came: u64,
    /// Those that got what they came for.
    pub(crate) served: u64,
    /// The longest time that one of these took, in milliseconds.
    pub(crate) slowest_ms: u64,
    /// The reasons of the others, with counts.
    pub(crate) failures: BTreeMap<String, u64>,
}

impl Visits {
    /// Counts a client that came at that time, and what came of it.
    pub(crate) fn came(&mut self, outcome: Result<Result<()>, Elapsed>, begun: Instant) {
        self.came += 1;
        let why = match outcome {
            Ok(Ok(())) => {
                self.served += 1;
                let took_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
                self.slowest_ms = self.slowest_ms.max(took_ms);
                return;
            }
            Ok(Err(error)) => format!("{error:#}"),
            Err(_) => "gave up after 10 s".to_owned(),
        };
        *self.failures.entry(why).or_default() += 1;
    }
}

impl Display for Visits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}/{}", self.served, self.came))
    }
}

/// An attack and its effects.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Outcome {
    pub(crate) attack: String,
    /// Pings before the attack.
    pub(crate) idle: Pings,
    /// Pings during the attack.
    pub(crate) attacked: Pings,
    /// Pings after the attack.
    pub(crate) after: Pings,
    /// New clients during the attack, who play a server bot and make a move.
    pub(crate) newcomers: Visits,
    /// A player whose clock runs, and who comes back to the game during the attack.
    pub(crate) returns: Visits,
    /// The server's memory before the attack, at its end and after it, in MiB.
    pub(crate) memory_mib: [f64; 3],
    /// The data directory's size at the same times, in MiB.
    pub(crate) disk_mib: [f64; 3],
    /// Rooms open after the attack, if the server counts them.
    pub(crate) rooms: Option<f64>,
    /// What the attackers did, with counts.
    pub(crate) counts: BTreeMap<String, u64>,
    /// What must not happen to the attack's target, with counts.
    pub(crate) harms: BTreeMap<String, u64>,
}

impl Outcome {
    /// Whether other clients could go on.
    pub(crate) fn is_held(&self) -> bool {
        self.attacked.p95_ms < PING_P95_MAX_MS
            && self.attacked.closed == 0
            && self.harms.is_empty()
            && self.newcomers.served == self.newcomers.came
            && self.returns.served == self.returns.came
            && self.returns.slowest_ms < RETURN_MAX_MS
    }
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct AttackReport {
    /// In the order of the run.
    pub(crate) attacks: Vec<Outcome>,
}

impl AttackReport {
    pub(crate) fn is_held(&self) -> bool {
        self.attacks.iter().all(Outcome::is_held)
    }

    pub(crate) fn table(&self) -> String {
        let mut out = String::new();
        self.write_to(&mut out).expect("writing to a string does not fail");
        out
    }

    fn write_to(&self, out: &mut String) -> fmt::Result {
        writeln!(
            out,
            "{:<15} {:>9} {:>9} {:>9} {:>9} {:>9} {:>10} {:>8} {:>8} {:>18} {:>21} {:>6}  held",
            "attack",
            "idle p95",
            "p50 ms",
            "p95 ms",
            "max ms",
            "newcomers",
            "slowest ms",
            "returns",
            "back ms",
            "memory MiB",
            "disk MiB",
            "rooms"
        )?;
        for attack in &self.attacks {
            writeln!(
                out,
                "{:<15} {:>9.1} {:>9.1} {:>9.1} {:>9.1} {:>9} {:>10} {:>8} {:>8} {:>18} {:>21} {:>6}  {}",
                attack.attack,
                attack.idle.p95_ms,
                attack.attacked.p50_ms,
                attack.attacked.p95_ms,
                attack.attacked.max_ms,
                attack.newcomers,
                attack.newcomers.slowest_ms,
                attack.returns,
                attack.returns.slowest_ms,
                steps(attack.memory_mib),
                steps(attack.disk_mib),
                attack.rooms.map_or_else(|| "-".to_owned(), |rooms| format!("{rooms:.0}")),
                if attack.is_held() { "yes" } else { "NO" },
            )?;
        }
        for attack in &self.attacks {
            let counts = list(&attack.counts);
            writeln!(out, "- {}: {counts}", attack.attack)?;
            if !attack.harms.is_empty() {
                writeln!(out, "  harm: {}", list(&attack.harms))?;
            }
            for (who, visits) in [("newcomers", &attack.newcomers), ("returns", &attack.returns)] {
                if !visits.failures.is_empty() {
                    writeln!(out, "  {who}: {}", list(&visits.failures))?;
                }
            }
        }
        Ok(())
    }
}

fn steps([before, during, after]: [f64; 3]) -> String {
    format!("{before:.0}>{during:.0}>{after:.0}")
}

fn list(counts: &BTreeMap<String, u64>) -> impl Display {
    let mut out = String::new();
    for (what, count) in counts {
        let comma = if out.is_empty() { "" } else { ", " };
        write!(out, "{comma}{what} {count}").expect("writing to a string does not fail");
    }
    out
}

#[expect(clippy::cast_precision_loss, reason = "a size needs no more than three digits")]
pub(crate) fn mib(bytes: u64) -> f64 {
    bytes as f64 / (1024.0 * 1024.0)
}
