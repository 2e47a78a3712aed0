//! A fake server's side of a game, and a client's view of it.

use std::time::Duration;

use adamant_client::{Incoming, RequestError};
use adamant_protocol::{
    EventBody, EventFrame, GameId,
    error::{ErrorCode, Retry},
    sketch::Sketch,
    to_client::{Failed, HintList, ResumeDecision, ResumedGame, Welcome},
    values::Named,
};
use adamant_record::{Head, chain_after, wire};
use adamant_rules::{Act, BySeat, Event, Kind, Options, Player, Seat, Setup, Table, TimeControl};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::{
    Terminal,
    backend::TestBackend,
    layout::{Position, Rect},
};

use crate::play::{
    render::{cell_at, render},
    view::{Effect, Message, Request, Role, View},
};

pub(in crate::play) const GAME: &str = "k7q2mx";

/// Start of the game, in epoch milliseconds.
pub(in crate::play) const START_MS: u64 = 1_790_000_000_000;

pub(in crate::play) const O: Seat = Seat::FIRST;

pub(in crate::play) fn x() -> Seat {
    Seat::new(1).unwrap()
}

/// A server's table and its journal.
pub(in crate::play) struct FakeServer {
    pub(in crate::play) table: Table,
    pub(in crate::play) head: Head,
    /// The events that clients receive.
    pub(in crate::play) journal: Vec<Incoming>,
}

impl FakeServer {
    /// Starts a game of Adamas.
    pub(in crate::play) fn new(options: &str, users: &[&str], clock: TimeControl) -> Self {
        Self::of(Kind::Adamas, options, users, clock)
    }

    /// Starts a game of any kind.
    pub(in crate::play) fn of(
        kind: Kind,
        options: &str,
        users: &[&str],
        clock: TimeControl,
    ) -> Self {
        let options = Options::parse(options, kind.option_specs()).unwrap();
        let player =
            |user: &&str| Player { user: (*user).into(), bot: false, guest: false, rating: None };
        let seats = BySeat::try_from_iter(users.iter().map(player)).unwrap();
        let setup = Setup { kind, options, seats, clock, rated: false, delay: 0, unlisted: false };
        let events = Table::begin(setup, START_MS).unwrap();
        let table = Table::new(&events[0]).unwrap();
        let mut server =
            Self { table, head: Head::new(GAME.parse().unwrap()), journal: Vec::new() };
        server.record(&events[0]);
        server.apply(&events[1..]);
        server
    }

    /// Starts a game of two players with five minutes each.
    pub(in crate::play) fn two() -> Self {
        let clock = TimeControl::Fischer { base_ms: 300_000, inc_ms: 5_000 };
        Self::new("", &["ann", "bob"], clock)
    }

    fn record(&mut self, event: &Event) {
        let bytes = self.head.append(event, self.table.position(), None);
        let frame = Box::new(EventFrame::from_bytes(&bytes).unwrap());
        self.journal.push(Incoming::Event { frame, bytes: bytes.into() });
    }

    /// Records an event of a kind that only later versions know.
    pub(in crate::play) fn record_unknown(&mut self, kind: &str) {
        let Some(Incoming::Event { frame, .. }) = self.journal.last() else {
            panic!("a game has begun")
        };
        let (head, body) = (&mut self.head, EventBody::Unknown(kind.into()));
        head.seq += 1;
        let unsealed =
            EventFrame::unsealed_bytes(&head.game, head.seq, frame.at, &body, None, frame.hash);
        head.chain = chain_after(head.chain, &unsealed);
        let bytes = EventFrame::seal(unsealed, head.chain);
        let frame = Box::new(EventFrame::from_bytes(&bytes).unwrap());
        self.journal.push(Incoming::Event { frame, bytes: bytes.into() });
    }

    pub(in crate::play) fn apply(&mut self, events: &[Event]) {
        for event in events {
            self.table.apply(event).unwrap();
            self.record(event);
        }
    }

