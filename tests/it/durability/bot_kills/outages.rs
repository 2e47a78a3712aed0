//! The outages of a server, and how soon its clients have moved again.

use std::{collections::BTreeMap, time::Duration};

use rand::{RngExt as _, rngs::SmallRng, seq::SliceRandom as _};

use super::verdict::{Kill, Victim};

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

/// An outage that is to come.
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
pub(super) fn returns(past: &[Past], moved_at: &[u64]) -> Vec<u64> {
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
