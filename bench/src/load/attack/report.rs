//! What was noticed of each attack.

use std::{
    collections::BTreeMap,
    fmt::{self, Display, Write as _},
};

use hdrhistogram::Histogram;
use serde::Serialize;

/// The 95th percentile of a bystander's ping may be so long during an attack, in milliseconds.
const PING_P95_MAX_MS: f64 = 50.0;

/// How long a bystander's pings took, in milliseconds.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Pings {
    /// How many.
    pub count: u64,
    /// Half of them were as fast.
    pub p50_ms: f64,
    /// 95 of 100 were as fast.
    pub p95_ms: f64,
    /// The slowest.
    pub max_ms: f64,
    /// Bystanders whose connection the server closed.
    pub closed: u64,
}

impl Pings {
    pub(super) fn new(times: &Histogram<u64>, closed: u64) -> Self {
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

/// Clients that came during an attack.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Newcomers {
    /// How many came.
    pub came: u64,
    /// How many connected, said hello, found the server's player and made a move.
    pub played: u64,
    /// How long the slowest of these took, in milliseconds.
    pub slowest_ms: u64,
    /// Why the others did not, with counts.
    pub failures: BTreeMap<String, u64>,
}

impl Newcomers {
    pub(super) fn failed(&mut self, why: String) {
        *self.failures.entry(why).or_default() += 1;
    }
}

/// One attack and what was noticed of it.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// Its name.
    pub attack: String,
    /// Pings before it.
    pub idle: Pings,
    /// Pings during it.
    pub attacked: Pings,
    /// Pings after it.
    pub after: Pings,
    /// Who came during it.
    pub newcomers: Newcomers,
    /// The server's memory before, at the end of the attack and afterwards, in MiB.
    pub memory_mib: [f64; 3],
    /// The data directory's size at the same moments, in MiB.
    pub disk_mib: [f64; 3],
    /// Rooms that are open afterwards, if the server counts them.
    pub rooms: Option<f64>,
    /// What the attackers did.
    pub counts: BTreeMap<String, u64>,
    /// What happened to the target of the attack and must not.
    pub harms: BTreeMap<String, u64>,
}

impl Outcome {
    /// Whether others could go on.
    pub fn is_held(&self) -> bool {
        self.attacked.p95_ms < PING_P95_MAX_MS
            && self.attacked.closed == 0
            && self.harms.is_empty()
            && self.newcomers.played == self.newcomers.came
    }
}

/// All attacks of one run.
#[derive(Debug, Default, Serialize)]
pub struct AttackReport {
    /// In the order in which they were carried out.
    pub attacks: Vec<Outcome>,
}

impl AttackReport {
    /// Whether the server held in all of them.
    pub fn is_held(&self) -> bool {
        self.attacks.iter().all(Outcome::is_held)
    }

    /// The table.
    pub fn table(&self) -> String {
        let mut out = String::new();
        self.write_to(&mut out).expect("writing to a string does not fail");
        out
    }

    fn write_to(&self, out: &mut String) -> fmt::Result {
        writeln!(
            out,
            "{:<15} {:>9} {:>9} {:>9} {:>9} {:>9} {:>10} {:>18} {:>21} {:>6}  held",
            "attack",
            "idle p95",
            "p50 ms",
            "p95 ms",
            "max ms",
            "newcomers",
            "slowest ms",
            "memory MiB",
            "disk MiB",
            "rooms"
        )?;
        for attack in &self.attacks {
            writeln!(
                out,
                "{:<15} {:>9.1} {:>9.1} {:>9.1} {:>9.1} {:>9} {:>10} {:>18} {:>21} {:>6}  {}",
                attack.attack,
                attack.idle.p95_ms,
                attack.attacked.p50_ms,
                attack.attacked.p95_ms,
                attack.attacked.max_ms,
                format!("{}/{}", attack.newcomers.played, attack.newcomers.came),
                attack.newcomers.slowest_ms,
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
            if !attack.newcomers.failures.is_empty() {
                writeln!(out, "  newcomers: {}", list(&attack.newcomers.failures))?;
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
pub(super) fn mib(bytes: u64) -> f64 {
    bytes as f64 / (1024.0 * 1024.0)
}
