//! How the lobby deals with invites: made, shown, taken, cancelled and expired.

use adamant_protocol::{
    GameId, InviteId, RequestId, ToClient, UserName,
    from_client::{Invite, InviteInfo},
    to_client::{ClosedReason, Done, InviteEntry, InviteList, InviteState},
};

use super::{
    game_config::GameConfig,
    invites,
    lobby::{Lobby, StartedGame},
};
use crate::{
    cluster::ClusterEvent,
    error::Denial,
    limits::ORIGIN_TRIES_MAX,
    outbound::client::ClientHandle,
    store::{JoinInviteOutcome, Origin, StoredInvite, has_name},
};

impl Lobby {
    /// Makes an invite. It is stored before it is acknowledged.
    pub(crate) async fn invite(
        &self,
        client: &ClientHandle,
        request: Invite,
    ) -> Result<Done, Denial> {
        let by = player_name(client)?;
        let config = GameConfig::read(
            &request.rules,
            &request.options,
            request.clock,
            request.rated,
            (request.delay, request.unlisted),
            usize::from(request.players),
        )?;
        let (now_ms, entropy) = (self.time.now_ms(), &mut self.entropy.clone());
        let maker = (by, client.bot, client.guest);
        let entry = invites::entry(&config, &request, maker, now_ms, entropy)?;
        let bots = if client.bot { vec![by.clone()] } else { Vec::new() };
        let mut done = Done::new(request.id);
        done.invite = Some(entry.invite.clone());
        done.expires = Some(entry.expires);
        self.close_expired().await;
        let stored = StoredInvite { entry, bots, from: self.network_of(client), version: 0 };
        let added = self.store.invites.add_invite(stored.clone()).await;
        added.inspect_err(|error| self.doubt(error))??;
        self.show_invite(stored);
        self.shared.expiry_changed.notify_one();
        Ok(done)
    }

    /// Lists the new state of an open invite, and announces it.
    fn show_invite(&self, stored: StoredInvite) {
        let id = stored.entry.invite.clone();
        self.invitations().invites.put(stored);
        self.cluster.publish(|| ClusterEvent::InviteChanged(id));
    }

    /// Lists the open invites that the caller's user has made or joined.
    pub(crate) async fn list_invites(
        &self,
        client: &ClientHandle,
        re: RequestId,
    ) -> Result<InviteList, Denial> {
        let user = player_name(client)?;
        self.close_expired().await;
        Ok(InviteList { re, invites: self.invitations().invites.of_user(user) })
    }

    /// Shows an invite, or the game that it has become.
    pub(crate) async fn invite_info(&self, request: InviteInfo) -> Result<InviteState, Denial> {
        let InviteInfo { id, invite } = request;
        let entry = self.invite_entry(&invite).await?;
        Ok(InviteState { re: Some(id), entry })
    }

    /// Returns an invite that is open or that has become a game.
    pub(crate) async fn invite_entry(&self, invite: &InviteId) -> Result<InviteEntry, Denial> {
        self.close_expired().await;
        self.find_invite(invite).await
    }

    /// Returns an invite that is open or that has become a game. Another node may have made it a
    /// moment ago.
    async fn find_invite(&self, id: &InviteId) -> Result<InviteEntry, Denial> {
        let known = self.invitations().invites.get(id).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let stored = self.store.invites.find_invite(id.clone()).await?;
        Ok(stored.ok_or_else(|| invites::not_found(id))?.entry)
    }

    /// The same for one that is open.
    async fn find_open_invite(&self, id: &InviteId) -> Result<InviteEntry, Denial> {
        let entry = self.find_invite(id).await?;
        if entry.game.is_none() { Ok(entry) } else { Err(invites::not_found(id)) }
    }

    /// Takes an invite. Once all have joined the game begins. If another user has left or joined in
    /// the same moment, the client joins those who are there now.
    pub(crate) async fn accept_invite(
        &self,
        client: &ClientHandle,
        re: RequestId,
        id: &InviteId,
    ) -> Result<(Done, Option<StartedGame>), Denial> {
        let mut accepted = self.try_accept_invite(client, &re, id).await;
        for _ in 1..ORIGIN_TRIES_MAX {
            if !matches!(accepted, Err(Denial::OriginChanged(_))) {
                break;
            }
            accepted = self.try_accept_invite(client, &re, id).await;
        }
        accepted
    }

    async fn try_accept_invite(
        &self,
        client: &ClientHandle,
        re: &RequestId,
        id: &InviteId,
    ) -> Result<(Done, Option<StartedGame>), Denial> {
        let user = player_name(client)?;
        self.close_expired().await;
        self.check_live_games(client).await?;
        let open = self.find_open_invite(id).await?;
        self.check_blocks(user, &open.joined).await?;
        self.same_owner(user, open.rated).await?.check(user, &open.joined)?;
        if open.by.is_same(user.as_str()) {
            return Err(Denial::Forbidden("this invite is your own".to_owned()));
        }
        let joined = self.store.invites.join_invite(id.clone(), user.clone(), client.bot).await;
        match joined.inspect_err(|error| self.doubt(error))? {
            JoinInviteOutcome::Waiting(stored) => {
                self.show_invite((*stored).clone());
                self.send_to_users(&stored.entry.joined, &change(stored.entry.clone()));
                let mut done = Done::new(re.clone());
                done.invite = Some(id.clone());
                Ok((done, None))
            }
            JoinInviteOutcome::Full(full) => self.start_invite(re.clone(), *full).await,
            JoinInviteOutcome::AlreadyJoined => {
                Err(Denial::Forbidden("you have joined this invite already".to_owned()))
            }
            JoinInviteOutcome::LimitReached(reached) => Err(reached.into()),
            JoinInviteOutcome::Gone => {
                self.invitations().invites.close(id);
                Err(invites::not_found(id))
            }
        }
    }

