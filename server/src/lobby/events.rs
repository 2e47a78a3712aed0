//! What nodes announce about open games, new games, sessions and bots. An announcement names what to
//! read from the store; the clients of this node receive what they would have received if it had
//! happened here.

use adamant_protocol::{CloseCode, UserName, ids::TokenId, to_client::ClosedReason};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::{lobby::Lobby, offers::Closure, online::Session, open_games::PutOutcome};
use crate::{
    accounts::TokenDigest,
    cluster::{ClusterEvent, EndedSessions, Heard, NodeId, StartedGame},
    limits::{ONLINE_USERS_PER_EVENT, STORE_RETRY, TOKEN_CHECK_EVERY, TOKENS_PER_CHECK},
    store::{Offer, OfferId, OpenGame, StoreError, has_name},
};

impl Lobby {
    /// Takes in what this node hears of others.
    pub(crate) async fn on_heard(&self, heard: Heard) {
        let taken_in = match heard {
            Heard::Event(node, event) => self.on_event(node, event).await,
            Heard::NodeGone(gone) => self.on_node_gone(gone.node).await,
            // Rooms alone take it in.
            Heard::Appended(_) => Ok(()),
            // Events may be lost. Those of this node may be lost as well.
            Heard::Gap => {
                self.shared.reload_wanted.notify_one();
                self.cluster.publish(|| ClusterEvent::OnlineWanted);
                self.announce_all_users();
                Ok(())
            }
        };
        if let Err(error) = taken_in {
            // operator: the store failed; the server reads everything again
            tracing::warn!(%error, "reading what another node has changed failed");
            self.shared.reload_wanted.notify_one();
        }
    }

    /// A node has gone: its sessions have ended, and it may not have announced its last writes.
    async fn on_node_gone(&self, node: NodeId) -> Result<(), StoreError> {
        self.forget_node(node);
        self.shared.reload_wanted.notify_one();
        for id in self.store.end_offers_of_node(Some(node)).await? {
            self.reload_offer(&id).await?;
        }
        Ok(())
    }

    /// Takes in an event of another node. Other parts of the server take in those that are ignored.
    async fn on_event(&self, node: NodeId, event: ClusterEvent) -> Result<(), StoreError> {
        match event {
            ClusterEvent::Began(started) => {
                if let Some(challenge) = started.challenge.clone() {
                    self.forget(&OfferId::Challenge(challenge));
                }
                self.seat_here(started).await;
            }
            ClusterEvent::OfferChanged(id) => self.reload_offer(&id).await?,
            closed @ (ClusterEvent::ChallengeClosed { .. } | ClusterEvent::InviteClosed { .. }) => {
                self.tell_closed(closed);
            }
            ClusterEvent::SessionsEnded { user, ended } => {
                self.end_invalid_sessions(&user, &ended).await?;
            }
            ClusterEvent::SessionOpened { user, token, at } => {
                self.on_opened(node, &user, &token, at);
            }
            ClusterEvent::Online { user, is_online } => self.on_online(node, &user, is_online),
            ClusterEvent::OnlineUsers { users, is_first } => {
                // The first announcement replaces what was known of the node.
                if is_first {
                    self.forget_node(node);
                }
                for user in &users {
                    self.on_online(node, user, true);
                }
            }
            ClusterEvent::BotListed { user, entry } => {
                self.shared.bots.set_elsewhere(node, &user, entry.map(|entry| *entry));
            }
            ClusterEvent::OnlineWanted => self.announce_all_users(),
            _ => {}
        }
        Ok(())
    }

    fn forget_node(&self, node: NodeId) {
        self.shared.online.forget_node(node);
        self.shared.bots.forget_node(node);
    }

    pub(super) async fn reload_offer(&self, id: &OfferId) -> Result<(), StoreError> {
        match self.store.find_offer(id.clone()).await? {
            Some(open) if open.game().is_none() => self.show_remote(&open),
            // The event that closes it tells its users.
            _ => drop(self.forget(id)),
        }
        Ok(())
    }

