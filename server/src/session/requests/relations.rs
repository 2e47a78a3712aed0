//! Whom a user mutes and blocks, and the user's settings.

use adamant_protocol::from_client::{
    Block, Blocks, Mute, Mutes, SettingsGet, SettingsSet, Unblock, Unmute,
};

use crate::session::session::Session;
use crate::{error::Denial, outbound::client::ClientHandle};

impl Session {
    pub(in crate::session) async fn mute(
        &self,
        client: &ClientHandle,
        request: Mute,
    ) -> Result<(), Denial> {
        self.reply(self.services.relations.mute(client, request).await?).await;
        Ok(())
    }

    pub(in crate::session) async fn unmute(
        &self,
        client: &ClientHandle,
        request: Unmute,
    ) -> Result<(), Denial> {
        self.reply(self.services.relations.unmute(client, request).await?).await;
        Ok(())
    }

    pub(in crate::session) async fn list_mutes(
        &self,
        client: &ClientHandle,
        request: Mutes,
    ) -> Result<(), Denial> {
        self.reply(self.services.relations.mutes(client, request).await?).await;
        Ok(())
    }

    pub(in crate::session) async fn block(
        &self,
        client: &ClientHandle,
        request: Block,
    ) -> Result<(), Denial> {
        self.reply(self.services.relations.block(client, request).await?).await;
        Ok(())
    }

    pub(in crate::session) async fn unblock(
        &self,
        client: &ClientHandle,
        request: Unblock,
    ) -> Result<(), Denial> {
        self.reply(self.services.relations.unblock(client, request).await?).await;
        Ok(())
    }

    pub(in crate::session) async fn list_blocks(
        &self,
        client: &ClientHandle,
        request: Blocks,
    ) -> Result<(), Denial> {
        self.reply(self.services.relations.blocks(client, request).await?).await;
        Ok(())
    }

    pub(in crate::session) async fn show_settings(
        &self,
        client: &ClientHandle,
        request: SettingsGet,
    ) -> Result<(), Denial> {
        self.reply(self.services.relations.settings(client, request).await?).await;
        Ok(())
    }

    pub(in crate::session) async fn change_settings(
        &self,
        client: &ClientHandle,
        request: SettingsSet,
    ) -> Result<(), Denial> {
        self.reply(self.services.relations.set_settings(client, request).await?).await;
        Ok(())
    }
}
