//! The effects of each attack.

use std::{
    collections::BTreeMap,
    fmt::{self, Display, Write as _},
};

use hdrhistogram::Histogram;
use serde::Serialize;
use tokio::time::{Instant, error::Elapsed};

/// The largest 95th percentile of a bystander's ping during an attack, in milliseconds.
const PING_P95_MAX_MS: f64 = 50.0;

/// The longest time in which a player is back in the game during an attack, in milliseconds.
const RETURN_MAX_MS: u64 = 1_000;

/// The durations of a bystander's pings, in milliseconds.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Pings {
    /// The number of pings.
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
    pub(crate) fn came(&mut self, outcome: Result<anyhow::Result<()>, Elapsed>, begun: Instant) {
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
