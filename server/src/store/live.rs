//! The live games that the store holds: derived from the journal, kept in memory for lists and for
//! the compare in compare-and-set. Parked games count as live.

use adamant_protocol::{GameId, UserName, to_client::GameEntry};
use adamant_record::wire;
use dashmap::DashMap;

use super::{Append, GameFilter, ListKey};

/// A live game as the store knows it.
#[derive(Debug, Clone)]
pub(crate) struct LiveGame {
    /// What lists say of it, as of its last event.
    pub entry: GameEntry,
    /// Its last stored event.
    pub last_seq: u64,
    /// The last of its events that rest in a row of their own.
    pub folded_seq: u64,
    /// Where the later ones are in the journal.
    pub row_ids: Vec<i64>,
}

/// Every live game, by id and by user.
#[derive(Debug, Default)]
pub(crate) struct LiveGames {
    games: DashMap<GameId, LiveGame>,
    by_user: DashMap<UserName, Vec<GameId>>,
}

impl LiveGames {
    /// Adds a game.
    pub(crate) fn insert(&self, game: LiveGame) {
        for seat in &game.entry.seats {
            self.by_user.entry(seat.user.folded()).or_default().push(game.entry.game.clone());
        }
        self.games.insert(game.entry.game.clone(), game);
    }

    /// Takes a finished game away.
    pub(crate) fn remove(&self, id: &GameId) {
        let Some((_, game)) = self.games.remove(id) else { return };
        for seat in &game.entry.seats {
            let user = seat.user.folded();
            if let Some(mut games) = self.by_user.get_mut(&user) {
                games.retain(|other| other != id);
            }
            self.by_user.remove_if(&user, |_, games| games.is_empty());
        }
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.games.is_empty()
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.games.len()
    }

    /// Looks at one game.
    pub(crate) fn with<T>(&self, id: &GameId, look: impl FnOnce(&LiveGame) -> T) -> Option<T> {
        self.games.get(id).map(|game| look(&game))
    }

    /// Notes events that have become durable.
    pub(crate) fn advance(&self, append: &Append, row_ids: &[i64]) {
        let summary = &append.summary;
        if let Some(mut game) = self.games.get_mut(&append.game) {
            if let Some(seats) = &append.reseated {
                game.entry.seats.clone_from(seats);
            }
            game.last_seq += row_ids.len() as u64;
            game.row_ids.extend_from_slice(row_ids);
            game.entry.ply = summary.ply;
            game.entry.to_move = summary.to_move.map(wire::seat_number);
            game.entry.last_at = summary.last_at;
        }
    }

    /// Notes that all of a game's events rest in a row of their own.
    pub(crate) fn folded(&self, id: &GameId) {
        if let Some(mut game) = self.games.get_mut(id) {
            game.folded_seq = game.last_seq;
            game.row_ids = Vec::new();
        }
    }

    /// The live games of a user, the oldest first.
    pub(crate) fn of_user(&self, user: &UserName) -> Vec<GameId> {
        self.by_user.get(&user.folded()).map(|games| games.clone()).unwrap_or_default()
    }

    /// How many live games a user has.
    pub(crate) fn count_of_user(&self, user: &UserName) -> usize {
        self.by_user.get(&user.folded()).map_or(0, |games| games.len())
    }

    /// Where a game stands in the list.
    pub(crate) fn key_of(&self, id: &GameId) -> Option<ListKey> {
        self.with(id, |game| key(&game.entry))
    }

    /// What lists say of the games that fit and stand after a place, the newest first, and whether
    /// there are more.
    pub(crate) fn list(
        &self,
        filter: &GameFilter,
        after: Option<&ListKey>,
        limit: usize,
    ) -> (Vec<GameEntry>, bool) {
        let of_user = filter.user.as_ref().map(|user| self.of_user(user));
        let listed = |game: &LiveGame| {
            let key = key(&game.entry);
            let fits = after.is_none_or(|after| key < *after) && filter.fits(&game.entry);
            fits.then_some(key)
        };
        let mut keys: Vec<ListKey> = match of_user {
            Some(games) => {
                games.iter().filter_map(|game| self.with(game, listed).flatten()).collect()
            }
            None => self.games.iter().filter_map(|game| listed(&game)).collect(),
        };
        keys.sort_unstable_by(|a, b| b.cmp(a));
        let more = keys.len() > limit;
        keys.truncate(limit);
        // One that has just ended is left out: it is to be found among the finished ones.
        let entry = |key: &ListKey| self.with(&key.game, |game| game.entry.clone());
        (keys.iter().filter_map(entry).collect(), more)
    }
}

fn key(entry: &GameEntry) -> ListKey {
    ListKey { at: entry.started_at, game: entry.game.clone() }
}