    /// Starts the game of an invite that all have joined.
    async fn start_invite(
        &self,
        re: RequestId,
        full: StoredInvite,
    ) -> Result<(Done, Option<StartedGame>), Denial> {
        let id = full.entry.invite.clone();
        let mut done = Done::new(re);
        done.invite = Some(id.clone());
        match self.start_from_invite(&full).await {
            Ok((game, players)) => {
                done.game = Some(game.clone());
                self.invitations().invites.close(&id);
                let taken = InviteEntry { game: Some(game.clone()), ..full.entry };
                self.tell_closed_invite(taken, players.clone());
                let started = StartedGame { game, players, challenge: None, rematch_of: None };
                Ok((done, Some(started)))
            }
            Err(denial) => {
                if matches!(denial, Denial::OriginGone(_)) {
                    self.invitations().invites.close(&id);
                }
                Err(denial)
            }
        }
    }

    /// Tells the users of an invite that it is closed, on all nodes.
    fn tell_closed_invite(&self, entry: InviteEntry, users: Vec<UserName>) {
        self.send_to_users(&users, &change(entry.clone()));
        self.cluster.publish(|| ClusterEvent::InviteClosed { entry: Box::new(entry), users });
    }

    async fn start_from_invite(
        &self,
        full: &StoredInvite,
    ) -> Result<(GameId, Vec<UserName>), Denial> {
        let seated = invites::seated(&full.entry, &mut self.entropy.clone());
        self.check_live_games_of(&seated).await?;
        let players = self.players(&seated, &full.bots).await?;
        let setup = invites::config(&full.entry)?.setup(players)?;
        Ok((self.start_game(setup, full.claim(), None).await?, seated))
    }

    /// Takes one's own invite back, or leaves one that was joined.
    pub(crate) async fn cancel_invite(
        &self,
        client: &ClientHandle,
        re: RequestId,
        id: &InviteId,
    ) -> Result<Done, Denial> {
        let user = player_name(client)?;
        let entry = self.find_open_invite(id).await?;
        if entry.by.is_same(user.as_str()) {
            self.close_invite(entry, ClosedReason::Cancelled).await?;
        } else if has_name(&entry.joined, user) {
            self.leave_invite(id, user).await?;
        } else {
            return Err(Denial::Forbidden("this invite is not yours".to_owned()));
        }
        Ok(Done::new(re))
    }

    async fn leave_invite(&self, id: &InviteId, user: &UserName) -> Result<(), Denial> {
        let left = self.store.invites.leave_invite(id.clone(), user.clone()).await;
        let left = left.inspect_err(|error| self.doubt(error))?;
        let stored = left.ok_or_else(|| Denial::OriginGone(Origin::Invite(id.clone())))?;
        self.show_invite(stored.clone());
        let message = change(stored.entry.clone());
        self.send_to_users(stored.entry.joined.iter().chain([user]), &message);
        Ok(())
    }

    /// Closes an invite, unless it has been closed in the store. If the store cannot delete it, it
    /// stays open, and no client has seen it close.
    async fn close_invite(&self, entry: InviteEntry, reason: ClosedReason) -> Result<(), Denial> {
        let deleted = self.store.invites.delete_invite(entry.invite.clone()).await;
        let joined = deleted.inspect_err(|error| self.doubt(error))?;
        self.invitations().invites.close(&entry.invite);
        // A user may have joined at another node, which this one has not heard of.
        let Some(joined) = joined else {
            return Err(Denial::OriginGone(Origin::Invite(entry.invite)));
        };
        let users = joined.clone();
        self.tell_closed_invite(InviteEntry { reason: Some(reason), joined, ..entry }, users);
        Ok(())
    }

    pub(super) async fn close_expired_invites(&self) {
        let expired = self.invitations().invites.expired(self.time.now_ms());
        for entry in expired {
            match self.close_invite(entry, ClosedReason::Expired).await {
                Ok(()) | Err(Denial::OriginGone(_)) => {}
                Err(error) => tracing::warn!(%error, "deleting an expired invite failed"),
            }
        }
    }

    /// Closes the invites of a guest that is deleted, and leaves those that it has joined.
    pub(crate) async fn close_invites_of(&self, user: &UserName) -> Result<(), Denial> {
        let invites = self.invitations().invites.of_user(user);
        for entry in invites {
            let closed = if entry.by.is_same(user.as_str()) {
                self.close_invite(entry, ClosedReason::Cancelled).await
            } else {
                self.leave_invite(&entry.invite, user).await
            };
            match closed {
                Ok(()) | Err(Denial::OriginGone(_) | Denial::NotFound(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// The message that tells of a change.
pub(super) fn change(entry: InviteEntry) -> ToClient {
    InviteState { re: None, entry }.into()
}

/// The caller's user, if it has one.
fn player_name(client: &ClientHandle) -> Result<&UserName, Denial> {
    client.user.as_ref().ok_or_else(|| Denial::Forbidden("say who you are to play".to_owned()))
}
