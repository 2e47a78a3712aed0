//! The arithmetic of ratings: new ratings from old ones and a result. The store keeps the ratings.
//!
//! Games of two are rated by Glicko-2, games of three by Weng-Lin. Both give a rating and its
//! deviation. Each game is rated alone, in the order in which games end.
//!
//! After each game every number is rounded to its stored precision. Another machine, whose
//! logarithm may differ in the last bit, therefore computes the same ratings.

use std::fmt;

use adamant_protocol::{UserName, values};
use adamant_rules::Kind;
use serde::{Deserialize, Serialize};
use skillratings::{
    MultiTeamOutcome, Outcomes,
    glicko2::{Glicko2Config, Glicko2Rating, glicko2},
    weng_lin::{WengLinConfig, WengLinRating, weng_lin_multi_team},
};

/// The initial rating, in thousandths: the middle of the scale.
const START_MILLI: u32 = 1_500_000;

/// The initial deviation. On Glicko's scale nearly all players are within two of these.
const START_DEVIATION_MILLI: u32 = 350_000;

/// The initial volatility, in billionths, as Glicko-2's author proposes.
const START_VOLATILITY_NANO: u32 = 60_000_000;

/// The lowest rating, so that it never needs a sign.
const RATING_MIN: f64 = 100.0;

/// The highest rating, so that it fits the wire's type. It is far above what a player can reach.
const RATING_MAX: f64 = 9_000.0;

/// The lowest deviation. Without it the rating of a player of many games could no longer change.
const DEVIATION_MIN: f64 = 45.0;

/// A rating with a larger deviation is provisional. That lasts for some fourteen games of two, or
/// twenty-four of three.
pub(crate) const PROVISIONAL_DEVIATION_MILLI: u32 = 110_000;

/// Glicko-2's tau, which limits changes of volatility. Its author proposes 0.3 to 1.2, less for
/// games of skill.
const TAU: f64 = 0.5;

/// Weng-Lin's unit of skill, chosen so that between well-known players a difference of ratings
/// means the same odds as in Glicko: 173.7178 / sqrt(2).
const BETA: f64 = 122.837_03;

/// A player's rating in one pool, in whole parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Rating {
    /// The rating, in thousandths.
    pub milli: u32,
    /// The deviation, in thousandths.
    pub deviation_milli: u32,
    /// The volatility, in billionths. Only Glicko-2 changes it.
    pub volatility_nano: u32,
}

impl Rating {
    /// The rating of a new player.
    pub(crate) const START: Self = Self {
        milli: START_MILLI,
        deviation_milli: START_DEVIATION_MILLI,
        volatility_nano: START_VOLATILITY_NANO,
    };

    /// The rating on the wire: a whole number.
    pub(crate) fn rounded(self) -> u16 {
        whole(self.milli)
    }

    /// The deviation on the wire.
    pub(crate) fn rounded_deviation(self) -> u16 {
        whole(self.deviation_milli)
    }

    /// Whether too few games make the rating uncertain.
    pub(crate) const fn is_provisional(self) -> bool {
        self.deviation_milli > PROVISIONAL_DEVIATION_MILLI
    }

    fn new(rating: f64, deviation: f64, volatility_nano: u32) -> Self {
        let start = f64::from(START_DEVIATION_MILLI) / 1e3;
        Self {
            milli: parts(rating.clamp(RATING_MIN, RATING_MAX), 1e3),
            deviation_milli: parts(deviation.clamp(DEVIATION_MIN, start), 1e3),
            volatility_nano,
        }
    }

    fn value(self) -> f64 {
        f64::from(self.milli) / 1e3
    }

    fn deviation(self) -> f64 {
        f64::from(self.deviation_milli) / 1e3
    }
}

fn whole(milli: u32) -> u16 {
    u16::try_from((milli + 500) / 1000).unwrap_or(u16::MAX)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the value has been clamped to a small positive range"
)]
fn parts(value: f64, per_unit: f64) -> u32 {
    (value * per_unit).round() as u32
}

/// Returns the players' new ratings after a result, in the order of their seats. `places` count
/// from 1; equal numbers are shared places.
pub(crate) fn rate(before: &[Rating], places: &[u8]) -> Vec<Rating> {
    match (before, places) {
        ([first, second], [one, other]) => rate_two(*first, *second, one.cmp(other)).into(),
        _ => rate_several(before, places),
    }
}

