//! Statements on talk.

use adamant_protocol::{GameId, UserName, to_client::TalkLine, values::TalkRoom};
use futures::{FutureExt as _, future::BoxFuture};
use tokio_postgres::Row;

use super::{
    columns::{SqlResult, read_name, read_u64},
    failure::Failure,
    postgres::Postgres,
    transaction::Transaction,
    tries::Tries,
    values::{from_sql, parse, to_sql},
};
use crate::{
    limits::TALK_LINES_MAX,
    store::{NewLine, RecentLine, RecentLines, SayOutcome, StoreError, Talk, UnsayOutcome},
};

/// Waits until no other transaction numbers a line about this game.
async fn lock_talk(tx: &Transaction, game: &GameId) -> SqlResult<()> {
    let lock = "SELECT pg_advisory_xact_lock(hashtextextended($1, 1))";
    tx.execute(lock, &[&game.as_str()]).await?;
    Ok(())
}

pub(super) async fn say(
    tx: &Transaction,
    line: &NewLine,
    tries: &Tries<i64>,
) -> SqlResult<SayOutcome> {
    let (game, room, author) = (line.game.as_str(), line.room.as_str(), line.by.folded());
    lock_talk(tx, &line.game).await?;
    let before = tx
        .query_opt(
            "SELECT n, room, text FROM talk WHERE game = $1 AND author = $2 AND req = $3",
            &[&game, &author.as_str(), &line.req.as_str()],
        )
        .await?;
    if let Some(row) = before {
        let n: i64 = row.try_get(0)?;
        if tries.has(&n) {
            return Ok(SayOutcome::New(from_sql(n)));
        }
        let (known_room, text): (&str, Option<&str>) = (row.try_get(1)?, row.try_get(2)?);
        // The text of a deleted line is gone: any text counts as the same.
        let same = known_room == room && text.is_none_or(|text| *text == *line.text);
        return Ok(if same { SayOutcome::Repeated(from_sql(n)) } else { SayOutcome::IdReused });
    }
    let insert = "INSERT INTO talk (game, room, n, at, said_by, author, req, text)
         SELECT $1, $2, COALESCE(MAX(n), 0) + 1, $3, $4, $5, $6, $7
         FROM talk WHERE game = $1 AND room = $2
         RETURNING n";
    let row = tx
        .query_one(
            insert,
            &[
                &game,
                &room,
                &to_sql(line.at),
                &line.by.as_str(),
                &author.as_str(),
                &line.req.as_str(),
                &line.text.as_ref(),
            ],
        )
        .await?;
    let n: i64 = row.try_get(0)?;
    tries.note(n);
    let oldest = from_sql(n).saturating_sub(TALK_LINES_MAX);
    tx.execute(
        "DELETE FROM talk WHERE game = $1 AND room = $2 AND n <= $3",
        &[&game, &room, &to_sql(oldest)],
    )
    .await?;
    Ok(SayOutcome::New(from_sql(n)))
}

/// A line to delete.
#[derive(Debug)]
pub(super) struct Unsaying {
    pub(super) game: GameId,
    pub(super) room: TalkRoom,
    pub(super) n: u64,
    /// Only a line of this author that is not older than this time, in epoch milliseconds.
    pub(super) by: Option<(UserName, u64)>,
    pub(super) tries: Tries<u64>,
}

pub(super) async fn unsay(tx: &Transaction, line: &Unsaying) -> SqlResult<UnsayOutcome> {
    let Unsaying { game, room, n, by, tries } = line;
    let (game, room, number) = (game.as_str(), room.as_str(), to_sql(*n));
    let found = tx
        .query_opt(
            "SELECT said_by, at, text IS NULL FROM talk
             WHERE game = $1 AND room = $2 AND n = $3 FOR UPDATE",
            &[&game, &room, &number],
        )
        .await?;
    let Some(row) = found else { return Ok(UnsayOutcome::NotFound) };
    let (author, at, deleted) = (read_name(&row, 0)?, read_u64(&row, 1)?, row.try_get(2)?);
    if deleted && tries.has(n) {
        return Ok(UnsayOutcome::Deleted);
    }
    if let Some((by, not_before)) = by {
        if !author.is_same(by.as_str()) {
            return Ok(UnsayOutcome::NotAuthor);
        }
        if !deleted && at < *not_before {
            return Ok(UnsayOutcome::TooLate);
        }
    }
    if deleted {
        return Ok(UnsayOutcome::AlreadyDeleted);
    }
    tx.execute(
        "UPDATE talk SET text = NULL WHERE game = $1 AND room = $2 AND n = $3",
        &[&game, &room, &number],
    )
    .await?;
    tries.note(*n);
    Ok(UnsayOutcome::Deleted)
}

