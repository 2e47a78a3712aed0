//! Users whom a user mutes or blocks, and the user's settings.

use adamant_protocol::{
    ToClient, UserName,
    from_client::{Block, Blocks, Mute, Mutes, SettingsGet, SettingsSet, Unblock, Unmute},
    to_client::{BlockList, Done, MuteList, SettingsState},
    values::UserSettings,
};

use crate::{
    cluster::{ClusterEvent, Heard},
    error::Denial,
    limits::{RELATION_ROW_BYTES, RELATIONS_PER_USER_MAX},
    lobby::Lobby,
    outbound::{client::ClientHandle, frame::Frame},
    runtime::time::TimeSource,
    store::{RelateOutcome, Relation, Store, StoreError},
};

/// Mutes, blocks and settings. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct RelationService {
    store: Store,
    lobby: Lobby,
    time: TimeSource,
}

impl RelationService {
    /// Creates the service.
    pub(crate) const fn new(store: Store, lobby: Lobby, time: TimeSource) -> Self {
        Self { store, lobby, time }
    }

    /// Mutes a user for all sessions of the client's user.
    pub(crate) async fn mute(&self, client: &ClientHandle, request: Mute) -> Result<Done, Denial> {
        self.relate(client, Relation::Mutes, &request.user).await?;
        Ok(Done { user: Some(request.user), ..Done::new(request.id) })
    }

    /// Ends the mute of a user.
    pub(crate) async fn unmute(
        &self,
        client: &ClientHandle,
        request: Unmute,
    ) -> Result<Done, Denial> {
        self.unrelate(client, Relation::Mutes, &request.user).await?;
        Ok(Done { user: Some(request.user), ..Done::new(request.id) })
    }

    /// Lists the users that the client's user has muted.
    pub(crate) async fn mutes(
        &self,
        client: &ClientHandle,
        request: Mutes,
    ) -> Result<MuteList, Denial> {
        let user = named(client)?.clone();
        let users = self.store.related(Relation::Mutes, user).await?;
        Ok(MuteList { re: request.id, users })
    }

    /// Blocks a user.
    pub(crate) async fn block(
        &self,
        client: &ClientHandle,
        request: Block,
    ) -> Result<Done, Denial> {
        self.relate(client, Relation::Blocks, &request.user).await?;
        Ok(Done { user: Some(request.user), ..Done::new(request.id) })
    }

    /// Ends the block of a user.
    pub(crate) async fn unblock(
        &self,
        client: &ClientHandle,
        request: Unblock,
    ) -> Result<Done, Denial> {
        self.unrelate(client, Relation::Blocks, &request.user).await?;
        Ok(Done { user: Some(request.user), ..Done::new(request.id) })
    }

    /// Lists the users that the client's user has blocked.
    pub(crate) async fn blocks(
        &self,
        client: &ClientHandle,
        request: Blocks,
    ) -> Result<BlockList, Denial> {
        let user = named(client)?.clone();
        let users = self.store.related(Relation::Blocks, user).await?;
        Ok(BlockList { re: request.id, users })
    }

    async fn relate(
        &self,
        client: &ClientHandle,
        relation: Relation,
        other: &UserName,
    ) -> Result<(), Denial> {
        let (verb, limit, what) = match relation {
            Relation::Mutes => ("mute", "mutes", "muted users"),
            Relation::Blocks => ("block", "blocks", "blocked users"),
        };
        let user = named(client)?;
        if user.is_same(other.as_str()) {
            return Err(Denial::BadMessage(format!("you cannot {verb} yourself")));
        }
        self.charge(client)?;
        let related = self.store.relate(relation, user.clone(), other.clone()).await?;
        match related {
            RelateOutcome::Stored(hidden) => self.hide(user, &hidden),
            RelateOutcome::UserNotFound => {
                return Err(Denial::NotFound(format!("user called {other}")));
            }
            RelateOutcome::LimitReached => {
                let max = usize::try_from(RELATIONS_PER_USER_MAX).unwrap_or(usize::MAX);
                return Err(Denial::LimitReached { limit, what, max, by_others: false });
            }
        }
        Ok(())
    }

    async fn unrelate(
        &self,
        client: &ClientHandle,
        relation: Relation,
        other: &UserName,
    ) -> Result<(), Denial> {
        let user = named(client)?;
        let hidden = self.store.unrelate(relation, user.clone(), other.clone()).await?;
        self.hide(user, &hidden);
        Ok(())
    }

