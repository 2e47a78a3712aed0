//! Downloads as the store keeps them: which game stands on which line of which file, and where the
//! line begins. A file only grows. The records stay where they are.

use adamant_protocol::{GameId, ids::Chain, to_client::GameEntry};
use adamant_record::DownloadChain;

use super::{
    games::known,
    sql::{Row, Sql, SqlError, SqlResult, params},
    store::operations,
};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DownloadState {
    /// The number of publications. A publication names the one that it follows.
    pub version: u64,
    /// The first month that may still grow, such as `2026-11`; empty before the first publication.
    pub first_open: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DownloadHead {
    pub file: String,
    pub at: DownloadChain,
    pub last_game: GameId,
}

/// What a line has beside the records of its game. It is stored, so that the line keeps its bytes
/// whatever later versions of the server know about games.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LineFrame {
    pub game: GameId,
    pub seq: u64,
    pub start: String,
    /// What stands behind them, without the line break.
    pub end: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DownloadLine {
    pub offset: u64,
    pub length: u64,
    pub head: DownloadHead,
}

/// Games that become part of the downloads together, or not at all.
#[derive(Debug, Clone, Default)]
pub(crate) struct Publication {
    pub follows: DownloadState,
    /// The first month that may still grow afterwards.
    pub first_open: String,
    pub frames: Vec<LineFrame>,
    pub lines: Vec<DownloadLine>,
    pub left_out: Vec<GameId>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredLine {
    pub offset: u64,
    pub length: u64,
    pub frame: LineFrame,
}

async fn state(sql: &impl Sql) -> SqlResult<DownloadState> {
    let found = sql.first("SELECT version, first_open FROM download_state", &[]).await?;
    let Some(mut row) = found else { return Ok(DownloadState::default()) };
    Ok(DownloadState { version: row.get(0)?, first_open: row.get(1)? })
}

/// Reads a file, its games, its bytes, its chain and its last game.
pub(super) fn read_head(row: &mut Row) -> SqlResult<DownloadHead> {
    let chain: Box<[u8]> = row.get(3)?;
    let unreadable = |_| SqlError::Unreadable(format!("a chain of {} bytes", chain.len()));
    let chain = Chain((*chain).try_into().map_err(unreadable)?);
    let at = DownloadChain { games: row.get(1)?, bytes: row.get(2)?, chain };
    Ok(DownloadHead { file: row.get(0)?, at, last_game: row.parse(4)? })
}

async fn unpublished(sql: &impl Sql, before: u64, limit: u32) -> SqlResult<Vec<GameEntry>> {
    let select = "SELECT entry FROM games
         WHERE finished AND NOT unlisted AND NOT published AND ended_at < $1
         ORDER BY ended_at, game LIMIT $2";
    let mut rows = sql.query(select, params![before, limit]).await?;
    rows.iter_mut().map(|row| known(row.json(0)?).map_err(SqlError::Unreadable)).collect()
}

async fn publish(sql: &impl Sql, publication: &Publication) -> SqlResult<bool> {
    let Publication { follows, first_open, frames, lines, left_out } = publication;
    // Of several publications that follow the same one, the first is stored.
    let claim = "INSERT INTO download_state (one, version, first_open) VALUES (1, $1, $2)
         ON CONFLICT (one) DO UPDATE
             SET version = excluded.version, first_open = excluded.first_open
             WHERE download_state.version = $3";
    let claim_params = params![follows.version + 1, first_open, follows.version];
    if sql.execute(claim, claim_params).await? == 0 {
        return Ok(false);
    }
    for LineFrame { game, seq, start, end } in frames {
        let insert = "INSERT INTO download_games (game, seq, line_start, line_end)
             VALUES ($1, $2, $3, $4)";
        sql.execute(insert, params![game.as_str(), *seq, start, end]).await?;
    }
    for line in lines {
        add_line(sql, line).await?;
    }
    for game in frames.iter().map(|frame| &frame.game).chain(left_out) {
        let done = "UPDATE games SET published = true WHERE game = $1";
        sql.execute(done, params![game.as_str()]).await?;
    }
    Ok(true)
}

async fn add_line(sql: &impl Sql, line: &DownloadLine) -> SqlResult<()> {
    let DownloadHead { file, at, last_game } = &line.head;
    let (chain, game) = (at.chain.0.as_slice(), last_game.as_str());
    let insert = "INSERT INTO download_lines (file, line, start, length, chain, game)
         VALUES ($1, $2, $3, $4, $5, $6)";
    sql.execute(insert, params![file, at.games, line.offset, line.length, chain, game]).await?;
    let update = "INSERT INTO download_files (file, games, bytes, chain, last_game)
         VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (file) DO UPDATE SET games = excluded.games, bytes = excluded.bytes,
             chain = excluded.chain, last_game = excluded.last_game";
    sql.execute(update, params![file, at.games, at.bytes, chain, game]).await?;
    Ok(())
}

pub(super) async fn files(sql: &impl Sql) -> SqlResult<Vec<DownloadHead>> {
    let select = "SELECT file, games, bytes, chain, last_game FROM download_files ORDER BY file";
    sql.query(select, &[]).await?.iter_mut().map(read_head).collect()
}

async fn head(sql: &impl Sql, file: &str, games: Option<u64>) -> SqlResult<Option<DownloadHead>> {
    let found = if let Some(games) = games {
        let select = "SELECT file, line, start + length, chain, game FROM download_lines
             WHERE file = $1 AND line = $2";
        sql.first(select, params![file, games]).await?
    } else {
        let select = "SELECT file, games, bytes, chain, last_game FROM download_files
             WHERE file = $1";
        sql.first(select, params![file]).await?
    };
    found.map(|mut row| read_head(&mut row)).transpose()
}

async fn lines(sql: &impl Sql, file: &str, offset: u64, limit: u32) -> SqlResult<Vec<StoredLine>> {
    // A cross join makes SQLite begin with the lines.
    let select = "SELECT start, length, download_lines.game, seq, line_start, line_end
         FROM download_lines CROSS JOIN download_games
         WHERE download_games.game = download_lines.game AND file = $1
           AND start >= (SELECT MAX(before.start) FROM download_lines AS before
                         WHERE before.file = $1 AND before.start <= $2)
         ORDER BY start LIMIT $3";
    let mut rows = sql.query(select, params![file, offset, limit]).await?;
    let line = |row: &mut Row| {
        let game: GameId = row.parse(2)?;
        let frame = LineFrame { game, seq: row.get(3)?, start: row.get(4)?, end: row.get(5)? };
        Ok(StoredLine { offset: row.get(0)?, length: row.get(1)?, frame })
    };
    rows.iter_mut().map(line).collect()
}

operations! {
    fn download_state() -> DownloadState = read(state());
    /// Returns finished and listed games that ended before a time in epoch milliseconds and have
    /// not been published, in the order of their ends.
    fn unpublished_games(before: u64, limit: u32) -> Vec<GameEntry> =
        read(unpublished(*before, *limit));
    /// Adds games to the downloads. Returns whether it has; if not, another publication was first.
    fn publish(publication: Publication) -> bool = transact(publish(publication));
    /// Returns all files as they are, in the order of their names.
    fn download_files() -> Vec<DownloadHead> = read(files());
    /// Returns a file as it is, or after a number of games; `None` if it had never that many.
    fn download_head(file: String, games: Option<u64>) -> Option<DownloadHead> =
        read(head(file, *games));
    /// Returns lines of a file from the one on that has the byte at an offset. The caller knows
    /// from a head that they may be shown.
    fn download_lines(file: String, offset: u64, limit: u32) -> Vec<StoredLine> =
        read_unconfirmed(lines(file, *offset, *limit));
}
