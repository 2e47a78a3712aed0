//! A game as a rival knows it, and what each of its sessions has seen of it.

use std::collections::BTreeSet;

use adamant_record::Replay;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::durability::crash::checker::Violation;

/// Sessions of a user.
pub(super) const HANDS: usize = 2;

/// One session's sight of a game.
#[derive(Debug, Default)]
pub(super) struct View {
    /// The last record that was received after all before it.
    pub(super) seq: u64,
    /// The last record of a replay, in which later records may come before earlier ones.
    pub(super) replay_until: Option<u64>,
    ahead: BTreeSet<u64>,
}

pub(super) struct Game {
    /// All records that any session received.
    pub(super) replay: Replay,
    /// What each session has seen.
    pub(super) views: [View; HANDS],
    /// The record at which the rival has last considered what to do.
    pub(super) considered: u64,
    /// The last record that a reply has named.
    pub(super) awaited: u64,
    /// When the newest record came.
    pub(super) changed_at: Instant,
    pub(super) pending: usize,
    /// The chain after each record.
    chains: Vec<Value>,
}

impl View {
    /// Takes a record; says what is wrong with it.
    pub(super) fn receive(&mut self, seq: u64) -> Option<String> {
        let is_replayed = self.replay_until.is_some_and(|until| seq <= until);
        let is_next = seq == self.seq + 1;
        let wrong = (!is_replayed && !is_next).then(|| format!("{seq} after {}", self.seq));
        if seq > self.seq {
            self.ahead.insert(seq);
        }
        while self.ahead.remove(&(self.seq + 1)) {
            self.seq += 1;
        }
        wrong
    }

    /// Forgets records on their way, whose connection is lost.
    pub(super) fn lose(&mut self) {
        self.ahead.clear();
        self.replay_until = None;
    }
}

impl Game {
    /// A game without records.
    pub(super) fn new() -> Self {
        Self {
            replay: Replay::new(),
            views: Default::default(),
            considered: 0,
            awaited: 0,
            changed_at: Instant::now(),
            pending: 0,
            chains: Vec::new(),
        }
    }

    /// Whether the game has ended.
    pub(super) fn is_over(&self) -> bool {
        self.replay.table().is_some_and(|table| table.outcome().is_some())
    }

    /// Takes a record that a session has received; says what is wrong with it.
    pub(super) fn receive(
        &mut self,
        hand: usize,
        seq: u64,
        frame: &Value,
        text: &str,
    ) -> Vec<String> {
        let mut wrong: Vec<String> = self.views[hand].receive(seq).into_iter().collect();
        if seq == self.replay.seq() + 1 {
            if let Err(error) = self.replay.push(text.as_bytes()) {
                wrong.push(format!("{error}: {text}"));
            }
            self.chains.push(frame["chain"].clone());
            self.changed_at = Instant::now();
        }
        wrong
    }

    /// The cursor with which a session resumes.
    pub(super) fn cursor(&self, hand: usize) -> Option<Value> {
        let last = self.views[hand].seq.checked_sub(1).filter(|_| !self.is_over())?;
        let chain = &self.chains[usize::try_from(last).unwrap()];
        Some(json!({"seq": last + 1, "chain": chain}))
    }

    /// A request of this game has its answer. If nothing has changed, the rival considers again.
    pub(super) fn settle(&mut self) {
        self.pending -= 1;
        if self.pending == 0 {
            self.considered = 0;
        }
    }
}

/// What contradicts the promise that nothing is lost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Findings {
    /// Acknowledged requests that are not stored.
    pub(crate) lost: u64,
    /// Requests or turns that are stored twice.
    pub(crate) doubled: u64,
    /// Events that a client received and that are not stored.
    pub(crate) shown_in_vain: u64,
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
