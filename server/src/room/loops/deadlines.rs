//! The deadlines of a loop: of its rooms, of its parked games, and of its audit.

use super::room_loop::RoomLoop;
use crate::{limits::WAKE_AGAIN, room::input::Input, runtime::time::milliseconds};

impl RoomLoop {
    /// Returns the time of the next deadline, in epoch milliseconds.
    pub(super) fn next_deadline(&self) -> Option<u64> {
        [self.timers.next(), self.parked.next_deadline(), self.audit.at].into_iter().flatten().min()
    }

    /// Wakes the rooms and the parked games whose deadline has passed.
    pub(super) fn on_deadlines(&mut self, now: u64) {
        while let Some((at, key)) = self.timers.pop_due(now) {
            let Some(open) = self.slots.open_mut(key).filter(|open| open.timer_at == at) else {
                continue;
            };
            open.timer_at = u64::MAX;
            if open.room.deadline().is_some_and(|deadline| deadline <= now) {
                self.handle(key, Input::Deadline);
            } else {
                self.set_timer(key);
            }
        }
        self.audit_if_due(now);
        for game in self.parked.due(now) {
            // The room decides the rest. Without one the loop tries again later.
            let again = now.saturating_add(milliseconds(WAKE_AGAIN));
            self.parked.set_deadline(&game, again);
            if self.slots.key(&game).is_none() {
                tracing::debug!(%game, "parked game's deadline passed");
                self.start_opening(&game, None);
            }
        }
    }

    /// Wakes a room at its deadline, if that is earlier than its timer.
    pub(super) fn set_timer(&mut self, key: usize) {
        let Some(open) = self.slots.open_mut(key) else { return };
        if let Some(at) = open.room.deadline().filter(|at| *at < open.timer_at) {
            open.timer_at = at;
            self.timers.insert(at, key);
        }
    }
}
