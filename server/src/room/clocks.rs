//! Clocks that have run out, and clocks that stand while the player on the move cannot move: until
//! the player is there, after an outage, after the end of the player's node or before the first
//! turn, and until the move before is durable.

use adamant_rules::event::AdjustReason;
use adamant_rules::{Event, EventKind, Events, Seat, TimeControl, table::ServerAction};

use crate::limits::{
    ARRIVAL_MAX, FLAG_CHECK_EVERY, FLAG_GRACE, LATE_TURN, NODE_GONE_KNOWN_MS, NODE_GONE_MS,
    RETURN_MAX, STALL_MIN_MS,
};
use crate::room::{Cause, Command, Pass, Room, StandingClock, Step, loaded::adjusted};
use crate::{cluster::GoneNode, runtime::time::milliseconds, store::Outage};

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
            None => self.append(self.or_offer_seat(events), Cause::Server, pass),
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

    /// The clock that stands, if it stands still.
    pub(super) fn standing(&self) -> Option<&StandingClock> {
        let standing = self.standing.as_deref()?;
        (self.table.clock().running() == Some(standing.running)).then_some(standing)
    }

    /// When a clock that stands runs again at the latest.
    fn stands_until(&self) -> Option<u64> {
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

    /// Until when the player on the move may come back after this outage: the next begins again.
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
        debug_assert!(from <= until, "a clock stands from {from} until {until}");
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
    fn keep_short(&mut self, from: u64, ended: u64) {
        if ended.saturating_sub(from) < STALL_MIN_MS {
            self.standing = None;
        } else if let Some(standing) = &mut self.standing {
            (standing.until, standing.is_short) = (ended, true);
        }
    }

    /// Credits the clock that stands until now: a decision needs it.
    fn credit_early(&mut self, pass: &mut Pass<'_>) -> bool {
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

    /// Notes an applied event of any node: a clock that was adjusted, or seats that have other
    /// players.
    pub(super) fn note_applied(&mut self, event: &Event) {
        if let Some((seat, at)) = adjusted(event) {
            self.presence.set_adjusted(&self.table, seat, at);
        }
        match event.kind {
            EventKind::Swapped { .. } => {}
            EventKind::Substituted { seat, .. } => {
                self.presence.substitute(&self.table, event.at);
                self.payers[seat] = None;
            }
            _ => return,
        }
        self.audience.reseat(|user| self.table.seat_of(user.as_str()));
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
        if self.context.cluster.is_alone() {
            return;
        }
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
