//! Results of rated games as they are stored, whatever the database.

use adamant_protocol::{UserName, values::RatingChange};
use serde::{Deserialize, Serialize};

use super::Score;
use crate::ratings::{self, RatedResult, Rating};

/// A seat of a stored result, in the order of the seats at the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ResultSeat {
    /// The folded name.
    pub(crate) user: UserName,
    /// The place from 1.
    pub(crate) place: u8,
    /// The rating before the game.
    pub(crate) before: Rating,
    /// The rating after the game.
    pub(crate) after: Rating,
}

/// A user's rating and score in a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StoredRating {
    pub(crate) rating: Rating,
    pub(crate) score: Score,
}

impl StoredRating {
    /// The rating before the first game.
    pub(crate) const START: Self = Self { rating: Rating::START, score: Score::NONE };
}

/// Higher than every rating, in thousandths: it sorts provisional ratings behind the others.
const RANK_STEP: i64 = 1 << 32;

/// Returns the key that sorts ratings: the strongest first, provisional ones last.
pub(crate) fn rank_key(rating: Rating) -> i64 {
    let step = if rating.is_provisional() { 2 * RANK_STEP } else { RANK_STEP };
    step - i64::from(rating.milli)
}

/// Computes the seats of a result and the ratings after it, in the order of the seats.
pub(crate) fn seats_after(
    result: &RatedResult,
    before: &[StoredRating],
) -> (Vec<ResultSeat>, Vec<StoredRating>) {
    let ratings: Vec<Rating> = before.iter().map(|strength| strength.rating).collect();
    let after = ratings::rate(&ratings, &result.places);
    let seats = result.users.iter().zip(&result.places).zip(ratings.iter().zip(&after));
    let seats = seats
        .map(|((user, place), (before, after))| ResultSeat {
            user: user.folded(),
            place: *place,
            before: *before,
            after: *after,
        })
        .collect();
    let strengths = before
        .iter()
        .zip(&after)
        .zip(&result.places)
        .map(|((before, rating), place)| StoredRating {
            rating: *rating,
            score: before.score.with(*place, &result.places),
        })
        .collect();
    (seats, strengths)
}

/// Returns the rating change that clients receive.
pub(crate) fn change(seats: &[ResultSeat]) -> RatingChange {
    let all = |rating: fn(&ResultSeat) -> Rating| seats.iter().map(rating).collect::<Vec<_>>();
    ratings::change(&all(|seat| seat.before), &all(|seat| seat.after))
}

/// Encodes the seats of a result.
pub(crate) fn seats_text(seats: &[ResultSeat]) -> String {
    serde_json::to_string(seats).expect("seats are plain data")
}
