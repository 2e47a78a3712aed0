//! How a session's user wants to be notified while away.

use adamant_protocol::{
    UserName,
    from_client::{
        PushList, PushSubscribe, PushUnsubscribe, WebhookDelete, WebhookGet, WebhookSet,
    },
};

use crate::session::session::Session;
use crate::{
    error::Denial, limits::NOTIFICATION_ROW_BYTES, outbound::client::ClientHandle, store::User,
};

fn user(client: &ClientHandle) -> Result<UserName, Denial> {
    let user = client.user.clone();
    user.ok_or_else(|| Denial::Forbidden("say who you are first".to_owned()))
}

impl Session {
    pub(in crate::session) async fn subscribe_push(
        &self,
        client: &ClientHandle,
        request: PushSubscribe,
    ) -> Result<(), Denial> {
        user(client)?;
        let token = self.opened_with.ok_or_else(|| {
            Denial::Forbidden("a push subscription needs a session with a token".to_owned())
        })?;
        self.allow_stored(client)?;
        let done = self.services.notifications.subscribe(token, request).await?;
        self.charge(client, NOTIFICATION_ROW_BYTES);
        self.reply(done).await;
        Ok(())
    }

    pub(in crate::session) async fn unsubscribe_push(
        &self,
        client: &ClientHandle,
        request: PushUnsubscribe,
    ) -> Result<(), Denial> {
        let done = self.services.notifications.unsubscribe(user(client)?, request).await?;
        self.reply(done).await;
        Ok(())
    }

    pub(in crate::session) async fn list_push(
        &self,
        client: &ClientHandle,
        request: PushList,
    ) -> Result<(), Denial> {
        let list = self.services.notifications.subscriptions(user(client)?, request).await?;
        self.reply(list).await;
        Ok(())
    }

    /// The user whose webhook is meant: a bot of the session's user, or that user.
    async fn webhook_owner(
        &self,
        client: &ClientHandle,
        named: Option<UserName>,
    ) -> Result<User, Denial> {
        let account = self.person(client).await?;
        self.token_owner(&account, named).await
    }

    pub(in crate::session) async fn set_webhook(
        &self,
        client: &ClientHandle,
        request: WebhookSet,
    ) -> Result<(), Denial> {
        let WebhookSet { id, url, user } = request;
        let owner = self.webhook_owner(client, user).await?;
        self.allow_stored(client)?;
        let done = self.services.notifications.set_webhook(&owner, id, url).await?;
        self.charge(client, NOTIFICATION_ROW_BYTES);
        self.reply(done).await;
        Ok(())
    }

    pub(in crate::session) async fn show_webhook(
        &self,
        client: &ClientHandle,
        request: WebhookGet,
    ) -> Result<(), Denial> {
        let owner = self.webhook_owner(client, request.user).await?;
        let webhook = self.services.notifications.webhook(owner.name, request.id).await?;
        self.reply(webhook).await;
        Ok(())
    }

    pub(in crate::session) async fn delete_webhook(
        &self,
        client: &ClientHandle,
        request: WebhookDelete,
    ) -> Result<(), Denial> {
        let owner = self.webhook_owner(client, request.user).await?;
        let done = self.services.notifications.delete_webhook(&owner, request.id).await?;
        self.reply(done).await;
        Ok(())
    }
}
