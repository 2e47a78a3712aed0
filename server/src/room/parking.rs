//! The state of parked games that stays in memory: their deadlines, their absent players and their
//! audience. One index serves all games of a loop.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use adamant_protocol::GameId;
use adamant_rules::{BySeat, Seat};

use crate::outbound::{SessionId, client::ClientHandle, outbox::CloseListener};
use crate::{limits::PARKED_SUBSCRIPTIONS_MAX, room::PublishedPresence};

/// A session in the audience of a parked game. It receives nothing, since nothing happens there.
/// The next room restores it without a message.
#[derive(Debug)]
pub(super) struct ParkedListener {
    pub(super) client: Arc<ClientHandle>,
    pub(super) seat: Option<Seat>,
    /// Whether spectator lists name the user.
    pub(super) named: bool,
    /// Whether the client has the presence that was published last.
    pub(super) knows_presence: bool,
    /// Whether the client needs a snapshot.
    pub(super) lagging: bool,
}

/// The state that a parked room leaves.
#[derive(Debug)]
pub(crate) struct ParkedRoom {
    /// The seq of the last record that the audience may have.
    pub(super) seq: u64,
    pub(super) over: bool,
    /// Time at which a clock runs out, in epoch milliseconds.
    pub(super) deadline: Option<u64>,
    /// Time since which each seat is away, in epoch milliseconds.
    pub(super) away_since: BySeat<u64>,
    /// The presence that was published last.
    pub(super) published: Option<PublishedPresence>,
    pub(super) listeners: Vec<ParkedListener>,
}

impl ParkedRoom {
    /// Whether a session is in the audience.
    pub(super) fn has_audience(&self) -> bool {
        !self.listeners.is_empty()
    }
}

#[derive(Debug)]
struct ParkedEntry {
    deadline: Option<u64>,
    /// `None` for games that an earlier process has parked. Boxed, since there may be a million of
    /// those.
    left: Option<Box<ParkedRoom>>,
}

/// A parked game that has a session in its audience.
#[derive(Debug)]
struct ParkedSubscription {
    game: GameId,
    over: bool,
}

/// The parked games of one loop.
#[derive(Debug)]
pub(super) struct ParkedGames {
    entries: HashMap<GameId, ParkedEntry>,
    deadlines: BTreeSet<(u64, GameId)>,
    /// The parked games of each session, in the order in which they were parked.
    by_session: HashMap<SessionId, VecDeque<ParkedSubscription>>,
    /// Is notified of sessions that end.
    listener: CloseListener,
}

impl ParkedGames {
    pub(super) fn new(listener: CloseListener) -> Self {
        Self {
            entries: HashMap::new(),
            deadlines: BTreeSet::new(),
            by_session: HashMap::new(),
            listener,
        }
    }

    /// Parks a game. A finished game is only kept for its audience.
    pub(super) fn park(&mut self, game: &GameId, left: ParkedRoom) {
        let clients: Vec<_> =
            left.listeners.iter().map(|listener| Arc::clone(&listener.client)).collect();
        if left.over && clients.is_empty() {
            return;
        }
        self.insert(game, ParkedEntry { deadline: left.deadline, left: Some(Box::new(left)) });
        // Last: a session that has already ended is recorded immediately and must be present by
        // then.
        for client in clients {
            client.outbox.notify_on_close(&self.listener);
        }
    }

    /// Sets the deadline of a game that an earlier process has parked, or that failed to open.
    pub(super) fn set_deadline(&mut self, game: &GameId, deadline: u64) {
        let left = self.remove(game).and_then(|entries| entries.left);
        self.insert(game, ParkedEntry { deadline: Some(deadline), left });
    }

    /// Removes a game that cannot be opened.
    pub(super) fn forget(&mut self, game: &GameId) {
        self.remove(game);
    }

    fn insert(&mut self, game: &GameId, entry: ParkedEntry) {
        self.remove(game);
        let left = entry.left.as_deref();
        debug_assert!(left.is_none_or(|left| !left.over || left.has_audience()));
        if let Some(deadline) = entry.deadline {
            self.deadlines.insert((deadline, game.clone()));
        }
        let over = left.is_some_and(|left| left.over);
        let sessions: Vec<SessionId> = left
            .into_iter()
            .flat_map(|left| left.listeners.iter().map(|listener| listener.client.session))
            .collect();
        self.entries.insert(game.clone(), entry);
        for session in sessions {
            self.listen(session, ParkedSubscription { game: game.clone(), over });
        }
    }

    /// Removes a game whose room opens, and returns the state of its last room.
    pub(super) fn unpark(&mut self, game: &GameId) -> Option<ParkedRoom> {
        self.remove(game)?.left.map(|left| *left)
    }

    /// Whether a parked game has an audience.
    pub(super) fn has_listeners(&self, game: &GameId) -> bool {
        let left = self.entries.get(game).and_then(|entries| entries.left.as_ref());
        left.is_some_and(|left| !left.listeners.is_empty())
    }

    /// Returns the seq up to which the audience of a parked game has its records; `None` if it has
    /// no audience.
    pub(super) fn seq_of(&self, game: &GameId) -> Option<u64> {
        let left = self.entries.get(game)?.left.as_ref()?;
        (!left.listeners.is_empty()).then_some(left.seq)
    }

