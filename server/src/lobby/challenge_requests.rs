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
    challenges::{self, Participants},
    game_config::GameConfig,
    lobby::{Lobby, StartedGame},
};
use crate::{
    address::ClientNetwork,
    cluster::ClusterEvent,
    error::Denial,
    limits::CHALLENGES_PAGE_MAX,
    outbound::{SendOutcome, client::ClientHandle},
    store::{
        AcceptChallengeOutcome, AddChallengeOutcome, NewChallenge, Origin, OriginClaim,
        StoredChallenge, User, has_name,
    },
};

/// What has come of a challenge that was to be opened.
#[derive(Debug)]
pub(super) enum OpenedChallenge {
    /// It is open.
    New(ChallengeId),
    /// Another challenge to the same rematch is open.
    RematchOpen(ChallengeId),
    /// The rematch has begun.
    RematchBegun(GameId),
}

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

/// Who made a challenge.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChallengeMaker {
    /// Whether a guest did.
    pub is_guest: bool,
    /// Where it was made, as far as is known.
    pub network: Option<ClientNetwork>,
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
        if !has_name(&request.seats, &by) {
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
        self.check_owners(&players.seats, config.rated).await?;
        self.check_settings(client, &by, &players).await?;
        let maker = (&by, client.bot, client.guest);
        let (now_ms, entropy) = (self.time.now_ms(), &mut self.entropy.clone());
        let mut challenged = challenges::challenged(&config, maker, &players, now_ms, entropy);
        challenged.shuffle = request.shuffle;
        self.close_expired().await;
        let mut done = Done::new(request.id);
        match self.open_challenge(client, challenged, players).await? {
            OpenedChallenge::New(id) | OpenedChallenge::RematchOpen(id) => {
                done.challenge = Some(id);
            }
            OpenedChallenge::RematchBegun(game) => return Err(Denial::RematchExists(game)),
        }
        Ok(done)
    }

    /// Stores a challenge and opens it.
    pub(super) async fn open_challenge(
        &self,
        client: &ClientHandle,
        challenged: Challenged,
        players: Participants,
    ) -> Result<OpenedChallenge, Denial> {
        let id = challenged.challenge.clone();
        let stored = StoredChallenge {
            id: id.clone(),
            bots: if client.bot { vec![challenged.by.clone()] } else { Vec::new() },
            created_at: challenged.created,
            from: self.network_of(client),
            challenged,
        };
        let new = NewChallenge { stored: stored.clone(), house: players.house };
        let added = self.store.challenges.add_challenge(new).await;
        match added.inspect_err(|error| self.doubt(error))? {
            AddChallengeOutcome::Added => {}
            AddChallengeOutcome::RematchOpen(open) => {
                return Ok(OpenedChallenge::RematchOpen(open));
            }
            AddChallengeOutcome::RematchBegun(game) => {
                return Ok(OpenedChallenge::RematchBegun(game));
            }
            AddChallengeOutcome::LimitReached(reached) => return Err(reached.into()),
        }
        self.invitations().challenges.put(stored);
        self.shared.expiry_changed.notify_one();
        self.cluster.publish(|| ClusterEvent::ChallengeChanged(id.clone()));
        Ok(OpenedChallenge::New(id))
    }

    /// Returns an open challenge. Another request, or another node, may have opened it a moment
    /// ago.
    pub(super) async fn find_challenge(&self, id: &ChallengeId) -> Result<StoredChallenge, Denial> {
        let known = self.invitations().challenges.get(id).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let found = self.store.challenges.find_challenge(id.clone()).await?;
        found.ok_or_else(|| challenges::not_found(id))
    }

    /// Tells those who are challenged; called once the challenger has been answered.
    pub(crate) fn send_challenge(&self, challenge: &ChallengeId) {
        let open = self.invitations().challenges.get(challenge).map(|open| open.challenged.clone());
        if let Some(challenged) = open {
            self.report_challenge(&challenged);
            self.send_new_challenge(&challenged);
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
            if has_name(&players.seats, &user.name) {
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

    pub(super) async fn user(&self, name: &UserName) -> Result<User, Denial> {
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
        let open = self.find_challenge(id).await?;
        self.check_blocks(&user, &open.challenged.seats).await?;
        // The bot may have come to another owner since.
        self.check_owners(&open.challenged.seats, open.challenged.rated).await?;
        challenges::check_challenged(&open.challenged, &user)?;
        let accepted = self.store.challenges.accept_challenge(id.clone(), user, client.bot).await;
        let full = match accepted.inspect_err(|error| self.doubt(error))? {
            AcceptChallengeOutcome::Waiting(waiting) => {
                self.invitations().challenges.put((*waiting).clone());
                self.send_acceptance(&waiting.challenged);
                self.cluster.publish(|| ClusterEvent::ChallengeChanged(id.clone()));
                let mut done = Done::new(re);
                done.challenge = Some(id.clone());
                return Ok((done, None));
            }
            AcceptChallengeOutcome::Full(full) => *full,
            AcceptChallengeOutcome::AlreadyAccepted => {
                let message = "you have accepted this challenge already".to_owned();
                return Err(Denial::Forbidden(message));
            }
            AcceptChallengeOutcome::Gone => {
                self.invitations().challenges.close(id);
                return Err(challenges::not_found(id));
            }
        };
        self.start_challenge(re, full).await
    }

    /// Tells all who take part that one more has accepted.
    pub(super) fn send_acceptance(&self, challenged: &Challenged) {
        self.send_to_users(&challenged.seats, &ToClient::Challenged(challenged.clone()));
    }

    /// Starts the game of a challenge that all have accepted.
    async fn start_challenge(
        &self,
        re: RequestId,
        full: StoredChallenge,
    ) -> Result<(Done, Option<StartedGame>), Denial> {
        let mut done = Done::new(re);
        done.challenge = Some(full.id.clone());
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
            Err(denial) => {
                if matches!(denial, Denial::OriginGone(_)) {
                    self.invitations().challenges.close(&full.id);
                }
                return Err(denial);
            }
        };
        self.invitations().challenges.close(&full.id);
        done.game = Some(game.clone());
        let Challenged { seats: players, rematch_of, .. } = full.challenged;
        Ok((done, Some(StartedGame { game, players, challenge: Some(full.id), rematch_of })))
    }

    async fn start_from_challenge(&self, full: &StoredChallenge) -> Result<GameId, Denial> {
        self.check_live_games_of(&full.challenged.seats).await?;
        let mut players = self.players(&full.challenged.seats, &full.bots).await?;
        if full.challenged.shuffle {
            players.shuffle(&mut self.entropy.clone());
        }
        let setup = challenges::config(&full.challenged)?.setup(players)?;
        let (challenge, rematch_of) = (full.id.clone(), full.challenged.rematch_of.clone());
        let origin = OriginClaim { origin: Origin::Challenge(challenge), version: None };
        self.start_game(setup, origin, rematch_of).await
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
            let bot = user.is_bot() || has_name(bots, &user.name);
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
        let open = self.find_challenge(&request.challenge).await?;
        challenges::check_challenged(&open.challenged, user)?;
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
        let open = self.find_challenge(challenge).await?;
        challenges::check_challenged(&open.challenged, player)?;
        let closure =
            ChallengeClosure { message: Some(message), ..ChallengeClosure::by(player, reason) };
        self.close(open, closure).await
    }

    /// Where a challenge was made, if that is known.
    pub(crate) fn network_of_challenge(&self, challenge: &ChallengeId) -> Option<ClientNetwork> {
        self.invitations().challenges.network_of(challenge)
    }

    /// Who made a challenge; `None` if it is not open.
    pub(crate) async fn maker_of_challenge(
        &self,
        challenge: &ChallengeId,
    ) -> Option<ChallengeMaker> {
        let open = self.find_challenge(challenge).await.ok()?;
        let network = self.network_of_challenge(challenge);
        Some(ChallengeMaker { is_guest: open.challenged.guest, network })
    }

    /// Whether a user is somebody's bot.
    pub(crate) async fn is_bot(&self, user: &UserName) -> bool {
        self.user(user).await.is_ok_and(|user| user.is_bot())
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
        let open = self.find_challenge(challenge).await?;
        if !open.challenged.by.is_same(user.as_str()) {
            return Err(Denial::Forbidden("this challenge is not yours".to_owned()));
        }
        self.close(open, ChallengeClosure::by(user, ClosedReason::Cancelled)).await?;
        Ok(Done::new(re))
    }

    pub(super) async fn close_expired_challenges(&self) {
        let expired = self.invitations().challenges.expired(self.time.now_ms());
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
        let deleted = self.store.challenges.delete_challenge(open.id.clone()).await;
        let was_open = deleted.inspect_err(|error| self.doubt(error))?;
        self.invitations().challenges.close(&open.id);
        if !was_open {
            return Err(Denial::OriginGone(Origin::Challenge(open.id)));
        }
        let Challenged { seats: users, rematch_of, .. } = open.challenged;
        let ChallengeClosure { reason, game, by, message } = closure;
        let challenge = open.id;
        let closed = ChallengeClosed { challenge, game, reason, by, message, rematch_of };
        self.send_to_users(&users, &ToClient::ChallengeClosed(closed.clone()));
        self.cluster.publish(|| ClusterEvent::ChallengeClosed { closed, users });
        Ok(())
    }

    /// Withdraws the challenges of a guest that is deleted, and declines those to it.
    pub(crate) async fn close_challenges_of(&self, user: &UserName) -> Result<(), Denial> {
        let (open, _) = self.invitations().challenges.page(user, None, usize::MAX);
        for OpenChallenge { direction, challenged } in open {
            let open = self.invitations().challenges.get(&challenged.challenge).cloned();
            let Some(open) = open else { continue };
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
