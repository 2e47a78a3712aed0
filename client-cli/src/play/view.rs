//! The view of one game as a state machine: keys, clicks and the server's messages go in, effects come
//! out, and `render` draws the state. It uses no socket, no terminal and no clock.
//!
//! The board is never ahead of the record. A sent move stays in the prompt until the server
//! answers; the board changes with the event.

use std::time::Duration;

use adamant_client::{Incoming, RequestError};
use adamant_protocol::{
    EventFrame, GameId, UserName,
    sketch::Sketch,
    to_client::{
        ChallengeClosed, Challenged, ClaimAfter, HintList, Presence, ResumeDecision, Said,
        SeatPresence, TalkLine, TalkList, Unsaid, Welcome,
    },
    values::TalkRoom,
};
use adamant_record::{RecordError, Replay};
use adamant_rules::{
    Act, Cell, Event, EventKind, Position, Seat, Table, TimeControl,
    event::{OfferId, OfferKind, OfferOutcome},
    game::Mark,
    table::OpenOffer,
};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::text::{Line, Span};

use super::{
    move_input::{self, ActionResult, Direction, InputAction, Pointer},
    prompt::{Prompt, PromptCommand},
};
use crate::{
    credentials::reject_token,
    drawing,
    messages::{self, Names},
};

/// The preview of a move.
#[derive(Debug)]
pub(super) struct Preview {
    /// In canonical notation.
    pub(super) notation: String,
    /// Its captures, to follow the notation.
    pub(super) captures: String,
    pub(super) position: Position,
    /// Its marks on the board.
    pub(super) marks: Vec<(Cell, Mark)>,
}

/// A line of text under the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Note {
    pub(super) text: String,
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

/// A game against the server's own bots without a clock that lies so long takes none of their time.
const PARKED_AFTER_MS: u64 = 120_000;

