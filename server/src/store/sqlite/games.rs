//! Statements on games and their records.

use std::collections::{BTreeSet, HashMap, hash_map::Entry};

use adamant_protocol::{GameId, to_client::GameEntry};
use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension as _, ToSql, params};

use super::{
    journal_rows,
    live::{LiveGames, RecordLocation},
    origins,
    record_blocks::{self, BlockAppender},
    recovered::{OpenGameRow, RecoveredState, TimedGame},
    rows::{from_sql, read_game, to_sql},
};
use crate::store::{ArchivedGame, ArchivedState, Begin, BeginError, GameFilter, ListKey};

/// Takes the origin and the rematch of a game that begins, unless another game has one of them.
/// An error that is a decision leaves no change.
pub(super) fn claim_origin(
    connection: &Connection,
    begin: &Begin,
) -> rusqlite::Result<Result<(), BeginError>> {
    if let Some(before) = &begin.rematch_of
        && let Some(next) = rematch_of(connection, before)?
    {
        return Ok(Err(BeginError::RematchExists(next)));
    }
    if let Some(claim) = &begin.origin
        && let Err(refusal) = origins::take(connection, claim, &begin.entry.game)?
    {
        return Ok(Err(refusal));
    }
    if let Some(before) = &begin.rematch_of {
        connection
            .prepare_cached("INSERT INTO rematches (game, next) VALUES (?1, ?2)")?
            .execute([before.as_str(), begin.entry.game.as_str()])?;
    }
    Ok(Ok(()))
}

/// Returns the rematch of a game.
pub(super) fn rematch_of(
    connection: &Connection,
    game: &GameId,
) -> rusqlite::Result<Option<GameId>> {
    connection
        .prepare_cached("SELECT next FROM rematches WHERE game = ?1")?
        .query_row([game.as_str()], |row| read_game(row, 0))
        .optional()
}

/// Returns the seq of the last archived record of a game; 0 if there is none.
pub(super) fn archived_seq(connection: &Connection, game: &GameId) -> rusqlite::Result<u64> {
    connection
        .prepare_cached("SELECT last_seq FROM games WHERE id = ?1")?
        .query_row([game.as_str()], |row| row.get(0))
        .optional()
        .map(|seq| seq.map_or(0, from_sql))
}

/// Reads records of a game from a seq on. A live game has a `location`. Returns `None` if records
/// have been archived since the location was looked up.
pub(super) fn read_records(
    connection: &Connection,
    game: &GameId,
    from: u64,
    max: usize,
    location: Option<RecordLocation>,
) -> rusqlite::Result<Option<Vec<Bytes>>> {
    let from = from.max(1);
    let RecordLocation { archived_seq, row_ids } =
        location.unwrap_or(RecordLocation { archived_seq: u64::MAX, row_ids: Vec::new() });
    let mut records = Vec::new();
    if from <= archived_seq {
        // If the game has been archived again since the lookup, its stale rows still have the other
        // records.
        let archived = usize::try_from(archived_seq - from).map_or(max, |left| max.min(left + 1));
        records = record_blocks::read(connection, game, from, archived)?;
    }
    let Some(later) = journal_rows::read(connection, &row_ids)? else { return Ok(None) };
    records.extend(later);
    Ok(Some(records))
}

/// Archives a game: copies its records from the journal into its blocks. The first of the rows
/// follows the seq `after`. From then on the journal rows are stale, and [`journal_rows::delete`]
/// deletes them.
pub(super) fn archive(
    connection: &Connection,
    game: &ArchivedGame,
    row_ids: &[i64],
    after: u64,
) -> rusqlite::Result<()> {
    let last_seq = archived_seq(connection, &game.game)?;
    let mut blocks = BlockAppender::after(connection, game.game.as_str(), last_seq)?;
    // The same transaction may have archived the game before.
    let archived = usize::try_from(last_seq - after).unwrap_or(usize::MAX);
    for id in row_ids.iter().skip(archived) {
        journal_rows::with_record(connection, *id, |record| blocks.push(record))?;
    }
    let last_seq = blocks.finish()?;
    list(connection, game, last_seq)
}

