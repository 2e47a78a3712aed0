//! Clocks that have run out.

use adamant_rules::{Events, table::ServerAction};

use super::{
    input::Pass,
    state::Room,
    step::{Cause, Step},
};
use crate::{
    limits::{FLAG_CHECK_EVERY, FLAG_GRACE},
    runtime::time::milliseconds,
};

impl Room {
    /// Decides a clock that has run out at `at`, as an event of its own. Returns whether that is
    /// under way.
    pub(super) fn decide_overdue(&mut self, at: u64, pass: &mut Pass<'_>) -> bool {
        if self.context.reads_only {
            // The clocks stand still. The time until the store is writable again is an outage.
            return false;
        }
        let Some(mut events) = self.table.overdue(at) else { return false };
        if self.credit_early(pass) {
            return true;
        }
        if let Some(credited) = self.credit_stalls(at) {
            events = credited;
        }
        match self.flag_waits_until(pass.now) {
            Some(until) => self.step = Some(Step::FlagGrace(until)),
            None => self.append(events, Cause::Server, pass),
        }
        true
    }

    /// The credit for the time in which this process stood still while a player thought, if a move
    /// may have waited for it. It comes once, before the flag is decided: a stall before the last
    /// event has been credited, or did not matter.
    fn credit_stalls(&self, at: u64) -> Option<Events> {
        let (seat, since) = self.table.clock().running()?;
        if !self.context.cluster.is_alone() && !self.audience.is_online(seat) {
            return None;
        }
        let (since, deadline) = (since.max(self.table.last_at()), self.table.next_deadline()?);
        let stalled_ms = self.context.outages.stalled_ms(since, deadline);
        if stalled_ms == 0 {
            return None;
        }
        let action = ServerAction::outage(at.saturating_sub(stalled_ms));
        self.table.decide_server_action(&action, at).ok().filter(|events| !events.is_empty())
    }

    /// Returns the time at which the room decides that a clock has run out, in epoch milliseconds.
    pub(super) fn flag_at(&self) -> Option<u64> {
        if self.context.reads_only {
            return None;
        }
        if let Some(until) = self.stands_until() {
            return Some(until);
        }
        self.grace_ends().or_else(|| self.table.next_deadline())
    }

    /// Returns the time until which a fallen flag waits, in epoch milliseconds. It waits for a
    /// heartbeat that is later than the flag as well: the store may have been away when it fell.
    fn flag_waits_until(&self, now: u64) -> Option<u64> {
        let is_unknown = |deadline: &u64| !self.context.outages.are_known_until(*deadline);
        let look_again = now.saturating_add(milliseconds(FLAG_CHECK_EVERY));
        let unknown = self.table.next_deadline().filter(is_unknown).map(|_| look_again);
        self.grace_ends().filter(|ends| *ends > now).max(unknown)
    }

    /// Returns the time until which another node decides first whether the flag has fallen, in
    /// epoch milliseconds: one at which the player on the move has a session. A move that arrived
    /// there in time may be on its way into the store, and may have waited for the end of a stall.
    fn grace_ends(&self) -> Option<u64> {
        if self.context.cluster.is_alone() {
            return None;
        }
        let thinks_here = self.table.to_move().is_some_and(|seat| self.audience.is_online(seat));
        let deadline = self.table.next_deadline().filter(|_| !thinks_here)?;
        let since = deadline.max(self.context.outages.stalled_until());
        Some(since.saturating_add(milliseconds(FLAG_GRACE)))
    }
}
