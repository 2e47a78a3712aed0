//! Changes to a room's game, in this order: decide, store, apply, publish.

use std::{sync::Arc, time::Duration};

use adamant_protocol::{
    CloseCode, RequestId,
    values::{RatingChange, SeatUser},
};
use adamant_record::{Replay, wire};
use adamant_rules::{Act, Events, Seat, event::OfferId, table::ServerAction};
use bytes::Bytes;

use super::{
    command::PlayerAction,
    idempotency::{self, Lookup},
    outcome, snapshot,
    state::{Room, RoomError},
};
use crate::{
    error::Denial,
    limits::CATCH_UP_CHUNK,
    outbound::{client::ClientHandle, frame::Frame, outbox::Corked},
    store::{Append, AppendError, ArchivedState, StoreError, Summary},
};

/// Maximum number of attempts while other writers append first.
const CONFLICTS_MAX: u32 = 8;

/// An action with the time of its arrival.
#[derive(Debug)]
pub(super) struct TimedAction {
    pub(super) action: PlayerAction,
    /// Arrival in epoch milliseconds.
    pub(super) received_at: u64,
    /// Round-trip time of the client.
    pub(super) lag_ms: u64,
}

/// The request that events answer.
#[derive(Clone, Copy)]
pub(super) struct Requester<'a> {
    client: &'a ClientHandle,
    re: &'a RequestId,
    /// Arrival in epoch milliseconds.
    received_at: u64,
}

/// The result of storing events.
pub(super) enum CommitOutcome {
    /// The events are durable and applied.
    Committed(Committed),
    /// Another writer appended first. Nothing has changed.
    Conflict,
    /// The disk is full. Nothing has changed.
    DiskFull,
}

/// Events that are durable and applied.
pub(super) struct Committed {
    pub(super) records: Vec<Bytes>,
    /// The rating change, if the events end a rated game.
    change: Option<RatingChange>,
    /// Holds back the response, so that it is sent with the events.
    response: Option<Corked>,
}

