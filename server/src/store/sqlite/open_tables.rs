//! Tables in memory of what is open: they find the challenges, invites and seeks of a user, and
//! hold the seeks that are not durable. Only the writing connection has them, and they are part of
//! its transactions.

use adamant_protocol::{GameId, InviteId, SeekId, UserName};
use rusqlite::{Connection, Error, OptionalExtension as _, Row, params, types::Type};

use super::rows::{from_sql, to_sql};
use crate::{
    address::ClientNetwork,
    cluster::NodeId,
    outbound::SessionId,
    store::{
        NewChallenge, NodeSession, Origin, Seeking, StoredChallenge, StoredInvite, StoredSeek,
        WaitingChallenges, has_name,
    },
};

// The triggers keep these tables right when any statement deletes a row or makes a game of it.
const CREATE: &str = "
CREATE TEMP TABLE open_challenges (
    id         TEXT PRIMARY KEY,
    maker      TEXT NOT NULL,
    guest      INTEGER NOT NULL,
    network    TEXT,
    rematch_of TEXT
) WITHOUT ROWID;
CREATE INDEX temp.open_challenges_by_maker ON open_challenges (maker);
CREATE INDEX temp.open_challenges_by_rematch ON open_challenges (rematch_of)
    WHERE rematch_of IS NOT NULL;
CREATE TEMP TABLE waiting_challenges (
    user      TEXT NOT NULL,
    challenge TEXT NOT NULL,
    PRIMARY KEY (user, challenge)
) WITHOUT ROWID;
CREATE INDEX temp.waiting_challenges_by_id ON waiting_challenges (challenge);
CREATE TEMP TRIGGER challenge_closed AFTER DELETE ON main.challenges BEGIN
    DELETE FROM open_challenges WHERE id = OLD.id;
    DELETE FROM waiting_challenges WHERE challenge = OLD.id;
END;

CREATE TEMP TABLE open_invites (
    id      TEXT PRIMARY KEY,
    network TEXT,
    version INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX temp.open_invites_by_network ON open_invites (network) WHERE network IS NOT NULL;
CREATE TEMP TABLE invite_users (
    user   TEXT NOT NULL,
    invite TEXT NOT NULL,
    PRIMARY KEY (user, invite)
) WITHOUT ROWID;
CREATE INDEX temp.invite_users_by_id ON invite_users (invite);
CREATE TEMP TRIGGER invite_closed AFTER DELETE ON main.invites BEGIN
    DELETE FROM open_invites WHERE id = OLD.id;
    DELETE FROM invite_users WHERE invite = OLD.id;
END;
CREATE TEMP TRIGGER invite_taken AFTER UPDATE OF game ON main.invites BEGIN
    DELETE FROM open_invites WHERE id = OLD.id;
    DELETE FROM invite_users WHERE invite = OLD.id;
END;

CREATE TEMP TABLE open_seeks (
    place   INTEGER PRIMARY KEY,
    id      TEXT NOT NULL UNIQUE,
    maker   TEXT NOT NULL,
    network TEXT,
    terms   TEXT NOT NULL,
    version INTEGER NOT NULL,
    seek    TEXT NOT NULL
);
CREATE INDEX temp.open_seeks_by_maker ON open_seeks (maker);
CREATE INDEX temp.open_seeks_by_network ON open_seeks (network) WHERE network IS NOT NULL;
CREATE INDEX temp.open_seeks_by_terms ON open_seeks (terms, place);
CREATE TEMP TABLE seek_sessions (
    node    TEXT NOT NULL,
    session INTEGER NOT NULL,
    seek    TEXT NOT NULL,
    PRIMARY KEY (node, session, seek)
) WITHOUT ROWID;
CREATE INDEX temp.seek_sessions_by_seek ON seek_sessions (seek);
";

/// Creates the tables, empty.
pub(super) fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(CREATE)
}

fn network_text(network: Option<ClientNetwork>) -> Option<String> {
    network.map(|network| network.to_string())
}

