//! Reports challenges to users who are away.

use adamant_protocol::{UserName, to_client::Challenged};

use super::lobby::Lobby;
use crate::occasions::{Occasion, OccasionKind};

impl Lobby {
    /// Reports a challenge to those of its users who are not connected.
    pub(super) fn report_challenge(&self, challenged: &Challenged) {
        let Challenged { by, seats, .. } = challenged;
        for user in seats.iter().filter(|user| !user.is_same(by.as_str()) && !self.is_online(user))
        {
            self.rooms.occasions().report(|| {
                let third =
                    |seat: &&UserName| !seat.is_same(by.as_str()) && !seat.is_same(user.as_str());
                let others = [by].into_iter().chain(seats.iter().filter(third));
                Occasion {
                    user: user.clone(),
                    rules: challenged.rules.clone(),
                    others: others.cloned().collect(),
                    at: challenged.created,
                    subject: OccasionKind::Challenge(challenged.challenge.clone()),
                }
            });
        }
    }
}
