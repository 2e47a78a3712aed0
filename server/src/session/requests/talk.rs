//! Saying something about a game, and taking it back: answered first, then broadcast. What was said,
//! and whom one would rather not hear.

use adamant_protocol::from_client::{Mute, Mutes, Say, Talk, Unmute, Unsay};

use crate::session::dispatch::Session;
use crate::{error::Denial, outbound::client::Caller};

impl Session {
    pub(in crate::session) async fn say(
        &self,
        caller: &Caller,
        request: Say,
    ) -> Result<(), Denial> {
        let (done, broadcast) = self.services.talk.say(caller, request).await?;
        self.reply(done).await;
        if let Some(broadcast) = broadcast {
            self.services.talk.broadcast(broadcast).await;
        }
        Ok(())
    }

    pub(in crate::session) async fn unsay(
        &self,
        caller: &Caller,
        request: Unsay,
    ) -> Result<(), Denial> {
        let (done, broadcast) = self.services.talk.unsay(caller, request).await?;
        self.reply(done).await;
        if let Some(broadcast) = broadcast {
            self.services.talk.broadcast(broadcast).await;
        }
        Ok(())
    }

    pub(in crate::session) async fn list_talk(
        &self,
        caller: &Caller,
        request: Talk,
    ) -> Result<(), Denial> {
        let list = self.services.talk.list(caller, request).await?;
        self.reply(list).await;
        Ok(())
    }

    pub(in crate::session) async fn mute(
        &self,
        caller: &Caller,
        request: Mute,
    ) -> Result<(), Denial> {
        let done = self.services.talk.mute(caller, request).await?;
        self.reply(done).await;
        Ok(())
    }

    pub(in crate::session) async fn unmute(
        &self,
        caller: &Caller,
        request: Unmute,
    ) -> Result<(), Denial> {
        let done = self.services.talk.unmute(caller, request).await?;
        self.reply(done).await;
        Ok(())
    }

    pub(in crate::session) async fn list_mutes(
        &self,
        caller: &Caller,
        request: Mutes,
    ) -> Result<(), Denial> {
        let list = self.services.talk.mutes(caller, request).await?;
        self.reply(list).await;
        Ok(())
    }
}
