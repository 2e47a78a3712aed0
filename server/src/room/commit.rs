//! Changes to a room's game, in this order: decide, append, apply, publish.

use std::time::Duration;

use adamant_protocol::values::{RatingChange, SeatUser};
use adamant_protocol::{CloseCode, EventFrame};
use adamant_record::wire;
use adamant_rules::{Act, EventKind, Events, Seat, event::OfferId, table::ServerAction};

use crate::limits::{APPEND_CONFLICTS_MAX, APPEND_RETRIES_MAX};
use crate::outbound::{client::ClientHandle, frame::Frame};
use crate::room::{
    ActRequest, Cause, Command, Lookup, Output, Pass, PendingAppend, PlayerAction, Room, RoomError,
    Step, Unpublished,
    idempotency::{self, Response},
    snapshot,
};
use crate::store::{
    Append, AppendError, AppendOutcome, ArchivedState, Records, StoreError, Summary,
};
use crate::{error::Denial, quotas::BudgetExhausted};

impl Room {
    /// Credits the clock with the next outage since the last event, before any other decision. A
    /// flag that fell before an outage stands. An outage with a later event is credited already, so
    /// that none is credited twice, even if the server crashes again. `is_there` says that the
    /// player on the move has just come. Returns whether an event is being appended.
    pub(super) fn credit_outage(&mut self, is_there: bool, pass: &mut Pass<'_>) -> bool {
        self.await_cut_off_player();
        while self.outages_seen < self.context.outages.count() && !self.context.reads_only {
            let Some(outage) = self.context.outages.get(self.outages_seen) else { break };
            if self.wait_covers(outage) {
                self.outages_seen += 1;
                continue;
            }
            if let Some((from, until)) = self.owed_for(outage, pass.now) {
                let action = ServerAction::outage(from);
                let events = self.table.decide_server_action(&action, until);
                if let Ok(events) = events
                    && !events.is_empty()
                {
                    // Once it is stored, the last event is later than what was owed.
                    self.append(events, Cause::Server, pass);
                    return true;
                }
            }
            self.stand_after(outage, pass.now);
            self.outages_seen += 1;
        }
        self.credit_standing(is_there, pass)
    }

    /// Carries out an action. The checks are in the order that the protocol documents: repeated
    /// request, also of a player whose seat a computer has taken, seat, fallen flag, rules.
    pub(super) fn act(&mut self, mut request: ActRequest, pass: &mut Pass<'_>) {
        let ActRequest { client, re, action, received_at, .. } = &request;
        let not_a_player = || Denial::NotAPlayer(self.head.game.clone());
        let Some(user) = &client.user else { return client.refuse(re, not_a_player()) };
        let key = idempotency::key(user.as_str(), re);
        match self.requests.look_up(key, re, action, &self.table) {
            Lookup::New => {}
            Lookup::Repeated(mut done) => {
                done.game = Some(self.head.game.clone());
                return client.reply(*done);
            }
            Lookup::IdReused => {
                return client.refuse(re, Denial::IdReuse(self.head.game.clone()));
            }
        }
        let Some(seat) = self.seat_of(client) else { return client.refuse(re, not_a_player()) };
        if self.context.reads_only {
            return client.refuse(re, Denial::ReadOnly);
        }
        if self.conflicts >= APPEND_CONFLICTS_MAX {
            self.conflicts = 0;
            return client.refuse(re, Self::busy());
        }
        if let Err(spent) = may_store(client, action, *received_at) {
            return client.refuse(re, spent.into());
        }
        self.set_payer(client, seat);
        let leaves = matches!(action, PlayerAction::Resign);
        if self.decide_overdue(*received_at, pass)
            || (leaves && self.end_seat_offer(Some(seat), pass))
        {
            return self.waiting.push_front(Command::Act(request));
        }
        if matches!(action, PlayerAction::Claim { .. })
            && !request.knows_presence
            && !self.context.cluster.is_alone()
        {
            return self.ask_presence(Command::Act(request), pass);
        }
        match self.decide(seat, &request, pass.now) {
            Ok(events) => {
                request.key = key;
                self.append(events, Cause::Request(request), pass);
            }
            Err(denial) if !request.followed && self.may_be_stale(&denial) => {
                request.followed = true;
                self.waiting.push_front(Command::Act(request));
                self.follow(pass);
            }
            Err(denial) => request.client.refuse(&request.re, denial),
        }
    }