    /// Tells all sessions of a user whose talk is hidden from them, on all nodes.
    fn hide(&self, user: &UserName, hidden: &[UserName]) {
        self.set_hidden(user, hidden);
        self.lobby.cluster().publish(|| ClusterEvent::Muted(user.clone()));
    }

    /// The same for the sessions of this node.
    fn set_hidden(&self, user: &UserName, hidden: &[UserName]) {
        for session in self.lobby.sessions_of(user) {
            session.muted.set(hidden.to_vec());
        }
    }

    /// Returns the settings of the client's user.
    pub(crate) async fn settings(
        &self,
        client: &ClientHandle,
        request: SettingsGet,
    ) -> Result<SettingsState, Denial> {
        let settings = self.store.settings(named(client)?.clone()).await?;
        Ok(SettingsState { re: Some(request.id), settings })
    }

    /// Changes the settings of the client's user, and tells the user's other sessions.
    pub(crate) async fn set_settings(
        &self,
        client: &ClientHandle,
        request: SettingsSet,
    ) -> Result<SettingsState, Denial> {
        let SettingsSet { id, challenges } = request;
        let user = named(client)?;
        self.charge(client)?;
        let stored = self.store.settings(user.clone()).await?;
        let settings = UserSettings { challenges: challenges.unwrap_or(stored.challenges) };
        self.store.set_settings(user.clone(), settings).await?;
        let changed = Frame::of(&ToClient::Settings(SettingsState { re: None, settings }));
        let sessions = self.lobby.sessions_of(user);
        for other in sessions.iter().filter(|other| other.session != client.session) {
            // An overflow ends that session; the next welcome has the settings.
            other.outbox.send_or_evict(&changed);
        }
        self.lobby.cluster().publish(|| ClusterEvent::SettingsChanged(user.clone()));
        Ok(SettingsState { re: Some(id), settings })
    }

    /// Takes in what this node hears of others.
    pub(crate) async fn on_heard(&self, heard: &Heard) {
        let reread = match heard {
            Heard::Event(_, ClusterEvent::Muted(user)) => self.reread_hidden(user).await,
            Heard::Event(_, ClusterEvent::SettingsChanged(user)) => {
                self.reread_settings(user).await
            }
            Heard::Gap => self.reread_all().await,
            Heard::Event(..) | Heard::Appended(_) | Heard::NodeGone(_) => Ok(()),
        };
        if let Err(error) = reread {
            // operator: the store failed; sessions of this node use the earlier ones until they
            // reconnect
            tracing::warn!(%error, "reading whom users mute, or their settings, failed");
        }
    }

    /// Another node has changed whom a user mutes or blocks.
    async fn reread_hidden(&self, user: &UserName) -> Result<(), StoreError> {
        if !self.lobby.sessions_of(user).is_empty() {
            let seed = self.store.session_seed(user.clone()).await?;
            self.set_hidden(user, &seed.muted);
        }
        Ok(())
    }

    /// Another node has changed the settings of a user.
    async fn reread_settings(&self, user: &UserName) -> Result<(), StoreError> {
        let sessions = self.lobby.sessions_of(user);
        if !sessions.is_empty() {
            let settings = self.store.settings(user.clone()).await?;
            let changed = Frame::of(&ToClient::Settings(SettingsState { re: None, settings }));
            for session in sessions {
                session.outbox.send_or_evict(&changed);
            }
        }
        Ok(())
    }

    /// Any user of this node may have muted others, one after the other: no client waits for it.
    async fn reread_all(&self) -> Result<(), StoreError> {
        for user in self.lobby.users_here() {
            self.reread_hidden(&user).await?;
        }
        Ok(())
    }

    /// Counts a row for the caller, who may have spent what may be stored.
    fn charge(&self, client: &ClientHandle) -> Result<(), Denial> {
        if let Some(quota) = &client.quota {
            let now_ms = self.time.now_ms();
            quota.stored.check(now_ms)?;
            quota.stored.charge(RELATION_ROW_BYTES, now_ms);
        }
        Ok(())
    }
}

fn named(client: &ClientHandle) -> Result<&UserName, Denial> {
    client.user.as_ref().ok_or_else(|| Denial::Forbidden("say who you are first".to_owned()))
}