fn folded(user: &UserName) -> String {
    user.folded().as_str().to_owned()
}

fn count(
    connection: &Connection,
    statement: &str,
    params: impl rusqlite::Params,
) -> rusqlite::Result<usize> {
    let count = connection.prepare_cached(statement)?.query_row(params, |row| row.get(0))?;
    Ok(from_count(count))
}

fn from_count(count: Option<i64>) -> usize {
    usize::try_from(count.unwrap_or_default()).unwrap_or(usize::MAX)
}

/// Enters an open challenge.
pub(super) fn insert_challenge(
    connection: &Connection,
    stored: &StoredChallenge,
) -> rusqlite::Result<()> {
    let challenged = &stored.challenged;
    connection
        .prepare_cached(
            "INSERT INTO temp.open_challenges (id, maker, guest, network, rematch_of)
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![
            stored.id.as_str(),
            folded(&challenged.by),
            challenged.guest,
            network_text(stored.from),
            challenged.rematch_of.as_ref().map(GameId::as_str),
        ])?;
    let answered = |user: &&UserName| has_name(&challenged.accepted, user);
    for user in challenged.seats.iter().filter(|user| !answered(user)) {
        connection
            .prepare_cached("INSERT OR IGNORE INTO temp.waiting_challenges VALUES (?1, ?2)")?
            .execute([folded(user).as_str(), stored.id.as_str()])?;
    }
    Ok(())
}

/// Notes that a challenge waits for a user no longer.
pub(super) fn answer_challenge(
    connection: &Connection,
    stored: &StoredChallenge,
    user: &UserName,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM temp.waiting_challenges WHERE user = ?1 AND challenge = ?2")?
        .execute([folded(user).as_str(), stored.id.as_str()])?;
    Ok(())
}

/// Returns the open challenge to a rematch of a game.
pub(super) fn open_rematch(
    connection: &Connection,
    game: &str,
) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached("SELECT id FROM temp.open_challenges WHERE rematch_of = ?1 LIMIT 1")?
        .query_row([game], |row| row.get(0))
        .optional()
}

/// Returns the counts that decide about a new challenge: those made by its maker, and those that
/// wait for each user who has to answer.
pub(super) fn challenge_counts(
    connection: &Connection,
    new: &NewChallenge,
) -> rusqlite::Result<(usize, Vec<WaitingChallenges>)> {
    let maker = folded(&new.stored.challenged.by);
    let made =
        count(connection, "SELECT count(*) FROM temp.open_challenges WHERE maker = ?1", [&maker])?;
    let network = network_text(new.stored.from);
    // An unknown network equals none.
    let mut select = connection.prepare_cached(
        "SELECT count(*), sum(guest), sum(maker = ?2), sum(network = ?3)
         FROM temp.waiting_challenges JOIN temp.open_challenges ON id = challenge
         WHERE user = ?1",
    )?;
    let mut waiting = Vec::new();
    for user in new.waiting_users() {
        let counts = select.query_row(params![folded(user), maker, network], |row| {
            let number = |index| row.get(index).map(from_count);
            Ok(WaitingChallenges {
                all: number(0)?,
                of_guests: number(1)?,
                of_pair: number(2)?,
                of_network: number(3)?,
            })
        })?;
        waiting.push(counts);
    }
    Ok((made, waiting))
}

/// Enters an open invite.
pub(super) fn insert_invite(
    connection: &Connection,
    stored: &StoredInvite,
) -> rusqlite::Result<()> {
    let id = &stored.entry.invite;
    connection
        .prepare_cached("INSERT INTO temp.open_invites VALUES (?1, ?2, ?3)")?
        .execute(params![id.as_str(), network_text(stored.from), to_sql(stored.version)])?;
    stored.entry.joined.iter().try_for_each(|user| join_invite(connection, id, user))
}

/// Enters a user who has joined an invite.
fn join_invite(connection: &Connection, id: &InviteId, user: &UserName) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT OR IGNORE INTO temp.invite_users VALUES (?1, ?2)")?
        .execute([folded(user).as_str(), id.as_str()])?;
    Ok(())
}

