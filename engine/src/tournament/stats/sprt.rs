//! The sequential probability ratio test: is the first engine stronger by `elo1` or by `elo0`?
//!
//! It is the generalised test (GSPRT) on pairs: the likelihoods are those of the distributions that
//! fit the results best among those with the expected score of each hypothesis. Source: M. Van den
//! Bergh, "A practical introduction to the GSPRT", the basis of the tests of Stockfish.

use std::str::FromStr;

use serde::Serialize;

use super::{
    elo::score_of_elo,
    pairs::{Pentanomial, SHARES},
};

/// What a class without pairs counts as, so that no likelihood is zero.
const COUNT_MIN: f64 = 1e-3;

/// Halvings of an interval: more than the digits of a number.
const HALVINGS: u32 = 100;

/// The hypotheses of a test and its error rates.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct SprtBounds {
    /// The advantage of the first engine if the test fails (H0).
    pub elo0: f64,
    /// The advantage of the first engine if the test passes (H1).
    pub elo1: f64,
    /// The probability that it passes although H0 is true.
    pub alpha: f64,
    /// The probability that it fails although H1 is true.
    pub beta: f64,
}

/// Why bounds are wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SprtBoundsError {
    /// A part is not `NAME=NUMBER` with a known name.
    #[error("{0} is not a part of a test; write elo0=0,elo1=10,alpha=0.05,beta=0.05")]
    Part(String),
    /// A hypothesis is missing.
    #[error("a test needs elo0 and elo1, as in elo0=0,elo1=10")]
    Missing,
    /// The hypotheses are in the wrong order.
    #[error("elo0 must be less than elo1, and both between -1000 and 1000")]
    Hypotheses,
    /// An error rate is no probability.
    #[error("alpha and beta must be above 0 and below 0.5")]
    Rates,
}

impl FromStr for SprtBounds {
    type Err = SprtBoundsError;

    fn from_str(text: &str) -> Result<Self, SprtBoundsError> {
        let (mut elo0, mut elo1, mut alpha, mut beta) = (None, None, 0.05, 0.05);
        for part in text.split(',') {
            let wrong = || SprtBoundsError::Part(part.to_owned());
            let (name, number) = part.split_once('=').ok_or_else(wrong)?;
            let number: f64 = number.trim().parse().map_err(|_| wrong())?;
            match name.trim() {
                "elo0" => elo0 = Some(number),
                "elo1" => elo1 = Some(number),
                "alpha" => alpha = number,
                "beta" => beta = number,
                _ => return Err(wrong()),
            }
        }
        let (Some(elo0), Some(elo1)) = (elo0, elo1) else { return Err(SprtBoundsError::Missing) };
        let is_rate = |rate: f64| rate > 0.0 && rate < 0.5;
        if !(elo0 < elo1 && elo0 >= -1_000.0 && elo1 <= 1_000.0) {
            Err(SprtBoundsError::Hypotheses)
        } else if !is_rate(alpha) || !is_rate(beta) {
            Err(SprtBoundsError::Rates)
        } else {
            Ok(Self { elo0, elo1, alpha, beta })
        }
    }
}

/// What a test says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// More games are needed.
    Continue,
    /// It fails: the first engine is not stronger by `elo1`.
    AcceptH0,
    /// It passes: the first engine is stronger than by `elo0`.
    AcceptH1,
}

/// The state of a test.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Sprt {
    /// The hypotheses and error rates.
    #[serde(flatten)]
    pub bounds: SprtBounds,
    /// The logarithm of the likelihood ratio of H1 and H0.
    pub llr: f64,
    /// H0 is accepted at this value or below.
    pub lower: f64,
    /// H1 is accepted at this value or above.
    pub upper: f64,
    /// What follows.
    pub verdict: Verdict,
}

