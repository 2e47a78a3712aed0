//! Statements on downloads.

use adamant_protocol::{ids::Chain, to_client::GameEntry};
use futures::{FutureExt as _, future::BoxFuture};
use tokio_postgres::Row;

use super::{
    columns::{SqlResult, read_u64},
    failure::Failure,
    postgres::Postgres,
    transaction::Transaction,
    values::{parse, to_sql},
};
use crate::store::{
    DownloadHead, DownloadState, Downloads, LineFrame, Publication, StoreError, StoredLine,
    downloads,
};

async fn state(tx: &Transaction) -> SqlResult<DownloadState> {
    let row = tx.query_opt("SELECT version, first_open FROM download_state", &[]).await?;
    let Some(row) = row else { return Ok(DownloadState::default()) };
    Ok(DownloadState { version: read_u64(&row, 0)?, first_open: row.try_get(1)? })
}

/// Reads a file, its games, its bytes, its chain and its last game.
fn read_head(row: &Row) -> SqlResult<DownloadHead> {
    let chain: &[u8] = row.try_get(3)?;
    let chain = chain.try_into().map_err(|_| Failure::fault("a chain has another length"))?;
    let numbers = (read_u64(row, 1)?, read_u64(row, 2)?);
    Ok(downloads::head(row.try_get(0)?, numbers, Chain(chain), parse(row, 4)?))
}

async fn unpublished(tx: &Transaction, before: u64, limit: u32) -> SqlResult<Vec<GameEntry>> {
    let select = "SELECT entry FROM games
         WHERE finished AND NOT unlisted AND NOT published AND ended_at < $1
         ORDER BY ended_at, game LIMIT $2";
    let rows = tx.query(select, &[&to_sql(before), &i64::from(limit)]).await?;
    let unreadable = |error| Failure::fault(format!("the entry of a game: {error}"));
    rows.iter().map(|row| serde_json::from_str(row.try_get(0)?).map_err(unreadable)).collect()
}

/// Adds games. A second run after a commit finds another version, and its caller looks again.
async fn publish(tx: &Transaction, publication: &Publication) -> SqlResult<bool> {
    let Publication { follows, first_open, frames, lines, left_out } = publication;
    let claim = "INSERT INTO download_state (version, first_open) VALUES ($1::bigint + 1, $2)
         ON CONFLICT (one) DO UPDATE
             SET version = excluded.version, first_open = excluded.first_open
             WHERE download_state.version = $1";
    if tx.execute(claim, &[&to_sql(follows.version), first_open]).await? == 0 {
        return Ok(false);
    }
    let insert = "INSERT INTO download_games (game, seq, line_start, line_end)
         VALUES ($1, $2, $3, $4)";
    for LineFrame { game, seq, start, end } in frames {
        tx.execute(insert, &[&game.as_str(), &to_sql(*seq), start, end]).await?;
    }
    let insert = "INSERT INTO download_lines (file, line, start, length, chain, game)
         VALUES ($1, $2, $3, $4, $5, $6)";
    let update = "INSERT INTO download_files (file, games, bytes, chain, last_game)
         VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (file) DO UPDATE SET games = excluded.games, bytes = excluded.bytes,
             chain = excluded.chain, last_game = excluded.last_game";
    for line in lines {
        let DownloadHead { file, at, last_game } = &line.head;
        let (games, chain, game) = (to_sql(at.games), at.chain.0.as_slice(), last_game.as_str());
        let (offset, length) = (to_sql(line.offset), to_sql(line.length));
        tx.execute(insert, &[file, &games, &offset, &length, &chain, &game]).await?;
        tx.execute(update, &[file, &games, &to_sql(at.bytes), &chain, &game]).await?;
    }
    let games = frames.iter().map(|frame| &frame.game).chain(left_out);
    let games: Vec<&str> = games.map(adamant_protocol::GameId::as_str).collect();
    tx.execute("UPDATE games SET published = true WHERE game = ANY ($1)", &[&games]).await?;
    Ok(true)
}

async fn files(tx: &Transaction) -> SqlResult<Vec<DownloadHead>> {
    let select = "SELECT file, games, bytes, chain, last_game FROM download_files ORDER BY file";
    tx.query(select, &[]).await?.iter().map(read_head).collect()
}

async fn head(
    tx: &Transaction,
    file: &String,
    games: Option<u64>,
) -> SqlResult<Option<DownloadHead>> {
    let found = if let Some(games) = games {
        let select = "SELECT file, line, start + length, chain, game FROM download_lines
             WHERE file = $1 AND line = $2";
        tx.query_opt(select, &[file, &to_sql(games)]).await?
    } else {
        let select = "SELECT file, games, bytes, chain, last_game FROM download_files
             WHERE file = $1";
        tx.query_opt(select, &[file]).await?
    };
    found.as_ref().map(read_head).transpose()
}

async fn lines(
    tx: &Transaction,
    file: &String,
    offset: u64,
    limit: u32,
) -> SqlResult<Vec<StoredLine>> {
    let select = "SELECT start, length, download_lines.game, seq, line_start, line_end
         FROM download_lines JOIN download_games ON download_games.game = download_lines.game
         WHERE file = $1 AND start >= (SELECT max(before.start) FROM download_lines AS before
                                       WHERE before.file = $1 AND before.start <= $2)
         ORDER BY start LIMIT $3";
    let rows = tx.query(select, &[file, &to_sql(offset), &i64::from(limit)]).await?;
    let read = |row: &Row| {
        let (offset, length) = (read_u64(row, 0)?, read_u64(row, 1)?);
        let (game, seq) = (parse(row, 2)?, read_u64(row, 3)?);
        let frame = LineFrame { game, seq, start: row.try_get(4)?, end: row.try_get(5)? };
        Ok(StoredLine { offset, length, frame })
    };
    rows.iter().map(read).collect()
}

impl Downloads for Postgres {
    fn download_state(&self) -> BoxFuture<'_, Result<DownloadState, StoreError>> {
        self.pool().read_confirmed((), |tx, ()| state(tx).boxed()).boxed()
    }

    fn unpublished_games(
        &self,
        before: u64,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<GameEntry>, StoreError>> {
        self.pool().read_confirmed((), move |tx, ()| unpublished(tx, before, limit).boxed()).boxed()
    }

    fn publish(&self, publication: Publication) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.pool()
            .transact(publication, |tx, publication| publish(tx, publication).boxed())
            .boxed()
    }

    fn download_files(&self) -> BoxFuture<'_, Result<Vec<DownloadHead>, StoreError>> {
        self.pool().read_confirmed((), |tx, ()| files(tx).boxed()).boxed()
    }

    fn download_head(
        &self,
        file: String,
        games: Option<u64>,
    ) -> BoxFuture<'_, Result<Option<DownloadHead>, StoreError>> {
        self.pool().read_confirmed(file, move |tx, file| head(tx, file, games).boxed()).boxed()
    }

    /// Without waiting for a standby: the head that the caller knows was confirmed.
    fn download_lines(
        &self,
        file: String,
        offset: u64,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<StoredLine>, StoreError>> {
        self.pool().read(file, move |tx, file| lines(tx, file, offset, limit).boxed()).boxed()
    }
}
