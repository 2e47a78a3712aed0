//! How the lobby deals with open games: made, listed, taken, left, turned down, taken back and
//! expired. Seeks, challenges and invites differ in who may join, and in what clients are told.

use std::{sync::Arc, time::Duration};

use adamant_protocol::{
    ChallengeId, GameId, InviteId, RequestId, ToClient, UserName,
    from_client::{self, Challenge, Decline, Invite, InviteInfo, SeatWish, Seek},
    to_client::{
        ChallengeClosed, ChallengeList, Challenged, ClosedReason, Done, InviteEntry, InviteList,
        InviteState, OpenChallenge,
    },
};
use adamant_rules::Player;
use tokio::{select, time::sleep};
use tokio_util::sync::CancellationToken;

use super::{
    game_config::GameConfig,
    lobby::{Lobby, StartedGame},
    terms::{self, Candidate, Participants},
};
use crate::{
    address::ClientNetwork,
    cluster::ClusterEvent,
    error::Denial,
    limits::{CHALLENGES_PAGE_MAX, EXPIRY_WAIT_MAX, EXPIRY_WAIT_MIN, ORIGIN_TRIES_MAX},
    outbound::{SendOutcome, client::ClientHandle},
    ratings::{Pool, Rating},
    store::{
        AddOfferOutcome, JoinOfferOutcome, NewOffer, NodeSession, Offer, OfferId, OpenGame,
        SeekOutcome, Seeker, Seeking, SharedWork, StoreError, SuitsOffer, User, has_name,
    },
};

/// What has come of an offer that was to be opened.
#[derive(Debug)]
pub(super) enum Opened {
    New,
    /// Another challenge to the same rematch is open.
    RematchOpen(ChallengeId),
    /// The rematch has begun.
    RematchBegun(GameId),
}

/// How an offer closes that does not become a game of its own.
#[derive(Debug)]
struct Closure {
    /// Why it comes to nothing.
    reason: Option<ClosedReason>,
    /// The rematch that another challenge has become.
    game: Option<GameId>,
    by: Option<UserName>,
    /// The same in words, where the house has them.
    message: Option<Box<str>>,
}

impl Closure {
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

/// The answer to a request that names an offer.
fn done(re: &RequestId, id: &OfferId) -> Done {
    let mut done = Done::new(re.clone());
    match id.clone() {
        OfferId::Seek(id) => done.seek = Some(id),
        OfferId::Challenge(id) => done.challenge = Some(id),
        OfferId::Invite(id) => done.invite = Some(id),
    }
    done
}

pub(super) fn not_found(id: &OfferId) -> Denial {
    Denial::NotFound(format!("open {id}"))
}

/// The caller's user, who would play.
fn player(client: &ClientHandle) -> Result<&UserName, Denial> {
    client.user.as_ref().ok_or_else(|| Denial::Forbidden("say who you are to play".to_owned()))
}

/// The caller's user.
fn named(client: &ClientHandle) -> Result<&UserName, Denial> {
    client.user.as_ref().ok_or_else(|| Denial::Forbidden("say who you are first".to_owned()))
}

/// Rejects a user who may not answer a challenge.
fn check_challenged(open: &OpenGame, user: &UserName) -> Result<(), Denial> {
    if !has_name(open.users(), user) {
        return Err(Denial::Forbidden("this challenge is not for you".to_owned()));
    }
    if open.maker().is_same(user.as_str()) {
        return Err(Denial::Forbidden("this challenge is your own".to_owned()));
    }
    Ok(())
}

/// The message that tells of a change of an invite.
pub(super) fn invite_state(entry: InviteEntry) -> ToClient {
    InviteState { re: None, entry }.into()
}

impl Lobby {
    /// The newest open challenges that concern a user, and how many there are in all.
    pub(crate) async fn challenges_of(&self, user: &UserName) -> (Vec<OpenChallenge>, usize) {
        self.close_expired().await;
        self.open_games().challenge_page(user, None, CHALLENGES_PAGE_MAX as usize)
    }

