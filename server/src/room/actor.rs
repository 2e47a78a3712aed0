//! The task of a room: handles its commands one by one, and its deadlines.

use std::{ops::ControlFlow, pin::pin, sync::Arc};

use adamant_protocol::{
    CloseCode, EventFrame, RequestId, UserName,
    from_client::Cursor,
    to_client::{Done, Presence, ResumeDecision, SnapshotReason, ToClient},
};
use adamant_record::Head;
use adamant_rules::Seat;
use bytes::Bytes;
use tokio::{
    sync::{mpsc, oneshot},
    task::yield_now,
};

use super::{
    command::{Command, JoinFrom, ResumePlan},
    commit::TimedAction,
    parking::ParkedRoom,
    presence::PublishedPresence,
    snapshot,
    state::{Room, RoomContext, RoomError},
};
use crate::{
    limits::{FINISHED_ROOM_IDLE_MAX, FORK_LOGGED_EVERY},
    outbound::{SendOutcome, client::ClientHandle, frame::Frame},
    runtime::time::milliseconds,
    store::{ArchivedState, StoreError},
};

impl Room {
    /// Runs the room until it ends. Boxed, because a future stores its arguments twice.
    pub(super) async fn run(mut self: Box<Self>, mut commands: mpsc::Receiver<Box<Command>>) {
        // The larger futures are boxed, to keep idle rooms small.
        let result = match Box::pin(self.credit_outages()).await {
            Ok(()) => self.serve(&mut commands).await,
            Err(error) => Err(error),
        };
        commands.close();
        match result {
            Ok(()) => {
                // Commands that the mailbox accepted before it closed are still answered.
                while let Ok(command) = commands.try_recv() {
                    if let Err(error) = Box::pin(self.on_command(*command)).await {
                        self.fail(&error);
                        return;
                    }
                }
                while self.audience.is_behind() {
                    self.fan_out().await;
                }
                // At shutdown live games stay in the journal, where a restart loads them fastest.
                if !self.context.lifecycle.soft.is_cancelled() {
                    Box::pin(self.park()).await;
                }
            }
            Err(error) => self.fail(&error),
        }
    }

    /// Ends the room after an error. The next request reloads it from the journal. Its clients
    /// reconnect, resume by cursor and send requests without a response again.
    fn fail(&mut self, error: &RoomError) {
        tracing::error!(game = %self.head.game, %error, "room terminated");
        self.audience.end_all(CloseCode::Restart);
    }

    async fn serve(
        &mut self,
        commands: &mut mpsc::Receiver<Box<Command>>,
    ) -> Result<(), RoomError> {
        let stop = self.context.lifecycle.soft.clone();
        let (time, closed_sessions) = (self.context.time, self.audience.closed_sessions());
        // The three futures are kept across commands: to create them for each command would cost
        // more than most commands do. The timer is reset when a deadline moves earlier and when it
        // has fired. By then the deadline may have moved later.
        let mut stopping = pin!(stop.cancelled());
        let mut session_closed = pin!(closed_sessions.changed());
        let mut set_to = self.next_deadline();
        let mut timer = pin!(time.reaches(Some(set_to)));
        loop {
            let due = self.next_deadline();
            if due < set_to {
                set_to = due;
                timer.set(time.reaches(Some(due)));
            }
            tokio::select! {
                biased;
                // Shutdown: accept no more commands, but answer the accepted ones.
                () = stopping.as_mut(), if !commands.is_closed() => commands.close(),
                // Before the timer, so that a move that was received in time beats the flag.
                command = commands.recv() => match command {
                    Some(command) => {
                        Box::pin(self.on_command(*command)).await?;
                        self.idle_since = time.now_ms();
                    }
                    None => return Ok(()),
                },
                () = timer.as_mut() => {
                    if Box::pin(self.on_time(time.now_ms())).await?.is_break() {
                        return Ok(());
                    }
                    set_to = self.next_deadline();
                    timer.set(time.reaches(Some(set_to)));
                }
                () = session_closed.as_mut() => {
                    session_closed.set(closed_sessions.changed());
                    self.update_presence();
                }
                // Last, so that spectators never delay players.
                () = self.fan_out(), if self.audience.is_behind() => {}
            }
        }
    }

    fn is_over(&self) -> bool {
        self.table.outcome().is_some()
    }

    fn park_at(&self) -> u64 {
        let park_after = self.context.park_after;
        let idle = if self.is_over() { park_after.min(FINISHED_ROOM_IDLE_MAX) } else { park_after };
        self.idle_since.saturating_add(milliseconds(idle))
    }

