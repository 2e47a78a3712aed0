//! How the lobby deals with challenges: made, listed, taken, turned down, taken back and expired.

use adamant_protocol::{
    ChallengeId, GameId, RequestId, ToClient, UserName,
    from_client::{self, Challenge, Decline},
    to_client::{
        ChallengeClosed, ChallengeList, Challenged, ClosedReason, Direction, Done, OpenChallenge,
    },
};
use adamant_rules::Player;
use rand::seq::SliceRandom as _;

use super::{
    challenges::{self, AcceptOutcome, Participants},
    game_config::GameConfig,
    lobby::{Lobby, StartedGame},
};
use crate::{
    address::{ClientAddress, ClientNetwork},
    error::Denial,
    limits::CHALLENGES_PAGE_MAX,
    outbound::{SendOutcome, client::ClientHandle},
    store::{Origin, StoredChallenge, User},
};

/// How a challenge closes that does not become a game of its own.
#[derive(Debug)]
pub(super) struct ChallengeClosure {
    /// Why it comes to nothing.
    reason: Option<ClosedReason>,
    /// The rematch that another challenge has become.
    game: Option<GameId>,
    by: Option<UserName>,
    /// The same in words, where the house has them.
    message: Option<Box<str>>,
}

impl ChallengeClosure {
    fn by(user: &UserName, reason: ClosedReason) -> Self {
        Self { reason: Some(reason), game: None, by: Some(user.clone()), message: None }
    }

    const fn expired() -> Self {
        Self { reason: Some(ClosedReason::Expired), game: None, by: None, message: None }
    }

    const fn rematch(game: GameId) -> Self {
        Self { reason: None, game: Some(game), by: None, message: None }
    }
}

impl Lobby {
    /// The newest open challenges that concern a user, and how many there are in all.
    pub(crate) async fn challenges_of(&self, user: &UserName) -> (Vec<OpenChallenge>, usize) {
        self.close_expired().await;
        self.invitations().challenges.page(user, None, CHALLENGES_PAGE_MAX as usize)
    }

    /// Lists the open challenges that concern the caller's user.
    pub(crate) async fn list_challenges(
        &self,
        client: &ClientHandle,
        request: from_client::Challenges,
    ) -> Result<ChallengeList, Denial> {
        let user = client
            .user
            .as_ref()
            .ok_or_else(|| Denial::Forbidden("say who you are first".to_owned()))?;
        self.close_expired().await;
        let from_client::Challenges { id, before, limit } = request;
        let limit = limit.unwrap_or(CHALLENGES_PAGE_MAX).clamp(1, CHALLENGES_PAGE_MAX) as usize;
        let invitations = self.invitations();
        if let Some(before) = &before
            && invitations.challenges.get(before).is_none()
        {
            return Err(Denial::NotFound(format!("open challenge {before}")));
        }
        let (mut challenges, _) = invitations.challenges.page(user, before.as_ref(), limit + 1);
        let more = challenges.len() > limit;
        challenges.truncate(limit);
        Ok(ChallengeList { re: id, challenges, more })
    }

    /// Tells a session of those challenges that its user has yet to answer, as fast as it reads.
    pub(crate) async fn send_pending(&self, client: &ClientHandle, challenges: &[ChallengeId]) {
        for id in challenges {
            let Some(open) = self.invitations().challenges.get(id).cloned() else { continue };
            if client.outbox.send_waiting(&open.challenged.into()).await != SendOutcome::Queued {
                return;
            }
        }
    }

    /// Makes a challenge. It is stored before it is acknowledged or sent.
    pub(crate) async fn challenge(
        &self,
        client: &ClientHandle,
        request: Challenge,
    ) -> Result<Done, Denial> {
        let by = client
            .user
            .clone()
            .ok_or_else(|| Denial::Forbidden("say who you are to play".to_owned()))?;
        if !challenges::has(&request.seats, &by) {
            let message = "the seats of a challenge include yourself".to_owned();
            return Err(Denial::BadMessage(message));
        }
        let config = GameConfig::read(
            &request.rules,
            &request.options,
            request.clock,
            request.rated,
            (request.delay, request.unlisted),
            request.seats.len(),
        )?;
        let players = self.resolve_users(&request.seats).await?;
        self.check_blocks(&by, &players.seats).await?;
        self.check_settings(client, &by, &players).await?;
        let maker = (&by, client.bot, client.guest);
        let (now_ms, entropy) = (self.time.now_ms(), &mut self.entropy.clone());
        let mut challenged = challenges::challenged(&config, maker, &players, now_ms, entropy);
        challenged.shuffle = request.shuffle;
        self.close_expired().await;
        let mut done = Done::new(request.id);
        done.challenge = Some(self.open_challenge(client, challenged, &players).await?);
        Ok(done)
    }

