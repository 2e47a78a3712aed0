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
pub(crate) struct Gallery(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    watched: AtomicBool,
    state: Mutex<State>,
    noted: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// Games of which every change is wanted.
    wanted: HashSet<GameId>,
    /// The latest change of each game since they were last taken.
    changed: HashMap<GameId, LiveGame>,
}

impl Gallery {
    fn state(&self) -> MutexGuard<'_, State> {
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
    pub(crate) fn show(&self, game: LiveGame) {
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
        *state = State::default();
    }

    /// Whether anybody looks.
    pub(crate) fn is_open(&self) -> bool {
        self.0.watched.load(Ordering::Relaxed)
    }

    /// Has those who look told of what is known by now, although no room has shown anything.
    pub(crate) fn remind(&self) {
        self.0.noted.notify_one();
    }

    /// From now on every change of these games is wanted.
    pub(crate) fn want(&self, games: HashSet<GameId>) {
        self.state().wanted = games;
    }

    /// What has changed since it was last asked. What changes further in these games is wanted, too,
    /// until it is said what is.
    pub(crate) fn take_changed(&self) -> Vec<LiveGame> {
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
        let gallery = Gallery::default();
        let game = live(entry("a", "adamas", 1), 2);
        gallery.open();
        assert!(gallery.wants(&game.entry.game));
        gallery.close();
        gallery.show(game);
        gallery.open();
        assert_eq!(gallery.take_changed(), []);
    }

    #[test]
    fn a_newcomer_that_was_taken_goes_on_being_wanted_however_many_come_after_it() {
        let gallery = Gallery::default();
        gallery.open();
        let game = live(entry("a", "adamas", 1), 2);
        gallery.show(game.clone());
        assert_eq!(gallery.take_changed(), std::slice::from_ref(&game));
        for number in 0..UNLISTED_CHANGES_MAX {
            gallery.show(live(entry(&format!("g{number}"), "adamas", 1), 2));
        }
        assert!(gallery.wants(&game.entry.game));
        assert!(!gallery.wants(&"new".parse().unwrap()));
    }
}
