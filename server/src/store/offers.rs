//! Open offers of a game as they are stored, and what decides about them. A seek, a challenge and
//! an invite are one thing: terms, those who have joined, whom it waits for, and one game that
//! begins from it.
//!
//! An offer outlives its connection, except for a seek that is not lasting: all nodes decide about
//! the same row, but it ends with its session, its node or the store.

use adamant_protocol::{
    ChallengeId, GameId, UserName,
    from_client::SeatWish,
    to_client::{Challenged, InviteEntry, SeekEntry},
    values::TimeControl,
};
use serde::{Deserialize, Serialize};

use super::{
    OfferClaim, OfferId,
    sql::{Row, Sql, SqlError, SqlResult, params},
    store::operations,
    users::has_name,
};
use crate::{
    address::ClientNetwork,
    cluster::NodeId,
    limits::{
        CHALLENGES_PER_NETWORK_MAX, CHALLENGES_PER_PAIR_MAX, CHALLENGES_PER_USER_MAX,
        CHALLENGES_WAITING_MAX, GUESTS_CHALLENGES_WAITING_MAX, HOUSE_CHALLENGES_WAITING_MAX,
        INVITES_PER_NETWORK_MAX, INVITES_PER_USER_MAX, SEEKS_PER_NETWORK_MAX, SEEKS_PER_USER_MAX,
    },
    outbound::SessionId,
};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Offer {
    /// Open to everybody whom it suits.
    Seek(SeekEntry),
    /// To the users who have its seats.
    Challenge(Challenged),
    /// To everybody who knows of it. It stays when its game begins: the link leads there.
    Invite(InviteEntry),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct NodeSession {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<NodeId>,
    pub session: SessionId,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seeker {
    pub user: UserName,
    pub bot: bool,
    pub guest: bool,
    /// The rating in the game that is sought; 0 in a challenge or an invite.
    pub rating: u16,
    pub seat: SeatWish,
    /// The session with which the user leaves; `None` in an offer that lasts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<NodeSession>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct OpenGame {
    pub offer: Offer,
    /// Those who have joined, the one who made it first.
    pub joined: Vec<Seeker>,
    /// The network of its maker; `None` if it is unknown or networks have no bounds. No part of
    /// the text form.
    #[serde(skip)]
    pub from: Option<ClientNetwork>,
    /// Grows with each change of who has joined. It starts at 0. No part of the text form.
    #[serde(skip)]
    pub version: u64,
}

impl OpenGame {
    pub(crate) fn new(offer: Offer, maker: Seeker, from: Option<ClientNetwork>) -> Self {
        Self { offer, joined: vec![maker], from, version: 0 }
    }

    pub(crate) fn id(&self) -> OfferId {
        match &self.offer {
            Offer::Seek(seek) => OfferId::Seek(seek.seek.clone()),
            Offer::Challenge(challenged) => OfferId::Challenge(challenged.challenge.clone()),
            Offer::Invite(invite) => OfferId::Invite(invite.invite.clone()),
        }
    }

    const fn clock(&self) -> TimeControl {
        match &self.offer {
            Offer::Seek(seek) => seek.clock,
            Offer::Challenge(challenged) => challenged.clock,
            Offer::Invite(invite) => invite.clock,
        }
    }

    pub(crate) const fn maker(&self) -> &UserName {
        match &self.offer {
            Offer::Seek(seek) => &seek.by,
            Offer::Challenge(challenged) => &challenged.by,
            Offer::Invite(invite) => &invite.by,
        }
    }

    pub(crate) const fn is_of_guest(&self) -> bool {
        match &self.offer {
            Offer::Seek(seek) => seek.guest,
            Offer::Challenge(challenged) => challenged.guest,
            Offer::Invite(invite) => invite.guest,
        }
    }

    pub(crate) fn players(&self) -> usize {
        match &self.offer {
            Offer::Seek(seek) => seek.players.into(),
            Offer::Challenge(challenged) => challenged.seats.len(),
            Offer::Invite(invite) => invite.players.into(),
        }
    }

    pub(crate) fn joined_users(&self) -> &[UserName] {
        match &self.offer {
            Offer::Seek(seek) => &seek.joined,
            Offer::Challenge(challenged) => &challenged.accepted,
            Offer::Invite(invite) => &invite.joined,
        }
    }

    fn joined_users_mut(&mut self) -> &mut Vec<UserName> {
        match &mut self.offer {
            Offer::Seek(seek) => &mut seek.joined,
            Offer::Challenge(challenged) => &mut challenged.accepted,
            Offer::Invite(invite) => &mut invite.joined,
        }
    }

    /// Returns the users whom it concerns: those who have its seats, or who have joined.
    pub(crate) fn users(&self) -> &[UserName] {
        match &self.offer {
            Offer::Challenge(challenged) => &challenged.seats,
            Offer::Seek(_) | Offer::Invite(_) => self.joined_users(),
        }
    }

    /// Returns the time of creation, in epoch milliseconds; 0 for a seek.
    pub(crate) const fn created(&self) -> u64 {
        match &self.offer {
            Offer::Seek(_) => 0,
            Offer::Challenge(challenged) => challenged.created,
            Offer::Invite(invite) => invite.created,
        }
    }

    /// Returns the time at which it expires, in epoch milliseconds; `None` for a seek that ends
    /// with its session.
    pub(crate) const fn expires(&self) -> Option<u64> {
        match &self.offer {
            Offer::Seek(seek) => seek.expires,
            Offer::Challenge(challenged) => Some(challenged.expires),
            Offer::Invite(invite) => Some(invite.expires),
        }
    }

    pub(crate) const fn rematch_of(&self) -> Option<&GameId> {
        match &self.offer {
            Offer::Challenge(challenged) => challenged.rematch_of.as_ref(),
            Offer::Seek(_) | Offer::Invite(_) => None,
        }
    }

    pub(crate) const fn game(&self) -> Option<&GameId> {
        match &self.offer {
            Offer::Invite(invite) => invite.game.as_ref(),
            Offer::Seek(_) | Offer::Challenge(_) => None,
        }
    }

    pub(crate) fn has(&self, user: &UserName) -> bool {
        self.joined.iter().any(|joined| joined.user.is_same(user.as_str()))
    }

    pub(crate) fn is_full(&self) -> bool {
        self.joined.len() >= self.players()
    }

    pub(crate) fn bots(&self) -> Vec<UserName> {
        let bots = self.joined.iter().filter(|joined| joined.bot);
        bots.map(|joined| joined.user.clone()).collect()
    }

    /// Returns the offer with one more user. No user leaves an offer that lasts with a session.
    pub(crate) fn with(mut self, seeker: Seeker) -> Box<Self> {
        let session = seeker.session.filter(|_| self.expires().is_none());
        self.version += 1;
        self.joined_users_mut().push(seeker.user.clone());
        self.joined.push(Seeker { session, ..seeker });
        Box::new(self)
    }

    /// Takes out some of those who have joined, but not the maker. Returns whether there were any.
    /// Whoever has accepted a challenge stays.
    pub(crate) fn leave(&mut self, leaves: impl Fn(&Seeker) -> bool) -> bool {
        if matches!(self.offer, Offer::Challenge(_)) {
            return false;
        }
        let (before, maker) = (self.joined.len(), self.maker().clone());
        self.joined.retain(|joined| joined.user.is_same(maker.as_str()) || !leaves(joined));
        let users = self.joined.iter().map(|joined| joined.user.clone()).collect();
        *self.joined_users_mut() = users;
        let have_left = self.joined.len() < before;
        self.version += u64::from(have_left);
        have_left
    }

    /// Returns the claim of the game that begins from it. That the last user has joined is not
    /// stored: the offer stays open until its game begins, which takes it.
    pub(crate) fn claim(&self) -> OfferClaim {
        OfferClaim { offer: self.id(), version: self.version.saturating_sub(1) }
    }

    /// Returns what is the same for all seeks that may suit each other: an index finds them.
    fn terms_key(&self) -> String {
        let Offer::Seek(SeekEntry { rules, players, clock, rated, .. }) = &self.offer else {
            return String::new();
        };
        serde_json::to_string(&(rules, players, clock, rated)).expect("terms are plain data")
    }

    /// Returns the users whose offers are counted: those who have yet to answer a challenge, and
    /// those who have joined an invite.
    fn counted_users(&self) -> Vec<&UserName> {
        match &self.offer {
            Offer::Seek(_) => Vec::new(),
            Offer::Challenge(challenged) => {
                challenged.seats.iter().filter(|user| !self.has(user)).collect()
            }
            Offer::Invite(invite) => invite.joined.iter().collect(),
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct NewOffer {
    pub open: OpenGame,
    /// Those of the challenged users that are the server's own bots.
    pub house: Vec<UserName>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AddOfferOutcome {
    Added,
    /// It is to a rematch to which another challenge is open already.
    RematchOpen(ChallengeId),
    RematchBegun(GameId),
    LimitReached(OpenLimitReached),
}

pub(crate) type SuitsOffer = Box<dyn Fn(&OpenGame) -> bool + Send + Sync>;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum JoinOfferOutcome {
    /// The user has joined; others are still missing.
    Waiting(Box<OpenGame>),
    /// All are there. That the last user has joined is not stored: the offer stays open until its
    /// game begins, which takes it.
    Full(Box<OpenGame>),
    AlreadyJoined,
    /// The offer does not suit. It is returned as it is.
    Unsuitable(Box<OpenGame>),
    LimitReached(OpenLimitReached),
    Gone,
}

pub(crate) struct Seeking {
    /// The seek to open if none suits. It has its maker alone.
    pub seek: OpenGame,
    pub session: NodeSession,
    /// Whether a seek of the same terms suits.
    pub suits: SuitsOffer,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SeekOutcome {
    /// No open seek suits. The new one is stored.
    Opened,
    /// The user has joined the oldest seek that suits; others are still missing.
    Waiting(Box<OpenGame>),
    /// All are there, as in [`JoinOfferOutcome::Full`].
    Full(Box<OpenGame>),
    LimitReached(OpenLimitReached),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OpenLimitReached {
    pub limit: &'static str,
    pub what: &'static str,
    pub max: usize,
    /// Whether others have taken the room, too.
    pub by_others: bool,
}

impl OpenLimitReached {
    const fn own(limit: &'static str, what: &'static str, max: usize) -> Self {
        Self { limit, what, max, by_others: false }
    }

    pub(super) const fn of_all(limit: &'static str, what: &'static str, max: usize) -> Self {
        Self { limit, what, max, by_others: true }
    }
}

pub(super) const fn bounded(
    count: usize,
    reached: OpenLimitReached,
) -> Result<(), OpenLimitReached> {
    if count >= reached.max { Err(reached) } else { Ok(()) }
}

const SEEKS: OpenLimitReached =
    OpenLimitReached::own("seeks", "open seeks a user: take one back first", SEEKS_PER_USER_MAX);
const NETWORK_SEEKS: OpenLimitReached = OpenLimitReached::of_all(
    "seeks_per_network",
    "open seeks from one network: take one of those that are open",
    SEEKS_PER_NETWORK_MAX,
);
const INVITES: OpenLimitReached =
    OpenLimitReached::own("invites", "open invites a user: cancel one first", INVITES_PER_USER_MAX);
const NETWORK_INVITES: OpenLimitReached = OpenLimitReached::of_all(
    "invites_per_network",
    "open invites from one network",
    INVITES_PER_NETWORK_MAX,
);

async fn check(sql: &impl Sql, new: &NewOffer) -> SqlResult<Result<(), OpenLimitReached>> {
    match &new.open.offer {
        Offer::Seek(_) => check_seek(sql, &new.open).await,
        Offer::Challenge(_) => check_challenge(sql, new).await,
        Offer::Invite(_) => check_invite(sql, &new.open).await,
    }
}

async fn check_seek(sql: &impl Sql, open: &OpenGame) -> SqlResult<Result<(), OpenLimitReached>> {
    let checked = bounded(count_made(sql, "seek", open.maker()).await?, SEEKS);
    Ok(checked.and(bounded(count_from(sql, "seek", open.from).await?, NETWORK_SEEKS)))
}

async fn check_invite(sql: &impl Sql, open: &OpenGame) -> SqlResult<Result<(), OpenLimitReached>> {
    let checked = bounded(count_invites(sql, open.maker()).await?, INVITES);
    Ok(checked.and(bounded(count_from(sql, "invite", open.from).await?, NETWORK_INVITES)))
}

async fn check_challenge(
    sql: &impl Sql,
    new: &NewOffer,
) -> SqlResult<Result<(), OpenLimitReached>> {
    let NewOffer { open, house } = new;
    let what = "open challenges a user: take one back first";
    let reached = OpenLimitReached::own("challenges", what, CHALLENGES_PER_USER_MAX);
    if let Err(reached) = bounded(count_made(sql, "challenge", open.maker()).await?, reached) {
        return Ok(Err(reached));
    }
    for user in open.counted_users() {
        let waiting = count_waiting(sql, open, user).await?;
        if let Err(reached) = check_waiting(waiting, open.is_of_guest(), has_name(house, user)) {
            return Ok(Err(reached));
        }
    }
    Ok(Ok(()))
}

#[derive(Debug, Clone, Copy)]
struct WaitingChallenges {
    all: usize,
    of_guests: usize,
    of_pair: usize,
    /// Those from one network; 0 if the network is unknown.
    of_network: usize,
}

fn check_waiting(
    waiting: WaitingChallenges,
    by_guest: bool,
    to_house: bool,
) -> Result<(), OpenLimitReached> {
    let (all_max, guests_max) = if to_house {
        (HOUSE_CHALLENGES_WAITING_MAX, HOUSE_CHALLENGES_WAITING_MAX)
    } else {
        (CHALLENGES_WAITING_MAX, GUESTS_CHALLENGES_WAITING_MAX)
    };
    let what = "open challenges of yours to one user: wait for an answer, or take one back";
    let pair = OpenLimitReached::own("challenges_per_pair", what, CHALLENGES_PER_PAIR_MAX);
    bounded(waiting.of_pair, pair)?;
    let (limit, what) = ("challenges_per_network", "open challenges from one network to one user");
    let network = OpenLimitReached::of_all(limit, what, CHALLENGES_PER_NETWORK_MAX);
    bounded(waiting.of_network, network)?;
    let what = "challenges wait for one user";
    bounded(waiting.all, OpenLimitReached::of_all("challenges_waiting", what, all_max))?;
    let what = "challenges of guests wait for one user: accounts have more room";
    let guests = OpenLimitReached::of_all("guests_challenges_waiting", what, guests_max);
    bounded(if by_guest { waiting.of_guests } else { 0 }, guests)
}

async fn count_made(sql: &impl Sql, kind: &str, maker: &UserName) -> SqlResult<usize> {
    let count = "SELECT COUNT(*) FROM offers WHERE kind = $1 AND maker = $2 AND game IS NULL";
    sql.count(count, params![kind, maker.folded().as_str()]).await
}

async fn count_from(
    sql: &impl Sql,
    kind: &str,
    network: Option<ClientNetwork>,
) -> SqlResult<usize> {
    // An unknown network equals none.
    let count = "SELECT COUNT(*) FROM offers WHERE kind = $1 AND network = $2 AND game IS NULL";
    sql.count(count, params![kind, network.map(|network| network.to_string())]).await
}

async fn count_invites(sql: &impl Sql, user: &UserName) -> SqlResult<usize> {
    let count = "SELECT COUNT(*) FROM offer_users JOIN offers ON id = offer
         WHERE user_name = $1 AND kind = 'invite'";
    sql.count(count, params![user.folded().as_str()]).await
}

async fn count_waiting(
    sql: &impl Sql,
    open: &OpenGame,
    user: &UserName,
) -> SqlResult<WaitingChallenges> {
    let count = "SELECT COUNT(*), COUNT(*) FILTER (WHERE guest),
             COUNT(*) FILTER (WHERE maker = $2), COUNT(*) FILTER (WHERE network = $3)
         FROM offer_users JOIN offers ON id = offer
         WHERE user_name = $1 AND kind = 'challenge'";
    let network = open.from.map(|network| network.to_string());
    let (user, maker) = (user.folded(), open.maker().folded());
    let found = sql.first(count, params![user.as_str(), maker.as_str(), network]).await?;
    let Some(mut row) = found else {
        return Ok(WaitingChallenges { all: 0, of_guests: 0, of_pair: 0, of_network: 0 });
    };
    let (all, of_guests) = (row.get(0)?, row.get(1)?);
    Ok(WaitingChallenges { all, of_guests, of_pair: row.get(2)?, of_network: row.get(3)? })
}

const SELECT: &str = "SELECT entry, network, version, game FROM offers";

fn read_offer(row: &mut Row) -> SqlResult<OpenGame> {
    let mut open: OpenGame = row.json(0)?;
    if matches!(open.clock(), TimeControl::Unknown(_)) {
        return Err(SqlError::Unreadable("an offer with an unknown clock".to_owned()));
    }
    (open.from, open.version) = (row.parse_optional(1)?, row.get(2)?);
    if let Offer::Invite(invite) = &mut open.offer {
        invite.game = row.parse_optional(3)?;
    }
    Ok(open)
}

/// The keys by which transactions wait for each other that count the offers of the same users, or
/// from the same network, or that look for a seek of the same terms.
fn keys(open: &OpenGame) -> Vec<String> {
    let users = open.users().iter().chain([open.maker()]).map(user_key);
    let network = open.from.map(|network| format!("offers from {network}"));
    let terms = Some(open.terms_key()).filter(|terms| !terms.is_empty());
    users.chain(network).chain(terms.map(|terms| format!("seeks of {terms}"))).collect()
}

fn user_key(user: &UserName) -> String {
    format!("offers of {}", user.folded())
}

async fn insert(sql: &impl Sql, open: &OpenGame) -> SqlResult<()> {
    let id = open.id();
    let insert = "INSERT INTO offers
             (id, kind, maker, guest, network, terms, version, expires_at, rematch_of, entry)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    let (maker, network) = (open.maker().folded(), open.from.map(|network| network.to_string()));
    let (maker, is_guest, terms) = (maker.as_str(), open.is_of_guest(), open.terms_key());
    let (kind, version, expires) = (id.kind(), open.version, open.expires());
    let (id, before, text) = (id.as_str(), open.rematch_of().map(GameId::as_str), text_of(open));
    let params = params![id, kind, maker, is_guest, network, terms, version, expires, before, text];
    sql.execute(insert, params).await?;
    insert_users(sql, open).await
}

async fn insert_users(sql: &impl Sql, open: &OpenGame) -> SqlResult<()> {
    let id = open.id();
    for user in open.counted_users() {
        let insert = "INSERT INTO offer_users (user_name, offer) VALUES ($1, $2)
             ON CONFLICT DO NOTHING";
        sql.execute(insert, params![user.folded().as_str(), id.as_str()]).await?;
    }
    for NodeSession { node, session } in open.joined.iter().filter_map(|joined| joined.session) {
        let insert = "INSERT INTO offer_sessions (node, session, offer) VALUES ($1, $2, $3)
             ON CONFLICT DO NOTHING";
        sql.execute(insert, params![node_text(node), session.0, id.as_str()]).await?;
    }
    Ok(())
}

async fn update(sql: &impl Sql, open: &OpenGame) -> SqlResult<()> {
    let id = open.id();
    let update = "UPDATE offers SET version = $2, entry = $3 WHERE id = $1";
    sql.execute(update, params![id.as_str(), open.version, text_of(open)]).await?;
    delete_users(sql, &id).await?;
    sql.execute("DELETE FROM offer_sessions WHERE offer = $1", params![id.as_str()]).await?;
    insert_users(sql, open).await
}

async fn delete_users(sql: &impl Sql, id: &OfferId) -> SqlResult<()> {
    sql.execute("DELETE FROM offer_users WHERE offer = $1", params![id.as_str()]).await?;
    Ok(())
}

fn text_of(open: &OpenGame) -> String {
    serde_json::to_string(open).expect("offers are plain data")
}

fn node_text(node: Option<NodeId>) -> String {
    node.map(|node| node.to_string()).unwrap_or_default()
}

async fn find(sql: &impl Sql, id: &OfferId) -> SqlResult<Option<OpenGame>> {
    let select = format!("{SELECT} WHERE id = $1");
    let found = sql.first(&select, params![id.as_str()]).await?;
    found.map(|mut row| read_offer(&mut row)).transpose()
}

/// Returns an open offer, which no other transaction changes until this one ends.
async fn lock<S: Sql>(sql: &S, id: &OfferId) -> SqlResult<Option<OpenGame>> {
    let select = format!("{SELECT} WHERE id = $1 AND game IS NULL{}", S::FOR_UPDATE);
    let found = sql.first(&select, params![id.as_str()]).await?;
    found.map(|mut row| read_offer(&mut row)).transpose()
}

/// Returns all open offers, the oldest first. Unreadable ones are left out.
async fn open_offers(sql: &impl Sql) -> SqlResult<Vec<OpenGame>> {
    let mut rows = sql.query(&format!("{SELECT} WHERE game IS NULL ORDER BY place"), &[]).await?;
    let readable = |row: &mut Row| {
        read_offer(row)
            // operator: the database is damaged; the server skips the seek, challenge or invite.
            // Run `adamant-server check`
            .inspect_err(|error| tracing::error!(%error, "a stored offer is unreadable"))
            .ok()
    };
    Ok(rows.iter_mut().filter_map(readable).collect())
}

async fn delete(sql: &impl Sql, id: &OfferId) -> SqlResult<Option<OpenGame>> {
    let open = lock(sql, id).await?;
    if open.is_some() {
        sql.execute("DELETE FROM offers WHERE id = $1", params![id.as_str()]).await?;
    }
    Ok(open)
}

async fn rematch_of(sql: &impl Sql, game: &GameId) -> SqlResult<Option<GameId>> {
    let select = "SELECT next FROM rematches WHERE game = $1";
    sql.first(select, params![game.as_str()]).await?.map(|mut row| row.parse(0)).transpose()
}

async fn add<S: Sql>(sql: &S, new: &NewOffer) -> SqlResult<AddOfferOutcome> {
    sql.lock(keys(&new.open)).await?;
    if let Some(before) = new.open.rematch_of() {
        // A game that begins from it ends the wait, and then it has begun.
        let select = format!("SELECT id FROM offers WHERE rematch_of = $1{}", S::FOR_UPDATE);
        let open = sql.first(&select, params![before.as_str()]).await?;
        if let Some(game) = rematch_of(sql, before).await? {
            return Ok(AddOfferOutcome::RematchBegun(game));
        }
        if let Some(mut open) = open {
            return Ok(AddOfferOutcome::RematchOpen(open.parse(0)?));
        }
    }
    if let Err(reached) = check(sql, new).await? {
        return Ok(AddOfferOutcome::LimitReached(reached));
    }
    insert(sql, &new.open).await?;
    Ok(AddOfferOutcome::Added)
}

async fn join(
    sql: &impl Sql,
    id: &OfferId,
    seeker: &Seeker,
    suits: Option<&SuitsOffer>,
) -> SqlResult<JoinOfferOutcome> {
    sql.lock(vec![user_key(&seeker.user)]).await?;
    let Some(open) = lock(sql, id).await? else { return Ok(JoinOfferOutcome::Gone) };
    // First: whoever joins again may have blocked another user since.
    if suits.is_some_and(|suits| !suits(&open)) {
        return Ok(JoinOfferOutcome::Unsuitable(Box::new(open)));
    }
    if open.has(&seeker.user) {
        return Ok(JoinOfferOutcome::AlreadyJoined);
    }
    if matches!(open.offer, Offer::Invite(_))
        && let Err(reached) = bounded(count_invites(sql, &seeker.user).await?, INVITES)
    {
        return Ok(JoinOfferOutcome::LimitReached(reached));
    }
    let joined = open.with(seeker.clone());
    if joined.is_full() {
        return Ok(JoinOfferOutcome::Full(joined));
    }
    update(sql, &joined).await?;
    Ok(JoinOfferOutcome::Waiting(joined))
}

async fn leave(sql: &impl Sql, id: &OfferId, user: &UserName) -> SqlResult<Option<OpenGame>> {
    let Some(mut open) = lock(sql, id).await? else { return Ok(None) };
    if !open.leave(|joined| joined.user.is_same(user.as_str())) {
        return Ok(None);
    }
    update(sql, &open).await?;
    Ok(Some(open))
}

/// Returns the oldest open seek of the same terms that suits, locked.
async fn suitable<S: Sql>(sql: &S, seeking: &Seeking) -> SqlResult<Option<OpenGame>> {
    let select = format!(
        "{SELECT} WHERE terms = $1 AND game IS NULL AND kind = 'seek' ORDER BY place{}",
        S::FOR_UPDATE
    );
    for row in &mut sql.query(&select, params![seeking.seek.terms_key()]).await? {
        let open = read_offer(row)?;
        if (seeking.suits)(&open) {
            return Ok(Some(open));
        }
    }
    Ok(None)
}

async fn seek(sql: &impl Sql, seeking: &Seeking) -> SqlResult<SeekOutcome> {
    let Seeking { seek, session, .. } = seeking;
    sql.lock(keys(seek)).await?;
    if let Some(found) = suitable(sql, seeking).await? {
        let joined = found.with(Seeker { session: Some(*session), ..seek.joined[0].clone() });
        if joined.is_full() {
            return Ok(SeekOutcome::Full(joined));
        }
        update(sql, &joined).await?;
        return Ok(SeekOutcome::Waiting(joined));
    }
    if let Err(reached) = check_seek(sql, seek).await? {
        return Ok(SeekOutcome::LimitReached(reached));
    }
    insert(sql, seek).await?;
    Ok(SeekOutcome::Opened)
}

/// Deletes the offers that sessions of the node have made, and takes them out of others.
async fn end_of_sessions<S: Sql>(
    sql: &S,
    node: Option<NodeId>,
    session: Option<SessionId>,
) -> SqlResult<Vec<OfferId>> {
    // No session has the number 0.
    let number = session.map_or(0, |session| session.0);
    let select = format!(
        "{SELECT} WHERE id IN (SELECT offer_sessions.offer FROM offer_sessions
             WHERE node = $1 AND (session = $2 OR $2 = 0))
         ORDER BY place{}",
        S::FOR_UPDATE
    );
    let is_ended = |ended: &NodeSession| {
        ended.node == node && session.is_none_or(|session| ended.session == session)
    };
    let mut ended = Vec::new();
    for row in &mut sql.query(&select, params![node_text(node), number]).await? {
        let mut open = read_offer(row)?;
        let leaves = |seeker: &Seeker| seeker.session.as_ref().is_some_and(is_ended);
        if open.joined.first().is_none_or(leaves) {
            delete(sql, &open.id()).await?;
        } else {
            open.leave(leaves);
            update(sql, &open).await?;
        }
        ended.push(open.id());
    }
    Ok(ended)
}

async fn forget_taken(sql: &impl Sql, now_ms: u64) -> SqlResult<()> {
    let delete = "DELETE FROM offers WHERE expires_at <= $1 AND game IS NOT NULL";
    sql.execute(delete, params![now_ms]).await?;
    Ok(())
}

operations! {
    /// Opens an offer, unless too many are open or its rematch exists.
    fn add_offer(new: NewOffer) -> AddOfferOutcome = transact(add(new));
    /// Joins the oldest open seek that suits, or opens one.
    fn seek(seeking: Seeking) -> SeekOutcome = transact(seek(seeking));
    /// Lets a user join an offer, if it suits.
    fn join_offer(id: OfferId, seeker: Seeker, suits: Option<SuitsOffer>) -> JoinOfferOutcome =
        transact(join(id, seeker, suits.as_ref()));
    /// Takes a user who has joined out of an offer. Returns what remains; `None` if the offer is
    /// not open, or the user has not joined it or has made it.
    fn leave_offer(id: OfferId, user: UserName) -> Option<OpenGame> = transact(leave(id, user));
    fn delete_offer(id: OfferId) -> Option<OpenGame> = transact(delete(id));
    /// Deletes a session's offers, and takes it out of the others. Returns all of these.
    fn end_offers_of_session(ended: NodeSession) -> Vec<OfferId> =
        transact(end_of_sessions(ended.node, Some(ended.session)));
    /// Does so for all sessions of a node that has gone; `None` for a server that is alone.
    fn end_offers_of_node(node: Option<NodeId>) -> Vec<OfferId> =
        transact(end_of_sessions(*node, None));
    /// Returns an offer; an invite also if it has become a game.
    fn find_offer(id: OfferId) -> Option<OpenGame> = read(find(id));
    fn open_offers() -> Vec<OpenGame> = read(open_offers());
    /// Deletes the expired invites that have become games.
    fn forget_taken_offers(now_ms: u64) -> () = transact(forget_taken(*now_ms));
    fn rematch_of(game: GameId) -> Option<GameId> = read(rematch_of(game));
}
