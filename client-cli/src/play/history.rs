//! The course of a game as its records tell it: the table as it stands, and every ply before it to
//! look back at. Nothing here is guessed: what no record says has not happened.

use adamant_record::{RecordError, Replay};
use adamant_rules::{Cell, Event, EventKind, Position, Seat, Table, game::Mark};

use crate::{
    drawing,
    messages::{self, Names},
};

/// A game that is being followed from its first record.
#[derive(Debug, Default)]
pub(super) struct GameHistory {
    replay: Replay,
    plies: Vec<Ply>,
    names: Option<Names>,
}

/// The board after one ply, and what led to it.
#[derive(Debug)]
pub(super) struct Ply {
    /// Whose ply it was; nobody's for the start.
    pub(super) seat: Option<Seat>,
    /// The move in canonical notation, or `pass`; empty for the start.
    pub(super) notation: String,
    /// What it captured, to follow the notation.
    pub(super) captures: String,
    /// The position after it and after all that followed from it.
    pub(super) position: Position,
    /// What the move did to the board.
    pub(super) marks: Vec<(Cell, Mark)>,
    /// Who left the game after it, in sentences.
    pub(super) departures: Vec<String>,
}

impl GameHistory {
    /// Reads the next record. After an error nothing has changed.
    pub(super) fn push(&mut self, record: &[u8]) -> Result<Event, RecordError> {
        let event = self.replay.push(record)?;
        let table = self.replay.table().expect("a record has just been read");
        // They change when two players change seats.
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
            EventKind::Started { .. }
            | EventKind::Offered { .. }
            | EventKind::Agreed { .. }
            | EventKind::OfferClosed { .. }
            | EventKind::ClockAdjusted { .. }
            | EventKind::Aborted { .. }
            | EventKind::Ended { .. }
            | EventKind::Rated { .. } => {}
        }
        Ok(event)
    }

    /// The number of the last record; 0 before the first.
    pub(super) const fn seq(&self) -> u64 {
        self.replay.seq()
    }

    /// The table with the names of its players; nothing before the first record.
    pub(super) fn table(&self) -> Option<(&Table, &Names)> {
        self.replay.table().zip(self.names.as_ref())
    }

    /// The start and every ply, in order.
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