    /// Applies an act at a time in seconds.
    pub(in crate::play) fn act(&mut self, act: Act<'_>, seconds: u64) {
        let events = self.table.decide(&act, START_MS + seconds * 1_000).unwrap();
        self.apply(&events);
    }

    pub(in crate::play) fn hints(&self, sent: &Sketch) -> Box<HintList> {
        let position = self.table.position();
        let sketch = wire::sketch::from_wire(position, sent).unwrap();
        let words = position.named_moves();
        Box::new(HintList {
            re: "1".parse().unwrap(),
            game: GAME.parse().unwrap(),
            turn: self.table.turn(),
            to_move: wire::seat_number(position.to_move()),
            cells: Vec::new(),
            from: None,
            to: None,
            words: words.iter().map(|play| play.to_string().into()).collect(),
            sketch: Some(wire::sketch::completions(position, &sketch, false)),
        })
    }

    /// Makes a move for the seat to move, at a time in seconds.
    pub(in crate::play) fn play(&mut self, notation: &str, seconds: u64) {
        let (seat, turn) = (self.table.to_move().unwrap(), self.table.turn());
        self.act(Act::Move { seat, turn, notation, lag_ms: 0 }, seconds);
    }
}

/// Returns the `welcome` for a client that connects `at_seconds` after the start.
pub(in crate::play) fn welcome(
    user: Option<&str>,
    at_seconds: u64,
    verdict: Option<ResumeDecision>,
) -> Welcome {
    let user = user.map_or("null".to_owned(), |name| {
        format!(r#"{{"name":"{name}","bot":false,"guest":false}}"#)
    });
    let text = format!(
        r#"{{"re":"1","proto":1,"server":{{"name":"adamant","version":"0"}},"user":{user},
        "session":"s_1","ts":{},"rules":{{"adamas":1}},
        "limits":{{"frame_bytes":65536,"burst":40,"per_s":10}},
        "heartbeat":{{"ping_every_ms":10000,"idle_close_ms":30000}},"durability":"fsync",
        "games":[],"challenges":[]}}"#,
        START_MS + at_seconds * 1_000
    );
    let mut welcome: Welcome = serde_json::from_str(&text).unwrap();
    let game: GameId = GAME.parse().unwrap();
    let resumed = verdict.map(|resume| ResumedGame { game, seat: None, resume, from: None });
    welcome.games.extend(resumed);
    welcome
}

/// A client's view and its server.
pub(in crate::play) struct TestClient {
    pub(in crate::play) view: View,
    pub(in crate::play) server: FakeServer,
    /// Number of journal records that the view has received.
    pub(in crate::play) received: usize,
    pub(in crate::play) now: Duration,
}

impl TestClient {
    pub(in crate::play) fn new(server: FakeServer, user: Option<&str>, role: Role) -> Self {
        let (view, effects) = View::open(GAME.parse().unwrap(), role, &welcome(user, 0, None));
        assert_eq!(effects, [Effect::Send(Request::Follow { from: 1 })]);
        let mut client = Self { view, server, received: 0, now: Duration::ZERO };
        client.receive_journal();
        client
    }

    pub(in crate::play) fn ann() -> Self {
        Self::new(FakeServer::two(), Some("ann"), Role::Play)
    }

    /// Passes a message to the view. Answers its requests for hints at once.
    pub(in crate::play) fn update(&mut self, message: Message) -> Vec<Effect> {
        let mut effects = self.view.update(message, self.now);
        while let Some(place) = effects.iter().position(|of| matches!(of, Effect::FetchHints(_))) {
            let Effect::FetchHints(sketch) = effects.remove(place) else { unreachable!() };
            let answer = self.server.hints(&sketch);
            effects.extend(self.view.update(Message::Hints(sketch, Ok(answer)), self.now));
        }
        effects
    }

    /// Passes new records of the server to the view.
    pub(in crate::play) fn receive_journal(&mut self) {
        while let Some(record) = self.server.journal.get(self.received).cloned() {
            self.received += 1;
            assert_eq!(self.update(Message::Incoming(record)), []);
        }
    }

