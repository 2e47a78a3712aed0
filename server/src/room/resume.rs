//! Sessions that join a game: by a snapshot, or by the records after a cursor.

use adamant_protocol::to_client::{ResumeDecision, Snapshot, SnapshotReason, ToClient};
use adamant_protocol::{EventFrame, RequestId, UserName, from_client::Cursor};
use adamant_record::Head;
use adamant_rules::Seat;
use bytes::Bytes;

use crate::limits::FORK_LOGGED_EVERY;
use crate::outbound::{SendOutcome, client::ClientHandle, frame::Frame};
use crate::room::{
    Command, JoinFrom, JoinRequest, Output, Pass, PlanRequest, ResumePlan, Room, RoomContext, Step,
    snapshot,
};

impl Room {
    pub(super) fn join(&mut self, mut request: Box<JoinRequest>, pass: &mut Pass<'_>) {
        let seat = self.seat_of(&request.client);
        if let Some(seat) = seat {
            self.set_payer(&request.client, seat);
        }
        let seq = match &request.from {
            JoinFrom::Snapshot(reason) => {
                self.admit(&request, seat, pass.now);
                self.send_snapshot(&request.client, request.re.clone(), *reason);
                return self.remind(&request.client, seat);
            }
            JoinFrom::Start
                if self.audience.has(request.client.session)
                    || self.presence.is_rejoining(request.client.session) =>
            {
                return;
            }
            JoinFrom::Start => 1,
            JoinFrom::Seq(seq) => *seq,
        };
        if seq > self.visible_to(seat).1.seq + 1 && !request.followed {
            // The session has read records of another writer that this room has yet to apply.
            request.followed = true;
            self.waiting.push_front(Command::Join(request));
            return self.follow(pass);
        }
        // Records after the visible head are sent once they are visible.
        let (_, head) = self.visible_to(seat);
        let known = usize::try_from((head.seq + 1).saturating_sub(seq)).unwrap_or(usize::MAX);
        if known == 0 {
            self.send_tail(&request, &[], pass.now);
        } else {
            let until = seq.saturating_add(known as u64).saturating_sub(1);
            let output = Output::ReadDurable { from: seq, until };
            self.wait_for(Step::Tail(request), output, pass);
        }
    }

    /// Sends the records since a session's cursor, and adds the session to the audience.
    pub(super) fn send_tail(&mut self, request: &JoinRequest, records: &[Bytes], now: u64) {
        let (client, seat) = (&request.client, self.seat_of(&request.client));
        for record in records {
            // The session has read most of the records from the store. If the rest does not fit,
            // the session ends and resumes from a later cursor.
            if client.outbox.send_or_evict(&Frame::text(record)) != SendOutcome::Queued {
                return;
            }
        }
        self.admit(request, seat, now);
        self.remind(client, seat);
    }

    /// Adds the session to the audience.
    fn admit(&mut self, request: &JoinRequest, seat: Option<Seat>, now: u64) {
        self.audience.join(request.client.handle(), seat, request.named);
        self.presence.has_joined(request.client.session);
        self.update_presence(now);
    }

    /// Tells a player who joins that it is their turn.
    fn remind(&self, client: &ClientHandle, seat: Option<Seat>) {
        if let Some(seat) = seat
            && self.table.to_move() == Some(seat)
            && self.table.seat_offer().is_none()
        {
            self.send_your_turn(client, seat);
        }
    }

    /// Answers how a session resumes. Before the room calls a cursor a fork, it reads what other
    /// writers have appended.
    pub(super) fn plan_resume(&mut self, mut request: Box<PlanRequest>, pass: &mut Pass<'_>) {
        if let Some(session) = request.anew.take() {
            self.audience.leave(session);
            if !self.context.cluster.is_alone() {
                self.presence.set_rejoining(session);
            }
        }
        let (_, head) = self.visible_to(self.seat_of_user(request.user.as_ref()));
        let Some(cursor) = &request.cursor else {
            return self.reply_plan(*request, ResumeDecision::Snapshot);
        };
        if cursor.seq > head.seq && !request.followed {
            request.followed = true;
            self.waiting.push_front(Command::PlanResume(request));
            return self.follow(pass);
        }
        // A cursor without a chain hash is accepted.
        let agrees = match cursor.chain {
            _ if cursor.seq > head.seq => false,
            Some(chain) if cursor.seq == head.seq => chain == head.chain,
            Some(_) if cursor.seq > 0 => {
                let output = Output::ReadDurable { from: cursor.seq, until: cursor.seq };
                return self.wait_for(Step::Cursor(request), output, pass);
            }
            Some(_) | None => true,
        };
        self.reply_cursor(*request, agrees);
    }

