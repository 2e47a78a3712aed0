//! Statements on seeks. Lasting seeks have a row in the database besides the one in memory.

use adamant_protocol::{SeekId, UserName};
use futures::{FutureExt as _, future::BoxFuture};
use rusqlite::Connection;

use super::{database::Sqlite, open_tables, origins::take_seek};
use crate::{
    cluster::NodeId,
    store::{
        JoinSeekOutcome, NodeSession, SeekOutcome, Seeker, Seeking, Seeks, StoreError, StoredSeek,
        SuitsSeek,
    },
};

/// Reads all lasting seeks, the oldest first.
pub(super) fn all_lasting(connection: &Connection) -> rusqlite::Result<Vec<StoredSeek>> {
    // Ids are `k_` and a number that grows.
    let mut select = connection.prepare("SELECT id, seek FROM seeks ORDER BY length(id), id")?;
    let rows =
        select.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
    let mut seeks = Vec::new();
    for row in rows {
        let (id, text) = row?;
        match serde_json::from_str(&text) {
            Ok(seek) => seeks.push(seek),
            Err(error) => tracing::error!(id, %error, "a stored seek is unreadable"),
        }
    }
    Ok(seeks)
}

fn write_lasting(
    connection: &Connection,
    statement: &str,
    seek: &StoredSeek,
) -> rusqlite::Result<()> {
    if seek.entry.lasting {
        let text = serde_json::to_string(seek).expect("seeks are plain data");
        connection.prepare_cached(statement)?.execute([seek.entry.seek.as_str(), &text])?;
    }
    Ok(())
}

fn add(connection: &Connection, seek: &StoredSeek) -> rusqlite::Result<()> {
    write_lasting(connection, "INSERT INTO seeks (id, seek) VALUES (?1, ?2)", seek)?;
    open_tables::insert_seek(connection, seek)
}

fn update(connection: &Connection, seek: &StoredSeek) -> rusqlite::Result<()> {
    write_lasting(connection, "UPDATE seeks SET seek = ?2 WHERE id = ?1", seek)?;
    open_tables::update_seek(connection, seek)
}

fn open_or_join(connection: &Connection, seeking: &Seeking) -> rusqlite::Result<SeekOutcome> {
    if let Some(found) = open_tables::suitable_seek(connection, seeking)? {
        let joined = found.with(seeking.seeker());
        if joined.is_full() {
            return Ok(SeekOutcome::Full(joined));
        }
        update(connection, &joined)?;
        return Ok(SeekOutcome::Waiting(joined));
    }
    let (of_maker, of_network) = open_tables::seek_counts(connection, &seeking.seek)?;
    if let Err(reached) = seeking.seek.check(of_maker, of_network) {
        return Ok(SeekOutcome::LimitReached(reached));
    }
    add(connection, &seeking.seek)?;
    Ok(SeekOutcome::Opened)
}

fn join(
    connection: &Connection,
    id: &SeekId,
    seeker: Seeker,
    suits: &SuitsSeek,
) -> rusqlite::Result<JoinSeekOutcome> {
    let Some(open) = open_tables::find_seek(connection, id)? else {
        return Ok(JoinSeekOutcome::Gone);
    };
    if open.has(&seeker.user) {
        return Ok(JoinSeekOutcome::AlreadyJoined);
    }
    if !suits(&open) {
        return Ok(JoinSeekOutcome::Unsuitable(Box::new(open)));
    }
    let joined = open.with(seeker);
    if joined.is_full() {
        return Ok(JoinSeekOutcome::Full(joined));
    }
    update(connection, &joined)?;
    Ok(JoinSeekOutcome::Waiting(joined))
}

fn leave(
    connection: &Connection,
    id: &SeekId,
    user: &UserName,
) -> rusqlite::Result<Option<StoredSeek>> {
    let Some(mut open) = open_tables::find_seek(connection, id)? else { return Ok(None) };
    if !open.leave(|joined| joined.user.is_same(user.as_str())) {
        return Ok(None);
    }
    update(connection, &open)?;
    Ok(Some(open))
}

/// Ends the seeks of some sessions, of all that `found` has.
fn end_of_sessions(
    connection: &Connection,
    found: Vec<StoredSeek>,
    is_ended: impl Fn(NodeSession) -> bool,
) -> rusqlite::Result<Vec<SeekId>> {
    let mut ended = Vec::with_capacity(found.len());
    for mut seek in found {
        let leaves = |seeker: &Seeker| seeker.session.is_some_and(&is_ended);
        if seek.joined.first().is_none_or(leaves) {
            take_seek(connection, &seek.entry.seek)?;
        } else {
            seek.leave(leaves);
            update(connection, &seek)?;
        }
        ended.push(seek.entry.seek);
    }
    Ok(ended)
}

impl Seeks for Sqlite {
    fn open_or_join(&self, seeking: Seeking) -> BoxFuture<'_, Result<SeekOutcome, StoreError>> {
        self.writer.write(move |connection| open_or_join(connection, &seeking)).boxed()
    }

    fn join_seek(
        &self,
        id: SeekId,
        seeker: Seeker,
        suits: SuitsSeek,
    ) -> BoxFuture<'_, Result<JoinSeekOutcome, StoreError>> {
        self.writer.write(move |connection| join(connection, &id, seeker, &suits)).boxed()
    }

    fn leave_seek(
        &self,
        id: SeekId,
        user: UserName,
    ) -> BoxFuture<'_, Result<Option<StoredSeek>, StoreError>> {
        self.writer.write(move |connection| leave(connection, &id, &user)).boxed()
    }

    fn delete_seek(&self, id: SeekId) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.writer.write(move |connection| take_seek(connection, &id)).boxed()
    }

    fn end_seeks_of_session(
        &self,
        ended: NodeSession,
    ) -> BoxFuture<'_, Result<Vec<SeekId>, StoreError>> {
        self.writer
            .write(move |connection| {
                let NodeSession { node, session } = ended;
                let found = open_tables::seeks_of_sessions(connection, node, Some(session))?;
                end_of_sessions(connection, found, |session| session == ended)
            })
            .boxed()
    }

    fn end_seeks_of_node(&self, node: NodeId) -> BoxFuture<'_, Result<Vec<SeekId>, StoreError>> {
        self.writer
            .write(move |connection| {
                let found = open_tables::seeks_of_sessions(connection, Some(node), None)?;
                end_of_sessions(connection, found, |session| session.node == Some(node))
            })
            .boxed()
    }

    fn find_seek(&self, id: SeekId) -> BoxFuture<'_, Result<Option<StoredSeek>, StoreError>> {
        self.writer.write(move |connection| open_tables::find_seek(connection, &id)).boxed()
    }

    fn seeks(&self) -> BoxFuture<'_, Result<Vec<StoredSeek>, StoreError>> {
        if self.read_only.is_some() {
            // The lasting ones are shown, and no other can be made.
            return self.read_with(all_lasting).boxed();
        }
        self.writer.write(open_tables::all_seeks).boxed()
    }
}
