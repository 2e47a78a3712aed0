//! Which users who are away have been told that somebody has written in their games.

use std::collections::BTreeSet;

use adamant_protocol::{GameId, UserName};
use dashmap::DashMap;

use crate::limits::{LINES_REPORTED_PER_USER_MAX, LINES_REPORTED_USERS_MAX};

/// The games in which users who are away have been written to, by user. The first line of a game is
/// reported, and no further one until the user comes back.
#[derive(Debug, Default)]
pub(super) struct LinesReported(DashMap<UserName, BTreeSet<GameId>>);

impl LinesReported {
    /// Whether a further line in a game is to be reported.
    pub(super) fn allows(&self, user: &UserName, game: &GameId) -> bool {
        self.0
            .get(&user.folded())
            .is_none_or(|games| games.len() < LINES_REPORTED_PER_USER_MAX && !games.contains(game))
    }

    /// Remembers that a line in a game is reported. Returns whether it is the first.
    pub(super) fn add(&self, user: &UserName, game: &GameId) -> bool {
        // Users who never come back stay here: rather than count their ages, forget all.
        if self.0.len() >= LINES_REPORTED_USERS_MAX {
            self.0.clear();
        }
        self.0.entry(user.folded()).or_default().insert(game.clone())
    }

    /// A user has come back.
    pub(super) fn forget(&self, user: &UserName) {
        self.0.remove(&user.folded());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(number: usize) -> GameId {
        format!("game{number}").parse().unwrap()
    }

    #[test]
    fn the_first_line_of_a_game_counts_until_the_user_is_back() {
        let reported = LinesReported::default();
        let ann: UserName = "Ann".parse().unwrap();
        assert!(reported.allows(&ann, &game(1)) && reported.add(&ann, &game(1)));
        assert!(!reported.allows(&"ann".parse().unwrap(), &game(1)));
        assert!(!reported.add(&ann, &game(1)));
        assert!(reported.allows(&ann, &game(2)));
        reported.forget(&"ann".parse().unwrap());
        assert!(reported.allows(&ann, &game(1)));
    }

    #[test]
    fn users_hear_of_few_games_and_the_memory_is_bounded() {
        let reported = LinesReported::default();
        let ann: UserName = "ann".parse().unwrap();
        for number in 0..LINES_REPORTED_PER_USER_MAX {
            assert!(reported.allows(&ann, &game(number)) && reported.add(&ann, &game(number)));
        }
        assert!(!reported.allows(&ann, &game(LINES_REPORTED_PER_USER_MAX)));
        for number in 0..LINES_REPORTED_USERS_MAX {
            reported.add(&format!("user{number}").parse().unwrap(), &game(1));
        }
        assert!(reported.0.len() <= LINES_REPORTED_USERS_MAX);
    }
}
