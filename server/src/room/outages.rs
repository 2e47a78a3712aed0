//! The outages and stalls that rooms credit to their clocks, and until when they are known.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::{collections::VecDeque, time::Duration};

use adamant_protocol::GameId;
use parking_lot::{Mutex, RwLock};

use crate::limits::{STALL_BACKLOG_MS, STALLS_KEPT_MAX, UNSTORED_KEPT_MAX};
use crate::runtime::time::{Stall, milliseconds};
use crate::store::Outage;

/// The outages that are known, in order. An outage may be added while games are played: each room
/// credits it before it decides anything else.
#[derive(Debug, Default)]
pub(crate) struct Outages {
    known: RwLock<Vec<Outage>>,
    /// Number of outages, so that a room need not lock the list to know that nothing is new.
    count: AtomicU32,
    /// Number of those that the start of this process has ended: the players have to come back.
    by_start: AtomicU32,
    /// When the last heartbeat was sent that the store has answered, in epoch milliseconds; zero if
    /// outages are found only at the start.
    heartbeat_at: AtomicU64,
    /// When the last stall of the store has ended, in epoch milliseconds.
    stalled_until: AtomicU64,
    /// Stalls of this process that are too short to be outages: a clock gets the time back when its
    /// flag would fall. The latest is at the back.
    stalls: Mutex<VecDeque<Stall>>,
    /// Games whose room has ended because nothing could be stored, and since when that was so. The
    /// latest is at the back.
    unstored: Mutex<VecDeque<(GameId, Outage)>>,
}

impl Outages {
    /// Adds outages that are later than those known.
    pub(crate) fn extend(&self, later: impl IntoIterator<Item = Outage>) {
        let mut known = self.known.write();
        known.extend(later);
        let count = u32::try_from(known.len()).unwrap_or(u32::MAX);
        self.count.store(count, Ordering::Release);
    }

    /// Notes that all players have to come back after the outages known by now.
    pub(crate) fn note_start(&self) {
        self.by_start.store(self.count(), Ordering::Release);
    }

    /// Whether the players have to come back after the outage with this index.
    pub(super) fn is_by_start(&self, index: u32) -> bool {
        index < self.by_start.load(Ordering::Acquire)
    }

    /// Notes a heartbeat that was sent at `sent`, and that the store has answered `now`, after the
    /// outages that it has found. A node sends one `every` so often: if two are missing, the store
    /// has stalled.
    pub(crate) fn note_heartbeat(&self, sent: u64, now: u64, every: Duration) {
        let before = self.heartbeat_at.swap(sent, Ordering::AcqRel);
        let stall = milliseconds(every).saturating_mul(2);
        if before > 0 && now.saturating_sub(before) >= stall {
            self.stalled_until.store(now, Ordering::Release);
        }
    }

    pub(crate) fn add_stall(&self, stall: Stall) {
        let mut stalls = self.stalls.lock();
        if stalls.len() >= STALLS_KEPT_MAX {
            stalls.pop_front();
        }
        stalls.push_back(stall);
    }

    /// Notes that the store took no move of a game for a time.
    pub(super) fn note_unstored(&self, game: &GameId, outage: Outage) {
        let mut unstored = self.unstored.lock();
        // The room may end several times.
        if let Some((_, known)) = unstored.iter_mut().find(|(other, _)| other == game) {
            known.until = outage.until;
            return;
        }
        if unstored.len() >= UNSTORED_KEPT_MAX {
            unstored.pop_front();
        }
        unstored.push_back((game.clone(), outage));
    }

    /// Takes the time for which the store took no move of a game.
    pub(super) fn take_unstored(&self, game: &GameId) -> Option<Outage> {
        let mut unstored = self.unstored.lock();
        let index = unstored.iter().position(|(other, _)| other == game)?;
        unstored.remove(index).map(|(_, outage)| outage)
    }

    /// The time of the short stalls from `since` on, in milliseconds, if the last of them can have
    /// held up what arrived before the deadline.
    pub(super) fn stalled_ms(&self, since: u64, deadline: u64) -> u64 {
        let stalls = self.stalls.lock();
        let later = stalls.iter().rev().take_while(|stall| stall.until > since);
        let is_near = |last: &Stall| last.until.saturating_add(STALL_BACKLOG_MS) >= deadline;
        if !stalls.back().is_some_and(is_near) {
            return 0;
        }
        later.map(|stall| stall.until - stall.from.max(since)).sum()
    }

    /// Whether no outage is found any more that has begun before this time.
    pub(super) fn are_known_until(&self, at: u64) -> bool {
        let heartbeat_at = self.heartbeat_at.load(Ordering::Acquire);
        heartbeat_at == 0 || heartbeat_at >= at
    }

    /// Returns when the last stall of the store has ended, in epoch milliseconds.
    pub(super) fn stalled_until(&self) -> u64 {
        self.stalled_until.load(Ordering::Acquire)
    }

    pub(super) fn count(&self) -> u32 {
        self.count.load(Ordering::Acquire)
    }

    pub(super) fn get(&self, index: u32) -> Option<Outage> {
        let index = usize::try_from(index).ok()?;
        self.known.read().get(index).copied()
    }

    /// Returns a deadline after all outages, in a game whose last event was at `last_at`.
    pub(crate) fn shift_deadline(&self, deadline: u64, last_at: u64) -> u64 {
        let known = self.known.read();
        known.iter().fold(deadline, |at, outage| outage.shift_deadline(at, last_at))
    }
}
