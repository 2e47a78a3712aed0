//! The clients of a room. Events are encoded once and sent to players immediately and to spectators
//! in passes. The room never waits for a client.

use std::sync::Arc;

use adamant_protocol::{GameId, UserName, values::TalkRoom};
use adamant_rules::Seat;

use crate::outbound::outbox::CloseListener;
use crate::outbound::{
    SendOutcome, SessionId,
    client::ClientHandle,
    frame::{Burst, Frame},
};
use crate::room::{ParkedListener, Spectators, TalkBroadcast, idempotency::Response};
use crate::runtime::metrics::Metrics;

#[derive(Debug)]
struct PlayerSession {
    seat: Seat,
    client: Arc<ClientHandle>,
    /// Whether the client has the presence that was published last.
    knows_presence: bool,
}

/// The clients of one room.
#[derive(Debug)]
pub(super) struct Audience {
    players: Vec<PlayerSession>,
    /// Boxed, since few games have any.
    spectators: Option<Box<Spectators>>,
    /// Is notified of sessions that end.
    listener: CloseListener,
    metrics: Arc<Metrics>,
}

impl Audience {
    pub(super) const fn new(metrics: Arc<Metrics>, listener: CloseListener) -> Self {
        Self { players: Vec::new(), spectators: None, listener, metrics }
    }

    /// Adds a session. A session that is already present starts over.
    pub(super) fn join(&mut self, client: &Arc<ClientHandle>, seat: Option<Seat>, named: bool) {
        self.leave(client.session);
        if let Some(seat) = seat {
            // Few players have more than one session.
            self.players.reserve_exact(1);
            self.players.push(PlayerSession {
                seat,
                client: Arc::clone(client),
                knows_presence: false,
            });
        } else {
            let metrics = &self.metrics;
            let new = || Box::new(Spectators::new(Arc::clone(metrics)));
            self.spectators.get_or_insert_with(new).join(Arc::clone(client), named);
        }
        // Last: a session that has already ended is recorded immediately and must be present by
        // then.
        debug_assert!(self.has(client.session));
        client.outbox.notify_on_close(&self.listener);
    }

    pub(super) fn has(&self, session: SessionId) -> bool {
        self.players.iter().any(|player| player.client.session == session)
            || self.spectators.as_ref().is_some_and(|spectators| spectators.has(session))
    }

    pub(super) fn leave(&mut self, session: SessionId) {
        let place = self.players.iter().position(|player| player.client.session == session);
        if let Some(player) = place.map(|place| self.players.remove(place)) {
            player.client.outbox.forget_listener(&self.listener);
        }
        let Some(spectators) = &mut self.spectators else { return };
        let Some(client) = spectators.leave(session) else { return };
        client.outbox.forget_listener(&self.listener);
        if spectators.is_empty() {
            self.spectators = None;
        }
    }

    /// Whether no session is a client's. Server bots rejoin by themselves.
    pub(super) fn has_no_clients(&self) -> bool {
        let players = self.players.iter().map(|player| &player.client);
        let spectators = self.spectators.iter().flat_map(|spectators| spectators.clients());
        players.chain(spectators).all(|client| client.house)
    }

    /// Returns the sessions, for [`restore`](Self::restore) in the next room.
    pub(super) fn into_listeners(self) -> Vec<ParkedListener> {
        let Self { players, spectators, listener: room, .. } = self;
        let players = players.into_iter().map(|PlayerSession { seat, client, knows_presence }| {
            let seat = Some(seat);
            ParkedListener { client, seat, named: false, knows_presence, lagging: false }
        });
        let spectators = spectators.into_iter().flat_map(|spectators| spectators.into_listeners());
        let all = players.chain(spectators);
        all.inspect(|listener| listener.client.outbox.forget_listener(&room))
            .filter(|listener| !listener.client.outbox.is_closed())
            .collect()
    }

    /// Restores a session of a parked game. It receives no message for that.
    pub(super) fn restore(&mut self, listener: &ParkedListener, seat: Option<Seat>) {
        let ParkedListener { client, seat: _, named, knows_presence, lagging } = listener;
        self.join(client, seat, *named);
        if *knows_presence {
            self.knows_presence(client.session);
        }
        if let Some(spectators) = self.spectators.as_mut().filter(|_| *lagging) {
            spectators.owe_snapshot(client.session);
        }
    }

    /// Sends events to the players, to each in one write: after the response to its request, and
    /// before what `write_turn` adds for its seat. A client without room is closed and resumes by
    /// cursor.
    pub(super) fn send_to_players(
        &mut self,
        game: &GameId,
        mut response: Option<Response<'_>>,
        events: &[Frame],
        write_turn: impl Fn(&mut Burst, &ClientHandle, Seat),
    ) {
        self.players.retain(|PlayerSession { seat, client, .. }| {
            let mut burst = Burst::new();
            if let Some(response) =
                response.take_if(|response| response.client.session == client.session)
            {
                response.write(game, &mut burst);
            }
            for event in events {
                burst.push(event);
            }
            write_turn(&mut burst, client, *seat);
            client.outbox.send_burst_or_evict(&burst) == SendOutcome::Queued
        });
        if let Some(response) = response {
            // The client is not in the room.
            response.send(game);
        }
        self.metrics.deliveries.inc_by((self.players.len() * events.len()) as u64);
    }

