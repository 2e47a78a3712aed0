//! The server's word for a record, for whoever asks.

use adamant_protocol::{EventFrame, GameId, to_client::SignedHead};
use adamant_record::Head;

use super::Services;
use crate::{
    error::Denial,
    store::{Journal as _, StoreError},
};

impl Services {
    /// Vouches for a game's record as it stands. The last record names its chain, which stays what
    /// it is while the game goes on.
    pub(crate) async fn vouch_for(&self, game: &GameId) -> Result<SignedHead, Denial> {
        let seq = self.rooms.verdict(game, None, None).await?.seq;
        let records = self.rooms.store().read(game.clone(), seq, 1).await?;
        let (_, chain) = records
            .first()
            .and_then(|record| EventFrame::unseal(record))
            .ok_or_else(|| StoreError::Failed(format!("{game} has no record {seq}").into()))?;
        Ok(self.signing.sign(Head { game: game.clone(), seq, chain }))
    }
}
