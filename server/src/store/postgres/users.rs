//! Statements on users.

use adamant_protocol::{UserName, values::UserSettings};
use futures::{FutureExt as _, future::BoxFuture};

use super::{
    columns::{
        SqlResult, USER_COLUMNS, USER_COLUMNS_COUNT, read_count, read_name, read_u64, read_user,
    },
    postgres::Postgres,
    session_seed::{session_seed, settings_of},
    token_rows::insert_first_token,
    transaction::Transaction,
    tries::Tries,
    values::to_sql,
};
use crate::{
    limits::BOTS_PER_OWNER_MAX,
    store::{
        CreateUserOutcome, FoundUser, NewToken, NewUser, NewUserKind, SessionSeed, StoreError,
        StoredBot, User, UserId, Users, names::skeleton,
    },
};

/// Waits until no other transaction stores a name that looks like this one. Names that look alike
/// have one skeleton, but older ones may share it, so that no unique key can keep them apart.
async fn lock_lookalikes(tx: &Transaction, name: &UserName) -> SqlResult<()> {
    let lock = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))";
    tx.execute(lock, &[&skeleton(name)]).await?;
    Ok(())
}

/// Waits until no other transaction counts what belongs to this user.
pub(super) async fn lock_user(tx: &Transaction, user: UserId) -> SqlResult<()> {
    tx.execute("SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE", &[&user.0]).await?;
    Ok(())
}

pub(super) async fn find_user(tx: &Transaction, name: &UserName) -> SqlResult<Option<FoundUser>> {
    let select = format!("SELECT {USER_COLUMNS}, users.password_hash FROM users WHERE folded = $1");
    let found = tx.query_opt(&select, &[&name.folded().as_str()]).await?;
    found.map(|row| Ok((read_user(&row)?, row.try_get(USER_COLUMNS_COUNT)?))).transpose()
}

async fn by_id(tx: &Transaction, id: UserId) -> SqlResult<User> {
    let select = format!("SELECT {USER_COLUMNS} FROM users WHERE id = $1");
    read_user(&tx.query_one(&select, &[&id.0]).await?)
}

/// Returns a user name that looks like this one, preferably the same name; `besides` is ignored.
pub(super) async fn find_lookalike(
    tx: &Transaction,
    name: &UserName,
    besides: Option<UserId>,
) -> SqlResult<Option<UserName>> {
    let select = "SELECT name FROM users WHERE skeleton = $1 AND id IS DISTINCT FROM $2
                  ORDER BY folded = $3 DESC LIMIT 1";
    let besides = besides.map(|user| user.0);
    let found = tx.query_opt(select, &[&skeleton(name), &besides, &name.folded().as_str()]).await?;
    found.map(|row| read_name(&row, 0)).transpose()
}

/// Creates a user, perhaps with a first token.
pub(super) async fn create_user(
    tx: &Transaction,
    new: &NewUser,
    token: Option<&NewToken>,
    tries: &Tries<UserId>,
) -> SqlResult<CreateUserOutcome> {
    lock_lookalikes(tx, &new.name).await?;
    let same = find_user(tx, &new.name).await?.map(|(user, _)| user);
    let like = match (same, &new.kind) {
        (Some(user), _) if tries.has(&user.id) => return Ok(CreateUserOutcome::Created(user)),
        (Some(user), _) => Some(user.name),
        (None, NewUserKind::House) => None,
        (None, NewUserKind::Guest | NewUserKind::Account(_) | NewUserKind::Bot(_)) => {
            find_lookalike(tx, &new.name, None).await?
        }
    };
    if let Some(like) = like {
        return Ok(CreateUserOutcome::NameTaken(like));
    }
    let outcome = insert_user(tx, new).await?;
    if let CreateUserOutcome::Created(user) = &outcome {
        tries.note(user.id);
        if let Some(token) = token {
            insert_first_token(tx, user.id, token).await?;
        }
    }
    Ok(outcome)
}

async fn insert_user(tx: &Transaction, new: &NewUser) -> SqlResult<CreateUserOutcome> {
    let NewUser { name, kind, created_at } = new;
    let mut owner = None;
    let mut hash = None;
    match kind {
        NewUserKind::Guest | NewUserKind::House => {}
        NewUserKind::Account(password_hash) => hash = Some(password_hash),
        NewUserKind::Bot(of) => {
            lock_user(tx, *of).await?;
            let count = "SELECT COUNT(*) FROM users WHERE owner_id = $1";
            if read_count(&tx.query_one(count, &[&of.0]).await?, 0)? >= BOTS_PER_OWNER_MAX {
                return Ok(CreateUserOutcome::BotLimitReached);
            }
            owner = Some(of.0);
        }
    }
    let insert =
        "INSERT INTO users (name, folded, skeleton, password_hash, house, owner_id, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id";
    let house = *kind == NewUserKind::House;
    let row = tx
        .query_one(
            insert,
            &[
                &name.as_str(),
                &name.folded().as_str(),
                &skeleton(name),
                &hash,
                &house,
                &owner,
                &to_sql(*created_at),
            ],
        )
        .await?;
    Ok(CreateUserOutcome::Created(by_id(tx, UserId(row.try_get(0)?)).await?))
}

/// A guest who becomes an account.
#[derive(Debug)]
pub(super) struct Upgrade {
    pub(super) guest: UserId,
    pub(super) name: UserName,
    pub(super) password_hash: String,
    pub(super) now_ms: u64,
    pub(super) tries: Tries<UserId>,
}

