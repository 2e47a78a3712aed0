//! Games that finish or wait without a room. Their records stay in the journal.

use futures::FutureExt as _;

use super::{
    failure::Failure,
    postgres::Postgres,
    transaction::Transaction,
    values::{from_sql, to_sql},
};
use crate::store::{ArchiveError, ArchivedGame, ArchivedState};

type Archived = Result<(), ArchiveError>;

impl Postgres {
    /// Archives a game whose last seq is still the stated one.
    pub(super) async fn archive_game(self, game: ArchivedGame) -> Archived {
        self.pool().transact(game, |transaction, game| archive(transaction, game).boxed()).await?
    }
}

async fn archive(transaction: &Transaction, game: &ArchivedGame) -> Result<Archived, Failure> {
    let id = game.game.as_str();
    let lock = "SELECT finished FROM games WHERE game = $1 FOR NO KEY UPDATE";
    let Some(row) = transaction.query_opt(lock, &[&id]).await? else {
        return Ok(Err(ArchiveError::Conflict { last_seq: 0 }));
    };
    let is_finished: bool = row.try_get(0)?;
    let select = "SELECT seq + events - 1 FROM journal WHERE game = $1 ORDER BY seq DESC LIMIT 1";
    let last_seq = from_sql(transaction.query_one(select, &[&id]).await?.try_get(0)?);
    if last_seq != game.seq {
        return Ok(Err(ArchiveError::Conflict { last_seq }));
    }
    if is_finished {
        return Ok(Ok(()));
    }
    match game.state {
        ArchivedState::Parked => {
            let update = "UPDATE games SET wake_at = $2 WHERE game = $1";
            transaction.execute(update, &[&id, &game.deadline.map(to_sql)]).await?;
        }
        ArchivedState::Finished => {
            let entry = serde_json::to_string(&game.entry).expect("list entries are plain data");
            let ended_at = to_sql(game.entry.last_at);
            let update =
                "UPDATE games SET finished = true, ended_at = $2, entry = $3, wake_at = NULL
                WHERE game = $1";
            transaction.execute(update, &[&id, &ended_at, &entry]).await?;
            let update = "UPDATE game_users SET ended_at = $2 WHERE game = $1";
            transaction.execute(update, &[&id, &ended_at]).await?;
        }
    }
    Ok(Ok(()))
}
