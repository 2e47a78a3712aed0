//! A list of live games and its changes, and the choice of a featured game. Pure: changes and time
//! are arguments.
//!
//! A listed game stays until it is over, or until it is idle and another game needs its slot, so
//! that thumbnails do not jump.

use std::collections::{BTreeMap, BTreeSet};

use adamant_protocol::{
    GameId,
    from_client::GameState,
    to_client::{GameEntry, LiveChange, LiveGame},
};
use adamant_rules::Kind;

use crate::limits::{IDLE_AFTER, LIVE_FRAME_GAMES_MAX, LIVE_GAMES_MAX, LIVE_MANY_MAX};

/// The games that a list has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ListFilter {
    pub(super) kind: Option<Kind>,
    /// Whether the list has the larger maximum size.
    pub(super) many: bool,
}

impl ListFilter {
    pub(super) const fn games_max(self) -> usize {
        if self.many { LIVE_MANY_MAX } else { LIVE_GAMES_MAX }
    }
}

/// A list of live games.
#[derive(Debug)]
pub(super) struct LiveList {
    filter: ListFilter,
    games: BTreeMap<GameId, LiveGame>,
    /// Changes since the last `drain_changes`.
    added: Vec<GameId>,
    removed: Vec<GameId>,
    /// Games that are being read from their rooms, and have not changed since.
    expected: BTreeSet<GameId>,
}

impl LiveList {
    pub(super) fn new(filter: ListFilter) -> Self {
        Self {
            filter,
            games: BTreeMap::new(),
            added: Vec::new(),
            removed: Vec::new(),
            expected: BTreeSet::new(),
        }
    }

    pub(super) const fn filter(&self) -> ListFilter {
        self.filter
    }

    pub(super) fn has_free_slot(&self) -> bool {
        self.games.len() < self.filter.games_max()
    }

    pub(super) fn has(&self, game: &GameId) -> bool {
        self.games.contains_key(game)
    }

    /// Marks games that are being read from their rooms, so that changes until then take
    /// precedence.
    pub(super) fn expect(&mut self, games: &[GameId]) {
        self.expected.extend(games.iter().cloned());
    }

    /// Updates a game as read from its room, unless it has changed since.
    pub(super) fn update_expected(&mut self, game: &LiveGame, now_ms: u64) {
        if self.expected.contains(&game.entry.game) {
            self.update(game, now_ms);
        }
    }

    pub(super) fn update(&mut self, game: &LiveGame, now_ms: u64) {
        let id = &game.entry.game;
        self.expected.remove(id);
        if self.filter.kind.is_some_and(|kind| *game.entry.rules.name != *kind.name()) {
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
        if known.is_none() && !self.has_free_slot() {
            let Some(idle) = self.most_idle(now_ms) else { return };
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
            // A pending addition is dropped. The removal is sent anyway, since the game may have
            // been sent before.
            self.added.retain(|other| other != id);
            self.removed.push(id.clone());
        }
    }

    /// Returns the game that has been idle the longest, if it may be replaced.
    fn most_idle(&self, now_ms: u64) -> Option<GameId> {
        let most_idle = self.games.values().min_by_key(|game| game.entry.last_at)?;
        let idle_ms = now_ms.saturating_sub(most_idle.entry.last_at);
        (u128::from(idle_ms) >= IDLE_AFTER.as_millis()).then(|| most_idle.entry.game.clone())
    }

    /// Returns the games that are listed or being read.
    pub(super) fn ids(&self) -> impl Iterator<Item = &GameId> {
        self.games.keys().chain(&self.expected)
    }

    /// Returns the whole list as frames, the latest change first.
    pub(super) fn full(&self) -> Vec<LiveChange> {
        split_into_frames(true, self.games.values().cloned().collect(), Vec::new())
    }

    /// Returns the changes since the last call as frames.
    pub(super) fn drain_changes(&mut self) -> Vec<LiveChange> {
        if self.added.is_empty() && self.removed.is_empty() {
            return Vec::new();
        }
        let added = std::mem::take(&mut self.added);
        let add = added.iter().filter_map(|id| self.games.get(id).cloned()).collect();
        let remove = std::mem::take(&mut self.removed);
        split_into_frames(false, add, remove)
    }
}

/// Splits a change into frames of bounded size.
fn split_into_frames(
    full: bool,
    mut add: Vec<LiveGame>,
    mut remove: Vec<GameId>,
) -> Vec<LiveChange> {
    add.sort_by(|a, b| (b.entry.last_at, &b.entry.game).cmp(&(a.entry.last_at, &a.entry.game)));
    let mut rest = add.into_iter().peekable();
    let mut frames = Vec::new();
    loop {
        let full = full && frames.is_empty();
        let add = rest.by_ref().take(LIVE_FRAME_GAMES_MAX).collect();
        let (remove, more) = (std::mem::take(&mut remove), rest.peek().is_some());
        frames.push(LiveChange { re: None, full, add, remove, more });
        if !more {
            return frames;
        }
    }
}

pub(super) fn is_idle(game: &GameEntry, now_ms: u64) -> bool {
    u128::from(now_ms.saturating_sub(game.last_at)) >= IDLE_AFTER.as_millis()
}

/// Returns the rank of a game, by: not idle, people play, mean rating, last change. The id only
/// makes the order total.
fn rank(game: &GameEntry, now_ms: u64) -> impl Ord + use<> {
    let people = game.seats.iter().all(|seat| !seat.bot);
    let ratings: Vec<u32> =
        game.seats.iter().filter_map(|seat| seat.rating).map(u32::from).collect();
    let count = u32::try_from(ratings.len()).unwrap_or(u32::MAX);
    let mean = ratings.iter().sum::<u32>().checked_div(count);
    (!is_idle(game, now_ms), people, mean, game.last_at, game.game.clone())
}

/// Chooses the game to feature. The current one stays until it is over, or until it is idle and
/// another is not.
pub(super) fn choose(
    current: Option<&GameEntry>,
    games: impl Iterator<Item = GameEntry>,
    now_ms: u64,
) -> Option<GameEntry> {
    let current = current.filter(|game| game.state == GameState::Live);
    if let Some(game) = current.filter(|game| !is_idle(game, now_ms)) {
        return Some(game.clone());
    }
    let best = games.max_by_key(|game| rank(game, now_ms));
    match (current, best) {
        (Some(current), Some(best)) if is_idle(&best, now_ms) => Some(current.clone()),
        (Some(current), None) => Some(current.clone()),
        (_, best) => best,
    }
}

#[cfg(test)]
mod tests {
    use crate::{room::live_feed::fixture::live, store::fixture::entry};