    /// Lists the open challenges that concern the caller's user.
    pub(crate) async fn list_challenges(
        &self,
        client: &ClientHandle,
        request: from_client::Challenges,
    ) -> Result<ChallengeList, Denial> {
        let user = named(client)?;
        self.close_expired().await;
        let from_client::Challenges { id, before, limit } = request;
        let limit = limit.unwrap_or(CHALLENGES_PAGE_MAX).clamp(1, CHALLENGES_PAGE_MAX) as usize;
        let open_games = self.open_games();
        if let Some(before) = before.clone().map(OfferId::Challenge)
            && open_games.get(&before).is_none()
        {
            return Err(not_found(&before));
        }
        let (mut challenges, _) = open_games.challenge_page(user, before.as_ref(), limit + 1);
        let more = challenges.len() > limit;
        challenges.truncate(limit);
        Ok(ChallengeList { re: id, challenges, more })
    }

    /// Lists the open invites that the caller's user has made or joined.
    pub(crate) async fn list_invites(
        &self,
        client: &ClientHandle,
        re: RequestId,
    ) -> Result<InviteList, Denial> {
        let user = player(client)?;
        self.close_expired().await;
        Ok(InviteList { re, invites: self.open_games().invites_of(user) })
    }

    /// Shows an invite, or the game that it has become.
    pub(crate) async fn invite_info(&self, request: InviteInfo) -> Result<InviteState, Denial> {
        let InviteInfo { id, invite } = request;
        let entry = self.invite_entry(&invite).await?;
        Ok(InviteState { re: Some(id), entry })
    }

    /// Returns an invite that is open or that has become a game.
    pub(crate) async fn invite_entry(&self, invite: &InviteId) -> Result<InviteEntry, Denial> {
        self.close_expired().await;
        let id = OfferId::Invite(invite.clone());
        match self.find(&id).await?.offer {
            Offer::Invite(entry) => Ok(entry),
            Offer::Seek(_) | Offer::Challenge(_) => Err(not_found(&id)),
        }
    }

    /// Tells a session of those challenges that its user has yet to answer, as fast as it reads.
    pub(crate) async fn send_pending(&self, client: &ClientHandle, challenges: &[ChallengeId]) {
        for id in challenges {
            let Some(known) = self.known_challenge(id) else { continue };
            if client.outbox.send_waiting(&known.into()).await != SendOutcome::Queued {
                return;
            }
        }
    }

    fn known_challenge(&self, id: &ChallengeId) -> Option<Challenged> {
        match &self.open_games().get(&OfferId::Challenge(id.clone()))?.offer {
            Offer::Challenge(challenged) => Some(challenged.clone()),
            Offer::Seek(_) | Offer::Invite(_) => None,
        }
    }

