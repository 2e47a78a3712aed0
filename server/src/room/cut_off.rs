//! Players whose node has died. The clock of the one on the move stands until the player is back.

use adamant_rules::{Event, Seat, event::AdjustReason};

use super::{
    loaded::adjusted,
    state::{Room, StandingClock},
    step::Step,
};
use crate::{
    cluster::GoneNode,
    limits::{LATE_TURN, RETURN_MAX},
    runtime::time::milliseconds,
};

impl Room {
    /// Notes a clock that was adjusted, by any node.
    pub(super) fn note_adjusted(&mut self, event: &Event) {
        if let Some((seat, at)) = adjusted(event) {
            self.presence.set_adjusted(&self.table, seat, at);
        }
    }

    /// Forgets the audience at a node that has gone. A player on the move who is here already gets
    /// the time until then back.
    pub(super) fn on_node_gone(&mut self, gone: GoneNode, now: u64) {
        let was_there = |seat: &Seat| self.presence.is_at(&self.table, *seat, gone.node);
        let on_move = self.table.to_move().filter(was_there);
        if self.presence.forget_node(gone, now) {
            self.update_presence(now);
        }
        let back_at = on_move.and_then(|seat| self.presence.here_since(&self.table, seat));
        if let (Some(died_at), Some(back_at)) = (gone.died_at, back_at) {
            self.await_return(died_at, back_at);
        }
        // A flag may have waited for this.
        if matches!(self.step, Some(Step::FlagGrace(_))) {
            self.step = None;
        }
    }

    /// The clock of the player on the move stands if the player's node has died.
    pub(super) fn await_cut_off_player(&mut self) {
        let Some(seat) = self.table.to_move() else { return };
        if let Some(died_at) = self.presence.cut_off_at(&self.table, seat) {
            self.await_return(died_at, u64::MAX);
        }
    }

    /// The clock of the player on the move stands since the end of the player's node, or since the
    /// event that has given a part of that time back, on whichever node, until the player is back.
    fn await_return(&mut self, died_at: u64, back_at: u64) {
        let Some((seat, turn_since)) = self.table.clock().running() else { return };
        let until = died_at.saturating_add(milliseconds(RETURN_MAX)).min(back_at);
        let from = died_at.max(self.presence.adjusted_at(&self.table, seat));
        let is_down = self.table.next_deadline().is_none_or(|deadline| deadline <= from);
        if is_down || until <= from.max(turn_since) {
            return;
        }
        let before = self.standing().copied();
        let lasts = |standing: &StandingClock| {
            standing.reason != AdjustReason::Outage || standing.until >= until
        };
        if before.as_ref().is_some_and(lasts) {
            return;
        }
        let before = before.filter(|before| before.until >= from);
        self.stand(
            before.map_or(from, |before| before.from.min(from)),
            until,
            AdjustReason::Outage,
        );
        if until - from < milliseconds(LATE_TURN) {
            self.keep_short(from, until);
        }
    }
}
