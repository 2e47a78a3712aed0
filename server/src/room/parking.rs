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

use super::presence::PublishedPresence;
use crate::{
    limits::PARKED_SUBSCRIPTIONS_MAX,
    outbound::{SessionId, client::ClientHandle, closed::ClosedSessions},
};

/// A session that goes on listening to a game whose room is closed. It hears nothing, because nothing
/// happens there; the room that is opened again takes it in, and tells it nothing of that.
#[derive(Debug)]
pub(super) struct ParkedListener {
    pub(super) client: Arc<ClientHandle>,
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
pub(super) struct ParkedRoom {
    /// Whether the game is over.
    pub(super) over: bool,
    /// When a clock runs out.
    pub(super) deadline: Option<u64>,
    /// Since when each seat is away.
    pub(super) away_since: BySeat<u64>,
    /// What those who listen were told last of who is there.
    pub(super) published: Option<PublishedPresence>,
    pub(super) listeners: Vec<ParkedListener>,
}

/// A game without a room.
#[derive(Debug)]
struct ParkedEntry {
    deadline: Option<u64>,
    /// Unknown of games that were put aside by an earlier process, which may be a million: boxed, so
    /// that these take no room for it.
    left: Option<Box<ParkedRoom>>,
}

/// A game that a session listens to in name.
#[derive(Debug)]
struct ParkedSubscription {
    game: GameId,
    over: bool,
}

#[derive(Debug, Default)]
struct ParkedIndex {
    entries: HashMap<GameId, ParkedEntry>,
    /// The deadlines, the earliest first.
    deadlines: BTreeSet<(u64, GameId)>,
    /// What each session listens to in name, in the order in which the rooms were closed.
    by_session: HashMap<SessionId, VecDeque<ParkedSubscription>>,
}

/// The games without a room. The lock is held for moments and never across an await.
#[derive(Debug, Default)]
pub(crate) struct ParkedGames {
    games: Mutex<ParkedIndex>,
    changed: Notify,
    /// Sessions that have ended and may still listen in name.
    closed_sessions: Arc<ClosedSessions>,
}

impl ParkedGames {
    fn games(&self) -> MutexGuard<'_, ParkedIndex> {
        self.games.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a game aside. One that is over is only remembered for those who listen.
    pub(super) fn park(&self, game: &GameId, left: ParkedRoom) {
        let clients: Vec<_> =
            left.listeners.iter().map(|listener| Arc::clone(&listener.client)).collect();
        if left.over && clients.is_empty() {
            return;
        }
        let entries = ParkedEntry { deadline: left.deadline, left: Some(Box::new(left)) };
        self.insert(game, entries);
        // At last: a session that has ended meanwhile is noted at once, and must be listed by then.
        for client in clients {
            client.outbox.notify_on_close(&self.closed_sessions);
        }
    }

    /// Remembers the deadline of a game that was put aside by an earlier process, or that could
    /// not be woken.
    pub(crate) fn set_deadline(&self, game: &GameId, deadline: u64) {
        let left = self.games().remove(game).and_then(|entries| entries.left);
        self.insert(game, ParkedEntry { deadline: Some(deadline), left });
    }

    /// Forgets a game that can never be opened.
    pub(crate) fn forget(&self, game: &GameId) {
        self.games().remove(game);
    }

    fn insert(&self, game: &GameId, entries: ParkedEntry) {
        let mut games = self.games();
        games.remove(game);
        if let Some(deadline) = entries.deadline {
            games.deadlines.insert((deadline, game.clone()));
        }
        let left = entries.left.as_deref();
        let over = left.is_some_and(|left| left.over);
        let sessions: Vec<SessionId> = left
            .into_iter()
            .flat_map(|left| left.listeners.iter().map(|listener| listener.client.session))
            .collect();
        games.entries.insert(game.clone(), entries);
        for session in sessions {
            games.listen(session, ParkedSubscription { game: game.clone(), over });
        }
        drop(games);
        self.changed.notify_one();
    }

    /// Forgets a game, whose room is opened: what the last one has left.
    pub(super) fn unpark(&self, game: &GameId) -> Option<ParkedRoom> {
        self.games().remove(game)?.left.map(|left| *left)
    }