impl Sprt {
    /// Tests pairs.
    pub fn of(bounds: SprtBounds, pairs: &Pentanomial) -> Self {
        let lower = (bounds.beta / (1.0 - bounds.alpha)).ln();
        let upper = ((1.0 - bounds.beta) / bounds.alpha).ln();
        let llr = log_likelihood_ratio(pairs, bounds.elo0, bounds.elo1);
        let verdict = if llr >= upper {
            Verdict::AcceptH1
        } else if llr <= lower {
            Verdict::AcceptH0
        } else {
            Verdict::Continue
        };
        Self { bounds, llr, lower, upper, verdict }
    }
}

fn log_likelihood_ratio(pairs: &Pentanomial, elo0: f64, elo1: f64) -> f64 {
    if pairs.pairs() == 0 {
        return 0.0;
    }
    let counts = pairs.0.map(|count| f64::from(count).max(COUNT_MIN));
    let total: f64 = counts.iter().sum();
    let observed = counts.map(|count| count / total);
    let (h0, h1) =
        (best_fit(&observed, score_of_elo(elo0)), best_fit(&observed, score_of_elo(elo1)));
    let terms = observed.iter().zip(h0.iter().zip(h1));
    total * terms.map(|(p, (p0, p1))| p * (p1 / p0).ln()).sum::<f64>()
}

/// Returns the distribution with this mean under which the observed one is likeliest: each class
/// is divided by `1 + t * (share - mean)`, with the `t` that gives the mean.
fn best_fit(observed: &[f64; 5], mean: f64) -> [f64; 5] {
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    let excess = |t: f64| -> f64 {
        let terms = observed.iter().zip(SHARES);
        terms.map(|(p, share)| p * (share - mean) / (1.0 + t * (share - mean))).sum()
    };
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        // It falls with `t`.
        if excess(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let t = f64::midpoint(low, high);
    std::array::from_fn(|class| observed[class] / (1.0 + t * (SHARES[class] - mean)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As published with tests of Stockfish from March and April 2021, when they stated their
    /// hypotheses in logistic Elo.
    #[test]
    fn ratios_are_those_of_published_tests() {
        for (pairs, elo0, elo1, llr) in [
            ([406, 8_728, 41_933, 8_848, 493], -0.2, 1.1, 2.94),
            ([23, 1_079, 15_473, 1_255, 14], 0.2, 0.9, 2.94),
            ([2, 245, 4_962, 291, 4], -0.7, 0.2, 2.95),
            ([577, 11_681, 56_451, 11_586, 605], -1.0, 0.2, 2.94),
            ([87, 6_272, 81_610, 6_175, 108], -0.7, 0.2, 2.98),
            ([4, 2_342, 11_769, 2_494, 7], -0.2, 1.1, 2.93),
        ] {
            let found = log_likelihood_ratio(&Pentanomial(pairs), elo0, elo1);
            assert!((found - llr).abs() < 0.005, "{found} and not {llr}");
        }
    }

    #[test]
    fn a_test_ends_at_its_bounds() {
        let bounds: SprtBounds = "elo0=0, elo1=50".parse().unwrap();
        let verdict = |pairs| Sprt::of(bounds, &Pentanomial(pairs)).verdict;
        assert_eq!(verdict([0; 5]), Verdict::Continue);
        assert_eq!(verdict([2, 3, 5, 3, 2]), Verdict::Continue);
        assert_eq!(verdict([0, 2, 10, 20, 30]), Verdict::AcceptH1);
        assert_eq!(verdict([30, 20, 10, 2, 0]), Verdict::AcceptH0);
        let found = Sprt::of(bounds, &Pentanomial::default());
        assert!((found.lower + 2.944).abs() < 1e-3 && (found.upper - 2.944).abs() < 1e-3);
    }

    #[test]
    fn faulty_bounds_are_named() {
        let error = |text: &str| text.parse::<SprtBounds>().unwrap_err().to_string();
        assert!(error("elo0=0").starts_with("a test needs elo0 and elo1"));
        assert!(error("elo0=0,elo2=5").starts_with("elo2=5 is not a part"));
        assert!(error("elo0=5,elo1=5").starts_with("elo0 must be less"));
        assert!(error("elo0=0,elo1=5,alpha=0.7").starts_with("alpha and beta"));
        assert!(error("elo0=x,elo1=5").starts_with("elo0=x is not a part"));
    }
}