    /// Answers by the record at a session's cursor.
    pub(super) fn on_cursor_record(&mut self, request: PlanRequest, record: Option<&Bytes>) {
        let found = record.and_then(|record| EventFrame::unseal(record));
        let chain = request.cursor.as_ref().and_then(|cursor| cursor.chain);
        let agrees = found.is_some_and(|(_, found)| Some(found) == chain);
        self.reply_cursor(request, agrees);
    }

    fn reply_cursor(&self, request: PlanRequest, agrees: bool) {
        if !agrees && let Some(cursor) = &request.cursor {
            let (_, head) = self.visible_to(self.seat_of_user(request.user.as_ref()));
            self.log_fork(request.user.as_ref(), cursor, head);
        }
        let decision = if agrees { ResumeDecision::Tail } else { ResumeDecision::Fork };
        self.reply_plan(request, decision);
    }

    fn reply_plan(&self, request: PlanRequest, resume: ResumeDecision) {
        let seat = self.seat_of_user(request.user.as_ref());
        let (_, head) = self.visible_to(seat);
        let cursor = request.cursor.filter(|_| resume == ResumeDecision::Tail);
        let from = cursor.map(|cursor| cursor.seq + 1);
        let plan = ResumePlan { resume, from, seq: head.seq, chain: head.chain, seat };
        // The session may have ended.
        drop(request.reply.send(Ok(plan)));
    }

    /// Logs a client with records that this server does not have. Usually the server has lost them.
    fn log_fork(&self, user: Option<&UserName>, cursor: &Cursor, head: &Head) {
        let RoomContext { metrics, fork_log, .. } = &*self.context;
        metrics.forks.inc();
        if fork_log.is_due(self.idle_since, FORK_LOGGED_EVERY) {
            // operator: this server lost records, or a backup was restored. Logged at most every 10
            // seconds; `adamant_forks_total` counts all
            tracing::warn!(
                game = %head.game,
                user = user.map(tracing::field::display),
                cursor = cursor.seq,
                chain = cursor.chain.as_ref().map(tracing::field::display),
                stored = head.seq,
                "client has records unknown to this server"
            );
        }
    }

    /// Returns the snapshot for a seat, or for a spectator.
    pub(super) fn snapshot_for(
        &self,
        seat: Option<Seat>,
        re: Option<RequestId>,
        reason: Option<SnapshotReason>,
    ) -> Box<Snapshot> {
        let presence = self.presence_visible_to(seat);
        let (table, head) = self.visible_to(seat);
        let snapshot = snapshot::snapshot(table, head, re, reason, presence);
        Box::new(Snapshot { annulled: self.annulled, ..snapshot })
    }

    pub(super) fn send_snapshot(
        &mut self,
        client: &ClientHandle,
        re: Option<RequestId>,
        reason: Option<SnapshotReason>,
    ) {
        let seat = self.seat_of(client);
        let presence = self.presence_visible_to(seat);
        if self.presence.is_published(&presence, seat.is_some()) {
            self.audience.knows_presence(client.session);
        }
        let (table, head) = self.visible_to(seat);
        let snapshot = snapshot::snapshot(table, head, re, reason, presence);
        let snapshot = Snapshot { annulled: self.annulled, ..snapshot };
        client.reply(ToClient::Snapshot(Box::new(snapshot)));
    }

    pub(super) fn send_your_turn(&self, client: &ClientHandle, seat: Seat) {
        client.reply_frame(&snapshot::your_turn(&self.table, &self.head, seat, client.prefs));
    }
}
