//! Clocks that have run out.

use adamant_rules::{Events, table::ServerAction};

use super::{
    input::Pass,
    state::Room,
    step::{Cause, Step},
};
use crate::{
    limits::{FLAG_CHECK_EVERY, FLAG_GRACE, NODE_GONE_KNOWN_MS, NODE_GONE_MS},
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
        let look_again = now.saturating_add(milliseconds(FLAG_CHECK_EVERY));
        let unknown = self.table.next_deadline().filter(|deadline| {
            let gone_ms = if self.may_be_cut_off(*deadline) { NODE_GONE_MS } else { 0 };
            !self.context.outages.are_known_until(deadline.saturating_add(gone_ms))
        });
        let unknown = unknown.map(|_| look_again);
        self.grace_ends().filter(|ends| *ends > now).max(unknown)
    }

    /// Returns the time until which another node decides first whether the flag has fallen, in
    /// epoch milliseconds: one at which the player on the move has a session. A move that arrived
    /// there in time may be on its way into the store, and may have waited for the end of a stall.
    /// If that node has died, its end is known by then.
    fn grace_ends(&self) -> Option<u64> {
        if self.context.cluster.is_alone() {
            return None;
        }
        let deadline = self.table.next_deadline()?;
        let since = deadline.max(self.context.outages.stalled_until());
        if self.may_be_cut_off(deadline) {
            return Some(since.saturating_add(NODE_GONE_KNOWN_MS));
        }
        let thinks_here = self.table.to_move().is_some_and(|seat| self.audience.is_online(seat));
        (!thinks_here).then_some(since.saturating_add(milliseconds(FLAG_GRACE)))
    }

    /// Whether the player on the move had a session at another node alone when the flag fell, or
    /// just before: if that node has died, the others may not know yet.
    fn may_be_cut_off(&self, deadline: u64) -> bool {
        let Some(seat) = self.table.to_move() else { return false };
        let here_since = self.presence.here_since(&self.table, seat);
        let is_here = here_since.is_some_and(|at| at.saturating_add(NODE_GONE_KNOWN_MS) < deadline);
        !is_here && self.presence.is_elsewhere(&self.table, seat)
    }
}