/// The names of the server's own bots.
const HOUSE: [&str; 16] = [
    "house-easy",
    "house-2",
    "house-3",
    "house",
    "house-5",
    "house-6",
    "house-7",
    "house-hard",
    "house-1b",
    "house-2b",
    "house-3b",
    "house-4b",
    "house-5b",
    "house-6b",
    "house-7b",
    "house-8b",
];

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
                    self.disconnected("the connection is closed".to_owned(), None);
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
            || self.lies_for_ms().is_some_and(|ms| ms < PARKED_AFTER_MS)
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

    /// Whether the game has been left lying: nothing happens until the user moves.
    pub(super) fn is_parked(&self) -> bool {
        self.lies_for_ms().is_some_and(|ms| ms >= PARKED_AFTER_MS)
    }

    /// Returns for how long only the server's own bots have waited for the user, without a clock.
    fn lies_for_ms(&self) -> Option<u64> {
        let (table, me) = (self.table()?, self.my_seat()?);
        let is_house = |seat| HOUSE.iter().any(|name| table.seat_of(name) == Some(seat));
        let lies = table.to_move() == Some(me)
            && table.clock().control() == TimeControl::None
            && Seat::all(table.players().len()).all(|seat| seat == me || is_house(seat));
        lies.then(|| self.server_ms().saturating_sub(table.last_at()))
    }

    /// Returns the server's time in epoch milliseconds, as far as it is known.
    pub(super) fn server_ms(&self) -> u64 {
        self.time.at(match self.connection {
            ConnectionState::Up => self.now,
            ConnectionState::Down { since, .. } => since,
        })
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

/// How long the note about a closed offer stays at least.
const NOTE_TIME: Duration = Duration::from_secs(5);

impl View {
    pub(super) fn receive(&mut self, incoming: Incoming) -> Vec<Effect> {
        match incoming {
            Incoming::Event { frame, bytes } => self.event(&frame, &bytes),
            // Before the first record, all records have been requested already.
            Incoming::Snapshot(snapshot)
                if snapshot.game == self.game && self.history.seq() > 0 =>
            {
                self.refetch()
            }
            Incoming::Connected(welcome) => self.connected(&welcome),
            Incoming::Disconnected { reason, retry_in } => {
                self.disconnected(reason.to_string(), retry_in.map(|wait| self.now + wait));
                // The server sends the presence again after the reconnect.
                self.presence = Vec::new();
                Vec::new()
            }
            Incoming::Notice(notice) => {
                self.show_note(messages::notice(&notice));
                Vec::new()
            }
            Incoming::ServerError(failed) => {
                self.show_error(failed.message);
                Vec::new()
            }
            Incoming::Said(said) => {
                self.receive_line(*said);
                Vec::new()
            }
            Incoming::Unsaid(unsaid) => {
                self.delete_line(&unsaid);
                Vec::new()
            }
            Incoming::Presence(presence) => {
                self.update_presence(presence);
                Vec::new()
            }
            Incoming::Challenged(challenged) => {
                self.rematch_offered(&challenged);
                Vec::new()
            }
            Incoming::ChallengeClosed(closed) => self.rematch_closed(closed),
            _ => Vec::new(),
        }
    }

    fn disconnected(&mut self, reason: String, again_at: Option<Duration>) {
        let since = match self.connection {
            ConnectionState::Down { since, .. } => since,
            ConnectionState::Up => self.now,
        };
        self.connection = ConnectionState::Down { reason, since, again_at };
    }

    fn update_presence(&mut self, presence: Presence) {
        if presence.game == self.game {
            self.presence = presence.seats;
        }
    }

    fn rematch_offered(&mut self, challenged: &Challenged) {
        let (Some(me), true) = (&self.me, challenged.rematch_of.as_ref() == Some(&self.game))
        else {
            return;
        };
        if challenged.accepted.iter().any(|name| name.is_same(me.as_str())) {
            let missing = challenged.seats.len() - challenged.accepted.len();
            self.show_note(format!("The rematch waits for {missing} more."));
        } else {
            self.show_note(format!("{} offers a rematch; r accepts.", challenged.by));
        }
    }

    /// The offer of a rematch is closed.
    fn rematch_closed(&mut self, closed: ChallengeClosed) -> Vec<Effect> {
        if closed.rematch_of.as_ref() != Some(&self.game) || self.role != Role::Play {
            return Vec::new();
        }
        let Some(next) = closed.game else {
            let by = closed.by.map(|name| format!(": {name} closed it")).unwrap_or_default();
            self.show_note(format!("No rematch{by}."));
            return Vec::new();
        };
        self.game = next;
        self.presence = Vec::new();
        self.has_refetched = false;
        self.prompt.clear();
        self.show_note("The rematch starts.");
        self.refetch()
    }

    fn event(&mut self, frame: &EventFrame, record: &[u8]) -> Vec<Effect> {
        // Skips records that were sent before a request that repeats them.
        if frame.game != self.game || frame.seq != self.history.seq() + 1 {
            return Vec::new();
        }
        if frame.at > self.server_ms() {
            self.time = ServerTime { at_ms: frame.at, received: self.now };
        }
        let offers = self.table().map(|table| table.offers().to_vec()).unwrap_or_default();
        match self.history.push(record) {
            Ok(None) => Vec::new(),
            Ok(Some(event)) => {
                match event.kind {
                    EventKind::OfferClosed {
                        offer,
                        outcome: outcome @ (OfferOutcome::Declined | OfferOutcome::Withdrawn),
                        by,
                    } => {
                        let what = offers.iter().find(|open| open.offer == offer);
                        if let Some(what) = what.map(|open| open.what) {
                            self.offer_closed(what, outcome, by);
                        }
                    }
                    EventKind::Swapped { .. } => {
                        self.board_changed();
                        // The presence is stored by seat.
                        for known in &mut self.presence {
                            known.seat = 1 - known.seat.min(1);
                        }
                    }
                    EventKind::Moved { .. }
                    | EventKind::Skipped { .. }
                    | EventKind::Removed { .. }
                    | EventKind::Substituted { .. }
                    | EventKind::TakenBack { .. }
                    | EventKind::Aborted { .. }
                    | EventKind::Ended { .. } => self.board_changed(),
                    EventKind::Created(_)
                        if self.role == Role::Play && self.my_seat().is_none() =>
                    {
                        self.role = Role::Watch;
                        self.show_note("You do not play in this game; you are watching.");
                    }
                    _ => {}
                }
                Vec::new()
            }
            Err(error) if self.has_refetched => {
                vec![Effect::Fail(FollowError::Damaged(error.to_string()))]
            }
            Err(_) => {
                self.has_refetched = true;
                self.refetch()
            }
        }
    }

    /// The board has changed: clears the preview, the move input and old notes.
    fn board_changed(&mut self) {
        self.preview = None;
        self.clear_input();
        // Whoever has seen another board is asked again.
        self.unconfirmed = None;
        if self.now >= self.keep_note_until {
            self.note = None;
        }
        // The ply that is shown may have been taken back.
        let last = self.last_ply();
        self.past_ply = self.past_ply.filter(|&past| past < last);
    }

    /// An offer was declined or withdrawn. The note stays for some seconds, even if a move follows.
    fn offer_closed(&mut self, what: OfferKind, outcome: OfferOutcome, by: Seat) {
        if self.my_seat() == Some(by) {
            return;
        }
        let Some((_, names)) = self.history.table() else { return };
        let (by, what) = (names.of(by), messages::the_offered(what));
        self.show_note(if outcome == OfferOutcome::Withdrawn {
            format!("{by} withdraws the offer of {what}.")
        } else {
            format!("{by} declines {what}.")
        });
        self.keep_note_until = self.now + NOTE_TIME;
    }

    /// Discards the game and requests all its records again.
    fn refetch(&mut self) -> Vec<Effect> {
        self.history = GameHistory::default();
        self.past_ply = None;
        self.preview = None;
        self.clear_input();
        self.pointer = None;
        vec![Effect::Send(Request::Follow { from: 1 })]
    }

    fn connected(&mut self, welcome: &Welcome) -> Vec<Effect> {
        self.connection = ConnectionState::Up;
        if let Some(pointer) = &mut self.pointer {
            pointer.input.retry();
        }
        self.time = ServerTime { at_ms: welcome.ts, received: self.now };
        self.has_refetched = false;
        // Notes about the lost connection are out of date.
        self.note.take_if(|note| !note.is_error);
        let from = self.history.seq() + 1;
        let verdict = welcome.games.iter().find(|resumed| resumed.game == self.game);
        match verdict.map(|resumed| resumed.resume) {
            Some(ResumeDecision::Gone) => vec![Effect::Fail(FollowError::Gone)],
            // The server sends the missing records, or a snapshot that triggers a refetch.
            Some(ResumeDecision::Tail | ResumeDecision::Snapshot | ResumeDecision::Fork)
                if from > 1 =>
            {
                Vec::new()
            }
            Some(_) | None => vec![Effect::Send(Request::Follow { from })],
        }
    }

    pub(super) fn receive_response(
        &mut self,
        request: &Request,
        answer: Result<(), RequestError>,
    ) -> Vec<Effect> {
        if let Request::Follow { .. } = request {
            return match answer {
                // The records are requested again after the reconnect.
                Ok(()) | Err(RequestError::ConnectionLost) => Vec::new(),
                Err(error) => vec![Effect::Fail(FollowError::Request(error))],
            };
        }
        let mut line = self.sent.take().unwrap_or_default();
        if let (Request::Say { text, .. }, Some(_)) = (request, &self.talk) {
            line.clone_from(text);
        }
        if let Err(error) = answer {
            // Returns the line to the prompt, to be corrected.
            if self.prompt.is_empty() {
                self.prompt.write(&line);
            }
            if let RequestError::Refused(failed) = error {
                self.show_error(failed.why.unwrap_or(failed.message));
            } else {
                self.show_error(error.to_string());
            }
        }
        Vec::new()
    }
}

impl View {
    /// Returns the user's talk room: players are in the players' room.
    fn talk_room(&self) -> TalkRoom {
        let plays = self
            .me
            .as_ref()
            .zip(self.table())
            .is_some_and(|(me, table)| table.seat_of(me.as_str()).is_some());
        if plays { TalkRoom::Players } else { TalkRoom::Spectators }
    }

    /// Opens the talk page and requests earlier lines.
    pub(super) fn open_talk(&mut self) -> Vec<Effect> {
        let room = self.talk_room();
        self.note = None;
        self.talk = Some(TalkPage { room, lines: Vec::new() });
        vec![Effect::FetchTalk(room)]
    }

    /// Sends a line of talk.
    pub(super) fn say(&mut self, text: &str) -> Vec<Effect> {
        if let Err(why) = reject_token(text) {
            self.show_error(why.to_string());
            return Vec::new();
        }
        let room = self.talk.as_ref().map_or_else(|| self.talk_room(), |page| page.room);
        self.sent = Some(format!("say {text}"));
        vec![Effect::Send(Request::Say { room, text: text.to_owned() })]
    }

    /// Handles a key on the page. Returns `None` if the prompt should handle it.
    pub(super) fn talk_key(&mut self, code: KeyCode) -> Option<Vec<Effect>> {
        let leaves = code == KeyCode::Esc || (code == KeyCode::Enter && self.prompt.is_empty());
        if leaves {
            self.talk = None;
            self.prompt.clear();
            self.note = None;
            return Some(Vec::new());
        }
        if code != KeyCode::Enter {
            return None;
        }
        if self.sent.is_some() {
            self.show_error("The server has not answered yet. Please wait.");
            return Some(Vec::new());
        }
        self.note = None;
        let text = self.prompt.text();
        self.prompt.clear();
        Some(self.say(text.trim()))
    }

    /// Handles the earlier lines of a room.
    pub(super) fn receive_talk(&mut self, answer: Result<Box<TalkList>, RequestError>) {
        match (answer, &mut self.talk) {
            (Ok(list), Some(page)) if page.room == list.room => {
                // Lines that arrived in between are in the list, or follow it.
                let newest = list.lines.last().map_or(0, |line| line.n);
                let later =
                    std::mem::take(&mut page.lines).into_iter().filter(|line| line.n > newest);
                page.lines = list.lines.into_iter().chain(later).collect();
            }
            (Err(RequestError::Refused(failed)), Some(_)) => self.show_error(failed.message),
            (Err(error), Some(_)) => self.show_error(error.to_string()),
            (Ok(_) | Err(_), _) => {}
        }
    }

    /// Handles a new line of talk.
    pub(super) fn receive_line(&mut self, said: Said) {
        if said.game != self.game {
            return;
        }
        let Said { room, n, at, by, text, .. } = said;
        match &mut self.talk {
            Some(page) if page.room == room => {
                // Lines of different users may arrive out of order.
                let place = page.lines.partition_point(|line| line.n < n);
                if page.lines.get(place).is_none_or(|line| line.n != n) {
                    page.lines.insert(place, TalkLine { n, at, by, text });
                }
                let surplus = page.lines.len().saturating_sub(LINES_MAX);
                page.lines.drain(..surplus);
            }
            Some(_) => {}
            None => self.show_note(messages::said(&by, &text)),
        }
    }

    /// Handles the deletion of a line.
    pub(super) fn delete_line(&mut self, unsaid: &Unsaid) {
        let Some(page) = &mut self.talk else { return };
        if unsaid.game == self.game && unsaid.room == page.room {
            page.lines.retain(|line| line.n != unsaid.n);
        }
    }
}

/// Maximum number of lines on the page; a window has fewer.
pub(super) const LINES_MAX: usize = 200;

/// The talk of a room, while the page is open.
#[derive(Debug)]
pub(super) struct TalkPage {
    pub(super) room: TalkRoom,
    pub(super) lines: Vec<TalkLine>,
}

impl TalkPage {
    /// Wraps the latest lines to at most `rows_max` rows.
    pub(super) fn rows(&self, columns: usize, rows_max: usize) -> Vec<Line<'static>> {
        let mut rows: Vec<Line<'static>> = Vec::new();
        for said in self.lines.iter().rev() {
            let wrapped = wrapped(&messages::said(&said.by, &said.text), columns);
            rows.extend(wrapped.into_iter().rev().map(Line::from));
            if rows.len() >= rows_max {
                break;
            }
        }
        rows.truncate(rows_max);
        rows.reverse();
        rows
    }
}

