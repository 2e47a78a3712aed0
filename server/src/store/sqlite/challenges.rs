//! Statements on challenges and rematches.

use adamant_protocol::{ChallengeId, GameId};
use futures::{FutureExt as _, future::BoxFuture};
use rusqlite::params;

use super::{database::Sqlite, games, origins::take_challenge, rows::to_sql};
use crate::store::{Challenges, StoreError, StoredChallenge};

/// Encodes the columns `bots` and `challenged`.
fn challenge_texts(challenge: &StoredChallenge) -> (String, String) {
    let bots = serde_json::to_string(&challenge.bots).expect("names are plain data");
    let said = serde_json::to_string(&challenge.challenged).expect("challenges are plain data");
    (bots, said)
}

impl Challenges for Sqlite {
    fn add_challenge(&self, challenge: StoredChallenge) -> BoxFuture<'_, Result<(), StoreError>> {
        self.writer
            .write(move |connection| {
                let (bots, challenged) = challenge_texts(&challenge);
                connection.execute(
                    "INSERT INTO challenges (id, bots, challenged, created_at)
                     VALUES (?1, ?2, ?3, ?4)",
                    params![challenge.id.as_str(), bots, challenged, to_sql(challenge.created_at)],
                )?;
                Ok(())
            })
            .boxed()
    }

    fn update_challenge(
        &self,
        challenge: StoredChallenge,
    ) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.writer
            .write(move |connection| {
                let (bots, challenged) = challenge_texts(&challenge);
                let changed = connection.execute(
                    "UPDATE challenges SET bots = ?2, challenged = ?3 WHERE id = ?1",
                    params![challenge.id.as_str(), bots, challenged],
                )?;
                Ok(changed > 0)
            })
            .boxed()
    }

    fn rematch_of(&self, game: GameId) -> BoxFuture<'_, Result<Option<GameId>, StoreError>> {
        self.read_with(move |connection| games::rematch_of(connection, &game)).boxed()
    }

    fn delete_challenge(&self, id: ChallengeId) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.writer.write(move |connection| take_challenge(connection, &id)).boxed()
    }

    fn challenges(&self) -> BoxFuture<'_, Result<Vec<StoredChallenge>, StoreError>> {
        self.read_with(|connection| {
            let mut select =
                connection.prepare("SELECT id, bots, challenged, created_at FROM challenges")?;
            let rows = select.query_map([], |row| {
                Ok((
                    row.get::<_, String>(0)?,
                    row.get::<_, String>(1)?,
                    row.get::<_, String>(2)?,
                    row.get::<_, i64>(3)?,
                ))
            })?;
            let mut open = Vec::new();
            for row in rows {
                let (id, bots, terms, created_at) = row?;
                let parts = (id.parse(), serde_json::from_str(&bots), serde_json::from_str(&terms));
                if let (Ok(id), Ok(bots), Ok(challenged)) = parts {
                    let created_at = u64::try_from(created_at).unwrap_or(0);
                    open.push(StoredChallenge { id, challenged, bots, created_at });
                } else {
                    tracing::error!(id, "a stored challenge is unreadable");
                }
            }
            Ok(open)
        })
        .boxed()
    }
}
