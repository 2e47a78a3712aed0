//! The history of a game from its records: the current table, and every earlier ply. Only records
//! change it.

use adamant_record::{RecordError, Replay};
use adamant_rules::{Cell, Event, EventKind, Position, Seat, Table, game::Mark};

use crate::{
    drawing,
    messages::{self, Names},
};

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
            EventKind::Started { .. }
            | EventKind::Offered { .. }
            | EventKind::Agreed { .. }
            | EventKind::OfferClosed { .. }
            | EventKind::ClockAdjusted { .. }
            | EventKind::Aborted { .. }
            | EventKind::Ended { .. }
            | EventKind::Rated { .. } => {}
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