fn read_line(row: &Row) -> SqlResult<TalkLine> {
    let text: String = row.try_get(3)?;
    let (n, at) = (read_u64(row, 0)?, read_u64(row, 1)?);
    Ok(TalkLine { n, at, by: read_name(row, 2)?, text: text.into() })
}

pub(super) async fn lines(
    tx: &Transaction,
    game: &GameId,
    room: TalkRoom,
    before: u64,
    limit: u32,
) -> SqlResult<Vec<TalkLine>> {
    let select = "SELECT n, at, said_by, text FROM talk
         WHERE game = $1 AND room = $2 AND n < $3 AND text IS NOT NULL
         ORDER BY n DESC LIMIT $4";
    let rows = tx
        .query(select, &[&game.as_str(), &room.as_str(), &to_sql(before), &i64::from(limit)])
        .await?;
    rows.iter().rev().map(read_line).collect()
}

async fn recent(tx: &Transaction, lines: RecentLines) -> SqlResult<Vec<RecentLine>> {
    let RecentLines { since, deleted_since, limit } = lines;
    let select = "SELECT n, at, said_by, text, game, room FROM talk
         WHERE at >= $1 AND (at >= $2 OR text IS NULL) ORDER BY at DESC LIMIT $3";
    let rows = tx
        .query(select, &[&to_sql(deleted_since.min(since)), &to_sql(since), &i64::from(limit)])
        .await?;
    let mut found: Vec<(u64, RecentLine)> =
        rows.iter().map(read_recent).collect::<SqlResult<_>>()?;
    found.sort_by_key(|(at, line)| (*at, line.n));
    Ok(found.into_iter().map(|(_, line)| line).collect())
}

/// Reads a line of any game, with its time.
fn read_recent(row: &Row) -> SqlResult<(u64, RecentLine)> {
    let is_deleted = row.try_get::<_, Option<&str>>(3)?.is_none();
    let line = if is_deleted { None } else { Some(read_line(row)?) };
    let room: &str = row.try_get(5)?;
    let rooms = [TalkRoom::Players, TalkRoom::Spectators];
    let room = rooms.into_iter().find(|known| known.as_str() == room);
    let room = room.ok_or_else(|| Failure::fault("a line is in no room".to_owned()))?;
    Ok((read_u64(row, 1)?, RecentLine { game: parse(row, 4)?, room, n: read_u64(row, 0)?, line }))
}

impl Talk for Postgres {
    fn say(&self, line: NewLine) -> BoxFuture<'_, Result<SayOutcome, StoreError>> {
        self.pool()
            .transact((line, Tries::default()), |tx, (line, tries)| say(tx, line, tries).boxed())
            .boxed()
    }

    fn unsay(
        &self,
        game: GameId,
        room: TalkRoom,
        n: u64,
        by: Option<(UserName, u64)>,
    ) -> BoxFuture<'_, Result<UnsayOutcome, StoreError>> {
        let line = Unsaying { game, room, n, by, tries: Tries::default() };
        self.pool().transact(line, |tx, line| unsay(tx, line).boxed()).boxed()
    }

    fn talk(
        &self,
        game: GameId,
        room: TalkRoom,
        before: u64,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<TalkLine>, StoreError>> {
        self.pool()
            .read_confirmed(game, move |tx, game| lines(tx, game, room, before, limit).boxed())
            .boxed()
    }

    fn recent(&self, lines: RecentLines) -> BoxFuture<'_, Result<Vec<RecentLine>, StoreError>> {
        self.pool().read_confirmed(lines, |tx, lines| recent(tx, *lines).boxed()).boxed()
    }
}
