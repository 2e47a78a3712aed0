//! How a session finds a game, and how it watches one: by a snapshot, or with the records of the
//! game.

use std::sync::Arc;

use adamant_protocol::from_client::{
    Accept, Cancel, Challenge, Invite, Invites, Rematch, Seek, Unseek, Unwatch, Watch,
};
use adamant_protocol::{CloseCode, GameId, to_client::Done};

use crate::cluster::StartedGame;
use crate::error::Denial;
use crate::limits::{CATCH_UP_CHUNK, WATCHED_GAMES_MAX};
use crate::lobby::{Lobby, RematchOutcome};
use crate::outbound::{client::ClientHandle, frame::Frame};
use crate::room::{Command, JoinFrom};
use crate::session::session::{Handled, Session};
use crate::store::{OfferId, RecordRange, StoreError};

impl Session {
    pub(super) async fn seek(&self, client: &Arc<ClientHandle>, request: Seek) -> Handled {
        self.allow_seek(client)?;
        let (lobby, client) = (self.services.lobby.clone(), Arc::clone(client));
        self.spawn_uncancelled(async move {
            let (done, started) = lobby.seek(&client, request).await?;
            reply_and_seat(&lobby, &client, done, started).await;
            Ok(())
        })
        .await
    }

    pub(super) async fn unseek(&self, client: &ClientHandle, request: Unseek) -> Handled {
        let seek = OfferId::Seek(request.seek);
        let done = self.services.lobby.cancel(client, request.id, &seek).await?;
        self.reply(done).await;
        Ok(())
    }

    pub(super) async fn challenge(
        &self,
        client: &Arc<ClientHandle>,
        request: Challenge,
    ) -> Handled {
        self.allow_game(client)?;
        let (lobby, client) = (self.services.lobby.clone(), Arc::clone(client));
        self.spawn_uncancelled(async move {
            let done = lobby.challenge(&client, request).await?;
            let challenge = done.challenge.clone();
            client.reply(done);
            if let Some(challenge) = challenge {
                lobby.send_challenge(&challenge);
            }
            Ok(())
        })
        .await
    }

    pub(super) async fn accept(&self, client: &Arc<ClientHandle>, request: Accept) -> Handled {
        self.allow_game(client)?;
        let (lobby, client) = (self.services.lobby.clone(), Arc::clone(client));
        self.spawn_uncancelled(async move {
            let Accept { id, seek, challenge, invite } = request;
            let offer = match (seek, challenge, invite) {
                (Some(seek), None, None) => OfferId::Seek(seek),
                (None, Some(challenge), None) => OfferId::Challenge(challenge),
                (None, None, Some(invite)) => OfferId::Invite(invite),
                _ => {
                    let message = "accept names either a seek, a challenge or an invite";
                    return Err(Denial::BadMessage(message.to_owned()));
                }
            };
            let (done, started) = lobby.accept(&client, &id, &offer).await?;
            reply_and_seat(&lobby, &client, done, started).await;
            Ok(())
        })
        .await
    }

    pub(super) async fn cancel(&self, client: &ClientHandle, request: Cancel) -> Handled {
        let Cancel { id, challenge, invite } = request;
        let offer = match (challenge, invite) {
            (Some(challenge), None) => OfferId::Challenge(challenge),
            (None, Some(invite)) => OfferId::Invite(invite),
            _ => {
                let message = "cancel names either a challenge or an invite".to_owned();
                return Err(Denial::BadMessage(message));
            }
        };
        let done = self.services.lobby.cancel(client, id, &offer).await?;
        self.reply(done).await;
        Ok(())
    }

    pub(super) async fn list_invites(&self, client: &ClientHandle, request: Invites) -> Handled {
        self.reply(self.services.lobby.list_invites(client, request.id).await?).await;
        Ok(())
    }

    pub(super) async fn invite(&self, client: &Arc<ClientHandle>, request: Invite) -> Handled {
        self.allow_game(client)?;
        let (lobby, client) = (self.services.lobby.clone(), Arc::clone(client));
        self.spawn_uncancelled(async move {
            let done = lobby.invite(&client, request).await?;
            client.reply(done);
            Ok(())
        })
        .await
    }

    pub(super) async fn rematch(&self, client: &Arc<ClientHandle>, request: Rematch) -> Handled {
        self.allow_game(client)?;
        let (lobby, client) = (self.services.lobby.clone(), Arc::clone(client));
        self.spawn_uncancelled(async move {
            let (done, asked) = lobby.rematch(&client, &request.id, &request.game).await?;
            client.reply(done);
            match asked {
                RematchOutcome::Unchanged => {}
                RematchOutcome::Challenged(challenge) => lobby.send_challenge(&challenge),
                RematchOutcome::Started(started) => lobby.seat(started).await,
            }
            Ok(())
        })
        .await
    }

