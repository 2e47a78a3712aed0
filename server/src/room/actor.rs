//! The half of a room that is its task: takes one command after the other, and the clock's deadline
//! among them.

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
    store::{FoldedState, StoreError},
};

impl Room {
    /// Boxed: a future has room for its arguments twice.
    pub(super) async fn run(mut self: Box<Self>, mut commands: mpsc::Receiver<Box<Command>>) {
        // Boxed is what would otherwise take room in every room where nothing happens.
        let result = match Box::pin(self.credit_outages()).await {
            Ok(()) => self.serve(&mut commands).await,
            Err(error) => Err(error),
        };
        commands.close();
        match result {
            Ok(()) => {
                // Whatever was accepted into the mailbox before it closed is still answered.
                while let Ok(command) = commands.try_recv() {
                    if let Err(error) = Box::pin(self.on_command(*command)).await {
                        self.fail(&error);
                        return;
                    }
                }
                while self.audience.is_behind() {
                    self.fan_out().await;
                }
                // When the server stops, live games stay where a restart finds them fastest.
                if !self.context.lifecycle.soft.is_cancelled() {
                    Box::pin(self.park()).await;
                }
            }
            Err(error) => self.fail(&error),
        }
    }

    /// Memory can no longer be trusted: the room ends here and is rebuilt from its journal by
    /// whoever asks for it next. Its listeners come back and resume by cursor; a request whose
    /// outcome is unknown is settled by sending it again.
    fn fail(&mut self, error: &RoomError) {
        tracing::error!(game = %self.head.game, %error, "the room ends");
        self.audience.end_all(CloseCode::Restart);
    }

