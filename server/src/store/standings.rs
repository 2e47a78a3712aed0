//! Standings, ratings and profiles of users.

use adamant_protocol::UserName;
use futures::future::BoxFuture;

use super::{StandingRow, StandingsFilter, StandingsKey, StoreError, User};
use crate::ratings::{Pool, Rating};

/// The public profile of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UserSummary {
    pub user: User,
    /// The time of creation, in epoch milliseconds.
    pub since: u64,
    /// Number of finished games.
    pub finished: u32,
    /// The user's standing in each pool.
    pub standings: Vec<(Pool, StandingRow)>,
}

/// Reads ratings, standings and profiles.
pub(crate) trait Standings: std::fmt::Debug + Send + Sync + 'static {
    /// Returns a page of the standings, the strongest first.
    fn standings(
        &self,
        filter: StandingsFilter,
        after: Option<StandingsKey>,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<StandingRow>, StoreError>>;

    /// Returns the ratings of users in a pool, in order; `None` for a user without one.
    fn ratings(
        &self,
        pool: Pool,
        users: Vec<UserName>,
    ) -> BoxFuture<'_, Result<Vec<Option<Rating>>, StoreError>>;

    /// Returns the public profile of a user; `None` if there is no such user.
    fn user_summary(
        &self,
        name: UserName,
    ) -> BoxFuture<'_, Result<Option<UserSummary>, StoreError>>;
}
