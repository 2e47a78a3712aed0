//! How the lobby deals with seeks: opened, joined, closed and expired.

use std::sync::Arc;

use adamant_protocol::{GameId, RequestId, SeekId, UserName, from_client::Seek, to_client::Done};

use super::{
    lobby::{Lobby, StartedGame},
    open_seek::{self, Candidate},
};
use crate::{
    cluster::ClusterEvent,
    error::Denial,
    limits::ORIGIN_TRIES_MAX,
    outbound::client::ClientHandle,
    ratings::{Pool, Rating},
    store::{JoinSeekOutcome, NodeSession, Origin, SeekOutcome, Seeker, Seeking, StoredSeek},
};

impl Lobby {
    /// Opens a seek, or joins an open seek for the same game.
    pub(crate) async fn seek(
        &self,
        client: &Arc<ClientHandle>,
        seek: Seek,
    ) -> Result<(Done, Option<StartedGame>), Denial> {
        let user = open_seek::user(client)?;
        self.check_live_games(client).await?;
        let config = open_seek::read_config(&seek)?;
        let pool = Pool::of(config.kind, usize::from(seek.players));
        let candidate = self.candidate(client, user, pool, config.rated).await?;
        let candidate =
            Candidate { seeker: Seeker { seat: seek.seat, ..candidate.seeker }, ..candidate };
        self.close_expired_seeks().await;
        let now_ms = self.time.now_ms();
        let id = self.invitations().seeks.new_id(self.cluster.node(), now_ms);
        let new = open_seek::new_seek(id, &candidate, &config, &seek, now_ms);
        let new = StoredSeek { from: self.network_of(client), ..new };
        let mut sought = self.try_seek(client, &seek.id, &candidate, &new, true).await;
        for tried in 1..=ORIGIN_TRIES_MAX {
            // Another user was faster: another seek may suit, or none. The last try joins none.
            if !matches!(sought, Err(Denial::OriginGone(_) | Denial::OriginChanged(_))) {
                break;
            }
            let may_join = tried < ORIGIN_TRIES_MAX;
            sought = self.try_seek(client, &seek.id, &candidate, &new, may_join).await;
        }
        if let Ok((done, _)) = &sought
            && done.seek.as_ref() != Some(&new.entry.seek)
        {
            // The user has joined another seek.
            self.invitations().seeks.give_back(&new.entry.seek);
        }
        sought
    }

    async fn try_seek(
        &self,
        client: &Arc<ClientHandle>,
        re: &RequestId,
        candidate: &Candidate,
        new: &StoredSeek,
        may_join: bool,
    ) -> Result<(Done, Option<StartedGame>), Denial> {
        let suits = {
            let (new, candidate) = (new.clone(), candidate.clone());
            Box::new(move |open: &StoredSeek| may_join && open_seek::suits(open, &new, &candidate))
        };
        let seeking = Seeking { seek: new.clone(), session: candidate.session, suits };
        let outcome = self.store.seeks.open_or_join(seeking).await;
        let open = match outcome.inspect_err(|error| self.doubt(error))? {
            SeekOutcome::Opened => new.clone(),
            SeekOutcome::Waiting(open) => *open,
            SeekOutcome::Full(full) => {
                return self.start_seek(&candidate.seeker.user, re, &full).await;
            }
            SeekOutcome::LimitReached(reached) => return Err(reached.into()),
        };
        Ok((self.keep_seek(client, re, open).await?, None))
    }

    /// Takes a seek. Once all are there the game begins. If another user has left or joined in the
    /// same moment, the client joins those who are there now.
    pub(crate) async fn accept_seek(
        &self,
        client: &Arc<ClientHandle>,
        re: RequestId,
        seek: &SeekId,
    ) -> Result<(Done, Option<StartedGame>), Denial> {
        let mut accepted = self.try_accept_seek(client, &re, seek).await;
        for _ in 1..ORIGIN_TRIES_MAX {
            if !matches!(accepted, Err(Denial::OriginChanged(_))) {
                break;
            }
            accepted = self.try_accept_seek(client, &re, seek).await;
        }
        accepted
    }

