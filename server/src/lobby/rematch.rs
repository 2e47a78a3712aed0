//! Rematches: the first player who asks makes a challenge, and the others who ask accept it. One
//! game has at most one rematch, however often the players ask.

use std::sync::Arc;

use adamant_protocol::{ChallengeId, GameId, RequestId, UserName, to_client::Done};
use adamant_record::Replay;
use adamant_rules::Setup;

use super::{
    game_config::GameConfig,
    lobby::{Lobby, StartedGame},
    offers::Opened,
    terms,
};
use crate::{
    error::Denial,
    outbound::client::ClientHandle,
    store::{OfferId, StoreError},
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
        client: &Arc<ClientHandle>,
        re: RequestId,
        game: &GameId,
    ) -> Result<(Done, RematchOutcome), Denial> {
        let setup = self.finished(game).await?;
        let user = client
            .user
            .as_ref()
            .filter(|user| setup.seats.into_iter().any(|player| user.is_same(&player.user)));
        let user = user.ok_or_else(|| Denial::NotAPlayer(game.clone()))?;
        if let Some(done) = self.existing_rematch(&re, game).await? {
            return Ok((done, RematchOutcome::Unchanged));
        }
        self.close_expired().await;
        let open = self.open_games().rematch_of(game);
        let challenge = match open {
            Some(open) => open,
            None => match self.challenge_rematch(client, user, game, &setup).await? {
                (challenge, Opened::New) => {
                    let mut done = Done::new(re);
                    done.challenge = Some(challenge.clone());
                    return Ok((done, RematchOutcome::Challenged(challenge)));
                }
                (_, Opened::RematchOpen(open)) => open,
                (_, Opened::RematchBegun(next)) => {
                    return Ok((begun(&re, next), RematchOutcome::Unchanged));
                }
            },
        };
        let id = OfferId::Challenge(challenge.clone());
        if self.find_open(&id).await.is_ok_and(|open| open.has(user)) {
            let mut done = Done::new(re);
            done.challenge = Some(challenge);
            done.dup = true;
            return Ok((done, RematchOutcome::Unchanged));
        }
        match self.accept(client, re.clone(), &id).await {
            Ok((done, Some(started))) => Ok((done, RematchOutcome::Started(started))),
            Ok((done, None)) => Ok((done, RematchOutcome::Unchanged)),
            // The others were there in the same moment.
            Err(denial @ (Denial::NotFound(_) | Denial::OfferGone(_))) => {
                match self.existing_rematch(&re, game).await? {
                    Some(done) => Ok((done, RematchOutcome::Unchanged)),
                    None => Err(denial),
                }
            }
            Err(denial) => Err(denial),
        }
    }

    /// Returns the answer if the rematch has started already.
    async fn existing_rematch(
        &self,
        re: &RequestId,
        game: &GameId,
    ) -> Result<Option<Done>, StoreError> {
        let next = self.store.rematch_of(game.clone()).await?;
        Ok(next.map(|next| begun(re, next)))
    }

    /// What was agreed for a game that is over.
    async fn finished(&self, game: &GameId) -> Result<Setup, Denial> {
        let store = &self.store;
        if store.live_state(game).await?.is_some_and(|live| !live.ended) {
            return Err(Denial::Forbidden("the game is still going on".to_owned()));
        }
        let records = store.journal.read(game.clone(), 1, 1).await?;
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
    ) -> Result<(ChallengeId, Opened), Denial> {
        let mut seats = Vec::with_capacity(setup.seats.len());
        for player in &setup.seats {
            let name: Result<UserName, _> = player.user.parse();
            seats.push(name.map_err(|_| Denial::NotFound(format!("user called {}", player.user)))?);
        }
        seats.rotate_left(1);
        let config = GameConfig {
            kind: setup.kind,
            options: setup.options.clone(),
            clock: setup.clock,
            rated: setup.rated,
            delay: setup.delay,
            unlisted: setup.unlisted,
        };
        let players = self.resolve_users(&seats).await?;
        self.check_blocks(by, &players.seats).await?;
        self.check_owners(&players.seats, config.rated).await?;
        let (now_ms, entropy) = (self.time.now_ms(), &mut self.entropy.clone());
        let maker = terms::seeker(by, client);
        let mut challenged = terms::new_challenge(&config, maker, &players, now_ms, entropy);
        challenged.rematch_of = Some(game.clone());
        let challenge = challenged.challenge.clone();
        Ok((challenge, self.open_challenge(client, by, challenged, players).await?))
    }
}

/// The answer if the rematch has started already.
fn begun(re: &RequestId, next: GameId) -> Done {
    let mut done = Done::new(re.clone());
    done.game = Some(next);
    done.dup = true;
    done
}