/// Wraps a text to rows of at most `columns`, between words where possible.
fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut rows = vec![String::new()];
    let mut used = 0;
    for word in text.split_inclusive(' ') {
        let width = Span::raw(word.trim_end()).width();
        if used > 0 && used + width > columns {
            rows.push(String::new());
            used = 0;
        }
        for letter in word.chars() {
            let width = Span::raw(letter.to_string()).width();
            if used > 0 && used + width > columns {
                rows.push(String::new());
                used = 0;
            }
            if let Some(row) = rows.last_mut() {
                row.push(letter);
            }
            used += width;
        }
    }
    rows
}

/// The role of the user at a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A player, with a prompt.
    Play,
    Watch,
}

/// An input of the view.
#[derive(Debug)]
pub(super) enum Message {
    Key(KeyEvent),
    /// A cell of the board was clicked.
    Click(Cell),
    /// The window has another size.
    Resized,
    /// The server sent a message that is no reply, or the connection changed.
    Incoming(Incoming),
    /// The connection is closed for good.
    ConnectionClosed,
    /// A request was answered.
    Response(Request, Result<(), RequestError>),
    /// The hints for a sketch have arrived.
    Hints(Sketch, Result<Box<HintList>, RequestError>),
    /// The talk of a room has arrived.
    Talk(Result<Box<TalkList>, RequestError>),
    Tick,
}