fn rate_two(first: Rating, second: Rating, places: std::cmp::Ordering) -> [Rating; 2] {
    let outcome = match places {
        std::cmp::Ordering::Less => Outcomes::WIN,
        std::cmp::Ordering::Equal => Outcomes::DRAW,
        std::cmp::Ordering::Greater => Outcomes::LOSS,
    };
    let glicko = |rating: Rating| Glicko2Rating {
        rating: rating.value(),
        deviation: rating.deviation(),
        volatility: f64::from(rating.volatility_nano) / 1e9,
    };
    let config = Glicko2Config { tau: TAU, ..Glicko2Config::default() };
    let (one, other) = glicko2(&glicko(first), &glicko(second), &outcome, &config);
    [one, other].map(|after| {
        let volatility = after.volatility.clamp(0.0, 1.0);
        Rating::new(after.rating, after.deviation, parts(volatility, 1e9))
    })
}

fn rate_several(before: &[Rating], places: &[u8]) -> Vec<Rating> {
    let players: Vec<[WengLinRating; 1]> = before
        .iter()
        .map(|rating| [WengLinRating { rating: rating.value(), uncertainty: rating.deviation() }])
        .collect();
    let ranked: Vec<(&[WengLinRating], MultiTeamOutcome)> = players
        .iter()
        .zip(places)
        .map(|(player, place)| (player.as_slice(), MultiTeamOutcome::new(usize::from(*place))))
        .collect();
    let config = WengLinConfig { beta: BETA, ..WengLinConfig::default() };
    weng_lin_multi_team(&ranked, &config)
        .into_iter()
        .flatten()
        .zip(before)
        .map(|(after, before)| Rating::new(after.rating, after.uncertainty, before.volatility_nano))
        .collect()
}

/// Games that share one rating: a kind and its number of players.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Pool {
    /// The kind, without a version: a correction of its rules resets no rating.
    pub rules: Box<str>,
    /// The number of players.
    pub players: u8,
}

impl fmt::Display for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.rules, self.players)
    }
}

impl Pool {
    /// Returns the pool of a kind with this number of players.
    pub(crate) fn of(kind: Kind, players: usize) -> Self {
        let players = u8::try_from(players).expect("a table has few seats");
        Self { rules: kind.name().into(), players }
    }

    /// Reads what [`Pool`] writes.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (rules, players) = text.split_once('/')?;
        Some(Self { rules: rules.into(), players: players.parse().ok()? })
    }
}

/// The result of a rated game, as a room hands it to the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RatedResult {
    pub pool: Pool,
    /// In the order of the seats at the end.
    pub users: Vec<UserName>,
    /// The place of each, from 1; equal numbers are shared places.
    pub places: Vec<u8>,
    /// The one seat for whose user the game counts; `None` if it counts for all.
    pub only: Option<u8>,
}

impl RatedResult {
    pub(crate) const fn new(pool: Pool, users: Vec<UserName>, places: Vec<u8>) -> Self {
        Self { pool, users, places, only: None }
    }

    /// Returns the result of a game in which a computer has taken this seat: it counts for the user
    /// who left it, as for one who leaves two others behind.
    pub(crate) fn of_substituted(mut self, seat: u8, user: UserName) -> Self {
        let index = usize::from(seat);
        let last = u8::try_from(self.places.len()).unwrap_or(u8::MAX);
        self.places = vec![1; self.places.len()];
        if let (Some(left), Some(place)) = (self.users.get_mut(index), self.places.get_mut(index)) {
            (*left, *place) = (user, last);
        }
        self.only = Some(seat);
        self
    }
}

