//! Statements on mutes and blocks.

use adamant_protocol::UserName;
use futures::{FutureExt as _, future::BoxFuture};

use super::{
    columns::{SqlResult, read_count, read_name, read_names},
    postgres::Postgres,
    transaction::Transaction,
    tries::Tries,
};
use crate::{
    limits::RELATIONS_PER_USER_MAX,
    store::{Block, RelateOutcome, Relation, Relations, StoreError},
};

/// The table of a relation, and its column of the other user.
const fn table(relation: Relation) -> (&'static str, &'static str) {
    match relation {
        Relation::Mutes => ("mutes", "muted_id"),
        Relation::Blocks => ("blocks", "blocked_id"),
    }
}

/// Returns the users whose talk a user does not see.
async fn hidden(tx: &Transaction, user: &UserName) -> SqlResult<Vec<UserName>> {
    let select = "SELECT ARRAY(
             SELECT other.name FROM users AS other WHERE other.id IN (
                 SELECT muted_id FROM mutes WHERE mutes.user_id = users.id
                 UNION SELECT blocked_id FROM blocks WHERE blocks.user_id = users.id)
             ORDER BY other.folded)
         FROM users WHERE folded = $1";
    let found = tx.query_opt(select, &[&user.folded().as_str()]).await?;
    Ok(found.map(|row| read_names(&row, 0)).transpose()?.unwrap_or_default())
}

/// A mute or a block.
#[derive(Debug)]
pub(super) struct Relating {
    pub(super) relation: Relation,
    pub(super) user: UserName,
    pub(super) other: UserName,
    pub(super) tries: Tries<()>,
}

pub(super) async fn relate(tx: &Transaction, relating: &Relating) -> SqlResult<RelateOutcome> {
    let Relating { relation, user, other, tries } = relating;
    let (table, column) = table(*relation);
    let (user, other) = (user.folded(), other.folded());
    // Another node that counts this user's relations waits here.
    tx.execute("SELECT 1 FROM users WHERE folded = $1 FOR NO KEY UPDATE", &[&user.as_str()])
        .await?;
    // The other user stays until the relation is stored.
    let known = tx
        .query_opt("SELECT 1 FROM users WHERE folded = $1 FOR KEY SHARE", &[&other.as_str()])
        .await?;
    if known.is_none() {
        return Ok(RelateOutcome::UserNotFound);
    }
    let count = format!(
        "SELECT COUNT(*), COUNT(*) FILTER (WHERE {column} IN (SELECT id FROM users WHERE folded = $2))
         FROM {table} WHERE user_id IN (SELECT id FROM users WHERE folded = $1)"
    );
    let stored = tx.query_one(&count, &[&user.as_str(), &other.as_str()]).await?;
    let (stored, is_stored) = (read_count(&stored, 0)?, read_count(&stored, 1)? > 0);
    // An earlier try may have stored the last one that the limit allows.
    if stored >= RELATIONS_PER_USER_MAX && !(is_stored && tries.has(&())) {
        return Ok(RelateOutcome::LimitReached);
    }
    let insert = format!(
        "INSERT INTO {table} (user_id, {column})
         SELECT a.id, b.id FROM users a, users b WHERE a.folded = $1 AND b.folded = $2
         ON CONFLICT DO NOTHING"
    );
    tx.execute(&insert, &[&user.as_str(), &other.as_str()]).await?;
    tries.note(());
    Ok(RelateOutcome::Stored(hidden(tx, &user).await?))
}

pub(super) async fn unrelate(
    tx: &Transaction,
    relation: Relation,
    user: &UserName,
    other: &UserName,
) -> SqlResult<Vec<UserName>> {
    let (table, column) = table(relation);
    let delete = format!(
        "DELETE FROM {table} WHERE user_id = (SELECT id FROM users WHERE folded = $1)
           AND {column} = (SELECT id FROM users WHERE folded = $2)"
    );
    tx.execute(&delete, &[&user.folded().as_str(), &other.folded().as_str()]).await?;
    hidden(tx, user).await
}

pub(super) async fn related(
    tx: &Transaction,
    relation: Relation,
    user: &UserName,
) -> SqlResult<Vec<UserName>> {
    let (table, column) = table(relation);
    let select = format!(
        "SELECT other.name FROM {table} JOIN users ON users.id = {table}.user_id
         JOIN users other ON other.id = {table}.{column}
         WHERE users.folded = $1 ORDER BY other.folded"
    );
    let rows = tx.query(&select, &[&user.folded().as_str()]).await?;
    rows.iter().map(|row| read_name(row, 0)).collect()
}

pub(super) async fn blocks_around(tx: &Transaction, user: &UserName) -> SqlResult<Vec<Block>> {
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
    let rows = tx.query(select, &[&user.folded().as_str()]).await?;
    rows.iter().map(|row| Ok(Block { by: read_name(row, 0)?, user: read_name(row, 1)? })).collect()
}

impl Relations for Postgres {
    fn relate(
        &self,
        relation: Relation,
        user: UserName,
        other: UserName,
    ) -> BoxFuture<'_, Result<RelateOutcome, StoreError>> {
        let relating = Relating { relation, user, other, tries: Tries::default() };
        self.pool().transact(relating, |tx, relating| relate(tx, relating).boxed()).boxed()
    }

    fn unrelate(
        &self,
        relation: Relation,
        user: UserName,
        other: UserName,
    ) -> BoxFuture<'_, Result<Vec<UserName>, StoreError>> {
        self.pool()
            .transact((user, other), move |tx, (user, other)| {
                unrelate(tx, relation, user, other).boxed()
            })
            .boxed()
    }

    fn related(
        &self,
        relation: Relation,
        user: UserName,
    ) -> BoxFuture<'_, Result<Vec<UserName>, StoreError>> {
        self.pool()
            .read_confirmed(user, move |tx, user| related(tx, relation, user).boxed())
            .boxed()
    }

    fn blocks_around(&self, user: UserName) -> BoxFuture<'_, Result<Vec<Block>, StoreError>> {
        self.pool().read_confirmed(user, |tx, user| blocks_around(tx, user).boxed()).boxed()
    }
}