pub(super) async fn upgrade_guest(
    tx: &Transaction,
    upgrade: &Upgrade,
) -> SqlResult<Option<CreateUserOutcome>> {
    let Upgrade { guest, name, password_hash, now_ms, tries } = upgrade;
    lock_lookalikes(tx, name).await?;
    if tries.has(guest) {
        let stored = tx
            .query_opt(
                "SELECT password_hash = $2 FROM users WHERE id = $1",
                &[&guest.0, password_hash],
            )
            .await?;
        let is_ours: Option<bool> = stored.map(|row| row.try_get(0)).transpose()?.flatten();
        if is_ours == Some(true) {
            return Ok(Some(CreateUserOutcome::Created(by_id(tx, *guest).await?)));
        }
    }
    if let Some(like) = find_lookalike(tx, name, Some(*guest)).await? {
        return Ok(Some(CreateUserOutcome::NameTaken(like)));
    }
    let changed = tx
        .execute(
            "UPDATE users SET name = $1, folded = $2, skeleton = $3, password_hash = $4,
                 account_since = $5
             WHERE id = $6 AND password_hash IS NULL AND NOT house AND owner_id IS NULL",
            &[
                &name.as_str(),
                &name.folded().as_str(),
                &skeleton(name),
                password_hash,
                &to_sql(*now_ms),
                &guest.0,
            ],
        )
        .await?;
    if changed == 0 {
        return Ok(None);
    }
    tries.note(*guest);
    tx.execute("DELETE FROM tokens WHERE user_id = $1", &[&guest.0]).await?;
    Ok(Some(CreateUserOutcome::Created(by_id(tx, *guest).await?)))
}

pub(super) async fn bots_of(tx: &Transaction, owner: UserId) -> SqlResult<Vec<StoredBot>> {
    let select = "SELECT name, created_at,
                      (SELECT COUNT(*) FROM tokens WHERE tokens.user_id = users.id)
                  FROM users WHERE owner_id = $1 ORDER BY id";
    let rows = tx.query(select, &[&owner.0]).await?;
    rows.iter()
        .map(|row| {
            Ok(StoredBot {
                name: read_name(row, 0)?,
                created_at: read_u64(row, 1)?,
                tokens: read_count(row, 2)?,
            })
        })
        .collect()
}

pub(super) async fn set_settings(
    tx: &Transaction,
    user: &UserName,
    settings: &UserSettings,
) -> SqlResult<()> {
    let text = serde_json::to_string(settings).expect("settings are plain data");
    let update = "UPDATE users SET settings = $2 WHERE folded = $1";
    tx.execute(update, &[&user.folded().as_str(), &text]).await?;
    Ok(())
}

impl Postgres {
    async fn create(
        &self,
        new: NewUser,
        token: Option<NewToken>,
    ) -> Result<CreateUserOutcome, StoreError> {
        self.pool()
            .transact((new, token, Tries::default()), |tx, (new, token, tries)| {
                create_user(tx, new, token.as_ref(), tries).boxed()
            })
            .await
    }
}

impl Users for Postgres {
    fn find_user(&self, name: UserName) -> BoxFuture<'_, Result<Option<FoundUser>, StoreError>> {
        self.pool().read(name, |tx, name| find_user(tx, name).boxed()).boxed()
    }

    fn create_user(&self, new: NewUser) -> BoxFuture<'_, Result<CreateUserOutcome, StoreError>> {
        self.create(new, None).boxed()
    }

    fn create_user_with(
        &self,
        new: NewUser,
        token: NewToken,
    ) -> BoxFuture<'_, Result<CreateUserOutcome, StoreError>> {
        self.create(new, Some(token)).boxed()
    }

    fn find_lookalike(
        &self,
        name: UserName,
    ) -> BoxFuture<'_, Result<Option<UserName>, StoreError>> {
        self.pool().read(name, |tx, name| find_lookalike(tx, name, None).boxed()).boxed()
    }

    fn upgrade_guest(
        &self,
        guest: UserId,
        name: UserName,
        password_hash: String,
        now_ms: u64,
    ) -> BoxFuture<'_, Result<Option<CreateUserOutcome>, StoreError>> {
        let upgrade = Upgrade { guest, name, password_hash, now_ms, tries: Tries::default() };
        self.pool().transact(upgrade, |tx, upgrade| upgrade_guest(tx, upgrade).boxed()).boxed()
    }

    fn bots_of(&self, owner: UserId) -> BoxFuture<'_, Result<Vec<StoredBot>, StoreError>> {
        self.pool().read(owner, |tx, owner| bots_of(tx, *owner).boxed()).boxed()
    }

    fn settings(&self, user: UserName) -> BoxFuture<'_, Result<UserSettings, StoreError>> {
        self.pool().read(user, |tx, user| settings_of(tx, user).boxed()).boxed()
    }

    fn set_settings(
        &self,
        user: UserName,
        settings: UserSettings,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.pool()
            .transact((user, settings), |tx, (user, settings)| {
                set_settings(tx, user, settings).boxed()
            })
            .boxed()
    }

    fn session_seed(&self, user: UserName) -> BoxFuture<'_, Result<SessionSeed, StoreError>> {
        self.pool().read(user, |tx, user| session_seed(tx, user).boxed()).boxed()
    }
}
