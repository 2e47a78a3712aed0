//! Reports challenges, and lines of talk, to users who are away.

use adamant_protocol::{
    UserName,
    to_client::{Challenged, GameEntry},
};

use super::lobby::Lobby;
use crate::{
    occasions::{Occasion, OccasionKind},
    store::{Relation, StoreError},
};

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

    /// Reports a line that a player has written for the other players of a game to those who are
    /// not connected. Each hears of one line in a game until they come back.
    pub(crate) async fn report_line(
        &self,
        entry: &GameEntry,
        by: &UserName,
        at: u64,
    ) -> Result<(), StoreError> {
        if !self.rooms.occasions().are_enabled() {
            return Ok(());
        }
        let reported = &self.shared.lines_reported;
        let others =
            || entry.seats.iter().map(|seat| &seat.user).filter(|user| !user.is_same(by.as_str()));
        for user in others() {
            if self.is_online(user)
                || !reported.allows(user, &entry.game)
                || self.hides(user, by).await?
                || !reported.add(user, &entry.game)
            {
                continue;
            }
            let third = others().filter(|other| !other.is_same(user.as_str()));
            self.rooms.occasions().report(|| Occasion {
                user: user.clone(),
                rules: entry.rules.clone(),
                others: [by].into_iter().chain(third).cloned().collect(),
                at,
                subject: OccasionKind::Line(entry.game.clone()),
            });
        }
        Ok(())
    }

    /// Whether a user mutes or blocks another.
    async fn hides(&self, user: &UserName, other: &UserName) -> Result<bool, StoreError> {
        for relation in [Relation::Mutes, Relation::Blocks] {
            let hidden = self.store.related(relation, user.clone()).await?;
            if hidden.iter().any(|hidden| hidden.is_same(other.as_str())) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
