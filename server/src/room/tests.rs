//! Rooms under a paused clock, with a journal in memory and no socket.

use std::{sync::Arc, time::Duration};

use adamant_protocol::{
    CloseCode, ErrorCode, EventBody, GameId, ToClient, UserName, event::EndReason,
    to_client::ResumeVerdict,
};
use adamant_record::{Head, Replay};
use adamant_rules::{
    Act, BySeat, Kind, Options, Player, Seat, Setup, Table, TimeControl, event::OfferKind,
};
use bytes::Bytes;
use futures::{FutureExt as _, future::BoxFuture};
use tokio::time::Instant;

use super::{Action, Command, From, NewGame, Opened, RoomContext, RoomHandle, open, start};
use crate::{
    caller::{Caller, SessionId},
    lifecycle::Lifecycle,
    outbox::{OutboxReader, outbox},
    store::{Append, AppendError, Fold, Journal, StoreError, memory::Memory},
    time::TimeSource,
};

const PARK_AFTER: Duration = Duration::from_mins(10);

/// A server without its upper floors.
struct Bench {
    context: RoomContext,
}

impl Bench {
    fn new(journal: impl Journal) -> Self {
        let context = RoomContext {
            journal: Arc::new(journal),
            time: TimeSource::starting_at(1_790_000_000_000),
            lifecycle: Lifecycle::default(),
            park_after: PARK_AFTER,
        };
        Self { context }
    }

    async fn start(&self, clock: TimeControl) -> RoomHandle {
        let player =
            |user: &str| Player { user: user.into(), bot: false, guest: true, rating: None };
        let seats = BySeat::try_from_iter([player("ann"), player("bob")]).unwrap();
        let setup =
            Setup { kind: Kind::Adamas, options: Options::new(), seats, clock, rated: false };
        let new = NewGame { game: game(), setup, challenge: None };
        start(self.context.clone(), new).await.unwrap()
    }

    fn now(&self) -> u64 {
        self.context.time.now_ms()
    }

    async fn records(&self) -> Vec<Bytes> {
        self.context.journal.read(game(), 1, usize::MAX).await.unwrap()
    }
}

fn game() -> GameId {
    "g1".parse().unwrap()
}

/// A session without a socket.
struct Guest {
    caller: Arc<Caller>,
    queue: OutboxReader,
}

impl Guest {
    fn new(number: u64, name: &str) -> Self {
        let (outbox, queue) = outbox();
        let user: UserName = name.parse().unwrap();
        let caller = Caller {
            session: SessionId(number),
            user: Some(user),
            bot: false,
            guest: true,
            wants_legal: false,
            outbox,
        };
        Self { caller: Arc::new(caller), queue }
    }

    async fn join(&self, room: &RoomHandle) {
        let from = From::Event(1);
        let join = Command::Join { caller: Arc::clone(&self.caller), re: None, from };
        room.send(join).await.unwrap();
    }

    async fn act(&self, room: &RoomHandle, id: &str, action: Action, received_at: u64) {
        let (caller, re) = (Arc::clone(&self.caller), id.parse().unwrap());
        room.send(Command::Act { caller, re, action, received_at }).await.unwrap();
    }

    async fn hear(&mut self) -> ToClient {
        let frame = self.queue.next().await.unwrap();
        ToClient::from_bytes(frame.as_bytes()).unwrap().unwrap()
    }

    /// The next event, whatever comes between.
    async fn hear_event(&mut self) -> EventBody {
        loop {
            if let ToClient::Event(frame) = self.hear().await {
                return frame.body;
            }
        }
    }

    async fn hear_reply(&mut self) -> ToClient {
        loop {
            let message = self.hear().await;
            if message.re().is_some() {
                return message;
            }
        }
    }
}

fn move_to(turn: u32, notation: &str) -> Action {
    Action::Move { turn, notation: notation.into() }
}

#[tokio::test(start_paused = true)]
async fn the_mover_is_answered_first_and_everyone_hears_the_same_bytes() {
    let bench = Bench::new(Memory::default());
    let room = bench.start(TimeControl::None).await;
    let (mut ann, mut bob, mut eve) =
        (Guest::new(1, "ann"), Guest::new(2, "bob"), Guest::new(3, "eve"));
    for guest in [&eve, &ann, &bob] {
        guest.join(&room).await;
    }
    ann.act(&room, "m1", move_to(0, "c1-c2"), bench.now()).await;
    for guest in [&mut ann, &mut bob, &mut eve] {
        assert!(matches!(guest.hear_event().await, EventBody::Created(_)));
        assert!(matches!(guest.hear_event().await, EventBody::Started(_)));
    }
    assert!(matches!(ann.hear().await, ToClient::YourTurn(turn) if turn.turn == 0));
    assert!(matches!(ann.hear().await, ToClient::Ok(done) if done.seq == Some(3) && !done.dup));
    let frames = [ann.queue.next().await, bob.queue.next().await, eve.queue.next().await]
        .map(Option::unwrap);
    let record = &bench.records().await[2];
    assert!(frames.iter().all(|frame| frame.as_bytes() == record.as_ref()));
    assert!(matches!(bob.hear().await, ToClient::YourTurn(turn) if turn.turn == 1));
}

