//! Occasions to notify users: a bounded queue from rooms and the lobby to the notifier. A room
//! or the lobby that reports an occasion never waits.

use std::sync::Arc;

use adamant_protocol::{ChallengeId, GameId, UserName, ids::RulesName};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use crate::{
    limits::OCCASIONS_QUEUED_MAX,
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

/// What has happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OccasionKind {
    /// The user is to move.
    Turn(GameId),
    /// A game of the user is over.
    End(GameId, GameSide),
    /// The user is challenged.
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
}

impl Occasions {
    /// Returns the sender and the receiver of a queue, which stays empty unless it is enabled.
    pub(crate) fn queue(enabled: bool, metrics: &Arc<Metrics>) -> (Self, mpsc::Receiver<Occasion>) {
        let (sender, receiver) = mpsc::channel(OCCASIONS_QUEUED_MAX);
        let queue = enabled.then(|| (sender, Arc::clone(metrics)));
        (Self { queue }, receiver)
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
}
