//! The server's word for a record, on request.

use adamant_protocol::{EventFrame, from_client::Signature};
use adamant_record::Head;

use super::conversation::Conversation;
use crate::{
    error::Denial,
    store::{Journal as _, StoreError},
};

impl Conversation {
    /// Vouches for a game's record as it stands. The last record names its chain, which stays what
    /// it is while the game goes on.
    pub(super) async fn sign(&self, request: Signature) -> Result<(), Denial> {
        let Signature { id, game } = request;
        let seq = self.services.rooms.verdict(&game, None).await?.seq;
        let records = self.services.rooms.store().read(game.clone(), seq, 1).await?;
        let (_, chain) = records
            .first()
            .and_then(|record| EventFrame::unseal(record))
            .ok_or_else(|| StoreError::Failed(format!("{game} has no record {seq}").into()))?;
        let mut signed = self.services.signing.sign(Head { game, seq, chain });
        signed.re = Some(id);
        self.reply(signed).await;
        Ok(())
    }
}