#[tokio::test(start_paused = true)]
async fn a_flag_falls_by_itself_with_everybody_silent() {
    let bench = Bench::new(Memory::default());
    let begun = Instant::now();
    let room = bench.start(TimeControl::PerMove { move_ms: 60_000 }).await;
    let mut eve = Guest::new(3, "eve");
    eve.join(&room).await;
    let ended = loop {
        if let EventBody::Ended(ended) = eve.hear_event().await {
            break ended;
        }
    };
    assert_eq!((ended.reason, ended.winners), (EndReason::TimedOut, vec![1]));
    assert_eq!(begun.elapsed(), Duration::from_mins(1));
}

#[tokio::test(start_paused = true)]
async fn a_move_is_judged_by_when_it_arrived() {
    let bench = Bench::new(Memory::default());
    let room = bench.start(TimeControl::PerMove { move_ms: 60_000 }).await;
    let mut ann = Guest::new(1, "ann");
    ann.join(&room).await;
    let late = bench.now() + 60_000;
    ann.act(&room, "m1", move_to(0, "c1-c2"), late).await;
    let reply = ann.hear_reply().await;
    assert!(
        matches!(&reply, ToClient::Error(failed) if failed.code == ErrorCode::GameOver),
        "{reply:?}"
    );

    let bench = Bench::new(Memory::default());
    let room = bench.start(TimeControl::PerMove { move_ms: 60_000 }).await;
    ann.act(&room, "m1", move_to(0, "c1-c2"), bench.now() + 59_999).await;
    assert!(matches!(ann.hear_reply().await, ToClient::Ok(_)));
}

/// Fails every append after the first, and tells nobody why.
#[derive(Debug, Default)]
struct Broken(Memory);

impl Journal for Broken {
    fn append(&self, append: Append) -> BoxFuture<'_, Result<(), AppendError>> {
        if append.expected_seq == 0 {
            return self.0.append(append);
        }
        let error = StoreError::Failed("disk full".into());
        std::future::ready(Err(AppendError::Store(error))).boxed()
    }
    fn fold(&self, fold: Fold) -> BoxFuture<'_, Result<(), StoreError>> {
        self.0.fold(fold)
    }
    fn read(
        &self,
        game: GameId,
        from: u64,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<Bytes>, StoreError>> {
        self.0.read(game, from, max)
    }
}