    fn decide(&mut self, seat: Seat, request: &ActRequest, now: u64) -> Result<Events, Denial> {
        let act = match &request.action {
            PlayerAction::Move { turn, mv } => {
                Act::Move { seat, turn: *turn, notation: mv, lag_ms: request.lag_ms }
            }
            PlayerAction::Resign => Act::Resign { seat },
            PlayerAction::Abort => Act::Abort { seat },
            PlayerAction::Offer(what) => Act::Offer { seat, what: wire::Mirror::from_wire(*what)? },
            PlayerAction::Answer { offer, accept } => {
                Act::Answer { seat, offer: OfferId(offer.0), accept: *accept }
            }
            PlayerAction::Withdraw(offer) => Act::Withdraw { seat, offer: OfferId(offer.0) },
            PlayerAction::Claim { seat: named } => {
                return self.decide_claim(seat, *named, request.received_at, now);
            }
        };
        let decided = self.table.decide(&act, request.received_at);
        let events = decided.map_err(|refusal| self.refused(refusal))?;
        Ok(if matches!(act, Act::Resign { .. }) { self.or_offer_seat(events) } else { events })
    }

    /// Seals the records of events, and has them appended.
    pub(super) fn append(&mut self, events: Events, cause: Cause, pass: &mut Pass<'_>) {
        debug_assert!(!events.is_empty() && !self.context.reads_only);
        let mut head = self.head.clone();
        let mut records = Records::new();
        for (index, event) in events.iter().enumerate() {
            let req = match &cause {
                Cause::Request(request) if index == 0 => Some(&request.re),
                Cause::Request(_) | Cause::Server | Cause::Ruling(_) | Cause::Rating(_) => None,
            };
            let position = self.table.position();
            records.push(Frame::written(|bytes| head.append_to(bytes, event, position, req)));
        }
        let (summary, reseated) = self.listed_after(&events);
        let append = Append {
            game: head.game.clone(),
            expected_seq: self.head.seq,
            prev: self.head.chain,
            records: records.clone(),
            chain: head.chain,
            summary,
            deadline: snapshot::flag_after(&self.table, &events),
            reseated,
            result: snapshot::result_after(&self.table, &events),
        };
        debug_assert_eq!(head.seq, append.expected_seq + records.len() as u64);
        let begun_at = pass.now;
        let end = (head.seq, head.chain);
        let events = events.into_iter().collect();
        let pending = Box::new(PendingAppend { events, records, end, cause, begun_at });
        self.wait_for(Step::Append(pending), Output::Append(append), pass);
    }

    /// Returns the list facts of the game after these events, as spectators may see it.
    fn listed_after(&self, events: &Events) -> (Summary, Option<Vec<SeatUser>>) {
        match &self.delayed {
            Some(delayed) => {
                let (table, visible) = (delayed.table(), delayed.visible_after(events));
                (
                    snapshot::summary_after(table, visible.clone()),
                    snapshot::reseated(table, visible),
                )
            }
            None => (
                snapshot::summary_after(&self.table, events),
                snapshot::reseated(&self.table, events),
            ),
        }
    }

