//! Who is at a game, on this node and on others: a room publishes it to its audience, announces it
//! to the other nodes, reports to players who are away, and lets who stays claim the game.

use adamant_protocol::{GameId, UserName, to_client::Presence};
use adamant_record::wire::{self, seat_number};
use adamant_rules::{
    Events, Refusal, Seat, Table,
    table::{Outcome, ServerAction},
};

use crate::cluster::{ClusterEvent, NodeId};
use crate::occasions::{GameSide, Occasion, OccasionKind, Occasions};
use crate::room::{
    AudienceElsewhere, Command, LoadedGame, Output, Pass, PublishedPresence, Room, RoomError, Step,
};
use crate::store::{PlayerAtGame, StoreError};
use crate::{
    error::Denial, limits::TURN_UNSEEN_MAX, outbound::frame::Frame, runtime::time::milliseconds,
};

impl Room {
    /// Updates the presence of the players from the audience.
    pub(super) fn update_presence(&mut self, now: u64) {
        let (table, audience) = (&self.table, &self.audience);
        let is_present =
            |user: &str| table.seat_of(user).is_some_and(|seat| audience.is_online(seat));
        self.presence.update(is_present, now);
        self.presence.mark_dirty(now);
        self.announce_players(now);
    }

    /// Sends the presence to the audience if it has changed, or to newcomers only.
    pub(super) fn publish_presence(&mut self, now: u64) {
        if !self.presence.is_due(now) {
            // The grace period of a player has passed.
            self.update_presence(now);
            return;
        }
        self.announce_spectators(false);
        let players = self.presence_visible_to(Some(Seat::FIRST));
        let spectators = self.presence_visible_to(None);
        let changed = self.presence.set_published(PublishedPresence::of(&players, &spectators));
        let players = Frame::of(&players.into());
        let spectators = match self.delayed {
            Some(_) => Frame::of(&spectators.into()),
            None => players.clone(),
        };
        self.audience.publish_presence(&self.head.game, &players, spectators, changed);
    }

    /// Returns the presence as this seat may see it, or a spectator.
    pub(super) fn presence_visible_to(&self, seat: Option<Seat>) -> Presence {
        let (table, head) = self.visible_to(seat);
        Presence {
            game: head.game.clone(),
            seats: self.presence.seats(table),
            spectators: self
                .audience
                .spectators()
                .saturating_add(self.presence.watching_elsewhere()),
            spectator_names: self.audience.spectator_names(),
        }
    }

    /// Notes what another node announces of the audience.
    pub(super) fn note_elsewhere(&mut self, node: NodeId, what: AudienceElsewhere, now: u64) {
        match what {
            AudienceElsewhere::Player { user, here, at } => {
                self.presence.set_elsewhere(user.as_str(), node, here, at);
            }
            AudienceElsewhere::Spectators(count) => self.presence.set_watching(node, count),
        }
        self.update_presence(now);
    }

    /// Takes the players at other nodes from the presence that all nodes share.
    pub(super) fn refresh_elsewhere(&mut self, players: &[PlayerAtGame], now: u64) {
        let Some(here) = self.context.cluster.node() else { return };
        self.presence.replace_elsewhere(players, here, now);
        self.update_presence(now);
        // A node that has missed the number of spectators hears it again.
        self.announce_spectators(true);
    }

    /// Reads who is at the game on any node, before a claim is decided.
    pub(super) fn ask_presence(&mut self, claim: Command, pass: &mut Pass<'_>) {
        self.waiting.push_front(claim);
        self.wait_for(Step::AskPresence, Output::ReadPresence, pass);
    }

    /// The shared presence was read for a claim.
    pub(super) fn on_presence(
        &mut self,
        players: Result<Vec<PlayerAtGame>, StoreError>,
        pass: &mut Pass<'_>,
    ) -> Result<(), RoomError> {
        match self.step.take() {
            Some(Step::AskPresence) => {}
            step => return self.unexpected(step.as_ref()),
        }
        let Some(Command::Act(mut claim)) =
            self.waiting.pop_front_if(|command| matches!(command, Command::Act(_)))
        else {
            return self.unexpected(None);
        };
        match players {
            Ok(players) => {
                self.refresh_elsewhere(&players, pass.now);
                claim.knows_presence = true;
                self.waiting.push_front(Command::Act(claim));
            }
            Err(error) => {
                tracing::debug!(game = %self.head.game, %error, "reading the presence failed");
                claim.client.refuse(&claim.re, Self::busy());
            }
        }
        Ok(())
    }