    use super::*;

    fn list(kind: Option<Kind>) -> LiveList {
        LiveList::new(ListFilter { kind, many: false })
    }

    fn only(mut changes: Vec<LiveChange>) -> LiveChange {
        assert_eq!(changes.len(), 1);
        changes.remove(0)
    }

    fn ids(games: &[LiveGame]) -> Vec<&str> {
        games.iter().map(|game| game.entry.game.as_str()).collect()
    }

    #[test]
    fn changes_are_merged_until_drained() {
        let mut list = list(None);
        assert_eq!(list.drain_changes(), []);
        for seq in 2..5 {
            list.update(&live(entry("a", "adamas", 10 + seq), seq), 20);
        }
        list.update(&live(entry("b", "hexma", 30), 2), 30);
        list.update(&live(entry("a", "adamas", 11), 3), 31);
        let change = only(list.drain_changes());
        assert_eq!(ids(&change.add), ["b", "a"]);
        assert_eq!(change.add[1].seq, 4, "an older state is ignored");
        assert_eq!(list.drain_changes(), []);

        let mut over = live(entry("b", "hexma", 40), 3);
        over.entry.state = GameState::Finished;
        list.update(&live(entry("b", "hexma", 39), 3), 39);
        list.update(&over, 40);
        let change = only(list.drain_changes());
        assert!(change.add.is_empty());
        assert_eq!(change.remove, ["b".parse().unwrap()]);
        assert_eq!(ids(&only(list.full()).add), ["a"]);
    }

    #[test]
    fn game_that_ends_while_it_is_read_is_not_listed() {
        let mut list = list(None);
        let [over, moved, still] = ["a", "b", "c"].map(|id| live(entry(id, "adamas", 10), 5));
        let ids_of = |games: &[&LiveGame]| -> Vec<GameId> {
            games.iter().map(|game| game.entry.game.clone()).collect()
        };
        list.expect(&ids_of(&[&over, &moved, &still]));
        assert_eq!(list.ids().count(), 3, "changes of games that are read are wanted");
        let mut end = over.clone();
        (end.seq, end.entry.state) = (6, GameState::Finished);
        list.update(&end, 11);
        list.update(&live(entry("b", "adamas", 11), 6), 11);
        for found in [&over, &moved, &still] {
            list.update_expected(found, 12);
        }
        let full = only(list.full());
        assert_eq!(ids(&full.add), ["b", "c"]);
        assert_eq!(full.add[0].seq, 6);
        assert_eq!(only(list.drain_changes()).remove, []);
    }

