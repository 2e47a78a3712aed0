//! The statements on users and challenges.

use adamant_protocol::{ChallengeId, GameId, UserName, ids::ParseIdError};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::super::{
    CreateUserOutcome, NewKind, NewToken, NewUser, SessionSeed, StoreError, StoredBot,
    StoredChallenge, User, UserId, names::skeleton,
};
use super::{
    database::Sqlite,
    games::{self, loaded},
    standings::ratings_of,
    talk::mutes,
    tokens::insert_first_token,
};
use crate::limits::BOTS_PER_OWNER_MAX;

/// What [`user`] reads.
pub(super) const USER_COLUMNS: &str =
    "users.id, users.name, users.password_hash IS NULL, users.house,
     (SELECT owner.name FROM users AS owner WHERE owner.id = users.owner),
     (SELECT COALESCE(account.account_since, account.created_at) FROM users AS account
      WHERE account.id = COALESCE(users.owner, users.id) AND account.password_hash IS NOT NULL)";

/// How many columns these are.
pub(super) const USER_COLUMNS_COUNT: usize = 6;

pub(super) fn epoch(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

pub(super) fn read_name(row: &Row<'_>, index: usize) -> rusqlite::Result<UserName> {
    let name: String = row.get(index)?;
    name.parse().map_err(|error| unreadable(index, error))
}

fn unreadable(index: usize, error: ParseIdError) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(index, rusqlite::types::Type::Text, Box::new(error))
}

/// Reads [`USER_COLUMNS`].
pub(super) fn user(row: &Row<'_>) -> rusqlite::Result<User> {
    let owner: Option<String> = row.get(4)?;
    let owner = owner.map(|owner| owner.parse().map_err(|error| unreadable(4, error)));
    let owner: Option<UserName> = owner.transpose()?;
    let house: bool = row.get(3)?;
    let without_password: bool = row.get(2)?;
    let guest = without_password && !house && owner.is_none();
    let account_since = row.get::<_, Option<i64>>(5)?.map(loaded);
    let (id, name) = (UserId(row.get(0)?), read_name(row, 1)?);
    Ok(User { id, name, guest, house, owner, account_since })
}

fn by_name(
    connection: &Connection,
    name: &UserName,
) -> rusqlite::Result<Option<(User, Option<String>)>> {
    connection
        .prepare_cached(&format!(
            "SELECT {USER_COLUMNS}, users.password_hash FROM users WHERE folded = ?1"
        ))?
        .query_row([name.folded().as_str()], |row| Ok((user(row)?, row.get(USER_COLUMNS_COUNT)?)))
        .optional()
}

fn by_id(connection: &Connection, id: UserId) -> rusqlite::Result<User> {
    connection
        .prepare_cached(&format!("SELECT {USER_COLUMNS} FROM users WHERE id = ?1"))?
        .query_row([id.0], user)
}

/// Whose name looks like this one, besides one user's own. The same name is told first.
fn by_skeleton(
    connection: &Connection,
    name: &UserName,
    besides: Option<UserId>,
) -> rusqlite::Result<Option<UserName>> {
    connection
        .prepare_cached(
            "SELECT name FROM users WHERE skeleton = ?1 AND id IS NOT ?2
             ORDER BY folded = ?3 DESC LIMIT 1",
        )?
        .query_row(
            params![skeleton(name), besides.map(|user| user.0), name.folded().as_str()],
            |row| read_name(row, 0),
        )
        .optional()
}

fn insert_user(connection: &Connection, new: NewUser) -> rusqlite::Result<CreateUserOutcome> {
    let NewUser { name, kind, created_at } = new;
    let mut owner = None;
    let mut hash = None;
    let house = kind == NewKind::House;
    match kind {
        NewKind::Guest | NewKind::House => {}
        NewKind::Account(password_hash) => hash = Some(password_hash),
        NewKind::Bot(of) => {
            let count: u32 = connection.query_row(
                "SELECT COUNT(*) FROM users WHERE owner = ?1",
                [of.0],
                |row| row.get(0),
            )?;
            if count >= BOTS_PER_OWNER_MAX {
                return Ok(CreateUserOutcome::BotsFull);
            }
            owner = Some(of);
        }
    }
    connection
        .prepare_cached(
            "INSERT INTO users (name, folded, skeleton, password_hash, house, owner, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            name.as_str(),
            name.folded().as_str(),
            skeleton(&name),
            hash,
            house,
            owner.map(|owner| owner.0),
            epoch(created_at)
        ])?;
    let id = UserId(connection.last_insert_rowid());
    Ok(CreateUserOutcome::Given(by_id(connection, id)?))
}

