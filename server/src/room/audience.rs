//! Who listens to a room, and how events reach them: players first, one encoding for all, and
//! nobody waited for.

use std::sync::Arc;

use adamant_protocol::{GameId, UserName, values::TalkRoom};
use adamant_rules::Seat;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::Spoken;
use crate::{
    caller::{Caller, SessionId},
    limits::SPECTATOR_NAMES_MAX,
    outbox::Offer,
};

/// A session that listens.
#[derive(Debug)]
struct Listener {
    caller: Arc<Caller>,
    /// Some events did not fit into its queue; it gets a snapshot before any further one.
    lagging: bool,
    /// Whether it has been told who is there, as it was told last.
    knows_presence: bool,
    /// Whether it is named among the spectators.
    named: bool,
}

impl Listener {
    /// Sends a frame, unless there is no room for it: then a snapshot is owed instead. Whether the
    /// session is still there.
    fn offer(&mut self, game: &GameId, frame: &Utf8Bytes) -> bool {
        if self.lagging {
            return !self.caller.outbox.is_closed();
        }
        match self.caller.outbox.offer(frame.clone()) {
            Offer::Queued => true,
            Offer::Full => {
                self.lagging = true;
                self.caller.outbox.note_lag(game);
                true
            }
            Offer::Gone => false,
        }
    }
}

/// Everybody who listens to one room.
#[derive(Debug, Default)]
pub(super) struct Audience {
    players: Vec<(Seat, Listener)>,
    spectators: Vec<Listener>,
}

impl Audience {
    /// Adds a session, or starts it anew.
    pub(super) fn join(&mut self, caller: Arc<Caller>, seat: Option<Seat>, named: bool) {
        self.leave(caller.session);
        self.sweep();
        let listener = Listener { caller, lagging: false, knows_presence: false, named };
        match seat {
            Some(seat) => self.players.push((seat, listener)),
            None => self.spectators.push(listener),
        }
    }

    /// Whether a session listens.
    pub(super) fn has(&self, session: SessionId) -> bool {
        let mut listeners =
            self.players.iter().map(|(_, listener)| listener).chain(&self.spectators);
        listeners.any(|listener| listener.caller.session == session)
    }

    /// Takes a session away; whether it was there.
    pub(super) fn leave(&mut self, session: SessionId) -> bool {
        let before = self.players.len() + self.spectators.len();
        self.players.retain(|(_, listener)| listener.caller.session != session);
        self.spectators.retain(|listener| listener.caller.session != session);
        self.players.len() + self.spectators.len() < before
    }

    /// Forgets sessions that have gone. Nobody tells a room that a session ended: its outbox does.
    pub(super) fn sweep(&mut self) {
        self.players.retain(|(_, listener)| !listener.caller.outbox.is_closed());
        self.spectators.retain(|listener| !listener.caller.outbox.is_closed());
    }

    /// Whether nobody listens.
    pub(super) fn is_empty(&self) -> bool {
        self.players.is_empty() && self.spectators.is_empty()
    }

    /// Sends an event to everyone, players first.
    pub(super) fn publish(&mut self, game: &GameId, event: &Utf8Bytes) {
        self.tell_players(event);
        self.tell_spectators(game, event);
    }

    /// Sends an event to the players. Who cannot take it is sent away and resumes by cursor.
    pub(super) fn tell_players(&mut self, event: &Utf8Bytes) {
        self.players.retain(|(_, listener)| {
            listener.caller.outbox.offer_or_evict(event.clone()) == Offer::Queued
        });
    }

    /// Sends an event to the spectators. Who cannot take it skips ahead to a snapshot.
    pub(super) fn tell_spectators(&mut self, game: &GameId, event: &Utf8Bytes) {
        self.spectators.retain_mut(|listener| listener.offer(game, event));
    }