    /// Runs work to its end even if the session ends: otherwise a stored game would have no room,
    /// a challenge would reach no client, and sessions with a revoked token would continue.
    pub(super) fn spawn_uncancelled<W>(&self, work: W) -> impl Future<Output = Handled> + use<W>
    where
        W: Future<Output = Handled> + Send + 'static,
    {
        // Boxed, since such work is large, and is moved from place to place otherwise.
        let working = self.services.lifecycle.tasks.spawn(Box::pin(work));
        async move { working.await.unwrap_or_else(|_| Err(StoreError::Stopped.into())) }
    }

    pub(super) async fn watch(&mut self, client: &Arc<ClientHandle>, request: Watch) -> Handled {
        let named = request.named.unwrap_or(client.prefs.named);
        let watches = self.watched.contains(&request.game);
        if !watches && self.watched.len() >= WATCHED_GAMES_MAX {
            let what = "games watched at once: unwatch one first";
            return Err(Denial::LimitReached {
                limit: "watched_games",
                what,
                max: WATCHED_GAMES_MAX,
                by_others: false,
            });
        }
        let game = request.game.clone();
        self.join_as_asked(client, request, named).await?;
        if !watches {
            if self.watched.is_empty() {
                self.watched.reserve_exact(1);
            }
            self.watched.push(game);
        }
        Ok(())
    }

    pub(super) async fn unwatch(&mut self, client: &Arc<ClientHandle>, request: Unwatch) {
        self.watched.retain(|game| *game != request.game);
        let command = Command::Leave { client: client.call().await, re: request.id };
        self.services.rooms.send(&request.game, command).await;
    }

    async fn join_as_asked(
        &mut self,
        client: &Arc<ClientHandle>,
        request: Watch,
        named: bool,
    ) -> Handled {
        match request.from {
            None => {
                let from = JoinFrom::Snapshot(None);
                let join = Command::join(client.call().await, Some(request.id), from, named);
                self.services.rooms.send(&request.game, join).await;
                Ok(())
            }
            Some(from) => {
                let plan = self.services.rooms.rejoin_plan(&request.game, client).await?;
                let mut done = Done::new(request.id);
                done.game = Some(request.game.clone());
                done.seq = Some(plan.seq);
                self.reply(done).await;
                let game = &request.game;
                if let Err(denial) = self.follow_from(client, game, from, plan.seq, named).await {
                    // It has been answered already; the client comes back and asks again.
                    // operator: the room or the store failed for a game that a client watches; the
                    // client reconnects and asks again
                    tracing::warn!(
                        session = %self.id, %game, %denial,
                        "watching a game failed"
                    );
                    self.outbox.end(CloseCode::Restart);
                }
                Ok(())
            }
        }
    }

    /// Sends the records from a seq on, then subscribes the client. All but the last few records
    /// are read here at the client's pace, so the room never waits. Records after `until` are not
    /// read, because the client may not see them yet.
    pub(super) async fn follow_from(
        &mut self,
        client: &Arc<ClientHandle>,
        game: &GameId,
        from: u64,
        until: u64,
        named: bool,
    ) -> Handled {
        let journal = Arc::clone(&self.services.store.journal);
        let mut next = from.max(1);
        while next.saturating_add(CATCH_UP_CHUNK as u64) <= until {
            let game = game.clone();
            let range = RecordRange { game, from: next, until: next + CATCH_UP_CHUNK as u64 - 1 };
            let mut pages = journal.read_durable(vec![range]).await;
            let records = pages.pop().unwrap_or(Err(StoreError::Stopped))?;
            if records.len() < CATCH_UP_CHUNK {
                break;
            }
            next += records.len() as u64;
            for record in records {
                self.outbox.send_frame_waiting(&Frame::text(&record)).await;
            }
        }
        let from = JoinFrom::Seq(next);
        let join = Command::join(client.call().await, None, from, named);
        self.services.rooms.send(game, join).await;
        Ok(())
    }
}

/// The reply comes first, then the game that has started with it.
async fn reply_and_seat(
    lobby: &Lobby,
    client: &ClientHandle,
    done: Done,
    started: Option<StartedGame>,
) {
    client.reply(done);
    if let Some(started) = started {
        lobby.seat(started).await;
    }
}
