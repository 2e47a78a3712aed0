//! Watching games: requests to watch, and catching up with the records of a game.

use std::sync::Arc;

use adamant_protocol::{CloseCode, GameId, from_client, to_client::Done};

use super::session::Session;
use crate::{
    error::Denial,
    limits::{CATCH_UP_CHUNK, WATCHED_GAMES_MAX},
    outbound::{client::ClientHandle, frame::Frame},
    room::{Command, JoinFrom},
    store::{RecordRange, StoreError},
};

impl Session {
    pub(super) async fn watch(
        &mut self,
        client: &Arc<ClientHandle>,
        request: from_client::Watch,
    ) -> Result<(), Denial> {
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

    pub(super) async fn unwatch(
        &mut self,
        client: &Arc<ClientHandle>,
        request: from_client::Unwatch,
    ) {
        self.watched.retain(|game| *game != request.game);
        let command = Command::Leave { client: client.call().await, re: request.id };
        self.services.rooms.send(&request.game, command).await;
    }

    pub(super) async fn join_as_asked(
        &mut self,
        client: &Arc<ClientHandle>,
        request: from_client::Watch,
        named: bool,
    ) -> Result<(), Denial> {
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
    ) -> Result<(), Denial> {
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
