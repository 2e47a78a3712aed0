//! How the lobby deals with seeks: opened, joined, closed and expired.

use std::sync::Arc;

use adamant_protocol::{GameId, RequestId, SeekId, UserName, from_client::Seek, to_client::Done};

use super::{
    lobby::{Lobby, StartedGame},
    open_seek::{self, Candidate, FullSeek},
    seeks::JoinOutcome,
};
use crate::{
    error::Denial,
    outbound::client::ClientHandle,
    ratings::{Pool, Rating},
    store::Origin,
};

impl Lobby {
    /// Opens a seek, or joins an open seek for the same game. A lasting one is stored before it is
    /// acknowledged.
    pub(crate) async fn seek(
        &self,
        client: &Arc<ClientHandle>,
        seek: Seek,
    ) -> Result<(Done, Option<StartedGame>), Denial> {
        let user = open_seek::user(client)?;
        self.check_live_games(client).await?;
        let config = open_seek::read_config(&seek)?;
        let pool = Pool::of(config.kind, usize::from(seek.players));
        let candidate = self.candidate(client, user, pool).await?;
        self.close_expired_seeks().await;
        let now_ms = self.time.now_ms();
        let joined = self.invitations().seeks.open(&candidate, config, &seek, now_ms)?;
        self.shared.seeks_changed.notify_one();
        self.start_if_full(user, seek.id, joined).await
    }

    /// Takes a seek. Once all are there the game begins.
    pub(crate) async fn accept_seek(
        &self,
        client: &Arc<ClientHandle>,
        re: RequestId,
        seek: &SeekId,
    ) -> Result<(Done, Option<StartedGame>), Denial> {
        let user = open_seek::user(client)?;
        self.close_expired_seeks().await;
        self.check_live_games(client).await?;
        let (pool, others) = self.invitations().seeks.terms(seek)?;
        let candidate = self.candidate(client, user, pool).await?;
        candidate.blocks.check(user, &others)?;
        let joined = self.invitations().seeks.join(&candidate, seek)?;
        self.shared.seeks_changed.notify_one();
        self.start_if_full(user, re, joined).await
    }

    async fn candidate<'a>(
        &self,
        client: &'a Arc<ClientHandle>,
        user: &'a UserName,
        pool: Pool,
    ) -> Result<Candidate<'a>, Denial> {
        let ratings = self.store.standings.ratings(pool, vec![user.clone()]).await?;
        let rating = ratings.into_iter().flatten().next().unwrap_or(Rating::START).rounded();
        Ok(Candidate { client, user, rating, blocks: self.blocks_around(user).await? })
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
        let (own, lasting) = {
            let seeks = &self.invitations().seeks;
            (seeks.is_own(user, seek)?, seeks.stored(seek).is_some())
        };
        // One that has become a game, or is about to, is no longer the user's to close.
        if own && lasting && !self.store.seeks.delete_seek(seek.clone()).await? {
            return Err(Denial::OriginGone(Origin::Seek(seek.clone())));
        }
        self.invitations().seeks.close(user, seek)?;
        self.shared.seeks_changed.notify_one();
        if !own && lasting {
            self.store_seek(seek).await?;
        }
        Ok(())
    }

    /// Stores the present state of a lasting seek.
    async fn store_seek(&self, seek: &SeekId) -> Result<(), Denial> {
        let stored = self.invitations().seeks.stored(seek);
        if let Some(stored) = stored {
            self.store.seeks.update_seek(stored).await?;
        }
        Ok(())
    }

    async fn start_if_full(
        &self,
        user: &UserName,
        re: RequestId,
        joined: JoinOutcome,
    ) -> Result<(Done, Option<StartedGame>), Denial> {
        let mut done = Done::new(re);
        let full = match joined {
            JoinOutcome::New(new) => {
                if let Some(stored) = new.stored() {
                    self.store.seeks.add_seek(stored).await?;
                }
                done.seek = Some(new.id());
                self.invitations().seeks.open_stored(new);
                self.shared.seeks_changed.notify_one();
                self.shared.expiry_changed.notify_one();
                return Ok((done, None));
            }
            JoinOutcome::Waiting(seek) => {
                if let Err(denial) = self.store_seek(&seek).await {
                    // It was not acknowledged.
                    self.invitations().seeks.close(user, &seek)?;
                    self.shared.seeks_changed.notify_one();
                    return Err(denial);
                }
                done.seek = Some(seek);
                return Ok((done, None));
            }
            JoinOutcome::Full(full) => full,
        };
        done.seek = Some(full.seek());
        let seated = full.seated(&mut self.entropy.clone());
        match self.start_from_seek(&full, &seated).await {
            Ok(game) => {
                done.game = Some(game.clone());
                let started =
                    StartedGame { game, players: seated, challenge: None, rematch_of: None };
                Ok((done, Some(started)))
            }
            Err(denial @ Denial::OriginGone(_)) => Err(denial),
            Err(denial) => {
                self.restore(user, full).await;
                Err(denial)
            }
        }
    }

    async fn start_from_seek(
        &self,
        full: &FullSeek,
        seated: &[UserName],
    ) -> Result<GameId, Denial> {
        self.check_live_games_of(seated).await?;
        let players = self.players(seated, &full.bots()).await?;
        self.rooms.start(full.config().setup(players)?, full.origin(), None).await
    }

    /// Restores a seek whose game could not start, without the user whose request failed, and
    /// without players who have left or have too many games.
    async fn restore(&self, refused: &UserName, full: FullSeek) {
        let mut busy = vec![refused.clone()];
        for user in full.users() {
            // If the store cannot tell, the next acceptance finds out.
            if !self.has_room_for_a_game(&user).await.unwrap_or(true) {
                busy.push(user);
            }
        }
        let (seek, lasting) = (full.seek(), full.origin().is_some());
        let stored = {
            let mut invitations = self.invitations();
            // Under the lock: a session that leaves from here on takes its seeks with it.
            invitations.seeks.restore(full, |joined| {
                let user = &joined.seeker.user;
                let is_online = |session| self.shared.online.has_session(user, session);
                !busy.contains(user) && joined.session.is_none_or(is_online)
            });
            invitations.seeks.stored(&seek)
        };
        self.shared.seeks_changed.notify_one();
        let kept = match stored {
            Some(stored) => self.store.seeks.update_seek(stored).await,
            None if lasting => self.store.seeks.delete_seek(seek).await.map(drop),
            None => Ok(()),
        };
        if let Err(error) = kept {
            tracing::warn!(%error, "storing a seek failed");
        }
    }

    pub(super) async fn close_expired_seeks(&self) {
        let expired = self.invitations().seeks.expired(self.time.now_ms());
        for (seek, user) in expired {
            match self.leave_seek(&user, &seek).await {
                Ok(()) | Err(Denial::OriginGone(_) | Denial::NotFound(_)) => {}
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
