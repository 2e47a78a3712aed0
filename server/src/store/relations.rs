//! Which users mute or block which.

use std::sync::LazyLock;

use adamant_protocol::UserName;

use super::{
    sql::{Row, Sql, SqlResult, params},
    store::operations,
};
use crate::limits::RELATIONS_PER_USER_MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    /// Hides the other's talk.
    Mutes,
    /// Hides the other's talk, and does not play with them.
    Blocks,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RelateOutcome {
    /// It is stored. These are all users whose talk is hidden from now on.
    Stored(Vec<UserName>),
    UserNotFound,
    /// The caller mutes or blocks as many users as the limit allows.
    LimitReached,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    pub by: UserName,
    pub user: UserName,
}

/// The table of a relation, and its column of the other user.
const fn table(relation: Relation) -> (&'static str, &'static str) {
    match relation {
        Relation::Mutes => ("mutes", "muted_id"),
        Relation::Blocks => ("blocks", "blocked_id"),
    }
}

/// Returns the statement that selects the users whose talk a user does not see, by a statement that
/// selects the user's id. SQLite would make a table of its own to sort them or to leave out those
/// that are in both relations: [`read_hidden`] does that.
pub(super) fn select_hidden(id: &str) -> String {
    format!(
        "SELECT users.name FROM mutes JOIN users ON users.id = muted_id WHERE user_id = ({id})
         UNION ALL
         SELECT users.name FROM blocks JOIN users ON users.id = blocked_id WHERE user_id = ({id})"
    )
}

/// Reads the rows of [`select_hidden`]: each user once, by name.
pub(super) fn read_hidden(mut rows: Vec<Row>) -> SqlResult<Vec<UserName>> {
    let users = rows.iter_mut().map(|row| row.parse(0));
    let mut users = users.collect::<SqlResult<Vec<UserName>>>()?;
    users.sort_unstable_by_key(UserName::folded);
    users.dedup();
    Ok(users)
}

pub(super) async fn hidden(sql: &impl Sql, user: &UserName) -> SqlResult<Vec<UserName>> {
    static SELECT: LazyLock<String> =
        LazyLock::new(|| select_hidden("SELECT id FROM users WHERE folded = $1"));
    read_hidden(sql.query(&SELECT, params![user.folded().as_str()]).await?)
}

async fn relate<S: Sql>(
    sql: &S,
    relation: Relation,
    user: &UserName,
    other: &UserName,
) -> SqlResult<RelateOutcome> {
    let (table, column) = table(relation);
    let (user, other) = (user.folded(), other.folded());
    // Another node that counts this user's relations waits here.
    sql.lock(vec![format!("relations {user}")]).await?;
    let known = format!("SELECT 1 FROM users WHERE folded = $1{}", S::KEEP);
    if !sql.exists(&known, params![other.as_str()]).await? {
        return Ok(RelateOutcome::UserNotFound);
    }
    let count = format!(
        "SELECT COUNT(*) FROM {table} WHERE user_id = (SELECT id FROM users WHERE folded = $1)"
    );
    if sql.count(&count, params![user.as_str()]).await? >= RELATIONS_PER_USER_MAX as usize {
        return Ok(RelateOutcome::LimitReached);
    }
    let insert = format!(
        "INSERT INTO {table} (user_id, {column})
         SELECT a.id, b.id FROM users a, users b WHERE a.folded = $1 AND b.folded = $2
         ON CONFLICT DO NOTHING"
    );
    sql.execute(&insert, params![user.as_str(), other.as_str()]).await?;
    Ok(RelateOutcome::Stored(hidden(sql, &user).await?))
}

async fn unrelate(
    sql: &impl Sql,
    relation: Relation,
    user: &UserName,
    other: &UserName,
) -> SqlResult<Vec<UserName>> {
    let (table, column) = table(relation);
    let delete = format!(
        "DELETE FROM {table} WHERE user_id = (SELECT id FROM users WHERE folded = $1)
           AND {column} = (SELECT id FROM users WHERE folded = $2)"
    );
    sql.execute(&delete, params![user.folded().as_str(), other.folded().as_str()]).await?;
    hidden(sql, user).await
}

async fn related(sql: &impl Sql, relation: Relation, user: &UserName) -> SqlResult<Vec<UserName>> {
    let (table, column) = table(relation);
    let select = format!(
        "SELECT other.name FROM {table} JOIN users ON users.id = {table}.user_id
         JOIN users other ON other.id = {table}.{column}
         WHERE users.folded = $1 ORDER BY other.folded"
    );
    let mut rows = sql.query(&select, params![user.folded().as_str()]).await?;
    rows.iter_mut().map(|row| row.parse(0)).collect()
}

async fn blocks_around(sql: &impl Sql, user: &UserName) -> SqlResult<Vec<Block>> {
    let select = "WITH me AS (SELECT id, name, owner_id AS owner FROM users WHERE folded = $1),
         mine AS (SELECT id FROM me UNION ALL SELECT owner FROM me WHERE owner IS NOT NULL)
         SELECT me.name, b.name FROM me, mine JOIN blocks ON blocks.user_id = mine.id
             JOIN users b ON b.id = blocks.blocked_id
         UNION SELECT me.name, b.name FROM me, mine JOIN blocks ON blocks.user_id = mine.id
             JOIN users b ON b.owner_id = blocks.blocked_id
         UNION SELECT a.name, me.name FROM me, mine JOIN blocks ON blocks.blocked_id = mine.id
             JOIN users a ON a.id = blocks.user_id
         UNION SELECT a.name, me.name FROM me, mine JOIN blocks ON blocks.blocked_id = mine.id
             JOIN users a ON a.owner_id = blocks.user_id";
    let mut rows = sql.query(select, params![user.folded().as_str()]).await?;
    rows.iter_mut().map(|row| Ok(Block { by: row.parse(0)?, user: row.parse(1)? })).collect()
}

operations! {
    fn relate(relation: Relation, user: UserName, other: UserName) -> RelateOutcome =
        transact(relate(*relation, user, other));
    /// Ends that; returns the users whose talk is still hidden.
    fn unrelate(relation: Relation, user: UserName, other: UserName) -> Vec<UserName> =
        transact(unrelate(*relation, user, other));
    fn related(relation: Relation, user: UserName) -> Vec<UserName> =
        read(related(*relation, user));
    /// Returns every block by and of a user and, for a bot, by and of its owner. A user on the
    /// other side stands there with the user's bots.
    fn blocks_around(user: UserName) -> Vec<Block> = read(blocks_around(user));
}
