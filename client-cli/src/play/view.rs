//! The view of one game as a state machine: messages go in, effects come out, and `render` draws
//! the state. It uses no socket, no terminal and no clock.
//!
//! The board is never ahead of the record. A sent move stays in the prompt until the server
//! answers; the board changes with the event.

use std::time::Duration;

use adamant_client::{Incoming, RequestError};
use adamant_protocol::{
    EventFrame, GameId, UserName,
    to_client::{
        ChallengeClosed, Challenged, ClaimAfter, Presence, ResumeDecision, Said, SeatPresence,
        TalkLine, TalkList, Unsaid, Welcome,
    },
    values::TalkRoom,
};
use adamant_rules::{
    Cell, EventKind, Position, Seat, Table, TimeControl,
    event::{OfferKind, OfferOutcome},
    game::Mark,
};
use crossterm::event::KeyCode;
use ratatui::text::{Line, Span};

use super::{
    history::GameHistory,
    message::{ConnectionState, Effect, FollowError, Message, Request, Role},
    move_input::Pointer,
    prompt::Prompt,
};
use crate::{credentials::reject_token, messages};

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

/// A game against the server's own bots without a clock that lies so long takes none of their time.
const PARKED_AFTER_MS: u64 = 120_000;

/// The names of the server's own bots.
const HOUSE: [&str; 3] = ["house", "house-easy", "house-hard"];

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
            Incoming::Snapshot(_)
            | Incoming::YourTurn(_)
            | Incoming::Featured(_)
            | Incoming::Live(_)
            | Incoming::Invite(_)
            | Incoming::Lobby(_) => Vec::new(),
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

    /// A player offers a rematch.
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
                    | EventKind::TakenBack { .. }
                    | EventKind::Aborted { .. }
                    | EventKind::Ended { .. } => self.board_changed(),
                    EventKind::Created(_)
                        if self.role == Role::Play && self.my_seat().is_none() =>
                    {
                        self.role = Role::Watch;
                        self.show_note("You do not play in this game; you are watching.");
                    }
                    EventKind::Created(_)
                    | EventKind::Started { .. }
                    | EventKind::Offered { .. }
                    | EventKind::Agreed { .. }
                    | EventKind::OfferClosed { .. }
                    | EventKind::ClockAdjusted { .. }
                    | EventKind::Rated { .. } => {}
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
