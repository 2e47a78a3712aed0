//! Games: how they begin and end in the store, and their records.

use std::collections::BTreeSet;

use adamant_protocol::{GameId, UserName, to_client::GameEntry};
use bytes::Bytes;

use super::{
    ArchivedGame, ArchivedState, Begin, BeginError, OfferClaim, OfferId,
    sql::{Row, Sql, SqlError, SqlResult, params},
};

/// Stores a game that begins, with all but its records. The store decides: an id, an offer and a
/// rematch serve one game. A decision against it leaves no change.
pub(super) async fn begin(sql: &impl Sql, begin: &Begin) -> SqlResult<Result<(), BeginError>> {
    let outcome = try_begin(sql, begin).await?;
    if outcome.is_err() {
        sql.undo().await?;
    }
    Ok(outcome)
}

async fn try_begin(sql: &impl Sql, begin: &Begin) -> SqlResult<Result<(), BeginError>> {
    let entry = &begin.entry;
    let (game, rules, players) = (entry.game.as_str(), &*entry.rules.name, entry.seats.len());
    let insert = "INSERT INTO games
             (game, finished, rules, players, delay, unlisted, started_at, entry, wake_at)
         VALUES ($1, false, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (game) DO NOTHING";
    let (delay, unlisted, started_at) = (entry.delay, entry.unlisted, entry.started_at);
    let text = entry_text(entry);
    let params = params![game, rules, players, delay, unlisted, started_at, text, begin.deadline];
    if sql.execute(insert, params).await? == 0 {
        return Ok(Err(BeginError::IdTaken));
    }
    if let Some(before) = &begin.rematch_of {
        let insert = "INSERT INTO rematches (game, next) VALUES ($1, $2) ON CONFLICT DO NOTHING";
        if sql.execute(insert, params![before.as_str(), game]).await? == 0 {
            let select = "SELECT next FROM rematches WHERE game = $1";
            let found = sql.first(select, params![before.as_str()]).await?;
            let missing = || SqlError::Unreadable("a rematch that has gone".to_owned());
            return Ok(Err(BeginError::RematchExists(found.ok_or_else(missing)?.parse(0)?)));
        }
    }
    if let Some(claim) = &begin.offer
        && let Err(refusal) = take_offer(sql, claim, &entry.game).await?
    {
        return Ok(Err(refusal));
    }
    for user in users_of(entry) {
        let insert =
            "INSERT INTO game_users (user_name, game, rules, players, unlisted, started_at)
             VALUES ($1, $2, $3, $4, $5, $6)";
        let params = params![user.as_str(), game, rules, players, unlisted, started_at];
        sql.execute(insert, params).await?;
    }
    Ok(Ok(()))
}

/// Takes the offer of a game that begins, if it is open and as the game's players have found it.
async fn take_offer(
    sql: &impl Sql,
    claim: &OfferClaim,
    game: &GameId,
) -> SqlResult<Result<(), BeginError>> {
    let OfferClaim { offer, version } = claim;
    let taken = if matches!(offer, OfferId::Invite(_)) {
        let update = "UPDATE offers SET game = $2, network = NULL
             WHERE id = $1 AND version = $3 AND game IS NULL";
        sql.execute(update, params![offer.as_str(), game.as_str(), *version]).await?
    } else {
        let delete = "DELETE FROM offers WHERE id = $1 AND version = $2";
        sql.execute(delete, params![offer.as_str(), *version]).await?
    };
    if taken > 0 {
        // An invite that is a game does not count any more.
        sql.execute("DELETE FROM offer_users WHERE offer = $1", params![offer.as_str()]).await?;
        return Ok(Ok(()));
    }
    let is_open = "SELECT 1 FROM offers WHERE id = $1 AND game IS NULL";
    let is_open = sql.exists(is_open, params![offer.as_str()]).await?;
    let refusal = if is_open { BeginError::OfferChanged } else { BeginError::OfferGone };
    Ok(Err(refusal(offer.clone())))
}

/// Notes that a game is finished, or waits without a room. A finished game stays as it is.
pub(super) async fn archive(sql: &impl Sql, archived: &ArchivedGame) -> SqlResult<()> {
    let ArchivedGame { game, seq, state, entry, deadline } = archived;
    let is_finished = *state == ArchivedState::Finished;
    let (ended_at, wake_at) =
        if is_finished { (Some(entry.last_at), None) } else { (None, *deadline) };
    let update = "UPDATE games SET finished = $2, ended_at = $3, entry = $4, archived_seq = $5,
             wake_at = $6
         WHERE game = $1 AND NOT finished";
    let params = params![game.as_str(), is_finished, ended_at, entry_text(entry), *seq, wake_at];
    if sql.execute(update, params).await? > 0 && is_finished {
        let update = "UPDATE game_users SET ended_at = $3 WHERE user_name = $1 AND game = $2";
        for user in users_of(entry) {
            sql.execute(update, params![user.as_str(), game.as_str(), ended_at]).await?;
        }
    }
    Ok(())
}

/// Returns the folded names of the users of a game, in order.
fn users_of(entry: &GameEntry) -> BTreeSet<UserName> {
    entry.seats.iter().map(|seat| seat.user.folded()).collect()
}

pub(super) fn entry_text(entry: &GameEntry) -> String {
    serde_json::to_string(entry).expect("list entries are plain data")
}

/// Returns the last seq of a game in the rows of the journal; 0 if there is none.
pub(super) async fn last_seq(sql: &impl Sql, game: &GameId) -> SqlResult<u64> {
    let select = "SELECT seq + events - 1 FROM journal WHERE game = $1 ORDER BY seq DESC LIMIT 1";
    sql.first(select, params![game.as_str()]).await?.map_or(Ok(0), |mut row| row.get(0))
}

/// Returns the list entry of a game, with the moves and times of its last row of the journal if it
/// is live; `None` if there is no such game.
pub(super) async fn entry(sql: &impl Sql, game: &GameId) -> SqlResult<Option<GameEntry>> {
    let select = "SELECT games.entry, last.ply, last.to_move, last.last_at
         FROM games LEFT JOIN journal AS last ON NOT games.finished AND last.game = games.game
             AND last.seq = (SELECT MAX(seq) FROM journal WHERE journal.game = games.game)
         WHERE games.game = $1";
    let found = sql.first(select, params![game.as_str()]).await?;
    found.map_or(Ok(None), |mut row| read_entry(&mut row))
}

/// Reads an entry and the columns of the last row of the journal that change it. An unreadable
/// entry is none.
pub(super) fn read_entry(row: &mut Row) -> SqlResult<Option<GameEntry>> {
    let text: Box<str> = row.get(0)?;
    let Some(mut entry) = parse_entry(&text) else { return Ok(None) };
    if let Some(ply) = row.get(1)? {
        entry.ply = ply;
        entry.to_move = row.get(2)?;
        entry.last_at = row.get(3)?;
    }
    Ok(Some(entry))
}

/// Reads a list entry; `None` if it is unreadable.
pub(super) fn parse_entry(entry: &str) -> Option<GameEntry> {
    serde_json::from_str(entry)
        // operator: the database is damaged; the server skips the game in lists. Run
        // `adamant-server check`
        .inspect_err(|error| tracing::error!(%error, "a stored game entry is unreadable"))
        .ok()
}

/// Returns at most `max` records of a game, from a seq on, in the rows of the journal.
pub(super) async fn records(
    sql: &impl Sql,
    game: &GameId,
    from: u64,
    max: usize,
) -> SqlResult<Vec<Bytes>> {
    let select = "SELECT seq, records FROM journal WHERE game = $1 AND seq < $3
           AND seq >= COALESCE(
             (SELECT MAX(seq) FROM journal WHERE game = $1 AND seq <= $2), 0)
         ORDER BY seq";
    let until = from.saturating_add(max as u64);
    let mut records = Vec::new();
    for mut row in sql.query(select, params![game.as_str(), from, until]).await? {
        let (seq, block): (u64, Vec<u8>) = (row.get(0)?, row.get(1)?);
        let skip = usize::try_from(from.saturating_sub(seq)).unwrap_or(usize::MAX);
        let block = Bytes::from(block);
        let room = max - records.len();
        records.extend(split_lines(&block).skip(skip).take(room));
    }
    Ok(records)
}

/// Splits a row of the journal into its records. Copies nothing.
pub(super) fn split_lines(block: &Bytes) -> impl Iterator<Item = Bytes> {
    block.split(|&byte| byte == b'\n').map(|line| block.slice_ref(line))
}
