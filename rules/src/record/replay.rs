//! Replays a text record at a table.

use std::{collections::VecDeque, slice};

use super::text_record::{LineKind, RecordLine, TextRecord};
use crate::{
    event::{Event, EventKind},
    game::Captures,
    games::Position,
    refusal::Refusal,
    seat::Seat,
    table::{Act, Outcome, Table},
};

/// A text record has no clocks: everything in it happens at once.
const NOW: u64 = 0;

/// What a line of a record led to, or a skip that the rules made of their own.
#[derive(Clone, PartialEq, Debug)]
pub struct ReplayStep {
    /// How many moves and skips have been made by now.
    pub ply: u32,
    /// The seat that acted; absent for the start and for an agreed draw.
    pub seat: Option<Seat>,
    /// The move in canonical form, or `pass`, `resign` or `draw`; empty for the start.
    pub notation: String,
    /// What the move captured.
    pub captures: Captures,
    /// The seats that left the game by it or right after it.
    pub removed: Vec<Seat>,
    /// The position after all that.
    pub position: Position,
    /// Whose turn it is then, unless the game is over.
    pub to_move: Option<Seat>,
    /// How the game ended, if it did.
    pub outcome: Option<Outcome>,
}

/// A line of a record that cannot be played.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("ply {ply}: {notation}: {why}")]
pub struct ReplayError {
    /// The ply that it would have been.
    pub ply: u32,
    /// As written.
    pub notation: String,
    /// Why not, in a sentence.
    pub why: String,
}

/// A replay: the start, then step by step, up to the first line that cannot be played.
#[derive(Clone, Debug)]
pub struct TextReplay<'a> {
    table: Table,
    lines: slice::Iter<'a, RecordLine>,
    /// Steps that are ready to be returned.
    steps: VecDeque<ReplayStep>,
    /// Skips at the end of the returned steps, which `pass` lines may write down.
    skips: u32,
    /// A draw that was agreed on paper, of which the table knows nothing.
    drawn: Option<Outcome>,
    failed: bool,
}

impl TextRecord {
    /// Replays the record, with or without the rule that the third occurrence of a position ends
    /// the game. Its length does not end it, because a text lacks some records. The setup must be
    /// playable; that of a parsed record is.
    pub fn replay(&self, repetition: bool) -> TextReplay<'_> {
        let events = Table::begin(self.setup.clone(), NOW).expect("the setup can be played");
        let table = Table::new(&events[0]).expect("a game begins with its first event");
        let mut table = table.without_end();
        if !repetition {
            table = table.without_repetition();
        }
        let mut replay = TextReplay {
            table,
            lines: self.lines.iter(),
            steps: VecDeque::new(),
            skips: 0,
            drawn: None,
            failed: false,
        };
        replay.begin_step(None, String::new());
        for event in &events[1..] {
            replay.follow(event);
        }
        replay
    }
}

impl Iterator for TextReplay<'_> {
    type Item = Result<ReplayStep, ReplayError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(step) = self.steps.pop_front() {
                return Some(Ok(step));
            }
            if self.failed {
                return None;
            }
            let line = self.lines.next()?;
            if let Err(bad) = self.play(&line.kind) {
                self.failed = true;
                return Some(Err(bad));
            }
        }
    }
}

