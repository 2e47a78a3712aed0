//! The view of one game as a state machine: messages go in, effects come out, and `render` draws
//! the state. It uses no socket, no terminal and no clock.
//!
//! The board is never ahead of the record. A sent move stays in the prompt until the server
//! answers; the board changes with the event.

use std::time::Duration;

use adamant_protocol::{
    GameId, UserName,
    to_client::{ClaimAfter, SeatPresence, Welcome},
};
use adamant_rules::{Cell, Position, Seat, Table, game::Mark};

use super::{
    history::GameHistory,
    message::{ConnectionState, Effect, Message, Request},
    pointer::Pointer,
    prompt::Prompt,
    role::Role,
    talk_page::TalkPage,
};

/// The preview of a move.
#[derive(Debug)]
pub(super) struct Preview {
    /// In canonical notation.
    pub(super) notation: String,
    /// Its captures, to follow the notation.
    pub(super) captures: String,
    /// The position after it.
    pub(super) position: Position,
    /// Its marks on the board.
    pub(super) marks: Vec<(Cell, Mark)>,
}

/// A line of text under the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Note {
    pub(super) text: String,
    /// Whether it reports an error.
    pub(super) is_error: bool,
}

/// The estimated clock of the server.
#[derive(Debug, Clone, Copy)]
pub(super) struct ServerTime {
    /// A timestamp of the server, in epoch milliseconds.
    pub(super) at_ms: u64,
    /// When it arrived, since the view was opened.
    pub(super) received: Duration,
}

impl ServerTime {
    fn at(self, now: Duration) -> u64 {
        let since = now.saturating_sub(self.received).as_millis();
        self.at_ms.saturating_add(u64::try_from(since).unwrap_or(u64::MAX))
    }
}

/// A game on the screen.
#[derive(Debug)]
pub(super) struct View {
    pub(super) game: GameId,
    pub(super) me: Option<UserName>,
    pub(super) role: Role,
    pub(super) history: GameHistory,
    /// Index of the earlier ply that is shown; `None` shows the current board.
    pub(super) past_ply: Option<usize>,
    pub(super) prompt: Prompt,
    pub(super) connection: ConnectionState,
    /// The line whose request the server has not answered yet.
    pub(super) sent: Option<String>,
    pub(super) preview: Option<Preview>,
    /// The cursor on the board, while it has the keys.
    pub(super) pointer: Option<Pointer>,
    pub(super) note: Option<Note>,
    /// How long a player must be away before others may claim.
    pub(super) claim_after: Option<ClaimAfter>,
    /// Until when moves do not clear the note.
    pub(super) keep_note_until: Duration,
    /// A request that must be entered again to confirm it.
    pub(super) unconfirmed: Option<Request>,
    /// Whether pieces that could be captured are marked.
    pub(super) shows_threats: bool,
    pub(super) help: bool,
    /// The talk page, while it is open.
    pub(super) talk: Option<TalkPage>,
    /// Time since the view was opened.
    pub(super) now: Duration,
    pub(super) time: ServerTime,
    /// Whether all records were requested again because one did not fit.
    pub(super) has_refetched: bool,
    /// Which players are connected.
    pub(super) presence: Vec<SeatPresence>,
}

impl View {
    /// Opens the view. Returns it with its first effects.
    pub(super) fn open(game: GameId, role: Role, welcome: &Welcome) -> (Self, Vec<Effect>) {
        let view = Self {
            game,
            me: welcome.user.as_ref().map(|user| user.name.clone()),
            role,
            history: GameHistory::default(),
            past_ply: None,
            prompt: Prompt::default(),
            connection: ConnectionState::Up,
            sent: None,
            preview: None,
            pointer: None,
            note: None,
            claim_after: welcome.claim_after,
            keep_note_until: Duration::ZERO,
            unconfirmed: None,
            shows_threats: false,
            help: false,
            talk: None,
            now: Duration::ZERO,
            time: ServerTime { at_ms: welcome.ts, received: Duration::ZERO },
            has_refetched: false,
            presence: Vec::new(),
        };
        (view, vec![Effect::Send(Request::Follow { from: 1 })])
    }