    async fn try_accept_seek(
        &self,
        client: &Arc<ClientHandle>,
        re: &RequestId,
        seek: &SeekId,
    ) -> Result<(Done, Option<StartedGame>), Denial> {
        let user = open_seek::user(client)?;
        self.close_expired_seeks().await;
        self.check_live_games(client).await?;
        let open = self.find_seek(seek).await?;
        let pool = open_seek::pool(&open.entry)?;
        let candidate = self.candidate(client, user, pool, open.entry.rated).await?;
        let suits = {
            let candidate = candidate.clone();
            Box::new(move |open: &StoredSeek| open_seek::check(open, &candidate).is_ok())
        };
        let seeker = Seeker { session: Some(candidate.session), ..candidate.seeker.clone() };
        let outcome = self.store.seeks.join_seek(seek.clone(), seeker, suits).await;
        match outcome.inspect_err(|error| self.doubt(error))? {
            JoinSeekOutcome::Waiting(open) => Ok((self.keep_seek(client, re, *open).await?, None)),
            JoinSeekOutcome::Full(full) => self.start_seek(user, re, &full).await,
            JoinSeekOutcome::AlreadyJoined => {
                open_seek::check(&open, &candidate)?;
                Err(open_seek::already_joined())
            }
            JoinSeekOutcome::Unsuitable(open) => {
                open_seek::check(&open, &candidate)?;
                Err(open_seek::not_found(seek))
            }
            JoinSeekOutcome::Gone => {
                self.forget_seek(seek);
                Err(open_seek::not_found(seek))
            }
        }
    }

    async fn candidate(
        &self,
        client: &Arc<ClientHandle>,
        user: &UserName,
        pool: Pool,
        rated: bool,
    ) -> Result<Candidate, Denial> {
        let ratings = self.store.standings.ratings(pool, vec![user.clone()]).await?;
        let rating = ratings.into_iter().flatten().next().unwrap_or(Rating::START).rounded();
        let (seat, session) = (adamant_protocol::from_client::SeatWish::Random, None);
        let (bot, guest) = (client.bot, client.guest);
        Ok(Candidate {
            seeker: Seeker { user: user.clone(), bot, guest, rating, seat, session },
            session: self.node_session(client),
            blocks: Arc::new(self.blocks_around(user).await?),
            same_owner: Arc::new(self.same_owner(user, rated).await?),
        })
    }

    fn node_session(&self, client: &ClientHandle) -> NodeSession {
        NodeSession { node: self.cluster.node(), session: client.session }
    }

    /// Returns an open seek. Another node may have opened it a moment ago.
    async fn find_seek(&self, seek: &SeekId) -> Result<StoredSeek, Denial> {
        let known = self.invitations().seeks.get(seek).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        if self.cluster.is_alone() {
            return Err(open_seek::not_found(seek));
        }
        let found = self.store.seeks.find_seek(seek.clone()).await?;
        found.ok_or_else(|| open_seek::not_found(seek))
    }

    /// Lists a seek that is open in the store, and answers the client that has made or joined it.
    async fn keep_seek(
        &self,
        client: &ClientHandle,
        re: &RequestId,
        open: StoredSeek,
    ) -> Result<Done, Denial> {
        let mut done = Done::new(re.clone());
        done.seek = Some(open.entry.seek.clone());
        let (user, has_sessions) = (open_seek::user(client)?, !open.entry.lasting);
        self.show_seek(open);
        // A session that has ended meanwhile has not found this seek.
        if has_sessions && !self.shared.online.has_session(user, client.session) {
            self.end_seeks(client).await;
        }
        Ok(done)
    }

    /// Lists the new state of a seek, and announces it.
    fn show_seek(&self, open: StoredSeek) {
        let (id, lasting) = (open.entry.seek.clone(), open.entry.lasting);
        self.invitations().seeks.put(open);
        self.shared.seeks_changed.notify_one();
        if lasting {
            self.shared.expiry_changed.notify_one();
        }
        self.cluster.publish(|| ClusterEvent::SeekChanged(id));
    }

    /// Takes a seek off the list that is open no longer.
    pub(super) fn forget_seek(&self, seek: &SeekId) {
        if self.invitations().seeks.close(seek) {
            self.shared.seeks_changed.notify_one();
        }
    }

    /// Takes a seek off the list that this node has closed, and announces it.
    fn close_seek(&self, seek: &SeekId) {
        self.forget_seek(seek);
        self.cluster.publish(|| ClusterEvent::SeekChanged(seek.clone()));
    }

    /// Closes one's own seek, or leaves one that was joined.
    pub(crate) async fn unseek(
        &self,
        client: &ClientHandle,
        re: RequestId,
        seek: &SeekId,
    ) -> Result<Done, Denial> {
        self.leave_seek(open_seek::user(client)?, seek).await?;
        Ok(Done::new(re))
    }

    async fn leave_seek(&self, user: &UserName, seek: &SeekId) -> Result<(), Denial> {
        let open = self.find_seek(seek).await?;
        if !open.has(user) {
            return Err(Denial::Forbidden("this seek is not yours".to_owned()));
        }
        if open.maker().is_same(user.as_str()) {
            return self.delete_seek(seek).await;
        }
        let left = self.store.seeks.leave_seek(seek.clone(), user.clone()).await;
        let left = left.inspect_err(|error| self.doubt(error))?;
        let open = left.ok_or_else(|| Denial::OriginGone(Origin::Seek(seek.clone())))?;
        self.show_seek(open);
        Ok(())
    }

