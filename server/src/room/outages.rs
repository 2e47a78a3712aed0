//! The outages that rooms credit to their clocks.

use std::sync::{
    PoisonError, RwLock,
    atomic::{AtomicU32, Ordering},
};

use crate::store::Outage;

/// The outages that are known, in order. An outage may be added while games are played: each room
/// credits it before it decides anything else.
#[derive(Debug, Default)]
pub(crate) struct Outages {
    outages: RwLock<Vec<Outage>>,
    /// Number of outages, so that a room need not lock the list to know that nothing is new.
    count: AtomicU32,
}

impl Outages {
    /// Adds outages that are later than those known.
    pub(crate) fn extend(&self, later: impl IntoIterator<Item = Outage>) {
        let mut outages = self.outages.write().unwrap_or_else(PoisonError::into_inner);
        outages.extend(later);
        let count = u32::try_from(outages.len()).unwrap_or(u32::MAX);
        self.count.store(count, Ordering::Release);
    }

    /// Number of known outages.
    pub(super) fn count(&self) -> u32 {
        self.count.load(Ordering::Acquire)
    }

    /// Returns the outage with this index.
    pub(super) fn get(&self, index: u32) -> Option<Outage> {
        let index = usize::try_from(index).ok()?;
        self.outages.read().unwrap_or_else(PoisonError::into_inner).get(index).copied()
    }

    /// Returns a deadline after all outages, in a game whose last event was at `last_at`.
    pub(crate) fn shift_deadline(&self, deadline: u64, last_at: u64) -> u64 {
        let outages = self.outages.read().unwrap_or_else(PoisonError::into_inner);
        outages.iter().fold(deadline, |at, outage| outage.shift_deadline(at, last_at))
    }
}
