//! How the lobby deals with open games: made, listed, taken, left, turned down, taken back and
//! expired. Seeks, challenges and invites differ in who may join, and in what clients are told.

use std::{sync::Arc, time::Duration};

use adamant_protocol::{
    ChallengeId, GameId, InviteId, RequestId, ToClient, UserName,
    from_client::{Challenge, Challenges, Decline, Invite, Seek},
    to_client::{
        ChallengeClosed, ChallengeList, Challenged, ClosedReason, Done, InviteEntry, InviteList,
        InviteState, OpenChallenge, SeekEntry,
    },
    values::{Challengers, TimeControl},
};
use adamant_record::wire;
use adamant_rules::Player;
use rand::{RngExt as _, seq::SliceRandom as _};
use tokio::{select, time::sleep};
use tokio_util::sync::CancellationToken;

use super::{
    exhibitions::Exhibition,
    lobby::Lobby,
    terms::{self, Candidate, GameConfig, Result, entry, forbidden, read_config},
};
use crate::{
    address::ClientNetwork,
    cluster::{ClusterEvent, StartedGame},
    error::Denial,
    limits::{
        CHALLENGES_PAGE_MAX, EXHIBITION_BYTES, EXPIRY_WAIT_MAX, EXPIRY_WAIT_MIN,
        GAMES_PER_USER_MAX, GUEST_CHALLENGE_LIFE, LASTING_SEEK_LIFE, ORIGIN_TRIES_MAX,
    },
    occasions::{Occasion, OccasionKind},
    outbound::{SendOutcome, client::ClientHandle},
    ratings::{Pool, Rating},
    runtime::time::milliseconds,
    store::{
        AddOfferOutcome, JoinOfferOutcome, NewOffer, NodeSession, Offer, OfferClaim, OfferId,
        OpenGame, SeekOutcome, Seeker, Seeking, SharedWork, StoreError, SuitsOffer, User, has_name,
    },
};

/// The answer to a client that has taken an offer, and the game if it has begun.
type Taken = (Done, Option<StartedGame>);

/// How an offer closes.
#[derive(Debug)]
pub(super) struct Closure {
    /// Why it comes to nothing.
    reason: Option<ClosedReason>,
    /// The game that it, or another challenge to the same rematch, has become.
    game: Option<GameId>,
    by: Option<UserName>,
    /// Which limit the house has reached, and the reason in its words.
    limit: Option<&'static str>,
    message: Option<Box<str>>,
}

/// Why a challenge is declined, for programs and, by the house, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) reason: ClosedReason,
    pub(crate) limit: Option<&'static str>,
    pub(crate) message: Option<Box<str>>,
}

impl Closure {
    pub(super) fn new(reason: Option<ClosedReason>, game: Option<GameId>) -> Self {
        Self { reason, game, by: None, limit: None, message: None }
    }

    fn by(user: &UserName, reason: ClosedReason) -> Self {
        Self { by: Some(user.clone()), ..Self::new(Some(reason), None) }
    }

    /// What this node and others tell when it closes an offer.
    pub(super) fn of(self, offer: Offer) -> ClusterEvent {
        let Self { reason, game, by, limit, message } = self;
        match offer {
            Offer::Seek(seek) => ClusterEvent::OfferChanged(OfferId::Seek(seek.seek)),
            Offer::Challenge(Challenged { challenge, seats: users, rematch_of, .. }) => {
                let limit = limit.map(Into::into);
                let closed =
                    ChallengeClosed { challenge, game, reason, by, limit, message, rematch_of };
                ClusterEvent::ChallengeClosed { closed, users }
            }
            Offer::Invite(invite) => {
                let users = invite.joined.clone();
                let entry = Box::new(InviteEntry { game, reason, ..invite });
                ClusterEvent::InviteClosed { entry, users }
            }
        }
    }
}

/// The users of a challenge, and what the challenge depends on.
#[derive(Debug, Default)]
pub(super) struct Participants {
    /// In the order of their seats.
    seats: Vec<UserName>,
    any_guest: bool,
    /// Those that are the server's own players.
    house: Vec<UserName>,
}

