//! Statements on downloads.

use adamant_protocol::{GameId, ids::Chain, to_client::GameEntry};
use futures::{FutureExt as _, future::BoxFuture};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::{
    database::Sqlite,
    rows::{from_sql, read_game, to_sql},
};
use crate::store::{
    DownloadHead, DownloadState, Downloads, LineFrame, Publication, StoreError, StoredLine,
    downloads,
};

fn state(connection: &Connection) -> rusqlite::Result<DownloadState> {
    connection
        .prepare_cached("SELECT version, first_open FROM download_state")?
        .query_row([], |row| {
            Ok(DownloadState { version: from_sql(row.get(0)?), first_open: row.get(1)? })
        })
        .optional()
        .map(Option::unwrap_or_default)
}

/// Reads a list entry.
fn read_entry(row: &Row<'_>) -> rusqlite::Result<GameEntry> {
    let entry: String = row.get(0)?;
    serde_json::from_str(&entry).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, Box::new(error))
    })
}

/// Reads a file, its games, its bytes, its chain and its last game.
fn read_head(row: &Row<'_>) -> rusqlite::Result<DownloadHead> {
    let numbers = (from_sql(row.get(1)?), from_sql(row.get(2)?));
    Ok(downloads::head(row.get(0)?, numbers, Chain(row.get(3)?), read_game(row, 4)?))
}

fn publish(connection: &Connection, publication: &Publication) -> rusqlite::Result<bool> {
    if state(connection)? != publication.follows {
        return Ok(false);
    }
    connection
        .prepare_cached(
            "INSERT INTO download_state (one, version, first_open) VALUES (1, ?1, ?2)
             ON CONFLICT (one) DO UPDATE
                 SET version = excluded.version, first_open = excluded.first_open",
        )?
        .execute(params![to_sql(publication.follows.version + 1), publication.first_open])?;
    let mut insert = connection.prepare_cached(
        "INSERT INTO download_games (game, seq, line_start, line_end) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for LineFrame { game, seq, start, end } in &publication.frames {
        insert.execute(params![game.as_str(), to_sql(*seq), start, end])?;
    }
    let mut insert = connection.prepare_cached(
        "INSERT INTO download_lines (file, line, start, length, chain, game)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    let mut update = connection.prepare_cached(
        "INSERT INTO download_files (file, games, bytes, chain, last_game)
         VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (file) DO UPDATE SET games = excluded.games, bytes = excluded.bytes,
             chain = excluded.chain, last_game = excluded.last_game",
    )?;
    for line in &publication.lines {
        let DownloadHead { file, at, last_game } = &line.head;
        let (games, chain, last_game) = (to_sql(at.games), at.chain.0, last_game.as_str());
        let (offset, length) = (to_sql(line.offset), to_sql(line.length));
        insert.execute(params![file, games, offset, length, chain, last_game])?;
        update.execute(params![file, games, to_sql(at.bytes), chain, last_game])?;
    }
    let mut done = connection.prepare_cached("UPDATE games SET to_publish = NULL WHERE id = ?1")?;
    let games = publication.frames.iter().map(|frame| &frame.game);
    for game in games.chain(&publication.left_out) {
        done.execute([game.as_str()])?;
    }
    Ok(true)
}

fn lines(
    connection: &Connection,
    file: &str,
    offset: u64,
    limit: u32,
) -> rusqlite::Result<Vec<StoredLine>> {
    connection
        .prepare_cached(
            "SELECT start, length, download_lines.game, seq, line_start, line_end
             FROM download_lines CROSS JOIN download_games
                 ON download_games.game = download_lines.game
             WHERE file = ?1 AND start >= (SELECT MAX(before.start) FROM download_lines AS before
                                           WHERE before.file = ?1 AND before.start <= ?2)
             ORDER BY start LIMIT ?3",
        )?
        .query_map(params![file, to_sql(offset), limit], |row| {
            let game: GameId = read_game(row, 2)?;
            let seq = from_sql(row.get(3)?);
            let frame = LineFrame { game, seq, start: row.get(4)?, end: row.get(5)? };
            let (offset, length) = (from_sql(row.get(0)?), from_sql(row.get(1)?));
            Ok(StoredLine { offset, length, frame })
        })?
        .collect()
}

impl Downloads for Sqlite {
    fn download_state(&self) -> BoxFuture<'_, Result<DownloadState, StoreError>> {
        self.read_with(state).boxed()
    }

    fn unpublished_games(
        &self,
        before: u64,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<GameEntry>, StoreError>> {
        self.read_with(move |connection| {
            connection
                .prepare_cached(
                    "SELECT entry FROM games WHERE to_publish < ?1
                     ORDER BY to_publish, id LIMIT ?2",
                )?
                .query_map(params![to_sql(before), limit], read_entry)?
                .collect()
        })
        .boxed()
    }

    fn publish(&self, publication: Publication) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.writer.write(move |connection| publish(connection, &publication)).boxed()
    }

    fn download_files(&self) -> BoxFuture<'_, Result<Vec<DownloadHead>, StoreError>> {
        self.read_with(|connection| {
            connection
                .prepare_cached(
                    "SELECT file, games, bytes, chain, last_game FROM download_files ORDER BY file",
                )?
                .query_map([], read_head)?
                .collect()
        })
        .boxed()
    }

    fn download_head(
        &self,
        file: String,
        games: Option<u64>,
    ) -> BoxFuture<'_, Result<Option<DownloadHead>, StoreError>> {
        self.read_with(move |connection| match games {
            None => connection
                .prepare_cached(
                    "SELECT file, games, bytes, chain, last_game FROM download_files
                     WHERE file = ?1",
                )?
                .query_row([file], read_head)
                .optional(),
            Some(games) => connection
                .prepare_cached(
                    "SELECT file, line, start + length, chain, game FROM download_lines
                     WHERE file = ?1 AND line = ?2",
                )?
                .query_row(params![file, to_sql(games)], read_head)
                .optional(),
        })
        .boxed()
    }

    fn download_lines(
        &self,
        file: String,
        offset: u64,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<StoredLine>, StoreError>> {
        self.read_with(move |connection| lines(connection, &file, offset, limit)).boxed()
    }
}
