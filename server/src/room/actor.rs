//! The room's task: takes one command after the other, and the clock's deadline among them.

use std::{sync::Arc, time::Duration};

use adamant_protocol::{
    ChallengeId, CloseCode, EventFrame, GameId, RequestId,
    from_client::Cursor,
    to_client::{Done, GameEntry, ResumeVerdict, SnapshotReason, ToClient},
};
use adamant_record::{Head, RecordError, Replay, wire};
use adamant_rules::{Act, Events, Refusal, Seat, Setup, Table, event::OfferId, table::SetupError};
use bytes::Bytes;
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, sleep_until},
};
use tokio_tungstenite::tungstenite::Utf8Bytes;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, info_span};

use super::{
    Action, Command, From, Question, RoomHandle, Verdict,
    audience::Audience,
    requests::{self, Known, Requests},
    view,
};
use crate::{
    caller::Caller,
    error::Denial,
    lifecycle::Lifecycle,
    limits::{CATCH_UP_RECORDS_MAX, MAILBOX_COMMANDS_MAX},
    outbox::Offer,
    store::{Append, AppendError, Fold, FoldedState, Journal, StoreError},
    time::TimeSource,
};

/// What every room needs from the server.
#[derive(Debug, Clone)]
pub(crate) struct RoomContext {
    /// Where events are made durable.
    pub journal: Arc<dyn Journal>,
    /// What time it is.
    pub time: TimeSource,
    /// When to stop.
    pub lifecycle: Lifecycle,
    /// How long a room without listeners stays open.
    pub park_after: Duration,
}

/// A game that everybody has agreed to.
#[derive(Debug)]
pub(crate) struct NewGame {
    /// Its name.
    pub game: GameId,
    /// What was agreed.
    pub setup: Setup,
    /// The challenge that it comes of.
    pub challenge: Option<ChallengeId>,
}

/// Why a game could not be started.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum StartError {
    /// What was agreed cannot be played.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// It could not be stored.
    #[error(transparent)]
    Append(#[from] AppendError),
}

/// A game read from its records.
#[derive(Debug)]
pub(crate) struct Opened {
    table: Table,
    head: Head,
    requests: Requests,
    started_at: u64,
}

impl Opened {
    /// Replays a game; `None` if there are no records of it.
    pub(crate) fn replay(records: &[Bytes]) -> Result<Option<Self>, RecordError> {
        let mut replay = Replay::new();
        let mut requests = Requests::default();
        let mut started_at = 0;
        for record in records {
            let (frame, event) = replay.push_frame(record)?;
            if frame.seq == 1 {
                started_at = frame.at;
            }
            if let Some(req) = &frame.req {
                requests.remember(req, frame.seq, &event);
            }
        }
        Ok(replay.into_parts().map(|(table, head)| Self { table, head, requests, started_at }))
    }

    /// What lists say of it.
    pub(crate) fn entry(&self) -> GameEntry {
        view::entry(&self.table, &self.head, self.started_at)
    }

    /// Whether it is over.
    pub(crate) fn is_over(&self) -> bool {
        self.table.outcome().is_some()
    }
}

/// Starts a game: its first events are made durable, then there is a room.
pub(crate) async fn start(context: RoomContext, new: NewGame) -> Result<RoomHandle, StartError> {
    let now = context.time.now_ms();
    let events = Table::begin(new.setup, now)?;
    let (first, later) = events.split_first().ok_or(AppendError::Store(StoreError::Stopped))?;
    let mut table = Table::new(first).map_err(|_| AppendError::Store(StoreError::Stopped))?;
    let mut head = Head::new(new.game.clone());
    let mut records = vec![Bytes::from(head.record(first, table.position(), None))];
    for event in later {
        records.push(head.record(event, table.position(), None).into());
        table.apply(event).map_err(|_| AppendError::Store(StoreError::Stopped))?;
    }
    let opened = Opened { table, head, requests: Requests::default(), started_at: now };
    let append = Append {
        game: new.game,
        expected_seq: 0,
        records,
        summary: view::summary_after(&opened.table, &[]),
        created: Some(Box::new(opened.entry())),
        closes: new.challenge,
    };
    context.journal.append(append).await?;
    Ok(open(context, opened))
}