    /// Stores a challenge and opens it.
    pub(super) async fn open_challenge(
        &self,
        client: &ClientHandle,
        challenged: Challenged,
        players: &Participants,
    ) -> Result<ChallengeId, Denial> {
        let id = challenged.challenge.clone();
        let stored = StoredChallenge {
            id: id.clone(),
            bots: if client.bot { vec![challenged.by.clone()] } else { Vec::new() },
            created_at: challenged.created,
            challenged,
        };
        let from = client.from.map(ClientAddress::network);
        self.invitations().challenges.add(stored.clone(), from, &players.house)?;
        if let Err(error) = self.store.challenges.add_challenge(stored).await {
            self.invitations().challenges.remove(&id);
            return Err(error.into());
        }
        self.shared.expiry_changed.notify_one();
        Ok(id)
    }

    /// Tells those who are challenged; called once the challenger has been answered.
    pub(crate) fn send_challenge(&self, challenge: &ChallengeId) {
        let open = self.invitations().challenges.get(challenge).map(|open| open.challenged.clone());
        if let Some(challenged) = open {
            self.report_challenge(&challenged);
            let names = challenged.seats.clone();
            let others = names.iter().filter(|name| !name.is_same(challenged.by.as_str()));
            self.send_to_users(others, &ToClient::Challenged(challenged.clone()));
        }
    }

    /// Each name as its user spells it; everyone must exist and be named once.
    pub(super) async fn resolve_users(&self, names: &[UserName]) -> Result<Participants, Denial> {
        let mut players = Participants::default();
        for name in names {
            let user = self.user(name).await?;
            if user.house && self.house.iter().all(|player| player.user != user.name) {
                return Err(Denial::Forbidden("the house does not play on this server".to_owned()));
            }
            if challenges::has(&players.seats, &user.name) {
                let message = format!("{} cannot take two seats", user.name);
                return Err(Denial::BadMessage(message));
            }
            players.any_guest |= user.guest;
            if user.house {
                players.house.push(user.name.clone());
            }
            players.seats.push(user.name);
        }
        Ok(players)
    }

    async fn user(&self, name: &UserName) -> Result<User, Denial> {
        self.accounts
            .find(name.clone())
            .await?
            .ok_or_else(|| Denial::NotFound(format!("user called {name}")))
    }

    /// Takes a challenge. Once all have agreed the game begins.
    pub(crate) async fn accept_challenge(
        &self,
        client: &ClientHandle,
        re: RequestId,
        id: &ChallengeId,
    ) -> Result<(Done, Option<StartedGame>), Denial> {
        let user = client
            .user
            .clone()
            .ok_or_else(|| Denial::Forbidden("say who you are to play".to_owned()))?;
        self.close_expired().await;
        self.check_live_games(client).await?;
        let seats = self.invitations().challenges.get(id).map(|open| open.challenged.seats.clone());
        self.check_blocks(&user, &seats.unwrap_or_default()).await?;
        let accepted = self.invitations().challenges.accept(id, &user, client.bot)?;
        let mut done = Done::new(re);
        done.challenge = Some(id.clone());
        let (full, from) = match accepted {
            AcceptOutcome::Waiting(waiting) => {
                if !self.store.challenges.update_challenge(waiting.clone()).await? {
                    self.invitations().challenges.remove(id);
                    return Err(Denial::OriginGone(Origin::Challenge(id.clone())));
                }
                let names = waiting.challenged.seats.clone();
                self.send_to_users(&names, &ToClient::Challenged(waiting.challenged));
                return Ok((done, None));
            }
            AcceptOutcome::Full(full, from) => (full, from),
        };
        let game = match self.start_from_challenge(&full).await {
            Ok(game) => game,
            Err(Denial::RematchExists(game)) => {
                // Another challenge has become the rematch. This one leads to that game, too.
                match self.close(full, ChallengeClosure::rematch(game.clone())).await {
                    Ok(()) | Err(Denial::OriginGone(_)) => {}
                    Err(error) => return Err(error),
                }
                done.game = Some(game);
                done.dup = true;
                return Ok((done, None));
            }
            Err(denial @ Denial::OriginGone(_)) => return Err(denial),
            Err(denial) => {
                self.invitations().challenges.restore(full, from);
                return Err(denial);
            }
        };
        done.game = Some(game.clone());
        let players = full.challenged.seats;
        let rematch_of = full.challenged.rematch_of;
        Ok((done, Some(StartedGame { game, players, challenge: Some(id.clone()), rematch_of })))
    }