    /// Closes a seek, unless it has been closed in the store: one that has become a game, or is
    /// about to, is no longer the user's to close.
    async fn delete_seek(&self, seek: &SeekId) -> Result<(), Denial> {
        let deleted = self.store.seeks.delete_seek(seek.clone()).await;
        if deleted.inspect_err(|error| self.doubt(error))? {
            self.close_seek(seek);
            return Ok(());
        }
        self.forget_seek(seek);
        Err(Denial::OriginGone(Origin::Seek(seek.clone())))
    }

    /// Starts the game of a seek that a user would complete.
    async fn start_seek(
        &self,
        user: &UserName,
        re: &RequestId,
        full: &StoredSeek,
    ) -> Result<(Done, Option<StartedGame>), Denial> {
        let id = &full.entry.seek;
        let mut done = Done::new(re.clone());
        done.seek = Some(id.clone());
        let seated = open_seek::seated(full, &mut self.entropy.clone());
        match self.start_from_seek(full, &seated).await {
            Ok(game) => {
                self.close_seek(id);
                done.game = Some(game.clone());
                let started =
                    StartedGame { game, players: seated, challenge: None, rematch_of: None };
                Ok((done, Some(started)))
            }
            Err(denial @ Denial::OriginGone(_)) => {
                self.forget_seek(id);
                Err(denial)
            }
            Err(denial @ Denial::OriginChanged(_)) => Err(denial),
            Err(denial) => {
                self.drop_busy_users(user, full).await;
                Err(denial)
            }
        }
    }

    async fn start_from_seek(
        &self,
        full: &StoredSeek,
        seated: &[UserName],
    ) -> Result<GameId, Denial> {
        self.check_live_games_of(seated).await?;
        let players = self.players(seated, &open_seek::bots(full)).await?;
        let setup = open_seek::config(&full.entry)?.setup(players)?;
        self.start_game(setup, full.claim(), None).await
    }

    /// Takes users with too many games out of a seek whose game could not start. The one whose
    /// request failed has not joined it in the store.
    async fn drop_busy_users(&self, refused: &UserName, full: &StoredSeek) {
        for user in full.entry.joined.iter().filter(|user| !user.is_same(refused.as_str())) {
            // If the store cannot tell, the next acceptance finds out.
            if self.has_room_for_a_game(user).await.unwrap_or(true) {
                continue;
            }
            match self.leave_seek(user, &full.entry.seek).await {
                Ok(()) | Err(Denial::OriginGone(_) | Denial::NotFound(_)) => {}
                Err(error) => tracing::warn!(%error, "storing a seek failed"),
            }
        }
    }

    /// Ends the seeks of a session that ends, and takes it out of those that it has joined.
    pub(super) async fn end_seeks(&self, client: &ClientHandle) {
        let session = self.node_session(client);
        if !self.invitations().seeks.has_session(session) {
            return;
        }
        let ended = self.store.seeks.end_seeks_of_session(session).await;
        match ended {
            Ok(ended) => {
                for seek in ended {
                    self.reload_seek(&seek).await;
                    self.cluster.publish(|| ClusterEvent::SeekChanged(seek));
                }
            }
            Err(error) => {
                tracing::warn!(%error, "ending the seeks of a session failed");
                self.doubt(&error);
            }
        }
    }

    /// Reads the state of a seek that has changed.
    pub(super) async fn reload_seek(&self, seek: &SeekId) {
        match self.store.seeks.find_seek(seek.clone()).await {
            Ok(Some(open)) => {
                if self.invitations().seeks.put(open) {
                    self.shared.seeks_changed.notify_one();
                    self.shared.expiry_changed.notify_one();
                }
            }
            Ok(None) => self.forget_seek(seek),
            Err(error) => self.doubt(&error),
        }
    }

    pub(super) async fn close_expired_seeks(&self) {
        let expired = self.invitations().seeks.expired(self.time.now_ms());
        for seek in expired {
            match self.delete_seek(&seek).await {
                Ok(()) | Err(Denial::OriginGone(_)) => {}
                Err(error) => tracing::warn!(%error, "deleting an expired seek failed"),
            }
        }
    }

    /// Closes the lasting seeks of a guest that is deleted, and leaves those that it has joined.
    pub(crate) async fn close_seeks_of(&self, user: &UserName) -> Result<(), Denial> {
        let seeks = self.invitations().seeks.lasting_of(user);
        for seek in seeks {
            match self.leave_seek(user, &seek).await {
                Ok(()) | Err(Denial::OriginGone(_) | Denial::NotFound(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
