//! Statements on users.

use adamant_protocol::{UserName, values::UserSettings};
use futures::{FutureExt as _, future::BoxFuture};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::{
    database::Sqlite,
    rows::{USER_COLUMNS, USER_COLUMNS_COUNT, from_sql, read_name, to_sql, user},
    session_seed::{session_seed, settings_of},
    tokens::insert_first_token,
};
use crate::{
    limits::BOTS_PER_OWNER_MAX,
    store::{
        CreateUserOutcome, FoundUser, NewToken, NewUser, NewUserKind, SessionSeed, StoreError,
        StoredBot, User, UserId, Users, names::skeleton,
    },
};

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

/// Returns a user name that looks like this one, preferably the same name; `besides` is ignored.
fn find_lookalike(
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
    let house = kind == NewUserKind::House;
    match kind {
        NewUserKind::Guest | NewUserKind::House => {}
        NewUserKind::Account(password_hash) => hash = Some(password_hash),
        NewUserKind::Bot(of) => {
            let count: u32 = connection.query_row(
                "SELECT COUNT(*) FROM users WHERE owner = ?1",
                [of.0],
                |row| row.get(0),
            )?;
            if count >= BOTS_PER_OWNER_MAX {
                return Ok(CreateUserOutcome::BotLimitReached);
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
            to_sql(created_at)
        ])?;
    let id = UserId(connection.last_insert_rowid());
    Ok(CreateUserOutcome::Created(by_id(connection, id)?))
}

pub(super) fn add_user(
    connection: &Connection,
    new: NewUser,
) -> rusqlite::Result<CreateUserOutcome> {
    let like = match new.kind {
        NewUserKind::House => by_name(connection, &new.name)?.map(|(user, _)| user.name),
        NewUserKind::Guest | NewUserKind::Account(_) | NewUserKind::Bot(_) => {
            find_lookalike(connection, &new.name, None)?
        }
    };
    match like {
        Some(like) => Ok(CreateUserOutcome::NameTaken(like)),
        None => insert_user(connection, new),
    }
}

impl Users for Sqlite {
    fn find_user(&self, name: UserName) -> BoxFuture<'_, Result<Option<FoundUser>, StoreError>> {
        self.read_with(move |connection| by_name(connection, &name)).boxed()
    }

    fn create_user(&self, new: NewUser) -> BoxFuture<'_, Result<CreateUserOutcome, StoreError>> {
        self.writer.write(move |connection| add_user(connection, new)).boxed()
    }

    fn create_user_with(
        &self,
        new: NewUser,
        token: NewToken,
    ) -> BoxFuture<'_, Result<CreateUserOutcome, StoreError>> {
        self.writer
            .write(move |connection| {
                let outcome = add_user(connection, new)?;
                if let CreateUserOutcome::Created(user) = &outcome {
                    insert_first_token(connection, user.id, &token)?;
                }
                Ok(outcome)
            })
            .boxed()
    }

    fn find_lookalike(
        &self,
        name: UserName,
    ) -> BoxFuture<'_, Result<Option<UserName>, StoreError>> {
        self.read_with(move |connection| find_lookalike(connection, &name, None)).boxed()
    }

    fn upgrade_guest(
        &self,
        guest: UserId,
        name: UserName,
        password_hash: String,
        now_ms: u64,
    ) -> BoxFuture<'_, Result<Option<CreateUserOutcome>, StoreError>> {
        self.writer
            .write(move |connection| {
                if let Some(like) = find_lookalike(connection, &name, Some(guest))? {
                    return Ok(Some(CreateUserOutcome::NameTaken(like)));
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
                        to_sql(now_ms),
                        guest.0
                    ],
                )?;
                if changed == 0 {
                    return Ok(None);
                }
                connection.execute("DELETE FROM tokens WHERE user = ?1", [guest.0])?;
                Ok(Some(CreateUserOutcome::Created(by_id(connection, guest)?)))
            })
            .boxed()
    }

    fn bots_of(&self, owner: UserId) -> BoxFuture<'_, Result<Vec<StoredBot>, StoreError>> {
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
                        created_at: from_sql(row.get(1)?),
                        tokens: row.get(2)?,
                    })
                })?
                .collect()
        })
        .boxed()
    }

    fn settings(&self, user: UserName) -> BoxFuture<'_, Result<UserSettings, StoreError>> {
        self.read_with(move |connection| settings_of(connection, &user)).boxed()
    }

    fn set_settings(
        &self,
        user: UserName,
        settings: UserSettings,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.writer
            .write(move |connection| {
                let text = serde_json::to_string(&settings).expect("settings are plain data");
                connection
                    .prepare_cached("UPDATE users SET settings = ?2 WHERE folded = ?1")?
                    .execute([user.folded().as_str(), &text])?;
                Ok(())
            })
            .boxed()
    }

    fn session_seed(&self, user: UserName) -> BoxFuture<'_, Result<SessionSeed, StoreError>> {
        self.read_with(move |connection| session_seed(connection, &user)).boxed()
    }
}