#[tokio::test(start_paused = true)]
async fn a_lost_journal_ends_the_room_before_anyone_hears_of_the_move() {
    let bench = Bench::new(Broken::default());
    let room = bench.start(TimeControl::None).await;
    let (mut ann, mut eve) = (Guest::new(1, "ann"), Guest::new(3, "eve"));
    ann.join(&room).await;
    eve.join(&room).await;
    ann.act(&room, "m1", move_to(0, "c1-c2"), bench.now()).await;
    room.ended().await;
    for guest in [&mut ann, &mut eve] {
        assert_eq!(guest.queue.signals().ended().await, CloseCode::Restart);
        while let Some(frame) = guest.queue.try_next() {
            let text = frame.as_str();
            assert!(!text.contains("moved") && !text.contains(r#""type":"ok""#), "{text}");
        }
    }
}

/// A journal that another node writes to as well.
#[derive(Debug)]
struct Shared(Arc<Memory>);

impl Journal for Shared {
    fn append(&self, append: Append) -> BoxFuture<'_, Result<(), AppendError>> {
        self.0.append(append)
    }
    fn fold(&self, fold: Fold) -> BoxFuture<'_, Result<(), StoreError>> {
        self.0.fold(fold)
    }
    fn read(
        &self,
        game: GameId,
        from: u64,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<Bytes>, StoreError>> {
        self.0.read(game, from, max)
    }
}

/// Appends an act as another node would.
async fn append_elsewhere(journal: &Memory, act: &Act<'_>, req: &str) {
    let records = journal.read(game(), 1, usize::MAX).await.unwrap();
    let mut replay = Replay::new();
    for record in &records {
        replay.push(record).unwrap();
    }
    let (table, mut head): (Table, Head) = replay.into_parts().unwrap();
    let expected_seq = head.seq;
    let req = req.parse().unwrap();
    let events = table.decide(act, table.last_at()).unwrap();
    let records = events
        .iter()
        .map(|event| Bytes::from(head.record(event, table.position(), Some(&req))))
        .collect();
    let append = Append {
        game: game(),
        expected_seq,
        records,
        summary: crate::store::Summary { ply: 0, to_move: None, last_at: 0 },
        reseated: None,
        created: None,
        closes: None,
    };
    journal.append(append).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn when_another_writer_was_first_its_events_are_told_and_the_act_is_decided_anew() {
    let journal = Arc::new(Memory::default());
    let bench = Bench::new(Shared(Arc::clone(&journal)));
    let room = bench.start(TimeControl::None).await;
    let mut ann = Guest::new(1, "ann");
    ann.join(&room).await;
    let elsewhere = Act::Offer { seat: Seat::new(1).unwrap(), what: OfferKind::Draw };
    append_elsewhere(&journal, &elsewhere, "o1").await;

    ann.act(&room, "m1", move_to(0, "c1-c2"), bench.now()).await;
    let mut kinds = Vec::new();
    while kinds.len() < 5 {
        kinds.push(ann.hear_event().await.kind().to_owned());
    }
    assert_eq!(kinds, ["created", "started", "offered", "moved", "offer_closed"]);
}

#[tokio::test(start_paused = true)]
async fn the_same_move_made_through_another_node_is_a_duplicate_here() {
    let journal = Arc::new(Memory::default());
    let bench = Bench::new(Shared(Arc::clone(&journal)));
    let room = bench.start(TimeControl::None).await;
    let mut ann = Guest::new(1, "ann");
    ann.join(&room).await;
    let elsewhere = Act::Move { seat: Seat::FIRST, turn: 0, notation: "c1-c2", lag_ms: 0 };
    append_elsewhere(&journal, &elsewhere, "m1").await;

    ann.act(&room, "m1", move_to(0, "c1-c2"), bench.now()).await;
    let reply = ann.hear_reply().await;
    assert!(matches!(&reply, ToClient::Ok(done) if done.dup && done.seq == Some(3)), "{reply:?}");
    assert_eq!(bench.records().await.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn an_untimed_room_is_put_away_once_nobody_listens_and_a_timed_one_is_not() {
    let bench = Bench::new(Memory::default());
    let room = bench.start(TimeControl::None).await;
    let ann = Guest::new(1, "ann");
    ann.join(&room).await;
    tokio::time::sleep(3 * PARK_AFTER).await;
    assert!(!room.is_closed(), "somebody listens");
    drop(ann);
    room.ended().await;

    let bench = Bench::new(Memory::default());
    let hour = TimeControl::PerMove { move_ms: 3_600_000 };
    let room = bench.start(hour).await;
    tokio::time::sleep(3 * PARK_AFTER).await;
    assert!(!room.is_closed(), "a clock runs");
}

#[tokio::test(start_paused = true)]
async fn a_room_that_is_asked_to_stop_answers_what_it_has_accepted() {
    let bench = Bench::new(Memory::default());
    let room = bench.start(TimeControl::None).await;
    let mut ann = Guest::new(1, "ann");
    ann.join(&room).await;
    ann.act(&room, "m1", move_to(0, "c1-c2"), bench.now()).await;
    bench.context.lifecycle.soft.cancel();
    room.ended().await;
    assert!(matches!(ann.hear_reply().await, ToClient::Ok(done) if done.seq == Some(3)));
    assert_eq!(bench.records().await.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_room_opened_from_its_records_knows_its_requests_and_its_cursors() {
    let bench = Bench::new(Memory::default());
    let room = bench.start(TimeControl::None).await;
    let mut ann = Guest::new(1, "ann");
    ann.join(&room).await;
    ann.act(&room, "m1", move_to(0, "c1-c2"), bench.now()).await;
    assert!(matches!(ann.hear_reply().await, ToClient::Ok(_)));

    let records = bench.records().await;
    let opened = Opened::replay(&records).unwrap().unwrap();
    let room = open(bench.context.clone(), opened);
    ann.act(&room, "m1", move_to(0, "C1-c2"), bench.now()).await;
    assert!(
        matches!(ann.hear_reply().await, ToClient::Ok(done) if done.dup && done.turn == Some(1))
    );
    ann.act(&room, "m1", Action::Resign, bench.now()).await;
    let reply = ann.hear_reply().await;
    assert!(
        matches!(&reply, ToClient::Error(failed) if failed.code == ErrorCode::IdReuse),
        "{reply:?}"
    );

    let mut first = Replay::new();
    first.push(&records[0]).unwrap();
    let good = adamant_protocol::from_client::Cursor { seq: 1, chain: Some(first.chain()) };
    let forked = adamant_protocol::from_client::Cursor { seq: 2, chain: Some(first.chain()) };
    let ahead = adamant_protocol::from_client::Cursor { seq: 9, chain: None };
    for (cursor, resume, from) in [
        (good, ResumeVerdict::Tail, Some(2)),
        (forked, ResumeVerdict::Fork, None),
        (ahead, ResumeVerdict::Fork, None),
    ] {
        let (reply, verdict) = tokio::sync::oneshot::channel();
        room.send(Command::Verdict { cursor: Some(cursor), reply }).await.unwrap();
        let verdict = verdict.await.unwrap();
        assert_eq!((verdict.resume, verdict.from, verdict.seq), (resume, from, 3));
    }
}