impl TextReplay<'_> {
    /// The ply that the next line is, if it says this.
    pub(super) fn ply_of(&self, kind: &LineKind) -> u32 {
        match kind {
            LineKind::Pass if self.skips > 0 => self.table.ply() + 1 - self.skips,
            LineKind::Move(_)
            | LineKind::Resign
            | LineKind::SeatResign(_)
            | LineKind::Pass
            | LineKind::Swap
            | LineKind::Draw => self.table.ply() + 1,
        }
    }

    /// Plays a line and drops its steps; returns whether it could be played.
    pub(super) fn can_follow(&mut self, kind: &LineKind) -> bool {
        let played = self.play(kind);
        self.steps.clear();
        played.is_ok()
    }

    fn play(&mut self, kind: &LineKind) -> Result<(), ReplayError> {
        if *kind == LineKind::Pass && self.skips > 0 {
            self.skips -= 1;
            return Ok(());
        }
        let (None, Some(to_move)) = (&self.drawn, self.table.to_move()) else {
            return Err(self.bad(kind, Refusal::GameOver));
        };
        let act = match kind {
            LineKind::Move(notation) => {
                Act::Move { seat: to_move, turn: self.table.turn(), notation, lag_ms: 0 }
            }
            LineKind::Resign => Act::Resign { seat: to_move },
            LineKind::SeatResign(seat) => Act::Resign { seat: *seat },
            LineKind::Pass => {
                return Err(self.bad(kind, "a pass stands only where the rules skip a player"));
            }
            LineKind::Swap => {
                Act::Move { seat: to_move, turn: self.table.turn(), notation: "swap", lag_ms: 0 }
            }
            LineKind::Draw => {
                self.draw();
                return Ok(());
            }
        };
        let events = self.table.decide(&act, NOW).map_err(|refusal| self.bad(kind, refusal))?;
        self.skips = 0;
        for event in &events {
            self.follow(event);
        }
        Ok(())
    }

    /// Lets an event happen and adds it to the step that it belongs to. One that begins what a
    /// line led to without being a move is a resignation.
    fn follow(&mut self, event: &Event) {
        self.table.apply(event).expect("a table applies what it has decided");
        let first = self.steps.is_empty();
        match &event.kind {
            EventKind::Moved { seat, mv, captures, .. } => {
                self.begin_step(Some(*seat), mv.to_string());
                self.step().captures.clone_from(captures);
            }
            EventKind::Swapped { seat, mv, .. } => self.begin_step(Some(*seat), mv.to_string()),
            EventKind::Skipped { seat, .. } => {
                self.begin_step(Some(*seat), "pass".to_owned());
                self.skips += 1;
            }
            EventKind::Removed { seat, .. } => {
                if first {
                    self.begin_step(Some(*seat), "resign".to_owned());
                }
                self.step().removed.push(*seat);
            }
            EventKind::Ended { by, .. } if first => self.begin_step(*by, "resign".to_owned()),
            EventKind::Created(_)
            | EventKind::Started { .. }
            | EventKind::Offered { .. }
            | EventKind::Agreed { .. }
            | EventKind::OfferClosed { .. }
            | EventKind::TakenBack { .. }
            | EventKind::ClockAdjusted { .. }
            | EventKind::Aborted { .. }
            | EventKind::Ended { .. }
            | EventKind::Rated { .. } => {}
        }
        let position = self.table.position().clone();
        let (to_move, outcome) = (self.table.to_move(), self.table.outcome().cloned());
        let step = self.step();
        step.position = position;
        step.to_move = to_move;
        step.outcome = outcome;
    }

    fn draw(&mut self) {
        let outcome = self.table.agreed_draw();
        self.skips = 0;
        self.begin_step(None, "draw".to_owned());
        let step = self.step();
        step.to_move = None;
        step.outcome = Some(outcome.clone());
        self.drawn = Some(outcome);
    }

    /// Begins a step with the table as it stands.
    fn begin_step(&mut self, seat: Option<Seat>, notation: String) {
        self.steps.push_back(ReplayStep {
            ply: self.table.ply(),
            seat,
            notation,
            captures: Captures::new(),
            removed: Vec::new(),
            position: self.table.position().clone(),
            to_move: self.table.to_move(),
            outcome: None,
        });
    }

    fn step(&mut self) -> &mut ReplayStep {
        self.steps.back_mut().expect("every event belongs to a step that was begun before")
    }

    fn bad(&self, kind: &LineKind, why: impl std::fmt::Display) -> ReplayError {
        let notation = match kind {
            LineKind::Move(notation) => notation.to_string(),
            LineKind::Resign => "resign".to_owned(),
            LineKind::SeatResign(seat) => {
                format!("{} resign", self.table.position().letter(*seat))
            }
            LineKind::Pass => "pass".to_owned(),
            LineKind::Swap => "swap".to_owned(),
            LineKind::Draw => "draw".to_owned(),
        };
        ReplayError { ply: self.table.ply() + 1, notation, why: why.to_string() }
    }
}
