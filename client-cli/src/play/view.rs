//! The view of one game as a state machine: messages go in, effects come out, and `render` shows
//! what stands in between. It knows no socket, no terminal and no time but what it is told.
//!
//! The board is never ahead of the record. A move that was sent shows in the prompt until the
//! server has answered, and the board changes with the event.

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

/// A move that was tried and not made.
#[derive(Debug)]
pub(super) struct Preview {
    /// In canonical notation.
    pub(super) notation: String,
    /// What it would capture, to follow the notation.
    pub(super) captures: String,
    /// The board it would lead to.
    pub(super) position: Position,
    /// What it would do to the board.
    pub(super) marks: Vec<(Cell, Mark)>,
}

/// A line for the person under the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Note {
    /// What it says.
    pub(super) text: String,
    /// Whether something went wrong.
    pub(super) is_error: bool,
}

/// The server's clock, as far as it is known here.
#[derive(Debug, Clone, Copy)]
pub(super) struct ServerTime {
    /// A time that the server told, in epoch milliseconds.
    pub(super) at_ms: u64,
    /// When it was heard here.
    pub(super) heard: Duration,
}

impl ServerTime {
    fn at(self, now: Duration) -> u64 {
        let since = now.saturating_sub(self.heard).as_millis();
        self.at_ms.saturating_add(u64::try_from(since).unwrap_or(u64::MAX))
    }
}

/// One game on the screen.
#[derive(Debug)]
pub(super) struct View {
    pub(super) game: GameId,
    pub(super) me: Option<UserName>,
    pub(super) role: Role,
    pub(super) history: GameHistory,
    /// The ply that is looked back at, by its place in the course.
    pub(super) past_ply: Option<usize>,
    pub(super) prompt: Prompt,
    pub(super) connection: ConnectionState,
    /// The act that the server has yet to answer, and the line it was typed as.
    pub(super) sent: Option<String>,
    pub(super) preview: Option<Preview>,
    /// The cursor on the board, while the keys go there.
    pub(super) pointer: Option<Pointer>,
    pub(super) note: Option<Note>,
    /// How long a game waits for a player who is away, as the server says in advance.
    pub(super) claim_after: Option<ClaimAfter>,
    /// Until when the remark outlives moves.
    pub(super) keep_note_until: Duration,
    /// What was asked for once, and waits to be confirmed.
    pub(super) unconfirmed: Option<Request>,
    /// Whether pieces that could be captured are pointed out.
    pub(super) shows_threats: bool,
    pub(super) help: bool,
    /// The page of talk, while it is open.
    pub(super) talk: Option<TalkPage>,
    /// Time since the view was opened.
    pub(super) now: Duration,
    pub(super) time: ServerTime,
    /// Whether the records were asked for anew because some did not fit.
    pub(super) has_refetched: bool,
    /// Who is there, as far as it was told.
    pub(super) presence: Vec<SeatPresence>,
}

impl View {
    /// The view at its opening, and what to do first.
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
            time: ServerTime { at_ms: welcome.ts, heard: Duration::ZERO },
            has_refetched: false,
            presence: Vec::new(),
        };
        (view, vec![Effect::Send(Request::Follow { from: 1 })])
    }

    /// Takes note of something that happened at `now`, counted from the opening of the view.
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
            Message::Response(ask, answer) => self.receive_response(&ask, answer),
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
                    let reason = "the connection has ended".to_owned();
                    self.connection = ConnectionState::Down { reason, again_at: None };
                }
                Vec::new()
            }
            Message::Resized | Message::Tick => Vec::new(),
        }
    }

    /// Whether the picture changes by itself as time goes by.
    pub(super) fn is_ticking(&self) -> bool {
        let clock_runs = self.table().is_some_and(|table| table.clock().deadline().is_some());
        let claim_nears = self.presence.iter().any(|seat| seat.claim_at.is_some());
        clock_runs
            || claim_nears
            || matches!(self.connection, ConnectionState::Down { again_at: Some(_), .. })
    }

    /// The table, once the first record is there.
    pub(super) fn table(&self) -> Option<&Table> {
        self.history.table().map(|(table, _)| table)
    }

    /// The seat of the person before the screen, if they play in this game.
    pub(super) fn my_seat(&self) -> Option<Seat> {
        match self.role {
            Role::Play => self.table()?.seat_of(self.me.as_ref()?.as_str()),
            Role::Watch => None,
        }
    }

    /// Whether there is something to type: the person plays, and the game is not over.
    pub(super) fn has_prompt(&self) -> bool {
        self.role == Role::Play && self.table().is_none_or(|table| table.outcome().is_none())
    }

    /// A seat that is said to be away.
    pub(super) fn absence(&self, seat: Seat) -> Option<&SeatPresence> {
        self.presence.iter().find(|known| usize::from(known.seat) == seat.index() && !known.online)
    }

    /// Whether the person may ask for a rematch.
    pub(super) fn can_request_rematch(&self) -> bool {
        let is_over = self.table().is_some_and(|table| table.outcome().is_some());
        is_over && self.sent.is_none() && self.my_seat().is_some()
    }

    /// What a seat's clock shows by the server's time; `None` without clocks. Nobody has lost
    /// because this is zero: only the server ends games.
    pub(super) fn left_ms(&self, seat: Seat) -> Option<u64> {
        self.table()?.clock().left_at(seat, self.server_ms())
    }

    /// The server's time in epoch milliseconds.
    pub(super) fn server_ms(&self) -> u64 {
        self.time.at(self.now)
    }

    /// Tells the person that something went wrong.
    pub(super) fn show_error(&mut self, text: impl Into<String>) {
        self.note = Some(Note { text: text.into(), is_error: true });
    }

    /// Tells the person something.
    pub(super) fn show_note(&mut self, text: impl Into<String>) {
        self.note = Some(Note { text: text.into(), is_error: false });
    }

    /// The ply that is shown, by its place in the course.
    pub(super) fn shown_ply(&self) -> usize {
        self.past_ply.unwrap_or_else(|| self.last_ply())
    }

    /// Whether what is shown is the end of the game, after which nobody moves.
    pub(super) fn is_at_end(&self) -> bool {
        self.past_ply.is_none() && self.table().is_some_and(|table| table.outcome().is_some())
    }

    /// Where the present is among the plies.
    pub(super) fn last_ply(&self) -> usize {
        self.history.plies().len().saturating_sub(1)
    }
}