/// Lists a game whose records are archived.
pub(super) fn list(
    connection: &Connection,
    game: &ArchivedGame,
    last_seq: u64,
) -> rusqlite::Result<()> {
    let entry = serde_json::to_string(&game.entry).expect("list entries are plain data");
    let rules = game.entry.rules.name.as_ref();
    let players = i64::try_from(game.entry.seats.len()).unwrap_or(i64::MAX);
    let (state, ended_at) = match game.state {
        ArchivedState::Finished => ("finished", Some(to_sql(game.entry.last_at))),
        ArchivedState::Parked => ("parked", None),
    };
    connection
        .prepare_cached(
            "INSERT INTO games (id, state, rules, players, started_at, last_seq, entry, deadline,
                 unlisted, to_publish)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
             ON CONFLICT (id) DO UPDATE SET state = excluded.state, last_seq = excluded.last_seq,
                 entry = excluded.entry, deadline = excluded.deadline,
                 to_publish = excluded.to_publish
             WHERE games.state <> 'finished'",
        )?
        .execute(params![
            game.game.as_str(),
            state,
            rules,
            players,
            to_sql(game.entry.started_at),
            to_sql(last_seq),
            entry,
            game.deadline.map(to_sql),
            game.entry.unlisted,
            ended_at.filter(|_| !game.entry.unlisted),
        ])?;
    let mut seat = connection.prepare_cached(
        "INSERT OR REPLACE INTO game_users
             (user, started_at, game, ended_at, rules, players, unlisted)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    for user in game.entry.seats.iter().map(|seat| seat.user.folded()) {
        let started_at = to_sql(game.entry.started_at);
        let id = game.game.as_str();
        let unlisted = game.entry.unlisted;
        seat.execute(params![user.as_str(), started_at, id, ended_at, rules, players, unlisted])?;
    }
    Ok(())
}

/// The order of a list of finished games, newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// By start.
    Start,
    /// By end; only with a user.
    End,
}

/// Returns the position of an archived game in a list of this order.
pub(super) fn list_key(
    connection: &Connection,
    game: &GameId,
    order: Order,
) -> rusqlite::Result<Option<ListKey>> {
    let select = match order {
        Order::Start => "SELECT started_at FROM games WHERE id = ?1",
        Order::End => {
            "SELECT json_extract(entry, '$.last_at') FROM games
             WHERE id = ?1 AND state = 'finished'"
        }
    };
    connection
        .prepare_cached(select)?
        .query_row([game.as_str()], |row| row.get(0))
        .optional()
        .map(|at| at.map(|at| ListKey { at: from_sql(at), game: game.clone() }))
}

/// Returns the query for a page of finished games. It searches an index and reads as many rows as
/// the page has, with any filter.
#[expect(clippy::fn_params_excessive_bools, reason = "each is a condition that applies or not")]
pub(super) fn list_query(
    of_user: bool,
    of_kind: bool,
    unlisted: bool,
    order: Order,
    after: bool,
) -> String {
    // A cross join makes SQLite begin with the index of the list.
    let (tables, key, state) = match (of_user, order) {
        (false, _) => ("games", "games.started_at, games.id", "games.state = 'finished'"),
        (true, Order::Start) => (
            "game_users CROSS JOIN games ON games.id = game_users.game",
            "game_users.started_at, game_users.game",
            "game_users.ended_at IS NOT NULL",
        ),
        (true, Order::End) => (
            "game_users CROSS JOIN games ON games.id = game_users.game",
            "game_users.ended_at, game_users.game",
            "game_users.ended_at IS NOT NULL",
        ),
    };
    // Only the conditions that apply, so that an index can serve them.
    let mut conditions = String::new();
    if of_user {
        conditions.push_str(" AND game_users.user = :user");
    }
    if !unlisted {
        let listed = if of_user { "game_users" } else { "games" };
        conditions.extend([" AND ", listed, ".unlisted = 0"]);
    }
    if of_kind {
        let listed = if of_user { "game_users" } else { "games" };
        conditions.extend([" AND (", listed, ".rules, ", listed, ".players) = (:rules, :players)"]);
    }
    if after {
        conditions.extend([" AND (", key, ") < (:at, :game)"]);
    }
    let descending = key.replace(',', " DESC,");
    format!(
        "SELECT {key}, games.entry FROM {tables} WHERE {state}{conditions}
         ORDER BY {descending} DESC LIMIT :limit"
    )
}

/// Returns finished games after a position in the list.
pub(super) fn list_finished(
    connection: &Connection,
    filter: &GameFilter,
    order: Order,
    after: Option<&ListKey>,
    limit: u32,
) -> rusqlite::Result<Vec<GameEntry>> {
    let Some(kinds) = filter.kinds() else {
        let rows = list_of_kind(connection, filter, None, order, after, limit)?;
        return Ok(rows.iter().filter_map(|(_, entry)| parse_entry(entry)).collect());
    };
    // There are few kinds: reads a page of each and merges them.
    let mut rows = Vec::new();
    for kind in kinds {
        rows.extend(list_of_kind(connection, filter, Some(kind), order, after, limit)?);
    }
    rows.sort_unstable_by(|a, b| b.0.cmp(&a.0));
    rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(rows.iter().filter_map(|(_, entry)| parse_entry(entry)).collect())
}