    /// Returns the parked games that have an audience.
    pub(super) fn games_with_listeners(&self) -> impl Iterator<Item = &GameId> {
        let has_listeners = |entry: &ParkedEntry| {
            entry.left.as_ref().is_some_and(|left| !left.listeners.is_empty())
        };
        self.entries.iter().filter(move |(_, entry)| has_listeners(entry)).map(|(game, _)| game)
    }

    /// Removes a session from the audience of a parked game. Returns whether it was in it.
    pub(super) fn leave(&mut self, game: &GameId, session: SessionId, now: u64) -> bool {
        let Some(named) = self.by_session.get_mut(&session) else { return false };
        let Some(place) = named.iter().position(|named| named.game == *game) else { return false };
        named.remove(place);
        if named.is_empty() {
            self.by_session.remove(&session);
        }
        self.dismiss(game, session, now);
        true
    }

    pub(super) fn session_closed(&mut self, session: SessionId, now: u64) {
        let games = self.by_session.remove(&session);
        for ParkedSubscription { game, .. } in games.into_iter().flatten() {
            self.dismiss(&game, session, now);
        }
    }

    /// Returns the games whose deadline has passed.
    pub(super) fn due(&self, now: u64) -> Vec<GameId> {
        let due = self.deadlines.iter().take_while(|(deadline, _)| *deadline <= now);
        due.map(|(_, game)| game.clone()).collect()
    }

    pub(super) fn next_deadline(&self) -> Option<u64> {
        self.deadlines.first().map(|(deadline, _)| *deadline)
    }

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

    /// Adds a game to those of a session. The number of finished games is bounded, and the one that
    /// was parked first is dropped. Live games are few.
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

    /// Removes a session from a game's audience. A player is away from `now` on.
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
    use crate::outbound::outbox::{ClosedSessions, OutboxReader, outbox};

    fn parked_games() -> (ParkedGames, Arc<ClosedSessions>) {
        let closed = Arc::<ClosedSessions>::default();
        (ParkedGames::new(closed.listener(0)), closed)
    }

    fn game(name: &str) -> GameId {
        name.parse().unwrap()
    }

    fn left(deadline: Option<u64>, since: u64, listeners: Vec<ParkedListener>) -> ParkedRoom {
        let away_since = BySeat::from_fn(2, |_| since);
        let seq = 2;
        ParkedRoom {
            seq,
            over: deadline.is_none(),
            deadline,
            away_since,
            published: None,
            listeners,
        }
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
    fn deadlines_are_ordered_and_removed_with_their_game() {
        let (mut parked, _closed) = parked_games();
        let since = |left: Option<ParkedRoom>| left.map(|left| left.away_since[Seat::FIRST]);
        parked.park(&game("late"), left(Some(30), 1, Vec::new()));
        parked.park(&game("soon"), left(Some(10), 2, Vec::new()));
        parked.set_deadline(&game("older"), 20);
        assert_eq!(parked.next_deadline(), Some(10));
        assert_eq!(parked.due(9), []);
        assert_eq!(parked.due(20), [game("soon"), game("older")]);
        // `due` removes nothing; `unpark` does.
        assert_eq!(parked.due(10), [game("soon")]);
        // A game that failed to open keeps its state and is tried again.
        parked.set_deadline(&game("soon"), 15);
        assert_eq!(since(parked.unpark(&game("soon"))), Some(2));
        assert_eq!(since(parked.unpark(&game("soon"))), None);
        assert_eq!(since(parked.unpark(&game("older"))), None);
        assert_eq!(parked.next_deadline(), Some(30));
        // A game that is parked again has one deadline.
        parked.park(&game("late"), left(Some(40), 1, Vec::new()));
        assert_eq!((parked.due(39), parked.due(40)), (vec![], vec![game("late")]));
    }

    #[test]
    fn ended_session_is_removed_from_all_games() {
        let (mut parked, closed) = parked_games();
        let ((ann, queue), (bob, _bob)) = (listener(1), listener(2));
        let eve = ParkedListener { client: Arc::clone(&ann.client), ..listener(3).0 };
        parked.park(&game("both"), left(Some(9), 1, vec![ann, bob]));
        parked.park(&game("over"), left(None, 1, vec![eve]));
        assert!(parked.has_listeners(&game("both")) && parked.has_listeners(&game("over")));
        drop(queue);
        for ended in closed.drain() {
            parked.session_closed(ended.session, 7);
        }
        assert!(parked.has_listeners(&game("both")) && !parked.has_listeners(&game("over")));
        assert!(parked.leave(&game("both"), SessionId(2), 8));
        assert!(!parked.leave(&game("both"), SessionId(2), 9));
        assert!(parked.by_session.is_empty() && parked.entries.len() == 1);
        let left = parked.unpark(&game("both")).unwrap();
        assert_eq!((left.away_since[Seat::FIRST], left.listeners.len()), (8, 0));
    }

    #[test]
    fn finished_games_of_a_session_are_bounded() {
        let (mut parked, _closed) = parked_games();
        let (first, _queue) = listener(1);
        for number in 0..=PARKED_SUBSCRIPTIONS_MAX {
            let client = Arc::clone(&first.client);
            let listener = ParkedListener { client, ..listener(2).0 };
            parked.park(&game(&format!("g{number}")), left(None, 1, vec![listener]));
        }
        assert!(!parked.has_listeners(&game("g0")) && parked.has_listeners(&game("g1")));
        assert_eq!(parked.entries.len(), PARKED_SUBSCRIPTIONS_MAX);
    }
}
