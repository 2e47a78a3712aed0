//! How a room handles its inputs one by one, and its deadlines.

use adamant_protocol::{
    CloseCode,
    to_client::{Done, Presence, SnapshotReason},
};
use adamant_rules::Seat;

use super::{
    command::Command,
    input::{Input, Output, Pass},
    presence::PublishedPresence,
    state::{Room, RoomError},
    step::Step,
};
use crate::{
    error::Denial,
    limits::{FINISHED_ROOM_IDLE_MAX, ROOM_COMMANDS_WAITING_MAX, ROOM_RETRY},
    outbound::frame::Frame,
    runtime::time::milliseconds,
    store::{ArchiveError, ArchivedState, Outage, StoreError},
};

impl Room {
    /// Takes one input, and says what is to be done about it.
    pub(crate) fn handle(&mut self, input: Input, pass: &mut Pass<'_>) {
        let result = match input {
            Input::Command(command) => {
                self.receive(command);
                Ok(())
            }
            Input::SessionClosed(session) => {
                let left = self.audience.seat_of(session);
                self.audience.leave(session);
                self.report_unseen_turn(left, pass.now);
                self.update_presence(pass.now);
                Ok(())
            }
            Input::Deadline => {
                self.on_deadline(pass);
                Ok(())
            }
            Input::Opened { archived: _, behind: true } => {
                self.follow(pass);
                Ok(())
            }
            Input::Opened { archived, behind: false } => {
                self.complete(archived, pass);
                Ok(())
            }
            Input::Announced(appended) => self.on_announced(&appended, pass),
            Input::Elsewhere(node, what) => {
                self.note_elsewhere(node, what, pass.now);
                if self.step.is_none() {
                    self.credit_standing(false, pass);
                }
                Ok(())
            }
            Input::PlayersElsewhere(players) => {
                self.refresh_elsewhere(&players, pass.now);
                Ok(())
            }
            Input::NodeGone(gone) => {
                self.on_node_gone(gone, pass.now);
                Ok(())
            }
            Input::Presence(players) => self.on_presence(players, pass),
            Input::Appended(outcome) => self.on_appended(outcome, pass),
            Input::Archived(outcome) => self.on_archived(outcome, pass),
            Input::Records(records) => self.on_records(records, pass),
            Input::Rating(change) => self.on_rating(change, pass),
        };
        match result {
            Ok(()) => {
                self.await_cut_off_player();
                self.take_commands(pass);
            }
            Err(error) => self.fail(&error, pass),
        }
    }

    /// Adds a command to those that wait, unless there are too many.
    fn receive(&mut self, command: Command) {
        if self.waiting.len() < ROOM_COMMANDS_WAITING_MAX {
            self.waiting.push_back(command);
        } else {
            command.deny(Self::busy());
        }
    }

    /// The denial of a command that the room cannot take now.
    pub(super) fn busy() -> Denial {
        let what = "the game is busy".to_owned();
        Denial::Busy { what, retry_after_ms: milliseconds(ROOM_RETRY) }
    }

    /// Takes waiting commands until one has to wait for the store.
    fn take_commands(&mut self, pass: &mut Pass<'_>) {
        while self.step.is_none() && !self.closed {
            if self.catch_up_with_announced(pass) {
                break;
            }
            let Some(command) = self.waiting.pop_front() else { break };
            if self.credit_outage(self.is_there_with(&command), pass) {
                self.waiting.push_front(command);
                break;
            }
            self.idle_since = pass.now;
            self.on_command(command, pass);
        }
    }

    /// Ends the room after an error. The next command opens it again from the journal. Its clients
    /// reconnect, resume by cursor and send requests without a response again. The next command is
    /// refused: it would open the game again and again while the store fails.
    fn fail(&mut self, error: &RoomError, pass: &mut Pass<'_>) {
        // operator: a game's room shut down, usually after failed commits. The next request reloads
        // it. With `the journal ends at event N, and clients have event M` the database has lost
        // what clients have: a stale standby was promoted, or a backup was restored while a node
        // ran. Stop and look
        tracing::error!(game = %self.head.game, %error, "room terminated");
        if let Some(from) = self.failing_since {
            let outage = Outage { from, until: pass.now };
            self.context.outages.note_unstored(&self.head.game, outage);
        }
        self.step = None;
        self.closed = true;
        self.audience.end_all(CloseCode::Restart);
        if let Some(command) = self.waiting.pop_front() {
            command.deny(error.to_denial());
        }
        pass.outputs.clear();
        pass.outputs.push(Output::Close);
    }

    /// Returns the time at which the room wants [`Input::Deadline`]: a clock, presence or parking.
    /// `None` while it waits for the store.
    pub(crate) fn deadline(&self) -> Option<u64> {
        if self.closed {
            return None;
        }
        match &self.step {
            None => {}
            Some(Step::AwaitRating(awaited)) => return Some(awaited.until),
            Some(Step::FlagGrace(until)) => return Some(*until),
            Some(_) => return None,
        }
        let deadlines = [self.flag_at(), self.presence.next_deadline()];
        Some(deadlines.into_iter().flatten().fold(self.park_at(), u64::min))
    }

    fn park_at(&self) -> u64 {
        let park_after = self.context.park_after;
        let idle = if self.is_over() { park_after.min(FINISHED_ROOM_IDLE_MAX) } else { park_after };
        self.idle_since.saturating_add(milliseconds(idle))
    }

