//! What the server decides at a table rather than a player: who was away, what an outage cost, what
//! a result is worth. That these things are so is the server's to know; whether they can be so here
//! is the table's.

use super::{
    table::{Draft, Table},
    transition::Cause,
};
use crate::{
    event::{AdjustReason, Events},
    game::LeaveReason,
    refusal::Refusal,
    seat::{BySeat, Seat},
};

/// Something that the server decides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ruling {
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
    pub fn rule(&self, ruling: &Ruling, now: u64) -> Result<Events, Refusal> {
        let mut draft = self.draft(now);
        match ruling {
            Ruling::Outage { from } => draft.excuse(*from),
            Ruling::Abandoned { seat, claimed_by } => {
                self.is_ready(draft.at)?;
                self.state.may_claim(*claimed_by, *seat)?;
                let claimed_by = Some(*claimed_by);
                draft.happen(&self.state.leaving(*seat, LeaveReason::Abandoned, claimed_by));
            }
            Ruling::Rated { before, after } => {
                self.state.may_rate(&self.setup, [before.len(), after.len()])?;
                draft.happen(&Cause::Rate { before: before.clone(), after: after.clone() });
            }
        }
        Ok(draft.settle())
    }
}

impl Draft<'_> {
    /// Gives the running clock back what it has lost since `from`, unless it had run out by then.
    fn excuse(&mut self, from: u64) {
        self.settle_due();
        if self.events.is_full() {
            return;
        }
        if let Some(lapse) = self.state.lapse(from.min(self.at)) {
            return self.happen(&lapse);
        }
        let has_clock = self.state.clock.left_ms().is_some();
        let Some((seat, since)) = self.state.clock.running().filter(|_| has_clock) else { return };
        let by_ms = self.at.saturating_sub(from.max(since));
        if by_ms > 0 {
            self.happen(&Cause::Adjust { seat, by_ms, reason: AdjustReason::Outage });
        }
    }
}