/// Replaces an open invite.
pub(super) fn update_invite(
    connection: &Connection,
    stored: &StoredInvite,
) -> rusqlite::Result<()> {
    let id = &stored.entry.invite;
    connection
        .prepare_cached("UPDATE temp.open_invites SET version = ?2 WHERE id = ?1")?
        .execute(params![id.as_str(), to_sql(stored.version)])?;
    connection
        .prepare_cached("DELETE FROM temp.invite_users WHERE invite = ?1")?
        .execute([id.as_str()])?;
    stored.entry.joined.iter().try_for_each(|user| join_invite(connection, id, user))
}

/// Completes an open invite with what only the table in memory knows.
pub(super) fn complete_invite(
    connection: &Connection,
    stored: StoredInvite,
) -> rusqlite::Result<StoredInvite> {
    let found = connection
        .prepare_cached("SELECT network, version FROM temp.open_invites WHERE id = ?1")?
        .query_row([stored.entry.invite.as_str()], |row| {
            Ok((row.get::<_, Option<String>>(0)?, row.get(1)?))
        })
        .optional()?;
    let Some((network, version)) = found else { return Ok(stored) };
    let from = network.and_then(|network| network.parse().ok());
    Ok(StoredInvite { from, version: from_sql(version), ..stored })
}

/// Returns the version of an open invite or seek; `None` if it is not open, and for challenges.
pub(super) fn version(connection: &Connection, origin: &Origin) -> rusqlite::Result<Option<u64>> {
    let (select, id) = match origin {
        Origin::Challenge(_) => return Ok(None),
        Origin::Invite(id) => ("SELECT version FROM temp.open_invites WHERE id = ?1", id.as_str()),
        Origin::Seek(id) => ("SELECT version FROM temp.open_seeks WHERE id = ?1", id.as_str()),
    };
    let version =
        connection.prepare_cached(select)?.query_row([id], |row| row.get(0)).optional()?;
    Ok(version.map(from_sql))
}

/// Returns the number of open invites that a user has made or joined.
pub(super) fn invites_of_user(connection: &Connection, user: &UserName) -> rusqlite::Result<usize> {
    let statement = "SELECT count(*) FROM temp.invite_users WHERE user = ?1";
    count(connection, statement, [folded(user)])
}

/// Returns the number of open invites from a network.
pub(super) fn invites_of_network(
    connection: &Connection,
    network: Option<ClientNetwork>,
) -> rusqlite::Result<usize> {
    let statement = "SELECT count(*) FROM temp.open_invites WHERE network = ?1";
    count(connection, statement, [network_text(network)])
}

/// Enters an open seek, after all others.
pub(super) fn insert_seek(connection: &Connection, seek: &StoredSeek) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO temp.open_seeks (id, maker, network, terms, version, seek)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            seek.entry.seek.as_str(),
            folded(seek.maker()),
            network_text(seek.from),
            seek.terms_key(),
            to_sql(seek.version),
            seek_text(seek),
        ])?;
    insert_seek_sessions(connection, seek)
}

/// Replaces an open seek.
pub(super) fn update_seek(connection: &Connection, seek: &StoredSeek) -> rusqlite::Result<()> {
    let id = seek.entry.seek.as_str();
    connection
        .prepare_cached("UPDATE temp.open_seeks SET version = ?2, seek = ?3 WHERE id = ?1")?
        .execute(params![id, to_sql(seek.version), seek_text(seek)])?;
    connection.prepare_cached("DELETE FROM temp.seek_sessions WHERE seek = ?1")?.execute([id])?;
    insert_seek_sessions(connection, seek)
}

fn seek_text(seek: &StoredSeek) -> String {
    serde_json::to_string(seek).expect("seeks are plain data")
}

