//! Queries for games, standings, users and bots, by WebSocket or HTTP. All results are public, but
//! for a user's own unlisted games.

use adamant_protocol::{
    GameId, RequestId, UserName,
    from_client::{self, GameState, SoughtResult},
    ids::{RulesName, StandingsCursor},
    known,
    to_client::{
        DirectoryList, GameEntry, GameList, HistoryList, PoolRating, RatingRecord, Standing,
        StandingList, UserProfile,
    },
};
use adamant_record::wire;
use adamant_rules::Kind;
use serde::Deserialize;

use crate::{
    error::Denial,
    limits::{PAGE_MAX, SEARCHED_PAGES_MAX},
    lobby::{DirectoryQuery, Lobby},
    ratings::Pool,
    store::{self, GameFilter, ListKey, StandingsFilter, StandingsKey, Store, StoreError},
};

#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct GamesQuery {
    user: Option<UserName>,
    rules: Option<RulesName>,
    /// Only games with this number of players.
    players: Option<u8>,
    #[serde(default, deserialize_with = "known")]
    state: GameState,
    before: Option<GameId>,
    limit: Option<u32>,
    /// Only games of the user against this one.
    opponent: Option<UserName>,
    /// Only games with this result for the user.
    #[serde(default, deserialize_with = "known")]
    result: Option<SoughtResult>,
    rated: Option<bool>,
}

impl From<from_client::Games> for GamesQuery {
    fn from(request: from_client::Games) -> Self {
        let from_client::Games {
            id: _,
            user,
            rules,
            players,
            state,
            opponent,
            result,
            rated,
            before,
            limit,
        } = request;
        Self { user, rules, players, state, before, limit, opponent, result, rated }
    }
}

impl GamesQuery {
    /// Returns the query for the live games of a user.
    pub(crate) fn live_of(user: UserName, limit: u32) -> Self {
        Self { user: Some(user), limit: Some(limit), ..Self::default() }
    }
}

/// A query for the standings of a pool.
#[derive(Debug, Clone)]
pub(crate) struct StandingsQuery {
    pub rules: RulesName,
    pub page: StandingsPage,
}

#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct StandingsPage {
    players: Option<u8>,
    bot: Option<bool>,
    before: Option<StandingsCursor>,
    limit: Option<u32>,
}

impl From<from_client::Standings> for StandingsQuery {
    fn from(request: from_client::Standings) -> Self {
        let from_client::Standings { id: _, rules, players, bot, before, limit } = request;
        Self { rules, page: StandingsPage { players, bot, before, limit } }
    }
}

/// A query for a user's games.
#[derive(Debug, Clone)]
pub(crate) struct HistoryQuery {
    pub user: UserName,
    pub page: HistoryPage,
}

/// A page of a user's games.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct HistoryPage {
    rules: Option<RulesName>,
    before: Option<GameId>,
    limit: Option<u32>,
}

impl HistoryPage {
    /// Returns the first page of this size.
    pub(crate) fn of(limit: u32) -> Self {
        Self { limit: Some(limit), ..Self::default() }
    }
}

impl From<from_client::History> for HistoryQuery {
    fn from(request: from_client::History) -> Self {
        let from_client::History { id: _, user, rules, before, limit } = request;
        Self { user, page: HistoryPage { rules, before, limit } }
    }
}

/// Answers queries for games, standings and users. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct UserQueries {
    pub(super) store: Store,
    pub(super) lobby: Lobby,
}

impl UserQueries {
    /// Returns the service. The lobby knows which users are online.
    pub(crate) const fn new(store: Store, lobby: Lobby) -> Self {
        Self { store, lobby }
    }

    /// Lists games for a viewer, the latest start first.
    pub(crate) async fn games(
        &self,
        (re, viewer): (Option<RequestId>, Option<&UserName>),
        query: GamesQuery,
    ) -> Result<GameList, Denial> {
        let after = match query.before {
            Some(game) => {
                Some(self.place(&game, self.store.list_key_by_start(game.clone())).await?)
            }
            None => None,
        };
        let rules = query.rules.map(|rules| rules.name);
        let unlisted = query.user.as_ref().is_some_and(|user| is_viewer(user, viewer));
        let filter = GameFilter { user: query.user, rules, players: query.players, unlisted };
        let limit = page_size(query.limit);
        let GamesQuery { opponent, result, rated, .. } = query;
        let search = GameSearch { opponent, result, rated };
        let (games, more) = match query.state {
            _ if !search.is_for_all() => {
                search.check(query.state, filter.user.as_ref())?;
                return self.search_games(re, &search, filter, after, limit).await;
            }
            GameState::Live => self.store.live_games(&filter, after.as_ref(), index(limit)).await?,
            GameState::Finished | GameState::Unknown(_) => {
                cut(self.store.finished_games(filter, after, limit + 1).await?, limit)
            }
        };
        let next = games.last().filter(|_| more).map(|last| last.game.clone());
        Ok(GameList { re, games, more, next })
    }

