//! What a position of Diam is worth to the seat to move.

use super::{
    features::{FEATURES, features},
    position::Diam,
    weights::WEIGHTS,
};
use crate::search::SCORE_MAX;

/// The value of a won game, less one for each move to its end.
pub(super) const WIN: i32 = 30_000;

/// Values beyond are proven.
pub(super) const PROVEN: i32 = WIN - 1_000;

/// The value that is half of a certain win, in hundredths of a logit.
const HALF: i32 = 110;

/// The value of a quiet position.
pub(super) fn value(position: &Diam) -> i32 {
    weigh(&features(position), &WEIGHTS)
}

fn weigh(counts: &[i32; FEATURES], weights: &[i32; FEATURES]) -> i32 {
    counts.iter().zip(weights).map(|(count, weight)| count * weight).sum()
}

/// A value as a score, and whether it is proven.
pub(super) const fn score(value: i32) -> (i32, bool) {
    if value.abs() > PROVEN {
        return (SCORE_MAX * value.signum(), true);
    }
    ((SCORE_MAX - 1) * value / (value.abs() + HALF), false)
}

/// The value of a score that is not proven.
pub(super) const fn of_score(score: i32) -> i32 {
    let most = SCORE_MAX - 1;
    let bounded = if score > most / 2 {
        most / 2
    } else if score < -most / 2 {
        -most / 2
    } else {
        score
    };
    HALF * bounded / (most - bounded.abs())
}