    /// Makes a challenge. It is stored before it is acknowledged or sent.
    pub(crate) async fn challenge(
        &self,
        client: &ClientHandle,
        request: Challenge,
    ) -> Result<Done, Denial> {
        let by = player(client)?;
        if !has_name(&request.seats, by) {
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
        self.check_blocks(by, &players.seats).await?;
        self.check_owners(&players.seats, config.rated).await?;
        self.check_settings(client, by, &players).await?;
        let (now_ms, entropy) = (self.time.now_ms(), &mut self.entropy.clone());
        let maker = terms::seeker(by, client);
        let mut challenged = terms::new_challenge(&config, maker, &players, now_ms, entropy);
        challenged.shuffle = request.shuffle;
        self.close_expired().await;
        let mut done = Done::new(request.id);
        done.challenge = Some(challenged.challenge.clone());
        match self.open_challenge(client, by, challenged, players).await? {
            Opened::New => {}
            Opened::RematchOpen(id) => done.challenge = Some(id),
            Opened::RematchBegun(game) => return Err(Denial::RematchExists(game)),
        }
        Ok(done)
    }

    /// Stores a challenge and opens it.
    pub(super) async fn open_challenge(
        &self,
        client: &ClientHandle,
        by: &UserName,
        challenged: Challenged,
        players: Participants,
    ) -> Result<Opened, Denial> {
        let (maker, from) = (terms::seeker(by, client), self.network_of(client));
        let open = OpenGame::new(Offer::Challenge(challenged), maker, from);
        self.add(NewOffer { open, house: players.house }).await
    }

    /// Stores an offer and opens it.
    async fn add(&self, new: NewOffer) -> Result<Opened, Denial> {
        let open = new.open.clone();
        let added = self.store.add_offer(new).await;
        match added.inspect_err(|error| self.doubt(error))? {
            AddOfferOutcome::Added => {}
            AddOfferOutcome::RematchOpen(open) => return Ok(Opened::RematchOpen(open)),
            AddOfferOutcome::RematchBegun(game) => return Ok(Opened::RematchBegun(game)),
            AddOfferOutcome::LimitReached(reached) => return Err(reached.into()),
        }
        self.show(open);
        Ok(Opened::New)
    }

    /// Makes an invite. It is stored before it is acknowledged.
    pub(crate) async fn invite(
        &self,
        client: &ClientHandle,
        request: Invite,
    ) -> Result<Done, Denial> {
        let by = player(client)?;
        let config = GameConfig::read(
            &request.rules,
            &request.options,
            request.clock,
            request.rated,
            (request.delay, request.unlisted),
            usize::from(request.players),
        )?;
        let (now_ms, entropy) = (self.time.now_ms(), &mut self.entropy.clone());
        let (maker, from) = (terms::seeker(by, client), self.network_of(client));
        let made = terms::new_invite(&config, &request, maker, from, now_ms, entropy);
        let (entry, open) = made?;
        self.close_expired().await;
        self.add(NewOffer { open, house: Vec::new() }).await?;
        let mut done = Done::new(request.id);
        (done.invite, done.expires) = (Some(entry.invite), Some(entry.expires));
        Ok(done)
    }

    /// Opens a seek, or joins an open seek for the same game.
    pub(crate) async fn seek(
        &self,
        client: &Arc<ClientHandle>,
        seek: Seek,
    ) -> Result<(Done, Option<StartedGame>), Denial> {
        let user = player(client)?;
        self.check_live_games(client).await?;
        let config = terms::read_seek(&seek)?;
        let pool = Pool::of(config.kind, usize::from(seek.players));
        let candidate = self.candidate(client, user, seek.seat, pool, config.rated).await?;
        self.close_expired().await;
        let now_ms = self.time.now_ms();
        let id = self.open_games().new_seek_id(self.cluster.node(), now_ms);
        let from = self.network_of(client);
        let new = terms::new_seek(id.clone(), &candidate, &config, &seek, from, now_ms);
        let mut sought = self.try_seek(client, &seek.id, &candidate, &new, true).await;
        for tried in 1..=ORIGIN_TRIES_MAX {
            // Another user was faster: another seek may suit, or none. The last try joins none.
            if !matches!(sought, Err(Denial::OfferGone(_) | Denial::OfferChanged(_))) {
                break;
            }
            let may_join = tried < ORIGIN_TRIES_MAX;
            sought = self.try_seek(client, &seek.id, &candidate, &new, may_join).await;
        }
        if let Ok((done, _)) = &sought
            && done.seek.as_ref() != Some(&id)
        {
            // The user has joined another seek.
            self.open_games().give_back(&id);
        }
        sought
    }

    async fn try_seek(
        &self,
        client: &Arc<ClientHandle>,
        re: &RequestId,
        candidate: &Candidate,
        new: &OpenGame,
        may_join: bool,
    ) -> Result<(Done, Option<StartedGame>), Denial> {
        let suits: SuitsOffer = {
            let (new, candidate) = (new.clone(), candidate.clone());
            Box::new(move |open: &OpenGame| may_join && terms::suits(open, &new, &candidate))
        };
        let seeking = Seeking { seek: new.clone(), session: candidate.session, suits };
        let outcome = self.store.seek(seeking).await;
        let open = match outcome.inspect_err(|error| self.doubt(error))? {
            SeekOutcome::Opened => new.clone(),
            SeekOutcome::Waiting(open) => *open,
            SeekOutcome::Full(full) => return self.start(&candidate.seeker.user, re, *full).await,
            SeekOutcome::LimitReached(reached) => return Err(reached.into()),
        };
        Ok((self.keep(client, re, open).await?, None))
    }

    async fn candidate(
        &self,
        client: &ClientHandle,
        user: &UserName,
        seat: SeatWish,
        pool: Pool,
        rated: bool,
    ) -> Result<Candidate, Denial> {
        let ratings = self.store.ratings(pool, vec![user.clone()]).await?;
        let rating = ratings.into_iter().flatten().next().unwrap_or(Rating::START).rounded();
        Ok(Candidate {
            seeker: Seeker { rating, seat, ..terms::seeker(user, client) },
            session: self.node_session(client),
            blocks: Arc::new(self.blocks_around(user).await?),
            same_owner: Arc::new(self.same_owner(user, rated).await?),
        })
    }

    fn node_session(&self, client: &ClientHandle) -> NodeSession {
        NodeSession { node: self.cluster.node(), session: client.session }
    }

    /// Takes an offer. Once all are there the game begins. If another user has left or joined in
    /// the same moment, the client joins those who are there now.
    pub(crate) async fn accept(
        &self,
        client: &Arc<ClientHandle>,
        re: RequestId,
        id: &OfferId,
    ) -> Result<(Done, Option<StartedGame>), Denial> {
        let mut accepted = self.try_accept(client, &re, id).await;
        for _ in 1..ORIGIN_TRIES_MAX {
            if !matches!(accepted, Err(Denial::OfferChanged(_))) {
                break;
            }
            accepted = self.try_accept(client, &re, id).await;
        }
        accepted
    }

    async fn try_accept(
        &self,
        client: &Arc<ClientHandle>,
        re: &RequestId,
        id: &OfferId,
    ) -> Result<(Done, Option<StartedGame>), Denial> {
        let user = player(client)?;
        self.close_expired().await;
        self.check_live_games(client).await?;
        let open = self.find_open(id).await?;
        let (seeker, candidate) = self.joiner(client, user, &open).await?;
        let suits = candidate.clone().map(|candidate| -> SuitsOffer {
            Box::new(move |open: &OpenGame| terms::check(open, &candidate).is_ok())
        });
        let outcome = self.store.join_offer(id.clone(), seeker, suits).await;
        let refused = |open: &OpenGame| {
            candidate.as_ref().map_or(Ok(()), |candidate| terms::check(open, candidate))
        };
        match outcome.inspect_err(|error| self.doubt(error))? {
            JoinOfferOutcome::Waiting(open) => Ok((self.keep(client, re, *open).await?, None)),
            JoinOfferOutcome::Full(full) => self.start(user, re, *full).await,
            JoinOfferOutcome::AlreadyJoined => {
                refused(&open)?;
                let has = if matches!(id, OfferId::Challenge(_)) { "accepted" } else { "joined" };
                let message = format!("you have {has} this {} already", id.kind());
                Err(Denial::Forbidden(message))
            }
            JoinOfferOutcome::Unsuitable(open) => {
                refused(&open)?;
                Err(not_found(id))
            }
            JoinOfferOutcome::LimitReached(reached) => Err(reached.into()),
            JoinOfferOutcome::Gone => {
                self.forget(id);
                Err(not_found(id))
            }
        }
    }

    /// Returns a client's user as one who joins an offer, or rejects it. Whether a seek suits is
    /// decided in the store.
    async fn joiner(
        &self,
        client: &ClientHandle,
        user: &UserName,
        open: &OpenGame,
    ) -> Result<(Seeker, Option<Candidate>), Denial> {
        let rated = terms::is_rated(open);
        match &open.offer {
            Offer::Seek(_) => {
                let (pool, seat) = (terms::pool(open)?, SeatWish::Random);
                let candidate = self.candidate(client, user, seat, pool, rated).await?;
                let session = Some(candidate.session);
                Ok((Seeker { session, ..candidate.seeker.clone() }, Some(candidate)))
            }
            Offer::Challenge(challenged) => {
                self.check_blocks(user, &challenged.seats).await?;
                // The bot may have come to another owner since.
                self.check_owners(&challenged.seats, rated).await?;
                check_challenged(open, user)?;
                Ok((terms::seeker(user, client), None))
            }
            Offer::Invite(invite) => {
                self.check_blocks(user, &invite.joined).await?;
                self.same_owner(user, rated).await?.check(user, &invite.joined)?;
                if invite.by.is_same(user.as_str()) {
                    return Err(Denial::Forbidden("this invite is your own".to_owned()));
                }
                Ok((terms::seeker(user, client), None))
            }
        }
    }

    /// Returns an offer that is open, or an invite that has become a game. Another request, or
    /// another node, may have opened it a moment ago.
    async fn find(&self, id: &OfferId) -> Result<OpenGame, Denial> {
        let known = self.open_games().get(id).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let found = self.store.find_offer(id.clone()).await?;
        found.filter(|found| found.id() == *id).ok_or_else(|| not_found(id))
    }

    /// The same for one that is open.
    pub(super) async fn find_open(&self, id: &OfferId) -> Result<OpenGame, Denial> {
        let found = self.find(id).await?;
        if found.game().is_none() { Ok(found) } else { Err(not_found(id)) }
    }

    /// Lists an offer that is open in the store, tells its users, and answers the client that has
    /// made or joined it.
    async fn keep(
        &self,
        client: &ClientHandle,
        re: &RequestId,
        open: OpenGame,
    ) -> Result<Done, Denial> {
        let done = done(re, &open.id());
        self.show(open.clone());
        self.tell_joined(&open, []);
        // A session that has ended meanwhile has not found this seek.
        if open.expires().is_none()
            && !self.shared.online.has_session(player(client)?, client.session)
        {
            self.end_seeks(client).await;
        }
        Ok(done)
    }

    /// Tells those whom an offer concerns, and others, who has joined it now. The list of seeks
    /// shows it.
    pub(super) fn tell_joined<'a>(
        &self,
        open: &'a OpenGame,
        others: impl IntoIterator<Item = &'a UserName>,
    ) {
        let message = match &open.offer {
            Offer::Seek(_) => return,
            Offer::Challenge(challenged) => ToClient::Challenged(challenged.clone()),
            Offer::Invite(invite) => invite_state(invite.clone()),
        };
        self.send_to_users(open.users().iter().chain(others), &message);
    }

