//! The view of one game as a state machine: messages go in, effects come out, and `render` shows
//! what stands in between. It knows no socket, no terminal and no time but what it is told.
//!
//! The board is never ahead of the record. A move that was sent shows in the prompt until the
//! server has answered, and the board changes with the event.

use std::time::Duration;

use adamant_client::{Incoming, RequestError};
use adamant_protocol::{
    EventFrame, GameId, UserName,
    sketch::Sketch,
    to_client::{
        ChallengeClosed, Challenged, ClaimAfter, HintList, Presence, ResumeVerdict, SeatPresence,
        TalkList, Welcome,
    },
    values::TalkRoom,
};
use adamant_rules::{
    Cell, EventKind, Position, Seat, Table,
    event::{OfferId, OfferKind, OfferOutcome},
    game::Mark,
};

use super::{Role, history::Course, pointing::Pointer, prompt::Prompt, talk::TalkPage};
use crate::messages;

/// Something that happened outside.
#[derive(Debug)]
pub(super) enum Message {
    /// A key was pressed.
    Key(crossterm::event::KeyEvent),
    /// A cell of the board was clicked.
    Click(Cell),
    /// The window has another size.
    Resized,
    /// The server said something unasked, or the connection changed.
    Heard(Incoming),
    /// The connection has ended for good.
    Ended,
    /// A request was answered.
    Answered(Ask, Result<(), RequestError>),
    /// The server has said what a sketch comes to.
    Hinted(Sketch, Result<Box<HintList>, RequestError>),
    /// The server has told what was said before.
    Recalled(Result<Box<TalkList>, RequestError>),
    /// Time has passed.
    Tick,
}

/// What is to be done outside.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Effect {
    /// Send a request; its answer comes back as a message.
    Ask(Ask),
    /// Ask what a sketch comes to; the answer comes back as a message.
    Hint(Sketch),
    /// Ask what was said in a room; the answer comes back as a message.
    Recall(TalkRoom),
    /// Close the view.
    Leave,
    /// Close the view, because it can show nothing.
    Fail(Failure),
}

/// Why a game cannot be shown.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(super) enum Failure {
    /// The server does not let it be followed.
    #[error(transparent)]
    Request(RequestError),
    /// Its records do not fit together, even when asked for anew.
    #[error("this game cannot be followed: {0}")]
    Damaged(String),
    /// It is no longer there.
    #[error("the server does not have this game any more")]
    Gone,
}

/// A request about the game that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ask {
    /// The records from this one on.
    Follow {
        /// The first that is wanted.
        from: u64,
    },
    /// To make a move.
    Move {
        /// The turn it is meant for.
        turn: u32,
        /// As typed.
        notation: String,
    },
    /// To give up.
    Resign,
    /// To call the game off.
    Abort,
    /// To offer something.
    Offer(OfferKind),
    /// To answer an offer.
    Answer {
        /// Which.
        offer: OfferId,
        /// Yes or no.
        accept: bool,
    },
    /// To take one's own offer back.
    Withdraw {
        /// Which.
        offer: OfferId,
    },
    /// To say something.
    Say {
        /// To whom.
        room: TalkRoom,
        /// What.
        text: String,
    },
    /// To claim that whoever is away has gone for good.
    Claim,
    /// To play once more.
    Rematch,
}

/// How the connection fares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Link {
    /// It is there.
    Up,
    /// It is lost.
    Down {
        /// Why.
        reason: String,
        /// When the next attempt is made; `None` if there will be none.
        again_at: Option<Duration>,
    },
}

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

/// How long it is told at least that an offer was declined.
const NOTE_TIME: Duration = Duration::from_secs(5);

