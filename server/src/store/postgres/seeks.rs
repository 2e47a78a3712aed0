//! Statements on seeks, lasting ones and those that end with their session.

use adamant_protocol::{SeekId, UserName};
use futures::{FutureExt as _, future::BoxFuture};
use tokio_postgres::Row;

use super::{
    columns::{SqlResult, read_u64},
    failure::Failure,
    offer_locks::{lock_offers, lock_terms},
    postgres::Postgres,
    transaction::Transaction,
    tries::Tries,
    values::{parse_optional, to_sql},
};
use crate::{
    cluster::NodeId,
    outbound::SessionId,
    store::{
        JoinSeekOutcome, NodeSession, SeekOutcome, Seeker, Seeking, Seeks, StoreError, StoredSeek,
        SuitsSeek,
    },
};

const SELECT: &str = "SELECT seek, network, version FROM seeks";

fn seek_text(seek: &StoredSeek) -> String {
    serde_json::to_string(seek).expect("seeks are plain data")
}

/// Reads the columns of [`SELECT`].
fn read_seek(row: &Row) -> SqlResult<StoredSeek> {
    let seek: StoredSeek = serde_json::from_str(row.try_get(0)?)
        .map_err(|error| Failure::fault(format!("a stored seek is unreadable: {error}")))?;
    Ok(StoredSeek { from: parse_optional(row, 1)?, version: read_u64(row, 2)?, ..seek })
}

fn node_text(node: Option<NodeId>) -> String {
    node.map(|node| node.to_string()).unwrap_or_default()
}

async fn store_sessions(tx: &Transaction, seek: &StoredSeek) -> SqlResult<()> {
    for NodeSession { node, session } in seek.joined.iter().filter_map(|joined| joined.session) {
        let insert = "INSERT INTO seek_sessions (node, session, seek) VALUES ($1, $2, $3)
             ON CONFLICT DO NOTHING";
        let (session, seek) = (to_sql(session.0), seek.entry.seek.as_str());
        tx.execute(insert, &[&node_text(node), &session, &seek]).await?;
    }
    Ok(())
}

pub(super) async fn add(tx: &Transaction, seek: &StoredSeek) -> SqlResult<()> {
    tx.execute(
        "INSERT INTO seeks (id, maker, network, terms, version, seek)
         VALUES ($1, $2, $3, $4, $5, $6)",
        &[
            &seek.entry.seek.as_str(),
            &seek.maker().folded().as_str(),
            &seek.from.map(|network| network.to_string()),
            &seek.terms_key(),
            &to_sql(seek.version),
            &seek_text(seek),
        ],
    )
    .await?;
    store_sessions(tx, seek).await
}

async fn update(tx: &Transaction, seek: &StoredSeek) -> SqlResult<()> {
    let id = seek.entry.seek.as_str();
    let update = "UPDATE seeks SET version = $2, seek = $3 WHERE id = $1";
    tx.execute(update, &[&id, &to_sql(seek.version), &seek_text(seek)]).await?;
    tx.execute("DELETE FROM seek_sessions WHERE seek = $1", &[&id]).await?;
    store_sessions(tx, seek).await
}

async fn find(tx: &Transaction, id: &SeekId) -> SqlResult<Option<StoredSeek>> {
    let found = tx.query_opt(&format!("{SELECT} WHERE id = $1"), &[&id.as_str()]).await?;
    found.map(|row| read_seek(&row)).transpose()
}

/// Returns an open seek, which no other transaction changes until this one ends.
async fn lock(tx: &Transaction, id: &SeekId) -> SqlResult<Option<StoredSeek>> {
    let select = format!("{SELECT} WHERE id = $1 FOR UPDATE");
    let found = tx.query_opt(&select, &[&id.as_str()]).await?;
    found.map(|row| read_seek(&row)).transpose()
}

async fn all(tx: &Transaction) -> SqlResult<Vec<StoredSeek>> {
    let rows = tx.query(&format!("{SELECT} ORDER BY place"), &[]).await?;
    rows.iter().map(read_seek).collect()
}