    /// Lists the new state of an offer, and announces it.
    fn show(&self, open: OpenGame) {
        let (id, expires) = (open.id(), open.expires());
        self.open_games().put(open);
        if matches!(id, OfferId::Seek(_)) {
            self.shared.seeks_changed.notify_one();
        }
        if expires.is_some() {
            self.shared.expiry_changed.notify_one();
        }
        self.cluster.publish(|| ClusterEvent::OfferChanged(id));
    }

    /// Takes an offer off the lists that is open no longer. Returns what was known of it.
    pub(super) fn forget(&self, id: &OfferId) -> Option<OpenGame> {
        let known = self.open_games().close(id);
        if known.is_some() && matches!(id, OfferId::Seek(_)) {
            self.shared.seeks_changed.notify_one();
        }
        known
    }

    /// Starts the game of an offer that a user would complete.
    async fn start(
        &self,
        user: &UserName,
        re: &RequestId,
        full: OpenGame,
    ) -> Result<(Done, Option<StartedGame>), Denial> {
        let id = full.id();
        let mut done = done(re, &id);
        match self.begin_game(&full).await {
            Ok((game, players)) => {
                self.forget(&id);
                done.game = Some(game.clone());
                Ok((done, Some(self.started(full, game, players))))
            }
            Err(Denial::RematchExists(game)) => {
                // Another challenge has become the rematch. This one leads to that game, too.
                match self.close(full, Closure::rematch(game.clone())).await {
                    Ok(()) | Err(Denial::OfferGone(_)) => {}
                    Err(error) => return Err(error),
                }
                (done.game, done.dup) = (Some(game), true);
                Ok((done, None))
            }
            Err(denial @ Denial::OfferGone(_)) => {
                self.forget(&id);
                Err(denial)
            }
            Err(denial @ Denial::OfferChanged(_)) => Err(denial),
            Err(denial) => {
                if matches!(id, OfferId::Seek(_)) {
                    self.drop_busy_users(user, &full).await;
                }
                Err(denial)
            }
        }
    }