/// The server's clock, as far as it is known here.
#[derive(Debug, Clone, Copy)]
struct ServerTime {
    /// A time that the server told, in epoch milliseconds.
    at_ms: u64,
    /// When it was heard here.
    heard: Duration,
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
    pub(super) course: Course,
    /// The ply that is looked back at, by its place in the course.
    pub(super) past: Option<usize>,
    pub(super) prompt: Prompt,
    pub(super) link: Link,
    /// The act that the server has yet to answer, and the line it was typed as.
    pub(super) sent: Option<String>,
    pub(super) preview: Option<Preview>,
    /// The cursor on the board, while the keys go there.
    pub(super) pointer: Option<Pointer>,
    pub(super) note: Option<Note>,
    /// How long a game waits for a player who is away, as the server says in advance.
    pub(super) claim_after: Option<ClaimAfter>,
    /// Until when the remark outlives moves.
    note_until: Duration,
    /// What was asked for once, and waits to be confirmed.
    pub(super) unconfirmed: Option<Ask>,
    /// Whether pieces that could be captured are pointed out.
    pub(super) shows_threats: bool,
    pub(super) help: bool,
    /// The page of talk, while it is open.
    pub(super) talk: Option<TalkPage>,
    /// Time since the view was opened.
    pub(super) now: Duration,
    time: ServerTime,
    /// Whether the records were asked for anew because some did not fit.
    mended: bool,
    /// Who is there, as far as it was told.
    presence: Vec<SeatPresence>,
}

impl View {
    /// The view at its opening, and what to do first.
    pub(super) fn open(game: GameId, role: Role, welcome: &Welcome) -> (Self, Vec<Effect>) {
        let view = Self {
            game,
            me: welcome.user.as_ref().map(|user| user.name.clone()),
            role,
            course: Course::default(),
            past: None,
            prompt: Prompt::default(),
            link: Link::Up,
            sent: None,
            preview: None,
            pointer: None,
            note: None,
            claim_after: welcome.claim_after,
            note_until: Duration::ZERO,
            unconfirmed: None,
            shows_threats: false,
            help: false,
            talk: None,
            now: Duration::ZERO,
            time: ServerTime { at_ms: welcome.ts, heard: Duration::ZERO },
            mended: false,
            presence: Vec::new(),
        };
        (view, vec![Effect::Ask(Ask::Follow { from: 1 })])
    }

    /// Takes note of something that happened at `now`, counted from the opening of the view.
    pub(super) fn update(&mut self, message: Message, now: Duration) -> Vec<Effect> {
        self.now = now;
        let mut effects = self.take(message);
        effects.extend(self.point_on());
        effects
    }