/// An effect that `screen` carries out.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Effect {
    /// Send a request; its answer returns as a message.
    Send(Request),
    /// Request the hints for a sketch; the answer returns as a message.
    FetchHints(Sketch),
    /// Request the talk of a room; the answer returns as a message.
    FetchTalk(TalkRoom),
    /// Try to connect at once.
    Reconnect,
    Leave,
    /// Close the view with an error.
    Fail(FollowError),
}

/// Why a game cannot be shown.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(super) enum FollowError {
    /// The server rejects the subscription.
    #[error(transparent)]
    Request(RequestError),
    /// Its records are inconsistent, even after a second request.
    #[error("this game cannot be shown: {0}")]
    Damaged(String),
    /// The server no longer has it.
    #[error("the server no longer has this game")]
    Gone,
}

/// A request about the game that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Request {
    /// Subscribe to the records.
    Follow {
        /// The first record to send.
        from: u64,
    },
    Move {
        turn: u32,
        /// As typed.
        notation: String,
    },
    Resign,
    Abort,
    Offer(OfferKind),
    Answer {
        offer: OfferId,
        accept: bool,
    },
    /// Withdraw the user's own offer.
    Withdraw {
        offer: OfferId,
    },
    /// Send a line of talk.
    Say {
        room: TalkRoom,
        text: String,
    },
    /// Claim the game against a player who is away.
    Claim,
    /// Offer or accept a rematch.
    Rematch,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ConnectionState {
    Up,
    Down {
        reason: String,
        /// When the connection was lost, since the view was opened. Clocks stand still from then on:
        /// what the server does meanwhile is not known.
        since: Duration,
        /// Time of the next attempt, since the view was opened; `None` if there is none.
        again_at: Option<Duration>,
    },
}

/// A game, from its first record on.
#[derive(Debug, Default)]
pub(super) struct GameHistory {
    replay: Replay,
    plies: Vec<Ply>,
    names: Option<Names>,
}