    async fn begin_game(&self, full: &OpenGame) -> Result<(GameId, Vec<UserName>), Denial> {
        let seated = terms::seated(full, &mut self.entropy.clone());
        self.check_live_games_of(&seated).await?;
        let players = self.players(&seated, &full.bots()).await?;
        let setup = terms::config(full)?.setup(players)?;
        let rematch_of = full.rematch_of().cloned();
        Ok((self.start_game(setup, full.claim(), rematch_of).await?, seated))
    }

    /// Announces that an offer has become a game, and returns what remains to be done.
    fn started(&self, full: OpenGame, game: GameId, players: Vec<UserName>) -> StartedGame {
        let (mut challenge, mut rematch_of) = (None, None);
        match full.offer {
            Offer::Seek(seek) => {
                self.cluster.publish(|| ClusterEvent::OfferChanged(OfferId::Seek(seek.seek)));
            }
            // The game tells of it.
            Offer::Challenge(challenged) => {
                (challenge, rematch_of) = (Some(challenged.challenge), challenged.rematch_of);
            }
            Offer::Invite(invite) => {
                let taken = InviteEntry { game: Some(game.clone()), ..invite };
                self.tell_closed_invite(taken, players.clone());
            }
        }
        StartedGame { game, players, challenge, rematch_of }
    }

