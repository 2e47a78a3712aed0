//! The half of a room that is its task: takes one command after the other, and the clock's deadline
//! among them, and answers what changes nothing.

use std::sync::Arc;

use adamant_protocol::{
    CloseCode, EventFrame, RequestId,
    from_client::Cursor,
    sketch::Sketch,
    to_client::{Done, ResumeVerdict, SnapshotReason, ToClient},
};
use adamant_rules::{Refusal, Seat};
use bytes::Bytes;
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, sleep_until},
};

use super::{
    Command, From, Question, Verdict, hints,
    state::{Room, RoomError, text},
    view,
};
use crate::{
    caller::Caller,
    error::Denial,
    outbox::Offer,
    store::{FoldedState, StoreError},
};

impl Room {
    pub(super) async fn run(mut self, mut commands: mpsc::Receiver<Command>) {
        let result = self.serve(&mut commands).await;
        commands.close();
        match result {
            Ok(()) => {
                // Whatever was accepted into the mailbox before it closed is still answered.
                while let Ok(command) = commands.try_recv() {
                    if let Err(error) = self.on_command(command).await {
                        self.fail(&error);
                        return;
                    }
                }
                self.put_away().await;
            }
            Err(error) => self.fail(&error),
        }
    }

    /// Memory can no longer be trusted: the room ends here and is rebuilt from its journal by
    /// whoever asks for it next. Its listeners come back and resume by cursor; a request whose
    /// outcome is unknown is settled by sending it again.
    fn fail(&mut self, error: &RoomError) {
        tracing::error!(%error, "the room ends");
        self.audience.end_all(CloseCode::Restart);
    }

    async fn serve(&mut self, commands: &mut mpsc::Receiver<Command>) -> Result<(), RoomError> {
        let stop = self.context.lifecycle.soft.clone();
        loop {
            let deadline = self.table.next_deadline().map(|at| self.context.time.instant_at(at));
            let park_at = self.idle_since + self.context.park_after;
            tokio::select! {
                biased;
                // Asked to stop: take no more, but finish what was accepted.
                () = stop.cancelled(), if !commands.is_closed() => commands.close(),
                // Before the timer: a move that was received in time beats the flag it races.
                command = commands.recv() => match command {
                    Some(command) => {
                        self.on_command(command).await?;
                        self.idle_since = Instant::now();
                    }
                    None => return Ok(()),
                },
                () = sleep_until_some(deadline) => {
                    let now = self.context.time.now_ms();
                    self.decide_overdue(now).await?;
                }
                () = sleep_until(park_at) => {
                    self.audience.sweep();
                    // While a clock runs the room has to be there when it runs out.
                    if self.audience.is_empty() && self.table.next_deadline().is_none() {
                        return Ok(());
                    }
                    self.idle_since = Instant::now();
                }
            }
        }
    }

    /// A game that nobody is at leaves the journal; one that is over has left it already. When the
    /// server stops, live games stay where a restart finds them fastest.
    async fn put_away(&self) {
        if self.table.outcome().is_none() && !self.context.lifecycle.soft.is_cancelled() {
            self.fold(FoldedState::Parked).await;
            tracing::debug!("the game is parked");
        }
    }

    async fn on_command(&mut self, command: Command) -> Result<(), RoomError> {
        match command {
            Command::Join { caller, re, from } => self.join(caller, re, from).await?,
            Command::Leave { caller, re } => {
                self.audience.leave(caller.session);
                let mut done = Done::new(re);
                done.game = Some(self.head.game.clone());
                caller.reply(done);
            }
            Command::CatchUp { caller } => {
                if self.audience.catch_up(caller.session) {
                    self.send_snapshot(&caller, None, Some(SnapshotReason::Lagged));
                }
            }
            Command::Act { caller, re, action, received_at } => {
                self.act(&caller, re, &action, received_at).await?;
            }
            Command::Ask { caller, re, question } => self.answer(&caller, &re, &question),
            Command::Verdict { cursor, reply } => self.tell_verdict(cursor, reply).await?,
        }
        Ok(())
    }

    async fn join(
        &mut self,
        caller: Arc<Caller>,
        re: Option<RequestId>,
        from: From,
    ) -> Result<(), RoomError> {
        let seat = self.seat_of(&caller);
        match from {
            From::Snapshot(reason) => self.send_snapshot(&caller, re, reason),
            From::Event(seq) => {
                if seq > self.head.seq + 1 {
                    // The session has read what another writer appended before this room did.
                    self.follow().await?;
                }
                for record in self.records_from(seq).await? {
                    // The session has read all but the last few by itself. If even these do not
                    // fit, it is sent away and comes back with a later cursor.
                    if caller.outbox.offer_or_evict(text(record)) != Offer::Queued {
                        return Ok(());
                    }
                }
            }
        }
        self.audience.join(Arc::clone(&caller), seat);
        if let Some(seat) = seat
            && self.table.to_move() == Some(seat)
        {
            self.send_your_turn(&caller, seat);
        }
        Ok(())
    }