/// A ply and the board after it.
#[derive(Debug)]
pub(super) struct Ply {
    /// The seat that made it; `None` for the start.
    pub(super) seat: Option<Seat>,
    /// The move in canonical notation, or `pass`; empty for the start.
    pub(super) notation: String,
    /// Its captures, to follow the notation.
    pub(super) captures: String,
    /// The position after it and its consequences.
    pub(super) position: Position,
    /// Its marks on the board.
    pub(super) marks: Vec<(Cell, Mark)>,
    /// Sentences about seats that left the game after it.
    pub(super) departures: Vec<String>,
}

impl GameHistory {
    /// Applies the next record. Returns `None` for an event of a kind that only later versions
    /// know, which counts and changes nothing else. An error changes nothing.
    pub(super) fn push(&mut self, record: &[u8]) -> Result<Option<Event>, RecordError> {
        let Some(event) = self.replay.follow(record)? else { return Ok(None) };
        let table = self.replay.table().expect("a record has just been applied");
        // The names change when two players swap seats.
        let names = self.names.insert(Names::new(table.players(), table.position()));
        let position = table.position().clone();
        match &event.kind {
            EventKind::Created(_) => self.plies.push(Ply::new(None, String::new(), position)),
            EventKind::Moved { seat, mv, captures, .. } => {
                let notation = mv.to_string();
                let marks = drawing::marks(&position, &notation, captures);
                let captures = messages::captures(&position, captures);
                let ply = Ply::new(Some(*seat), notation, position);
                self.plies.push(Ply { captures, marks, ..ply });
            }
            EventKind::Swapped { seat, mv, .. } => {
                self.plies.push(Ply::new(Some(*seat), mv.to_string(), position));
            }
            EventKind::Skipped { seat, .. } => {
                self.plies.push(Ply::new(Some(*seat), "pass".to_owned(), position));
            }
            EventKind::Removed { seat, reason, .. } => {
                if let Some(ply) = self.plies.last_mut() {
                    ply.departures.push(names.left(*seat, *reason));
                    ply.position = position;
                }
            }
            EventKind::TakenBack { ply, .. } => self.plies.truncate(*ply as usize + 1),
            _ => {}
        }
        Ok(Some(event))
    }

    /// Returns the number of the last record; 0 before the first.
    pub(super) const fn seq(&self) -> u64 {
        self.replay.seq()
    }

    /// Returns the table with the names of its players, once the first record has arrived.
    pub(super) fn table(&self) -> Option<(&Table, &Names)> {
        self.replay.table().zip(self.names.as_ref())
    }

    /// Returns the start and every ply, in order.
    pub(super) fn plies(&self) -> &[Ply] {
        &self.plies
    }
}

impl Ply {
    const fn new(seat: Option<Seat>, notation: String, position: Position) -> Self {
        Self {
            seat,
            notation,
            captures: String::new(),
            position,
            marks: Vec::new(),
            departures: Vec::new(),
        }
    }
}

impl View {
    pub(super) fn key(&mut self, key: KeyEvent) -> Vec<Effect> {
        if key.kind == KeyEventKind::Release {
            return Vec::new();
        }
        if key.code == KeyCode::Enter
            && let ConnectionState::Down { again_at: Some(again_at), .. } = &mut self.connection
        {
            *again_at = self.now;
            let mut effects = if self.sent.is_some() { Vec::new() } else { self.pressed(key) };
            effects.push(Effect::Reconnect);
            return effects;
        }
        self.pressed(key)
    }

    fn pressed(&mut self, key: KeyEvent) -> Vec<Effect> {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c') if control => return vec![Effect::Leave],
            KeyCode::Char('d') if control && self.prompt.is_empty() => return vec![Effect::Leave],
            KeyCode::Char('t') if control => self.toggle_threats(),
            _ if self.help => self.help = false,
            _ if self.talk.is_some() => {
                let talked = if control { None } else { self.talk_key(key.code) };
                return talked.unwrap_or_else(|| self.edit(key.code, control));
            }
            KeyCode::Tab if self.has_prompt() => self.toggle_pointer(),
            KeyCode::PageUp => self.previous_ply(),
            KeyCode::PageDown => self.next_ply(),
            KeyCode::Home => self.show_ply(0),
            KeyCode::End => self.past_ply = None,
            _ if self.has_prompt() => {
                let pointed = if control { None } else { self.board_key(key.code) };
                return pointed.unwrap_or_else(|| self.edit(key.code, control));
            }
            KeyCode::Up => self.move_cursor_or_open(Direction::Up),
            KeyCode::Down => self.move_cursor_or_open(Direction::Down),
            KeyCode::Left => self.move_cursor_or_open(Direction::Left),
            KeyCode::Right => self.move_cursor_or_open(Direction::Right),
            KeyCode::Esc => self.cancel(),
            KeyCode::Char('?') => self.help = true,
            KeyCode::Char('r') if self.can_request_rematch() => {
                return self.send(Request::Rematch, "rematch".to_owned());
            }
            KeyCode::Char('q') => return vec![Effect::Leave],
            KeyCode::Char('t') => return self.open_talk(),
            _ => {}
        }
        Vec::new()
    }

    fn edit(&mut self, code: KeyCode, control: bool) -> Vec<Effect> {
        match code {
            KeyCode::Char('a') if control => self.prompt.go_to_start(),
            KeyCode::Char('e') if control => self.prompt.go_to_end(),
            KeyCode::Char('u') if control => self.prompt.clear(),
            KeyCode::Char(_) if control => {}
            KeyCode::Char('?') if self.prompt.is_empty() && self.talk.is_none() => {
                self.help = true;
            }
            KeyCode::Char(letter) => self.prompt.insert(letter),
            KeyCode::Backspace => self.prompt.backspace(),
            KeyCode::Delete => self.prompt.delete(),
            KeyCode::Left => self.prompt.left(),
            KeyCode::Right => self.prompt.right(),
            KeyCode::Up => self.prompt.older(),
            KeyCode::Down => self.prompt.newer(),
            KeyCode::Esc => self.cancel(),
            KeyCode::Enter => return self.enter(),
            _ => {}
        }
        Vec::new()
    }
}