    /// Takes users with too many games out of a seek whose game could not start. The one whose
    /// request failed has not joined it in the store.
    async fn drop_busy_users(&self, refused: &UserName, full: &OpenGame) {
        for user in full.joined_users().iter().filter(|user| !user.is_same(refused.as_str())) {
            // If the store cannot tell, the next acceptance finds out.
            if self.has_room_for_a_game(user).await.unwrap_or(true) {
                continue;
            }
            match self.withdraw(user, &full.id()).await {
                Ok(()) | Err(Denial::OfferGone(_) | Denial::NotFound(_)) => {}
                // operator: the store failed; after a restart a lasting seek may still have players
                // who have left it
                Err(error) => tracing::warn!(%error, "storing a seek failed"),
            }
        }
    }

    /// The users of these names as players. Those among `bots` are programs, besides the bots.
    async fn players(&self, names: &[UserName], bots: &[UserName]) -> Result<Vec<Player>, Denial> {
        let mut players = Vec::with_capacity(names.len());
        for name in names {
            let user = self.user(name).await?;
            let bot = user.is_bot() || has_name(bots, &user.name);
            let guest = user.guest;
            players.push(Player { user: user.name.as_str().into(), bot, guest, rating: None });
        }
        Ok(players)
    }

    /// Tells those who are challenged; called once the challenger has been answered.
    pub(crate) fn send_challenge(&self, challenge: &ChallengeId) {
        if let Some(challenged) = self.known_challenge(challenge) {
            self.report_challenge(&challenged);
            self.send_new_challenge(&challenged);
        }
    }

