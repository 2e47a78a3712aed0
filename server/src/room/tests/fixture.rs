//! A room with its services and a journal in memory, and clients without sockets.

use std::{sync::Arc, time::Duration};

use adamant_protocol::{EventBody, GameId, ToClient, UserName};
use adamant_rules::{BySeat, Kind, Options, Player, Setup, TimeControl};
use bytes::Bytes;

use crate::{
    outbound::{
        SessionId,
        client::{ClientHandle, ClientPrefs},
        frame::Frame,
        outbox::{OutboxItem, OutboxReader, outbox},
    },
    room::{
        ClaimAfter, Command, JoinFrom, LoadedGame, NewGame, ParkedGames, PlayerAction, RoomContext,
        RoomHandle, live_feed::LiveFeed, open, start,
    },
    runtime::{entropy::Entropy, shutdown::Lifecycle, time::TimeSource, work_pool::WorkPool},
    store::Journal,
};

pub(super) const PARK_AFTER: Duration = Duration::from_mins(10);

pub(super) const CLAIM_AFTER: ClaimAfter =
    ClaimAfter { timed: Duration::from_mins(2), untimed: Duration::from_hours(24) };

/// The services that a room needs.
pub(super) struct Bench {
    pub(super) context: RoomContext,
}

impl Bench {
    pub(super) fn new(journal: impl Journal) -> Self {
        let time = TimeSource::starting_at(1_790_000_000_000);
        let context = RoomContext {
            quotas: Arc::new(crate::quotas::Quotas::new(&crate::config::Limits::default())),
            slots: Arc::default(),
            journal: Arc::new(journal),
            time,
            entropy: Entropy::default(),
            work: WorkPool::default(),
            metrics: Arc::default(),
            live_feed: LiveFeed::default(),
            lifecycle: Lifecycle::default(),
            park_after: PARK_AFTER,
            claim_after: CLAIM_AFTER,
            parked: Arc::new(ParkedGames::default()),
            opened_at: time.now_ms(),
            reads_only: false,
            fork_log: Arc::default(),
            outages: Arc::default(),
        };
        Self { context }
    }

    pub(super) async fn start(&self, clock: TimeControl) -> RoomHandle {
        self.start_with(&["ann", "bob"], clock).await
    }

    pub(super) async fn start_with(&self, users: &[&str], clock: TimeControl) -> RoomHandle {
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

    pub(super) fn now(&self) -> u64 {
        self.context.time.now_ms()
    }

    /// Loads the game from its records and opens its room.
    pub(super) async fn reopen(&self) -> RoomHandle {
        let loaded = LoadedGame::replay(&self.records().await).unwrap().unwrap();
        open(Arc::new(self.context.clone()), loaded)
    }

    pub(super) async fn records(&self) -> Vec<Bytes> {
        self.context.journal.read(game(), 1, usize::MAX).await.unwrap()
    }
}

pub(super) fn game() -> GameId {
    "g1".parse().unwrap()
}

/// A session without a socket.
pub(super) struct Guest {
    pub(super) client: Arc<ClientHandle>,
    pub(super) queue: OutboxReader,
}

impl Guest {
    pub(super) fn new(number: u64, name: &str) -> Self {
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

    pub(super) async fn join(&self, room: &RoomHandle) {
        let from = JoinFrom::Seq(1);
        let join = Command::Join { client: Arc::clone(&self.client), re: None, from, named: false };
        room.send(join).await.unwrap();
    }

    pub(super) async fn act(
        &self,
        room: &RoomHandle,
        id: &str,
        action: PlayerAction,
        received_at: u64,
    ) {
        let (client, re) = (Arc::clone(&self.client), id.parse().unwrap());
        room.send(Command::Act { client, re, action, received_at, lag_ms: 0 }).await.unwrap();
    }

    pub(super) async fn next_message(&mut self) -> ToClient {
        ToClient::from_bytes(self.next_frame().await.payload()).unwrap().unwrap()
    }

    pub(super) async fn next_frame(&mut self) -> Frame {
        match self.queue.next().await {
            OutboxItem::Frame(frame) => frame,
            other @ (OutboxItem::Lagged | OutboxItem::Ended(_)) => panic!("{other:?}"),
        }
    }

    /// Returns the next event and skips other messages.
    pub(super) async fn next_event(&mut self) -> EventBody {
        loop {
            if let ToClient::Event(frame) = self.next_message().await {
                return frame.body;
            }
        }
    }

    pub(super) async fn next_reply(&mut self) -> ToClient {
        loop {
            let message = self.next_message().await;
            if message.re().is_some() {
                return message;
            }
        }
    }
}

pub(super) fn move_to(turn: u32, notation: &str) -> PlayerAction {
    PlayerAction::Move { turn, notation: notation.into() }
}

/// Makes the first move of each of two players, so that the no-show timer is off.
pub(super) async fn both_move(bench: &Bench, room: &RoomHandle) {
    let (mut ann, mut bob) = (Guest::new(91, "ann"), Guest::new(92, "bob"));
    ann.act(room, "first", move_to(0, "c1-c2"), bench.now()).await;
    assert!(matches!(ann.next_reply().await, ToClient::Ok(_)));
    bob.act(room, "first", move_to(1, "c5-c4"), bench.now()).await;
    assert!(matches!(bob.next_reply().await, ToClient::Ok(_)));
}
