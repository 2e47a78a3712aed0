//! What a contest has found.

use crate::durability::crash::checker::Violation;

/// What contradicts the promise that nothing is lost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Findings {
    /// Acknowledged requests that are not stored.
    pub(crate) lost: u64,
    /// Requests or turns that are stored twice.
    pub(crate) doubled: u64,
    /// Events that a client received and that are not stored.
    pub(crate) shown_in_vain: u64,
    /// Everything else.
    pub(crate) others: u64,
    /// What was found, in words.
    pub(crate) sentences: Vec<String>,
}

impl Findings {
    /// Adds what is none of the other kinds.
    pub(super) fn other(&mut self, sentence: String) {
        self.others += 1;
        self.sentences.push(sentence);
    }

    /// Adds how a game contradicts what was received.
    pub(super) fn add(&mut self, game: &str, violation: &Violation) {
        match violation {
            Violation::LostAck { .. } => self.lost += 1,
            Violation::DuplicateRequest { .. } | Violation::DuplicateTurn { .. } => {
                self.doubled += 1;
            }
            Violation::LostEvent { .. } => self.shown_in_vain += 1,
            Violation::DifferentRequest { .. }
            | Violation::RejectedButRecorded { .. }
            | Violation::WrongRatings { .. }
            | Violation::InvalidRecord { .. } => self.others += 1,
        }
        self.sentences.push(format!("{game}: {violation:?}"));
    }
}
