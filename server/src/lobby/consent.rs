//! Who plays with whom: blocks, and the settings of those challenged.

use adamant_protocol::{UserName, values::Challengers};

use super::{blocks::BlocksAround, challenges::Participants, lobby::Lobby};
use crate::{error::Denial, outbound::client::ClientHandle, store::StoreError};

impl Lobby {
    /// The blocks by and of a user.
    pub(super) async fn blocks_around(&self, user: &UserName) -> Result<BlocksAround, StoreError> {
        Ok(BlocksAround::new(self.store.relations.blocks_around(user.clone()).await?))
    }

    /// Rejects a user's game with others if one has blocked the other.
    pub(super) async fn check_blocks(
        &self,
        user: &UserName,
        others: &[UserName],
    ) -> Result<(), Denial> {
        self.blocks_around(user).await?.check(user, others)
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
            match self.store.users.settings(user.clone()).await?.challenges {
                Challengers::Accounts if client.guest => {
                    return Err(Denial::AcceptsAccounts(user.clone()));
                }
                Challengers::All | Challengers::Accounts => {}
                Challengers::None => return Err(Denial::AcceptsNone(user.clone())),
            }
        }
        Ok(())
    }
}