/// Deletes a seek; returns whether it was open.
pub(super) async fn take_seek(tx: &Transaction, id: &SeekId) -> SqlResult<bool> {
    Ok(tx.execute("DELETE FROM seeks WHERE id = $1", &[&id.as_str()]).await? > 0)
}

/// Returns the oldest open seek of the same terms that suits, locked.
async fn suitable(tx: &Transaction, seeking: &Seeking) -> SqlResult<Option<StoredSeek>> {
    let select = format!("{SELECT} WHERE terms = $1 ORDER BY place FOR UPDATE");
    for row in tx.query(&select, &[&seeking.seek.terms_key()]).await? {
        let seek = read_seek(&row)?;
        if (seeking.suits)(&seek) {
            return Ok(Some(seek));
        }
    }
    Ok(None)
}

async fn counts(tx: &Transaction, seek: &StoredSeek) -> SqlResult<(usize, usize)> {
    let count = "SELECT (SELECT COUNT(*) FROM seeks WHERE maker = $1),
             (SELECT COUNT(*) FROM seeks WHERE network = $2)";
    let network = seek.from.map(|network| network.to_string());
    let row = tx.query_one(count, &[&seek.maker().folded().as_str(), &network]).await?;
    let number = |column: usize| {
        let count: i64 = row.try_get(column)?;
        SqlResult::Ok(usize::try_from(count).unwrap_or(usize::MAX))
    };
    Ok((number(0)?, number(1)?))
}

/// `tries` has the seek that an earlier try has opened or joined.
async fn open_or_join(
    tx: &Transaction,
    seeking: &Seeking,
    tries: &Tries<SeekId>,
) -> SqlResult<SeekOutcome> {
    let Seeking { seek, .. } = seeking;
    lock_terms(tx, &seek.terms_key()).await?;
    lock_offers(tx, [seek.maker()], seek.from).await?;
    for id in tries.deleted([]) {
        let Some(kept) = find(tx, &id).await? else { continue };
        if id == seek.entry.seek {
            return Ok(SeekOutcome::Opened);
        }
        if kept.has(seek.maker()) {
            return Ok(SeekOutcome::Waiting(Box::new(kept)));
        }
    }
    if let Some(found) = suitable(tx, seeking).await? {
        let joined = found.with(seeking.seeker());
        if joined.is_full() {
            return Ok(SeekOutcome::Full(joined));
        }
        update(tx, &joined).await?;
        tries.note(joined.entry.seek.clone());
        return Ok(SeekOutcome::Waiting(joined));
    }
    let (of_maker, of_network) = counts(tx, seek).await?;
    if let Err(reached) = seek.check(of_maker, of_network) {
        return Ok(SeekOutcome::LimitReached(reached));
    }
    add(tx, seek).await?;
    tries.note(seek.entry.seek.clone());
    Ok(SeekOutcome::Opened)
}

/// A user who joins a named seek.
struct SeekJoiner {
    id: SeekId,
    seeker: Seeker,
    suits: SuitsSeek,
    tries: Tries<()>,
}

async fn join(tx: &Transaction, newcomer: &SeekJoiner) -> SqlResult<JoinSeekOutcome> {
    let SeekJoiner { id, seeker, suits, tries } = newcomer;
    let Some(open) = lock(tx, id).await? else { return Ok(JoinSeekOutcome::Gone) };
    if open.has(&seeker.user) {
        return Ok(if tries.has(&()) {
            // An earlier try has stored it.
            JoinSeekOutcome::Waiting(Box::new(open))
        } else {
            JoinSeekOutcome::AlreadyJoined
        });
    }
    if !suits(&open) {
        return Ok(JoinSeekOutcome::Unsuitable(Box::new(open)));
    }
    let joined = open.with(seeker.clone());
    if joined.is_full() {
        return Ok(JoinSeekOutcome::Full(joined));
    }
    update(tx, &joined).await?;
    tries.note(());
    Ok(JoinSeekOutcome::Waiting(joined))
}

async fn leave(
    tx: &Transaction,
    id: &SeekId,
    user: &UserName,
    tries: &Tries<()>,
) -> SqlResult<Option<StoredSeek>> {
    let Some(mut open) = lock(tx, id).await? else { return Ok(None) };
    if open.leave(|joined| joined.user.is_same(user.as_str())) {
        update(tx, &open).await?;
        tries.note(());
        return Ok(Some(open));
    }
    let has_left = tries.has(&()) && !open.has(user);
    Ok(has_left.then_some(open))
}