    /// Whether some session listens to a game in name.
    pub(crate) fn has_listeners(&self, game: &GameId) -> bool {
        let games = self.games();
        let left = games.entries.get(game).and_then(|entries| entries.left.as_ref());
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
    pub(crate) async fn session_closed(&self) {
        self.closed_sessions.changed().await;
    }

    /// Forgets sessions that have ended.
    pub(crate) fn sweep(&self, now: u64) {
        for session in self.closed_sessions.drain() {
            let mut games = self.games();
            for ParkedSubscription { game, .. } in
                games.by_session.remove(&session).into_iter().flatten()
            {
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

impl ParkedIndex {
    fn remove(&mut self, game: &GameId) -> Option<ParkedEntry> {
        let entries = self.entries.remove(game)?;
        if let Some(deadline) = entries.deadline {
            self.deadlines.remove(&(deadline, game.clone()));
        }
        for listener in entries.left.iter().flat_map(|left| &left.listeners) {
            let session = listener.client.session;
            let Some(named) = self.by_session.get_mut(&session) else { continue };
            named.retain(|named| named.game != *game);
            if named.is_empty() {
                self.by_session.remove(&session);
            }
        }
        Some(entries)
    }

    /// Notes that a session listens to a game in name. Of games that are over it listens to so many;
    /// the one whose room was closed first makes room. There are never many that go on.
    fn listen(&mut self, session: SessionId, new: ParkedSubscription) {
        let named = self.by_session.entry(session).or_default();
        named.push_back(new);
        if named.iter().filter(|named| named.over).count() <= PARKED_SUBSCRIPTIONS_MAX {
            return;
        }
        let oldest = named.iter().position(|named| named.over);
        if let Some(ParkedSubscription { game, .. }) =
            oldest.and_then(|oldest| named.remove(oldest))
        {
            self.dismiss(&game, session, 0);
        }
    }

    /// A session listens to a game no longer, from now on.
    fn dismiss(&mut self, game: &GameId, session: SessionId, now: u64) {
        let left = self.entries.get_mut(game).and_then(|entries| entries.left.as_mut());
        let Some(left) = left else { return };
        let place = left.listeners.iter().position(|listener| listener.client.session == session);
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

    fn left(deadline: Option<u64>, since: u64, listeners: Vec<ParkedListener>) -> ParkedRoom {
        let away_since = BySeat::from_fn(2, |_| since);
        ParkedRoom { over: deadline.is_none(), deadline, away_since, published: None, listeners }
    }

    fn listener(number: u64) -> (ParkedListener, OutboxReader) {
        let session = SessionId(number);
        let (outbox, queue) = outbox(session, None);
        let client = Arc::new(ClientHandle::anonymous(session, outbox, None));
        let seat = Some(Seat::FIRST);
        let listener =
            ParkedListener { client, seat, named: false, knows_presence: true, lagging: false };
        (listener, queue)
    }

    #[test]
    fn deadlines_come_in_their_order_and_go_with_the_game() {
        let parked = ParkedGames::default();
        let since = |left: Option<ParkedRoom>| left.map(|left| left.away_since[Seat::FIRST]);
        parked.park(&game("late"), left(Some(30), 1, Vec::new()));
        parked.park(&game("soon"), left(Some(10), 2, Vec::new()));
        parked.set_deadline(&game("older"), 20);
        assert_eq!(parked.next_deadline(), Some(10));
        assert_eq!(parked.due(9), []);
        assert_eq!(parked.due(20), [game("soon"), game("older")]);
        // Looking takes nothing away: only the room that opens does.
        assert_eq!(parked.due(10), [game("soon")]);
        // A game that could not be woken is tried again, and nothing is forgotten of it.
        parked.set_deadline(&game("soon"), 15);
        assert_eq!(since(parked.unpark(&game("soon"))), Some(2));
        assert_eq!(since(parked.unpark(&game("soon"))), None);
        assert_eq!(since(parked.unpark(&game("older"))), None);
        assert_eq!(parked.next_deadline(), Some(30));
        // Put aside again, a game has one deadline.
        parked.park(&game("late"), left(Some(40), 1, Vec::new()));
        assert_eq!((parked.due(39), parked.due(40)), (vec![], vec![game("late")]));
    }

    #[test]
    fn of_a_session_that_has_ended_nothing_is_kept() {
        let parked = ParkedGames::default();
        let ((ann, queue), (bob, _bob)) = (listener(1), listener(2));
        let eve = ParkedListener { client: Arc::clone(&ann.client), ..listener(3).0 };
        parked.park(&game("both"), left(Some(9), 1, vec![ann, bob]));
        parked.park(&game("over"), left(None, 1, vec![eve]));
        assert!(parked.has_listeners(&game("both")) && parked.has_listeners(&game("over")));
        drop(queue);
        parked.sweep(7);
        assert!(parked.has_listeners(&game("both")) && !parked.has_listeners(&game("over")));
        assert!(parked.leave(&game("both"), SessionId(2), 8));
        assert!(!parked.leave(&game("both"), SessionId(2), 9));
        let games = parked.games();
        assert!(games.by_session.is_empty() && games.entries.len() == 1);
        drop(games);
        let left = parked.unpark(&game("both")).unwrap();
        assert_eq!((left.away_since[Seat::FIRST], left.listeners.len()), (8, 0));
    }

    #[test]
    fn a_session_listens_in_name_to_so_many_games_that_are_over() {
        let parked = ParkedGames::default();
        let (first, _queue) = listener(1);
        for number in 0..=PARKED_SUBSCRIPTIONS_MAX {
            let client = Arc::clone(&first.client);
            let listener = ParkedListener { client, ..listener(2).0 };
            parked.park(&game(&format!("g{number}")), left(None, 1, vec![listener]));
        }
        assert!(!parked.has_listeners(&game("g0")) && parked.has_listeners(&game("g1")));
        assert_eq!(parked.games().entries.len(), PARKED_SUBSCRIPTIONS_MAX);
    }
}
