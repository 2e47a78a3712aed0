//! How the lobby deals with invites: made, shown, taken, cancelled and expired.

use adamant_protocol::{
    GameId, InviteId, RequestId, ToClient, UserName,
    from_client::{Invite, InviteInfo},
    to_client::{ClosedReason, Done, InviteEntry, InviteList, InviteState},
};

use super::{
    challenges::has,
    game_config::GameConfig,
    invites::{self, InviteOutcome, OpenInvite},
    lobby::{Lobby, StartedGame},
};
use crate::{
    address::ClientAddress,
    error::Denial,
    outbound::client::ClientHandle,
    store::{Origin, StoredInvite},
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
        let stored = StoredInvite { entry, bots };
        let from = client.from.map(ClientAddress::network);
        self.invitations().invites.add(stored.clone(), from)?;
        let id = stored.entry.invite.clone();
        if let Err(error) = self.store.invites.add_invite(stored).await {
            self.invitations().invites.remove(&id);
            return Err(error.into());
        }
        self.shared.expiry_changed.notify_one();
        Ok(done)
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
        let open = self.invitations().invites.get(invite).cloned();
        match open {
            Some(open) => Ok(open),
            None => self.taken_invite(invite).await,
        }
    }

    async fn taken_invite(&self, id: &InviteId) -> Result<InviteEntry, Denial> {
        let stored = self.store.invites.find_invite(id.clone()).await?;
        let taken = stored.filter(|stored| stored.entry.game.is_some());
        Ok(taken.ok_or_else(|| invites::not_found(id))?.entry)
    }

    /// Takes an invite. Once all have joined the game begins.
    pub(crate) async fn accept_invite(
        &self,
        client: &ClientHandle,
        re: RequestId,
        id: &InviteId,
    ) -> Result<(Done, Option<StartedGame>), Denial> {
        let user = player_name(client)?;
        self.close_expired().await;
        self.check_live_games(client).await?;
        let others = self.invitations().invites.get(id).map(|open| open.joined.clone());
        self.check_blocks(user, &others.unwrap_or_default()).await?;
        let joined = self.invitations().invites.join(id, user, client.bot)?;
        let mut done = Done::new(re);
        done.invite = Some(id.clone());
        let full = match joined {
            InviteOutcome::Waiting(stored) => {
                self.store_join(stored, user).await?;
                return Ok((done, None));
            }
            InviteOutcome::Full(full) => full,
        };
        let entry = full.stored.entry.clone();
        match self.start_from_invite(&full.stored).await {
            Ok((game, players)) => {
                done.game = Some(game.clone());
                let taken = InviteEntry { game: Some(game.clone()), ..entry };
                self.send_to_users(&players, &change(taken));
                let started = StartedGame { game, players, challenge: None, rematch_of: None };
                Ok((done, Some(started)))
            }
            Err(denial @ Denial::OriginGone(_)) => Err(denial),
            Err(denial) => {
                self.invitations().invites.restore_without(full, user);
                Err(denial)
            }
        }
    }

    /// Stores that a user has joined, and tells the others.
    async fn store_join(&self, stored: StoredInvite, user: &UserName) -> Result<(), Denial> {
        let id = stored.entry.invite.clone();
        match self.store.invites.update_invite(stored.clone()).await {
            Ok(true) => {
                self.send_to_users(&stored.entry.joined, &change(stored.entry.clone()));
                Ok(())
            }
            Ok(false) => {
                self.invitations().invites.remove(&id);
                Err(Denial::OriginGone(Origin::Invite(id)))
            }
            Err(error) => {
                self.invitations().invites.leave(&id, user);
                Err(error.into())
            }
        }
    }

    async fn start_from_invite(
        &self,
        full: &StoredInvite,
    ) -> Result<(GameId, Vec<UserName>), Denial> {
        let seated = invites::seated(&full.entry, &mut self.entropy.clone());
        self.check_live_games_of(&seated).await?;
        let players = self.players(&seated, &full.bots).await?;
        let setup = invites::config(&full.entry)?.setup(players)?;
        let origin = Origin::Invite(full.entry.invite.clone());
        Ok((self.rooms.start(setup, Some(origin), None).await?, seated))
    }

    /// Takes one's own invite back, or leaves one that was joined.
    pub(crate) async fn cancel_invite(
        &self,
        client: &ClientHandle,
        re: RequestId,
        id: &InviteId,
    ) -> Result<Done, Denial> {
        let user = player_name(client)?;
        let open = self.invitations().invites.get(id).cloned();
        let entry = open.ok_or_else(|| invites::not_found(id))?;
        if entry.by.is_same(user.as_str()) {
            self.close_invite(id, ClosedReason::Cancelled).await?;
        } else if has(&entry.joined, user) {
            self.leave_invite(id, user).await?;
        } else {
            return Err(Denial::Forbidden("this invite is not yours".to_owned()));
        }
        Ok(Done::new(re))
    }

    async fn leave_invite(&self, id: &InviteId, user: &UserName) -> Result<(), Denial> {
        let left = self.invitations().invites.leave(id, user);
        let stored = left.ok_or_else(|| invites::not_found(id))?;
        if !self.store.invites.update_invite(stored.clone()).await? {
            return Err(Denial::OriginGone(Origin::Invite(id.clone())));
        }
        let message = change(stored.entry.clone());
        self.send_to_users(stored.entry.joined.iter().chain([user]), &message);
        Ok(())
    }

    async fn close_invite(&self, id: &InviteId, reason: ClosedReason) -> Result<(), Denial> {
        let open = self.invitations().invites.remove(id).ok_or_else(|| invites::not_found(id))?;
        self.close_open_invite(open, reason).await
    }

    /// Closes an invite that is taken out, unless it has been closed in the store. If the store
    /// cannot delete it, it stays open, and no client has seen it close.
    async fn close_open_invite(
        &self,
        open: OpenInvite,
        reason: ClosedReason,
    ) -> Result<(), Denial> {
        let entry = open.stored.entry.clone();
        match self.store.invites.delete_invite(entry.invite.clone()).await {
            Ok(true) => {}
            Ok(false) => return Err(Denial::OriginGone(Origin::Invite(entry.invite))),
            Err(error) => {
                self.invitations().invites.restore(open);
                return Err(error.into());
            }
        }
        let joined = entry.joined.clone();
        let closed = InviteEntry { reason: Some(reason), ..entry };
        self.send_to_users(&joined, &change(closed));
        Ok(())
    }

    pub(super) async fn close_expired_invites(&self) {
        let expired = self.invitations().invites.take_expired(self.time.now_ms());
        for open in expired {
            match self.close_open_invite(open, ClosedReason::Expired).await {
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
                self.close_invite(&entry.invite, ClosedReason::Cancelled).await
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
fn change(entry: InviteEntry) -> ToClient {
    InviteState { re: None, entry }.into()
}

/// The caller's user, if it has one.
fn player_name(client: &ClientHandle) -> Result<&UserName, Denial> {
    client.user.as_ref().ok_or_else(|| Denial::Forbidden("say who you are to play".to_owned()))
}
