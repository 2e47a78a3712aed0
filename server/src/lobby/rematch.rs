//! Rematches: the first player who asks makes a challenge, and the others who ask accept it. One
//! game has at most one rematch, however often the players ask.

use adamant_protocol::{ChallengeId, GameId, RequestId, UserName, to_client::Done};
use adamant_record::Replay;
use adamant_rules::Setup;

use super::{
    lobby::Lobby,
    offers::done,
    terms::{GameConfig, Result, forbidden},
};
use crate::{
    cluster::StartedGame,
    error::Denial,
    outbound::client::ClientHandle,
    store::{AddOfferOutcome, OfferId, StoreError},
};

/// What to do after the answer to a rematch request.
#[derive(Debug)]
pub(crate) enum RematchOutcome {
    /// Nothing that they were not told already.
    Unchanged,
    /// The others hear of the challenge.
    Challenged(ChallengeId),
    /// The game begins.
    Started(StartedGame),
}

impl Lobby {
    /// Asks for a finished game once more.
    pub(crate) async fn rematch(
        &self,
        client: &ClientHandle,
        re: &RequestId,
        game: &GameId,
    ) -> Result<(Done, RematchOutcome)> {
        let setup = self.finished(game).await?;
        let plays = |user: &&UserName| setup.seats.into_iter().any(|seat| user.is_same(&seat.user));
        let user = client.user.as_ref().filter(plays);
        let user = user.ok_or_else(|| Denial::NotAPlayer(game.clone()))?;
        let begun = |next| {
            let done = Done { game: Some(next), dup: true, ..Done::new(re.clone()) };
            (done, RematchOutcome::Unchanged)
        };
        if let Some(next) = self.store.rematch_of(game.clone()).await? {
            return Ok(begun(next));
        }
        self.close_expired().await;
        let open = self.open_games().rematch_of(game);
        let challenge = match open {
            Some(open) => open,
            None => match self.challenge_rematch(client, user, game, &setup).await? {
                (_, AddOfferOutcome::RematchOpen(open)) => open,
                (_, AddOfferOutcome::RematchBegun(next)) => return Ok(begun(next)),
                (new, _) => {
                    let done = done(re, &OfferId::Challenge(new.clone()));
                    return Ok((done, RematchOutcome::Challenged(new)));
                }
            },
        };
        let id = OfferId::Challenge(challenge);
        if self.find_open(&id).await.is_ok_and(|open| open.has(user)) {
            return Ok((Done { dup: true, ..done(re, &id) }, RematchOutcome::Unchanged));
        }
        match self.accept(client, re, &id).await {
            Ok((done, started)) => {
                Ok((done, started.map_or(RematchOutcome::Unchanged, RematchOutcome::Started)))
            }
            // The others were there in the same moment.
            Err(denial @ (Denial::NotFound(_) | Denial::OfferGone(_))) => {
                self.store.rematch_of(game.clone()).await?.map(begun).ok_or(denial)
            }
            Err(denial) => Err(denial),
        }
    }

    /// What was agreed for a game that is over.
    async fn finished(&self, game: &GameId) -> Result<Setup> {
        if self.store.live_state(game).await?.is_some_and(|live| !live.ended) {
            return Err(forbidden("the game is still going on"));
        }
        let records = self.store.journal.read(game.clone(), 1, 1).await?;
        let created = records.first().ok_or_else(|| Denial::NotFound(format!("game {game}")))?;
        let mut replay = Replay::new();
        replay.push(created).map_err(|error| StoreError::Failed(error.to_string().into()))?;
        let table = replay.table().ok_or_else(|| Denial::NotFound(format!("game {game}")))?;
        Ok(table.setup().clone())
    }

    /// Makes the challenge: everybody moves up one seat, so that another begins.
    async fn challenge_rematch(
        &self,
        client: &ClientHandle,
        by: &UserName,
        game: &GameId,
        setup: &Setup,
    ) -> Result<(ChallengeId, AddOfferOutcome)> {
        let mut seats = Vec::with_capacity(setup.seats.len());
        for player in &setup.seats {
            let name: Result<UserName, _> = player.user.parse();
            seats.push(name.map_err(|_| Denial::NotFound(format!("user called {}", player.user)))?);
        }
        seats.rotate_left(1);
        let Setup { kind, options, clock, rated, delay, unlisted, .. } = setup.clone();
        let config = GameConfig { kind, options, clock, rated, delay, unlisted };
        let players = self.participants(by, &seats, config.rated).await?;
        self.open_challenge(client, by, &config, players, (false, Some(game.clone()))).await
    }
}
