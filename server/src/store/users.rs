//! Users, with what a session of one starts with, and names that look too much like another.

use std::{collections::HashSet, sync::LazyLock};

use adamant_protocol::{UserName, to_client::Notice, values::UserSettings};

use super::{
    ratings::ratings_of,
    relations::hidden,
    sql::{Row, Sql, SqlError, SqlResult, params},
    store::operations,
    user_notices::notices_of,
};
use crate::{
    limits::BOTS_PER_OWNER_MAX,
    ratings::{Pool, Rating},
};

pub(crate) const GUEST_LABEL: &str = "guest";

/// Identifies a user. It never changes, unlike the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct UserId(pub i64);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct User {
    pub id: UserId,
    /// The name in the user's spelling.
    pub name: UserName,
    pub guest: bool,
    pub house: bool,
    pub owner: Option<UserName>,
    /// The time from which the user, or the bot's owner, has an account, in epoch milliseconds.
    pub account_since: Option<u64>,
}

impl User {
    pub(crate) const fn is_bot(&self) -> bool {
        self.house || self.owner.is_some()
    }
}

#[derive(Debug, Clone)]
pub(crate) struct NewUser {
    pub name: UserName,
    pub kind: NewUserKind,
    pub created_at: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NewUserKind {
    Guest,
    Account(String),
    Bot(UserId),
    House,
}

/// A token to store. The store has only the digest of its secret.
#[derive(Debug, Clone)]
pub(crate) struct NewToken {
    /// BLAKE3 of the secret. The secret is random, so that a fast hash is enough.
    pub digest: [u8; 32],
    pub label: Box<str>,
    pub bot: bool,
    pub created_at: u64,
    pub expires_at: Option<u64>,
    /// The time of the first use, if that is now, in epoch milliseconds.
    pub used_at: Option<u64>,
    /// The hash that the user's password has matched. If the stored hash is another by now, the
    /// token is not stored.
    pub password_hash: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CreateUserOutcome {
    Created(User),
    /// This name exists and is the same or looks like it.
    NameTaken(UserName),
    BotLimitReached,
}

/// What came of making a guest an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum UpgradeOutcome {
    Upgraded(User),
    /// This name exists and is the same or looks like it.
    NameTaken(UserName),
    /// Games are live under the guest's name, and another one was chosen.
    HasLiveGames,
    /// The user is no guest any more.
    NoGuest,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SessionSeed {
    pub muted: Vec<UserName>,
    pub ratings: Vec<(Pool, Rating)>,
    pub settings: UserSettings,
    /// What the user has yet to read.
    pub notices: Vec<Notice>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredBot {
    pub name: UserName,
    pub created_at: u64,
    pub tokens: u32,
}

pub(crate) type FoundUser = (User, Option<String>);

pub(super) const USER_COLUMNS: &str =
    "users.id, users.name, users.password_hash IS NULL, users.house,
     (SELECT owner.name FROM users AS owner WHERE owner.id = users.owner_id),
     (SELECT COALESCE(account.account_since, account.created_at) FROM users AS account
      WHERE account.id = COALESCE(users.owner_id, users.id)
        AND account.password_hash IS NOT NULL)";

pub(super) const USER_COLUMNS_COUNT: usize = 6;

pub(super) fn read_user(row: &mut Row) -> SqlResult<User> {
    let without_password: bool = row.get(2)?;
    let house: bool = row.get(3)?;
    let owner: Option<UserName> = row.parse_optional(4)?;
    let guest = without_password && !house && owner.is_none();
    let (id, name) = (UserId(row.get(0)?), row.parse(1)?);
    Ok(User { id, name, guest, house, owner, account_since: row.get(5)? })
}

/// The key by which transactions that store names wait for each other. Names that look alike have
/// one skeleton, but the server's own bots may share it, so that no unique key can keep them apart.
fn lookalikes(name: &UserName) -> Vec<String> {
    vec![format!("name {}", skeleton(name))]
}

/// The key by which transactions that count what belongs to a user wait for each other.
pub(super) fn belongings(user: UserId) -> Vec<String> {
    vec![format!("user {}", user.0)]
}

pub(super) async fn find_user(sql: &impl Sql, name: &UserName) -> SqlResult<Option<FoundUser>> {
    let select = format!("SELECT {USER_COLUMNS}, users.password_hash FROM users WHERE folded = $1");
    let found = sql.first(&select, params![name.folded().as_str()]).await?;
    found.map(|mut row| Ok((read_user(&mut row)?, row.get(USER_COLUMNS_COUNT)?))).transpose()
}

/// Returns those of the names that no account has. A guest may have one of them.
pub(super) async fn without_account(
    sql: &impl Sql,
    names: &[UserName],
) -> SqlResult<Vec<UserName>> {
    let mut without = Vec::new();
    for name in names {
        let found = find_user(sql, name).await?;
        if found.is_none_or(|(_, password)| password.is_none()) {
            without.push(name.clone());
        }
    }
    Ok(without)
}

async fn by_id(sql: &impl Sql, id: UserId) -> SqlResult<User> {
    let select = format!("SELECT {USER_COLUMNS} FROM users WHERE id = $1");
    let found = sql.first(&select, params![id.0]).await?;
    read_user(&mut found.ok_or_else(|| SqlError::Unreadable(format!("no user {}", id.0)))?)
}

/// Returns a user name that looks like this one, preferably the same name; `besides` is ignored.
async fn find_lookalike(
    sql: &impl Sql,
    name: &UserName,
    besides: Option<UserId>,
) -> SqlResult<Option<UserName>> {
    let select = "SELECT name FROM users WHERE skeleton = $1 AND id <> $2";
    // No user has the number 0.
    let besides = besides.map_or(0, |user| user.0);
    let mut rows = sql.query(select, params![skeleton(name), besides]).await?;
    let alike = rows.iter_mut().map(|row| row.parse(0)).collect::<SqlResult<Vec<UserName>>>()?;
    // There are at most two: the name of a server bot may look like another.
    let same = alike.iter().find(|like| like.is_same(name.as_str()));
    Ok(same.or(alike.first()).cloned())
}

async fn create_user(
    sql: &impl Sql,
    new: &NewUser,
    token: Option<&NewToken>,
) -> SqlResult<CreateUserOutcome> {
    sql.lock(lookalikes(&new.name)).await?;
    let like = match new.kind {
        NewUserKind::House => find_user(sql, &new.name).await?.map(|(user, _)| user.name),
        NewUserKind::Guest | NewUserKind::Account(_) | NewUserKind::Bot(_) => {
            find_lookalike(sql, &new.name, None).await?
        }
    };
    if let Some(like) = like {
        return Ok(CreateUserOutcome::NameTaken(like));
    }
    let outcome = insert_user(sql, new).await?;
    if let (CreateUserOutcome::Created(user), Some(token)) = (&outcome, token) {
        insert_token(sql, user.id, token).await?;
    }
    Ok(outcome)
}

async fn insert_user(sql: &impl Sql, new: &NewUser) -> SqlResult<CreateUserOutcome> {
    let NewUser { name, kind, created_at } = new;
    let (mut owner, mut hash) = (None, None);
    match kind {
        NewUserKind::Guest | NewUserKind::House => {}
        NewUserKind::Account(password_hash) => hash = Some(password_hash.as_str()),
        NewUserKind::Bot(of) => {
            sql.lock(belongings(*of)).await?;
            let count = "SELECT COUNT(*) FROM users WHERE owner_id = $1";
            if sql.count(count, params![of.0]).await? >= BOTS_PER_OWNER_MAX as usize {
                return Ok(CreateUserOutcome::BotLimitReached);
            }
            owner = Some(of.0);
        }
    }
    let insert =
        "INSERT INTO users (name, folded, skeleton, password_hash, house, owner_id, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id";
    let is_house = *kind == NewUserKind::House;
    let (folded, skeleton) = (name.folded(), skeleton(name));
    let params =
        params![name.as_str(), folded.as_str(), skeleton, hash, is_house, owner, *created_at];
    let inserted = sql.first(insert, params).await?;
    let id = UserId(inserted.map_or(Ok(0), |mut row| row.get(0))?);
    if owner.is_some() {
        return Ok(CreateUserOutcome::Created(by_id(sql, id).await?));
    }
    Ok(CreateUserOutcome::Created(User {
        id,
        name: name.clone(),
        guest: *kind == NewUserKind::Guest,
        house: is_house,
        owner: None,
        account_since: hash.map(|_| *created_at),
    }))
}

pub(super) async fn insert_token(sql: &impl Sql, owner: UserId, new: &NewToken) -> SqlResult<()> {
    let insert = "INSERT INTO tokens (digest, user_id, label, bot, created_at, expires_at, used_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let NewToken { digest, label, bot, created_at, expires_at, used_at, password_hash: _ } = new;
    let (digest, label) = (digest.as_slice(), label.as_bytes());
    let params = params![digest, owner.0, label, *bot, *created_at, *expires_at, *used_at];
    sql.execute(insert, params).await?;
    Ok(())
}

async fn upgrade_guest(
    sql: &impl Sql,
    guest: UserId,
    name: &UserName,
    password_hash: &str,
    now_ms: u64,
) -> SqlResult<UpgradeOutcome> {
    sql.lock(lookalikes(name)).await?;
    sql.lock(belongings(guest)).await?;
    if let Some(like) = find_lookalike(sql, name, Some(guest)).await? {
        return Ok(UpgradeOutcome::NameTaken(like));
    }
    let select = "SELECT name FROM users
         WHERE id = $1 AND password_hash IS NULL AND NOT house AND owner_id IS NULL";
    let Some(mut found) = sql.first(select, params![guest.0]).await? else {
        return Ok(UpgradeOutcome::NoGuest);
    };
    let former: UserName = found.parse(0)?;
    let is_renamed = !former.is_same(name.as_str());
    let live = "SELECT 1 FROM game_users WHERE user_name = $1 AND ended_at IS NULL";
    if is_renamed && sql.exists(live, params![former.folded().as_str()]).await? {
        return Ok(UpgradeOutcome::HasLiveGames);
    }
    let update = "UPDATE users SET name = $1, folded = $2, skeleton = $3, password_hash = $4,
             account_since = $5
         WHERE id = $6";
    let (folded, skeleton) = (name.folded(), skeleton(name));
    let params = params![name.as_str(), folded.as_str(), skeleton, password_hash, now_ms, guest.0];
    sql.execute(update, params).await?;
    sql.execute("DELETE FROM tokens WHERE user_id = $1", params![guest.0]).await?;
    if is_renamed {
        keep_former_name(sql, guest, &former, name).await?;
    }
    Ok(UpgradeOutcome::Upgraded(by_id(sql, guest).await?))
}

/// Keeps the name that stands in the records of a renamed user's games: it becomes that of a guest
/// without a token, so that nobody else takes it. The games are listed under both names.
async fn keep_former_name(
    sql: &impl Sql,
    user: UserId,
    former: &UserName,
    name: &UserName,
) -> SqlResult<()> {
    let insert = "INSERT INTO users (name, folded, skeleton, created_at)
         SELECT $1, $2, $3, created_at FROM users
         WHERE id = $4 AND EXISTS (SELECT 1 FROM game_users WHERE user_name = $2)";
    let (folded, skeleton) = (former.folded(), skeleton(former));
    let params = params![former.as_str(), folded.as_str(), skeleton, user.0];
    sql.execute(insert, params).await?;
    let insert = "INSERT INTO game_users
             (user_name, game, rules, players, unlisted, started_at, ended_at)
         SELECT $1, game, rules, players, unlisted, started_at, ended_at
         FROM game_users WHERE user_name = $2";
    sql.execute(insert, params![name.folded().as_str(), folded.as_str()]).await?;
    Ok(())
}

/// What became of a wish to rename a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RenameOutcome {
    Renamed,
    /// This name exists and is the same or looks like it.
    NameTaken(UserName),
    /// Records name the user.
    HasGames,
}

/// Renames a user who has never played: no record can be changed.
pub(super) async fn rename(
    sql: &impl Sql,
    user: UserId,
    name: &UserName,
) -> SqlResult<RenameOutcome> {
    sql.lock(lookalikes(name)).await?;
    sql.lock(belongings(user)).await?;
    if let Some(like) = find_lookalike(sql, name, Some(user)).await? {
        return Ok(RenameOutcome::NameTaken(like));
    }
    let update = "UPDATE users SET name = $1, folded = $2, skeleton = $3
         WHERE id = $4 AND NOT EXISTS (
             SELECT 1 FROM game_users WHERE game_users.user_name = users.folded)";
    let params = params![name.as_str(), name.folded().as_str(), skeleton(name), user.0];
    let renamed = sql.execute(update, params).await? > 0;
    Ok(if renamed { RenameOutcome::Renamed } else { RenameOutcome::HasGames })
}

async fn bots_of(sql: &impl Sql, owner: UserId) -> SqlResult<Vec<StoredBot>> {
    let select = "SELECT name, created_at,
                      (SELECT COUNT(*) FROM tokens WHERE tokens.user_id = users.id)
                  FROM users WHERE owner_id = $1 ORDER BY id";
    let rows = sql.query(select, params![owner.0]).await?;
    let bot = |mut row: Row| {
        Ok(StoredBot { name: row.parse(0)?, created_at: row.get(1)?, tokens: row.get(2)? })
    };
    rows.into_iter().map(bot).collect()
}

async fn settings_of(sql: &impl Sql, user: &UserName) -> SqlResult<UserSettings> {
    let select = "SELECT settings FROM users WHERE folded = $1";
    let found = sql.first(select, params![user.folded().as_str()]).await?;
    let stored: Option<Box<str>> = found.map_or(Ok(None), |mut row| row.get(0))?;
    Ok(read_settings(stored.as_deref(), user))
}

/// Reads the column of settings; NULL means the default ones.
pub(super) fn read_settings(stored: Option<&str>, user: &UserName) -> UserSettings {
    let Some(text) = stored else { return UserSettings::default() };
    serde_json::from_str(text).unwrap_or_else(|error| {
        // operator: the database is damaged; the default settings hold. Run `adamant-server check`
        tracing::error!(%user, %error, "the stored settings of a user are unreadable");
        UserSettings::default()
    })
}

async fn set_settings(sql: &impl Sql, user: &UserName, settings: &UserSettings) -> SqlResult<()> {
    let text = serde_json::to_string(settings).expect("settings are plain data");
    let update = "UPDATE users SET settings = $2 WHERE folded = $1";
    sql.execute(update, params![user.folded().as_str(), text]).await?;
    Ok(())
}

async fn session_seed(sql: &impl Sql, user: &UserName) -> SqlResult<SessionSeed> {
    Ok(SessionSeed {
        muted: hidden(sql, user).await?,
        ratings: ratings_of(sql, user).await?,
        settings: settings_of(sql, user).await?,
        notices: notices_of(sql, user).await?,
    })
}

operations! {
    /// Returns the user with a name, and the password's hash if there is one.
    fn find_user(name: UserName) -> Option<FoundUser> = read_unconfirmed(find_user(name));
    /// Returns those of the names that no account has.
    fn without_account(names: Vec<UserName>) -> Vec<UserName> =
        read_unconfirmed(without_account(names));
    /// Creates a user, unless another user's name is the same or looks like it. Lookalikes do not
    /// matter for the server's own bots. With a token the user logs in at once.
    fn create_user(new: NewUser, token: Option<NewToken>) -> CreateUserOutcome =
        transact(create_user(new, token.as_ref()));
    fn find_lookalike(name: UserName) -> Option<UserName> =
        read_unconfirmed(find_lookalike(name, None));
    /// Makes a guest an account with this name, and deletes the guest's tokens. Finished games keep
    /// the guest's name in their records.
    fn upgrade_guest(
        guest: UserId, name: UserName, password_hash: String, now_ms: u64,
    ) -> UpgradeOutcome = transact(upgrade_guest(*guest, name, password_hash, *now_ms));
    fn bots_of(owner: UserId) -> Vec<StoredBot> = read_unconfirmed(bots_of(*owner));
    fn settings(user: UserName) -> UserSettings = read_unconfirmed(settings_of(user));
    fn set_settings(user: UserName, settings: UserSettings) -> () =
        transact(set_settings(user, settings));
    fn session_seed(user: UserName) -> SessionSeed = read_unconfirmed(session_seed(user));
}

/// Names that suggest the server, its staff or no user at all, for the server's own bots alone.
const RESERVED: &str = "adamant admin administrator anonymous everybody everyone house house-1b house-2 house-2b \
    house-3 house-3b house-4b house-5 house-5b house-6 house-6b house-7 house-7b house-8b house-easy house-hard mod moderator nobody null official operator owner root \
    server staff superuser support system";

/// Their skeletons.
static RESERVED_SKELETONS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let names = RESERVED.split(' ').map(|name| name.parse().expect("reserved names are names"));
    names.map(|name| skeleton(&name)).collect()
});

