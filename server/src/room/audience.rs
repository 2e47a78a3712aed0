//! Who listens to a room, and how events reach them: players first and at once, spectators by and
//! by, one encoding for all, and nobody waited for.

use std::{collections::BTreeMap, sync::Arc};

use adamant_protocol::{GameId, UserName, values::TalkRoom};
use adamant_rules::Seat;

use super::{command::TalkBroadcast, fan_out::FanOut, parking::ParkedListener};
use crate::{
    limits::{FAN_OUT_CHUNK, SPECTATOR_NAMES_MAX},
    outbound::{
        SendOutcome, SessionId, client::ClientHandle, closed::ClosedSessions, frame::Frame,
        outbox::Corked,
    },
    runtime::metrics::Metrics,
};

/// A player's session.
#[derive(Debug)]
struct PlayerSession {
    seat: Seat,
    client: Arc<ClientHandle>,
    /// Whether it has been told who is there, as it was told last.
    knows_presence: bool,
}

/// Everybody who listens to one room.
#[derive(Debug)]
pub(super) struct Audience {
    players: Vec<PlayerSession>,
    spectators: FanOut,
    /// How many sessions each spectator with a name has here.
    users: BTreeMap<UserName, u32>,
    /// Sessions of spectators without a name.
    nameless: u32,
    /// Those who wish to be named.
    named: BTreeMap<SessionId, UserName>,
    /// Sessions that have ended and are still listed.
    closed_sessions: Arc<ClosedSessions>,
    metrics: Arc<Metrics>,
}

impl Audience {
    /// Nobody yet. What is sent is counted.
    pub(super) fn new(metrics: Arc<Metrics>) -> Self {
        Self {
            players: Vec::new(),
            spectators: FanOut::new(Arc::clone(&metrics)),
            users: BTreeMap::new(),
            nameless: 0,
            named: BTreeMap::new(),
            closed_sessions: Arc::default(),
            metrics,
        }
    }

    /// Adds a session, or starts it anew.
    pub(super) fn join(&mut self, client: &Arc<ClientHandle>, seat: Option<Seat>, named: bool) {
        self.leave(client.session);
        if let Some(seat) = seat {
            self.players.push(PlayerSession {
                seat,
                client: Arc::clone(client),
                knows_presence: false,
            });
        } else {
            match &client.user {
                Some(user) => *self.users.entry(user.clone()).or_default() += 1,
                None => self.nameless += 1,
            }
            if let Some(user) = client.user.as_ref().filter(|_| named) {
                self.named.insert(client.session, user.clone());
            }
            self.spectators.join(Arc::clone(client));
        }
        // At last: a session that has ended meanwhile is noted at once, and must be listed by then.
        client.outbox.notify_on_close(&self.closed_sessions);
    }

    /// Whether a session listens.
    pub(super) fn has(&self, session: SessionId) -> bool {
        self.players.iter().any(|player| player.client.session == session)
            || self.spectators.has(session)
    }

    /// Takes a session away.
    pub(super) fn leave(&mut self, session: SessionId) {
        self.players.retain(|player| player.client.session != session);
        let Some(client) = self.spectators.leave(session) else { return };
        self.named.remove(&session);
        let Some(user) = &client.user else {
            self.nameless -= 1;
            return;
        };
        if let Some(sessions) = self.users.get_mut(user) {
            *sessions -= 1;
            if *sessions == 0 {
                self.users.remove(user);
            }
        }
    }

    /// What tells when sessions have ended.
    pub(super) fn closed_sessions(&self) -> Arc<ClosedSessions> {
        Arc::clone(&self.closed_sessions)
    }

    /// Forgets sessions that have ended.
    pub(super) fn sweep(&mut self) {
        for session in self.closed_sessions.drain() {
            self.leave(session);
        }
    }

    /// Whether none of those who listen is a client: the server's own players come back by themselves.
    pub(super) fn has_no_clients(&self) -> bool {
        let players = self.players.iter().map(|player| &player.client);
        players.chain(self.spectators.clients()).all(|client| client.house)
    }

    /// Everybody who listens, to be taken in again by [`take_in`](Self::take_in).
    pub(super) fn into_listeners(self) -> Vec<ParkedListener> {
        let Self { players, spectators, named, .. } = self;
        let players = players.into_iter().map(|PlayerSession { seat, client, knows_presence }| {
            let seat = Some(seat);
            ParkedListener { client, seat, named: false, knows_presence, lagging: false }
        });
        let spectators = spectators.into_listeners().map(|listener| {
            let named = named.contains_key(&listener.client.session);
            ParkedListener { named, ..listener }
        });
        players.chain(spectators).filter(|listener| !listener.client.outbox.is_closed()).collect()
    }

    /// Takes in a session that has listened in name. It is told nothing of that.
    pub(super) fn restore(&mut self, listener: &ParkedListener, seat: Option<Seat>) {
        let ParkedListener { client, seat: _, named, knows_presence, lagging } = listener;
        self.join(client, seat, *named);
        if *knows_presence {
            self.knows_presence(client.session);
        }
        if *lagging {
            self.spectators.owe_snapshot(client.session);
        }
    }