/// Threats and earlier plies.
impl View {
    fn toggle_threats(&mut self) {
        let Some(table) = self.table() else { return };
        if !table.position().kind().captures() {
            self.show_note("This game has no captures.");
            return;
        }
        self.shows_threats ^= true;
        self.show_note(if self.shows_threats {
            "! marks pieces that another player could capture on their turn; Ctrl-T hides it."
        } else {
            "Ctrl-T marks pieces that could be captured."
        });
    }

    fn previous_ply(&mut self) {
        self.show_ply(self.shown_ply().saturating_sub(1));
    }

    fn next_ply(&mut self) {
        if let Some(shown) = self.past_ply {
            self.show_ply(shown + 1);
        }
    }

    fn show_ply(&mut self, ply: usize) {
        self.pointer = None;
        self.preview = None;
        self.past_ply = (ply < self.last_ply()).then_some(ply);
    }

    /// Cancels one thing: the preview, then the earlier ply, then the input.
    fn cancel(&mut self) {
        let is_back = self.preview.take().is_none() && self.past_ply.take().is_none();
        if is_back && self.pointer.take().is_none() {
            self.prompt.clear();
            self.note = None;
        }
    }
}

impl View {
    /// Runs the line in the prompt.
    pub(super) fn enter(&mut self) -> Vec<Effect> {
        if self.sent.is_some() {
            self.show_error("The server has not answered yet. Please wait.");
            return Vec::new();
        }
        self.note = None;
        let line = self.prompt.submit();
        let entry = PromptCommand::read(&line);
        let is_confirmed = self.unconfirmed.take() == Some(Request::Resign);
        match entry {
            PromptCommand::Nothing => match self.preview.take() {
                Some(preview) => self.make_move(preview.notation),
                None => Vec::new(),
            },
            PromptCommand::Move(notation) => self.make_move(notation),
            PromptCommand::Try(notation) => {
                self.try_move(&notation, &line);
                Vec::new()
            }
            PromptCommand::Resign if !is_confirmed && self.my_seat().is_some() => {
                self.unconfirmed = Some(Request::Resign);
                self.show_note(if self.may_abort() {
                    "Not all have moved: abort leaves no result. Enter resign once more to resign."
                } else {
                    "Resign the game? Enter resign once more to confirm."
                });
                Vec::new()
            }
            PromptCommand::Resign => self.send(Request::Resign, line),
            PromptCommand::Abort => self.send(Request::Abort, line),
            // The same offer by another player is accepted.
            PromptCommand::Offer(what) => match self.offer_by_others(|open| open.what == what) {
                Some(offer) => self.send(Request::Answer { offer, accept: true }, line),
                None => self.send(Request::Offer(what), line),
            },
            PromptCommand::Claim => self.send(Request::Claim, line),
            PromptCommand::Accept => self.answer(true, line),
            PromptCommand::Decline => self.answer(false, line),
            PromptCommand::Withdraw => match self.my_offer() {
                Some(offer) => self.send(Request::Withdraw { offer }, line),
                None => self.reject("You have no open offer."),
            },
            PromptCommand::Say(text) => self.say(&text),
            PromptCommand::Talk => self.open_talk(),
            PromptCommand::Help => {
                self.help = true;
                Vec::new()
            }
            PromptCommand::Quit => vec![Effect::Leave],
        }
    }

    /// Whether the user may still end the game without a result.
    fn may_abort(&self) -> bool {
        let abort = self.my_seat().map(|seat| Act::Abort { seat });
        let table = self.table().zip(abort);
        table.is_some_and(|(table, abort)| table.decide(&abort, table.last_at()).is_ok())
    }

    /// Returns the user's seat, or shows why there is none.
    fn require_seat(&mut self) -> Option<Seat> {
        let seat = self.my_seat();
        if seat.is_none() {
            self.show_error(match self.table() {
                Some(_) => "You do not play in this game.",
                None => "The game is not loaded yet.",
            });
        }
        seat
    }

