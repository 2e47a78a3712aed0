//! A script drives a room: it hands in inputs, and answers what the room asks of the store. Its
//! clients have no socket.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use adamant_protocol::{CloseCode, EventBody, EventFrame, GameId, ToClient, to_client::Failed};
use adamant_rules::{BySeat, Kind, Options, Player, Setup, TimeControl};
use bytes::Bytes;
use futures::FutureExt as _;

use crate::outbound::client::{Caller, ClientHandle, ClientPrefs, RoomRequests};
use crate::outbound::outbox::{ClosedSessions, OutboxReader, outbox};
use crate::outbound::{SessionEnd, SessionId, frame::Frame};
use crate::room::{
    ClaimAfter, Command, Input, JoinFrom, LoadedGame, NewGame, Output, ParkedGames, Pass,
    PlayerAction, Room, RoomContext, live_feed::LiveFeed, loaded::begin,
};
use crate::store::{
    Append, AppendError, AppendOutcome, ArchivedState, Journal, PlayerAtGame, RecordRange,
    StoreError, memory::Memory,
};
use crate::{config::Limits, quotas::Quotas, runtime::time::milliseconds};

/// The time at which every script begins, in epoch milliseconds.
pub(crate) const BEGINNING: u64 = 1_790_000_000_000;

pub(super) const PARK_AFTER: Duration = Duration::from_mins(10);

pub(super) const CLAIM_AFTER: ClaimAfter =
    ClaimAfter { timed: Duration::from_mins(2), untimed: Duration::from_hours(24) };

/// Deadlines of a room without progress. A room that asks for more would keep its loop busy.
const DEADLINES_MAX: usize = 1000;

/// The listener numbers of the room and of the parked game.
const ROOM: usize = 0;
const PARKED: usize = 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// The journal decides.
    Decided,
    /// Another writer was first.
    Conflict,
    /// The records are stored, and the outcome is unknown.
    StoredUnknown,
    /// The records are lost, and the outcome is unknown.
    LostUnknown,
    DiskFull,
}

/// A room, its journal and its time.
pub(super) struct Script {
    pub(super) context: Arc<RoomContext>,
    pub(super) journal: Arc<Memory>,
    /// Epoch milliseconds.
    pub(super) now: u64,
    /// The start of the process.
    pub(super) absent_since: u64,
    /// `None` while the game is parked, or after an error.
    pub(super) room: Option<Room>,
    pub(super) parked: ParkedGames,
    /// What the room wants to know.
    pub(super) question: Option<Output>,
    /// What happens to the next appends. The journal decides on later ones.
    pub(super) fates: VecDeque<Fate>,
    /// Whether the store cannot read.
    pub(super) reads_fail: bool,
    pub(super) archived: Vec<ArchivedState>,
    /// The commands that closed rooms have not taken.
    pub(super) returned: VecDeque<Command>,
    closed: Arc<ClosedSessions>,
}

/// Returns the setup of a game of these users.
pub(crate) fn setup(users: &[&str], clock: TimeControl) -> Setup {
    let player =
        |user: &&str| Player { user: (*user).into(), bot: false, guest: true, rating: None };
    let seats = BySeat::try_from_iter(users.iter().map(player)).unwrap();
    let kind = Kind::Adamas;
    let options = kind.complete(&Options::new(), users.len()).unwrap();
    Setup { kind, options, seats, clock, rated: false, delay: 0, unlisted: false }
}

pub(super) fn game() -> GameId {
    "g1".parse().unwrap()
}

/// Returns the context of rooms that park after this time.
pub(crate) fn context(park_after: Duration) -> RoomContext {
    RoomContext {
        metrics: Arc::default(),
        quotas: Arc::new(Quotas::new(&Limits::default())),
        live_feed: LiveFeed::default(),
        park_after,
        claim_after: CLAIM_AFTER,
        outages: super::Outages::default(),
        occasions: crate::occasions::Occasions::default(),
        reads_only: false,
        fork_log: crate::runtime::logging::RateLimitedLog::default(),
        cluster: crate::cluster::Cluster::default(),
        substitutes: crate::room::Substitutes::queue().0,
        presence: None,
    }
}

/// Begins a game in memory, which answers at once.
pub(crate) fn begun(journal: &Memory, game: GameId, setup: Setup) -> LoadedGame {
    let new = NewGame { game, setup, payers: Vec::new(), offer: None, rematch_of: None };
    begin(journal, new, BEGINNING).now_or_never().unwrap().unwrap()
}