    /// From here on the players are told nothing until all of it can be told at once.
    pub(super) fn cork_players(&self) -> Vec<Corked> {
        self.players.iter().map(|player| player.client.outbox.cork()).collect()
    }

    /// Sends an event to the players. Who cannot take it is sent away and resumes by cursor.
    pub(super) fn send_to_players(&mut self, event: &Frame) {
        self.players
            .retain(|player| player.client.outbox.send_or_evict(event) == SendOutcome::Queued);
        self.metrics.deliveries.inc_by(self.players.len() as u64);
    }

    /// Has an event told to the spectators by [`fan_out`](Self::fan_out). Who cannot take it skips
    /// ahead to a snapshot.
    pub(super) fn queue_for_spectators(&mut self, game: &GameId, event: Frame) {
        self.spectators.push(game, event, None);
    }

    /// Whether some spectators have not been told everything yet.
    pub(super) fn is_behind(&self) -> bool {
        self.spectators.is_behind()
    }

    /// Tells some more spectators what they have not been told yet.
    pub(super) fn fan_out(&mut self, game: &GameId) {
        for session in self.spectators.advance(game, FAN_OUT_CHUNK) {
            self.leave(session);
        }
    }

    /// Passes on what was said: the players' talk to the players, that of the spectators to them,
    /// and to everybody once the game is over.
    pub(super) fn broadcast_talk(&mut self, game: &GameId, broadcast: TalkBroadcast, over: bool) {
        if broadcast.room == TalkRoom::Players || over {
            let wanted = |player: &&PlayerSession| {
                broadcast.by.as_ref().is_none_or(|by| !player.client.muted.has(by))
            };
            for player in self.players.iter().filter(wanted) {
                // An overflow has ended the session; it comes back and asks what was said.
                let _offer = player.client.outbox.send_or_evict(&broadcast.frame);
            }
        }
        if broadcast.room == TalkRoom::Spectators {
            self.spectators.push(game, broadcast.frame, broadcast.by);
            self.fan_out(game);
        }
    }

    /// Sends who is there: to everyone if it is news, else to those who have not heard it. To
    /// whoever waits for a snapshot that will tell.
    pub(super) fn publish_presence(
        &mut self,
        game: &GameId,
        players: &Frame,
        spectators: Frame,
        news: bool,
    ) {
        self.players.retain_mut(|player| {
            if player.knows_presence && !news {
                return true;
            }
            player.knows_presence = true;
            player.client.outbox.send_or_evict(players) == SendOutcome::Queued
        });
        if news {
            for spectator in self.spectators.all() {
                spectator.knows_presence = true;
            }
            self.spectators.push(game, spectators, None);
            self.fan_out(game);
            return;
        }
        let newcomers = self.spectators.all().filter(|spectator| !spectator.knows_presence);
        for spectator in newcomers {
            spectator.knows_presence = true;
            // One that has gone is noted as gone.
            let _here = spectator.send(game, &spectators);
        }
    }

    /// Notes that a session has heard what everyone was told last.
    pub(super) fn knows_presence(&mut self, session: SessionId) {
        let player = self.players.iter_mut().find(|player| player.client.session == session);
        if let Some(player) = player {
            player.knows_presence = true;
        } else if let Some(spectator) = self.spectators.get(session) {
            spectator.knows_presence = true;
        }
    }

    /// Whether a session still waits for a snapshot; if so it will get one now.
    pub(super) fn catch_up(&mut self, session: SessionId) -> bool {
        self.spectators.catch_up(session)
    }

    /// Follows players who have changed seats.
    pub(super) fn reseat(&mut self, seat_of: impl Fn(&UserName) -> Option<Seat>) {
        for player in &mut self.players {
            if let Some(now) = player.client.user.as_ref().and_then(&seat_of) {
                player.seat = now;
            }
        }
    }

    /// The sessions of one seat.
    pub(super) fn of_seat(&self, seat: Seat) -> impl Iterator<Item = &Arc<ClientHandle>> {
        let of_seat = self.players.iter().filter(move |player| player.seat == seat);
        of_seat.map(|player| &player.client)
    }

    /// Whether any session of the seat's user is there.
    pub(super) fn is_online(&self, seat: Seat) -> bool {
        self.of_seat(seat).any(|client| !client.outbox.is_closed())
    }

    /// How many listen without a seat; several sessions of one user count once.
    pub(super) fn spectators(&self) -> u32 {
        self.nameless + u32::try_from(self.users.len()).unwrap_or(u32::MAX)
    }

    /// The spectators who wish to be named, in the order in which they connected; not all of many.
    pub(super) fn spectator_names(&self) -> Vec<UserName> {
        let mut names: Vec<UserName> = Vec::new();
        for user in self.named.values() {
            if names.len() == SPECTATOR_NAMES_MAX {
                break;
            }
            if !names.contains(user) {
                names.push(user.clone());
            }
        }
        names
    }

    /// Sends everybody away.
    pub(super) fn end_all(&mut self, reason: adamant_protocol::CloseCode) {
        let players = self.players.drain(..).map(|player| player.client);
        let nobody = FanOut::new(Arc::clone(&self.metrics));
        let spectators = std::mem::replace(&mut self.spectators, nobody);
        for client in players.chain(spectators.into_clients()) {
            client.outbox.end(reason);
        }
    }
}