    /// Tells those who are challenged.
    pub(super) fn send_new_challenge(&self, challenged: &Challenged) {
        let others = challenged.seats.iter().filter(|name| !name.is_same(challenged.by.as_str()));
        self.send_to_users(others, &ToClient::Challenged(challenged.clone()));
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

    /// Turns a challenge down.
    pub(crate) async fn decline(
        &self,
        client: &ClientHandle,
        request: Decline,
    ) -> Result<Done, Denial> {
        let user = named(client)?;
        let open = self.find_open(&OfferId::Challenge(request.challenge)).await?;
        check_challenged(&open, user)?;
        self.close(open, Closure::by(user, request.reason.into())).await?;
        Ok(Done::new(request.id))
    }

    /// A house player turns a challenge down, and says why.
    pub(crate) async fn decline_for_house(
        &self,
        player: &UserName,
        challenge: &ChallengeId,
        (reason, message): (ClosedReason, Box<str>),
    ) -> Result<(), Denial> {
        let open = self.find_open(&OfferId::Challenge(challenge.clone())).await?;
        check_challenged(&open, player)?;
        let closure = Closure { message: Some(message), ..Closure::by(player, reason) };
        self.close(open, closure).await
    }

    /// Where an open challenge was made, if that is known.
    pub(crate) fn network_of_challenge(&self, challenge: &ChallengeId) -> Option<ClientNetwork> {
        self.open_games().get(&OfferId::Challenge(challenge.clone()))?.from
    }

    /// Who made a challenge; `None` if it is not open.
    pub(crate) async fn maker_of_challenge(
        &self,
        challenge: &ChallengeId,
    ) -> Option<ChallengeMaker> {
        let open = self.find_open(&OfferId::Challenge(challenge.clone())).await.ok()?;
        Some(ChallengeMaker { is_guest: open.is_of_guest(), network: open.from })
    }

    /// Whether a user is somebody's bot.
    pub(crate) async fn is_bot(&self, user: &UserName) -> bool {
        self.user(user).await.is_ok_and(|user| user.is_bot())
    }

    /// Takes one's own offer back, or leaves one that was joined.
    pub(crate) async fn cancel(
        &self,
        client: &ClientHandle,
        re: RequestId,
        id: &OfferId,
    ) -> Result<Done, Denial> {
        let user = match id {
            OfferId::Challenge(_) => named(client)?,
            OfferId::Seek(_) | OfferId::Invite(_) => player(client)?,
        };
        self.withdraw(user, id).await?;
        Ok(Done::new(re))
    }

    async fn withdraw(&self, user: &UserName, id: &OfferId) -> Result<(), Denial> {
        let open = self.find_open(id).await?;
        if open.maker().is_same(user.as_str()) {
            return self.close(open, Closure::by(user, ClosedReason::Cancelled)).await;
        }
        if matches!(id, OfferId::Challenge(_)) || !open.has(user) {
            return Err(Denial::Forbidden(format!("this {} is not yours", id.kind())));
        }
        let left = self.store.leave_offer(id.clone(), user.clone()).await;
        let left = left.inspect_err(|error| self.doubt(error))?;
        let open = left.ok_or_else(|| Denial::OfferGone(id.clone()))?;
        self.show(open.clone());
        self.tell_joined(&open, [user]);
        Ok(())
    }

    /// Closes an offer, unless it has been closed in the store: one that has become a game, or is
    /// about to, is no longer the user's to close. If the store cannot delete it, it stays open,
    /// and no client has seen it close.
    async fn close(&self, open: OpenGame, closure: Closure) -> Result<(), Denial> {
        let id = open.id();
        let deleted = self.store.delete_offer(id.clone()).await;
        let deleted = deleted.inspect_err(|error| self.doubt(error))?;
        self.forget(&id);
        // A user may have joined at another node, which this one has not heard of.
        let Some(deleted) = deleted else { return Err(Denial::OfferGone(id)) };
        let Closure { reason, game, by, message } = closure;
        match deleted.offer {
            Offer::Seek(_) => self.cluster.publish(|| ClusterEvent::OfferChanged(id)),
            Offer::Challenge(Challenged { challenge, seats: users, rematch_of, .. }) => {
                let closed = ChallengeClosed { challenge, game, reason, by, message, rematch_of };
                self.send_to_users(&users, &ToClient::ChallengeClosed(closed.clone()));
                self.cluster.publish(|| ClusterEvent::ChallengeClosed { closed, users });
            }
            Offer::Invite(invite) => {
                let users = invite.joined.clone();
                self.tell_closed_invite(InviteEntry { reason, ..invite }, users);
            }
        }
        Ok(())
    }

    /// Tells the users of an invite that it is closed, on all nodes.
    fn tell_closed_invite(&self, entry: InviteEntry, users: Vec<UserName>) {
        self.send_to_users(&users, &invite_state(entry.clone()));
        self.cluster.publish(|| ClusterEvent::InviteClosed { entry: Box::new(entry), users });
    }

    /// Closes the offers of a guest that is deleted, declines those to it, and leaves those that it
    /// has joined.
    pub(crate) async fn close_offers_of(&self, user: &UserName) -> Result<(), Denial> {
        let open: Vec<OpenGame> = {
            let open_games = self.open_games();
            // A seek that is not lasting ends with its session.
            let of_user = open_games.of_user(user).filter(|open| open.expires().is_some());
            of_user.cloned().collect()
        };
        for open in open {
            let is_own = open.maker().is_same(user.as_str());
            let closed = if matches!(open.offer, Offer::Challenge(_)) && !is_own {
                self.close(open, Closure::by(user, ClosedReason::Generic)).await
            } else {
                self.withdraw(user, &open.id()).await
            };
            match closed {
                // Another session of the user was faster.
                Ok(()) | Err(Denial::OfferGone(_) | Denial::NotFound(_) | Denial::Forbidden(_)) => {
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Ends the seeks of a session that ends, and takes it out of those that it has joined.
    pub(super) async fn end_seeks(&self, client: &ClientHandle) {
        let Some(user) = &client.user else { return };
        let session = self.node_session(client);
        if !self.open_games().has_session(user, session) {
            return;
        }
        if let Err(error) = self.end_offers_of_session(session).await {
            // operator: the store failed; the server reads all seeks again. A seek may stay open
            // until the server stops
            tracing::warn!(%error, "ending the seeks of a session failed");
            self.shared.reload_wanted.notify_one();
        }
    }

    async fn end_offers_of_session(&self, session: NodeSession) -> Result<(), StoreError> {
        let ended = self.store.end_offers_of_session(session).await?;
        for id in &ended {
            self.cluster.publish(|| ClusterEvent::OfferChanged(id.clone()));
        }
        for id in &ended {
            self.reload_offer(id).await?;
        }
        Ok(())
    }

    /// Closes whatever has expired.
    pub(super) async fn close_expired(&self) {
        let expired = self.open_games().expired(self.time.now_ms());
        for open in expired {
            match self.close(open, Closure::expired()).await {
                Ok(()) | Err(Denial::OfferGone(_)) => {}
                // operator: the store failed; the seek, challenge or invite stays open and the
                // server retries
                Err(error) => tracing::warn!(%error, "deleting an expired offer failed"),
            }
        }
    }

    /// Closes what expires, at its time, and reads all anew when asked to, until the server stops.
    pub(crate) async fn run_expiry(self, stop: CancellationToken) {
        let work = SharedWork::new(&self.store.backend, &self.cluster, "expiry");
        let round = async {
            loop {
                select! {
                    biased;
                    () = self.shared.reload_wanted.notified() => {
                        self.reload_after_doubt().await;
                        continue;
                    }
                    () = self.shared.expiry_changed.notified() => continue,
                    () = sleep(self.until_next_expiry()) => {}
                }
                if !work.is_ours() {
                    continue;
                }
                self.close_expired().await;
                let forgotten = self.store.forget_taken_offers(self.time.now_ms()).await;
                if let Err(error) = forgotten {
                    // operator: the store failed; invites that have become games stay stored and
                    // the server retries
                    tracing::warn!(%error, "deleting expired invites failed");
                }
            }
        };
        // The loop has no end of its own.
        let _stopped: Option<()> = stop.run_until_cancelled(round).await;
    }

    fn until_next_expiry(&self) -> Duration {
        let next = self.open_games().next_expiry();
        let wait = next.map(|next| next.saturating_sub(self.time.now_ms()));
        let wait = wait.map_or(EXPIRY_WAIT_MAX, Duration::from_millis);
        wait.clamp(EXPIRY_WAIT_MIN, EXPIRY_WAIT_MAX)
    }
}
