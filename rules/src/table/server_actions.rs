//! Actions of the server at a table: an outage, an abandoned seat, a rated result. The server knows
//! the facts; the table checks that they are possible.

use super::{
    table::{Table, Trial},
    transition::Transition,
};
use crate::{
    event::{AdjustReason, Events},
    refusal::Refusal,
    seat::{BySeat, Seat},
};

/// An action of the server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ServerAction {
    /// The player on the move could not move.
    Credit {
        /// Since when, in milliseconds of the Unix epoch.
        from: u64,
        /// Why.
        reason: AdjustReason,
    },
    /// A player has gone, and another claims the consequence.
    Abandoned {
        /// The seat that has left. If it has never moved, there is no game to win.
        seat: Seat,
        /// The seat that claims it.
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

impl ServerAction {
    /// The server was down since a time, in milliseconds of the Unix epoch. No player could move.
    pub const fn outage(from: u64) -> Self {
        Self::Credit { from, reason: AdjustReason::Outage }
    }
}

impl Table {
    /// Returns the events of a server action, or why it is refused. Changes nothing.
    ///
    /// A credit comes before any other question about the time since. It has no events if it cost
    /// no player time; a flag that was down before it falls. Before the other actions, the caller
    /// asks [`Table::overdue`] for the same `now`, as for acts.
    pub fn decide_server_action(&self, action: &ServerAction, now: u64) -> Result<Events, Refusal> {
        let mut trial = self.trial(now);
        match action {
            ServerAction::Credit { from, reason } => trial.credit(*from, *reason),
            ServerAction::Abandoned { seat, claimed_by } => {
                self.is_ready(trial.at)?;
                self.state.may_claim(*claimed_by, *seat)?;
                trial.apply(&self.state.abandonment(*seat, *claimed_by));
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
    fn credit(&mut self, from: u64, reason: AdjustReason) {
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
            self.apply(&Transition::Adjust { seat, by_ms, reason });
        }
    }
}