    fn on_deadline(&mut self, pass: &mut Pass<'_>) {
        match self.step.take() {
            Some(Step::AwaitRating(awaited)) if awaited.until <= pass.now => {
                let step = Step::ReadRating(awaited.unpublished);
                return self.wait_for(step, Output::ReadRating, pass);
            }
            Some(Step::FlagGrace(until)) if until <= pass.now => {}
            step => self.step = step,
        }
        if self.step.is_some() || self.closed || self.credit_outage(false, pass) {
            return;
        }
        let is_overdue = self.flag_at().is_some_and(|at| at <= pass.now);
        if is_overdue && self.decide_overdue(pass.now, pass) {
            return;
        }
        if self.presence.next_deadline().is_some_and(|at| at <= pass.now) {
            self.publish_presence(pass.now);
        }
        if self.park_at() <= pass.now {
            self.update_presence(pass.now);
            if self.may_park(pass.now) {
                self.park(pass);
            } else {
                self.idle_since = pass.now;
            }
        }
    }

    /// Whether the room can park. A finished game needs no room. A live game keeps its room while a
    /// client is in it, and while its clock runs out soon, since the room would be reopened for
    /// that.
    fn may_park(&self, now: u64) -> bool {
        let soon = now.saturating_add(milliseconds(self.context.park_after));
        let clock = self.table.next_deadline().filter(|_| !self.context.reads_only);
        let is_due = clock.is_some_and(|deadline| deadline <= soon);
        let is_quiet = self.audience.has_no_clients() && self.standing().is_none();
        self.is_over() || (is_quiet && !is_due)
    }

    /// Archives a live game, then closes the room. A finished game is archived already.
    fn park(&mut self, pass: &mut Pass<'_>) {
        if self.is_over() || self.context.reads_only {
            self.close(pass);
        } else {
            let archived = self.archived(ArchivedState::Parked);
            self.wait_for(Step::Park, Output::Archive(archived), pass);
        }
    }

    fn close(&mut self, pass: &mut Pass<'_>) {
        while self.audience.is_behind() {
            self.fan_out(usize::MAX);
        }
        self.closed = true;
        pass.outputs.push(Output::Close);
    }

    fn on_archived(
        &mut self,
        outcome: Result<(), ArchiveError>,
        pass: &mut Pass<'_>,
    ) -> Result<(), RoomError> {
        match outcome {
            Ok(()) => {}
            // Another node plays on, and archives the game when it is done.
            Err(ArchiveError::Conflict { last_seq }) if !self.context.cluster.is_alone() => {
                tracing::debug!(game = %self.head.game, last_seq, "another node has moved on");
            }
            // Harmless: the records stay in the journal, and the next start archives them.
            // operator: harmless: the game stays in the journal, and the server archives it after
            // the next start
            Err(error) => tracing::warn!(game = %self.head.game, %error, "archiving failed"),
        }
        match self.step.take() {
            Some(Step::Finish(unpublished)) => self.publish_end(unpublished, pass),
            Some(Step::Park) => {
                self.close(pass);
                Ok(())
            }
            step => self.unexpected(step.as_ref()),
        }
    }

    /// The store has answered what the room did not ask.
    pub(super) fn unexpected(&self, step: Option<&Step>) -> Result<(), RoomError> {
        // operator: a fault of the server: report it. The room shuts down
        tracing::error!(game = %self.head.game, ?step, "unexpected answer of the store");
        Err(StoreError::Stopped.into())
    }

    /// Whether queued frames wait for some spectators.
    pub(crate) fn is_behind(&self) -> bool {
        self.audience.is_behind()
    }

    /// Sends queued frames to up to `visits` spectators. Returns how many it visited.
    pub(crate) fn fan_out(&mut self, visits: usize) -> usize {
        self.audience.fan_out(&self.head.game, visits)
    }

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
    fn publish_presence(&mut self, now: u64) {
        if !self.presence.is_due(now) {
            // The grace period of a player has passed.
            self.update_presence(now);
            return;
        }
        self.announce_spectators(false);
        let published = PublishedPresence {
            players: self.presence_visible_to(Some(Seat::FIRST)),
            spectators: self.presence_visible_to(None),
        };
        let changed = self.presence.set_published(&published);
        let players = Frame::of(&published.players.into());
        let spectators = match self.delayed {
            Some(_) => Frame::of(&published.spectators.into()),
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

    fn on_command(&mut self, command: Command, pass: &mut Pass<'_>) {
        match command {
            Command::Act(request) => self.act(request, pass),
            Command::Join(request) => self.join(request, pass),
            Command::PlanResume(request) => self.plan_resume(request, pass),
            Command::Leave { client, re } => {
                self.audience.leave(client.session);
                self.update_presence(pass.now);
                let mut done = Done::new(re);
                done.game = Some(self.head.game.clone());
                client.reply(done);
            }
            Command::CatchUp { client } => {
                if self.audience.catch_up(client.session) {
                    self.send_snapshot(&client, None, Some(SnapshotReason::Lagged));
                    self.presence.mark_dirty(pass.now);
                }
            }
            Command::Query { client, re, query } => self.answer(&client, &re, &query, pass.now),
            // Those who asked may have stopped waiting.
            Command::ReadSnapshot { from: _, reply } => {
                drop(reply.send(Ok(Frame::of(&self.snapshot_for(None, None, None).into()))));
            }
            Command::ReadLiveGame { reply } => drop(reply.send(Ok(self.live_game()))),
            Command::ReadTable { as_seen, reply } => {
                let table = if as_seen { self.visible_to(None).0 } else { &self.table };
                drop(reply.send(Ok(Box::new(table.clone()))));
            }
            Command::BroadcastTalk(broadcast) => {
                let over = self.is_over();
                self.audience.broadcast_talk(&self.head.game, *broadcast, over);
            }
        }
    }
}
