//! Who plays with whom: blocks, owners of bots, and the settings of those challenged.

use adamant_protocol::{UserName, values::Challengers};

use super::{blocks::BlocksAround, lobby::Lobby, owners::SameOwner, terms::Participants};
use crate::{error::Denial, outbound::client::ClientHandle, store::StoreError};

impl Lobby {
    /// The blocks by and of a user.
    pub(super) async fn blocks_around(&self, user: &UserName) -> Result<BlocksAround, StoreError> {
        Ok(BlocksAround::new(self.store.blocks_around(user.clone()).await?))
    }

    /// Rejects a user's game with others if one has blocked the other.
    pub(super) async fn check_blocks(
        &self,
        user: &UserName,
        others: &[UserName],
    ) -> Result<(), Denial> {
        self.blocks_around(user).await?.check(user, others)
    }

    /// Returns those who may play no rated game against a user; no user if the game is not rated.
    pub(super) async fn same_owner(
        &self,
        user: &UserName,
        rated: bool,
    ) -> Result<SameOwner, Denial> {
        if !rated {
            return Ok(SameOwner::default());
        }
        let mut owner = self.user(user).await?;
        if let Some(name) = &owner.owner {
            owner = self.user(name).await?;
        }
        let bots = self.accounts.bots(&owner).await?;
        let names = bots.into_iter().map(|bot| bot.name).chain([owner.name]);
        Ok(SameOwner::new(names.collect()))
    }

    /// Rejects a rated game in which two players have the same owner.
    pub(super) async fn check_owners(&self, users: &[UserName], rated: bool) -> Result<(), Denial> {
        for user in users {
            self.same_owner(user, rated).await?.check(user, users)?;
        }
        Ok(())
    }

    /// Rejects a challenge that one of those challenged does not accept from this client.
    pub(super) async fn check_settings(
        &self,
        client: &ClientHandle,
        by: &UserName,
        players: &Participants,
    ) -> Result<(), Denial> {
        let others = players.seats.iter().filter(|other| !other.is_same(by.as_str()));
        for user in others {
            match self.store.settings(user.clone()).await?.challenges {
                Challengers::Accounts if client.guest => {
                    return Err(Denial::AcceptsAccounts(user.clone()));
                }
                Challengers::All | Challengers::Accounts => {}
                Challengers::None | Challengers::Unknown(_) => {
                    return Err(Denial::AcceptsNone(user.clone()));
                }
            }
        }
        Ok(())
    }
}
