//! Clocks that stand while the player on the move cannot move: until the player is there, after an
//! outage or before the first turn, and until the move before is durable.

use adamant_rules::{Seat, TimeControl, event::AdjustReason, table::ServerAction};

use super::{
    command::Command,
    input::Pass,
    state::{Room, StandingClock},
    step::Cause,
};
use crate::{
    limits::{ARRIVAL_MAX, LATE_TURN, RETURN_MAX, STALL_MIN_MS},
    runtime::time::milliseconds,
    store::Outage,
};

impl Room {
    /// The clock that stands, if it stands still.
    pub(super) fn standing(&self) -> Option<&StandingClock> {
        let standing = self.standing.as_deref()?;
        (self.table.clock().running() == Some(standing.running)).then_some(standing)
    }

    /// When a clock that stands runs again at the latest.
    pub(super) fn stands_until(&self) -> Option<u64> {
        Some(self.standing().filter(|standing| !standing.is_short)?.until)
    }

    /// The time that the player on the move gets back for an outage. It counts from the beginning,
    /// or from the end if it has been credited until then and the next one came before the player.
    pub(super) fn owed_for(&self, outage: Outage, now: u64) -> Option<(u64, u64)> {
        let last_at = self.table.last_at();
        if self.table.outcome().is_some() || last_at > outage.until {
            return None;
        }
        let from = if last_at < outage.until { outage.from } else { outage.until };
        let until = self.end_of_outage(outage, now);
        (from < until).then_some((from, until))
    }

    /// The end of an outage for the player on the move, who may have had to come back.
    fn end_of_outage(&self, outage: Outage, now: u64) -> u64 {
        let ends = self.return_ends(outage);
        if now >= ends && self.has_to_return() { ends } else { outage.until }
    }

    /// Whether the player on the move is still awaited when an outage begins. Then the wait goes on
    /// over it, and is credited as a whole.
    pub(super) fn wait_covers(&mut self, outage: Outage) -> bool {
        let until = outage.until.saturating_add(milliseconds(RETURN_MAX));
        let covers = |standing: &StandingClock| {
            !standing.is_short && (standing.from..=standing.until).contains(&outage.from)
        };
        if !self.standing().is_some_and(covers) {
            return false;
        }
        if let Some(standing) = &mut self.standing {
            standing.until = standing.until.max(until);
        }
        true
    }

    /// Until when the player on the move may come back after this outage: the next one begins anew.
    fn return_ends(&self, outage: Outage) -> u64 {
        let next = self.context.outages.get(self.outages_seen + 1).map(|next| next.from);
        let ends = outage.until.saturating_add(milliseconds(RETURN_MAX));
        next.map_or(ends, |next| ends.min(next.max(outage.until)))
    }

    /// Whether the player on the move has to come back after a start.
    fn has_to_return(&self) -> bool {
        let Some((seat, _)) = self.table.clock().running() else { return false };
        self.context.outages.is_by_start(self.outages_seen)
            && !self.audience.is_online(seat)
            && !self.presence.is_elsewhere(&self.table, seat)
    }

    /// The clock of the player on the move stands after an outage that was credited until its end.
    pub(super) fn stand_after(&mut self, outage: Outage, now: u64) {
        let until = self.return_ends(outage);
        if now < until && self.has_to_return() {
            self.stand(outage.until, until, AdjustReason::Outage);
        }
    }

    /// The game has just begun: the clock of a player who is away stands for a time.
    pub(crate) fn await_first_player(&mut self) {
        if matches!(self.table.clock().control(), TimeControl::Days { .. }) {
            return;
        }
        let begun_at = self.table.last_at();
        let until = begun_at.saturating_add(milliseconds(ARRIVAL_MAX));
        self.stand(begun_at, until, AdjustReason::Arrival);
    }

