//! The statements on games and their records.

use std::collections::HashMap;

use adamant_protocol::{GameId, UserName, to_client::GameEntry};
use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::super::{Append, Fold, FoldedState, LiveGame, LiveGames};
use super::{Found, HotGame};

/// A seq as `SQLite` keeps it; a game would take an age to get near the sign bit.
pub(super) fn stored(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) fn loaded(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// Writes an append's records and gives back where they are.
pub(super) fn insert_records(
    connection: &Connection,
    append: &Append,
) -> rusqlite::Result<Vec<i64>> {
    let mut insert =
        connection.prepare_cached("INSERT INTO journal (game, seq, record) VALUES (?1, ?2, ?3)")?;
    let mut row_ids = Vec::with_capacity(append.records.len());
    for (seq, record) in (append.expected_seq + 1..).zip(&append.records) {
        insert.execute(params![append.game.as_str(), stored(seq), record.as_ref()])?;
        row_ids.push(connection.last_insert_rowid());
    }
    if let Some(challenge) = &append.closes {
        connection.execute("DELETE FROM challenges WHERE id = ?1", [challenge.as_str()])?;
    }
    Ok(row_ids)
}

/// The last seq of a game that is not live; 0 if there is no such game.
pub(super) fn folded_seq(connection: &Connection, game: &GameId) -> rusqlite::Result<u64> {
    connection
        .prepare_cached("SELECT last_seq FROM games WHERE id = ?1")?
        .query_row([game.as_str()], |row| row.get(0))
        .optional()
        .map(|seq| seq.map_or(0, loaded))
}

/// The records at these places; `None` if one is no longer there.
fn journal_records(
    connection: &Connection,
    row_ids: &[i64],
) -> rusqlite::Result<Option<Vec<Bytes>>> {
    let mut select = connection.prepare_cached("SELECT record FROM journal WHERE id = ?1")?;
    row_ids
        .iter()
        .map(|id| {
            let record = select.query_row([id], |row| row.get::<_, Vec<u8>>(0)).optional()?;
            Ok(record.map(Bytes::from))
        })
        .collect()
}

fn folded_records(connection: &Connection, game: &GameId) -> rusqlite::Result<Vec<u8>> {
    connection
        .prepare_cached("SELECT records FROM games WHERE id = ?1")?
        .query_row([game.as_str()], |row| row.get(0))
        .optional()
        .map(Option::unwrap_or_default)
}

/// One record a line, as in an exported journal.
fn split_lines(lines: Vec<u8>) -> impl Iterator<Item = Bytes> {
    let lines = Bytes::from(lines);
    let mut from = 0;
    std::iter::from_fn(move || {
        let length = lines[from..].iter().position(|&byte| byte == b'\n')?;
        let line = lines.slice(from..from + length);
        from += length + 1;
        Some(line)
    })
}

/// The records of a game from one seq on. `place` says how many are folded and where the later
/// ones are, for a live game; `None` if they have been folded since that was looked up.
pub(super) fn read_records(
    connection: &Connection,
    game: &GameId,
    from: u64,
    max: usize,
    place: Option<(u64, Vec<i64>)>,
) -> rusqlite::Result<Option<Vec<Bytes>>> {
    let from = from.max(1);
    let (folded_seq, row_ids) = place.unwrap_or((u64::MAX, Vec::new()));
    let index = |seq: u64| usize::try_from(seq).unwrap_or(usize::MAX);
    let mut records = Vec::new();
    if from <= folded_seq {
        let folded = folded_records(connection, game)?;
        records.extend(split_lines(folded).skip(index(from - 1)).take(max));
    }
    let skip = index(from.saturating_sub(folded_seq.saturating_add(1)));
    let room = max - records.len();
    let wanted: Vec<i64> = row_ids.into_iter().skip(skip).take(room).collect();
    let Some(later) = journal_records(connection, &wanted)? else { return Ok(None) };
    records.extend(later);
    Ok(Some(records))
}

/// Moves a game's records out of the journal into its own row.
pub(super) fn fold(connection: &Connection, fold: &Fold, row_ids: &[i64]) -> rusqlite::Result<()> {
    let folded = folded_seq(connection, &fold.game)?;
    let mut lines = folded_records(connection, &fold.game)?;
    let missing = rusqlite::Error::QueryReturnedNoRows;
    for record in journal_records(connection, row_ids)?.ok_or(missing)? {
        lines.extend_from_slice(&record);
        lines.push(b'\n');
    }
    let last_seq = folded + row_ids.len() as u64;
    let entry = serde_json::to_string(&fold.entry).expect("list entries are plain data");
    let state = match fold.state {
        FoldedState::Finished => "finished",
        FoldedState::Parked => "parked",
    };
    connection
        .prepare_cached(
            "INSERT INTO games (id, state, rules, started_at, last_seq, entry, records)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (id) DO UPDATE SET state = excluded.state, last_seq = excluded.last_seq,
                 entry = excluded.entry, records = excluded.records",
        )?
        .execute(params![
            fold.game.as_str(),
            state,
            fold.entry.rules.name.as_ref(),
            stored(fold.entry.started_at),
            stored(last_seq),
            entry,
            lines,
        ])?;
    let mut seat = connection.prepare_cached(
        "INSERT OR IGNORE INTO game_users (user, started_at, game) VALUES (?1, ?2, ?3)",
    )?;
    for user in fold.entry.seats.iter().map(|seat| seat.user.folded()) {
        seat.execute(params![user.as_str(), stored(fold.entry.started_at), fold.game.as_str()])?;
    }
    let mut delete = connection.prepare_cached("DELETE FROM journal WHERE id = ?1")?;
    for id in row_ids {
        delete.execute([id])?;
    }
    Ok(())
}

/// Which finished games to list.
#[derive(Debug, Clone, Default)]
pub(super) struct ListQuery {
    pub(super) user: Option<UserName>,
    pub(super) rules: Option<Box<str>>,
    pub(super) before: Option<GameId>,
    pub(super) limit: u32,
}

/// Finished games, the newest first.
pub(super) fn list_finished(
    connection: &Connection,
    query: &ListQuery,
) -> rusqlite::Result<Vec<GameEntry>> {
    let before: Option<(i64, String)> = match &query.before {
        Some(game) => connection
            .query_row("SELECT started_at, id FROM games WHERE id = ?1", [game.as_str()], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()?,
        None => None,
    };
    let (before_at, before_id) = before.unwrap_or((i64::MAX, String::new()));
    let rules = query.rules.as_deref();
    let parse = |row: &rusqlite::Row<'_>| row.get::<_, String>(0);
    let entries: Vec<String> = match &query.user {
        Some(user) => connection
            .prepare_cached(
                "SELECT games.entry FROM game_users JOIN games ON games.id = game_users.game
                 WHERE game_users.user = ?1 AND games.state = 'finished'
                   AND (?2 IS NULL OR games.rules = ?2)
                   AND (game_users.started_at, game_users.game) < (?3, ?4)
                 ORDER BY game_users.started_at DESC, game_users.game DESC LIMIT ?5",
            )?
            .query_map(
                params![user.folded().as_str(), rules, before_at, before_id, query.limit],
                parse,
            )?
            .collect::<Result<_, _>>()?,
        None => connection
            .prepare_cached(
                "SELECT entry FROM games WHERE state = 'finished' AND (?1 IS NULL OR rules = ?1)
                   AND (started_at, id) < (?2, ?3)
                 ORDER BY started_at DESC, id DESC LIMIT ?4",
            )?
            .query_map(params![rules, before_at, before_id, query.limit], parse)?
            .collect::<Result<_, _>>()?,
    };
    Ok(entries.iter().filter_map(|entry| parse_entry(entry)).collect())
}

/// What lists say of a game that is over or parked.
pub(super) fn entry(connection: &Connection, game: &GameId) -> rusqlite::Result<Option<GameEntry>> {
    let entry: Option<String> = connection
        .prepare_cached("SELECT entry FROM games WHERE id = ?1")?
        .query_row([game.as_str()], |row| row.get(0))
        .optional()?;
    Ok(entry.and_then(|entry| parse_entry(&entry)))
}

fn parse_entry(entry: &str) -> Option<GameEntry> {
    serde_json::from_str(entry)
        .inspect_err(|error| tracing::error!(%error, "a stored game entry cannot be read"))
        .ok()
}

/// Reads the journal once in its order, and lists the parked games as live.
pub(super) fn find_games(connection: &Connection, live: &LiveGames) -> rusqlite::Result<Found> {
    let mut hot: Vec<HotGame> = Vec::new();
    let mut places: HashMap<GameId, usize> = HashMap::new();
    let mut select = connection.prepare("SELECT id, game, record FROM journal ORDER BY id")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let name: String = row.get(1)?;
        let Ok(game) = name.parse::<GameId>() else {
            tracing::error!(name, "the journal names a game that cannot be");
            continue;
        };
        let place = *places.entry(game.clone()).or_insert_with(|| {
            hot.push(HotGame { game, records: Vec::new(), folded_seq: 0, row_ids: Vec::new() });
            hot.len() - 1
        });
        hot[place].row_ids.push(row.get(0)?);
        hot[place].records.push(Bytes::from(row.get::<_, Vec<u8>>(2)?));
    }

    let mut parked = 0;
    let mut select =
        connection.prepare("SELECT id, entry, last_seq FROM games WHERE state = 'parked'")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        let last_seq = loaded(row.get(2)?);
        let Some(entry) = parse_entry(&row.get::<_, String>(1)?) else { continue };
        if let Some(&place) = places.get(name.as_str()) {
            let game = &mut hot[place];
            let mut records: Vec<Bytes> =
                split_lines(folded_records(connection, &game.game)?).collect();
            records.append(&mut game.records);
            game.records = records;
            game.folded_seq = last_seq;
        } else {
            parked += 1;
            live.insert(LiveGame { entry, last_seq, folded_seq: last_seq, row_ids: Vec::new() });
        }
    }
    Ok(Found { hot, parked })
}