    async fn start_from_challenge(&self, full: &StoredChallenge) -> Result<GameId, Denial> {
        self.check_live_games_of(&full.challenged.seats).await?;
        let mut players = self.players(&full.challenged.seats, &full.bots).await?;
        if full.challenged.shuffle {
            players.shuffle(&mut self.entropy.clone());
        }
        let setup = challenges::config(&full.challenged)?.setup(players)?;
        let (challenge, rematch_of) = (full.id.clone(), full.challenged.rematch_of.clone());
        self.rooms.start(setup, Some(Origin::Challenge(challenge)), rematch_of).await
    }

    /// The users of these names as players. Those among `bots` are programs, besides the bots.
    pub(super) async fn players(
        &self,
        names: &[UserName],
        bots: &[UserName],
    ) -> Result<Vec<Player>, Denial> {
        let mut players = Vec::with_capacity(names.len());
        for name in names {
            let user = self.user(name).await?;
            let bot = user.is_bot() || challenges::has(bots, &user.name);
            let guest = user.guest;
            players.push(Player { user: user.name.as_str().into(), bot, guest, rating: None });
        }
        Ok(players)
    }

    /// Turns a challenge down.
    pub(crate) async fn decline(
        &self,
        client: &ClientHandle,
        request: Decline,
    ) -> Result<Done, Denial> {
        let user = client
            .user
            .as_ref()
            .ok_or_else(|| Denial::Forbidden("say who you are first".to_owned()))?;
        let open = self.invitations().challenges.decline(&request.challenge, user)?;
        self.close(open, ChallengeClosure::by(user, request.reason.into())).await?;
        Ok(Done::new(request.id))
    }

    /// A house player turns a challenge down, and says why.
    pub(crate) async fn decline_for_house(
        &self,
        player: &UserName,
        challenge: &ChallengeId,
        (reason, message): (ClosedReason, Box<str>),
    ) -> Result<(), Denial> {
        let open = self.invitations().challenges.decline(challenge, player)?;
        let closure =
            ChallengeClosure { message: Some(message), ..ChallengeClosure::by(player, reason) };
        self.close(open, closure).await
    }

    /// Where a challenge was made, if that is known.
    pub(crate) fn network_of_challenge(&self, challenge: &ChallengeId) -> Option<ClientNetwork> {
        self.invitations().challenges.network_of(challenge)
    }

    /// Takes one's own challenge back.
    pub(crate) async fn cancel(
        &self,
        client: &ClientHandle,
        re: RequestId,
        challenge: &ChallengeId,
    ) -> Result<Done, Denial> {
        let user = client
            .user
            .as_ref()
            .ok_or_else(|| Denial::Forbidden("say who you are first".to_owned()))?;
        let open = self.invitations().challenges.cancel(challenge, user)?;
        self.close(open, ChallengeClosure::by(user, ClosedReason::Cancelled)).await?;
        Ok(Done::new(re))
    }

    pub(super) async fn close_expired_challenges(&self) {
        let expired = self.invitations().challenges.take_expired(self.time.now_ms());
        for open in expired {
            match self.close(open, ChallengeClosure::expired()).await {
                Ok(()) | Err(Denial::OriginGone(_)) => {}
                Err(error) => tracing::warn!(%error, "deleting an expired challenge failed"),
            }
        }
    }

    /// Closes a challenge, unless it has been closed in the store. If the store cannot delete it,
    /// it stays open, and no client has seen it close.
    async fn close(&self, open: StoredChallenge, closure: ChallengeClosure) -> Result<(), Denial> {
        match self.store.challenges.delete_challenge(open.id.clone()).await {
            Ok(true) => {}
            Ok(false) => return Err(Denial::OriginGone(Origin::Challenge(open.id))),
            Err(error) => {
                self.invitations().challenges.restore(open, None);
                return Err(error.into());
            }
        }
        let Challenged { seats, rematch_of, .. } = open.challenged;
        let ChallengeClosure { reason, game, by, message } = closure;
        let challenge = open.id;
        let closed = ChallengeClosed { challenge, game, reason, by, message, rematch_of };
        self.send_to_users(&seats, &ToClient::ChallengeClosed(closed));
        Ok(())
    }

    /// Withdraws the challenges of a guest that is deleted, and declines those to it.
    pub(crate) async fn close_challenges_of(&self, user: &UserName) -> Result<(), Denial> {
        let (open, _) = self.invitations().challenges.page(user, None, usize::MAX);
        for OpenChallenge { direction, challenged } in open {
            let Some(open) = self.invitations().challenges.remove(&challenged.challenge) else {
                continue;
            };
            let reason = match direction {
                Direction::Out => ClosedReason::Cancelled,
                Direction::In => ClosedReason::Generic,
            };
            match self.close(open, ChallengeClosure::by(user, reason)).await {
                Ok(()) | Err(Denial::OriginGone(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
