//! What is kept in memory of games whose rooms are closed: since when their players are away, when a
//! clock runs out, and whose sessions go on listening in name. One index for all of them; no game has
//! a timer of its own.

use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use adamant_protocol::GameId;
use adamant_rules::{BySeat, Seat};
use tokio::sync::Notify;

use super::presence::Told;
use crate::{
    limits::PARKED_SUBSCRIPTIONS_MAX,
    outbound::{
        client::{Caller, SessionId},
        closed::Departures,
    },
};

/// A session that goes on listening to a game whose room is closed. It hears nothing, because nothing
/// happens there; the room that is opened again takes it in, and tells it nothing of that.
#[derive(Debug)]
pub(super) struct Listener {
    pub(super) caller: Arc<Caller>,
    /// Where it sits.
    pub(super) seat: Option<Seat>,
    /// Whether it is named among the spectators.
    pub(super) named: bool,
    /// Whether it has been told who is there, as it was told last.
    pub(super) knows_presence: bool,
    /// Whether a snapshot is owed to it.
    pub(super) lagging: bool,
}

/// What a room leaves behind.
#[derive(Debug)]
pub(super) struct Left {
    /// Whether the game is over.
    pub(super) over: bool,
    /// When a clock runs out.
    pub(super) deadline: Option<u64>,
    /// Since when each seat is away.
    pub(super) away_since: BySeat<u64>,
    /// What those who listen were told last of who is there.
    pub(super) told: Option<Told>,
    pub(super) listeners: Vec<Listener>,
}

/// A game without a room.
#[derive(Debug)]
struct Aside {
    deadline: Option<u64>,
    /// Unknown of games that were put aside by an earlier process, which may be a million: boxed, so
    /// that these take no room for it.
    left: Option<Box<Left>>,
}

/// A game that a session listens to in name.
#[derive(Debug)]
struct Named {
    game: GameId,
    over: bool,
}

#[derive(Debug, Default)]
struct Games {
    aside: HashMap<GameId, Aside>,
    /// The deadlines, the earliest first.
    deadlines: BTreeSet<(u64, GameId)>,
    /// What each session listens to in name, in the order in which the rooms were closed.
    by_session: HashMap<SessionId, VecDeque<Named>>,
}

/// The games without a room. The lock is held for moments and never across an await.
#[derive(Debug, Default)]
pub(crate) struct Parked {
    games: Mutex<Games>,
    changed: Notify,
    /// Sessions that have ended and may still listen in name.
    departures: Arc<Departures>,
}

impl Parked {
    fn games(&self) -> MutexGuard<'_, Games> {
        self.games.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a game aside. One that is over is only remembered for those who listen.
    pub(super) fn put(&self, game: &GameId, left: Left) {
        let callers: Vec<_> =
            left.listeners.iter().map(|listener| Arc::clone(&listener.caller)).collect();
        if left.over && callers.is_empty() {
            return;
        }
        let aside = Aside { deadline: left.deadline, left: Some(Box::new(left)) };
        self.insert(game, aside);
        // At last: a session that has ended meanwhile is noted at once, and must be listed by then.
        for caller in callers {
            caller.outbox.mourn(&self.departures);
        }
    }

    /// Remembers the deadline of a game that was put aside by an earlier process, or that could
    /// not be woken.
    pub(crate) fn expect(&self, game: &GameId, deadline: u64) {
        let left = self.games().remove(game).and_then(|aside| aside.left);
        self.insert(game, Aside { deadline: Some(deadline), left });
    }

    /// Forgets a game that can never be opened.
    pub(crate) fn forget(&self, game: &GameId) {
        self.games().remove(game);
    }

    fn insert(&self, game: &GameId, aside: Aside) {
        let mut games = self.games();
        games.remove(game);
        if let Some(deadline) = aside.deadline {
            games.deadlines.insert((deadline, game.clone()));
        }
        let left = aside.left.as_deref();
        let over = left.is_some_and(|left| left.over);
        let sessions: Vec<SessionId> = left
            .into_iter()
            .flat_map(|left| left.listeners.iter().map(|listener| listener.caller.session))
            .collect();
        games.aside.insert(game.clone(), aside);
        for session in sessions {
            games.listen(session, Named { game: game.clone(), over });
        }
        drop(games);
        self.changed.notify_one();
    }

    /// Forgets a game, whose room is opened: what the last one has left.
    pub(super) fn take(&self, game: &GameId) -> Option<Left> {
        self.games().remove(game)?.left.map(|left| *left)
    }

    /// Whether some session listens to a game in name.
    pub(crate) fn is_listened_to(&self, game: &GameId) -> bool {
        let games = self.games();
        let left = games.aside.get(game).and_then(|aside| aside.left.as_ref());
        left.is_some_and(|left| !left.listeners.is_empty())
    }

    /// Takes a session away that listens to a game in name; whether it did.
    pub(crate) fn leave(&self, game: &GameId, session: SessionId, now: u64) -> bool {
        let mut games = self.games();
        let Some(named) = games.by_session.get_mut(&session) else { return false };
        let Some(place) = named.iter().position(|named| named.game == *game) else { return false };
        named.remove(place);
        if named.is_empty() {
            games.by_session.remove(&session);
        }
        games.dismiss(game, session, now);
        true
    }

    /// Waits until a session has ended that listened in name.
    pub(crate) async fn somebody_left(&self) {
        self.departures.noted().await;
    }