    /// Handles a message that arrived at `now`, counted from the opening of the view.
    pub(super) fn update(&mut self, message: Message, now: Duration) -> Vec<Effect> {
        self.now = now;
        let mut effects = self.handle(message);
        effects.extend(self.run_input());
        effects
    }

    fn handle(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Key(key) => self.key(key),
            Message::Click(cell) => {
                self.click(cell);
                Vec::new()
            }
            Message::Incoming(incoming) => self.receive(incoming),
            Message::Response(request, answer) => self.receive_response(&request, answer),
            Message::Hints(asked, answer) => {
                self.receive_hints(&asked, answer);
                Vec::new()
            }
            Message::Talk(answer) => {
                self.receive_talk(answer);
                Vec::new()
            }
            Message::ConnectionClosed => {
                if !matches!(self.connection, ConnectionState::Down { .. }) {
                    let reason = "the connection is closed".to_owned();
                    self.connection = ConnectionState::Down { reason, again_at: None };
                }
                Vec::new()
            }
            Message::Resized | Message::Tick => Vec::new(),
        }
    }

    /// Whether the window changes with time alone.
    pub(super) fn is_ticking(&self) -> bool {
        let clock_runs = self.table().is_some_and(|table| table.clock().deadline().is_some());
        let claim_nears = self.presence.iter().any(|seat| seat.claim_at.is_some());
        clock_runs
            || claim_nears
            || matches!(self.connection, ConnectionState::Down { again_at: Some(_), .. })
    }

    /// Returns the table, once the first record has arrived.
    pub(super) fn table(&self) -> Option<&Table> {
        self.history.table().map(|(table, _)| table)
    }

    /// Returns the user's seat, if the user plays in this game.
    pub(super) fn my_seat(&self) -> Option<Seat> {
        match self.role {
            Role::Play => self.table()?.seat_of(self.me.as_ref()?.as_str()),
            Role::Watch => None,
        }
    }

    /// Whether there is a prompt: the user plays, and the game is live.
    pub(super) fn has_prompt(&self) -> bool {
        self.role == Role::Play && self.table().is_none_or(|table| table.outcome().is_none())
    }

    /// Returns the presence of a seat that is away.
    pub(super) fn absence(&self, seat: Seat) -> Option<&SeatPresence> {
        self.presence.iter().find(|known| usize::from(known.seat) == seat.index() && !known.online)
    }

    /// Whether the user may offer a rematch.
    pub(super) fn can_request_rematch(&self) -> bool {
        let is_over = self.table().is_some_and(|table| table.outcome().is_some());
        is_over && self.sent.is_none() && self.my_seat().is_some()
    }

    /// Returns a seat's remaining time by the server's clock; `None` without a time control. Zero
    /// does not end the game: only the server does.
    pub(super) fn left_ms(&self, seat: Seat) -> Option<u64> {
        self.table()?.clock().left_at(seat, self.server_ms())
    }

    /// Returns the server's time in epoch milliseconds.
    pub(super) fn server_ms(&self) -> u64 {
        self.time.at(self.now)
    }

    /// Shows an error under the prompt.
    pub(super) fn show_error(&mut self, text: impl Into<String>) {
        self.note = Some(Note { text: text.into(), is_error: true });
    }

    /// Shows a note under the prompt.
    pub(super) fn show_note(&mut self, text: impl Into<String>) {
        self.note = Some(Note { text: text.into(), is_error: false });
    }

    /// Returns the index of the ply that is shown.
    pub(super) fn shown_ply(&self) -> usize {
        self.past_ply.unwrap_or_else(|| self.last_ply())
    }

    /// Whether the final position is shown.
    pub(super) fn is_at_end(&self) -> bool {
        self.past_ply.is_none() && self.table().is_some_and(|table| table.outcome().is_some())
    }

    /// Returns the index of the last ply.
    pub(super) fn last_ply(&self) -> usize {
        self.history.plies().len().saturating_sub(1)
    }
}