/// The position of a row in its list, and its entry as JSON.
type Listed = ((i64, String), String);

fn list_of_kind(
    connection: &Connection,
    filter: &GameFilter,
    kind: Option<(&'static str, usize)>,
    order: Order,
    after: Option<&ListKey>,
    limit: u32,
) -> rusqlite::Result<Vec<Listed>> {
    let query =
        list_query(filter.user.is_some(), kind.is_some(), filter.unlisted, order, after.is_some());
    let mut select = connection.prepare_cached(&query)?;
    let user = filter.user.as_ref().map(|user| user.folded().as_str().to_owned());
    let (rules, players) = kind.unzip();
    let players = players.map(|players| i64::try_from(players).unwrap_or(i64::MAX));
    let at = after.map(|after| to_sql(after.at));
    let game = after.map(|after| after.game.as_str());
    let mut bindings: Vec<(&str, &dyn ToSql)> = vec![(":limit", &limit)];
    let optional: [(&str, bool, &dyn ToSql); 5] = [
        (":user", user.is_some(), &user),
        (":rules", rules.is_some(), &rules),
        (":players", players.is_some(), &players),
        (":at", at.is_some(), &at),
        (":game", game.is_some(), &game),
    ];
    bindings.extend(
        optional.into_iter().filter(|(_, given, _)| *given).map(|(name, _, value)| (name, value)),
    );
    let rows = select
        .query_map(bindings.as_slice(), |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?)))?;
    rows.collect()
}

/// Returns the list entry of an archived game.
pub(super) fn entry(connection: &Connection, game: &GameId) -> rusqlite::Result<Option<GameEntry>> {
    let entry: Option<String> = connection
        .prepare_cached("SELECT entry FROM games WHERE id = ?1")?
        .query_row([game.as_str()], |row| row.get(0))
        .optional()?;
    Ok(entry.and_then(|entry| parse_entry(&entry)))
}

fn parse_entry(entry: &str) -> Option<GameEntry> {
    serde_json::from_str(entry)
        .inspect_err(|error| tracing::error!(%error, "a stored game entry is unreadable"))
        .ok()
}

/// Reads the journal once, in order, and lists the parked games as live. Also returns the stale
/// rows of the journal, whose records are archived.
pub(super) fn recover(
    connection: &Connection,
    live: &LiveGames,
) -> rusqlite::Result<(RecoveredState, BTreeSet<i64>)> {
    let mut games: HashMap<GameId, OpenGameRow> = HashMap::new();
    let mut stale_rows = BTreeSet::new();
    let mut select = connection.prepare("SELECT id, game, seq FROM journal ORDER BY id")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let name = row.get_ref(1)?.as_str()?;
        let Ok(id) = name.parse::<GameId>() else {
            tracing::error!(name, "the journal has an invalid game id");
            continue;
        };
        let game = match games.entry(id) {
            Entry::Occupied(found) => found.into_mut(),
            Entry::Vacant(new) => {
                let (game, row_ids) = (new.key().clone(), Vec::new());
                let archived_seq = archived_seq(connection, &game)?;
                new.insert(OpenGameRow { game, archived_seq, row_ids })
            }
        };
        if from_sql(row.get(2)?) <= game.archived_seq {
            stale_rows.insert(row.get(0)?);
        } else {
            game.row_ids.push(row.get(0)?);
        }
    }
    games.retain(|_, game| !game.row_ids.is_empty());

    let (mut parked, mut timed) = (0, Vec::new());
    let mut select = connection
        .prepare("SELECT id, entry, last_seq, deadline FROM games WHERE state = 'parked'")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        let last_seq = from_sql(row.get(2)?);
        let Some(entry) = parse_entry(&row.get::<_, String>(1)?) else { continue };
        if !games.contains_key(name.as_str()) {
            parked += 1;
            if let Some(deadline) = row.get(3)? {
                let (game, deadline) = (entry.game.clone(), from_sql(deadline));
                timed.push(TimedGame { game, last_at: entry.last_at, deadline });
            }
            live.insert_parked(&entry, last_seq);
        }
    }
    let mut open: Vec<OpenGameRow> = games.into_values().collect();
    // In order of arrival, as before the restart.
    open.sort_unstable_by_key(|game| game.row_ids.first().copied());
    Ok((RecoveredState { open, parked, timed, ..RecoveredState::default() }, stale_rows))
}