    /// Lists the state of an offer that another node has changed, and tells its users here.
    fn show_remote(&self, open: &OpenGame) {
        let older = match self.open_games().put(open.clone()) {
            PutOutcome::Known => return,
            PutOutcome::Changed(older) => Some(older),
            PutOutcome::Opened => None,
        };
        self.shared.expiry_changed.notify_one();
        let is_new = older.is_none() && open.joined.len() <= 1;
        match &open.offer {
            Offer::Seek(_) => self.shared.seeks_changed.notify_one(),
            Offer::Challenge(challenged) if is_new => self.send_new_challenge(challenged),
            // Its maker knows of a new one.
            Offer::Invite(_) if is_new => {}
            _ => {
                let left = older.iter().flat_map(|older| older.users());
                self.tell_joined(open, left.filter(|user| !has_name(open.users(), user)));
            }
        }
    }

    /// After an error the store may have decided all the same: the lobby reads all that is open.
    /// It also seats the players of games that have begun.
    pub(super) fn doubt(&self, error: &StoreError) {
        if matches!(error, StoreError::Failed(_) | StoreError::Stopped) {
            self.shared.reload_wanted.notify_one();
        }
    }

    pub(super) async fn reload_after_doubt(&self) {
        if let Err(error) = self.reload().await {
            // operator: the store failed; lists may be out of date until the server has read them
            // again
            tracing::warn!(%error, "reading challenges, invites and seeks failed");
            sleep(STORE_RETRY).await;
            self.shared.reload_wanted.notify_one();
        }
    }

    /// Reads all again when the replica may be wrong, because events of other nodes are lost,
    /// or the store has failed and may have decided all the same. Tells the clients of this node
    /// what they have missed.
    async fn reload(&self) -> Result<(), StoreError> {
        let moment = self.open_games().moment();
        let stored = self.store.open_offers().await?;
        let missing = self.open_games().missing(moment, &stored);
        for open in &stored {
            self.show_remote(open);
        }
        for id in missing {
            self.tell_missing(&id).await?;
        }
        self.shared.seeks_changed.notify_one();
        self.shared.expiry_changed.notify_one();
        // Seats the sessions of this node at their users' live games, as far as they are not there.
        for user in self.users_here() {
            for game in self.store.live_games_of(&user).await? {
                let (players, challenge, rematch_of) = (vec![user.clone()], None, None);
                self.seat_here(StartedGame { game, players, challenge, rematch_of }).await;
            }
        }
        Ok(())
    }

    /// An offer is open no longer. How a challenge was closed is lost, unless it was a rematch; the
    /// store knows the game that an invite has become.
    async fn tell_missing(&self, id: &OfferId) -> Result<(), StoreError> {
        let Some(known) = self.open_games().get(id).cloned() else { return Ok(()) };
        let is_expired = known.expires().is_some_and(|expires| expires <= self.time.now_ms());
        let taken = match id {
            OfferId::Invite(_) => self.store.find_offer(id.clone()).await?,
            _ => None,
        };
        let taken = taken.filter(|taken| taken.game().is_some());
        let game = match (known.rematch_of(), &taken) {
            (Some(before), _) => self.store.rematch_of(before.clone()).await?,
            (None, taken) => taken.as_ref().and_then(|taken| taken.game().cloned()),
        };
        let reason = if is_expired { ClosedReason::Expired } else { ClosedReason::Generic };
        let reason = Some(reason).filter(|_| game.is_none());
        let mut closed = Closure::new(reason, game).of(taken.unwrap_or(known.clone()).offer);
        if let ClusterEvent::InviteClosed { users, .. } = &mut closed {
            // Some may have left it at another node since.
            let others = known.users().iter().filter(|user| !has_name(users, user));
            let others: Vec<UserName> = others.cloned().collect();
            users.extend(others);
        }
        // Unless an event was faster.
        if self.forget(id).is_some() {
            self.tell_closed(closed);
        }
        Ok(())
    }

    /// Announces whether a user is connected to this node.
    pub(super) fn announce_user(&self, user: &UserName) {
        if !self.cluster.is_alone() {
            let _announcing = self.shared.announcing.lock();
            let is_online = self.shared.online.is_here(user);
            self.cluster.publish(|| ClusterEvent::Online { user: user.clone(), is_online });
        }
    }

