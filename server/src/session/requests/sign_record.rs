//! Signs the head of a record.

use adamant_protocol::{GameId, UserName, from_client::Signature, to_client::SignedHead};
use adamant_record::Head;

use crate::session::{services::Services, session::Session};
use crate::{address::ClientAddress, error::Denial, outbound::client::ClientHandle, room::ReadFor};

impl Services {
    /// Signs the head of a game's record, as far as this user or an anonymous client may see it.
    pub(crate) async fn sign_head(
        &self,
        game: &GameId,
        user: Option<&UserName>,
        from: Option<ClientAddress>,
    ) -> Result<SignedHead, Denial> {
        let plan = self.rooms.resume_plan(game, user, ReadFor::Client(from), None).await?;
        let head = Head { game: game.clone(), seq: plan.seq, chain: plan.chain };
        // Without room for a key there is none.
        self.signing.sign(head).ok_or(Denial::ReadOnly)
    }
}

impl Session {
    pub(in crate::session) async fn sign_record(
        &self,
        client: &ClientHandle,
        request: Signature,
    ) -> Result<(), Denial> {
        let (user, from) = (client.user.as_ref(), client.from);
        let signed = self.services.sign_head(&request.game, user, from).await?;
        self.reply(SignedHead { re: Some(request.id), ..signed }).await;
        Ok(())
    }
}
