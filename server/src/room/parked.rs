//! What is kept in memory of games whose rooms are closed: since when their players are away, and
//! when a clock runs out. One index for all of them; no game has a timer of its own.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Mutex, MutexGuard, PoisonError},
};

use adamant_protocol::GameId;
use adamant_rules::BySeat;
use tokio::sync::Notify;

/// A game that was put aside.
#[derive(Debug)]
struct Aside {
    deadline: Option<u64>,
    /// Since when each seat is away; unknown of games that were put aside by an earlier process,
    /// which may be a million: boxed, so that these take no room for it.
    away_since: Option<Box<BySeat<u64>>>,
}

#[derive(Debug, Default)]
struct Games {
    aside: HashMap<GameId, Aside>,
    /// The deadlines, the earliest first.
    deadlines: BTreeSet<(u64, GameId)>,
}

/// The games without a room. The lock is held for moments and never across an await.
#[derive(Debug, Default)]
pub(crate) struct Parked {
    games: Mutex<Games>,
    changed: Notify,
}

impl Parked {
    fn games(&self) -> MutexGuard<'_, Games> {
        self.games.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a game aside.
    pub(super) fn put(&self, game: GameId, deadline: Option<u64>, away_since: BySeat<u64>) {
        self.insert(game, Aside { deadline, away_since: Some(Box::new(away_since)) });
    }

    /// Remembers the deadline of a game that was put aside by an earlier process, or that could
    /// not be woken.
    pub(crate) fn expect(&self, game: GameId, deadline: u64) {
        self.insert(game, Aside { deadline: Some(deadline), away_since: None });
    }

    fn insert(&self, game: GameId, aside: Aside) {
        let mut games = self.games();
        games.remove(&game);
        if let Some(deadline) = aside.deadline {
            games.deadlines.insert((deadline, game.clone()));
        }
        games.aside.insert(game, aside);
        drop(games);
        self.changed.notify_one();
    }

    /// Forgets a game, whose room is opened: since when its players have been away.
    pub(super) fn take(&self, game: &GameId) -> Option<BySeat<u64>> {
        self.games().remove(game)?.away_since.map(|away| *away)
    }

    /// The games whose deadline has come.
    pub(crate) fn due(&self, now: u64) -> Vec<GameId> {
        let games = self.games();
        let due = games.deadlines.iter().take_while(|(deadline, _)| *deadline <= now);
        due.map(|(_, game)| game.clone()).collect()
    }

    /// The earliest deadline.
    pub(crate) fn next_deadline(&self) -> Option<u64> {
        self.games().deadlines.first().map(|(deadline, _)| *deadline)
    }

    /// Waits until a game has been put aside.
    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }
}

impl Games {
    fn remove(&mut self, game: &GameId) -> Option<Aside> {
        let aside = self.aside.remove(game)?;
        if let Some(deadline) = aside.deadline {
            self.deadlines.remove(&(deadline, game.clone()));
        }
        Some(aside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(name: &str) -> GameId {
        name.parse().unwrap()
    }

    #[test]
    fn deadlines_come_in_their_order_and_go_with_the_game() {
        let parked = Parked::default();
        let away = |since| BySeat::from_fn(2, |_| since);
        parked.put(game("late"), Some(30), away(1));
        parked.put(game("soon"), Some(10), away(2));
        parked.put(game("never"), None, away(3));
        parked.expect(game("older"), 20);
        assert_eq!(parked.next_deadline(), Some(10));
        assert_eq!(parked.due(9), []);
        assert_eq!(parked.due(20), [game("soon"), game("older")]);
        // Looking takes nothing away: only the room that opens does.
        assert_eq!(parked.due(10), [game("soon")]);
        assert_eq!(parked.take(&game("soon")), Some(away(2)));
        assert_eq!(parked.take(&game("soon")), None);
        assert_eq!(parked.take(&game("older")), None);
        assert_eq!(parked.take(&game("never")), Some(away(3)));
        assert_eq!(parked.next_deadline(), Some(30));
        // Put aside again, a game has one deadline.
        parked.put(game("late"), Some(40), away(1));
        assert_eq!((parked.due(39), parked.due(40)), (vec![], vec![game("late")]));
    }
}