    /// Forgets sessions that have ended.
    pub(crate) fn sweep(&self, now: u64) {
        for session in self.departures.take() {
            let mut games = self.games();
            for Named { game, .. } in games.by_session.remove(&session).into_iter().flatten() {
                games.dismiss(&game, session, now);
            }
        }
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
        for listener in aside.left.iter().flat_map(|left| &left.listeners) {
            let session = listener.caller.session;
            let Some(named) = self.by_session.get_mut(&session) else { continue };
            named.retain(|named| named.game != *game);
            if named.is_empty() {
                self.by_session.remove(&session);
            }
        }
        Some(aside)
    }

    /// Notes that a session listens to a game in name. Of games that are over it listens to so many;
    /// the one whose room was closed first makes room. There are never many that go on.
    fn listen(&mut self, session: SessionId, new: Named) {
        let named = self.by_session.entry(session).or_default();
        named.push_back(new);
        if named.iter().filter(|named| named.over).count() <= PARKED_SUBSCRIPTIONS_MAX {
            return;
        }
        let oldest = named.iter().position(|named| named.over);
        if let Some(Named { game, .. }) = oldest.and_then(|oldest| named.remove(oldest)) {
            self.dismiss(&game, session, 0);
        }
    }

    /// A session listens to a game no longer, from now on.
    fn dismiss(&mut self, game: &GameId, session: SessionId, now: u64) {
        let left = self.aside.get_mut(game).and_then(|aside| aside.left.as_mut());
        let Some(left) = left else { return };
        let place = left.listeners.iter().position(|listener| listener.caller.session == session);
        let Some(gone) = place.map(|place| left.listeners.swap_remove(place)) else { return };
        if let Some(seat) = gone.seat
            && left.listeners.iter().all(|other| other.seat != Some(seat))
        {
            left.away_since[seat] = left.away_since[seat].max(now);
        }
        if left.over && left.listeners.is_empty() {
            self.remove(game);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outbound::outbox::{OutboxReader, outbox};

    fn game(name: &str) -> GameId {
        name.parse().unwrap()
    }

    fn left(deadline: Option<u64>, since: u64, listeners: Vec<Listener>) -> Left {
        let away_since = BySeat::from_fn(2, |_| since);
        Left { over: deadline.is_none(), deadline, away_since, told: None, listeners }
    }

    fn listener(number: u64) -> (Listener, OutboxReader) {
        let session = SessionId(number);
        let (outbox, queue) = outbox(session, None);
        let caller = Arc::new(Caller::nobody(session, outbox, None));
        let seat = Some(Seat::FIRST);
        let listener =
            Listener { caller, seat, named: false, knows_presence: true, lagging: false };
        (listener, queue)
    }

    #[test]
    fn deadlines_come_in_their_order_and_go_with_the_game() {
        let parked = Parked::default();
        let since = |left: Option<Left>| left.map(|left| left.away_since[Seat::FIRST]);
        parked.put(&game("late"), left(Some(30), 1, Vec::new()));
        parked.put(&game("soon"), left(Some(10), 2, Vec::new()));
        parked.expect(&game("older"), 20);
        assert_eq!(parked.next_deadline(), Some(10));
        assert_eq!(parked.due(9), []);
        assert_eq!(parked.due(20), [game("soon"), game("older")]);
        // Looking takes nothing away: only the room that opens does.
        assert_eq!(parked.due(10), [game("soon")]);
        // A game that could not be woken is tried again, and nothing is forgotten of it.
        parked.expect(&game("soon"), 15);
        assert_eq!(since(parked.take(&game("soon"))), Some(2));
        assert_eq!(since(parked.take(&game("soon"))), None);
        assert_eq!(since(parked.take(&game("older"))), None);
        assert_eq!(parked.next_deadline(), Some(30));
        // Put aside again, a game has one deadline.
        parked.put(&game("late"), left(Some(40), 1, Vec::new()));
        assert_eq!((parked.due(39), parked.due(40)), (vec![], vec![game("late")]));
    }

    #[test]
    fn of_a_session_that_has_ended_nothing_is_kept() {
        let parked = Parked::default();
        let ((ann, queue), (bob, _bob)) = (listener(1), listener(2));
        let eve = Listener { caller: Arc::clone(&ann.caller), ..listener(3).0 };
        parked.put(&game("both"), left(Some(9), 1, vec![ann, bob]));
        parked.put(&game("over"), left(None, 1, vec![eve]));
        assert!(parked.is_listened_to(&game("both")) && parked.is_listened_to(&game("over")));
        drop(queue);
        parked.sweep(7);
        assert!(parked.is_listened_to(&game("both")) && !parked.is_listened_to(&game("over")));
        assert!(parked.leave(&game("both"), SessionId(2), 8));
        assert!(!parked.leave(&game("both"), SessionId(2), 9));
        let games = parked.games();
        assert!(games.by_session.is_empty() && games.aside.len() == 1);
        drop(games);
        let left = parked.take(&game("both")).unwrap();
        assert_eq!((left.away_since[Seat::FIRST], left.listeners.len()), (8, 0));
    }

    #[test]
    fn a_session_listens_in_name_to_so_many_games_that_are_over() {
        let parked = Parked::default();
        let (first, _queue) = listener(1);
        for number in 0..=PARKED_SUBSCRIPTIONS_MAX {
            let caller = Arc::clone(&first.caller);
            let listener = Listener { caller, ..listener(2).0 };
            parked.put(&game(&format!("g{number}")), left(None, 1, vec![listener]));
        }
        assert!(!parked.is_listened_to(&game("g0")) && parked.is_listened_to(&game("g1")));
        assert_eq!(parked.games().aside.len(), PARKED_SUBSCRIPTIONS_MAX);
    }
}
