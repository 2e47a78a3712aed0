//! Counts of results: of single games, and of pairs of games with sides changed.

use serde::Serialize;

/// Results of games of one engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Trinomial {
    /// Games that it won alone.
    pub wins: u32,
    /// Games that it shared.
    pub draws: u32,
    /// Games that it lost.
    pub losses: u32,
}

impl Trinomial {
    /// The number of games.
    pub const fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }
}

/// Pairs of games with the same opening and sides changed, by the points that the first engine won
/// in both: 0, 0.5, 1, 1.5 or 2.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(transparent)]
pub struct Pentanomial(pub [u32; 5]);

/// The share of the points of a pair in each class of a [`Pentanomial`].
pub(super) const SHARES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

impl Pentanomial {
    /// Counts a pair in which the first engine won this number of half points, at most 4.
    pub fn add(&mut self, half_points: usize) {
        self.0[half_points] += 1;
    }

    /// The number of pairs.
    pub fn pairs(&self) -> u32 {
        self.0.iter().sum()
    }

    /// Mean and variance of the share of the points of a pair; `None` without pairs.
    pub(super) fn moments(&self) -> Option<(f64, f64)> {
        let pairs = f64::from(self.pairs());
        if pairs == 0.0 {
            return None;
        }
        let weighted = |value: &dyn Fn(f64) -> f64| -> f64 {
            let terms = self.0.iter().zip(SHARES).map(|(&count, at)| f64::from(count) * value(at));
            terms.sum::<f64>() / pairs
        };
        let mean = weighted(&|share| share);
        Some((mean, weighted(&|share| (share - mean).powi(2))))
    }
}
