//! What rooms show of their games to those who look at many at once. Nothing is kept, and a move
//! costs one look at a flag, while nobody does. What is made of it is decided in `display`.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use adamant_protocol::{GameId, to_client::LiveGame};
use tokio::sync::Notify;

use crate::limits::UNLISTED_CHANGES_MAX;

/// Where rooms show their games. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct LiveFeed(Arc<FeedShared>);

#[derive(Debug, Default)]
struct FeedShared {
    watched: AtomicBool,
    state: Mutex<FeedState>,
    noted: Notify,
}

#[derive(Debug, Default)]
struct FeedState {
    /// Games of which every change is wanted.
    wanted: HashSet<GameId>,
    /// The latest change of each game since they were last taken.
    changed: HashMap<GameId, LiveGame>,
}

impl LiveFeed {
    fn state(&self) -> MutexGuard<'_, FeedState> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a change of this game is to be shown. Of games that nobody looks at yet, those that
    /// change first.
    pub(crate) fn wants(&self, game: &GameId) -> bool {
        if !self.0.watched.load(Ordering::Relaxed) {
            return false;
        }
        let state = self.state();
        state.wanted.contains(game)
            || state.changed.contains_key(game)
            || state.changed.len() < UNLISTED_CHANGES_MAX
    }

    /// Shows a game as its spectators may see it now.
    pub(crate) fn publish(&self, game: LiveGame) {
        let mut state = self.state();
        // Whoever wanted it may have left since. Kept, it would be found by the next to come, who
        // would never hear what has become of it meanwhile.
        if self.is_open() {
            state.changed.insert(game.entry.game.clone(), game);
            self.0.noted.notify_one();
        }
    }

    /// From now on rooms show what changes.
    pub(crate) fn open(&self) {
        self.0.watched.store(true, Ordering::Relaxed);
        self.0.noted.notify_one();
    }

    /// Nobody looks any more.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        self.0.watched.store(false, Ordering::Relaxed);
        *state = FeedState::default();
    }

    /// Whether anybody looks.
    pub(crate) fn is_open(&self) -> bool {
        self.0.watched.load(Ordering::Relaxed)
    }

    /// Has those who look told of what is known by now, although no room has shown anything.
    pub(crate) fn refresh(&self) {
        self.0.noted.notify_one();
    }

    /// From now on every change of these games is wanted.
    pub(crate) fn subscribe(&self, games: HashSet<GameId>) {
        self.state().wanted = games;
    }

    /// What has changed since it was last asked. What changes further in these games is wanted, too,
    /// until it is said what is.
    pub(crate) fn drain(&self) -> Vec<LiveGame> {
        let mut state = self.state();
        let changed = std::mem::take(&mut state.changed);
        state.wanted.extend(changed.keys().cloned());
        changed.into_values().collect()
    }

    /// Waits until something has changed.
    pub(crate) async fn changed(&self) {
        self.0.noted.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{entry, live};
    use super::*;

    #[test]
    fn what_is_shown_after_the_last_has_left_is_not_kept_for_the_next() {
        let live_feed = LiveFeed::default();
        let game = live(entry("a", "adamas", 1), 2);
        live_feed.open();
        assert!(live_feed.wants(&game.entry.game));
        live_feed.close();
        live_feed.publish(game);
        live_feed.open();
        assert_eq!(live_feed.drain(), []);
    }

    #[test]
    fn a_newcomer_that_was_taken_goes_on_being_wanted_however_many_come_after_it() {
        let live_feed = LiveFeed::default();
        live_feed.open();
        let game = live(entry("a", "adamas", 1), 2);
        live_feed.publish(game.clone());
        assert_eq!(live_feed.drain(), std::slice::from_ref(&game));
        for number in 0..UNLISTED_CHANGES_MAX {
            live_feed.publish(live(entry(&format!("g{number}"), "adamas", 1), 2));
        }
        assert!(live_feed.wants(&game.entry.game));
        assert!(!live_feed.wants(&"new".parse().unwrap()));
    }
}