    #[test]
    fn list_of_one_kind_has_only_that_kind() {
        let mut list = list(Kind::from_name("hexma"));
        list.update(&live(entry("a", "adamas", 1), 2), 1);
        list.update(&live(entry("b", "hexma", 1), 2), 1);
        assert_eq!(ids(&only(list.full()).add), ["b"]);
    }

    #[test]
    fn full_list_replaces_only_idle_games() {
        let mut list = list(None);
        let idle_ms = u64::try_from(IDLE_AFTER.as_millis()).unwrap();
        for number in 0..LIVE_GAMES_MAX {
            let at = if number == 7 { 1 } else { 1_000 };
            list.update(&live(entry(&format!("g{number}"), "adamas", at), 2), 1_000);
        }
        list.drain_changes();
        list.update(&live(entry("new", "adamas", 2_000), 2), idle_ms);
        assert_eq!(list.drain_changes(), []);
        list.update(&live(entry("new", "adamas", 2_000), 2), idle_ms + 1);
        let change = only(list.drain_changes());
        assert_eq!((ids(&change.add), change.remove), (vec!["new"], vec!["g7".parse().unwrap()]));
        assert_eq!(only(list.full()).add.len(), LIVE_GAMES_MAX);
    }

    #[test]
    fn large_lists_are_split_into_frames() {
        let mut list = LiveList::new(ListFilter { kind: None, many: true });
        assert_eq!(only(list.full()).add, []);
        for number in 0..=LIVE_MANY_MAX as u64 {
            list.update(&live(entry(&format!("g{number}"), "adamas", 1_000 + number), 2), 1_300);
        }
        let changes = list.drain_changes();
        assert_eq!(changes, {
            let mut full = list.full();
            assert!(full[0].full && !full[1].full, "only the first frame is marked full");
            full[0].full = false;
            full
        });
        let parts: Vec<_> = changes.iter().map(|part| (part.add.len(), part.more)).collect();
        assert_eq!(parts, [(50, true), (50, true), (50, true), (50, false)]);
        assert_eq!((ids(&changes[0].add)[0], ids(&changes[3].add)[49]), ("g199", "g0"));
    }

    const NOW: u64 = 1_000_000;

    fn rated(id: &str, ratings: [u16; 2]) -> GameEntry {
        let mut entry = entry(id, "adamas", NOW - 5);
        for (seat, rating) in entry.seats.iter_mut().zip(ratings) {
            seat.rating = Some(rating);
        }
        entry
    }

    fn chosen(current: Option<&GameEntry>, games: &[GameEntry]) -> Option<String> {
        choose(current, games.iter().cloned(), NOW).map(|game| game.game.to_string())
    }

    #[test]
    fn people_rank_before_bots_and_strong_players_before_weak() {
        let mut house = rated("house", [2_400, 2_400]);
        house.seats[1].bot = true;
        let mut unrated = entry("unrated", "adamas", NOW);
        unrated.last_at = NOW;
        let games =
            [house, rated("weak", [1_200, 1_300]), unrated, rated("strong", [1_900, 1_200])];
        assert_eq!(chosen(None, &games).unwrap(), "strong");
        assert_eq!(chosen(None, &games[..2]).unwrap(), "weak");
        assert_eq!(chosen(None, &games[..1]).unwrap(), "house");
        assert_eq!(chosen(None, &[]), None);
        let mut later = rated("later", [1_900, 1_200]);
        later.last_at += 1;
        assert_eq!(chosen(None, &[later, rated("strong", [1_900, 1_200])]).unwrap(), "later");
    }

    #[test]
    fn featured_game_stays_until_over_or_until_idle_while_another_is_not() {
        let strong = rated("strong", [2_000, 2_000]);
        let mut current = rated("present", [1_000, 1_000]);
        assert_eq!(chosen(Some(&current), std::slice::from_ref(&strong)).unwrap(), "present");
        current.last_at = NOW - 60_000;
        assert_eq!(chosen(Some(&current), std::slice::from_ref(&strong)).unwrap(), "strong");
        let mut idle = strong;
        idle.last_at = NOW - 60_001;
        assert_eq!(chosen(Some(&current), &[idle.clone()]).unwrap(), "present");
        assert_eq!(chosen(Some(&current), &[]).unwrap(), "present");
        current.state = GameState::Finished;
        assert_eq!(chosen(Some(&current), &[idle]).unwrap(), "strong");
        assert_eq!(chosen(Some(&current), &[]), None);
    }
}