    /// The records from one seq on that this room knows of. What another writer has appended
    /// behind them is told once this room has taken it over.
    async fn records_from(&self, seq: u64) -> Result<Vec<Bytes>, StoreError> {
        let known = usize::try_from((self.head.seq + 1).saturating_sub(seq)).unwrap_or(usize::MAX);
        if known == 0 {
            return Ok(Vec::new());
        }
        self.context.journal.read(self.head.game.clone(), seq, known).await
    }

    async fn tell_verdict(
        &self,
        cursor: Option<Cursor>,
        reply: oneshot::Sender<Verdict>,
    ) -> Result<(), RoomError> {
        let (resume, from) = match cursor {
            None => (ResumeVerdict::Snapshot, None),
            Some(cursor) if self.agrees(&cursor).await? => {
                (ResumeVerdict::Tail, Some(cursor.seq + 1))
            }
            Some(_) => (ResumeVerdict::Fork, None),
        };
        // A session that has gone meanwhile no longer wants to know.
        let _unheard = reply.send(Verdict { resume, from, seq: self.head.seq });
        Ok(())
    }

    /// Whether a cursor lies on this game's record. One without a chain is believed.
    async fn agrees(&self, cursor: &Cursor) -> Result<bool, StoreError> {
        if cursor.seq > self.head.seq {
            return Ok(false);
        }
        let Some(chain) = cursor.chain else { return Ok(true) };
        if cursor.seq == self.head.seq {
            return Ok(chain == self.head.chain);
        }
        if cursor.seq == 0 {
            return Ok(true);
        }
        let records = self.context.journal.read(self.head.game.clone(), cursor.seq, 1).await?;
        let found = records.first().and_then(|record| EventFrame::unseal(record));
        Ok(found.is_some_and(|(_, found)| found == chain))
    }

    fn send_snapshot(
        &self,
        caller: &Caller,
        re: Option<RequestId>,
        reason: Option<SnapshotReason>,
    ) {
        let players = self.table.setup().seats.len();
        let presence = view::presence(players, |seat| {
            // The one who asks is here, though not yet in the audience.
            self.seat_of(caller) == Some(seat) || self.audience.is_online(seat)
        });
        let spectators = self.audience.spectators();
        let snapshot = view::snapshot(&self.table, &self.head, re, reason, presence, spectators);
        caller.reply(ToClient::Snapshot(Box::new(snapshot)));
    }

    pub(super) fn send_your_turn(&self, caller: &Caller, seat: Seat) {
        caller.reply(view::your_turn(&self.table, &self.head, seat, caller.wants_legal));
    }

    fn answer(&self, caller: &Caller, re: &RequestId, question: &Question) {
        let answer = match question {
            Question::Layout => Ok(view::layout(&self.table, &self.head, re.clone()).into()),
            Question::Hints { from, sketch } => self.hints(re, from.as_deref(), sketch.as_ref()),
            Question::Try { turn, notation } => self.try_move(caller, re, *turn, notation),
        };
        match answer {
            Ok(answer) => caller.reply(answer),
            Err(denial) => caller.refuse(re, denial),
        }
    }

    fn hints(
        &self,
        re: &RequestId,
        from: Option<&str>,
        sketch: Option<&Sketch>,
    ) -> Result<ToClient, Denial> {
        let to_move = self.table.to_move().ok_or_else(|| self.refused(Refusal::GameOver))?;
        hints::hints(&self.table, to_move, &self.head, re.clone(), from, sketch)
            .map(ToClient::from)
            .map_err(|name| Denial::NotFound(format!("cell {name:.8} on this board")))
    }

    fn try_move(
        &self,
        caller: &Caller,
        re: &RequestId,
        turn: u32,
        notation: &str,
    ) -> Result<ToClient, Denial> {
        let seat =
            self.seat_of(caller).ok_or_else(|| Denial::NotAPlayer(self.head.game.clone()))?;
        let now = self.context.time.now_ms();
        let (events, after) = self
            .table
            .preview(seat, turn, notation, now)
            .map_err(|refusal| self.refused(refusal))?;
        Ok(view::tried(re.clone(), &self.head, &self.table, &events, &after).into())
    }
}

async fn sleep_until_some(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