impl Script {
    /// Begins a game of ann and bob.
    pub(super) fn begin(clock: TimeControl) -> Self {
        Self::begin_game(setup(&["ann", "bob"], clock))
    }

    pub(super) fn begin_game(setup: Setup) -> Self {
        Self::begin_with(setup, context(PARK_AFTER))
    }

    pub(super) fn begin_with(setup: Setup, context: RoomContext) -> Self {
        let closed = Arc::<ClosedSessions>::default();
        let mut script = Self {
            context: Arc::new(context),
            journal: Arc::default(),
            now: BEGINNING,
            absent_since: BEGINNING,
            room: None,
            parked: ParkedGames::new(closed.listener(PARKED)),
            question: None,
            fates: VecDeque::new(),
            reads_fail: false,
            archived: Vec::new(),
            returned: VecDeque::new(),
            closed,
        };
        let loaded = begun(&script.journal, game(), setup);
        script.open(loaded, true, false);
        script
    }

    /// Loads the game from its records, and opens its room. Without a parked room this is the start
    /// of another process.
    pub(super) fn reopen(&mut self) {
        let mut loaded = self.load();
        if self.context.presence.is_some() {
            loaded.present = self.presence().unwrap_or_default();
        }
        self.open(loaded, true, false);
    }

    /// Opens the room of the game as its parked audience has it.
    pub(super) fn reopen_behind(&mut self, known: LoadedGame) {
        self.open(known, true, true);
    }

    /// Completes a finished game at the start of a process.
    pub(super) fn recover(&mut self) {
        self.open(self.load(), false, false);
    }

    pub(super) fn load(&self) -> LoadedGame {
        LoadedGame::replay(&self.records()).unwrap().unwrap()
    }

    fn open(&mut self, loaded: LoadedGame, archived: bool, behind: bool) {
        self.question = None;
        self.pass_closed_sessions();
        let parked = self.parked.unpark(&game());
        let listener = self.closed.listener(ROOM);
        let context = Arc::clone(&self.context);
        let room = Room::new(context, loaded, parked, self.absent_since, listener, self.now);
        self.room = Some(room);
        self.hand(Input::Opened { archived, behind });
        self.settle();
    }

    /// Hands in an input. The room's question stays open.
    pub(super) fn hand(&mut self, input: Input) {
        self.pass_closed_sessions();
        self.give(input);
    }

    fn give(&mut self, input: Input) {
        let Some(room) = &mut self.room else { return };
        let mut outputs = Vec::new();
        room.handle(input, &mut Pass { now: self.now, outputs: &mut outputs });
        for output in outputs {
            if matches!(output, Output::Close) {
                self.question = None;
                self.close();
            } else {
                let other = self.question.replace(output);
                assert!(other.is_none(), "two questions at once: {other:?}");
            }
        }
    }

    fn close(&mut self) {
        let Some(mut room) = self.room.take() else { return };
        self.returned.extend(room.take_waiting());
        self.parked.park(&game(), room.into_parked(self.now));
    }

    /// Answers the room's question.
    pub(super) fn answer(&mut self) {
        let answer = match self.question.take().expect("the room asks") {
            Output::Append(append) => Input::Appended(self.append(append)),
            Output::Archive(archived) => {
                self.archived.push(archived.state);
                Input::Archived(self.journal.archive(archived).now_or_never().unwrap())
            }
            Output::Read { .. } | Output::ReadDurable { .. } | Output::ReadAnnounced { .. }
                if self.reads_fail =>
            {
                Input::Records(Err(StoreError::Busy))
            }
            Output::Read { from, max } => {
                Input::Records(self.journal.read(game(), from, max).now_or_never().unwrap())
            }
            Output::ReadDurable { from, until } | Output::ReadAnnounced { from, until } => {
                let range = RecordRange { game: game(), from, until };
                let mut pages = self.journal.read_durable(vec![range]).now_or_never().unwrap();
                Input::Records(pages.pop().unwrap())
            }
            Output::ReadRating => {
                Input::Rating(self.journal.rating_change(game()).now_or_never().unwrap())
            }
            Output::ReadPresence => Input::Presence(self.presence()),
            Output::Close => unreachable!("it is no question"),
        };
        self.give(answer);
    }

    fn presence(&self) -> Result<Vec<PlayerAtGame>, StoreError> {
        let shared = self.context.presence.as_ref().expect("the room is in a cluster");
        let mut games = shared.at_games(vec![game()]).now_or_never().unwrap()?;
        Ok(games.pop().unwrap())
    }