    fn take(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Key(key) => self.key(key),
            Message::Click(cell) => {
                self.click(cell);
                Vec::new()
            }
            Message::Heard(incoming) => self.hear(incoming),
            Message::Answered(ask, answer) => self.answered(&ask, answer),
            Message::Hinted(asked, answer) => {
                self.hinted(&asked, answer);
                Vec::new()
            }
            Message::Recalled(answer) => {
                self.recalled(answer);
                Vec::new()
            }
            Message::Ended => {
                if !matches!(self.link, Link::Down { .. }) {
                    let reason = "the connection has ended".to_owned();
                    self.link = Link::Down { reason, again_at: None };
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
        clock_runs || claim_nears || matches!(self.link, Link::Down { again_at: Some(_), .. })
    }

    /// The table, once the first record is there.
    pub(super) fn table(&self) -> Option<&Table> {
        self.course.table().map(|(table, _)| table)
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
    pub(super) fn may_ask_again(&self) -> bool {
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
    pub(super) fn complain(&mut self, text: impl Into<String>) {
        self.note = Some(Note { text: text.into(), is_error: true });
    }

    /// Tells the person something.
    pub(super) fn remark(&mut self, text: impl Into<String>) {
        self.note = Some(Note { text: text.into(), is_error: false });
    }

    /// The ply that is shown, by its place in the course.
    pub(super) fn shown_ply(&self) -> usize {
        self.past.unwrap_or_else(|| self.last_ply())
    }

    /// Whether what is shown is the end of the game, after which nobody moves.
    pub(super) fn is_at_end(&self) -> bool {
        self.past.is_none() && self.table().is_some_and(|table| table.outcome().is_some())
    }

    /// Where the present is among the plies.
    pub(super) fn last_ply(&self) -> usize {
        self.course.plies().len().saturating_sub(1)
    }
}

/// What the server says.
impl View {
    fn hear(&mut self, incoming: Incoming) -> Vec<Effect> {
        match incoming {
            Incoming::Event { frame, bytes } => self.event(&frame, &bytes),
            // As long as nothing has come, all of it has been asked for already.
            Incoming::Snapshot(snapshot) if snapshot.game == self.game && self.course.seq() > 0 => {
                self.follow_anew()
            }
            Incoming::Connected(welcome) => self.connected(&welcome),
            Incoming::Disconnected { reason, retry_in } => {
                let again_at = retry_in.map(|wait| self.now + wait);
                self.link = Link::Down { reason: reason.to_string(), again_at };
                // Who is there is told anew when the connection is back.
                self.presence = Vec::new();
                Vec::new()
            }
            Incoming::Notice(notice) => {
                self.remark(messages::notice(&notice));
                Vec::new()
            }
            Incoming::Complaint(failed) => {
                self.complain(failed.message);
                Vec::new()
            }
            Incoming::Said(said) => {
                self.said(*said);
                Vec::new()
            }
            Incoming::Unsaid(unsaid) => {
                self.unsaid(&unsaid);
                Vec::new()
            }
            Incoming::Presence(presence) => {
                self.meet(presence);
                Vec::new()
            }
            Incoming::Challenged(challenged) => {
                self.asked_again(&challenged);
                Vec::new()
            }
            Incoming::ChallengeClosed(closed) => self.answered_again(closed),
            Incoming::Snapshot(_)
            | Incoming::YourTurn(_)
            | Incoming::Featured(_)
            | Incoming::Live(_)
            | Incoming::Lobby(_) => Vec::new(),
        }
    }

    fn meet(&mut self, presence: Presence) {
        if presence.game == self.game {
            self.presence = presence.seats;
        }
    }

    /// Somebody would like to play this game once more.
    fn asked_again(&mut self, challenged: &Challenged) {
        let (Some(me), true) = (&self.me, challenged.rematch_of.as_ref() == Some(&self.game))
        else {
            return;
        };
        if challenged.accepted.iter().any(|name| name.is_same(me.as_str())) {
            let missing = challenged.seats.len() - challenged.accepted.len();
            self.remark(format!("A rematch waits for {missing} more."));
        } else {
            self.remark(format!("{} wants a rematch; r agrees.", challenged.by));
        }
    }

    /// The question whether to play once more is answered.
    fn answered_again(&mut self, closed: ChallengeClosed) -> Vec<Effect> {
        if closed.rematch_of.as_ref() != Some(&self.game) || self.role != Role::Play {
            return Vec::new();
        }
        let Some(next) = closed.game else {
            let by = closed.by.map(|name| format!(": {name} has closed it")).unwrap_or_default();
            self.remark(format!("There is no rematch{by}."));
            return Vec::new();
        };
        self.game = next;
        self.presence = Vec::new();
        self.mended = false;
        self.prompt.clear();
        self.remark("The rematch.");
        self.follow_anew()
    }

    fn event(&mut self, frame: &EventFrame, record: &[u8]) -> Vec<Effect> {
        // Records that were under way when others were asked for come again in their place.
        if frame.game != self.game || frame.seq != self.course.seq() + 1 {
            return Vec::new();
        }
        if frame.at > self.server_ms() {
            self.time = ServerTime { at_ms: frame.at, heard: self.now };
        }
        let offers = self.table().map(|table| table.offers().to_vec()).unwrap_or_default();
        match self.course.push(record) {
            Ok(event) => {
                match event.kind {
                    EventKind::OfferClosed {
                        offer,
                        outcome: outcome @ (OfferOutcome::Declined | OfferOutcome::Withdrawn),
                        by,
                    } => {
                        let what = offers.iter().find(|open| open.offer == offer);
                        if let Some(what) = what.map(|open| open.what) {
                            self.closed_offer(what, outcome, by);
                        }
                    }
                    EventKind::Swapped { .. } => {
                        self.move_on();
                        // Who is there is known by seat.
                        for known in &mut self.presence {
                            known.seat = 1 - known.seat.min(1);
                        }
                    }
                    EventKind::Moved { .. }
                    | EventKind::Skipped { .. }
                    | EventKind::Removed { .. }
                    | EventKind::TakenBack { .. }
                    | EventKind::Aborted { .. }
                    | EventKind::Ended { .. } => self.move_on(),
                    EventKind::Created(_)
                        if self.role == Role::Play && self.my_seat().is_none() =>
                    {
                        self.role = Role::Watch;
                        self.remark("You do not play in this game; you are watching.");
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
            Err(error) if self.mended => {
                vec![Effect::Fail(Failure::Damaged(error.to_string()))]
            }
            Err(_) => {
                self.mended = true;
                self.follow_anew()
            }
        }
    }

    /// The board has changed: what was in the making is over, and so are remarks that have stood long
    /// enough.
    fn move_on(&mut self) {
        self.preview = None;
        self.drop_aim();
        if self.now >= self.note_until {
            self.note = None;
        }
        // A ply that was looked back at may have been taken back.
        let last = self.last_ply();
        self.past = self.past.filter(|&past| past < last);
    }

    /// Somebody has said no to an offer, or has taken one back: the person is told for some seconds, even
    /// if a move comes at once.
    fn closed_offer(&mut self, what: OfferKind, outcome: OfferOutcome, by: Seat) {
        if self.my_seat() == Some(by) {
            return;
        }
        let Some((_, names)) = self.course.table() else { return };
        let (by, what) = (names.of(by), messages::the_offered(what));
        self.remark(if outcome == OfferOutcome::Withdrawn {
            format!("{by} takes the offer of {what} back.")
        } else {
            format!("{by} declines {what}.")
        });
        self.note_until = self.now + NOTE_TIME;
    }

    /// Forgets the game and asks for all of it: what is known here may not be what happened.
    fn follow_anew(&mut self) -> Vec<Effect> {
        self.course = Course::default();
        self.past = None;
        self.preview = None;
        self.drop_aim();
        self.pointer = None;
        vec![Effect::Ask(Ask::Follow { from: 1 })]
    }

    fn connected(&mut self, welcome: &Welcome) -> Vec<Effect> {
        self.link = Link::Up;
        if let Some(pointer) = &mut self.pointer {
            pointer.aim.retry();
        }
        self.time = ServerTime { at_ms: welcome.ts, heard: self.now };
        self.mended = false;
        // What was remarked about the old connection is over.
        self.note.take_if(|note| !note.is_error);
        let from = self.course.seq() + 1;
        let verdict = welcome.games.iter().find(|resumed| resumed.game == self.game);
        match verdict.map(|resumed| resumed.resume) {
            Some(ResumeVerdict::Gone) => vec![Effect::Fail(Failure::Gone)],
            // The tail follows by itself, and a snapshot makes the view begin anew.
            Some(ResumeVerdict::Tail | ResumeVerdict::Snapshot | ResumeVerdict::Fork)
                if from > 1 =>
            {
                Vec::new()
            }
            Some(_) | None => vec![Effect::Ask(Ask::Follow { from })],
        }
    }

    fn answered(&mut self, ask: &Ask, answer: Result<(), RequestError>) -> Vec<Effect> {
        if let Ask::Follow { .. } = ask {
            return match answer {
                // When the connection is back, the records are asked for again.
                Ok(()) | Err(RequestError::ConnectionLost) => Vec::new(),
                Err(error) => vec![Effect::Fail(Failure::Request(error))],
            };
        }
        let mut line = self.sent.take().unwrap_or_default();
        if let (Ask::Say { text, .. }, Some(_)) = (ask, &self.talk) {
            line.clone_from(text);
        }
        if let Err(error) = answer {
            // The board has not moved; the line comes back to be corrected.
            if self.prompt.is_empty() {
                self.prompt.write(&line);
            }
            if let RequestError::Refused(failed) = error {
                self.complain(failed.why.unwrap_or(failed.message));
            } else {
                self.complain(error.to_string());
            }
        }
        Vec::new()
    }
}