    /// Returns the earliest deadline: a clock, presence or parking.
    fn next_deadline(&self) -> u64 {
        let clock = self.table.next_deadline().filter(|_| !self.context.reads_only);
        let deadlines = [clock, self.presence.next_deadline()];
        deadlines.into_iter().flatten().fold(self.park_at(), u64::min)
    }

    /// Handles passed deadlines. Breaks if the room should park.
    async fn on_time(&mut self, now: u64) -> Result<ControlFlow<()>, RoomError> {
        if self.table.next_deadline().is_some_and(|at| at <= now) {
            self.decide_overdue(now).await?;
        }
        if self.presence.next_deadline().is_some_and(|at| at <= now) {
            self.publish_presence();
        }
        if self.park_at() <= now {
            self.update_presence();
            if self.may_park() {
                return Ok(ControlFlow::Break(()));
            }
            self.idle_since = now;
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Whether the room can park. A finished game needs no room. A live game keeps its room while a
    /// client is in it, and while its clock runs out soon, since the room would be reopened for
    /// that.
    fn may_park(&self) -> bool {
        let soon = self.context.time.now_ms().saturating_add(milliseconds(self.context.park_after));
        let clock = self.table.next_deadline().filter(|_| !self.context.reads_only);
        let is_due = clock.is_some_and(|deadline| deadline <= soon);
        self.is_over() || (self.audience.has_no_clients() && !is_due)
    }

    /// Parks the game: archives it if it is live, and keeps its audience for the next room. A
    /// finished game is archived already.
    async fn park(mut self: Box<Self>) {
        let over = self.is_over();
        if !over && !self.context.reads_only {
            self.archive(ArchivedState::Parked).await;
        }
        self.update_presence();
        let left = ParkedRoom {
            over,
            deadline: self.table.next_deadline(),
            away_since: self.presence.away_since_by_seat(&self.table, self.context.time.now_ms()),
            published: self.presence.published().cloned(),
            listeners: self.audience.into_listeners(),
        };
        self.context.parked.park(&self.head.game, left);
        if !over {
            tracing::debug!("game parked");
        }
    }

    /// Sends queued frames to the next spectators, then yields to other tasks.
    async fn fan_out(&mut self) {
        self.audience.fan_out(&self.head.game);
        yield_now().await;
    }

    /// Updates the presence of the players from the audience.
    pub(super) fn update_presence(&mut self) {
        self.audience.sweep();
        let (table, audience, now) = (&self.table, &self.audience, self.context.time.now_ms());
        let is_present =
            |user: &str| table.seat_of(user).is_some_and(|seat| audience.is_online(seat));
        self.presence.update(is_present, now);
        self.presence.mark_dirty(now);
    }

    /// Sends the presence to the audience if it has changed, or to newcomers only.
    fn publish_presence(&mut self) {
        let now = self.context.time.now_ms();
        if !self.presence.is_due(now) {
            // The grace period of a player has passed.
            self.update_presence();
            return;
        }
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
    fn presence_visible_to(&self, seat: Option<Seat>) -> Presence {
        let (table, head) = self.visible_to(seat);
        Presence {
            game: head.game.clone(),
            seats: self.presence.seats(table),
            spectators: self.audience.spectators(),
            spectator_names: self.audience.spectator_names(),
        }
    }

    async fn on_command(&mut self, command: Command) -> Result<(), RoomError> {
        match command {
            Command::Join { client, re, from, named } => {
                self.join(client, re, from, named).await?;
            }
            Command::SendSnapshot { client } => self.send_snapshot(&client, None, None),
            Command::Leave { client, re } => {
                self.audience.leave(client.session);
                self.update_presence();
                let mut done = Done::new(re);
                done.game = Some(self.head.game.clone());
                client.reply(done);
            }
            Command::CatchUp { client } => {
                if self.audience.catch_up(client.session) {
                    self.send_snapshot(&client, None, Some(SnapshotReason::Lagged));
                    self.presence.mark_dirty(self.context.time.now_ms());
                }
            }
            Command::Act { client, re, action, received_at, lag_ms } => {
                let asked = TimedAction { action, received_at, lag_ms };
                self.act(&client, re, &asked).await?;
            }
            Command::Query { client, re, query } => self.answer(&client, &re, &query),
            Command::ReadLiveGame { reply } => {
                // The requester may have stopped waiting.
                drop(reply.send(self.live_game()));
            }
            Command::ReadTable { reply } => {
                let (table, _) = self.visible_to(None);
                drop(reply.send(Box::new(table.clone())));
            }
            Command::BroadcastTalk(broadcast) => {
                let over = self.is_over();
                self.audience.broadcast_talk(&self.head.game, broadcast, over);
            }
            Command::PlanResume { user, from: _, cursor, reply, anew } => {
                if let Some(session) = anew {
                    self.audience.leave(session);
                }
                self.plan_resume(user.as_ref(), cursor, reply).await?;
            }
        }
        Ok(())
    }

    async fn join(
        &mut self,
        client: Arc<ClientHandle>,
        re: Option<RequestId>,
        from: JoinFrom,
        named: bool,
    ) -> Result<(), RoomError> {
        let seat = self.seat_of(&client);
        if let Some(seat) = seat {
            self.set_payer(&client, seat);
        }
        let from = match from {
            JoinFrom::Snapshot(reason) => {
                self.admit(&client, seat, named);
                self.send_snapshot(&client, re, reason);
                None
            }
            JoinFrom::Seq(seq) => Some(seq),
            JoinFrom::Start if self.audience.has(client.session) => return Ok(()),
            JoinFrom::Start => Some(1),
        };
        if let Some(seq) = from {
            if seq > self.head.seq + 1 {
                // The session has read records of another writer that this room has yet to apply.
                self.follow_journal().await?;
            }
            for record in self.records_from(seq, seat).await? {
                // The session has read most of the records from the store. If the rest does not
                // fit, the session ends and resumes from a later cursor.
                if client.outbox.send_or_evict(&Frame::text(&record)) != SendOutcome::Queued {
                    return Ok(());
                }
            }
            self.admit(&client, seat, named);
        }
        if let Some(seat) = seat
            && self.table.to_move() == Some(seat)
        {
            self.send_your_turn(&client, seat);
        }
        Ok(())
    }

    /// Adds the session to the audience.
    fn admit(&mut self, client: &Arc<ClientHandle>, seat: Option<Seat>, named: bool) {
        self.audience.join(client, seat, named);
        self.update_presence();
    }

    /// Returns the records from this seq that this room has applied and the seat may see. Later
    /// records of another writer are sent once this room has applied them.
    async fn records_from(&self, seq: u64, seat: Option<Seat>) -> Result<Vec<Bytes>, StoreError> {
        let (_, head) = self.visible_to(seat);
        let known = usize::try_from((head.seq + 1).saturating_sub(seq)).unwrap_or(usize::MAX);
        if known == 0 {
            return Ok(Vec::new());
        }
        self.context.journal.read(self.head.game.clone(), seq, known).await
    }

    async fn plan_resume(
        &self,
        user: Option<&UserName>,
        cursor: Option<Cursor>,
        reply: oneshot::Sender<ResumePlan>,
    ) -> Result<(), RoomError> {
        let seat = self.seat_of_user(user);
        let (_, head) = self.visible_to(seat);
        let (resume, from) = match cursor {
            None => (ResumeDecision::Snapshot, None),
            Some(cursor) if self.agrees(&cursor, head).await? => {
                (ResumeDecision::Tail, Some(cursor.seq + 1))
            }
            Some(cursor) => {
                self.log_fork(user, &cursor, head);
                (ResumeDecision::Fork, None)
            }
        };
        // The session may have ended.
        reply.send(ResumePlan { resume, from, seq: head.seq, chain: head.chain, seat }).ok();
        Ok(())
    }

    /// Logs a client with records that this server does not have. Usually the server has lost them.
    fn log_fork(&self, user: Option<&UserName>, cursor: &Cursor, head: &Head) {
        let RoomContext { metrics, fork_log, time, .. } = &*self.context;
        metrics.forks.inc();
        if fork_log.is_due(time.now_ms(), FORK_LOGGED_EVERY) {
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

    /// Whether a cursor is on this game's chain, as far as the session may see it. A cursor without
    /// a chain hash is accepted.
    async fn agrees(&self, cursor: &Cursor, head: &Head) -> Result<bool, StoreError> {
        if cursor.seq > head.seq {
            return Ok(false);
        }
        let Some(chain) = cursor.chain else { return Ok(true) };
        if cursor.seq == head.seq {
            return Ok(chain == head.chain);
        }
        if cursor.seq == 0 {
            return Ok(true);
        }
        let records = self.context.journal.read(head.game.clone(), cursor.seq, 1).await?;
        let found = records.first().and_then(|record| EventFrame::unseal(record));
        Ok(found.is_some_and(|(_, found)| found == chain))
    }

    fn send_snapshot(
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
        client.reply(ToClient::Snapshot(Box::new(snapshot)));
    }

    pub(super) fn send_your_turn(&self, client: &ClientHandle, seat: Seat) {
        client.reply_frame(&snapshot::your_turn(&self.table, &self.head, seat, client.prefs));
    }
}
