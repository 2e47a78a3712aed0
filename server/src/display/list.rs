//! A list of games that are being played, and how it changes. Pure: told what changed and when.
//!
//! A game that is listed stays until it is over, or until it has been idle for a while and another
//! wants its place: thumbnails should not jump.

use std::collections::HashMap;

use adamant_protocol::{
    GameId,
    from_client::GameState,
    to_client::{LiveChange, LiveGame},
};
use adamant_rules::Kind;

use crate::limits::{IDLE_AFTER, LIVE_GAMES_MAX};

/// The games of one kind, or of all.
#[derive(Debug)]
pub(super) struct List {
    kind: Option<Kind>,
    games: HashMap<GameId, LiveGame>,
    /// What changed since it was last told.
    added: Vec<GameId>,
    removed: Vec<GameId>,
}

impl List {
    pub(super) fn new(kind: Option<Kind>) -> Self {
        Self { kind, games: HashMap::new(), added: Vec::new(), removed: Vec::new() }
    }

    /// The kind that all its games are of.
    pub(super) const fn kind(&self) -> Option<Kind> {
        self.kind
    }

    /// Takes note of how a game stands.
    pub(super) fn take(&mut self, game: &LiveGame, now_ms: u64) {
        let id = &game.entry.game;
        if self.kind.is_some_and(|kind| *game.entry.rules.name != *kind.name()) {
            return;
        }
        if game.entry.state == GameState::Finished {
            self.remove(id);
            return;
        }
        let known = self.games.get(id).map(|known| known.seq);
        if known.is_some_and(|seq| seq >= game.seq) {
            return;
        }
        if known.is_none() && self.games.len() >= LIVE_GAMES_MAX {
            let Some(idle) = self.idlest(now_ms) else { return };
            self.remove(&idle);
        }
        self.games.insert(id.clone(), game.clone());
        self.removed.retain(|other| other != id);
        if !self.added.contains(id) {
            self.added.push(id.clone());
        }
    }

    fn remove(&mut self, id: &GameId) {
        if self.games.remove(id).is_some() {
            // One that was not told of yet need not be taken back; but it may have been before.
            self.added.retain(|other| other != id);
            self.removed.push(id.clone());
        }
    }

    /// The game that has not changed for longest, if that is long enough to give way.
    fn idlest(&self, now_ms: u64) -> Option<GameId> {
        let idlest = self.games.values().min_by_key(|game| game.entry.last_at)?;
        let idle_ms = now_ms.saturating_sub(idlest.entry.last_at);
        (u128::from(idle_ms) >= IDLE_AFTER.as_millis()).then(|| idlest.entry.game.clone())
    }

    /// The games that are listed.
    pub(super) fn ids(&self) -> impl Iterator<Item = &GameId> {
        self.games.keys()
    }

    /// All of it, the latest change first.
    pub(super) fn full(&self) -> LiveChange {
        let add = newest_first(self.games.values().cloned().collect());
        LiveChange { re: None, full: true, add, remove: Vec::new() }
    }

    /// What has changed since it was last asked, if anything has.
    pub(super) fn take_change(&mut self) -> Option<LiveChange> {
        if self.added.is_empty() && self.removed.is_empty() {
            return None;
        }
        let added = std::mem::take(&mut self.added);
        let add = added.iter().filter_map(|id| self.games.get(id).cloned()).collect();
        let remove = std::mem::take(&mut self.removed);
        Some(LiveChange { re: None, full: false, add: newest_first(add), remove })
    }
}

fn newest_first(mut games: Vec<LiveGame>) -> Vec<LiveGame> {
    games.sort_by(|a, b| (b.entry.last_at, &b.entry.game).cmp(&(a.entry.last_at, &a.entry.game)));
    games
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display::fixture::{entry, live};

    fn ids(games: &[LiveGame]) -> Vec<&str> {
        games.iter().map(|game| game.entry.game.as_str()).collect()
    }

    #[test]
    fn changes_between_two_looks_are_told_as_one() {
        let mut list = List::new(None);
        assert_eq!(list.take_change(), None);
        for seq in 2..5 {
            list.take(&live(entry("a", "adamas", 10 + seq), seq), 20);
        }
        list.take(&live(entry("b", "hexma", 30), 2), 30);
        list.take(&live(entry("a", "adamas", 11), 3), 31);
        let change = list.take_change().unwrap();
        assert_eq!(ids(&change.add), ["b", "a"]);
        assert_eq!(change.add[1].seq, 4, "what is older than what is known comes too late");
        assert_eq!(list.take_change(), None);

        let mut over = live(entry("b", "hexma", 40), 3);
        over.entry.state = GameState::Finished;
        list.take(&live(entry("b", "hexma", 39), 3), 39);
        list.take(&over, 40);
        let change = list.take_change().unwrap();
        assert!(change.add.is_empty());
        assert_eq!(change.remove, ["b".parse().unwrap()]);
        assert_eq!(ids(&list.full().add), ["a"]);
    }

    #[test]
    fn a_list_of_one_kind_has_only_that() {
        let mut list = List::new(Kind::from_name("hexma"));
        list.take(&live(entry("a", "adamas", 1), 2), 1);
        list.take(&live(entry("b", "hexma", 1), 2), 1);
        assert_eq!(ids(&list.full().add), ["b"]);
    }

    #[test]
    fn a_full_list_changes_only_where_nothing_happens() {
        let mut list = List::new(None);
        let idle_ms = u64::try_from(IDLE_AFTER.as_millis()).unwrap();
        for number in 0..LIVE_GAMES_MAX {
            let at = if number == 7 { 1 } else { 1_000 };
            list.take(&live(entry(&format!("g{number}"), "adamas", at), 2), 1_000);
        }
        list.take_change();
        list.take(&live(entry("new", "adamas", 2_000), 2), idle_ms);
        assert_eq!(list.take_change(), None);
        list.take(&live(entry("new", "adamas", 2_000), 2), idle_ms + 1);
        let change = list.take_change().unwrap();
        assert_eq!((ids(&change.add), change.remove), (vec!["new"], vec!["g7".parse().unwrap()]));
        assert_eq!(list.full().add.len(), LIVE_GAMES_MAX);
    }
}
