//! The pauses and outages of a run.

use std::{fmt, time::Duration};

use rand::{RngExt as _, rngs::SmallRng, seq::SliceRandom as _};

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
    pub(super) means: Means,
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
    pub(super) const ALL: [Self; 6] = [
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

/// An interruption that is to come.
#[derive(Debug, Clone, Copy)]
pub(super) struct Interruption {
    pub(super) kind: Kind,
    pub(super) lasts: Duration,
}

/// Draws the interruptions of a run, in their order.
pub(super) fn draw(is_long: bool, rng: &mut SmallRng) -> Vec<Interruption> {
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
