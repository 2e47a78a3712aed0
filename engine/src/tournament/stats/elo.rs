//! The difference of strength in Elo, with its interval.

use serde::Serialize;

use super::{
    normal::{Z_95, below},
    pairs::Pentanomial,
};

/// Returns the share of the points that is expected at a difference in Elo.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// Returns the difference in Elo at which this share of the points is expected; infinite for 0
/// and 1.
pub fn elo_of_score(score: f64) -> f64 {
    -400.0 * (1.0 / score.clamp(0.0, 1.0) - 1.0).log10()
}

/// An estimate of the first engine's advantage over the second.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Estimate {
    /// The share of the points of the first engine, from 0 to 1.
    pub score: f64,
    /// The difference in Elo. Infinite values are `null` in JSON.
    pub elo: f64,
    /// The lower end of the interval of 95 %.
    pub elo_low: f64,
    /// Its upper end.
    pub elo_high: f64,
    /// The likelihood that the first engine is the stronger one.
    pub los: f64,
}

impl Estimate {
    /// Estimates from pairs, so that the opening's part in the result cancels out. `None` without
    /// pairs.
    pub fn of(pairs: &Pentanomial) -> Option<Self> {
        let (score, variance) = pairs.moments()?;
        let deviation = (variance / f64::from(pairs.pairs())).sqrt();
        let los = if deviation > 0.0 {
            below((score - 0.5) / deviation)
        } else {
            // All pairs ended alike.
            match score.total_cmp(&0.5) {
                std::cmp::Ordering::Less => 0.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Greater => 1.0,
            }
        };
        Some(Self {
            score,
            elo: elo_of_score(score),
            elo_low: elo_of_score(score - Z_95 * deviation),
            elo_high: elo_of_score(score + Z_95 * deviation),
            los,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_differences_belong_together() {
        for (score, elo) in [(0.5, 0.0), (0.640_065, 100.0), (0.75, 190.848_5), (0.909_091, 400.0)]
        {
            assert!((elo_of_score(score) - elo).abs() < 1e-3, "{score}");
            assert!((score_of_elo(elo) - score).abs() < 1e-6, "{elo}");
        }
        assert_eq!((elo_of_score(1.0), elo_of_score(0.0)), (f64::INFINITY, f64::NEG_INFINITY));
    }

    /// As published with tests of Stockfish in November 2021.
    #[test]
    fn estimates_are_those_of_published_matches() {
        for (pairs, elo, reach, los) in [
            ([254, 4_576, 10_260, 4_787, 123], -0.44, 1.8, 0.312),
            ([54, 3_358, 9_352, 3_754, 13], 3.30, 1.8, 1.0),
        ] {
            let found = Estimate::of(&Pentanomial(pairs)).unwrap();
            assert!((found.elo - elo).abs() < 0.005, "{found:?}");
            assert!(((found.elo_high - found.elo_low) / 2.0 - reach).abs() < 0.05, "{found:?}");
            assert!((found.los - los).abs() < 5e-4, "{found:?}");
        }
    }

    #[test]
    fn pairs_that_all_end_alike_have_no_spread() {
        let all_won = Estimate::of(&Pentanomial([0, 0, 0, 0, 9])).unwrap();
        assert_eq!(
            (all_won.elo, all_won.elo_low, all_won.los),
            (f64::INFINITY, f64::INFINITY, 1.0)
        );
        let all_split = Estimate::of(&Pentanomial([0, 0, 9, 0, 0])).unwrap();
        assert_eq!((all_split.elo, all_split.elo_high, all_split.los), (0.0, 0.0, 0.5));
        assert_eq!(Estimate::of(&Pentanomial::default()), None);
    }
}
