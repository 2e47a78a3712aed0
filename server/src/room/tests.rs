//! Rooms under a paused clock, with a journal in memory and no socket.

mod claim;
mod closing;
mod outage;
mod presence;

use std::{sync::Arc, time::Duration};

use adamant_protocol::{
    CloseCode, ErrorCode, EventBody, EventFrame, GameId, ToClient, UserName, event::EndReason,
    to_client::ResumeDecision, values::RatingChange,
};
use adamant_record::{Head, Replay};
use adamant_rules::{
    Act, BySeat, Kind, Options, Player, Seat, Setup, Table, TimeControl, event::OfferKind,
};
use bytes::Bytes;
use futures::{FutureExt as _, future::BoxFuture};
use tokio::{sync::OnceCell, time::Instant};

use super::{
    ClaimAfter, LoadedGame, NewGame, ParkedGames, RoomContext,
    command::{Command, JoinFrom, PlayerAction, RoomHandle},
    open, start, state,
};
use crate::{
    outbound::{
        SendOutcome, SessionEnd, SessionId,
        client::{ClientHandle, ClientPrefs},
        frame::Frame,
        outbox::{OutboxItem, OutboxReader, outbox},
    },
    room::live_feed::LiveFeed,
    runtime::{shutdown::Lifecycle, time::TimeSource},
    store::{Append, AppendError, ArchivedGame, Journal, StoreError, memory::Memory},
};

mod rating;

const PARK_AFTER: Duration = Duration::from_mins(10);

const CLAIM_AFTER: ClaimAfter =
    ClaimAfter { timed: Duration::from_mins(2), untimed: Duration::from_hours(24) };

/// A server without its upper floors.
struct Bench {
    context: RoomContext,
}

impl Bench {
    fn new(journal: impl Journal) -> Self {
        let time = TimeSource::starting_at(1_790_000_000_000);
        let context = RoomContext {
            quotas: Arc::new(crate::quotas::Quotas::new(&crate::config::Limits::default())),
            slots: Arc::default(),
            journal: Arc::new(journal),
            time,
            metrics: Arc::default(),
            live_feed: LiveFeed::default(),
            lifecycle: Lifecycle::default(),
            park_after: PARK_AFTER,
            claim_after: CLAIM_AFTER,
            parked: Arc::new(ParkedGames::default()),
            opened_at: time.now_ms(),
            reads_only: false,
            fork_told: Arc::default(),
            outages: Arc::default(),
        };
        Self { context }
    }

    async fn start(&self, clock: TimeControl) -> RoomHandle {
        self.start_with(&["ann", "bob"], clock).await
    }

    async fn start_with(&self, users: &[&str], clock: TimeControl) -> RoomHandle {
        let player =
            |user: &&str| Player { user: (*user).into(), bot: false, guest: true, rating: None };
        let seats = BySeat::try_from_iter(users.iter().map(player)).unwrap();
        let setup = Setup {
            kind: Kind::Adamas,
            options: Options::new(),
            seats,
            clock,
            rated: false,
            delay: 0,
        };
        let new =
            NewGame { game: game(), setup, payers: Vec::new(), challenge: None, rematch_of: None };
        start(Arc::new(self.context.clone()), new).await.unwrap()
    }

    fn now(&self) -> u64 {
        self.context.time.now_ms()
    }

    /// The room of the game as its records are now.
    async fn reopen(&self) -> RoomHandle {
        let loaded = LoadedGame::replay(&self.records().await).unwrap().unwrap();
        open(Arc::new(self.context.clone()), loaded)
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
    client: Arc<ClientHandle>,
    queue: OutboxReader,
}

impl Guest {
    fn new(number: u64, name: &str) -> Self {
        let (outbox, queue) = outbox(SessionId(number), None);
        let user: UserName = name.parse().unwrap();
        let client = ClientHandle {
            session: SessionId(number),
            user: Some(user),
            from: None,
            quota: None,
            bot: false,
            house: false,
            guest: true,
            prefs: ClientPrefs::default(),
            muted: Arc::default(),
            outbox,
            close_on_drop: None,
        };
        Self { client: Arc::new(client), queue }
    }

    async fn join(&self, room: &RoomHandle) {
        let from = JoinFrom::Seq(1);
        let join = Command::Join { client: Arc::clone(&self.client), re: None, from, named: false };
        room.send(join).await.unwrap();
    }

    async fn act(&self, room: &RoomHandle, id: &str, action: PlayerAction, received_at: u64) {
        let (client, re) = (Arc::clone(&self.client), id.parse().unwrap());
        room.send(Command::Act { client, re, action, received_at, lag_ms: 0 }).await.unwrap();
    }

