//! Statements on talk.

use adamant_protocol::{GameId, UserName, to_client::TalkLine, values::TalkRoom};
use futures::{FutureExt as _, future::BoxFuture};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::{
    database::Sqlite,
    rows::{from_sql, read_name, to_sql},
};
use crate::{
    limits::TALK_LINES_MAX,
    store::{NewLine, SayOutcome, StoreError, Talk, UnsayOutcome},
};

impl Talk for Sqlite {
    fn say(&self, line: NewLine) -> BoxFuture<'_, Result<SayOutcome, StoreError>> {
        self.writer.write(move |connection| say(connection, &line)).boxed()
    }

    fn unsay(
        &self,
        game: GameId,
        room: TalkRoom,
        n: u64,
        by: Option<(UserName, u64)>,
    ) -> BoxFuture<'_, Result<UnsayOutcome, StoreError>> {
        self.writer.write(move |connection| unsay(connection, &game, room, n, by.as_ref())).boxed()
    }

    fn talk(
        &self,
        game: GameId,
        room: TalkRoom,
        before: u64,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<TalkLine>, StoreError>> {
        self.read_with(move |connection| {
            let mut lines: Vec<TalkLine> = connection
                .prepare_cached(
                    "SELECT n, at, user, text FROM talk
                     WHERE game = ?1 AND room = ?2 AND n < ?3 AND text IS NOT NULL
                     ORDER BY n DESC LIMIT ?4",
                )?
                .query_map(params![game.as_str(), room.as_str(), to_sql(before), limit], line)?
                .collect::<Result<_, _>>()?;
            lines.reverse();
            Ok(lines)
        })
        .boxed()
    }
}

fn line(row: &Row<'_>) -> rusqlite::Result<TalkLine> {
    let text: String = row.get(3)?;
    let (n, at) = (from_sql(row.get(0)?), from_sql(row.get(1)?));
    Ok(TalkLine { n, at, by: read_name(row, 2)?, text: text.into() })
}

fn say(connection: &Connection, new: &NewLine) -> rusqlite::Result<SayOutcome> {
    let (game, room) = (new.game.as_str(), new.room.as_str());
    let before: Option<(i64, String, Option<String>)> = connection
        .prepare_cached(
            "SELECT n, room, text FROM talk WHERE game = ?1 AND user = ?2 AND req = ?3",
        )?
        .query_row([game, new.by.as_str(), new.req.as_str()], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .optional()?;
    if let Some((n, known_room, text)) = before {
        // The text of a deleted line is gone: any text counts as the same.
        let same = known_room == room && text.is_none_or(|text| *text == *new.text);
        return Ok(if same { SayOutcome::Repeated(from_sql(n)) } else { SayOutcome::IdReused });
    }
    let n: i64 = connection
        .prepare_cached("SELECT COALESCE(MAX(n), 0) + 1 FROM talk WHERE game = ?1 AND room = ?2")?
        .query_row([game, room], |row| row.get(0))?;
    connection
        .prepare_cached(
            "INSERT INTO talk (game, room, n, at, user, req, text)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            game,
            room,
            n,
            to_sql(new.at),
            new.by.as_str(),
            new.req.as_str(),
            new.text.as_ref()
        ])?;
    let oldest = from_sql(n).saturating_sub(TALK_LINES_MAX);
    connection
        .prepare_cached("DELETE FROM talk WHERE game = ?1 AND room = ?2 AND n <= ?3")?
        .execute(params![game, room, to_sql(oldest)])?;
    Ok(SayOutcome::New(from_sql(n)))
}

fn unsay(
    connection: &Connection,
    game: &GameId,
    room: TalkRoom,
    n: u64,
    by: Option<&(UserName, u64)>,
) -> rusqlite::Result<UnsayOutcome> {
    let key = params![game.as_str(), room.as_str(), to_sql(n)];
    let found: Option<(UserName, i64, bool)> = connection
        .prepare_cached(
            "SELECT user, at, text IS NULL FROM talk WHERE game = ?1 AND room = ?2 AND n = ?3",
        )?
        .query_row(key, |row| Ok((read_name(row, 0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let Some((author, at, deleted)) = found else { return Ok(UnsayOutcome::NotFound) };
    if let Some((by, not_before)) = by {
        if !author.is_same(by.as_str()) {
            return Ok(UnsayOutcome::NotAuthor);
        }
        if !deleted && from_sql(at) < *not_before {
            return Ok(UnsayOutcome::TooLate);
        }
    }
    if deleted {
        return Ok(UnsayOutcome::AlreadyDeleted);
    }
    connection
        .prepare_cached("UPDATE talk SET text = NULL WHERE game = ?1 AND room = ?2 AND n = ?3")?
        .execute(key)?;
    Ok(UnsayOutcome::Deleted)
}