/// The change of a rating by a result, on the wire.
pub(crate) fn change(before: &[Rating], after: &[Rating]) -> values::RatingChange {
    let rounded = |ratings: &[Rating]| ratings.iter().map(|rating| rating.rounded()).collect();
    values::RatingChange { before: rounded(before), after: rounded(after) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn known(rating: u32) -> Rating {
        Rating { milli: rating * 1000, deviation_milli: 60_000, ..Rating::START }
    }

    #[test]
    fn newcomers_begin_in_the_middle_and_a_first_game_moves_them_far() {
        let [winner, loser] = rate(&[Rating::START; 2], &[1, 2])[..] else { panic!() };
        // Glickman's formulas worked by hand for 1500/350/0.06 each.
        assert_eq!((winner.rounded(), loser.rounded()), (1662, 1338));
        assert_eq!(winner.rounded_deviation(), 290);
        assert!(winner.is_provisional());
        let drawn = rate(&[Rating::START; 2], &[1, 1]);
        assert!(drawn.iter().all(|rating| rating.rounded() == 1500));
    }

    #[test]
    fn three_are_rated_by_their_places() {
        let [first, second, third] = rate(&[Rating::START; 3], &[1, 2, 3])[..] else { panic!() };
        assert!(first.milli > second.milli && second.milli > third.milli);
        assert_eq!(second.rounded(), 1500, "beat one and lost to one");
        let [one, other, last] = rate(&[Rating::START; 3], &[1, 1, 3])[..] else { panic!() };
        assert_eq!(one, other, "a shared place is worth the same");
        assert!(one.milli > Rating::START.milli && last.milli < Rating::START.milli);
        let level = rate(&[known(1500); 3], &[1, 1, 1]);
        assert!(level.iter().all(|rating| rating.milli == 1_500_000));
    }

    #[test]
    fn a_difference_means_the_same_odds_for_two_and_for_three() {
        // What well-known players win by a result that was to be expected is as little in both.
        let gain =
            |ratings: &[Rating], places: &[u8]| rate(ratings, places)[0].milli - ratings[0].milli;
        let expected = gain(&[known(1900), known(1500)], &[1, 2]);
        let surprise = gain(&[known(1500), known(1900)], &[1, 2]);
        assert!(expected * 5 < surprise, "{expected} {surprise}");
        let expected = gain(&[known(1900), known(1500), known(1500)], &[1, 2, 3]);
        let surprise = gain(&[known(1500), known(1900), known(1900)], &[1, 2, 3]);
        assert!(expected * 5 < surprise, "{expected} {surprise}");
    }

    #[test]
    fn many_games_end_the_provisional_state_and_leave_ratings_changeable() {
        for places in [&[1, 2][..], &[1, 2, 3]] {
            let mut ratings = vec![Rating::START; places.len()];
            let mut games = 0;
            while ratings[0].is_provisional() {
                let turned: Vec<u8> =
                    (0..places.len()).map(|seat| places[(seat + games) % places.len()]).collect();
                ratings = rate(&ratings, &turned);
                games += 1;
            }
            assert!((8..=30).contains(&games), "{games} games");
            for _ in 0..300 {
                ratings = rate(&ratings, places);
            }
            assert!(ratings[0].deviation_milli >= 45_000);
        }
    }

    #[test]
    fn pools_read_what_they_write() {
        let pool = Pool { rules: "adamas".into(), players: 3 };
        assert_eq!(pool.to_string(), "adamas/3");
        assert_eq!(Pool::parse("adamas/3"), Some(pool));
        assert_eq!(Pool::parse("adamas"), None);
    }

    fn any_rating() -> impl Strategy<Value = Rating> {
        (100_000..9_000_000u32, 45_000..=350_000u32, 1_000_000..200_000_000u32).prop_map(
            |(milli, deviation_milli, volatility_nano)| Rating {
                milli,
                deviation_milli,
                volatility_nano,
            },
        )
    }

    proptest! {
        #[test]
        fn winners_never_fall_losers_never_rise_and_everything_stays_in_bounds(
            ratings in prop::collection::vec(any_rating(), 2..=3),
            order in prop::collection::vec(0..3u8, 3),
        ) {
            let scores = &order[..ratings.len()];
            let place = |score: &u8| {
                u8::try_from(1 + scores.iter().filter(|other| *other > score).count()).unwrap()
            };
            let places: Vec<u8> = scores.iter().map(place).collect();
            let after = rate(&ratings, &places);
            prop_assert_eq!(after.len(), ratings.len());
            for (seat, (before, after)) in ratings.iter().zip(&after).enumerate() {
                prop_assert!((100_000..=9_000_000).contains(&after.milli));
                prop_assert!((45_000..=350_000).contains(&after.deviation_milli));
                let place = places[seat];
                let alone = places.iter().filter(|&&other| other == place).nth(1).is_none();
                let last = places.iter().all(|other| *other <= place);
                if alone && place == 1 {
                    prop_assert!(after.milli >= before.milli);
                } else if alone && last {
                    prop_assert!(after.milli <= before.milli);
                }
            }
        }

        #[test]
        fn seats_do_not_matter(
            ratings in prop::collection::vec(any_rating(), 2..=3), turn in 0..3usize,
        ) {
            let places: Vec<u8> = (1..).take(ratings.len()).collect();
            let rated = rate(&ratings, &places);
            let by = turn % ratings.len();
            let turned = |list: &[Rating]| { let mut list = list.to_vec(); list.rotate_left(by); list };
            let mut turned_places = places;
            turned_places.rotate_left(by);
            prop_assert_eq!(rate(&turned(&ratings), &turned_places), turned(&rated));
        }
    }
}
