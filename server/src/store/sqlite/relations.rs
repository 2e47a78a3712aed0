//! Statements on mutes and blocks.

use adamant_protocol::UserName;
use futures::{FutureExt as _, future::BoxFuture};
use rusqlite::Connection;

use super::{database::Sqlite, rows::read_name};
use crate::{
    limits::RELATIONS_PER_USER_MAX,
    store::{Block, RelateOutcome, Relation, Relations, StoreError},
};

/// The table of a relation, and its column of the other user.
const fn table(relation: Relation) -> (&'static str, &'static str) {
    match relation {
        Relation::Mutes => ("mutes", "muted"),
        Relation::Blocks => ("blocks", "blocked"),
    }
}

/// Returns the users whose talk a user does not see.
pub(super) fn hidden(connection: &Connection, user: &UserName) -> rusqlite::Result<Vec<UserName>> {
    connection
        .prepare_cached(
            "SELECT other.name FROM users AS other WHERE other.id IN (
                 SELECT muted FROM mutes JOIN users ON users.id = mutes.user
                 WHERE users.folded = ?1
                 UNION SELECT blocked FROM blocks JOIN users ON users.id = blocks.user
                 WHERE users.folded = ?1)
             ORDER BY other.folded",
        )?
        .query_map([user.folded().as_str()], |row| read_name(row, 0))?
        .collect()
}

fn relate(
    connection: &Connection,
    relation: Relation,
    user: &UserName,
    other: &UserName,
) -> rusqlite::Result<RelateOutcome> {
    let (table, column) = table(relation);
    let known: bool = connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM users WHERE folded = ?1)")?
        .query_row([other.folded().as_str()], |row| row.get(0))?;
    if !known {
        return Ok(RelateOutcome::UserNotFound);
    }
    let count: u32 = connection
        .prepare_cached(&format!(
            "SELECT COUNT(*) FROM {table} JOIN users ON users.id = {table}.user
             WHERE users.folded = ?1"
        ))?
        .query_row([user.folded().as_str()], |row| row.get(0))?;
    if count >= RELATIONS_PER_USER_MAX {
        return Ok(RelateOutcome::LimitReached);
    }
    connection
        .prepare_cached(&format!(
            "INSERT OR IGNORE INTO {table} (user, {column})
             SELECT a.id, b.id FROM users a, users b WHERE a.folded = ?1 AND b.folded = ?2"
        ))?
        .execute([user.folded().as_str(), other.folded().as_str()])?;
    Ok(RelateOutcome::Stored(hidden(connection, user)?))
}

impl Relations for Sqlite {
    fn relate(
        &self,
        relation: Relation,
        user: UserName,
        other: UserName,
    ) -> BoxFuture<'_, Result<RelateOutcome, StoreError>> {
        self.writer.write(move |connection| relate(connection, relation, &user, &other)).boxed()
    }

    fn unrelate(
        &self,
        relation: Relation,
        user: UserName,
        other: UserName,
    ) -> BoxFuture<'_, Result<Vec<UserName>, StoreError>> {
        let (table, column) = table(relation);
        self.writer
            .write(move |connection| {
                connection
                    .prepare_cached(&format!(
                        "DELETE FROM {table} WHERE user = (SELECT id FROM users WHERE folded = ?1)
                           AND {column} = (SELECT id FROM users WHERE folded = ?2)"
                    ))?
                    .execute([user.folded().as_str(), other.folded().as_str()])?;
                hidden(connection, &user)
            })
            .boxed()
    }

    fn related(
        &self,
        relation: Relation,
        user: UserName,
    ) -> BoxFuture<'_, Result<Vec<UserName>, StoreError>> {
        let (table, column) = table(relation);
        self.read_with(move |connection| {
            connection
                .prepare_cached(&format!(
                    "SELECT other.name FROM {table} JOIN users ON users.id = {table}.user
                     JOIN users other ON other.id = {table}.{column}
                     WHERE users.folded = ?1 ORDER BY other.folded"
                ))?
                .query_map([user.folded().as_str()], |row| read_name(row, 0))?
                .collect()
        })
        .boxed()
    }

    fn blocks_around(&self, user: UserName) -> BoxFuture<'_, Result<Vec<Block>, StoreError>> {
        self.read_with(move |connection| {
            connection
                .prepare_cached(
                    "WITH me AS (SELECT id, name, owner AS owner FROM users WHERE folded = ?1),
                     mine AS (SELECT id FROM me UNION ALL SELECT owner FROM me WHERE owner IS NOT NULL)
                     SELECT me.name, b.name FROM me, mine JOIN blocks ON blocks.user = mine.id
                         JOIN users b ON b.id = blocks.blocked
                     UNION SELECT me.name, b.name FROM me, mine JOIN blocks ON blocks.user = mine.id
                         JOIN users b ON b.owner = blocks.blocked
                     UNION SELECT a.name, me.name FROM me, mine JOIN blocks ON blocks.blocked = mine.id
                         JOIN users a ON a.id = blocks.user
                     UNION SELECT a.name, me.name FROM me, mine JOIN blocks ON blocks.blocked = mine.id
                         JOIN users a ON a.owner = blocks.user",
                )?
                .query_map([user.folded().as_str()], |row| {
                    Ok(Block { by: read_name(row, 0)?, user: read_name(row, 1)? })
                })?
                .collect()
        })
        .boxed()
    }
}