impl Room {
    /// Credits the clock with the outages since the last event, before any other decision. A flag
    /// that fell before an outage stands. An outage with a later event is credited already, so that
    /// none is credited twice, even if the server crashes again.
    pub(super) async fn credit_outages(&mut self) -> Result<(), RoomError> {
        let outages = Arc::clone(&self.context.outages);
        for outage in outages.iter() {
            for _ in 0..CONFLICTS_MAX {
                if self.table.outcome().is_some() || self.table.last_at() >= outage.until {
                    break;
                }
                let action = ServerAction::Outage { from: outage.from };
                let Ok(events) = self.table.decide_server_action(&action, outage.until) else {
                    break;
                };
                if events.is_empty() || self.commit(&events, None).await? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Carries out an action. The checks are in the order that the protocol documents: repeated
    /// request, seat, fallen flag, rules.
    pub(super) async fn act(
        &mut self,
        client: &ClientHandle,
        re: RequestId,
        asked: &TimedAction,
    ) -> Result<(), RoomError> {
        let TimedAction { action, received_at, .. } = asked;
        for _ in 0..CONFLICTS_MAX {
            let (Some(user), Some(seat)) = (&client.user, self.seat_of(client)) else {
                client.refuse(&re, Denial::NotAPlayer(self.head.game.clone()));
                return Ok(());
            };
            match self.requests.look_up(user.as_str(), &re, action, &self.table) {
                Lookup::New => {}
                Lookup::Repeated(mut done) => {
                    done.game = Some(self.head.game.clone());
                    client.reply(*done);
                    return Ok(());
                }
                Lookup::IdReused => {
                    client.refuse(&re, Denial::IdReuse(self.head.game.clone()));
                    return Ok(());
                }
            }
            if self.context.reads_only {
                client.refuse(&re, Denial::ReadOnly);
                return Ok(());
            }
            if matches!(action, PlayerAction::Offer(_))
                && let Some(Err(spent)) =
                    client.quota.as_ref().map(|quota| quota.stored.check(*received_at))
            {
                client.refuse(&re, spent.into());
                return Ok(());
            }
            self.set_payer(client, seat);
            self.decide_overdue(*received_at).await?;
            let events = match self.decide(seat, asked) {
                Ok(events) => events,
                Err(denial) => {
                    client.refuse(&re, denial);
                    return Ok(());
                }
            };
            let by = Requester { client, re: &re, received_at: *received_at };
            if self.commit(&events, Some(by)).await? {
                return Ok(());
            }
        }
        Err(RoomError::Contended)
    }

    fn decide(&mut self, seat: Seat, asked: &TimedAction) -> Result<Events, Denial> {
        let act = match &asked.action {
            PlayerAction::Move { turn, notation } => {
                Act::Move { seat, turn: *turn, notation, lag_ms: asked.lag_ms }
            }
            PlayerAction::Resign => Act::Resign { seat },
            PlayerAction::Abort => Act::Abort { seat },
            PlayerAction::Offer(what) => Act::Offer { seat, what: wire::Mirror::from_wire(*what) },
            PlayerAction::Answer { offer, accept } => {
                Act::Answer { seat, offer: OfferId(offer.0), accept: *accept }
            }
            PlayerAction::Withdraw(offer) => Act::Withdraw { seat, offer: OfferId(offer.0) },
            PlayerAction::Claim { seat: named } => {
                return self.decide_claim(seat, *named, asked.received_at);
            }
        };
        self.table.decide(&act, asked.received_at).map_err(|refusal| self.refused(refusal))
    }

    /// Decides a clock that has run out, as an event of its own.
    pub(super) async fn decide_overdue(&mut self, now: u64) -> Result<(), RoomError> {
        if self.context.reads_only {
            // The clocks stand still. The time until the store is writable again is an outage.
            return Ok(());
        }
        for _ in 0..CONFLICTS_MAX {
            let Some(events) = self.table.overdue(now) else { return Ok(()) };
            self.commit(&events, None).await?;
        }
        Err(RoomError::Contended)
    }

    /// Stores, applies and publishes events. Returns `false` if another writer appended first: that
    /// writer's events are applied and published, and the caller must decide again. If the disk is
    /// full, a request is answered with an error and nothing changes. Events without a request
    /// cannot wait, so that the room ends.
    async fn commit(
        &mut self,
        events: &Events,
        by: Option<Requester<'_>>,
    ) -> Result<bool, RoomError> {
        let turn_before = self.table.turn();
        let Committed { mut records, change, response } = match self.persist(events, by).await? {
            CommitOutcome::Committed(done) => done,
            CommitOutcome::Conflict => {
                self.follow_journal().await?;
                return Ok(false);
            }
            CommitOutcome::DiskFull => {
                let by = by.ok_or(StoreError::ReadOnly)?;
                by.client.refuse(by.re, StoreError::ReadOnly.into());
                return Ok(true);
            }
        };
        if self.table.outcome().is_some() {
            // The rating is stored before the end is published. The response does not wait for
            // that.
            drop(response);
            if let Some(change) = change {
                self.record_rating(&change, &mut records).await?;
            }
            self.publish_end(records, turn_before).await?;
        } else {
            self.publish(&records, turn_before, response)?;
        }
        Ok(true)
    }

    /// Stores events, answers their request and applies them.
    pub(super) async fn persist(
        &mut self,
        events: &Events,
        by: Option<Requester<'_>>,
    ) -> Result<CommitOutcome, RoomError> {
        let mut head = self.head.clone();
        let mut records = Vec::with_capacity(events.len());
        for (index, event) in events.iter().enumerate() {
            let req = by.map(|by| by.re).filter(|_| index == 0);
            records.push(Bytes::from(head.append(event, self.table.position(), req)));
        }
        let (summary, reseated) = self.listed_after(events);
        let append = Append {
            game: head.game.clone(),
            expected_seq: self.head.seq,
            records: records.clone(),
            summary,
            reseated,
            result: outcome::result_after(&self.table, events),
        };
        let mut outcomes = self.context.journal.append(vec![append]).await;
        let change = match outcomes.pop().unwrap_or(Err(StoreError::Stopped.into())) {
            Ok(change) => change,
            Err(AppendError::Conflict { .. }) => return Ok(CommitOutcome::Conflict),
            Err(AppendError::Store(StoreError::ReadOnly)) => return Ok(CommitOutcome::DiskFull),
            Err(AppendError::Store(error)) => {
                // The outcome is unknown: the client must reconnect and send the request again.
                if let Some(Requester { client, .. }) = by {
                    client.outbox.end(CloseCode::Restart);
                }
                return Err(error.into());
            }
        };
        self.charge(by.map(|by| by.client), &records);
        let seq = self.head.seq + 1;
        let response = by.map(|by| by.client.outbox.cork());
        if let (Some(Requester { client, re, received_at }), Some(event)) = (by, events.first()) {
            let mut done = idempotency::reply(re.clone(), seq, event);
            done.game = Some(self.head.game.clone());
            client.reply(done);
            let took = self.context.time.now_ms().saturating_sub(received_at);
            self.context.metrics.observe_act(Duration::from_millis(took));
        }
        for (event, record) in events.iter().zip(&records) {
            self.table.apply(event)?;
            self.ratings = self.ratings.take().or_else(|| outcome::rating_change(event));
            if let Some(delayed) = &mut self.delayed {
                delayed.push(record.clone(), event.clone());
            }
        }
        self.head = head;
        if let (Some(Requester { re, .. }), Some(event)) = (by, events.first()) {
            self.requests.record(re, seq, event, &self.table);
        }
        Ok(CommitOutcome::Committed(Committed { records, change, response }))
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

    /// Applies and publishes the records that another writer has appended.
    pub(super) async fn follow_journal(&mut self) -> Result<(), RoomError> {
        let turn_before = self.table.turn();
        let mut records = self.apply_journal().await?;
        self.record_missing_rating(&mut records).await?;
        if self.table.outcome().is_some() {
            self.publish_end(records, turn_before).await
        } else {
            self.publish(&records, turn_before, None)
        }
    }

    /// Applies the records that another writer has appended, and returns them.
    pub(super) async fn apply_journal(&mut self) -> Result<Vec<Bytes>, RoomError> {
        let mut records: Vec<Bytes> = Vec::new();
        loop {
            let (game, next) = (self.head.game.clone(), self.head.seq + 1);
            let page = self.context.journal.read(game, next, CATCH_UP_CHUNK).await?;
            self.apply_page(&page)?;
            let is_last = page.len() < CATCH_UP_CHUNK;
            records.extend(page);
            if is_last {
                return Ok(records);
            }
        }
    }

    fn apply_page(&mut self, records: &[Bytes]) -> Result<(), RoomError> {
        let mut replay = Replay::resume(self.table.clone(), self.head.clone());
        for record in records {
            let (frame, event) = replay.push_frame(record)?;
            self.ratings = self.ratings.take().or_else(|| outcome::rating_change(&event));
            if let (Some(req), Some(table)) = (&frame.req, replay.table()) {
                self.requests.record(req, frame.seq, &event, table);
            }
            if let Some(delayed) = &mut self.delayed {
                delayed.push(record.clone(), event);
            }
        }
        if let Some((table, head)) = replay.into_parts() {
            self.table = table;
            self.head = head;
        }
        Ok(())
    }

    /// Archives the game and publishes its end. Lists have the game by then.
    async fn publish_end(
        &mut self,
        records: Vec<Bytes>,
        turn_before: u32,
    ) -> Result<(), RoomError> {
        self.archive(ArchivedState::Finished).await;
        self.publish(&records, turn_before, None)?;
        self.delayed = None;
        Ok(())
    }

    /// Publishes records that are durable and applied: to the players in one write, together with
    /// the response, then to the spectators.
    fn publish(
        &mut self,
        records: &[Bytes],
        turn_before: u32,
        response: Option<Corked>,
    ) -> Result<(), RoomError> {
        let frames: Vec<Frame> = records.iter().map(|record| Frame::text(record)).collect();
        let corked = self.audience.cork_players();
        for frame in &frames {
            self.audience.send_to_players(frame);
        }
        self.audience.reseat(|user| self.table.seat_of(user.as_str()));
        if self.table.turn() != turn_before
            && let Some(seat) = self.table.to_move()
        {
            for client in self.audience.of_seat(seat) {
                self.send_your_turn(client, seat);
            }
        }
        drop((corked, response));
        let game = &self.head.game;
        let visible = match &mut self.delayed {
            None => frames,
            Some(delayed) => delayed.release()?.iter().map(|record| Frame::text(record)).collect(),
        };
        for frame in visible {
            self.audience.queue_for_spectators(game, frame);
        }
        self.audience.fan_out(game);
        self.publish_live();
        if self.presence.has_absent_players() {
            // The claimable seat may have changed.
            self.presence.mark_dirty(self.context.time.now_ms());
        }
        Ok(())
    }
}