    /// The store took no event for a time, until the room ended. Its players had to connect again.
    pub(super) fn stand_after_failure(&mut self) {
        let Some(outage) = self.context.outages.take_unstored(&self.head.game) else { return };
        if self.table.last_at() < outage.until {
            let until = outage.until.saturating_add(milliseconds(RETURN_MAX));
            self.stand(outage.from, until, AdjustReason::Outage);
        }
    }

    /// The turn of a player begins when the move before is durable. `stored_here` says that this
    /// node has stored it; otherwise it counts when a player at this node hears of it.
    pub(super) fn note_late_turn(&mut self, seat: Seat, stored_here: bool, now: u64) {
        let Some((_, since)) = self.table.clock().running() else { return };
        // Whoever leaves a game of three while another thinks begins no turn.
        if since != self.table.last_at() {
            return;
        }
        let late_ms = now.saturating_sub(since);
        let is_short = late_ms < milliseconds(LATE_TURN);
        if late_ms < STALL_MIN_MS || !stored_here && (is_short || !self.audience.is_online(seat)) {
            return;
        }
        self.stand(since, now, AdjustReason::Outage);
        if let Some(standing) = &mut self.standing {
            standing.is_short = is_short;
        }
    }

    pub(super) fn stand(&mut self, from: u64, until: u64, reason: AdjustReason) {
        let Some(running) = self.table.clock().running() else { return };
        if self.table.clock().left_ms().is_some() {
            let standing = StandingClock { from, until, running, reason, is_short: false };
            self.standing = Some(Box::new(standing));
        }
    }

    /// Credits the clock that stands, once its player is there or the time for that is over.
    /// Returns whether an event is being appended.
    pub(super) fn credit_standing(&mut self, is_there: bool, pass: &mut Pass<'_>) -> bool {
        let Some(&StandingClock { from, until, running: (seat, _), reason, is_short }) =
            self.standing()
        else {
            self.standing = None;
            return false;
        };
        let is_there = is_there
            || self.audience.is_online(seat)
            || self.presence.is_elsewhere(&self.table, seat);
        if is_short || (!is_there && pass.now < until) || self.context.reads_only {
            return false;
        }
        if pass.now.saturating_sub(from) < milliseconds(LATE_TURN) {
            self.keep_short(from, pass.now);
            return false;
        }
        self.end_wait(from, until, reason, pass)
    }

    /// A wait that has ended soon is credited only when the flag would fall.
    pub(super) fn keep_short(&mut self, from: u64, ended: u64) {
        if ended.saturating_sub(from) < STALL_MIN_MS {
            self.standing = None;
        } else if let Some(standing) = &mut self.standing {
            (standing.until, standing.is_short) = (ended, true);
        }
    }

    /// Credits the clock that stands until now: a decision needs it.
    pub(super) fn credit_early(&mut self, pass: &mut Pass<'_>) -> bool {
        let Some(&StandingClock { from, until, reason, .. }) = self.standing() else {
            return false;
        };
        self.end_wait(from, until, reason, pass)
    }

    fn end_wait(
        &mut self,
        from: u64,
        until: u64,
        reason: AdjustReason,
        pass: &mut Pass<'_>,
    ) -> bool {
        let ended = pass.now.clamp(from, until.max(from));
        let at = ended.max(self.table.last_at());
        let action = ServerAction::Credit { from: from + (at - ended), reason };
        let credited = self.table.decide_server_action(&action, at);
        let Some(events) = credited.ok().filter(|events| !events.is_empty()) else {
            self.standing = None;
            return false;
        };
        self.append(events, Cause::Server, pass);
        true
    }

    /// Whether with this command the player whose clock stands is there.
    pub(super) fn is_there_with(&self, command: &Command) -> bool {
        if self.standing.is_none() {
            return false;
        }
        let client = if let Command::Join(join) = command {
            &join.client
        } else if let Command::Act(act) = command {
            &act.client
        } else {
            return false;
        };
        let seat = self.seat_of(client);
        seat.is_some() && seat == self.table.to_move()
    }
}
