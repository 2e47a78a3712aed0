//! A client's view of a game, with a fake server.

use std::time::Duration;

use adamant_client::RequestError;
use adamant_protocol::{
    error::{ErrorCode, Retry},
    to_client::Failed,
    values::Named,
};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::{
    Terminal,
    backend::TestBackend,
    layout::{Position, Rect},
};

use crate::play::{
    fixture::{FakeServer, GAME, welcome},
    message::{Effect, Message, Request, Role},
    render::{cell_at, render},
    view::View,
};

/// A client's view and its server.
pub(super) struct TestClient {
    pub(super) view: View,
    pub(super) server: FakeServer,
    /// Number of journal records that the view has received.
    pub(super) received: usize,
    pub(super) now: Duration,
}

impl TestClient {
    pub(super) fn new(server: FakeServer, user: Option<&str>, role: Role) -> Self {
        let (view, effects) = View::open(GAME.parse().unwrap(), role, &welcome(user, 0, None));
        assert_eq!(effects, [Effect::Send(Request::Follow { from: 1 })]);
        let mut client = Self { view, server, received: 0, now: Duration::ZERO };
        client.receive_journal();
        client
    }

    pub(super) fn ann() -> Self {
        Self::new(FakeServer::two(), Some("ann"), Role::Play)
    }

    /// Passes a message to the view. Answers its requests for hints at once.
    pub(super) fn update(&mut self, message: Message) -> Vec<Effect> {
        let mut effects = self.view.update(message, self.now);
        while let Some(place) = effects.iter().position(|of| matches!(of, Effect::FetchHints(_))) {
            let Effect::FetchHints(sketch) = effects.remove(place) else { unreachable!() };
            let answer = self.server.hints(&sketch);
            effects.extend(self.view.update(Message::Hints(sketch, Ok(answer)), self.now));
        }
        effects
    }

    /// Passes new records of the server to the view.
    pub(super) fn receive_journal(&mut self) {
        while let Some(record) = self.server.journal.get(self.received).cloned() {
            self.received += 1;
            assert_eq!(self.update(Message::Incoming(record)), []);
        }
    }

    pub(super) fn play(&mut self, notation: &str, seconds: u64) {
        self.server.play(notation, seconds);
        self.receive_journal();
    }

    pub(super) fn wait_until(&mut self, seconds: u64) {
        self.now = Duration::from_secs(seconds);
        assert_eq!(self.update(Message::Tick), []);
    }

    pub(super) fn press(&mut self, code: KeyCode) -> Vec<Effect> {
        self.update(Message::Key(KeyEvent::new(code, KeyModifiers::NONE)))
    }

    pub(super) fn press_control(&mut self, letter: char) -> Vec<Effect> {
        self.update(Message::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL)))
    }

    /// Passes a message to the view. Does not answer its requests for hints.
    pub(super) fn update_unanswered(&mut self, message: Message) -> Vec<Effect> {
        self.view.update(message, self.now)
    }

    /// Clicks at a column and line of a common window.
    pub(super) fn click(&mut self, column: u16, line: u16) {
        let window = Rect::new(0, 0, 80, 24);
        if let Some(cell) = cell_at(&self.view, window, Position::new(column, line)) {
            assert_eq!(self.update(Message::Click(cell)), []);
        }
    }

    /// Clicks the first visible character of a text on the screen.
    #[track_caller]
    pub(super) fn click_on(&mut self, text: &str) {
        let frame = self.frame();
        let mut places = frame.lines().zip(0..).filter_map(|(row, line)| {
            let bytes = row.find(text)? + text.find(|letter| letter != ' ')?;
            Some((u16::try_from(row[..bytes].chars().count()).unwrap(), line))
        });
        let (column, line) = places.next().unwrap_or_else(|| panic!("{text:?} is not in\n{frame}"));
        self.click(column, line);
    }

    /// Types a line and enters it.
    pub(super) fn enter(&mut self, line: &str) -> Vec<Effect> {
        for letter in line.chars() {
            assert_eq!(self.press(KeyCode::Char(letter)), []);
        }
        self.press(KeyCode::Enter)
    }

    pub(super) fn refused(&mut self, ask: Request, why: &str) {
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

    pub(super) fn frame_of(&self, columns: u16, lines: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(columns, lines)).unwrap();
        terminal.draw(|frame| render(&self.view, false, frame)).unwrap();
        let cells = &terminal.backend().buffer().content;
        let line = |cells: &[ratatui::buffer::Cell]| {
            let text: String = cells.iter().map(ratatui::buffer::Cell::symbol).collect();
            text.trim_end().to_owned()
        };
        cells.chunks(columns.into()).map(line).collect::<Vec<_>>().join("\n")
    }

    pub(super) fn frame(&self) -> String {
        self.frame_of(80, 24)
    }

    /// Asserts that the frame contains a text.
    #[track_caller]
    pub(super) fn shows(&self, text: &str) {
        assert!(self.frame().contains(text), "{text:?} is not in\n{}", self.frame());
    }

    #[track_caller]
    pub(super) fn shows_no(&self, text: &str) {
        assert!(!self.frame().contains(text), "{text:?} is in\n{}", self.frame());
    }
}

pub(super) fn move_request(turn: u32, notation: &str) -> Request {
    Request::Move { turn, notation: notation.to_owned() }
}