    fn append(&mut self, append: Append) -> AppendOutcome {
        let unknown = || AppendError::Store(StoreError::Failed("simulated failure".into()));
        let fate = self.fates.pop_front().unwrap_or(Fate::Decided);
        match fate {
            Fate::Conflict => Err(AppendError::Conflict { last_seq: append.expected_seq }),
            Fate::DiskFull => Err(StoreError::ReadOnly.into()),
            Fate::LostUnknown => Err(unknown()),
            Fate::Decided | Fate::StoredUnknown => {
                let deadline = append.deadline;
                let mut outcomes = self.journal.append(vec![append]).now_or_never().unwrap();
                let outcome = outcomes.pop().unwrap();
                if outcome.is_ok() {
                    let table = self.load().table;
                    let ends = table.seat_offer_ends().or(table.clock().deadline());
                    assert_eq!(deadline, ends, "the deadline of an append");
                }
                if fate == Fate::Decided { outcome } else { Err(unknown()) }
            }
        }
    }

    /// Answers the room until it asks nothing. Spectators have to wait.
    pub(super) fn answer_all(&mut self) {
        while self.question.is_some() {
            self.answer();
        }
    }

    /// Answers the room until it asks nothing, then serves the spectators.
    pub(super) fn settle(&mut self) {
        self.answer_all();
        self.fan_out();
    }

    pub(super) fn fan_out(&mut self) {
        if let Some(room) = &mut self.room {
            room.fan_out(usize::MAX);
            assert!(!room.is_behind());
        }
    }

    /// Sends a command to the room, which must be open.
    pub(super) fn send(&mut self, command: Command) {
        assert!(self.is_open(), "the game has no room");
        self.hand(Input::Command(command));
        self.settle();
    }

    /// Lets time pass. The room is woken at each of its deadlines.
    pub(super) fn advance(&mut self, duration: Duration) {
        self.advance_ms(milliseconds(duration));
    }

    pub(super) fn advance_ms(&mut self, ms: u64) {
        let until = self.now + ms;
        self.pass_closed_sessions();
        for _ in 0..DEADLINES_MAX {
            let deadline = self.room.as_ref().and_then(Room::deadline);
            let Some(at) = deadline.filter(|at| *at <= until) else {
                self.now = until;
                return;
            };
            self.now = self.now.max(at);
            self.hand(Input::Deadline);
            self.settle();
        }
        panic!("the room has too many deadlines");
    }

    /// Tells the room, or the parked game, which sessions have ended.
    pub(super) fn pass_closed_sessions(&mut self) {
        for closed in self.closed.drain() {
            if closed.listener == PARKED {
                self.parked.session_closed(closed.session, self.now);
            } else {
                self.give(Input::SessionClosed(closed.session));
            }
        }
    }

    pub(super) const fn is_open(&self) -> bool {
        self.room.is_some()
    }

    pub(super) fn records(&self) -> Vec<Bytes> {
        self.journal.read(game(), 1, usize::MAX).now_or_never().unwrap().unwrap()
    }

    /// Returns the kinds of the events after the first `skip`.
    pub(super) fn kinds(&self, skip: usize) -> Vec<String> {
        let kind = |record: &Bytes| EventFrame::from_bytes(record).unwrap().body.kind().to_owned();
        self.records()[skip..].iter().map(kind).collect()
    }
}

/// A session, and the frames that it has received.
pub(crate) struct Client {
    pub(crate) handle: Arc<ClientHandle>,
    pub(crate) received: OutboxReader,
}

impl Client {
    /// Returns the session with this number of a user.
    pub(crate) fn new(session: u64, user: &str) -> Self {
        Self::of(session, user, false)
    }

    /// The same after joining the script's game.
    pub(super) fn joined(session: u64, user: &str, script: &mut Script) -> Self {
        let client = Self::new(session, user);
        client.join(script);
        client
    }

    /// Returns the session of a server bot.
    pub(super) fn house(session: u64, user: &str) -> Self {
        Self::of(session, user, true)
    }

    fn of(session: u64, user: &str, house: bool) -> Self {
        let session = SessionId(session);
        let (outbox, received) = outbox(session, None);
        let handle = ClientHandle {
            session,
            user: Some(user.parse().unwrap()),
            from: None,
            quota: None,
            bot: house,
            house,
            guest: !house,
            is_lent: false,
            prefs: ClientPrefs::default(),
            muted: Arc::default(),
            outbox,
            room_requests: RoomRequests::default(),
            close_on_drop: None,
        };
        Self { handle: Arc::new(handle), received }
    }