    /// Looks through the finished games of a list, up to a limit.
    async fn search_games(
        &self,
        re: Option<RequestId>,
        search: &GameSearch,
        filter: GameFilter,
        mut after: Option<ListKey>,
        limit: u32,
    ) -> Result<GameList, Denial> {
        let mut games = Vec::new();
        for _ in 0..SEARCHED_PAGES_MAX {
            let list = self.store.finished_games(filter.clone(), after, PAGE_MAX + 1);
            let (page, more) = cut(list.await?, PAGE_MAX);
            after = page.last().map(ListKey::by_start);
            for entry in page {
                if games.len() == index(limit) {
                    let next = games.last().map(|last: &GameEntry| last.game.clone());
                    return Ok(GameList { re, games, more: true, next });
                }
                if search.matches(filter.user.as_ref(), &entry) {
                    games.push(entry);
                }
            }
            if !more {
                return Ok(GameList { re, games, more: false, next: None });
            }
        }
        Ok(GameList { re, games, more: true, next: after.map(|last| last.game) })
    }

    /// Returns the list position of the game that a page continues after.
    async fn place(
        &self,
        game: &GameId,
        place: impl Future<Output = Result<Option<ListKey>, StoreError>>,
    ) -> Result<ListKey, Denial> {
        place.await?.ok_or_else(|| Denial::NotFound(format!("game {game} to go on after")))
    }

    /// Lists the users of a pool, the strongest first.
    pub(crate) async fn standings(
        &self,
        re: Option<RequestId>,
        query: StandingsQuery,
    ) -> Result<StandingList, Denial> {
        let page = query.page;
        let (kind, players) = kind_and_players(&query.rules, page.players)?;
        let after = match page.before {
            Some(cursor) => Some(StandingsKey::read(&cursor).ok_or_else(|| {
                Denial::BadMessage("before is not what stood in next".to_owned())
            })?),
            None => None,
        };
        let limit = page_size(page.limit);
        let filter = StandingsFilter { pool: Pool::of(kind, players), bot: page.bot };
        let (standings, more) = cut(self.store.standings(filter, after, limit + 1).await?, limit);
        let next = standings.last().filter(|_| more).map(|last| last.key.cursor());
        Ok(StandingList {
            re,
            rules: wire::rules(kind),
            players: u8::try_from(players).expect("a table has few seats"),
            standings: standings.into_iter().map(to_wire).collect(),
            more,
            next,
        })
    }

    pub(crate) async fn user(
        &self,
        re: Option<RequestId>,
        name: UserName,
    ) -> Result<UserProfile, Denial> {
        let not_found = || Denial::NotFound(format!("user called {name}"));
        let known = self.store.user_summary(name.clone()).await?.ok_or_else(not_found)?;
        let user = known.user;
        let bot = user.is_bot() || (user.guest && self.store.is_guest_program(user.id).await?);
        let ratings = known.standings.into_iter().filter_map(|(pool, standing)| {
            let rules = wire::rules(Kind::from_name(&pool.rules)?);
            Some(rating_in(rules, pool.players, standing))
        });
        Ok(UserProfile {
            re,
            since: known.since,
            bot,
            owner: user.owner,
            guest: user.guest,
            online: self.lobby.is_online(&user.name),
            live: u32::try_from(self.store.count_live_of(&user.name).await?).unwrap_or(u32::MAX),
            finished: known.finished,
            ratings: ratings.collect(),
            user: user.name,
        })
    }

    /// Lists a user's finished games for a viewer, the latest end first.
    pub(crate) async fn history(
        &self,
        (re, viewer): (Option<RequestId>, Option<&UserName>),
        query: HistoryQuery,
    ) -> Result<HistoryList, Denial> {
        let not_found = || Denial::NotFound(format!("user called {}", query.user));
        let (user, _) = self.store.find_user(query.user.clone()).await?.ok_or_else(not_found)?;
        let page = query.page;
        let after = match page.before {
            Some(game) => Some(self.place(&game, self.store.list_key_by_end(game.clone())).await?),
            None => None,
        };
        let limit = page_size(page.limit);
        let rules = page.rules.map(|rules| rules.name);
        let filter = GameFilter {
            user: Some(user.name.clone()),
            rules,
            players: None,
            unlisted: is_viewer(&user.name, viewer),
        };
        let games = self.store.history(filter, after, limit + 1).await?;
        let (games, more) = cut(games, limit);
        Ok(HistoryList { re, user: user.name, games, more })
    }
}

/// Returns a kind of game, and its number of players: the smallest unless the request names one.
pub(super) fn kind_and_players(
    rules: &RulesName,
    players: Option<u8>,
) -> Result<(Kind, usize), Denial> {
    let kind =
        wire::kind(rules).map_err(|_| Denial::NotFound(format!("game called {rules} here")))?;
    let sizes = kind.players();
    let players = players.map_or(*sizes.start(), usize::from);
    if sizes.contains(&players) {
        return Ok((kind, players));
    }
    let (few, many) = (sizes.start(), sizes.end());
    Err(Denial::BadMessage(format!("{} is played by {few} to {many}", kind.name())))
}