    pub(super) fn on_appended(
        &mut self,
        outcome: AppendOutcome,
        pass: &mut Pass<'_>,
    ) -> Result<(), RoomError> {
        let pending = match self.step.take() {
            Some(Step::Append(pending)) => pending,
            step => return self.unexpected(step.as_ref()),
        };
        let error = match outcome {
            Ok(change) => {
                (self.conflicts, self.failures, self.failing_since) = (0, 0, None);
                return self.committed(pending, change, pass);
            }
            Err(AppendError::Conflict { last_seq }) if last_seq < self.head.seq => {
                // No decision of this room counts. The client reconnects, and hears of the fork.
                if let Cause::Request(request) = pending.cause {
                    request.client.outbox.end(CloseCode::Restart);
                }
                self.context.metrics.forks.inc();
                return Err(RoomError::JournalBehind { last_seq, seq: self.head.seq });
            }
            Err(AppendError::Conflict { .. }) => {
                self.context.metrics.conflicts.inc();
                if matches!(pending.cause, Cause::Request(_) | Cause::Ruling(_)) {
                    self.conflicts += 1;
                }
                self.decide_again(pending.cause, pass);
                return Ok(());
            }
            Err(AppendError::Store(error)) => error,
        };
        // While the store is read-only, the clocks of all games stand.
        if matches!(pending.cause, Cause::Request(_)) && !matches!(error, StoreError::ReadOnly) {
            self.failing_since.get_or_insert(pending.begun_at);
        }
        match (error, pending.cause) {
            // Nothing is stored. Events without a request cannot wait, so that the room ends.
            (StoreError::ReadOnly, Cause::Request(request)) => {
                request.client.refuse(&request.re, StoreError::ReadOnly.into());
                Ok(())
            }
            (StoreError::ReadOnly, Cause::Ruling(request)) => {
                Command::Rule(request).deny(StoreError::ReadOnly.into());
                Ok(())
            }
            // The records may be stored. The journal tells.
            (StoreError::Failed(error), cause) if self.failures < APPEND_RETRIES_MAX => {
                // operator: the store failed, and the records may be stored or not. The room reads
                // the journal and decides again
                tracing::warn!(game = %self.head.game, %error, "append failed, reading back");
                self.failures += 1;
                self.decide_again(cause, pass);
                Ok(())
            }
            (error, cause) => {
                // The client must reconnect and send the request again.
                if let Cause::Request(request) = cause {
                    request.client.outbox.end(CloseCode::Restart);
                }
                Err(error.into())
            }
        }
    }

    /// Follows the journal, then takes the request again: it has been carried out, or is decided
    /// again.
    fn decide_again(&mut self, cause: Cause, pass: &mut Pass<'_>) {
        match cause {
            Cause::Request(request) => {
                self.waiting.push_front(Command::Act(request));
                self.follow(pass);
            }
            Cause::Ruling(mut request) => {
                request.followed = true;
                self.waiting.push_front(Command::Rule(request));
                self.follow(pass);
            }
            Cause::Server => self.follow(pass),
            Cause::Rating(unpublished) => self.follow_after(unpublished, pass),
        }
    }

    /// Answers the request of durable events, applies and publishes them.
    fn committed(
        &mut self,
        pending: Box<PendingAppend>,
        change: Option<RatingChange>,
        pass: &mut Pass<'_>,
    ) -> Result<(), RoomError> {
        let PendingAppend { events, records, end, cause, .. } = *pending;
        let turn_before = self.table.turn();
        let request = if let Cause::Request(request) = &cause { Some(request) } else { None };
        self.charge(request.map(|request| &*request.client), &records, pass.now);
        debug_assert_eq!(end.0, self.head.seq + events.len() as u64, "nothing came between");
        let seq = self.head.seq + 1;
        let response = request.zip(events.first()).map(|(request, event)| {
            let took = pass.now.saturating_sub(request.received_at);
            self.context.metrics.observe_act(Duration::from_millis(took));
            Response { client: &request.client, re: &request.re, seq, event }
        });
        for (event, record) in events.iter().zip(&records) {
            self.table.apply(event)?;
            self.note_applied(event);
            if let EventKind::Substituted { by, .. } = &event.kind {
                self.context.substitutes.seat(&self.head.game, by);
            }
            self.ratings = self.ratings.take().or_else(|| snapshot::rating_change(event));
            if let Some(delayed) = &mut self.delayed {
                delayed.push(record.clone(), event.clone());
            }
        }
        (self.head.seq, self.head.chain) = end;
        if let (Some(request), Some(event)) = (request, events.first()) {
            self.requests.record_as(request.key, seq, event, &self.table);
        }
        if !self.is_over() {
            return self.publish(&records, turn_before, response, true, pass.now);
        }
        // The rating is stored before the end is published. The response does not wait for that.
        if let Some(response) = response {
            response.send(&self.head.game);
        }
        match cause {
            Cause::Rating(mut unpublished) => {
                unpublished.records.extend(records);
                self.finish(unpublished, pass);
                return Ok(());
            }
            // The operator may have stopped waiting.
            Cause::Ruling(request) => drop(request.reply.send(Ok(()))),
            Cause::Request(_) | Cause::Server => {}
        }
        let records = records.into_vec();
        let unpublished = Unpublished { records, turn_before, reports: true };
        if let Some(change) = change {
            return self.record_rating(&change, unpublished, pass);
        }
        self.finish(unpublished, pass);
        Ok(())
    }