    /// Queues an event for the spectators. [`fan_out`](Self::fan_out) sends it. A client without
    /// room skips ahead to a snapshot.
    pub(super) fn queue_for_spectators(&mut self, game: &GameId, event: Frame) {
        if let Some(spectators) = &mut self.spectators {
            spectators.push(game, event, None);
        }
    }

    /// Whether queued frames wait for some spectators.
    pub(super) fn is_behind(&self) -> bool {
        self.spectators.as_ref().is_some_and(|spectators| spectators.is_behind())
    }

    /// Sends queued frames to up to `visits` of the next spectators. Returns how many it visited.
    pub(super) fn fan_out(&mut self, game: &GameId, visits: usize) -> usize {
        let Some(spectators) = &mut self.spectators else { return 0 };
        let visited = spectators.advance(game, visits);
        for session in visited.closed {
            self.leave(session);
        }
        visited.count
    }

    /// Broadcasts talk: the players' room to players, the spectators' room to spectators and, once
    /// the game is over, also to players.
    pub(super) fn broadcast_talk(&mut self, game: &GameId, broadcast: TalkBroadcast, over: bool) {
        if broadcast.room == TalkRoom::Players || over {
            let wanted = |player: &&PlayerSession| {
                broadcast.by.as_ref().is_none_or(|by| !player.client.muted.has(by))
            };
            for player in self.players.iter().filter(wanted) {
                // An overflow ends the session. The client reconnects and requests the talk.
                player.client.outbox.send_or_evict(&broadcast.frame);
            }
        }
        if broadcast.room == TalkRoom::Spectators
            && let Some(spectators) = &mut self.spectators
        {
            spectators.push(game, broadcast.frame, broadcast.by);
        }
    }

    /// Sends the presence to all clients if it has changed, else to newcomers. A client that waits
    /// for a snapshot gets the presence with it.
    pub(super) fn publish_presence(
        &mut self,
        game: &GameId,
        players: &Frame,
        spectators: Frame,
        changed: bool,
    ) {
        self.players.retain_mut(|player| {
            if player.knows_presence && !changed {
                return true;
            }
            player.knows_presence = true;
            player.client.outbox.send_or_evict(players) == SendOutcome::Queued
        });
        let Some(watching) = &mut self.spectators else { return };
        if changed {
            for spectator in watching.all() {
                spectator.knows_presence = true;
            }
            watching.push(game, spectators, None);
            return;
        }
        let newcomers = watching.all().filter(|spectator| !spectator.knows_presence);
        for spectator in newcomers {
            spectator.knows_presence = true;
            // A session that has ended is removed by `sweep`.
            spectator.send(game, &spectators);
        }
    }

    /// Records that a session has the presence that was published last.
    pub(super) fn knows_presence(&mut self, session: SessionId) {
        let player = self.players.iter_mut().find(|player| player.client.session == session);
        if let Some(player) = player {
            player.knows_presence = true;
        } else if let Some(spectators) = &mut self.spectators
            && let Some(spectator) = spectators.get(session)
        {
            spectator.knows_presence = true;
        }
    }

    /// Returns whether a session waits for a snapshot, and clears that state.
    pub(super) fn catch_up(&mut self, session: SessionId) -> bool {
        let spectators = self.spectators.as_mut();
        spectators.is_some_and(|spectators| spectators.catch_up(session))
    }

    /// Updates the seats of players after a swap, or after a computer has taken one: its player is a
    /// spectator from here on.
    pub(super) fn reseat(&mut self, seat_of: impl Fn(&UserName) -> Option<Seat>) {
        let mut left = Vec::new();
        for player in &mut self.players {
            match player.client.user.as_ref().and_then(&seat_of) {
                Some(now) => player.seat = now,
                None => left.push(Arc::clone(&player.client)),
            }
        }
        for client in left {
            self.join(&client, None, client.prefs.named);
        }
    }

    pub(super) fn of_seat(&self, seat: Seat) -> impl Iterator<Item = &Arc<ClientHandle>> {
        let of_seat = self.players.iter().filter(move |player| player.seat == seat);
        of_seat.map(|player| &player.client)
    }

    pub(super) fn seat_of(&self, session: SessionId) -> Option<Seat> {
        let player = self.players.iter().find(|player| player.client.session == session);
        player.map(|player| player.seat)
    }

    /// Whether the seat's user has a session in the room.
    pub(super) fn is_online(&self, seat: Seat) -> bool {
        self.of_seat(seat).any(|client| !client.outbox.is_closed())
    }

    pub(super) fn spectators(&self) -> u32 {
        self.spectators.as_ref().map_or(0, |spectators| spectators.count())
    }

    pub(super) fn spectator_names(&self) -> Vec<UserName> {
        self.spectators.as_ref().map(|spectators| spectators.names()).unwrap_or_default()
    }

    pub(super) fn end_all(&mut self, reason: adamant_protocol::CloseCode) {
        let players = self.players.drain(..).map(|player| player.client);
        let spectators = self.spectators.take().into_iter();
        let spectators = spectators.flat_map(|spectators| spectators.into_clients());
        for client in players.chain(spectators) {
            client.outbox.end(reason);
        }
    }
}