    /// Passes on what was said: the players' talk to the players, that of the spectators to them,
    /// and to everybody once the game is over.
    pub(super) fn pass_on(&mut self, game: &GameId, spoken: &Spoken, over: bool) {
        let wanted = |listener: &Listener| {
            spoken.by.as_ref().is_none_or(|by| !listener.caller.muted.has(by))
        };
        if spoken.room == TalkRoom::Players || over {
            for (_, listener) in self.players.iter().filter(|(_, listener)| wanted(listener)) {
                // An overflow has ended the session; it comes back and asks what was said.
                let _offer = listener.caller.outbox.offer_or_evict(spoken.frame.clone());
            }
        }
        if spoken.room == TalkRoom::Spectators {
            for listener in self.spectators.iter_mut().filter(|listener| wanted(listener)) {
                listener.offer(game, &spoken.frame);
            }
        }
    }

    /// Sends who is there: to everyone if it is news, else to those who have not heard it. To
    /// whoever waits for a snapshot that will tell.
    pub(super) fn tell_presence(
        &mut self,
        game: &GameId,
        players: &Utf8Bytes,
        spectators: &Utf8Bytes,
        news: bool,
    ) {
        self.players.retain_mut(|(_, listener)| {
            if listener.knows_presence && !news {
                return true;
            }
            listener.knows_presence = true;
            listener.caller.outbox.offer_or_evict(players.clone()) == Offer::Queued
        });
        for listener in &mut self.spectators {
            if listener.lagging || (listener.knows_presence && !news) {
                continue;
            }
            listener.knows_presence = true;
            listener.offer(game, spectators);
        }
    }

    /// Notes that a session has heard what everyone was told last.
    pub(super) fn knows_presence(&mut self, session: SessionId) {
        let players = self.players.iter_mut().map(|(_, listener)| listener);
        let mut all = players.chain(&mut self.spectators);
        if let Some(listener) = all.find(|listener| listener.caller.session == session) {
            listener.knows_presence = true;
        }
    }

    /// Whether a session still waits for a snapshot; if so it will get one now.
    pub(super) fn catch_up(&mut self, session: SessionId) -> bool {
        let lagging = self
            .spectators
            .iter_mut()
            .find(|other| other.lagging && other.caller.session == session);
        match lagging {
            Some(listener) => {
                listener.lagging = false;
                true
            }
            None => false,
        }
    }

    /// Follows players who have changed seats.
    pub(super) fn reseat(&mut self, seat_of: impl Fn(&UserName) -> Option<Seat>) {
        for (seat, listener) in &mut self.players {
            if let Some(now) = listener.caller.user.as_ref().and_then(&seat_of) {
                *seat = now;
            }
        }
    }

    /// The sessions of one seat.
    pub(super) fn of_seat(&self, seat: Seat) -> impl Iterator<Item = &Arc<Caller>> {
        self.players
            .iter()
            .filter(move |(other, _)| *other == seat)
            .map(|(_, listener)| &listener.caller)
    }

    /// Whether any session of the seat's user is there.
    pub(super) fn is_online(&self, seat: Seat) -> bool {
        self.of_seat(seat).any(|caller| !caller.outbox.is_closed())
    }

    /// How many listen without a seat; several sessions of one user count once.
    pub(super) fn spectators(&self) -> u32 {
        let open = self.spectators.iter().filter(|listener| !listener.caller.outbox.is_closed());
        let (mut named, mut nameless): (Vec<&UserName>, u32) = (Vec::new(), 0);
        for listener in open {
            match &listener.caller.user {
                Some(user) => named.push(user),
                None => nameless += 1,
            }
        }
        named.sort_unstable();
        named.dedup();
        nameless + u32::try_from(named.len()).unwrap_or(u32::MAX)
    }

    /// The spectators who wish to be named, in the order in which they came; not all of many.
    pub(super) fn spectator_names(&self) -> Vec<UserName> {
        let mut names: Vec<UserName> = Vec::new();
        let open = self.spectators.iter().filter(|listener| !listener.caller.outbox.is_closed());
        for user in open.filter(|open| open.named).filter_map(|open| open.caller.user.as_ref()) {
            if names.len() == SPECTATOR_NAMES_MAX {
                break;
            }
            if !names.iter().any(|known| known.is_same(user.as_str())) {
                names.push(user.clone());
            }
        }
        names
    }

    /// Sends everybody away.
    pub(super) fn end_all(&mut self, reason: adamant_protocol::CloseCode) {
        for listener in
            self.players.drain(..).map(|(_, listener)| listener).chain(self.spectators.drain(..))
        {
            listener.caller.outbox.end(reason);
        }
    }
}