    /// Records the rating change as an event after the end. The store has rated the result together
    /// with the record of the end. If the server crashes between the two, the next load of the game
    /// finds the change in the store and records it.
    pub(super) fn record_rating(
        &mut self,
        change: &RatingChange,
        unpublished: Unpublished,
        pass: &mut Pass<'_>,
    ) -> Result<(), RoomError> {
        if let Some(action) = snapshot::rating_action(change) {
            let events = self.table.decide_server_action(&action, pass.now)?;
            self.append(events, Cause::Rating(unpublished), pass);
        } else {
            self.finish(unpublished, pass);
        }
        Ok(())
    }

    /// Archives the finished game. Lists have the game before its end is published.
    pub(super) fn finish(&mut self, unpublished: Unpublished, pass: &mut Pass<'_>) {
        self.context.quotas.game_over(&self.head.game);
        let archived = self.archived(ArchivedState::Finished);
        self.wait_for(Step::Finish(unpublished), Output::Archive(archived), pass);
    }

    /// Publishes the end of a game.
    pub(super) fn publish_end(
        &mut self,
        unpublished: Unpublished,
        pass: &mut Pass<'_>,
    ) -> Result<(), RoomError> {
        let Unpublished { records, turn_before, reports } = unpublished;
        self.publish(&records, turn_before, None, reports, pass.now)?;
        self.delayed = None;
        if reports {
            self.report_end(pass.now);
        }
        Ok(())
    }

    /// Publishes records that are durable and applied: to the players in one write, together with
    /// the response. The spectators' turn comes later. `reports` says whether this node reports to
    /// players who are away.
    pub(super) fn publish(
        &mut self,
        records: &[Frame],
        turn_before: u32,
        response: Option<Response<'_>>,
        reports: bool,
        now: u64,
    ) -> Result<(), RoomError> {
        let chain = |record: &Frame| EventFrame::unseal(record.payload()).map(|(_, chain)| chain);
        debug_assert!(records.last().is_none_or(|last| chain(last) == Some(self.head.chain)));
        let turn = self.table.to_move().filter(|_| self.table.turn() != turn_before);
        let (table, head, game) = (&self.table, &self.head, &self.head.game);
        self.audience.send_to_players(game, response, records, |burst, client, seat| {
            if turn == Some(seat) {
                burst.write(|out| snapshot::write_your_turn(out, table, head, seat, client.prefs));
            }
        });
        if let Some(seat) = turn {
            if reports {
                self.report_turn(seat, now);
            }
            self.note_late_turn(seat, reports, now);
        }
        let game = &self.head.game;
        let released = self.delayed.as_mut().map(|delayed| delayed.release()).transpose()?;
        for record in released.as_deref().unwrap_or(records) {
            self.audience.queue_for_spectators(game, record.clone());
        }
        self.publish_live();
        if self.presence.has_absent_players() {
            // The claimable seat may have changed.
            self.presence.mark_dirty(now);
        }
        Ok(())
    }
}

/// Checks whether there is room for what an action stores. An action that ends a game always has
/// some.
fn may_store(
    client: &ClientHandle,
    action: &PlayerAction,
    now_ms: u64,
) -> Result<(), BudgetExhausted> {
    let Some(quota) = &client.quota else { return Ok(()) };
    match action {
        PlayerAction::Offer(_) => quota.stored.check(now_ms),
        PlayerAction::Move { .. } | PlayerAction::Answer { .. } | PlayerAction::Withdraw(_) => {
            quota.stored.check_network(now_ms)
        }
        PlayerAction::Resign | PlayerAction::Abort | PlayerAction::Claim { .. } => Ok(()),
    }
}