    async fn serve(
        &mut self,
        commands: &mut mpsc::Receiver<Box<Command>>,
    ) -> Result<(), RoomError> {
        let stop = self.context.lifecycle.soft.clone();
        let (time, closed_sessions) = (self.context.time, self.audience.closed_sessions());
        // All three are waited for through many commands: to wait anew for each would cost more than
        // most of them do. The timer is set again when something is due earlier than before, and when
        // it has gone off; by then what it was set for may be due later.
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
                // Asked to stop: take no more, but finish what was accepted.
                () = stopping.as_mut(), if !commands.is_closed() => commands.close(),
                // Before the timer: a move that was received in time beats the flag it races.
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
                // At last: players come first, however many look on.
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

    /// When there is something to do, though nobody asks: of all that waits, the first.
    fn next_deadline(&self) -> u64 {
        let clock = self.table.next_deadline().filter(|_| !self.context.reads_only);
        let deadlines = [clock, self.presence.next_deadline()];
        deadlines.into_iter().flatten().fold(self.park_at(), u64::min)
    }

    /// Does what is due. Breaks if the room is to be put away.
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

    /// A game that is over needs no room, whoever listens. One that goes on keeps its room as long as
    /// a client is at it; where a clock runs out soon it would only be opened again.
    fn may_park(&self) -> bool {
        let soon = self.context.time.now_ms().saturating_add(milliseconds(self.context.park_after));
        let clock = self.table.next_deadline().filter(|_| !self.context.reads_only);
        let is_due = clock.is_some_and(|deadline| deadline <= soon);
        self.is_over() || (self.audience.has_no_clients() && !is_due)
    }

    /// A game that nobody is at leaves the journal; one that is over has left it already. Those who
    /// still listen do so in name from here on.
    async fn park(mut self: Box<Self>) {
        let over = self.is_over();
        if !over && !self.context.reads_only {
            self.fold(FoldedState::Parked).await;
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
            tracing::debug!("the game is parked");
        }
    }

    /// Tells some more spectators, then lets others have a turn, the players' sessions among them.
    async fn fan_out(&mut self) {
        self.audience.fan_out(&self.head.game);
        yield_now().await;
    }

    /// Takes note of who has come or gone.
    pub(super) fn update_presence(&mut self) {
        self.audience.sweep();
        let (table, audience, now) = (&self.table, &self.audience, self.context.time.now_ms());
        let is_here = |user: &str| table.seat_of(user).is_some_and(|seat| audience.is_online(seat));
        self.presence.update(is_here, now);
        self.presence.mark_dirty(now);
    }

    /// Tells the audience who is there, if that is news or some have not heard it.
    fn publish_presence(&mut self) {
        let now = self.context.time.now_ms();
        if !self.presence.is_due(now) {
            // Somebody's grace has passed.
            self.update_presence();
            return;
        }
        let told = PublishedPresence {
            players: self.presence_seen_from(Some(Seat::FIRST)),
            spectators: self.presence_seen_from(None),
        };
        let news = self.presence.set_published(&told);
        let players = Frame::of(&told.players.into());
        let spectators = match self.delayed {
            Some(_) => Frame::of(&told.spectators.into()),
            None => players.clone(),
        };
        self.audience.publish_presence(&self.head.game, &players, spectators, news);
    }

    /// Who is there, as somebody in this seat may know it, or somebody without one.
    fn presence_seen_from(&self, seat: Option<Seat>) -> Presence {
        let (table, head) = self.seen_from(seat);
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
                // Whoever asked may have stopped waiting.
                let _unheard = reply.send(self.shown());
            }
            Command::ReadTable { reply } => {
                let (table, _) = self.seen_from(None);
                let _unheard = reply.send(Box::new(table.clone()));
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
            self.remember_payer(&client, seat);
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
                // The session has read what another writer appended before this room did.
                self.follow().await?;
            }
            for record in self.records_from(seq, seat).await? {
                // The session has read all but the last few by itself. If even these do not
                // fit, it is sent away and comes back with a later cursor.
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

    /// From here on the session listens.
    fn admit(&mut self, client: &Arc<ClientHandle>, seat: Option<Seat>, named: bool) {
        self.audience.join(client, seat, named);
        self.update_presence();
    }

    /// The records from one seq on that this room knows of and the seat may know. What another
    /// writer has appended behind them is told once this room has taken it over.
    async fn records_from(&self, seq: u64, seat: Option<Seat>) -> Result<Vec<Bytes>, StoreError> {
        let (_, head) = self.seen_from(seat);
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
        let (_, head) = self.seen_from(seat);
        let (resume, from) = match cursor {
            None => (ResumeDecision::Snapshot, None),
            Some(cursor) if self.agrees(&cursor, head).await? => {
                (ResumeDecision::Tail, Some(cursor.seq + 1))
            }
            Some(cursor) => {
                self.note_fork(user, &cursor, head);
                (ResumeDecision::Fork, None)
            }
        };
        // A session that has gone meanwhile no longer wants to know.
        let _unheard =
            reply.send(ResumePlan { resume, from, seq: head.seq, chain: head.chain, seat });
        Ok(())
    }

    /// A client knows another game than this server: as a rule records were lost here.
    fn note_fork(&self, user: Option<&UserName>, cursor: &Cursor, head: &Head) {
        let RoomContext { metrics, fork_told, time, .. } = &*self.context;
        metrics.forks.inc();
        if fork_told.may(time.now_ms(), FORK_LOGGED_EVERY) {
            tracing::warn!(
                game = %head.game,
                user = user.map(tracing::field::display),
                cursor = cursor.seq,
                chain = cursor.chain.as_ref().map(tracing::field::display),
                stored = head.seq,
                "a client knows other records of a game than this server"
            );
        }
    }

    /// Whether a cursor lies on this game's record as far as it may be known. One without a chain
    /// is believed.
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
        let presence = self.presence_seen_from(seat);
        if self.presence.is_published(&presence, seat.is_some()) {
            self.audience.knows_presence(client.session);
        }
        let (table, head) = self.seen_from(seat);
        let snapshot = snapshot::snapshot(table, head, re, reason, presence);
        client.reply(ToClient::Snapshot(Box::new(snapshot)));
    }

    pub(super) fn send_your_turn(&self, client: &ClientHandle, seat: Seat) {
        client.reply(snapshot::your_turn(&self.table, &self.head, seat, client.prefs));
    }
}
