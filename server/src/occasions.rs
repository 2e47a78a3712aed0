//! Occasions to notify users: a bounded queue from rooms and the lobby to the notifier. A room
//! or the lobby that reports an occasion never waits.

use std::{collections::BTreeSet, sync::Arc};

use adamant_protocol::{ChallengeId, GameId, UserName, ids::RulesName};
use dashmap::DashMap;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use crate::{
    limits::{LINES_REPORTED_PER_USER_MAX, LINES_REPORTED_USERS_MAX, OCCASIONS_QUEUED_MAX},
    runtime::metrics::{Metrics, NotificationOutcome},
};

/// An occasion to notify a user who is away. Stored as JSON while its time has not come, so that
/// fields and variants keep their names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Occasion {
    pub user: UserName,
    pub rules: RulesName,
    /// The other players; the challenger or the author is the first.
    pub others: Vec<UserName>,
    /// The time, in epoch milliseconds.
    pub at: u64,
    pub subject: OccasionKind,
}

impl Occasion {
    /// Returns what one of the players of a game has done, for another one.
    pub(crate) fn by<'a>(
        by: &'a UserName,
        user: &UserName,
        players: impl IntoIterator<Item = &'a UserName>,
        rules: &RulesName,
        at: u64,
        subject: OccasionKind,
    ) -> Self {
        let is_third =
            |other: &&UserName| !other.is_same(by.as_str()) && !other.is_same(user.as_str());
        let others = [by].into_iter().chain(players.into_iter().filter(is_third));
        let (user, rules, others) = (user.clone(), rules.clone(), others.cloned().collect());
        Self { user, rules, others, at, subject }
    }
}

/// What has happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OccasionKind {
    /// The user is to move.
    Turn(GameId),
    /// A game of the user is over.
    End(GameId, GameSide),
    Challenge(ChallengeId),
    /// A player has written to the others of a game.
    Line(GameId),
}

/// The end of a game from one player's side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum GameSide {
    /// The player won alone.
    Won,
    /// The player lost.
    Lost,
    /// The player shared the first place.
    Drew,
    /// There is no result.
    Aborted,
}

/// Takes occasions. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Occasions {
    /// `None` if no user is notified.
    queue: Option<(mpsc::Sender<Occasion>, Arc<Metrics>)>,
    /// The games in which users who are away have been written to, by user. The first line of a
    /// game is reported, and no further one until the user comes back.
    lines_reported: Arc<DashMap<UserName, BTreeSet<GameId>>>,
}

impl Occasions {
    /// Returns the sender and the receiver of a queue, which stays empty unless it is enabled.
    pub(crate) fn queue(enabled: bool, metrics: &Arc<Metrics>) -> (Self, mpsc::Receiver<Occasion>) {
        let (sender, receiver) = mpsc::channel(OCCASIONS_QUEUED_MAX);
        let queue = enabled.then(|| (sender, Arc::clone(metrics)));
        (Self { queue, ..Self::default() }, receiver)
    }

    /// Whether anybody is notified at all.
    pub(crate) const fn are_enabled(&self) -> bool {
        self.queue.is_some()
    }

    /// Reports an occasion, if anybody is notified at all. A full queue drops it.
    pub(crate) fn report(&self, occasion: impl FnOnce() -> Occasion) {
        if let Some((queue, metrics)) = &self.queue
            && queue.try_send(occasion()).is_err()
        {
            metrics.count_notification(NotificationOutcome::Dropped);
        }
    }

    /// Whether a further line in a game is to be reported to a user.
    pub(crate) fn allows_line(&self, user: &UserName, game: &GameId) -> bool {
        self.lines_reported
            .get(&user.folded())
            .is_none_or(|games| games.len() < LINES_REPORTED_PER_USER_MAX && !games.contains(game))
    }

    /// Remembers that a line in a game is reported to a user. Returns whether it is the first.
    pub(crate) fn add_line(&self, user: &UserName, game: &GameId) -> bool {
        // Users who never come back stay here: rather than count their ages, forget all.
        if self.lines_reported.len() >= LINES_REPORTED_USERS_MAX {
            self.lines_reported.clear();
        }
        self.lines_reported.entry(user.folded()).or_default().insert(game.clone())
    }

    /// A user has come back, and hears of lines again after leaving.
    pub(crate) fn is_back(&self, user: &UserName) {
        self.lines_reported.remove(&user.folded());
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
        let reported = Occasions::default();
        let ann: UserName = "Ann".parse().unwrap();
        assert!(reported.allows_line(&ann, &game(1)) && reported.add_line(&ann, &game(1)));
        assert!(!reported.allows_line(&"ann".parse().unwrap(), &game(1)));
        assert!(!reported.add_line(&ann, &game(1)));
        assert!(reported.allows_line(&ann, &game(2)));
        reported.is_back(&"ann".parse().unwrap());
        assert!(reported.allows_line(&ann, &game(1)));
    }

    #[test]
    fn users_hear_of_few_games_and_the_memory_is_bounded() {
        let reported = Occasions::default();
        let ann: UserName = "ann".parse().unwrap();
        for number in 0..LINES_REPORTED_PER_USER_MAX {
            assert!(
                reported.allows_line(&ann, &game(number)) && reported.add_line(&ann, &game(number))
            );
        }
        assert!(!reported.allows_line(&ann, &game(LINES_REPORTED_PER_USER_MAX)));
        for number in 0..LINES_REPORTED_USERS_MAX {
            reported.add_line(&format!("user{number}").parse().unwrap(), &game(1));
        }
        assert!(reported.lines_reported.len() <= LINES_REPORTED_USERS_MAX);
    }
}
