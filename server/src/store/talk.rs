//! Talk: beside the records of games, and deletable.

use adamant_protocol::{GameId, RequestId, UserName, to_client::TalkLine, values::TalkRoom};

use super::{
    sql::{Row, Sql, SqlError, SqlResult, params},
    store::operations,
};
use crate::limits::TALK_LINES_MAX;

#[derive(Debug, Clone)]
pub(crate) struct NewLine {
    pub game: GameId,
    pub room: TalkRoom,
    pub by: UserName,
    /// The request's id. A repeated request stores no second line.
    pub req: RequestId,
    pub at: u64,
    pub text: Box<str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SayOutcome {
    New(u64),
    Repeated(u64),
    IdReused,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnsayOutcome {
    Deleted,
    AlreadyDeleted,
    NotFound,
    NotAuthor,
    TooLate,
}

/// A line of any game, as `recent` finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecentLine {
    pub game: GameId,
    pub room: TalkRoom,
    pub n: u64,
    pub line: Option<TalkLine>,
}

/// Which lines `recent` finds. Times are in epoch milliseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecentLines {
    pub since: u64,
    /// Deleted lines that were said since then, which is no later.
    pub deleted_since: u64,
    /// The most lines, the latest ones.
    pub limit: u32,
}

async fn say(sql: &impl Sql, line: &NewLine) -> SqlResult<SayOutcome> {
    let NewLine { game, room, by, req, at, text } = line;
    let (game, room, author) = (game.as_str(), room.as_str(), by.folded());
    sql.lock(vec![format!("talk {game}")]).await?;
    let select = "SELECT n, room, text FROM talk WHERE game = $1 AND author = $2 AND req = $3";
    if let Some(mut row) = sql.first(select, params![game, author.as_str(), req.as_str()]).await? {
        let (n, known_room): (u64, Box<str>) = (row.get(0)?, row.get(1)?);
        let known_text: Option<Box<str>> = row.get(2)?;
        // The text of a deleted line is gone: any text counts as the same.
        let is_same = *known_room == *room && known_text.is_none_or(|known| known == *text);
        return Ok(if is_same { SayOutcome::Repeated(n) } else { SayOutcome::IdReused });
    }
    let insert = "INSERT INTO talk (game, room, n, at, said_by, author, req, text)
         SELECT $1, $2, COALESCE(MAX(n), 0) + 1, $3, $4, $5, $6, $7
         FROM talk WHERE game = $1 AND room = $2
         RETURNING n";
    let params = params![game, room, *at, by.as_str(), author.as_str(), req.as_str(), text.clone()];
    let inserted = sql.first(insert, params).await?;
    let n: u64 = inserted.map_or(Ok(0), |mut row| row.get(0))?;
    let delete = "DELETE FROM talk WHERE game = $1 AND room = $2 AND n <= $3";
    sql.execute(delete, params![game, room, n.saturating_sub(TALK_LINES_MAX)]).await?;
    Ok(SayOutcome::New(n))
}

async fn unsay<S: Sql>(
    sql: &S,
    game: &GameId,
    room: TalkRoom,
    n: u64,
    by: Option<&(UserName, u64)>,
) -> SqlResult<UnsayOutcome> {
    let key = params![game.as_str(), room.as_str(), n];
    let select = format!(
        "SELECT said_by, at, text IS NULL FROM talk WHERE game = $1 AND room = $2 AND n = $3{}",
        S::FOR_UPDATE
    );
    let Some(mut row) = sql.first(&select, key).await? else { return Ok(UnsayOutcome::NotFound) };
    let (author, at, is_deleted): (UserName, u64, bool) = (row.parse(0)?, row.get(1)?, row.get(2)?);
    if let Some((by, not_before)) = by {
        if !author.is_same(by.as_str()) {
            return Ok(UnsayOutcome::NotAuthor);
        }
        if !is_deleted && at < *not_before {
            return Ok(UnsayOutcome::TooLate);
        }
    }
    if is_deleted {
        return Ok(UnsayOutcome::AlreadyDeleted);
    }
    sql.execute("UPDATE talk SET text = NULL WHERE game = $1 AND room = $2 AND n = $3", key)
        .await?;
    Ok(UnsayOutcome::Deleted)
}

const LINE_COLUMNS: &str = "n, at, said_by, text";

fn read_line(row: &mut Row) -> SqlResult<TalkLine> {
    Ok(TalkLine { n: row.get(0)?, at: row.get(1)?, by: row.parse(2)?, text: row.get(3)? })
}

async fn lines(
    sql: &impl Sql,
    game: &GameId,
    room: TalkRoom,
    before: u64,
    limit: u32,
) -> SqlResult<Vec<TalkLine>> {
    let select = format!(
        "SELECT {LINE_COLUMNS} FROM talk
         WHERE game = $1 AND room = $2 AND n < $3 AND text IS NOT NULL
         ORDER BY n DESC LIMIT $4"
    );
    let params = params![game.as_str(), room.as_str(), before, limit];
    let mut rows = sql.query(&select, params).await?;
    rows.iter_mut().rev().map(read_line).collect()
}

async fn recent(sql: &impl Sql, lines: RecentLines) -> SqlResult<Vec<RecentLine>> {
    let RecentLines { since, deleted_since, limit } = lines;
    let select = format!(
        "SELECT {LINE_COLUMNS}, game, room FROM talk
         WHERE at >= $1 AND (at >= $2 OR text IS NULL) ORDER BY at DESC LIMIT $3"
    );
    let mut rows = sql.query(&select, params![deleted_since.min(since), since, limit]).await?;
    let mut found: Vec<(u64, RecentLine)> =
        rows.iter_mut().map(read_recent).collect::<SqlResult<_>>()?;
    found.sort_by_key(|(at, line)| (*at, line.n));
    Ok(found.into_iter().map(|(_, line)| line).collect())
}

fn read_recent(row: &mut Row) -> SqlResult<(u64, RecentLine)> {
    let (n, at): (u64, u64) = (row.get(0)?, row.get(1)?);
    let text: Option<Box<str>> = row.get(3)?;
    let by = row.parse(2)?;
    let line = text.map(|text| TalkLine { n, at, by, text });
    let room: Box<str> = row.get(5)?;
    let known = [TalkRoom::Players, TalkRoom::Spectators];
    let room = known.into_iter().find(|known| *known.as_str() == *room);
    let room = room.ok_or_else(|| SqlError::Unreadable("a line in no room".to_owned()))?;
    Ok((at, RecentLine { game: row.parse(4)?, room, n, line }))
}

operations! {
    /// Stores and numbers a line, unless the same request has done so before.
    fn say(line: NewLine) -> SayOutcome = transact(say(line));
    /// Deletes the text of a line. `by` restricts this to lines of this author that are not older
    /// than this time, in epoch milliseconds.
    fn unsay(game: GameId, room: TalkRoom, n: u64, by: Option<(UserName, u64)>) -> UnsayOutcome =
        transact(unsay(game, *room, *n, by.as_ref()));
    /// Returns at most `limit` lines before a line, the oldest first.
    fn talk(game: GameId, room: TalkRoom, before: u64, limit: u32) -> Vec<TalkLine> =
        read(lines(game, *room, *before, *limit));
    /// Returns lines of all games, the oldest first: what other nodes may have said or deleted.
    fn recent_talk(lines: RecentLines) -> Vec<RecentLine> = read(recent(*lines));
}
