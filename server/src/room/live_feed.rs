//! The feed of changed games, from rooms to lists of live games. Without a subscriber it keeps
//! nothing, and a move costs one atomic load. `live` builds lists from it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use adamant_protocol::{GameId, to_client::LiveGame};
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;

use crate::limits::UNLISTED_CHANGES_MAX;

/// The feed to which rooms publish changed games. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct LiveFeed(Arc<FeedShared>);

#[derive(Debug, Default)]
struct FeedShared {
    open: AtomicBool,
    state: Mutex<FeedState>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct FeedState {
    /// Games with every change subscribed.
    subscribed: BTreeSet<GameId>,
    /// The latest change of each game since the last `drain`.
    changed: BTreeMap<GameId, LiveGame>,
}

impl LiveFeed {
    fn state(&self) -> MutexGuard<'_, FeedState> {
        self.0.state.lock()
    }

    /// Whether a room should publish this game: if it is subscribed, or as a newcomer while there
    /// are few.
    pub(crate) fn wants(&self, game: &GameId) -> bool {
        if !self.0.open.load(Ordering::Relaxed) {
            return false;
        }
        let state = self.state();
        state.subscribed.contains(game)
            || state.changed.contains_key(game)
            || state.changed.len() < UNLISTED_CHANGES_MAX
    }

    /// Whether a list shows the game.
    pub(crate) fn is_subscribed(&self, game: &GameId) -> bool {
        self.is_open() && self.state().subscribed.contains(game)
    }

    /// Publishes a game as its spectators may see it now.
    pub(crate) fn publish(&self, game: LiveGame) {
        let mut state = self.state();
        // After `close` the game is dropped: the next subscriber would get it without the changes
        // in between.
        if self.is_open() {
            state.changed.insert(game.entry.game.clone(), game);
            self.0.changed.notify_one();
        }
    }

    /// Opens the feed: rooms publish from now on.
    pub(crate) fn open(&self) {
        self.0.open.store(true, Ordering::Relaxed);
        self.0.changed.notify_one();
    }

    /// Closes the feed and drops its games.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        self.0.open.store(false, Ordering::Relaxed);
        *state = FeedState::default();
    }

    pub(crate) fn is_open(&self) -> bool {
        self.0.open.load(Ordering::Relaxed)
    }

    /// Wakes the subscriber, although no room has published a change.
    pub(crate) fn refresh(&self) {
        self.0.changed.notify_one();
    }

    pub(crate) fn subscribe(&self, games: BTreeSet<GameId>) {
        self.state().subscribed = games;
    }

    /// Returns the games that changed since the last call. They stay subscribed until the next
    /// `subscribe`.
    pub(crate) fn drain(&self) -> Vec<LiveGame> {
        let mut state = self.state();
        let changed = std::mem::take(&mut state.changed);
        state.subscribed.extend(changed.keys().cloned());
        changed.into_values().collect()
    }

    pub(crate) async fn changed(&self) {
        self.0.changed.notified().await;
    }
}

#[cfg(test)]
pub(crate) mod fixture {
    //! Live games for tests.

    use adamant_protocol::{
        ids::PositionHash,
        to_client::{GameEntry, LiveGame},
        values::Named,
    };

    /// Returns the game of an entry, with a position.
    pub(crate) fn live(entry: GameEntry, seq: u64) -> LiveGame {
        let (position, hash) = (Named::default(), PositionHash(0));
        LiveGame { entry, seq, position, hash, last_move: None }
    }
}

#[cfg(test)]
mod tests {
    use crate::{room::live_feed::fixture::live, store::fixture::entry};

    use super::*;

    #[test]
    fn game_published_after_close_is_dropped() {
        let feed = LiveFeed::default();
        let game = live(entry("a", "adamas", 1), 2);
        feed.open();
        assert!(feed.wants(&game.entry.game));
        feed.close();
        feed.publish(game);
        feed.open();
        assert_eq!(feed.drain(), []);
    }

    #[test]
    fn drained_newcomer_stays_subscribed() {
        let feed = LiveFeed::default();
        feed.open();
        let game = live(entry("a", "adamas", 1), 2);
        feed.publish(game.clone());
        assert_eq!(feed.drain(), std::slice::from_ref(&game));
        for number in 0..UNLISTED_CHANGES_MAX {
            feed.publish(live(entry(&format!("g{number}"), "adamas", 1), 2));
        }
        assert!(feed.wants(&game.entry.game));
        assert!(!feed.wants(&"new".parse().unwrap()));
    }
}