    fn reject(&mut self, why: &str) -> Vec<Effect> {
        self.show_error(why);
        Vec::new()
    }

    fn send(&mut self, request: Request, line: String) -> Vec<Effect> {
        if self.require_seat().is_none() {
            return Vec::new();
        }
        self.past_ply = None;
        self.preview = None;
        self.clear_input();
        self.sent = Some(line);
        vec![Effect::Send(request)]
    }

    fn make_move(&mut self, notation: String) -> Vec<Effect> {
        let turn = self.table().map_or(0, Table::turn);
        self.send(Request::Move { turn, notation: notation.clone() }, notation)
    }

    fn answer(&mut self, accept: bool, line: String) -> Vec<Effect> {
        match self.offer_by_others(|_| true) {
            Some(offer) => self.send(Request::Answer { offer, accept }, line),
            None => self.reject("There is no open offer to answer."),
        }
    }

    /// Shows the preview of a move. The rules are the server's, so no request is needed.
    fn try_move(&mut self, notation: &str, line: &str) {
        let Some(seat) = self.require_seat() else { return };
        let now_ms = self.server_ms();
        let Some(table) = self.table() else { return };
        match table.preview(seat, table.turn(), notation, now_ms) {
            Ok((_, after)) => {
                let position = after.position().clone();
                let notation = after.move_at(table.ply() + 1).unwrap_or_default().to_owned();
                let captures = after.last_captures();
                self.preview = Some(Preview {
                    marks: drawing::marks(&position, &notation, captures),
                    captures: messages::captures(&position, captures),
                    notation,
                    position,
                });
                self.past_ply = None;
            }
            Err(refusal) => {
                self.prompt.write(line);
                self.show_error(refusal.to_string());
            }
        }
    }

    fn my_offer(&self) -> Option<OfferId> {
        offer_by(self.table()?, self.my_seat()?)
    }

    /// Returns an open offer that waits for the user's answer and matches.
    fn offer_by_others(&self, is_meant: impl Fn(&OpenOffer) -> bool) -> Option<OfferId> {
        offer_to(self.table()?, self.my_seat()?, is_meant)
    }
}

/// Returns the open offer of a seat.
pub(super) fn offer_by(table: &Table, seat: Seat) -> Option<OfferId> {
    table.offers().iter().find(|open| open.by == seat).map(|open| open.offer)
}

/// Returns an open offer that waits for a seat's answer and matches.
pub(super) fn offer_to(
    table: &Table,
    seat: Seat,
    is_meant: impl Fn(&OpenOffer) -> bool,
) -> Option<OfferId> {
    let mut offers = table.offers().iter();
    offers.find(|open| open.needs.contains(seat) && is_meant(open)).map(|open| open.offer)
}

impl View {
    /// Moves the keys from the prompt to the board, or back. The prompt keeps its text.
    pub(super) fn toggle_pointer(&mut self) {
        if self.pointer.take().is_none() {
            self.show_present();
            self.pointer = self.initial_cell().map(Pointer::new);
        }
    }

    /// Handles a click on a cell.
    pub(super) fn click(&mut self, cell: Cell) {
        if self.help {
            self.help = false;
        } else if self.has_prompt() && self.table().is_some() {
            self.show_present();
            self.pointer.get_or_insert_with(|| Pointer::new(cell)).cell = cell;
            self.queue_action(InputAction::Choose);
        }
    }

    /// Handles a key on the board. Returns `None` if the prompt should handle it.
    pub(super) fn board_key(&mut self, code: KeyCode) -> Option<Vec<Effect>> {
        let pointer = self.pointer.as_ref()?;
        match code {
            KeyCode::Up => self.move_cursor(Direction::Up),
            KeyCode::Down => self.move_cursor(Direction::Down),
            KeyCode::Left => self.move_cursor(Direction::Left),
            KeyCode::Right => self.move_cursor(Direction::Right),
            KeyCode::Enter => self.queue_action(InputAction::Finish),
            KeyCode::Char(' ') => self.queue_action(InputAction::Choose),
            KeyCode::Char(',') => self.queue_action(InputAction::AddSource),
            KeyCode::Char('+') => self.queue_action(|at| InputAction::Step { at, up: true }),
            KeyCode::Char('-') => self.queue_action(|at| InputAction::Step { at, up: false }),
            KeyCode::Char('.') => self.queue_action(|_| InputAction::NextNamedMove),
            KeyCode::Esc if !pointer.input.is_empty() => self.clear_input(),
            KeyCode::Esc => self.pointer = None,
            KeyCode::Char('?') => self.help = true,
            // Any other key goes to the prompt.
            _ => {
                self.pointer = None;
                return None;
            }
        }
        Some(Vec::new())
    }