pub(crate) fn has_name(names: &[UserName], user: &UserName) -> bool {
    names.iter().any(|name| name.is_same(user.as_str()))
}

/// Returns the skeleton of a name (Unicode TS 39): names that look alike have the same one. Names
/// ignore case, so that `i` looks like `1` and `l` because `I` does. A letter that looks like a
/// pair is replaced by the pair, such as `m` by `rn`.
pub(crate) fn skeleton(name: &UserName) -> String {
    let mut skeleton = String::with_capacity(2 * name.as_str().len());
    for letter in name.as_str().chars() {
        match letter.to_ascii_lowercase() {
            '0' => skeleton.push('o'),
            '1' | 'i' => skeleton.push('l'),
            '-' => skeleton.push('_'),
            'm' => skeleton.push_str("rn"),
            'w' => skeleton.push_str("vv"),
            other => skeleton.push(other),
        }
    }
    skeleton
}

/// Returns whether the name is reserved or looks like a reserved one.
pub(crate) fn is_reserved(name: &UserName) -> bool {
    RESERVED_SKELETONS.contains(&skeleton(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> String {
        skeleton(&name.parse().unwrap())
    }

    #[test]
    fn names_that_look_alike_have_one_skeleton() {
        let alike: [&[&str]; 8] = [
            &["bob", "BOB", "b0b", "bOb", "B0B"],
            &["bill", "b1ll", "bi11", "BIll", "b1l1", "BILL"],
            &["alice", "al1ce", "aIice", "ALICE", "allce"],
            &["mary", "rnary", "MARY", "RNary"],
            &["will", "vvill", "VVILL", "vVi1l"],
            &["ann_bob", "ann-bob", "ANN-BOB"],
            &["vvv", "wv", "vw"],
            &["rnrn", "mm", "rnm", "mrn"],
        ];
        for group in alike {
            for name in group {
                assert_eq!(of(name), of(group[0]), "{name} and {}", group[0]);
            }
        }
    }

    #[test]
    fn different_names_have_different_skeletons() {
        let apart = [
            ("ann", "anna"),
            ("ann1", "ann2"),
            ("annbob", "ann_bob"),
            ("guest-1001", "guest-1010"),
            ("mary", "nary"),
            ("bob", "bod"),
            ("s5", "ss"),
        ];
        for (one, other) in apart {
            assert_ne!(of(one), of(other), "{one} and {other}");
        }
    }

    #[test]
    fn reserved_names_and_their_lookalikes_are_reserved() {
        let reserved =
            "house H0USE house-easy House_Hard house-2 h0use_7 admin ADM1N Adrnin system root r00t";
        for name in reserved.split(' ') {
            assert!(is_reserved(&name.parse().unwrap()), "{name}");
        }
        for name in ["houses", "house-4", "admin2", "ann", "sysop"] {
            assert!(!is_reserved(&name.parse().unwrap()), "{name}");
        }
    }
}
