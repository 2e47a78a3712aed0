//! The deadlines of the rooms of one loop.

use std::{cmp::Reverse, collections::BinaryHeap};

/// Wake-up times of rooms in order. A room that wants to be woken later than it has said keeps its
/// earlier time, since most deadlines move later with each command.
#[derive(Debug, Default)]
pub(super) struct Timers(BinaryHeap<Reverse<(u64, usize)>>);

impl Timers {
    /// Wakes a room at this time in epoch milliseconds.
    pub(super) fn insert(&mut self, at: u64, room: usize) {
        self.0.push(Reverse((at, room)));
    }

    /// Returns the earliest time.
    pub(super) fn next(&self) -> Option<u64> {
        self.0.peek().map(|Reverse((at, _))| *at)
    }

    /// Removes and returns the next timer that is due.
    pub(super) fn pop_due(&mut self, now: u64) -> Option<(u64, usize)> {
        let Reverse((at, _)) = self.0.peek()?;
        if *at > now {
            return None;
        }
        self.0.pop().map(|Reverse(timer)| timer)
    }
}