/// Whether a user asks for the own games. Others do not see the unlisted ones.
fn is_viewer(user: &UserName, viewer: Option<&UserName>) -> bool {
    viewer.is_some_and(|viewer| viewer.is_same(user.as_str()))
}

/// Returns the bounded size of a page.
fn page_size(requested: Option<u32>) -> u32 {
    requested.unwrap_or(PAGE_MAX).clamp(1, PAGE_MAX)
}

pub(super) fn index(limit: u32) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}

/// Cuts one row more than a page to the page. Returns whether there was that row.
fn cut<T>(mut rows: Vec<T>, limit: u32) -> (Vec<T>, bool) {
    let more = rows.len() > index(limit);
    rows.truncate(index(limit));
    (rows, more)
}

fn to_wire(standing: store::StandingRow) -> Standing {
    let store::StandingRow { place, user, bot, rating, score, key: _ } = standing;
    let record = RatingRecord {
        rating: rating.rounded(),
        deviation: rating.rounded_deviation(),
        provisional: rating.is_provisional(),
        games: score.games,
        wins: score.wins,
        draws: score.draws,
        losses: score.losses,
    };
    Standing { place, user, bot, record }
}

fn rating_in(rules: RulesName, players: u8, standing: store::StandingRow) -> PoolRating {
    let Standing { place, record, .. } = to_wire(standing);
    PoolRating { rules, players, place, record }
}

impl UserQueries {
    /// Lists the bots that accept challenges, with their ratings, in the order of their names.
    pub(crate) async fn directory(
        &self,
        re: Option<RequestId>,
        query: DirectoryQuery,
    ) -> Result<DirectoryList, Denial> {
        let limit = index(page_size(query.limit));
        let (mut bots, more) = self.lobby.directory(&query, limit);
        let users: Vec<UserName> = bots.iter().map(|bot| bot.user.clone()).collect();
        if users.is_empty() {
            return Ok(DirectoryList { re, bots, more });
        }
        let pools = Kind::ALL
            .iter()
            .flat_map(|kind| kind.players().map(|players| Pool::of(*kind, players)));
        for pool in pools {
            let ratings = self.store.ratings(pool.clone(), users.clone()).await?;
            for (bot, rating) in bots.iter_mut().zip(ratings) {
                let rating = rating.map(|rating| (pool.to_string().into(), rating.rounded()));
                bot.ratings.0.extend(rating);
            }
        }
        Ok(DirectoryList { re, bots, more })
    }
}

/// What is sought among the games that the store lists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct GameSearch {
    opponent: Option<UserName>,
    pub(super) result: Option<SoughtResult>,
    pub(super) rated: Option<bool>,
}

impl GameSearch {
    fn is_for_all(&self) -> bool {
        *self == Self::default()
    }

    /// Returns an error if the games are not finished, or if the search needs a user whose games it
    /// is about.
    pub(super) fn check(&self, state: GameState, user: Option<&UserName>) -> Result<(), Denial> {
        if state == GameState::Live {
            let why = "opponent, result and rated are for finished games: set state to finished";
            return Err(Denial::BadMessage(why.to_owned()));
        }
        let needs_user = self.opponent.is_some() || self.result.is_some();
        if needs_user && user.is_none() {
            let why = "opponent and result are those of a user: name the user";
            return Err(Denial::BadMessage(why.to_owned()));
        }
        Ok(())
    }

    /// Whether a finished game of the user is sought.
    pub(super) fn matches(&self, user: Option<&UserName>, entry: &GameEntry) -> bool {
        let left = |user: &UserName| {
            let substituted = entry.substituted.as_ref();
            substituted.filter(|left| left.user.is_same(user.as_str()))
        };
        let seat_of = |user: &UserName| {
            let seat = entry.seats.iter().position(|seat| seat.user.is_same(user.as_str()));
            left(user).map(|left| usize::from(left.seat)).or(seat)
        };
        let own = user.and_then(seat_of);
        let has_left = user.and_then(left).is_some();
        let of_opponent = self
            .opponent
            .as_ref()
            .is_none_or(|other| seat_of(other).is_some_and(|seat| Some(seat) != own));
        let of_result = self.result.is_none_or(|wanted| {
            own.and_then(|seat| result(entry, seat, has_left)) == Some(wanted)
        });
        let of_rating = self.rated.is_none_or(|rated| entry.rated == rated);
        of_opponent && of_result && of_rating
    }
}

/// Returns the result of a seat, or of a player who has left it to a computer; `None` without a
/// result.
fn result(entry: &GameEntry, seat: usize, has_left: bool) -> Option<SoughtResult> {
    let winners = &entry.result.as_ref()?.winners;
    if has_left && !winners.is_empty() {
        return Some(SoughtResult::Lost);
    }
    let won = winners.iter().any(|&winner| usize::from(winner) == seat);
    match (winners.len(), won) {
        (0, _) => None,
        (1, true) => Some(SoughtResult::Won),
        (_, true) => Some(SoughtResult::Drawn),
        (_, false) => Some(SoughtResult::Lost),
    }
}