/// Opens a room for a game that is on record.
pub(crate) fn open(context: RoomContext, opened: Opened) -> RoomHandle {
    let (mailbox, commands) = mpsc::channel(MAILBOX_COMMANDS_MAX);
    let game = opened.head.game.clone();
    let ended = CancellationToken::new();
    let span = info_span!("room", %game);
    let tasks = context.lifecycle.rooms.clone();
    let idle_since = Instant::now();
    let room = Room {
        context,
        table: opened.table,
        head: opened.head,
        requests: opened.requests,
        started_at: opened.started_at,
        audience: Audience::default(),
        idle_since,
    };
    let guard = ended.clone().drop_guard();
    tasks.spawn(
        async move {
            room.run(commands).await;
            drop(guard);
        }
        .instrument(span),
    );
    RoomHandle { game, mailbox, ended }
}

struct Room {
    context: RoomContext,
    table: Table,
    head: Head,
    requests: Requests,
    started_at: u64,
    audience: Audience,
    /// Since when nobody has listened or asked.
    idle_since: Instant,
}

/// Why a room cannot go on.
#[derive(Debug, thiserror::Error)]
enum RoomError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the record has been written by another, and wrongly: {0}")]
    Record(#[from] RecordError),
    #[error("the table refuses its own event: {0}")]
    Unfit(#[from] adamant_rules::table::Unfit),
    #[error("another writer was always first")]
    Contended,
}

/// How often an append is tried while another writer is first.
const CONFLICTS_MAX: u32 = 8;

impl Room {
    async fn run(mut self, mut commands: mpsc::Receiver<Command>) {
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
        }
    }

    async fn fold(&self, state: FoldedState) {
        let entry = Box::new(view::entry(&self.table, &self.head, self.started_at));
        let fold = Fold { game: self.head.game.clone(), state, entry };
        if let Err(error) = self.context.journal.fold(fold).await {
            // Nothing is lost: the records stay in the journal and are folded at the next start.
            tracing::warn!(%error, "the game could not be folded");
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

    fn seat_of(&self, caller: &Caller) -> Option<Seat> {
        self.table.seat_of(caller.user.as_ref()?.as_str())
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

    fn send_your_turn(&self, caller: &Caller, seat: Seat) {
        caller.reply(view::your_turn(&self.table, &self.head, seat, caller.wants_legal));
    }

    fn answer(&self, caller: &Caller, re: &RequestId, question: &Question) {
        let answer = match question {
            Question::Layout => Ok(view::layout(&self.table, &self.head, re.clone()).into()),
            Question::Hints { from } => self.hints(re, from.as_deref()),
            Question::Try { turn, notation } => self.try_move(caller, re, *turn, notation),
        };
        match answer {
            Ok(answer) => caller.reply(answer),
            Err(denial) => caller.refuse(re, denial),
        }
    }

    fn hints(&self, re: &RequestId, from: Option<&str>) -> Result<ToClient, Denial> {
        let to_move = self.table.to_move().ok_or_else(|| self.refused(Refusal::GameOver))?;
        view::hints(&self.table, to_move, &self.head, re.clone(), from)
            .map(ToClient::from)
            .ok_or_else(|| Denial::NotFound("such cell on this board".to_owned()))
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

    fn refused(&self, refusal: Refusal) -> Denial {
        Denial::Refused { game: self.head.game.clone(), refusal }
    }

    /// Decides what a player asks, in the order that the protocol promises: a request that was
    /// carried out before, then whose it is, then a flag that has fallen, then the rules.
    async fn act(
        &mut self,
        caller: &Caller,
        re: RequestId,
        action: &Action,
        received_at: u64,
    ) -> Result<(), RoomError> {
        let Some(seat) = self.seat_of(caller) else {
            caller.refuse(&re, Denial::NotAPlayer(self.head.game.clone()));
            return Ok(());
        };
        for _ in 0..CONFLICTS_MAX {
            match self.requests.look_up(seat, &re, action, &self.table) {
                Known::New => {}
                Known::Before(mut done) => {
                    done.game = Some(self.head.game.clone());
                    caller.reply(*done);
                    return Ok(());
                }
                Known::Otherwise => {
                    caller.refuse(&re, Denial::IdReuse(self.head.game.clone()));
                    return Ok(());
                }
            }
            self.decide_overdue(received_at).await?;
            let events = match self.table.decide(&act_of(seat, action), received_at) {
                Ok(events) => events,
                Err(refusal) => {
                    let denial = self.refused(refusal);
                    caller.refuse(&re, denial);
                    return Ok(());
                }
            };
            if self.commit(&events, Some((caller, &re))).await? {
                return Ok(());
            }
        }
        Err(RoomError::Contended)
    }

    /// A clock that had run out is decided first, as an event of its own.
    async fn decide_overdue(&mut self, now: u64) -> Result<(), RoomError> {
        for _ in 0..CONFLICTS_MAX {
            let Some(events) = self.table.overdue(now) else { return Ok(()) };
            self.commit(&events, None).await?;
        }
        Err(RoomError::Contended)
    }

    /// Makes events durable, then applies them, then tells of them. `false` if another writer was
    /// first: then that one's events have been applied and told, and these must be decided anew.
    async fn commit(
        &mut self,
        events: &Events,
        asked: Option<(&Caller, &RequestId)>,
    ) -> Result<bool, RoomError> {
        let mut head = self.head.clone();
        let mut records = Vec::with_capacity(events.len());
        for (index, event) in events.iter().enumerate() {
            let req = asked.map(|(_, re)| re).filter(|_| index == 0);
            records.push(Bytes::from(head.record(event, self.table.position(), req)));
        }
        let append = Append {
            game: head.game.clone(),
            expected_seq: self.head.seq,
            records: records.clone(),
            summary: view::summary_after(&self.table, events),
            created: None,
            closes: None,
        };
        match self.context.journal.append(append).await {
            Ok(()) => {}
            Err(AppendError::Conflict { .. }) => {
                self.follow().await?;
                return Ok(false);
            }
            Err(AppendError::Store(error)) => return Err(error.into()),
        }
        if let (Some((caller, re)), Some(event)) = (asked, events.first()) {
            let seq = self.head.seq + 1;
            let mut done = requests::reply(re.clone(), seq, event);
            done.game = Some(self.head.game.clone());
            caller.reply(done);
            self.requests.remember(re, seq, event);
        }
        let before = self.table.turn();
        for event in events {
            self.table.apply(event)?;
        }
        self.head = head;
        self.tell(records, before).await;
        Ok(true)
    }

    /// Takes over what another writer has appended.
    async fn follow(&mut self) -> Result<(), RoomError> {
        let game = self.head.game.clone();
        let records =
            self.context.journal.read(game, self.head.seq + 1, CATCH_UP_RECORDS_MAX).await?;
        let mut replay = Replay::resume(self.table.clone(), self.head.clone());
        for record in &records {
            let (frame, event) = replay.push_frame(record)?;
            if let Some(req) = &frame.req {
                self.requests.remember(req, frame.seq, &event);
            }
        }
        let before = self.table.turn();
        if let Some((table, head)) = replay.into_parts() {
            self.table = table;
            self.head = head;
        }
        self.tell(records, before).await;
        Ok(())
    }

    /// Tells the audience of records that are durable and applied.
    async fn tell(&mut self, records: Vec<Bytes>, turn_before: u32) {
        for record in records {
            self.audience.publish(&self.head.game, &text(record));
        }
        if self.table.outcome().is_some() {
            self.fold(FoldedState::Finished).await;
        } else if self.table.turn() != turn_before
            && let Some(seat) = self.table.to_move()
        {
            for caller in self.audience.of_seat(seat) {
                self.send_your_turn(caller, seat);
            }
        }
    }
}

/// A record as a frame; the same bytes, shared.
fn text(record: Bytes) -> Utf8Bytes {
    Utf8Bytes::try_from(record).expect("records are JSON, which is UTF-8")
}

fn act_of(seat: Seat, action: &Action) -> Act<'_> {
    match action {
        Action::Move { turn, notation } => Act::Move { seat, turn: *turn, notation },
        Action::Resign => Act::Resign { seat },
        Action::Abort => Act::Abort { seat },
        Action::Offer(what) => Act::Offer { seat, what: wire::offer_kind(*what) },
        Action::Answer { offer, accept } => {
            Act::Answer { seat, offer: OfferId(offer.0), accept: *accept }
        }
        Action::Withdraw(offer) => Act::Withdraw { seat, offer: OfferId(offer.0) },
    }
}

async fn sleep_until_some(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