/// Deletes the seeks that a session has made, or any session of the node, and takes them out of
/// others.
async fn end_of_sessions(
    tx: &Transaction,
    node: Option<NodeId>,
    session: Option<SessionId>,
    tries: &Tries<SeekId>,
) -> SqlResult<Vec<SeekId>> {
    let select = format!(
        "{SELECT} WHERE id IN (
             SELECT seek_sessions.seek FROM seek_sessions
             WHERE node = $1 AND ($2::bigint IS NULL OR session = $2))
         ORDER BY place FOR UPDATE"
    );
    let number = session.map(|session| to_sql(session.0));
    let is_ended = |ended: &NodeSession| {
        ended.node == node && session.is_none_or(|session| ended.session == session)
    };
    for row in tx.query(&select, &[&node_text(node), &number]).await? {
        let mut seek = read_seek(&row)?;
        let leaves = |seeker: &Seeker| seeker.session.as_ref().is_some_and(is_ended);
        if seek.joined.first().is_none_or(leaves) {
            take_seek(tx, &seek.entry.seek).await?;
        } else {
            seek.leave(leaves);
            update(tx, &seek).await?;
        }
        tries.note(seek.entry.seek);
    }
    Ok(tries.deleted([]))
}

impl Postgres {
    async fn end_seeks(
        &self,
        node: Option<NodeId>,
        session: Option<SessionId>,
    ) -> Result<Vec<SeekId>, StoreError> {
        self.pool()
            .transact(Tries::default(), move |tx, tries| {
                end_of_sessions(tx, node, session, tries).boxed()
            })
            .await
    }
}

impl Seeks for Postgres {
    fn open_or_join(&self, seeking: Seeking) -> BoxFuture<'_, Result<SeekOutcome, StoreError>> {
        self.pool()
            .transact((seeking, Tries::default()), |tx, (seeking, tries)| {
                open_or_join(tx, seeking, tries).boxed()
            })
            .boxed()
    }

    fn join_seek(
        &self,
        id: SeekId,
        seeker: Seeker,
        suits: SuitsSeek,
    ) -> BoxFuture<'_, Result<JoinSeekOutcome, StoreError>> {
        let joiner = SeekJoiner { id, seeker, suits, tries: Tries::default() };
        self.pool().transact(joiner, |tx, joiner| join(tx, joiner).boxed()).boxed()
    }

    fn leave_seek(
        &self,
        id: SeekId,
        user: UserName,
    ) -> BoxFuture<'_, Result<Option<StoredSeek>, StoreError>> {
        self.pool()
            .transact((id, user, Tries::default()), |tx, (id, user, tries)| {
                leave(tx, id, user, tries).boxed()
            })
            .boxed()
    }

    fn delete_seek(&self, id: SeekId) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.pool()
            .transact((id, Tries::default()), |tx, (id, tries)| {
                async move {
                    let is_deleted = take_seek(tx, id).await?;
                    Ok(!tries.deleted(is_deleted.then_some(())).is_empty())
                }
                .boxed()
            })
            .boxed()
    }

    fn end_seeks_of_session(
        &self,
        ended: NodeSession,
    ) -> BoxFuture<'_, Result<Vec<SeekId>, StoreError>> {
        self.end_seeks(ended.node, Some(ended.session)).boxed()
    }

    fn end_seeks_of_node(&self, node: NodeId) -> BoxFuture<'_, Result<Vec<SeekId>, StoreError>> {
        self.end_seeks(Some(node), None).boxed()
    }

    fn find_seek(&self, id: SeekId) -> BoxFuture<'_, Result<Option<StoredSeek>, StoreError>> {
        self.pool().read_confirmed(id, |tx, id| find(tx, id).boxed()).boxed()
    }

    fn seeks(&self) -> BoxFuture<'_, Result<Vec<StoredSeek>, StoreError>> {
        self.pool().read_confirmed((), |tx, ()| all(tx).boxed()).boxed()
    }
}
