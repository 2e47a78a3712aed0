//! Talk about a game: the answer comes first, then the broadcast.

use adamant_protocol::from_client::{Say, Talk, Unsay};

use crate::session::session::Session;
use crate::{error::Denial, outbound::client::ClientHandle};

impl Session {
    pub(in crate::session) async fn say(
        &self,
        client: &ClientHandle,
        request: Say,
    ) -> Result<(), Denial> {
        let (done, broadcast) = self.services.talk.say(client, request).await?;
        self.reply(done).await;
        if let Some(broadcast) = broadcast {
            self.services.talk.broadcast(broadcast).await;
        }
        Ok(())
    }

    pub(in crate::session) async fn unsay(
        &self,
        client: &ClientHandle,
        request: Unsay,
    ) -> Result<(), Denial> {
        let (done, broadcast) = self.services.talk.unsay(client, request).await?;
        self.reply(done).await;
        if let Some(broadcast) = broadcast {
            self.services.talk.broadcast(broadcast).await;
        }
        Ok(())
    }

    pub(in crate::session) async fn list_talk(
        &self,
        client: &ClientHandle,
        request: Talk,
    ) -> Result<(), Denial> {
        let list = self.services.talk.list(client, request).await?;
        self.reply(list).await;
        Ok(())
    }
}