    pub(crate) fn caller(&self) -> Caller {
        Caller::uncounted(Arc::clone(&self.handle))
    }

    /// Returns the command that joins the session to its game, from the first event on.
    pub(crate) fn joins(&self) -> Command {
        self.joins_from(None, JoinFrom::Seq(1))
    }

    pub(super) fn joins_from(&self, re: Option<&str>, from: JoinFrom) -> Command {
        let re = re.map(|re| re.parse().unwrap());
        Command::join(self.caller(), re, from, false)
    }

    pub(super) fn join(&self, script: &mut Script) {
        script.send(self.joins());
    }

    /// Returns the command that carries out an action.
    pub(crate) fn acts(&self, id: &str, action: PlayerAction, received_at: u64) -> Command {
        Command::act(self.caller(), id.parse().unwrap(), action, received_at, 0)
    }

    /// Sends an action to the room, which asks the store.
    pub(super) fn start_act(&self, script: &mut Script, id: &str, action: PlayerAction) {
        script.hand(Input::Command(self.acts(id, action, script.now)));
    }

    /// Carries out an action, and returns the response.
    pub(super) fn act(&mut self, script: &mut Script, id: &str, action: PlayerAction) -> ToClient {
        self.act_at(script, id, action, script.now)
    }

    /// Carries out an action that arrived at this time, and returns the response.
    pub(super) fn act_at(
        &mut self,
        script: &mut Script,
        id: &str,
        action: PlayerAction,
        received_at: u64,
    ) -> ToClient {
        script.send(self.acts(id, action, received_at));
        self.next_reply()
    }

    pub(super) fn frame(&mut self) -> Option<Frame> {
        self.received.pop()
    }

    /// Returns the messages that have arrived.
    pub(super) fn messages(&mut self) -> Vec<ToClient> {
        std::iter::from_fn(|| self.frame())
            .map(|frame| ToClient::from_bytes(frame.payload()).unwrap().unwrap())
            .collect()
    }

    pub(super) fn next_message(&mut self) -> ToClient {
        let frame = self.frame().expect("a message has arrived");
        ToClient::from_bytes(frame.payload()).unwrap().unwrap()
    }

    /// Returns the next event, and skips other messages.
    pub(super) fn next_event(&mut self) -> EventBody {
        loop {
            if let ToClient::Event(frame) = self.next_message() {
                return frame.body;
            }
        }
    }

    /// Returns the last event that has arrived.
    pub(super) fn last_event(&mut self) -> EventBody {
        let mut events = self.messages().into_iter().filter_map(|message| {
            if let ToClient::Event(frame) = message { Some(frame.body) } else { None }
        });
        events.next_back().expect("an event has arrived")
    }

    /// Returns the next response, and skips other messages.
    pub(super) fn next_reply(&mut self) -> ToClient {
        loop {
            let message = self.next_message();
            if message.re().is_some() {
                return message;
            }
        }
    }

    pub(super) fn next_refusal(&mut self) -> Failed {
        let reply = self.next_reply();
        let ToClient::Error(failed) = reply else { panic!("{reply:?}") };
        failed
    }

    /// Returns why the server has closed the session, if it has.
    pub(super) fn closed(&self) -> Option<CloseCode> {
        match self.received.end_reason() {
            Some(SessionEnd::Close(code)) => Some(code),
            Some(SessionEnd::Disconnected) | None => None,
        }
    }
}

/// Returns the kinds of the events among the messages.
pub(super) fn event_kinds(messages: &[ToClient]) -> Vec<&str> {
    let mut kinds = Vec::new();
    for message in messages {
        if let ToClient::Event(frame) = message {
            kinds.push(frame.body.kind());
        }
    }
    kinds
}

pub(super) fn move_to(turn: u32, notation: &str) -> PlayerAction {
    PlayerAction::Move { turn, mv: notation.into() }
}

/// Makes the first move of each of two players, so that the no-show timer is off.
pub(super) fn both_move(script: &mut Script) {
    for (session, user, action) in
        [(91, "ann", move_to(0, "c1-c2")), (92, "bob", move_to(1, "c5-c4"))]
    {
        let reply = Client::new(session, user).act(script, "first", action);
        assert!(matches!(reply, ToClient::Ok(_)), "{reply:?}");
    }
}
