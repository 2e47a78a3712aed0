//! Values of positions as scores, which mean the same in every game.

use adamant_rules::Position;

use crate::{
    choice::eval::{GAME, half_decided},
    search::SCORE_MAX,
};

/// The value beyond which the game is decided: no lead in pieces and progress comes near.
const DECIDED: i64 = GAME / 4;

/// Maps a value in a position to a score.
pub(crate) fn score(position: &Position, value: i64) -> i32 {
    score_by(value, half_decided(position))
}

/// Maps a value to a score. `half` is the value that is worth half of a win.
fn score_by(value: i64, half: i64) -> i32 {
    let max = i64::from(SCORE_MAX);
    let score = if value.abs() >= DECIDED {
        max * value.signum()
    } else {
        (max - 1) * value / (value.abs() + half.max(1))
    };
    i32::try_from(score).expect("the score is within its bounds")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_rise_with_values_and_reach_the_bounds_only_when_decided() {
        let values = [-GAME, -DECIDED, -5000, -100, -1, 0, 1, 100, 5000, DECIDED, GAME];
        let scores: Vec<_> = values.iter().map(|&value| score_by(value, 100)).collect();
        assert!(scores.is_sorted(), "{scores:?}");
        assert_eq!((scores[0], scores[1], scores[10]), (-SCORE_MAX, -SCORE_MAX, SCORE_MAX));
        assert_eq!((scores[5], scores[7]), (0, 499));
        assert!(scores[2] > -SCORE_MAX && scores[8] < SCORE_MAX, "{scores:?}");
    }
}