    /// Decides a claim that arrived at `at`, by the presence at `now`.
    pub(super) fn decide_claim(
        &mut self,
        claimed_by: Seat,
        named: Option<u8>,
        at: u64,
        now: u64,
    ) -> Result<Events, Denial> {
        if self.table.outcome().is_some() {
            return Err(self.refused(Refusal::GameOver));
        }
        if !self.table.seat_in(claimed_by) {
            return Err(self.refused(Refusal::LeftTheGame));
        }
        self.update_presence(now);
        let awaited = self.table.to_move().ok_or_else(|| self.refused(Refusal::GameOver))?;
        let seat = match named {
            Some(number) => self.seat_numbered(number)?,
            None if awaited == claimed_by => return Err(self.refused(Refusal::NotAwaited)),
            None => awaited,
        };
        let action = ServerAction::Abandoned { seat, claimed_by };
        let events = self
            .table
            .decide_server_action(&action, at)
            .map_err(|refusal| self.refused(refusal))?;
        if self.presence.away_since(&self.table, seat).is_none() {
            return Err(Denial::Forbidden(format!("seat {} is here", seat_number(seat))));
        }
        let Some(claim_at) = self.presence.claim_at(&self.table, seat) else {
            let message = "with days for each move the clock decides, and no player may claim";
            return Err(Denial::Forbidden(message.to_owned()));
        };
        if at < claim_at {
            let game = self.head.game.clone();
            return Err(Denial::TooSoon { game, retry_after_ms: claim_at - at });
        }
        Ok(self.or_offer_seat(events))
    }

    fn seat_numbered(&self, number: u8) -> Result<Seat, Denial> {
        Seat::all(self.table.players().len())
            .find(|&seat| seat_number(seat) == number)
            .ok_or_else(|| Denial::BadMessage(format!("there is no seat {number} in this game")))
    }

    /// Announces which players have come to this node, or left it. A server that is alone announces
    /// nothing.
    fn announce_players(&mut self, now: u64) {
        let Some(shared) = &self.context.presence else { return };
        let (cluster, game) = (&self.context.cluster, &self.head.game);
        self.presence.take_local_changes(|user, here| {
            let Ok(user) = user.parse::<UserName>() else { return };
            shared.note(game, &user, here, now);
            cluster.publish(|| ClusterEvent::AtGame { game: game.clone(), user, here, at: now });
        });
    }

    /// The room closes: no player is at the game as far as the other nodes know, so that the shared
    /// presence keeps no player of a game without a room. The room that follows notes who is there.
    pub(super) fn forget_players(&self, now: u64) {
        let Some(shared) = &self.context.presence else { return };
        for user in self.presence.local_players() {
            let Ok(user) = user.parse::<UserName>() else { continue };
            shared.note(&self.head.game, &user, false, now);
        }
    }

    /// Announces the number of spectators here if it has changed, or if there are any and the other
    /// nodes are to hear it `again`.
    fn announce_spectators(&mut self, again: bool) {
        if self.context.cluster.is_alone() {
            return;
        }
        let spectators = self.audience.spectators();
        if self.presence.set_announced(spectators) || again && spectators > 0 {
            let game = &self.head.game;
            self.context
                .cluster
                .publish(|| ClusterEvent::Watching { game: game.clone(), spectators });
        }
    }

    /// Reports that it is this seat's turn, unless its user is here.
    pub(super) fn report_turn(&self, seat: Seat, now: u64) {
        if !self.is_present(seat) {
            self.report(seat, OccasionKind::Turn(self.head.game.clone()), now);
        }
    }

    /// Reports a turn that has just begun to the player whose session has ended: the connection may
    /// have been dead before the server noticed.
    pub(super) fn report_unseen_turn(&self, left: Option<Seat>, now: u64) {
        let began = self.table.last_at();
        if left == self.table.to_move()
            && let Some(seat) = left
            && now.saturating_sub(began) <= milliseconds(TURN_UNSEEN_MAX)
        {
            self.report_turn(seat, now);
        }
    }

    /// Reports the end of the game to the players who are not here.
    pub(super) fn report_end(&self, now: u64) {
        let Some(outcome) = self.table.outcome() else { return };
        for seat in Seat::all(self.table.players().len()) {
            if !self.is_present(seat) {
                let side = side_of(outcome, seat);
                self.report(seat, OccasionKind::End(self.head.game.clone(), side), now);
            }
        }
    }

    /// Whether the seat's user has a session at the game, on any node.
    pub(super) fn is_present(&self, seat: Seat) -> bool {
        self.audience.is_online(seat) || self.presence.is_elsewhere(&self.table, seat)
    }

    fn report(&self, seat: Seat, subject: OccasionKind, now: u64) {
        self.context.occasions.report(|| occasion(&self.table, seat, subject, now));
    }
}

/// Reports the first turn of a game that has just begun.
pub(super) fn report_first_turn(occasions: &Occasions, loaded: &LoadedGame, now: u64) {
    let LoadedGame { table, head, .. } = loaded;
    let game: &GameId = &head.game;
    if let Some(seat) = table.to_move() {
        occasions.report(|| occasion(table, seat, OccasionKind::Turn(game.clone()), now));
    }
}

fn occasion(table: &Table, seat: Seat, subject: OccasionKind, at: u64) -> Occasion {
    let seats = wire::seats(table.players(), table.position());
    let mut others: Vec<UserName> = seats.into_iter().map(|seat| seat.user).collect();
    let user = others.remove(seat.index());
    Occasion { user, rules: wire::rules(table.setup().kind), others, at, subject }
}

/// The end of a game from one player's side.
fn side_of(outcome: &Outcome, seat: Seat) -> GameSide {
    match outcome {
        Outcome::Aborted { .. } => GameSide::Aborted,
        Outcome::Ended { winners, .. } if !winners.contains(seat) => GameSide::Lost,
        Outcome::Ended { winners, .. } if winners.single().is_some() => GameSide::Won,
        Outcome::Ended { .. } => GameSide::Drew,
    }
}