    /// Announces all who are connected to this node, and what its bots say.
    pub(super) fn announce_all_users(&self) {
        let _announcing = self.shared.announcing.lock();
        let users: Vec<UserName> = self.users_here().into_iter().collect();
        self.cluster.publish(|| ClusterEvent::OnlineUsers { users: Vec::new(), is_first: true });
        for some in users.chunks(ONLINE_USERS_PER_EVENT) {
            let (users, is_first) = (some.to_vec(), false);
            self.cluster.publish(|| ClusterEvent::OnlineUsers { users, is_first });
        }
        let opened = |user: &UserName, open: &Session| {
            open.client.bot.then(|| (user.clone(), open.token.id(), open.opened_at))
        };
        for (user, token, at) in self.shared.online.all(opened) {
            self.cluster.publish(|| ClusterEvent::SessionOpened { user, token, at });
        }
        for entry in self.shared.bots.all_here() {
            let (user, entry) = (entry.user.clone(), Some(Box::new(entry)));
            self.cluster.publish(|| ClusterEvent::BotListed { user, entry });
        }
    }

    pub(super) fn on_online(&self, node: NodeId, user: &UserName, is_online: bool) {
        if is_online {
            self.rooms.occasions().is_back(user);
        }
        self.shared.online.set_elsewhere(node, user, is_online);
    }

    /// A bot has opened a session on another node: older ones of the same token end. Of two opened
    /// in the same millisecond, all nodes keep that of the same node.
    pub(super) fn on_opened(&self, node: NodeId, user: &UserName, token: &TokenId, at: u64) {
        let Some(here) = self.cluster.node() else { return };
        self.shared.online.end(user, CloseCode::Replaced, |open| {
            let is_older = (open.opened_at, here) < (at, node);
            is_older && open.client.bot && open.token.id() == *token
        });
    }

    /// Ends the sessions of tokens that are valid no longer, again and again, until the server
    /// stops: another node may have ended a token, and the announcement of that may be lost.
    pub(crate) async fn run_token_checks(self, stop: CancellationToken) {
        while stop.run_until_cancelled(sleep(TOKEN_CHECK_EVERY)).await.is_some() {
            if let Err(error) = self.check_tokens().await {
                // operator: the store failed; sessions whose tokens another node has ended may live
                // on until the next check
                tracing::warn!(%error, "checking the tokens of sessions failed");
            }
        }
    }

    pub(crate) async fn check_tokens(&self) -> Result<(), StoreError> {
        let open = self.shared.online.all(|user, open| Some((open.token, user.clone())));
        self.end_ended(&open.into_iter().collect::<Vec<_>>()).await
    }

    /// Ends the sessions on this node that a change of the user has ended. Those of tokens that are
    /// younger than it stay.
    pub(super) async fn end_invalid_sessions(
        &self,
        user: &UserName,
        ended: &EndedSessions,
    ) -> Result<(), StoreError> {
        // A session that is just being opened has checked its token before.
        self.accounts.note_revocation();
        let open = self.shared.online.each(user, |open| {
            let may_end = ended.includes(open.client.bot, &open.token.id());
            may_end.then(|| (open.token, user.clone()))
        });
        self.end_ended(&open).await
    }

    /// Ends the sessions on this node of those of these tokens that are valid no longer.
    async fn end_ended(&self, open: &[(TokenDigest, UserName)]) -> Result<(), StoreError> {
        for some in open.chunks(TOKENS_PER_CHECK) {
            let tokens: Vec<TokenDigest> = some.iter().map(|(token, _)| *token).collect();
            let ended = self.accounts.ended_tokens(&tokens).await?;
            for (token, user) in some.iter().filter(|(token, _)| ended.contains(token)) {
                self.accounts.note_revocation();
                self.end_sessions_here(user, &EndedSessions::Of(vec![token.id()]));
            }
        }
        Ok(())
    }

    pub(super) fn announce_bot(&self, user: &UserName) {
        if !self.cluster.is_alone() {
            let _announcing = self.shared.announcing.lock();
            let (user, entry) = (user.clone(), self.shared.bots.here(user).map(Box::new));
            self.cluster.publish(|| ClusterEvent::BotListed { user, entry });
        }
    }
}
