//! The statements on users, tokens and challenges.

use adamant_protocol::{ChallengeId, GameId, UserName};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::super::{NewToken, StoreError, StoredChallenge, User, UserId};
use super::{Sqlite, tables};
use crate::limits::TOKENS_PER_USER_MAX;

const USER_COLUMNS: &str = "users.id, users.name, users.password_hash IS NULL, users.house";

fn epoch(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

fn user(row: &Row<'_>) -> rusqlite::Result<User> {
    let name: String = row.get(1)?;
    let name = name.parse::<UserName>().map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(1, rusqlite::types::Type::Text, Box::new(error))
    })?;
    let house: bool = row.get(3)?;
    let guest: bool = row.get(2)?;
    Ok(User { id: UserId(row.get(0)?), name, guest: guest && !house, house })
}

fn by_name(
    connection: &Connection,
    name: &UserName,
) -> rusqlite::Result<Option<(User, Option<String>)>> {
    connection
        .prepare_cached(&format!(
            "SELECT {USER_COLUMNS}, users.password_hash FROM users WHERE folded = ?1"
        ))?
        .query_row([name.folded().as_str()], |row| Ok((user(row)?, row.get(4)?)))
        .optional()
}

/// Who of those who accepted is a program, and what was said, as they are stored.
fn challenge_texts(challenge: &StoredChallenge) -> (String, String) {
    let bots = serde_json::to_string(&challenge.bots).expect("names are plain data");
    let said = serde_json::to_string(&challenge.challenged).expect("challenges are plain data");
    (bots, said)
}

impl Sqlite {
    /// The user of that name, with the password's hash if there is one.
    pub(crate) async fn find_user(
        &self,
        name: UserName,
    ) -> Result<Option<(User, Option<String>)>, StoreError> {
        self.read_with(move |connection| by_name(connection, &name)).await
    }

    /// Makes a user; `None` if somebody has the name. Without a password it is a guest.
    pub(crate) async fn create_user(
        &self,
        name: UserName,
        password_hash: Option<String>,
        house: bool,
        now_ms: u64,
    ) -> Result<Option<User>, StoreError> {
        self.writer
            .write(move |connection| {
                if by_name(connection, &name)?.is_some() {
                    return Ok(None);
                }
                connection.execute(
                    "INSERT INTO users (name, folded, password_hash, house, created_at)
                     VALUES (?1, ?2, ?3, ?4, ?5)",
                    params![
                        name.as_str(),
                        name.folded().as_str(),
                        password_hash,
                        house,
                        epoch(now_ms)
                    ],
                )?;
                let id = UserId(connection.last_insert_rowid());
                Ok(Some(User { id, name, guest: password_hash.is_none() && !house, house }))
            })
            .await
    }

    /// Turns a guest into an account, under a new name if wished; `None` if somebody has that.
    pub(crate) async fn upgrade_guest(
        &self,
        guest: UserId,
        name: UserName,
        password_hash: String,
    ) -> Result<Option<User>, StoreError> {
        self.writer
            .write(move |connection| {
                if by_name(connection, &name)?.is_some_and(|(user, _)| user.id != guest) {
                    return Ok(None);
                }
                let changed = connection.execute(
                    "UPDATE users SET name = ?1, folded = ?2, password_hash = ?3
                     WHERE id = ?4 AND password_hash IS NULL",
                    params![name.as_str(), name.folded().as_str(), password_hash, guest.0],
                )?;
                let user = User { id: guest, name, guest: false, house: false };
                Ok((changed == 1).then_some(user))
            })
            .await
    }

    /// Stores a token; the user's oldest make room for it.
    pub(crate) async fn add_token(&self, owner: UserId, token: NewToken) -> Result<(), StoreError> {
        self.writer
            .write(move |connection| {
                connection.execute(
                    "INSERT INTO tokens (digest, user, label, bot, created_at, expires_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                    params![
                        token.digest,
                        owner.0,
                        token.label.as_ref(),
                        token.bot,
                        epoch(token.created_at),
                        token.expires_at.map(epoch),
                    ],
                )?;
                connection.execute(
                    "DELETE FROM tokens WHERE user = ?1 AND digest NOT IN (
                         SELECT digest FROM tokens WHERE user = ?1
                         ORDER BY created_at DESC, digest LIMIT ?2)",
                    params![owner.0, TOKENS_PER_USER_MAX],
                )?;
                Ok(())
            })
            .await
    }

    /// Whose token it is, and whether it is a program's.
    pub(crate) async fn find_token(
        &self,
        digest: [u8; 32],
        now_ms: u64,
    ) -> Result<Option<(User, bool)>, StoreError> {
        self.read_with(move |connection| {
            connection
                .prepare_cached(&format!(
                    "SELECT {USER_COLUMNS}, tokens.bot FROM tokens JOIN users ON users.id = tokens.user
                     WHERE digest = ?1 AND (expires_at IS NULL OR expires_at > ?2)"
                ))?
                .query_row(params![digest, epoch(now_ms)], |row| Ok((user(row)?, row.get(4)?)))
                .optional()
        })
        .await
    }

    /// Stores an open challenge.
    pub(crate) async fn add_challenge(&self, challenge: StoredChallenge) -> Result<(), StoreError> {
        self.writer
            .write(move |connection| {
                let (bots, challenged) = challenge_texts(&challenge);
                connection.execute(
                    "INSERT INTO challenges (id, bots, challenged, created_at)
                     VALUES (?1, ?2, ?3, ?4)",
                    params![challenge.id.as_str(), bots, challenged, epoch(challenge.created_at)],
                )?;
                Ok(())
            })
            .await
    }

    /// Stores what has changed about a challenge, if it is still open.
    pub(crate) async fn update_challenge(
        &self,
        challenge: StoredChallenge,
    ) -> Result<(), StoreError> {
        self.writer
            .write(move |connection| {
                let (bots, challenged) = challenge_texts(&challenge);
                connection.execute(
                    "UPDATE challenges SET bots = ?2, challenged = ?3 WHERE id = ?1",
                    params![challenge.id.as_str(), bots, challenged],
                )?;
                Ok(())
            })
            .await
    }

    /// The game that repeated a game, if one has begun.
    pub(crate) async fn rematch_of(&self, game: GameId) -> Result<Option<GameId>, StoreError> {
        let next = self.read_with(move |connection| tables::rematch_of(connection, &game)).await?;
        Ok(next.and_then(|next| next.parse().ok()))
    }

    /// Forgets a challenge.
    pub(crate) async fn delete_challenge(&self, id: ChallengeId) -> Result<(), StoreError> {
        self.writer
            .write(move |connection| {
                connection.execute("DELETE FROM challenges WHERE id = ?1", [id.as_str()])?;
                Ok(())
            })
            .await
    }

    /// Every open challenge.
    pub(crate) async fn challenges(&self) -> Result<Vec<StoredChallenge>, StoreError> {
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
                    tracing::error!(id, "a stored challenge cannot be read");
                }
            }
            Ok(open)
        })
        .await
    }
}