pub(super) fn add_user(
    connection: &Connection,
    new: NewUser,
) -> rusqlite::Result<CreateUserOutcome> {
    let like = match new.kind {
        NewKind::House => by_name(connection, &new.name)?.map(|(user, _)| user.name),
        NewKind::Guest | NewKind::Account(_) | NewKind::Bot(_) => {
            by_skeleton(connection, &new.name, None)?
        }
    };
    match like {
        Some(like) => Ok(CreateUserOutcome::Taken(like)),
        None => insert_user(connection, new),
    }
}

pub(super) fn session_seed(
    connection: &Connection,
    user: &UserName,
) -> rusqlite::Result<SessionSeed> {
    Ok(SessionSeed { muted: mutes(connection, user)?, ratings: ratings_of(connection, user)? })
}

/// Gives the users of a database from before there were skeletons theirs.
pub(super) fn fill_skeletons(connection: &Connection) -> rusqlite::Result<()> {
    let mut select = connection.prepare("SELECT id, name FROM users WHERE skeleton IS NULL")?;
    let mut update = connection.prepare("UPDATE users SET skeleton = ?2 WHERE id = ?1")?;
    let missing: Vec<(i64, UserName)> = select
        .query_map([], |row| Ok((row.get(0)?, read_name(row, 1)?)))?
        .collect::<Result<_, _>>()?;
    for (id, name) in missing {
        update.execute(params![id, skeleton(&name)])?;
    }
    Ok(())
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

    /// Makes a user, unless the name is taken by another or looks like another's. The house is let
    /// in whatever others are called.
    pub(crate) async fn create_user(&self, new: NewUser) -> Result<CreateUserOutcome, StoreError> {
        self.writer.write(move |connection| add_user(connection, new)).await
    }

    /// The same for somebody who comes in at once, with this token.
    pub(crate) async fn create_user_with(
        &self,
        new: NewUser,
        token: NewToken,
    ) -> Result<CreateUserOutcome, StoreError> {
        self.writer
            .write(move |connection| {
                let naming = add_user(connection, new)?;
                if let CreateUserOutcome::Given(user) = &naming {
                    insert_first_token(connection, user.id, &token)?;
                }
                Ok(naming)
            })
            .await
    }

    /// What a session of a user begins with.
    pub(crate) async fn session_seed(&self, user: UserName) -> Result<SessionSeed, StoreError> {
        self.read_with(move |connection| session_seed(connection, &user)).await
    }

    /// Whether somebody may have this name, and if not because of whom.
    pub(crate) async fn find_alike(&self, name: UserName) -> Result<Option<UserName>, StoreError> {
        self.read_with(move |connection| by_skeleton(connection, &name, None)).await
    }

    /// Turns a guest into an account, under a new name if wished, and forgets the guest's tokens.
    /// `None` if the guest is none any more.
    pub(crate) async fn upgrade_guest(
        &self,
        guest: UserId,
        name: UserName,
        password_hash: String,
        now_ms: u64,
    ) -> Result<Option<CreateUserOutcome>, StoreError> {
        self.writer
            .write(move |connection| {
                if let Some(like) = by_skeleton(connection, &name, Some(guest))? {
                    return Ok(Some(CreateUserOutcome::Taken(like)));
                }
                let changed = connection.execute(
                    "UPDATE users SET name = ?1, folded = ?2, skeleton = ?3, password_hash = ?4,
                         account_since = ?5
                     WHERE id = ?6 AND password_hash IS NULL AND house = 0 AND owner IS NULL",
                    params![
                        name.as_str(),
                        name.folded().as_str(),
                        skeleton(&name),
                        password_hash,
                        epoch(now_ms),
                        guest.0
                    ],
                )?;
                if changed == 0 {
                    return Ok(None);
                }
                connection.execute("DELETE FROM tokens WHERE user = ?1", [guest.0])?;
                Ok(Some(CreateUserOutcome::Given(by_id(connection, guest)?)))
            })
            .await
    }

    /// A user's bots, the oldest first.
    pub(crate) async fn bots_of(&self, owner: UserId) -> Result<Vec<StoredBot>, StoreError> {
        self.read_with(move |connection| {
            connection
                .prepare_cached(
                    "SELECT name, created_at,
                            (SELECT COUNT(*) FROM tokens WHERE tokens.user = users.id)
                     FROM users WHERE owner = ?1 ORDER BY id",
                )?
                .query_map([owner.0], |row| {
                    Ok(StoredBot {
                        name: read_name(row, 0)?,
                        created_at: loaded(row.get(1)?),
                        tokens: row.get(2)?,
                    })
                })?
                .collect()
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
        let next = self.read_with(move |connection| games::rematch_of(connection, &game)).await?;
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
