//! What the server decides at a table rather than a player: who was away, what an outage cost, what
//! a result is worth. That these things are so is the server's to know; whether they can be so here
//! is the table's.

use super::{
    table::{Table, Trial},
    transition::Transition,
};
use crate::{
    event::{AdjustReason, Events},
    game::LeaveReason,
    refusal::Refusal,
    seat::{BySeat, Seat},
};

/// Something that the server decides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ServerAction {
    /// The server was away, so that nobody could move.
    Outage {
        /// Since when, in milliseconds of the Unix epoch.
        from: u64,
    },
    /// A player has gone, and another claims the consequence.
    Abandoned {
        /// Who has gone.
        seat: Seat,
        /// Who claims it.
        claimed_by: Seat,
    },
    /// The result of a rated game has been counted.
    Rated {
        /// What each seat's user was rated before.
        before: BySeat<u16>,
        /// And after.
        after: BySeat<u16>,
    },
}

impl Table {
    /// What a ruling leads to, or why it cannot be made. Changes nothing.
    ///
    /// An outage is ruled before anything else is asked about the time since. It leads to nothing
    /// where it cost nobody anything; a flag that had fallen before it falls. Before the others, the
    /// caller asks [`Table::overdue`] for the same `now`, as for acts.
    pub fn decide_server_action(&self, action: &ServerAction, now: u64) -> Result<Events, Refusal> {
        let mut trial = self.trial(now);
        match action {
            ServerAction::Outage { from } => trial.credit(*from),
            ServerAction::Abandoned { seat, claimed_by } => {
                self.is_ready(trial.at)?;
                self.state.may_claim(*claimed_by, *seat)?;
                let claimed_by = Some(*claimed_by);
                trial.apply(&self.state.departure(*seat, LeaveReason::Abandoned, claimed_by));
            }
            ServerAction::Rated { before, after } => {
                self.state.may_rate(&self.setup, [before.len(), after.len()])?;
                trial.apply(&Transition::Rate { before: before.clone(), after: after.clone() });
            }
        }
        Ok(trial.finish())
    }
}

impl Trial<'_> {
    /// Gives the running clock back what it has lost since `from`, unless it had run out by then.
    fn credit(&mut self, from: u64) {
        self.apply_pending();
        if self.events.is_full() {
            return;
        }
        if let Some(timeout) = self.state.timeout(from.min(self.at)) {
            return self.apply(&timeout);
        }
        let has_clock = self.state.clock.left_ms().is_some();
        let Some((seat, since)) = self.state.clock.running().filter(|_| has_clock) else { return };
        let by_ms = self.at.saturating_sub(from.max(since));
        if by_ms > 0 {
            self.apply(&Transition::Adjust { seat, by_ms, reason: AdjustReason::Outage });
        }
    }
}