    /// Clears the move that is being built, and its text in the prompt.
    pub(super) fn clear_input(&mut self) {
        let Some(pointer) = &mut self.pointer else { return };
        if !std::mem::take(&mut pointer.input).is_empty() {
            self.prompt.clear();
            self.note = None;
        }
    }

    /// Moves a spectator's cursor, which scrolls a board larger than the window.
    pub(super) fn move_cursor_or_open(&mut self, direction: Direction) {
        match self.pointer {
            Some(_) => self.move_cursor(direction),
            None => self.pointer = self.initial_cell().map(Pointer::new),
        }
    }

    fn move_cursor(&mut self, direction: Direction) {
        let Some(drawing) = self.table().map(|table| table.position().draw(&[])) else { return };
        if let Some(pointer) = &mut self.pointer {
            pointer.cell = move_input::neighbour(&drawing, pointer.cell, direction);
        }
    }

    /// Returns the first cell of the cursor: a cell that can be moved from, if there is one.
    fn initial_cell(&self) -> Option<Cell> {
        let position = self.table()?.position();
        let sources = position.sources();
        let drawing = position.draw(&[]);
        move_input::most_central(&drawing, |cell| sources.contains(&cell))
            .or_else(|| move_input::most_central(&drawing, |_| true))
    }

    /// Queues an action at the cursor.
    fn queue_action(&mut self, action: impl FnOnce(Box<str>) -> InputAction) {
        self.note = None;
        let Some(at) = self.pointer.as_ref().map(|pointer| pointer.cell) else { return };
        let name = self.table().map(|table| table.position().cell_name(at));
        if let (true, Some(name), Some(pointer)) = (self.check_can_play(), name, &mut self.pointer)
        {
            pointer.input.push(action(name.as_str().into()));
        }
    }

    /// Runs queued actions until one needs hints of the server, and requests those.
    pub(super) fn run_input(&mut self) -> Vec<Effect> {
        loop {
            if !self.is_to_play() {
                return Vec::new();
            }
            let Some(pointer) = &mut self.pointer else { return Vec::new() };
            match pointer.input.run_next() {
                Some(ActionResult::Finished) => return self.enter(),
                Some(ActionResult::Rejected(why)) => self.show_error(why),
                Some(ActionResult::Cleared) => self.clear_input(),
                Some(ActionResult::Changed) => self.show_input(),
                Some(ActionResult::Nothing) => {}
                None => {
                    return pointer
                        .input
                        .next_request()
                        .map(Effect::FetchHints)
                        .into_iter()
                        .collect();
                }
            }
        }
    }

    /// Handles the hints for a sketch.
    pub(super) fn receive_hints(
        &mut self,
        asked: &Sketch,
        answer: Result<Box<HintList>, RequestError>,
    ) {
        let turn = self.table().map(Table::turn);
        let Some(pointer) = &mut self.pointer else { return };
        // Hints for another turn are useless; the event of that turn is on its way.
        let answer = answer.map(|list| Some(*list).filter(|list| Some(list.turn) == turn));
        match pointer.input.receive(asked, answer) {
            Ok(true) if !pointer.input.is_empty() => self.show_input(),
            // A request that was lost with the connection is repeated after the reconnect.
            Ok(_) | Err(RequestError::ConnectionLost) => {}
            Err(RequestError::Refused(failed)) => self.show_error(failed.message),
            Err(error) => self.show_error(error.to_string()),
        }
    }

    /// Writes the move into the prompt, or shows why it is incomplete.
    fn show_input(&mut self) {
        let Some(pointer) = &self.pointer else { return };
        let notation = pointer.input.notation().unwrap_or_default().to_owned();
        let why = pointer.input.why().map(str::to_owned);
        self.prompt.clear();
        self.prompt.write(&notation);
        if let Some(why) = why {
            self.show_error(why);
        }
    }

    /// Whether it is the user's turn and no request is pending.
    fn is_to_play(&self) -> bool {
        let to_move = self.table().and_then(Table::to_move);
        self.sent.is_none() && to_move.is_some() && to_move == self.my_seat()
    }

    /// Whether the user can move now; shows why not.
    fn check_can_play(&mut self) -> bool {
        let may = self.is_to_play();
        if self.sent.is_some() {
            self.show_error("The server has not answered yet. Please wait.");
        } else if !may {
            self.show_error("It is not your turn.");
        }
        may
    }

    fn show_present(&mut self) {
        self.preview = None;
        self.past_ply = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_wrap_between_words_and_the_latest_are_shown() {
        assert_eq!(wrapped("ann says: well played", 10), ["ann says: ", "well ", "played"]);
        assert_eq!(wrapped("abcdefg", 3), ["abc", "def", "g"]);
        assert_eq!(wrapped("", 3), [""]);
        let line = |n| TalkLine { n, at: 1, by: "ann".parse().unwrap(), text: "gg".into() };
        let page = TalkPage { room: TalkRoom::Players, lines: (1..=5).map(line).collect() };
        assert_eq!(page.rows(80, 2).len(), 2);
        assert_eq!(page.rows(80, 9).len(), 5);
    }
}
