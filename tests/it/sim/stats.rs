//! What happened in the runs, in numbers.

use std::collections::BTreeMap;

/// Counts of what happened in runs.
#[derive(Debug, Default)]
pub(super) struct Stats {
    pub(super) games: u64,
    pub(super) over: u64,
    pub(super) records: u64,
    pub(super) frames: u64,
    pub(super) crashes: u64,
    pub(super) stops: u64,
    pub(super) pauses: u64,
    pub(super) accounts: u64,
    pub(super) ended_tokens: u64,
    pub(super) refused_log_ins: u64,
    pub(super) house_moves: u64,
    pub(super) overtaken: u64,
    pub(super) unknown: u64,
    pub(super) refused: u64,
    pub(super) kinds: BTreeMap<String, u64>,
}

impl Stats {
    pub(super) fn add(&mut self, other: &Self) {
        self.games += other.games;
        self.over += other.over;
        self.records += other.records;
        self.frames += other.frames;
        self.crashes += other.crashes;
        self.stops += other.stops;
        self.pauses += other.pauses;
        self.accounts += other.accounts;
        self.ended_tokens += other.ended_tokens;
        self.refused_log_ins += other.refused_log_ins;
        self.house_moves += other.house_moves;
        self.overtaken += other.overtaken;
        self.unknown += other.unknown;
        self.refused += other.refused;
        for (kind, count) in &other.kinds {
            *self.kinds.entry(kind.clone()).or_default() += count;
        }
    }

    /// Checks that everything happened at least once: a workload without an event tests nothing of
    /// it.
    pub(super) fn check_variety(&self) {
        let kinds = [
            "moved",
            "removed",
            "seat_offered",
            "substituted",
            "offered",
            "agreed",
            "offer_closed",
            "taken_back",
            "clock_adjusted",
            "aborted",
            "ended resigned",
            "ended timed_out",
            "ended abandoned",
            "ended agreement",
            "rated",
        ];
        for kind in kinds {
            assert!(self.kinds.contains_key(kind), "nothing was ever {kind}: {self:?}");
        }
        assert!(self.crashes > 0 && self.stops > 0);
        assert!(self.accounts > 0 && self.ended_tokens > 0 && self.refused_log_ins > 0);
        assert!(self.house_moves > 0);
        assert!(self.overtaken > 0 && self.unknown > 0 && self.refused > 0);
    }
}
