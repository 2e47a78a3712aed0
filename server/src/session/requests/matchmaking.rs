//! How a session finds a game: what it asks of the lobby, and what follows once it is answered.

use std::sync::Arc;

use adamant_protocol::{from_client, to_client::Done};

use crate::session::session::Session;
use crate::{
    cluster::StartedGame,
    error::Denial,
    lobby::{Lobby, RematchOutcome},
    outbound::client::ClientHandle,
    store::{OfferId, StoreError},
};

impl Session {
    pub(in crate::session) async fn seek(
        &self,
        client: &Arc<ClientHandle>,
        request: from_client::Seek,
    ) -> Result<(), Denial> {
        self.allow_seek(client)?;
        let (lobby, client) = (self.services.lobby.clone(), Arc::clone(client));
        self.spawn_uncancelled(async move {
            let (done, started) = lobby.seek(&client, request).await?;
            reply_and_seat(&lobby, &client, done, started).await;
            Ok(())
        })
        .await
    }

    pub(in crate::session) async fn unseek(
        &self,
        client: &ClientHandle,
        request: from_client::Unseek,
    ) -> Result<(), Denial> {
        let seek = OfferId::Seek(request.seek);
        let done = self.services.lobby.cancel(client, request.id, &seek).await?;
        self.reply(done).await;
        Ok(())
    }

    pub(in crate::session) async fn challenge(
        &self,
        client: &Arc<ClientHandle>,
        request: from_client::Challenge,
    ) -> Result<(), Denial> {
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

    pub(in crate::session) async fn accept(
        &self,
        client: &Arc<ClientHandle>,
        request: from_client::Accept,
    ) -> Result<(), Denial> {
        self.allow_game(client)?;
        let (lobby, client) = (self.services.lobby.clone(), Arc::clone(client));
        self.spawn_uncancelled(async move {
            let from_client::Accept { id, seek, challenge, invite } = request;
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

    pub(in crate::session) async fn decline(
        &self,
        client: &ClientHandle,
        request: from_client::Decline,
    ) -> Result<(), Denial> {
        let done = self.services.lobby.decline(client, request).await?;
        self.reply(done).await;
        Ok(())
    }

    pub(in crate::session) async fn cancel(
        &self,
        client: &ClientHandle,
        request: from_client::Cancel,
    ) -> Result<(), Denial> {
        let from_client::Cancel { id, challenge, invite } = request;
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

    pub(in crate::session) async fn invite(
        &self,
        client: &Arc<ClientHandle>,
        request: from_client::Invite,
    ) -> Result<(), Denial> {
        self.allow_game(client)?;
        let (lobby, client) = (self.services.lobby.clone(), Arc::clone(client));
        self.spawn_uncancelled(async move {
            let done = lobby.invite(&client, request).await?;
            client.reply(done);
            Ok(())
        })
        .await
    }

    pub(in crate::session) async fn rematch(
        &self,
        client: &Arc<ClientHandle>,
        request: from_client::Rematch,
    ) -> Result<(), Denial> {
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

    pub(in crate::session) fn watch_lobby(
        &self,
        client: &Arc<ClientHandle>,
        request: &from_client::Lobby,
    ) {
        self.services.lobby.watch(client, request);
    }

    /// Runs work to its end even if the session ends: otherwise a stored game would have no room,
    /// a challenge would reach no client, and sessions with a revoked token would continue.
    pub(in crate::session) async fn spawn_uncancelled(
        &self,
        work: impl Future<Output = Result<(), Denial>> + Send + 'static,
    ) -> Result<(), Denial> {
        let working = self.services.lifecycle.tasks.spawn(work);
        working.await.unwrap_or_else(|_| Err(StoreError::Stopped.into()))
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