    pub(in crate::play) fn play(&mut self, notation: &str, seconds: u64) {
        self.server.play(notation, seconds);
        self.receive_journal();
    }

    pub(in crate::play) fn wait_until(&mut self, seconds: u64) {
        self.now = Duration::from_secs(seconds);
        assert_eq!(self.update(Message::Tick), []);
    }

    pub(in crate::play) fn press(&mut self, code: KeyCode) -> Vec<Effect> {
        self.update(Message::Key(KeyEvent::new(code, KeyModifiers::NONE)))
    }

    pub(in crate::play) fn press_control(&mut self, letter: char) -> Vec<Effect> {
        self.update(Message::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL)))
    }

    /// Passes a message to the view. Does not answer its requests for hints.
    pub(in crate::play) fn update_unanswered(&mut self, message: Message) -> Vec<Effect> {
        self.view.update(message, self.now)
    }

    /// Clicks at a column and line of a common window.
    pub(in crate::play) fn click(&mut self, column: u16, line: u16) {
        let window = Rect::new(0, 0, 80, 24);
        if let Some(cell) = cell_at(&self.view, window, Position::new(column, line)) {
            assert_eq!(self.update(Message::Click(cell)), []);
        }
    }

    /// Clicks the first visible character of a text on the screen.
    #[track_caller]
    pub(in crate::play) fn click_on(&mut self, text: &str) {
        let frame = self.frame();
        let mut places = frame.lines().zip(0..).filter_map(|(row, line)| {
            let bytes = row.find(text)? + text.find(|letter| letter != ' ')?;
            Some((u16::try_from(row[..bytes].chars().count()).unwrap(), line))
        });
        let (column, line) = places.next().unwrap_or_else(|| panic!("{text:?} is not in\n{frame}"));
        self.click(column, line);
    }

    /// Types a line and enters it.
    pub(in crate::play) fn enter(&mut self, line: &str) -> Vec<Effect> {
        for letter in line.chars() {
            assert_eq!(self.press(KeyCode::Char(letter)), []);
        }
        self.press(KeyCode::Enter)
    }

    pub(in crate::play) fn refused(&mut self, ask: Request, why: &str) {
        let failed = Failed {
            re: None,
            code: ErrorCode::IllegalMove,
            message: "the move is not legal".into(),
            retry: Retry::Never,
            retry_after_ms: None,
            game: None,
            why: Some(why.into()),
            why_key: None,
            why_args: Named::default(),
            index: None,
            turn: None,
            proto: None,
            limit: None,
            until: None,
        };
        let answer = Err(RequestError::Refused(Box::new(failed)));
        assert_eq!(self.update(Message::Response(ask, answer)), []);
    }

    pub(in crate::play) fn frame_of(&self, columns: u16, lines: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(columns, lines)).unwrap();
        terminal.draw(|frame| render(&self.view, false, frame)).unwrap();
        let cells = &terminal.backend().buffer().content;
        let line = |cells: &[ratatui::buffer::Cell]| {
            let text: String = cells.iter().map(ratatui::buffer::Cell::symbol).collect();
            text.trim_end().to_owned()
        };
        cells.chunks(columns.into()).map(line).collect::<Vec<_>>().join("\n")
    }

    pub(in crate::play) fn frame(&self) -> String {
        self.frame_of(80, 24)
    }

    /// Asserts that the frame contains a text.
    #[track_caller]
    pub(in crate::play) fn shows(&self, text: &str) {
        assert!(self.frame().contains(text), "{text:?} is not in\n{}", self.frame());
    }

    #[track_caller]
    pub(in crate::play) fn shows_no(&self, text: &str) {
        assert!(!self.frame().contains(text), "{text:?} is in\n{}", self.frame());
    }
}

pub(in crate::play) fn move_request(turn: u32, notation: &str) -> Request {
    Request::Move { turn, notation: notation.to_owned() }
}
