//! A look at a store that reads little of it, for whoever asks whether it is well.

use adamant_protocol::UserName;

use super::{
    sql::{Sql, SqlResult},
    users::without_account,
};

/// What a look at a store finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Glance {
    pub(crate) users: u64,
    pub(crate) live_games: u64,
    /// The moderators whose names no account has.
    pub(crate) moderators_unknown: Vec<UserName>,
}

pub(super) async fn glance(sql: &impl Sql, moderators: &[UserName]) -> SqlResult<Glance> {
    Ok(Glance {
        users: sql.count("SELECT COUNT(*) FROM users", &[]).await? as u64,
        live_games: sql.count("SELECT COUNT(*) FROM games WHERE NOT finished", &[]).await? as u64,
        moderators_unknown: without_account(sql, moderators).await?,
    })
}