fn insert_seek_sessions(connection: &Connection, seek: &StoredSeek) -> rusqlite::Result<()> {
    for NodeSession { node, session } in seek.joined.iter().filter_map(|joined| joined.session) {
        connection
            .prepare_cached("INSERT OR IGNORE INTO temp.seek_sessions VALUES (?1, ?2, ?3)")?
            .execute(params![node_text(node), to_sql(session.0), seek.entry.seek.as_str()])?;
    }
    Ok(())
}

fn node_text(node: Option<NodeId>) -> String {
    node.map(|node| node.to_string()).unwrap_or_default()
}

/// Removes an open seek; returns whether there was one.
pub(super) fn remove_seek(connection: &Connection, id: &SeekId) -> rusqlite::Result<bool> {
    let id = id.as_str();
    connection.prepare_cached("DELETE FROM temp.seek_sessions WHERE seek = ?1")?.execute([id])?;
    let removed =
        connection.prepare_cached("DELETE FROM temp.open_seeks WHERE id = ?1")?.execute([id])?;
    Ok(removed > 0)
}

/// Reads the columns `seek`, `network` and `version`.
fn seek(row: &Row<'_>) -> rusqlite::Result<StoredSeek> {
    let text: String = row.get(0)?;
    let network: Option<String> = row.get(1)?;
    let seek: StoredSeek = serde_json::from_str(&text)
        .map_err(|error| Error::FromSqlConversionFailure(0, Type::Text, Box::new(error)))?;
    let (from, version) = (network.and_then(|network| network.parse().ok()), from_sql(row.get(2)?));
    Ok(StoredSeek { from, version, ..seek })
}

/// Returns an open seek.
pub(super) fn find_seek(
    connection: &Connection,
    id: &SeekId,
) -> rusqlite::Result<Option<StoredSeek>> {
    connection
        .prepare_cached("SELECT seek, network, version FROM temp.open_seeks WHERE id = ?1")?
        .query_row([id.as_str()], seek)
        .optional()
}

/// Returns all open seeks, the oldest first.
pub(super) fn all_seeks(connection: &Connection) -> rusqlite::Result<Vec<StoredSeek>> {
    let statement = "SELECT seek, network, version FROM temp.open_seeks ORDER BY place";
    connection.prepare_cached(statement)?.query_map([], seek)?.collect()
}

/// Returns the oldest open seek of the same terms that suits.
pub(super) fn suitable_seek(
    connection: &Connection,
    seeking: &Seeking,
) -> rusqlite::Result<Option<StoredSeek>> {
    let mut select = connection.prepare_cached(
        "SELECT seek, network, version FROM temp.open_seeks WHERE terms = ?1 ORDER BY place",
    )?;
    let mut rows = select.query([seeking.seek.terms_key()])?;
    while let Some(row) = rows.next()? {
        let found = seek(row)?;
        if (seeking.suits)(&found) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Returns the counts that decide about a new seek: those of its maker, and those from the maker's
/// network.
pub(super) fn seek_counts(
    connection: &Connection,
    seek: &StoredSeek,
) -> rusqlite::Result<(usize, usize)> {
    let of_maker = "SELECT count(*) FROM temp.open_seeks WHERE maker = ?1";
    let of_network = "SELECT count(*) FROM temp.open_seeks WHERE network = ?1";
    Ok((
        count(connection, of_maker, [folded(seek.maker())])?,
        count(connection, of_network, [network_text(seek.from)])?,
    ))
}

/// Returns the seeks that have sessions of a node, or one of these.
pub(super) fn seeks_of_sessions(
    connection: &Connection,
    node: Option<NodeId>,
    session: Option<SessionId>,
) -> rusqlite::Result<Vec<StoredSeek>> {
    connection
        .prepare_cached(
            "SELECT DISTINCT open_seeks.seek, network, version
             FROM temp.seek_sessions JOIN temp.open_seeks ON id = seek_sessions.seek
             WHERE node = ?1 AND (?2 IS NULL OR session = ?2) ORDER BY place",
        )?
        .query_map(params![node_text(node), session.map(|session| to_sql(session.0))], seek)?
        .collect()
}