/// The answer to a request that names an offer.
pub(super) fn done(re: &RequestId, id: &OfferId) -> Done {
    let mut done = Done::new(re.clone());
    match id.clone() {
        OfferId::Seek(id) => done.seek = Some(id),
        OfferId::Challenge(id) => done.challenge = Some(id),
        OfferId::Invite(id) => done.invite = Some(id),
    }
    done
}

fn not_found(id: &OfferId) -> Denial {
    Denial::NotFound(format!("open {id}"))
}

/// The caller's user, who would play.
fn player(client: &ClientHandle) -> Result<&UserName> {
    client.user.as_ref().ok_or_else(|| forbidden("say who you are to play"))
}

fn named(client: &ClientHandle) -> Result<&UserName> {
    client.user.as_ref().ok_or_else(|| forbidden("say who you are first"))
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
        request: Challenges,
    ) -> Result<ChallengeList> {
        let user = named(client)?;
        self.close_expired().await;
        let limit = request.limit.unwrap_or(CHALLENGES_PAGE_MAX).clamp(1, CHALLENGES_PAGE_MAX);
        let (limit, before) = (limit as usize, request.before.map(OfferId::Challenge));
        let open_games = self.open_games();
        if let Some(before) = before.as_ref().filter(|before| open_games.get(before).is_none()) {
            return Err(not_found(before));
        }
        let (mut challenges, _) = open_games.challenge_page(user, before.as_ref(), limit + 1);
        let more = challenges.len() > limit;
        challenges.truncate(limit);
        Ok(ChallengeList { re: request.id, challenges, more })
    }

    /// Lists the open invites that the caller's user has made or joined.
    pub(crate) async fn list_invites(
        &self,
        client: &ClientHandle,
        re: RequestId,
    ) -> Result<InviteList> {
        let user = player(client)?;
        self.close_expired().await;
        Ok(InviteList { re, invites: self.open_games().invites_of(user) })
    }

    /// Returns an invite that is open or that has become a game.
    pub(crate) async fn invite_entry(&self, invite: &InviteId) -> Result<InviteEntry> {
        self.close_expired().await;
        let id = OfferId::Invite(invite.clone());
        match self.find(&id).await?.offer {
            Offer::Invite(entry) => Ok(entry),
            _ => Err(not_found(&id)),
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
            _ => None,
        }
    }

    pub(crate) async fn challenge(
        &self,
        client: &ClientHandle,
        request: Challenge,
    ) -> Result<Done> {
        let by = player(client)?;
        if !has_name(&request.seats, by) {
            if !self.house.is_empty() && request.seats.iter().all(|user| self.is_house(user)) {
                return self.exhibit(client, by, request).await;
            }
            return Err(Denial::BadMessage("the seats of a challenge include yourself".to_owned()));
        }
        let config = read_config!(request, request.options, request.seats.len())?;
        let players = self.participants(by, &request.seats, config.rated).await?;
        self.check_settings(client, &players.seats).await?;
        let how = (request.shuffle, None);
        let (challenge, _) = self.open_challenge(client, by, &config, players, how).await?;
        Ok(done(&request.id, &OfferId::Challenge(challenge)))
    }

    /// Opens a challenge, perhaps with shuffled seats, perhaps to a rematch. It is stored before it
    /// is acknowledged or sent.
    pub(super) async fn open_challenge(
        &self,
        client: &ClientHandle,
        by: &UserName,
        config: &GameConfig,
        players: Participants,
        (shuffle, rematch_of): (bool, Option<GameId>),
    ) -> Result<(ChallengeId, AddOfferOutcome)> {
        let number: u64 = self.entropy.clone().random();
        let challenge: ChallengeId = format!("h_{number:016x}").parse().expect("a short word");
        let (maker, created) = (terms::seeker(by, client), self.time.now_ms());
        let life = config.challenge_life(players.any_guest);
        let challenged = entry!(
            Challenged, config, maker,
            challenge: challenge.clone(),
            seats: players.seats,
            shuffle: shuffle,
            accepted: vec![by.clone()],
            rematch_of: rematch_of,
            created: created,
            expires: created.saturating_add(milliseconds(life)),
        );
        let open = OpenGame::new(Offer::Challenge(challenged), maker, self.network_of(client));
        Ok((challenge, self.add(NewOffer { open, house: players.house }).await?))
    }

    /// Stores an offer and opens it, unless it is to a rematch that another challenge has opened.
    async fn add(&self, new: NewOffer) -> Result<AddOfferOutcome> {
        self.close_expired().await;
        let open = new.open.clone();
        let added = self.store.add_offer(new).await.inspect_err(|error| self.doubt(error))?;
        match added {
            AddOfferOutcome::Added => self.show(open),
            AddOfferOutcome::LimitReached(reached) => return Err(reached.into()),
            _ => {}
        }
        Ok(added)
    }

    /// Makes an invite. It is stored before it is acknowledged.
    pub(crate) async fn invite(&self, client: &ClientHandle, request: Invite) -> Result<Done> {
        let (by, players) = (player(client)?, usize::from(request.players));
        let config = read_config!(request, request.options, players)?;
        terms::check_wish(request.seat, players)?;
        let number: u64 = self.entropy.clone().random();
        let invite: InviteId = format!("i_{number:016x}").parse().expect("a short word");
        let maker = Seeker { seat: request.seat, ..terms::seeker(by, client) };
        let created = self.time.now_ms();
        let expires = created.saturating_add(milliseconds(config.invite_life(maker.guest)));
        let entry = entry!(
            InviteEntry, config, maker,
            invite: invite.clone(),
            players: request.players,
            seat: request.seat,
            joined: vec![by.clone()],
            created: created,
            expires: expires,
            game: None,
            reason: None,
        );
        let open = OpenGame::new(Offer::Invite(entry), maker, self.network_of(client));
        self.add(NewOffer { open, house: Vec::new() }).await?;
        Ok(Done { expires: Some(expires), ..done(&request.id, &OfferId::Invite(invite)) })
    }

    /// Opens a seek, or joins an open seek for the same game.
    pub(crate) async fn seek(&self, client: &Arc<ClientHandle>, seek: Seek) -> Result<Taken> {
        let user = player(client)?;
        self.check_live_games(client).await?;
        let config = terms::read_seek(&seek)?;
        let pool = Pool::of(config.kind, usize::from(seek.players));
        let mut candidate = self.candidate(client, user, Some(pool), config.rated).await?;
        candidate.seeker.seat = seek.seat;
        self.close_expired().await;
        let now_ms = self.time.now_ms();
        let id = self.open_games().new_seek_id(self.cluster.node(), now_ms);
        let life = if client.guest { GUEST_CHALLENGE_LIFE } else { LASTING_SEEK_LIFE };
        let entry = entry!(
            SeekEntry, config, candidate.seeker,
            seek: id.clone(),
            players: seek.players,
            seat: seek.seat,
            allow: seek.allow,
            rating: seek.rating,
            lasting: seek.lasting,
            expires: seek.lasting.then(|| now_ms.saturating_add(milliseconds(life))),
            joined: vec![user.clone()],
        );
        let session = candidate.seeker.session.filter(|_| !seek.lasting);
        let maker = Seeker { session, ..candidate.seeker.clone() };
        let new = OpenGame::new(Offer::Seek(entry), maker, self.network_of(client));
        let (candidate, mut tried) = (Arc::new(candidate), 0);
        let sought = loop {
            // The last try joins no seek of another user.
            let may_join = tried < ORIGIN_TRIES_MAX;
            let sought = self.try_seek(client, &seek.id, &candidate, &new, may_join).await;
            // Another user was faster: another seek may suit, or none.
            let is_late = matches!(sought, Err(Denial::OfferGone(_) | Denial::OfferChanged(_)));
            if !is_late || !may_join {
                break sought;
            }
            tried += 1;
        };
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
        client: &ClientHandle,
        re: &RequestId,
        candidate: &Arc<Candidate>,
        new: &OpenGame,
        may_join: bool,
    ) -> Result<Taken> {
        let suits: SuitsOffer = {
            let (new, candidate) = (new.clone(), Arc::clone(candidate));
            Box::new(move |open: &OpenGame| may_join && terms::suits(open, &new, &candidate))
        };
        let seeking = Seeking { seek: new.clone(), session: self.node_session(client), suits };
        let sought = self.store.seek(seeking).await;
        let open = match sought.inspect_err(|error| self.doubt(error))? {
            SeekOutcome::Opened => new.clone(),
            SeekOutcome::Waiting(open) => *open,
            SeekOutcome::Full(full) => return self.start(&candidate.seeker.user, re, *full).await,
            SeekOutcome::LimitReached(reached) => return Err(reached.into()),
        };
        Ok((self.keep(client, re, open).await, None))
    }

    /// Returns a client's user as one who would join a game. The rating in a pool, and the session
    /// with which the user leaves, matter in a seek.
    async fn candidate(
        &self,
        client: &ClientHandle,
        user: &UserName,
        pool: Option<Pool>,
        rated: bool,
    ) -> Result<Candidate> {
        let mut seeker = terms::seeker(user, client);
        if let Some(pool) = pool {
            let ratings = self.store.ratings(pool, vec![user.clone()]).await?;
            let rating = ratings.into_iter().flatten().next().unwrap_or(Rating::START);
            (seeker.rating, seeker.session) = (rating.rounded(), Some(self.node_session(client)));
        }
        let blocks = self.store.blocks_around(user.clone()).await?;
        let same_owner = if rated { self.same_owner(user).await? } else { Vec::new() };
        Ok(Candidate { seeker, blocks, same_owner })
    }

    fn node_session(&self, client: &ClientHandle) -> NodeSession {
        NodeSession { node: self.cluster.node(), session: client.session }
    }

    /// Takes an offer. Once all are there the game begins. If another user has left or joined in
    /// the same moment, the client joins those who are there now.
    pub(crate) async fn accept(
        &self,
        client: &ClientHandle,
        re: &RequestId,
        id: &OfferId,
    ) -> Result<Taken> {
        for _ in 1..ORIGIN_TRIES_MAX {
            let accepted = self.try_accept(client, re, id).await;
            if !matches!(accepted, Err(Denial::OfferChanged(_))) {
                return accepted;
            }
        }
        self.try_accept(client, re, id).await
    }

    async fn try_accept(
        &self,
        client: &ClientHandle,
        re: &RequestId,
        id: &OfferId,
    ) -> Result<Taken> {
        let user = player(client)?;
        self.close_expired().await;
        self.check_live_games(client).await?;
        let open = self.find_open(id).await?;
        // Only whoever comes last begins the game: until then it may be one of a newer release.
        let (pool, rated) = match &open.offer {
            Offer::Seek(seek) => {
                let (rules, players) = (seek.rules.name.clone(), seek.players);
                (Some(Pool { rules, players }), seek.rated)
            }
            Offer::Challenge(challenged) => (None, challenged.rated),
            Offer::Invite(invite) => (None, invite.rated),
        };
        let candidate = Arc::new(self.candidate(client, user, pool, rated).await?);
        if let Offer::Challenge(challenged) = &open.offer {
            // A bot may have come to another owner since.
            self.check_owners(&challenged.seats, rated).await?;
        }
        let asking = Arc::clone(&candidate);
        let suits: SuitsOffer = Box::new(move |open| terms::check(open, &asking).is_ok());
        let seeker = candidate.seeker.clone();
        let outcome = self.store.join_offer(id.clone(), seeker, Some(suits)).await;
        match outcome.inspect_err(|error| self.doubt(error))? {
            JoinOfferOutcome::Waiting(open) => Ok((self.keep(client, re, *open).await, None)),
            JoinOfferOutcome::Full(full) => self.start(user, re, *full).await,
            JoinOfferOutcome::AlreadyJoined => {
                let has = if matches!(id, OfferId::Challenge(_)) { "accepted" } else { "joined" };
                Err(Denial::Forbidden(format!("you have {has} this {} already", id.kind())))
            }
            JoinOfferOutcome::Unsuitable(open) => {
                terms::check(&open, &candidate)?;
                Err(not_found(id))
            }
            JoinOfferOutcome::LimitReached(reached) => Err(reached.into()),
            JoinOfferOutcome::Gone => {
                self.forget(id);
                Err(not_found(id))
            }
        }
    }

    /// Returns an offer that is open, or an invite that has become a game. Another request, or
    /// another node, may have opened it a moment ago.
    async fn find(&self, id: &OfferId) -> Result<OpenGame> {
        let known = self.open_games().get(id).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let found = self.store.find_offer(id.clone()).await?;
        found.filter(|found| found.id() == *id).ok_or_else(|| not_found(id))
    }

    pub(crate) async fn find_open(&self, id: &OfferId) -> Result<OpenGame> {
        let found = self.find(id).await?;
        if found.game().is_none() { Ok(found) } else { Err(not_found(id)) }
    }

    /// Lists an offer that is open in the store, tells its users, and answers the client that has
    /// made or joined it.
    async fn keep(&self, client: &ClientHandle, re: &RequestId, open: OpenGame) -> Done {
        let done = done(re, &open.id());
        self.show(open.clone());
        self.tell_joined(&open, []);
        // A session that has ended meanwhile has not found this seek.
        if open.expires().is_none() && !self.shared.online.has_session(client) {
            self.end_seeks(client).await;
        }
        done
    }

    /// Tells those whom an offer concerns, and others, who has joined it now. The list of seeks
    /// shows it.
    pub(super) fn tell_joined<'a>(
        &self,
        open: &'a OpenGame,
        others: impl IntoIterator<Item = &'a UserName>,
    ) {
        let message = match open.offer.clone() {
            Offer::Seek(_) => return,
            Offer::Challenge(challenged) => challenged.into(),
            Offer::Invite(entry) => InviteState { re: None, entry }.into(),
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
    async fn start(&self, user: &UserName, re: &RequestId, full: OpenGame) -> Result<Taken> {
        let id = full.id();
        let done = done(re, &id);
        match self.begin_game(&full).await {
            Ok((game, players)) => {
                self.forget(&id);
                let done = Done { game: Some(game.clone()), ..done };
                Ok((done, Some(self.started(full, game, players))))
            }
            Err(Denial::RematchExists(game)) => {
                // Another challenge has become the rematch. This one leads to that game, too.
                match self.close(full, Closure::new(None, Some(game.clone()))).await {
                    Err(Denial::OfferGone(_)) => {}
                    closed => closed?,
                }
                Ok((Done { game: Some(game), dup: true, ..done }, None))
            }
            Err(denial) => {
                match (&denial, &id) {
                    (Denial::OfferGone(_), _) => drop(self.forget(&id)),
                    (Denial::OfferChanged(_), _) => {}
                    (_, OfferId::Seek(_)) => self.drop_busy_users(user, &full).await,
                    _ => {}
                }
                Err(denial)
            }
        }
    }

    async fn begin_game(&self, full: &OpenGame) -> Result<(GameId, Vec<UserName>)> {
        let seated = terms::seated(full, &mut self.entropy.clone());
        let how = (Some(full.claim()), full.rematch_of().cloned());
        let game = self.begin(terms::config(full)?, &seated, &full.bots(), how).await?;
        Ok((game, seated))
    }

    /// Begins a game of these users, of whom some play by a program, perhaps of an offer, perhaps
    /// as a rematch.
    async fn begin(
        &self,
        config: GameConfig,
        seated: &[UserName],
        programs: &[UserName],
        (claim, rematch_of): (Option<OfferClaim>, Option<GameId>),
    ) -> Result<GameId> {
        for user in seated {
            if !self.has_room_for_a_game(user).await? {
                return Err(Denial::GamesFull { user: user.clone(), max: GAMES_PER_USER_MAX });
            }
        }
        let mut players = Vec::with_capacity(seated.len());
        for name in seated {
            let user = self.user(name).await?;
            let bot = user.is_bot() || has_name(programs, &user.name);
            let guest = user.guest;
            players.push(Player { user: user.name.as_str().into(), bot, guest, rating: None });
        }
        let started = self.rooms.start(config.setup(players)?, claim, rematch_of).await;
        if let Err(Denial::Store(error)) = &started {
            self.doubt(error);
        }
        started
    }

    /// Announces that an offer has become a game, and returns what remains to be done.
    fn started(&self, full: OpenGame, game: GameId, players: Vec<UserName>) -> StartedGame {
        let rematch_of = full.rematch_of().cloned();
        let challenge = match full.offer {
            // The game tells of it.
            Offer::Challenge(challenged) => Some(challenged.challenge),
            offer => {
                self.announce_closed(Closure::new(None, Some(game.clone())).of(offer));
                None
            }
        };
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

    /// Whether a user may play one more game. How many the server's own players take is theirs to
    /// decide.
    async fn has_room_for_a_game(&self, user: &UserName) -> Result<bool, StoreError> {
        Ok(self.is_house(user) || self.store.count_live_of(user).await? < GAMES_PER_USER_MAX)
    }

    /// Refuses a client whose user plays as many games as one may.
    async fn check_live_games(&self, client: &ClientHandle) -> Result<()> {
        if let Some(user) = &client.user
            && !self.has_room_for_a_game(user).await?
        {
            let (limit, what, max) = ("games", "live games a user", GAMES_PER_USER_MAX);
            return Err(Denial::LimitReached { limit, what, max, by_others: false });
        }
        Ok(())
    }

    /// Tells those who are challenged, or reports it to them if they are away; called once the
    /// challenger has been answered.
    pub(crate) fn send_challenge(&self, challenge: &ChallengeId) {
        let Some(challenged) = self.known_challenge(challenge) else { return };
        let Challenged { by, seats, rules, created, .. } = &challenged;
        for user in seats.iter().filter(|user| !user.is_same(by.as_str()) && !self.is_online(user))
        {
            let subject = OccasionKind::Challenge(challenge.clone());
            let occasion = || Occasion::by(by, user, seats, rules, *created, subject);
            self.rooms.occasions().report(occasion);
        }
        self.send_new_challenge(&challenged);
    }

    pub(super) fn send_new_challenge(&self, challenged: &Challenged) {
        let others = challenged.seats.iter().filter(|name| !name.is_same(challenged.by.as_str()));
        self.send_to_users(others, &ToClient::Challenged(challenged.clone()));
    }

    /// Returns the users of these names for a challenge by one of them. Each must exist, be named
    /// once, and play with the others.
    pub(super) async fn participants(
        &self,
        by: &UserName,
        names: &[UserName],
        rated: bool,
    ) -> Result<Participants> {
        let mut players = Participants::default();
        for name in names {
            let user = self.user(name).await?;
            if user.house && !self.is_house(&user.name) {
                return Err(forbidden("the house does not play on this server"));
            }
            if has_name(&players.seats, &user.name) {
                return Err(Denial::BadMessage(format!("{} cannot take two seats", user.name)));
            }
            players.any_guest |= user.guest;
            if user.house {
                players.house.push(user.name.clone());
            }
            players.seats.push(user.name);
        }
        let blocks = self.store.blocks_around(by.clone()).await?;
        terms::check_blocks(&blocks, by, &players.seats)?;
        self.check_owners(&players.seats, rated).await?;
        Ok(players)
    }

    /// Returns a user and the others of the same owner.
    async fn same_owner(&self, user: &UserName) -> Result<Vec<UserName>> {
        let mut owner = self.user(user).await?;
        if let Some(name) = &owner.owner {
            owner = self.user(name).await?;
        }
        let bots = self.accounts.bots(&owner).await?;
        Ok(bots.into_iter().map(|bot| bot.name).chain([owner.name]).collect())
    }

    /// Rejects a rated game in which two players have the same owner.
    async fn check_owners(&self, users: &[UserName], rated: bool) -> Result<()> {
        for user in users.iter().filter(|_| rated) {
            terms::check_owner(&self.same_owner(user).await?, user, users)?;
        }
        Ok(())
    }

    /// Rejects a challenge that one of those challenged does not accept from this client.
    async fn check_settings(&self, client: &ClientHandle, seats: &[UserName]) -> Result<()> {
        let by = player(client)?;
        for user in seats.iter().filter(|other| !other.is_same(by.as_str())) {
            match self.store.settings(user.clone()).await?.challenges {
                Challengers::Accounts if client.guest => {
                    return Err(Denial::AcceptsAccounts(user.clone()));
                }
                Challengers::None | Challengers::Unknown(_) => {
                    return Err(Denial::AcceptsNone(user.clone()));
                }
                _ => {}
            }
        }
        Ok(())
    }

    async fn user(&self, name: &UserName) -> Result<User> {
        let found = self.accounts.find(name.clone()).await?;
        found.ok_or_else(|| Denial::NotFound(format!("user called {name}")))
    }

    /// Turns a challenge down.
    pub(crate) async fn decline(&self, client: &ClientHandle, request: Decline) -> Result<Done> {
        let user = named(client)?;
        let refusal = Refusal { reason: request.reason.into(), limit: None, message: None };
        self.decline_for(user, request.challenge, refusal).await?;
        Ok(Done::new(request.id))
    }

    /// The same for a house player, who says why.
    pub(crate) async fn decline_for(
        &self,
        user: &UserName,
        challenge: ChallengeId,
        Refusal { reason, limit, message }: Refusal,
    ) -> Result<()> {
        let open = self.find_open(&OfferId::Challenge(challenge)).await?;
        terms::check_challenged(&open, user)?;
        self.close(open, Closure { limit, message, ..Closure::by(user, reason) }).await
    }

    /// Where an open challenge was made, if that is known.
    pub(crate) fn network_of_challenge(&self, challenge: &ChallengeId) -> Option<ClientNetwork> {
        self.open_games().get(&OfferId::Challenge(challenge.clone()))?.from
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
    ) -> Result<Done> {
        let is_challenge = matches!(id, OfferId::Challenge(_));
        let user = if is_challenge { named(client)? } else { player(client)? };
        self.withdraw(user, id).await?;
        Ok(Done::new(re))
    }

    async fn withdraw(&self, user: &UserName, id: &OfferId) -> Result<()> {
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
    async fn close(&self, open: OpenGame, closure: Closure) -> Result<()> {
        let id = open.id();
        let deleted = self.store.delete_offer(id.clone()).await;
        let deleted = deleted.inspect_err(|error| self.doubt(error))?;
        self.forget(&id);
        // A user may have joined at another node, which this one has not heard of.
        let Some(deleted) = deleted else { return Err(Denial::OfferGone(id)) };
        self.announce_closed(closure.of(deleted.offer));
        Ok(())
    }

    /// Tells the users of an offer that it is closed, on all nodes.
    fn announce_closed(&self, closed: ClusterEvent) {
        self.tell_closed(closed.clone());
        self.cluster.publish(|| closed);
    }

    /// Tells the users of an offer that it is closed, on this node.
    pub(super) fn tell_closed(&self, closed: ClusterEvent) {
        let (id, users, message) = match closed {
            ClusterEvent::ChallengeClosed { closed, users } => {
                (OfferId::Challenge(closed.challenge.clone()), users, closed.into())
            }
            ClusterEvent::InviteClosed { entry, users } => {
                let id = OfferId::Invite(entry.invite.clone());
                (id, users, InviteState { re: None, entry: *entry }.into())
            }
            _ => return,
        };
        self.forget(&id);
        self.send_to_users(&users, &message);
    }

    /// Closes the offers of a guest that is deleted, declines those to it, and leaves those that it
    /// has joined.
    pub(crate) async fn close_offers_of(&self, user: &UserName) -> Result<()> {
        let open: Vec<OpenGame> = {
            let open_games = self.open_games();
            // A seek that is not lasting ends with its session.
            open_games.of_user(user).filter(|open| open.expires().is_some()).cloned().collect()
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
                Err(Denial::OfferGone(_) | Denial::NotFound(_) | Denial::Forbidden(_)) => {}
                closed => closed?,
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
        let ended = async {
            let ended = self.store.end_offers_of_session(session).await?;
            for id in &ended {
                self.cluster.publish(|| ClusterEvent::OfferChanged(id.clone()));
            }
            for id in &ended {
                self.reload_offer(id).await?;
            }
            Ok::<_, StoreError>(())
        };
        if let Err(error) = ended.await {
            // operator: the store failed; the server reads all seeks again. A seek may stay open
            // until the server stops
            tracing::warn!(%error, "ending the seeks of a session failed");
            self.shared.reload_wanted.notify_one();
        }
    }

    pub(super) async fn close_expired(&self) {
        let expired = self.open_games().expired(self.time.now_ms());
        for open in expired {
            match self.close(open, Closure::new(Some(ClosedReason::Expired), None)).await {
                Ok(()) | Err(Denial::OfferGone(_)) => {}
                // operator: the store failed; the seek, challenge or invite stays open and the
                // server retries
                Err(error) => tracing::warn!(%error, "deleting an expired offer failed"),
            }
        }
    }

    /// Closes what expires, at its time, and reads all again when asked to, until the server stops.
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
        let wait = |at: u64| Duration::from_millis(at.saturating_sub(self.time.now_ms()));
        next.map_or(EXPIRY_WAIT_MAX, wait).clamp(EXPIRY_WAIT_MIN, EXPIRY_WAIT_MAX)
    }
}

impl Lobby {
    /// Whether a game has nobody but the server's own bots for players.
    pub(crate) fn is_exhibition<'a>(&self, mut players: impl Iterator<Item = &'a str>) -> bool {
        players.all(|user| user.parse().is_ok_and(|user| self.is_house(&user)))
    }

    /// Starts a game of the server's own bots, which no list shows to others. Nobody has to accept:
    /// the `ok` has the game.
    async fn exhibit(
        &self,
        client: &ClientHandle,
        by: &UserName,
        request: Challenge,
    ) -> Result<Done> {
        let request = Challenge { rated: false, unlisted: true, ..request };
        if request.clock != TimeControl::None {
            let message = "server bots play each other without a clock";
            return Err(Denial::BadMessage(message.to_owned()));
        }
        let config = read_config!(request, request.options, request.seats.len())?;
        let players = self.participants(by, &request.seats, false).await?;
        if let Some(quota) = &client.quota {
            quota.stored.check(self.time.now_ms())?;
        }
        self.forget_ended_exhibitions().await?;
        let wanted = Exhibition {
            number: self.entropy.clone().random(),
            game: None,
            by: by.clone(),
            from: self.network_of(client),
        };
        self.shared.exhibitions.reserve(&wanted)?;
        let mut players = players.seats;
        if request.shuffle {
            players.shuffle(&mut self.entropy.clone());
        }
        match self.begin(config, &players, &[], (None, None)).await {
            Ok(game) => {
                self.shared.exhibitions.begin(wanted.number, &game);
                if let Some(quota) = &client.quota {
                    quota.stored.charge(EXHIBITION_BYTES, self.time.now_ms());
                }
                let done = Done { game: Some(game.clone()), ..Done::new(request.id) };
                self.seat(StartedGame { game, players, challenge: None, rematch_of: None }).await;
                Ok(done)
            }
            Err(denial) => {
                self.shared.exhibitions.forget(|other| other.number == wanted.number);
                Err(denial)
            }
        }
    }

    async fn forget_ended_exhibitions(&self) -> Result<()> {
        for game in self.shared.exhibitions.games() {
            let entry = self.store.game_entry(&game).await?;
            if entry.is_none_or(|entry| entry.result.is_some()) {
                self.shared.exhibitions.forget(|other| other.game.as_ref() == Some(&game));
            }
        }
        Ok(())
    }
}