    async fn hear(&mut self) -> ToClient {
        ToClient::from_bytes(self.next().await.payload()).unwrap().unwrap()
    }

    async fn next(&mut self) -> Frame {
        match self.queue.next().await {
            OutboxItem::Frame(frame) => frame,
            other @ (OutboxItem::Lagged | OutboxItem::Ended(_)) => panic!("{other:?}"),
        }
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

fn move_to(turn: u32, notation: &str) -> PlayerAction {
    PlayerAction::Move { turn, notation: notation.into() }
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
    let frames = [ann.next().await, bob.next().await, eve.next().await];
    let record = &bench.records().await[2];
    assert!(frames.iter().all(|frame| frame.payload() == record.as_ref()));
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

#[tokio::test(start_paused = true)]
async fn the_way_to_a_player_is_not_charged() {
    let bench = Bench::new(Memory::default());
    let room = bench.start(TimeControl::Fischer { base_ms: 60_000, inc_ms: 0 }).await;
    let mut ann = Guest::new(1, "ann");
    ann.join(&room).await;
    let (client, action) = (Arc::clone(&ann.client), move_to(0, "c1-c2"));
    let (re, received_at) = ("m1".parse().unwrap(), bench.now() + 300);
    room.send(Command::Act { client, re, action, received_at, lag_ms: 120 }).await.unwrap();
    let moved = loop {
        if let EventBody::Moved(moved) = ann.hear_event().await {
            break moved;
        }
    };
    assert_eq!((moved.spent_ms, moved.lag_ms), (300, 120));
    assert_eq!(moved.left_ms, Some(vec![60_000 - 180, 60_000]));
}

/// Fails every append after the first, and tells nobody why.
#[derive(Debug, Default)]
struct Broken(Memory);

impl Journal for Broken {
    fn append(&self, append: Append) -> BoxFuture<'_, Result<Option<RatingChange>, AppendError>> {
        if append.expected_seq == 0 {
            return self.0.append(append);
        }
        let error = StoreError::Failed("disk full".into());
        std::future::ready(Err(AppendError::Store(error))).boxed()
    }
    fn rating_change(
        &self,
        game: GameId,
    ) -> BoxFuture<'_, Result<Option<RatingChange>, StoreError>> {
        self.0.rating_change(game)
    }
    fn archive(&self, game: ArchivedGame) -> BoxFuture<'_, Result<(), StoreError>> {
        self.0.archive(game)
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
        assert_eq!(guest.client.outbox.ended().await, SessionEnd::Close(CloseCode::Restart));
        while let Some(frame) = guest.queue.pop() {
            let text = String::from_utf8_lossy(frame.payload());
            assert!(!text.contains("moved") && !text.contains(r#""type":"ok""#), "{text}");
        }
    }
}

/// A journal that another node writes to as well.
#[derive(Debug)]
struct Shared(Arc<Memory>);

impl Journal for Shared {
    fn append(&self, append: Append) -> BoxFuture<'_, Result<Option<RatingChange>, AppendError>> {
        self.0.append(append)
    }
    fn rating_change(
        &self,
        game: GameId,
    ) -> BoxFuture<'_, Result<Option<RatingChange>, StoreError>> {
        self.0.rating_change(game)
    }
    fn archive(&self, game: ArchivedGame) -> BoxFuture<'_, Result<(), StoreError>> {
        self.0.archive(game)
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
        .map(|event| Bytes::from(head.append(event, table.position(), Some(&req))))
        .collect();
    let append = Append {
        game: game(),
        expected_seq,
        records,
        summary: crate::store::Summary { ply: 0, to_move: None, last_at: 0 },
        reseated: None,
        created: None,
        closes: None,
        rematch_of: None,
        result: None,
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
    let slots = &bench.context.slots;
    slots.insert(room.game().clone(), Arc::new(OnceCell::from(room.clone())));
    drop(ann);
    room.ended().await;
    assert!(slots.is_empty(), "nothing is kept of a room that has ended");

    let bench = Bench::new(Memory::default());
    let park_after = u64::try_from(PARK_AFTER.as_millis()).unwrap();
    let move_ms = 2 * park_after;
    let room = bench.start(TimeControl::PerMove { move_ms }).await;
    both_move(&bench, &room).await;
    tokio::time::sleep(PARK_AFTER + PARK_AFTER / 2).await;
    assert!(!room.is_closed(), "a clock runs out soon");

    let bench = Bench::new(Memory::default());
    let begun = bench.now();
    let room = bench.start(TimeControl::Days { per_move_days: 1 }).await;
    room.ended().await;
    let deadline = bench.context.parked.next_deadline();
    assert_eq!(deadline, Some(begun + 86_400_000));
}

/// Makes the first move of each of two players, so that nobody has failed to come.
async fn both_move(bench: &Bench, room: &RoomHandle) {
    let (mut ann, mut bob) = (Guest::new(91, "ann"), Guest::new(92, "bob"));
    ann.act(room, "first", move_to(0, "c1-c2"), bench.now()).await;
    assert!(matches!(ann.hear_reply().await, ToClient::Ok(_)));
    bob.act(room, "first", move_to(1, "c5-c4"), bench.now()).await;
    assert!(matches!(bob.hear_reply().await, ToClient::Ok(_)));
}

/// The requests by which a move is made, taken back and replaced by another are sent once more,
/// to the room that carried them out and to one that is opened from its records.
#[tokio::test(start_paused = true)]
async fn a_move_that_was_taken_back_is_not_confused_with_the_one_after_it() {
    let bench = Bench::new(Memory::default());
    let room = bench.start(TimeControl::None).await;
    let (mut ann, mut bob) = (Guest::new(1, "ann"), Guest::new(2, "bob"));
    let accept = PlayerAction::Answer { offer: "o_1".parse().unwrap(), accept: true };
    let asked = [
        ("m1", true, move_to(0, "c1-c2")),
        ("o1", true, PlayerAction::Offer(adamant_protocol::event::OfferKind::Takeback)),
        ("a1", false, accept),
        ("m2", true, move_to(2, "c1-e1")),
    ];
    let mut room = room;
    let mut first = Vec::new();
    for again in [false, true, true] {
        for (index, (id, is_ann, action)) in asked.iter().enumerate() {
            let who = if *is_ann { &mut ann } else { &mut bob };
            who.act(&room, id, action.clone(), bench.now()).await;
            let ToClient::Ok(mut done) = who.hear_reply().await else { panic!("{id} is refused") };
            assert_eq!(done.dup, again, "{id}");
            done.dup = false;
            if again {
                assert_eq!(done, first[index]);
            } else {
                first.push(done);
            }
        }
        for (id, other) in [("m1", move_to(0, "c1-e1")), ("m2", move_to(2, "c1-c2"))] {
            ann.act(&room, id, other, bench.now()).await;
            let reply = ann.hear_reply().await;
            let ToClient::Error(failed) = reply else { panic!("{reply:?}") };
            assert_eq!(failed.code, ErrorCode::IdReuse);
        }
        let loaded = LoadedGame::replay(&bench.records().await).unwrap().unwrap();
        room = open(Arc::new(bench.context.clone()), loaded);
    }
    let kinds: Vec<_> = bench
        .records()
        .await
        .iter()
        .map(|record| EventFrame::from_bytes(record).unwrap().body.kind().to_owned())
        .collect();
    let expected =
        ["created", "started", "moved", "offered", "offer_closed", "taken_back", "moved"];
    assert_eq!(kinds, expected);
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
    let loaded = LoadedGame::replay(&records).unwrap().unwrap();
    let room = open(Arc::new(bench.context.clone()), loaded);
    ann.act(&room, "m1", move_to(0, "C1-c2"), bench.now()).await;
    assert!(
        matches!(ann.hear_reply().await, ToClient::Ok(done) if done.dup && done.turn == Some(1))
    );
    ann.act(&room, "m1", PlayerAction::Resign, bench.now()).await;
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
        (good, ResumeDecision::Tail, Some(2)),
        (forked, ResumeDecision::Fork, None),
        (ahead, ResumeDecision::Fork, None),
    ] {
        let (reply, plan) = tokio::sync::oneshot::channel();
        room.send(Command::PlanResume {
            user: None,
            from: None,
            cursor: Some(cursor),
            reply,
            anew: None,
        })
        .await
        .unwrap();
        let plan = plan.await.unwrap();
        assert_eq!((plan.resume, plan.from, plan.seq), (resume, from, 3));
    }
}

/// What a room's task has room for, besides the room.
const TASK_BYTES_MAX: usize = 1000;

/// What a room has room for. What its table remembers of a game comes to that.
const ROOM_BYTES_MAX: usize = 2000;

/// How large the futures are that a function gives.
const fn size_of_future<A, B, F: Future>(_: &impl Fn(A, B) -> F) -> usize {
    size_of::<F>()
}

#[test]
fn a_room_where_nothing_happens_is_small() {
    let run = |room: Box<state::Room>, commands| room.run(commands);
    let (task, room) = (size_of_future(&run), size_of::<state::Room>());
    assert!(task <= TASK_BYTES_MAX && room <= ROOM_BYTES_MAX, "{task} and {room} bytes");
}
