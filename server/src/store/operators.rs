//! What operators do: bans, notes about users, invitations, the policy, and the list of their acts.
//! Each act is stored in the transaction that carries it out.

use adamant_protocol::{
    UserName,
    to_client::{Notice, NoticeKind},
};

use super::{
    mail_addresses::{delete_mail_addresses, end_mailed_code},
    sql::{Row, Sql, SqlError, SqlResult, params},
    store::operations,
    tokens::Digest,
    user_notices::{add_notice, notices_key},
    users::{
        RenameOutcome, USER_COLUMNS, USER_COLUMNS_COUNT, User, UserId, belongings, read_user,
        rename,
    },
};
use crate::limits::BANS_MAX;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Act {
    pub at: u64,
    /// The Unix user.
    pub who: String,
    pub node: Option<String>,
    /// The user, network, game or code that it is about.
    pub subject: Option<String>,
    pub reason: Option<String>,
    pub request: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredAct {
    pub id: u64,
    pub act: Act,
}

/// Who is banned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BanSubject {
    User(UserId),
    /// In CIDR notation.
    Network(String),
}

/// What a user may no longer do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BanKind {
    /// Talk.
    Silence,
    /// Come.
    Ban,
    /// Come, and the account is closed.
    Closed,
}

impl BanKind {
    const ALL: [Self; 3] = [Self::Silence, Self::Ban, Self::Closed];

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Silence => "silence",
            Self::Ban => "ban",
            Self::Closed => "closed",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewBan {
    pub subject: BanSubject,
    pub kind: BanKind,
    pub until: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredBan {
    pub id: u64,
    pub user: Option<UserName>,
    pub network: Option<String>,
    pub kind: BanKind,
    pub reason: String,
    pub banned_by: String,
    pub banned_at: u64,
    pub until: Option<u64>,
    pub lifted_at: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ListedBans {
    /// Those that stand at a time, in epoch milliseconds.
    Standing(u64),
    All,
    Of(UserId),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredNote {
    pub noted_by: String,
    pub noted_at: u64,
    pub note: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredInvitation {
    pub code: String,
    pub uses: u32,
    pub made_by: String,
    pub made_at: u64,
    pub until: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListedUser {
    pub user: User,
    pub created_at: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct UserCounts {
    pub created_at: u64,
    /// Whether the user has closed the account.
    pub left: bool,
    pub live_games: u64,
    pub finished_games: u64,
    pub tokens: u64,
}

const BAN_COLUMNS: &str = "bans.id, users.name, bans.network, bans.kind, bans.reason,
     bans.banned_by, bans.banned_at, bans.until_at, bans.lifted_at";

fn read_ban(row: &mut Row) -> SqlResult<StoredBan> {
    let kind: Box<str> = row.get(3)?;
    let known = BanKind::ALL.into_iter().find(|known| *known.word() == *kind);
    Ok(StoredBan {
        id: row.get(0)?,
        user: row.parse_optional(1)?,
        network: row.get(2)?,
        kind: known.ok_or_else(|| SqlError::Unreadable(format!("a ban of kind {kind}")))?,
        reason: row.get(4)?,
        banned_by: row.get(5)?,
        banned_at: row.get(6)?,
        until: row.get(7)?,
        lifted_at: row.get(8)?,
    })
}

pub(super) async fn note_act(sql: &impl Sql, act: &Act) -> SqlResult<()> {
    let insert = "INSERT INTO admin_acts (at, who, node, subject, reason, request)
         VALUES ($1, $2, $3, $4, $5, $6)";
    let Act { at, who, node, subject, reason, request } = act.clone();
    sql.execute(insert, params![at, who, node, subject, reason, request]).await?;
    Ok(())
}

async fn acts(
    sql: &impl Sql,
    subject: Option<&String>,
    before: u64,
    limit: u32,
) -> SqlResult<Vec<StoredAct>> {
    let of = if subject.is_some() { "subject = $3 AND" } else { "" };
    let select = format!(
        "SELECT id, at, who, node, subject, reason, request FROM admin_acts
         WHERE {of} id < $1 ORDER BY id DESC LIMIT $2"
    );
    let read = |row: &mut Row| {
        let (id, at, who, node) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
        let (subject, reason, request) = (row.get(4)?, row.get(5)?, row.get(6)?);
        Ok(StoredAct { id, act: Act { at, who, node, subject, reason, request } })
    };
    let mut rows = match subject {
        Some(subject) => sql.query(&select, params![before, limit, subject]).await?,
        None => sql.query(&select, params![before, limit]).await?,
    };
    rows.iter_mut().map(read).collect()
}

async fn bans(sql: &impl Sql, listed: &ListedBans, limit: u32) -> SqlResult<Vec<StoredBan>> {
    let (condition, value) = match listed {
        ListedBans::Standing(now_ms) => {
            ("bans.lifted_at IS NULL AND (bans.until_at IS NULL OR bans.until_at > $1)", *now_ms)
        }
        ListedBans::All => ("bans.id > $1", 0),
        ListedBans::Of(user) => ("bans.user_id = $1", u64::try_from(user.0).unwrap_or_default()),
    };
    let select = format!(
        "SELECT {BAN_COLUMNS} FROM bans LEFT JOIN users ON users.id = bans.user_id
         WHERE {condition} ORDER BY bans.id DESC LIMIT $2"
    );
    sql.query(&select, params![value, limit]).await?.iter_mut().map(read_ban).collect()
}

/// Returns the bans that stand, each of a user once for the user and once for each bot.
async fn banned(sql: &impl Sql, now_ms: u64) -> SqlResult<Vec<StoredBan>> {
    let standing = "bans.lifted_at IS NULL AND (bans.until_at IS NULL OR bans.until_at > $1)";
    let select = format!(
        "SELECT {BAN_COLUMNS} FROM bans LEFT JOIN users ON users.id = bans.user_id
         WHERE {standing}
         UNION ALL SELECT {BAN_COLUMNS} FROM bans JOIN users ON users.owner_id = bans.user_id
         WHERE {standing} ORDER BY 1"
    );
    sql.query(&select, params![now_ms]).await?.iter_mut().map(read_ban).collect()
}

/// Notes that a user is warned; returns what the user is told.
pub(super) async fn warn(sql: &impl Sql, user: UserId, act: &Act) -> SqlResult<Notice> {
    let why = act.reason.clone().unwrap_or_default();
    add_note(sql, user, &format!("warned: {why}"), act).await?;
    Ok(Notice { text: Some(why.into()), ..Notice::new(NoticeKind::Warning, 0) })
}

/// What a user is told who is silenced. Who is banned is told by `hello`.
pub(super) fn silenced(new: &NewBan, act: &Act) -> Option<Notice> {
    (new.kind == BanKind::Silence).then(|| Notice {
        text: act.reason.clone().map(Into::into),
        until: new.until,
        ..Notice::new(NoticeKind::Silenced, 0)
    })
}

/// Adds a ban; `None` if there are as many as may stand at once. Also returns what the user is told
/// who is silenced.
async fn ban(
    sql: &impl Sql,
    new: &NewBan,
    act: &Act,
) -> SqlResult<Option<(StoredBan, Option<Notice>)>> {
    let Some(ban) = insert_ban(sql, new, act).await? else { return Ok(None) };
    note_act(sql, act).await?;
    let (BanSubject::User(user), Some(notice)) = (&new.subject, silenced(new, act)) else {
        return Ok(Some((ban, None)));
    };
    sql.lock(vec![notices_key(user.0)]).await?;
    Ok(Some((ban, Some(add_notice(sql, user.0, notice, act.at).await?))))
}

/// The same as part of another act.
pub(super) async fn insert_ban(
    sql: &impl Sql,
    new: &NewBan,
    act: &Act,
) -> SqlResult<Option<StoredBan>> {
    sql.lock(vec!["bans".to_owned()]).await?;
    let count = "SELECT COUNT(*) FROM bans WHERE lifted_at IS NULL
                   AND (until_at IS NULL OR until_at > $1)";
    if sql.count(count, params![act.at]).await? >= BANS_MAX as usize {
        return Ok(None);
    }
    let (user, network) = match &new.subject {
        BanSubject::User(user) => (Some(user.0), None),
        BanSubject::Network(network) => (None, Some(network)),
    };
    let insert = "INSERT INTO bans
             (user_id, network, kind, reason, banned_by, banned_at, until_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id";
    let (reason, who) = (act.reason.clone().unwrap_or_default(), act.who.clone());
    let inserted = params![user, network, new.kind.word(), reason, who, act.at, new.until];
    let id: i64 = sql.first(insert, inserted).await?.map_or(Ok(0), |mut row| row.get(0))?;
    if let (BanKind::Closed, BanSubject::User(user)) = (new.kind, &new.subject) {
        end_tokens_of(sql, *user).await?;
        sql.execute("DELETE FROM webhooks WHERE user_id = $1", params![user.0]).await?;
    }
    let select = format!(
        "SELECT {BAN_COLUMNS} FROM bans LEFT JOIN users ON users.id = bans.user_id
         WHERE bans.id = $1"
    );
    sql.first(&select, params![id]).await?.map(|mut row| read_ban(&mut row)).transpose()
}

/// Lifts a ban that stands; returns whether there was one.
async fn lift_ban(sql: &impl Sql, id: u64, act: &Act) -> SqlResult<bool> {
    let update = "UPDATE bans SET lifted_at = $2 WHERE id = $1 AND lifted_at IS NULL
                    AND (until_at IS NULL OR until_at > $2)";
    let lifted = sql.execute(update, params![id, act.at]).await? > 0;
    if lifted {
        note_act(sql, act).await?;
    }
    Ok(lifted)
}

/// Opens a closed account again; returns whether it was closed.
async fn reopen(sql: &impl Sql, user: UserId, act: &Act) -> SqlResult<bool> {
    let update = "UPDATE bans SET lifted_at = $2 WHERE user_id = $1 AND kind = 'closed'
                    AND lifted_at IS NULL";
    let reopened = sql.execute(update, params![user.0, act.at]).await? > 0;
    if reopened {
        note_act(sql, act).await?;
    }
    Ok(reopened)
}

/// Ends all tokens of a user and of the user's bots.
pub(super) async fn end_tokens_of(sql: &impl Sql, user: UserId) -> SqlResult<u64> {
    let delete = "DELETE FROM tokens WHERE user_id = $1
                    OR user_id IN (SELECT id FROM users WHERE owner_id = $1)";
    sql.execute(delete, params![user.0]).await
}

async fn log_out(
    sql: &impl Sql,
    user: UserId,
    token: Option<&Vec<u8>>,
    act: &Act,
) -> SqlResult<u64> {
    let ended = match token {
        Some(digest) => {
            sql.execute("DELETE FROM tokens WHERE digest = $1", params![digest.as_slice()]).await?
        }
        None => end_tokens_of(sql, user).await?,
    };
    note_act(sql, act).await?;
    Ok(ended)
}

async fn rename_user(
    sql: &impl Sql,
    user: UserId,
    name: &UserName,
    act: &Act,
) -> SqlResult<RenameOutcome> {
    let former = "SELECT folded FROM users WHERE id = $1";
    let former: Option<Box<str>> =
        sql.first(former, params![user.0]).await?.map(|mut row| row.get(0)).transpose()?;
    let outcome = rename(sql, user, name).await?;
    if outcome == RenameOutcome::Renamed {
        note_act(sql, act).await?;
        // The acts about a user are found under the name that the user has.
        let follow = "UPDATE admin_acts SET subject = $2 WHERE subject = $1";
        sql.execute(follow, params![former, name.folded().as_str()]).await?;
    }
    Ok(outcome)
}

async fn add_user_note(sql: &impl Sql, user: UserId, note: &str, act: &Act) -> SqlResult<()> {
    add_note(sql, user, note, act).await?;
    note_act(sql, act).await
}

/// The same as part of another act.
pub(super) async fn add_note(sql: &impl Sql, user: UserId, note: &str, act: &Act) -> SqlResult<()> {
    let insert = "INSERT INTO user_notes (user_id, noted_by, noted_at, note)
                  VALUES ($1, $2, $3, $4)";
    sql.execute(insert, params![user.0, act.who.clone(), act.at, note]).await?;
    Ok(())
}

/// Warns a user; returns what the user is told.
async fn warn_user(sql: &impl Sql, user: UserId, act: &Act) -> SqlResult<Notice> {
    sql.lock(vec![notices_key(user.0)]).await?;
    let notice = warn(sql, user, act).await?;
    note_act(sql, act).await?;
    add_notice(sql, user.0, notice, act.at).await
}

async fn user_notes(sql: &impl Sql, user: UserId, limit: u32) -> SqlResult<Vec<StoredNote>> {
    let select = "SELECT noted_by, noted_at, note FROM user_notes WHERE user_id = $1
                  ORDER BY id DESC LIMIT $2";
    let read = |row: &mut Row| {
        Ok(StoredNote { noted_by: row.get(0)?, noted_at: row.get(1)?, note: row.get(2)? })
    };
    sql.query(select, params![user.0, limit]).await?.iter_mut().map(read).collect()
}

/// Returns users by name whose names contain a text, after a name.
async fn list_users(
    sql: &impl Sql,
    containing: &str,
    after: &str,
    limit: u32,
) -> SqlResult<Vec<ListedUser>> {
    let select = format!(
        "SELECT {USER_COLUMNS}, users.created_at FROM users
         WHERE users.folded LIKE $1 ESCAPE '!' AND users.folded > $2
         ORDER BY users.folded LIMIT $3"
    );
    let pattern = format!("%{}%", containing.to_ascii_lowercase().replace('_', "!_"));
    let after = after.to_ascii_lowercase();
    let read = |row: &mut Row| {
        Ok(ListedUser { user: read_user(row)?, created_at: row.get(USER_COLUMNS_COUNT)? })
    };
    sql.query(&select, params![pattern, after, limit]).await?.iter_mut().map(read).collect()
}

async fn user_counts(sql: &impl Sql, user: UserId, name: &UserName) -> SqlResult<UserCounts> {
    let games = "SELECT COUNT(*) FROM game_users WHERE user_name = $1 AND ended_at IS";
    let (live, finished) = (format!("{games} NULL"), format!("{games} NOT NULL"));
    let (name, tokens) = (name.folded(), "SELECT COUNT(*) FROM tokens WHERE user_id = $1");
    let created =
        "SELECT created_at, COALESCE(password_hash, 'none') = '' FROM users WHERE id = $1";
    let created = sql.first(created, params![user.0]).await?;
    let (created_at, left) = match created {
        Some(mut row) => (row.get(0)?, row.get(1)?),
        None => (0, false),
    };
    Ok(UserCounts {
        created_at,
        left,
        live_games: sql.count(&live, params![name.as_str()]).await? as u64,
        finished_games: sql.count(&finished, params![name.as_str()]).await? as u64,
        tokens: sql.count(tokens, params![user.0]).await? as u64,
    })
}

/// Stores the code with which a user sets a new password, in place of an earlier one.
async fn set_reset_code(
    sql: &impl Sql,
    user: UserId,
    digest: Digest,
    until: u64,
    act: &Act,
) -> SqlResult<()> {
    put_reset_code(sql, user, digest, Some(until)).await?;
    note_act(sql, act).await
}

/// Stores the code that a user keeps for the day on which the password is lost, in place of an
/// earlier one.
async fn set_recovery_code(sql: &impl Sql, user: UserId, digest: Digest) -> SqlResult<()> {
    put_reset_code(sql, user, digest, None).await
}

/// A code that lasts for ever is the user's own.
async fn put_reset_code(
    sql: &impl Sql,
    user: UserId,
    digest: Digest,
    until: Option<u64>,
) -> SqlResult<()> {
    let write = "INSERT INTO reset_codes (user_id, recovery, digest, until_at)
         VALUES ($1, $2, $3, $4)
         ON CONFLICT (user_id, recovery) DO UPDATE SET digest = excluded.digest,
             until_at = excluded.until_at";
    sql.execute(write, params![user.0, until.is_none(), digest.as_slice(), until]).await.map(drop)
}

async fn reset_code(
    sql: &impl Sql,
    name: &UserName,
    digest: Digest,
    now_ms: u64,
) -> SqlResult<Option<User>> {
    let select = format!(
        "SELECT {USER_COLUMNS} FROM users WHERE users.folded = $1 AND (
             EXISTS (SELECT 1 FROM reset_codes
                 WHERE reset_codes.user_id = users.id AND digest = $2
                     AND (until_at IS NULL OR until_at > $3))
             OR EXISTS (SELECT 1 FROM mail_addresses
                 WHERE mail_addresses.user_id = users.id AND confirmed AND digest = $2
                     AND until_at > $3))"
    );
    let params = params![name.folded().as_str(), digest.as_slice(), now_ms];
    sql.first(&select, params).await?.map(|mut row| read_user(&mut row)).transpose()
}

/// Sets a password with a code, and ends all tokens of the user and of the user's bots. Returns
/// whether the code was valid.
async fn use_reset_code(
    sql: &impl Sql,
    user: UserId,
    digest: Digest,
    password_hash: &str,
    now_ms: u64,
) -> SqlResult<bool> {
    // A log-in that has compared the old hash has stored its token by now, or finds the new hash.
    sql.lock(belongings(user)).await?;
    let delete = "DELETE FROM reset_codes
         WHERE user_id = $1 AND digest = $2 AND (until_at IS NULL OR until_at > $3)";
    if sql.execute(delete, params![user.0, digest.as_slice(), now_ms]).await? > 0 {
        // Whoever had the password may have set the address.
        delete_mail_addresses(sql, user).await?;
    } else if !end_mailed_code(sql, user, digest, now_ms).await? {
        return Ok(false);
    }
    let update = "UPDATE users SET password_hash = $2 WHERE id = $1";
    sql.execute(update, params![user.0, password_hash]).await?;
    end_tokens_of(sql, user).await?;
    Ok(true)
}

async fn add_invitations(
    sql: &impl Sql,
    codes: &[String],
    (uses, until): (u32, u64),
    act: &Act,
) -> SqlResult<()> {
    // Those whose time is over are of no use to anybody.
    sql.execute("DELETE FROM invitations WHERE until_at <= $1", params![act.at]).await?;
    let insert = "INSERT INTO invitations (code, uses, made_by, made_at, until_at)
                  VALUES ($1, $2, $3, $4, $5)";
    for code in codes {
        sql.execute(insert, params![code, uses, act.who.clone(), act.at, until]).await?;
    }
    note_act(sql, act).await
}

async fn invitations(sql: &impl Sql, now_ms: u64, limit: u32) -> SqlResult<Vec<StoredInvitation>> {
    let select = "SELECT code, uses, made_by, made_at, until_at FROM invitations
                  WHERE uses > 0 AND until_at > $1 ORDER BY made_at DESC, code LIMIT $2";
    let read = |row: &mut Row| {
        let (code, uses, made_by) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(StoredInvitation { code, uses, made_by, made_at: row.get(3)?, until: row.get(4)? })
    };
    sql.query(select, params![now_ms, limit]).await?.iter_mut().map(read).collect()
}

async fn delete_invitation(sql: &impl Sql, code: &str, act: &Act) -> SqlResult<bool> {
    let deleted = sql.execute("DELETE FROM invitations WHERE code = $1", params![code]).await? > 0;
    if deleted {
        note_act(sql, act).await?;
    }
    Ok(deleted)
}

async fn take_invitation(sql: &impl Sql, code: &str, now_ms: u64) -> SqlResult<bool> {
    let update = "UPDATE invitations SET uses = uses - 1
                  WHERE code = $1 AND uses > 0 AND until_at > $2";
    Ok(sql.execute(update, params![code, now_ms]).await? > 0)
}

async fn return_invitation(sql: &impl Sql, code: &str) -> SqlResult<()> {
    let update = "UPDATE invitations SET uses = uses + 1 WHERE code = $1";
    sql.execute(update, params![code]).await?;
    Ok(())
}

async fn policy(sql: &impl Sql) -> SqlResult<Vec<(String, String)>> {
    let mut rows = sql.query("SELECT name, value FROM policy ORDER BY name", &[]).await?;
    rows.iter_mut().map(|row| Ok((row.get(0)?, row.get(1)?))).collect()
}

/// Sets a part of the policy, or takes it back to its default.
async fn set_policy(
    sql: &impl Sql,
    name: &str,
    value: Option<&String>,
    act: &Act,
) -> SqlResult<()> {
    match value {
        Some(value) => {
            let write = "INSERT INTO policy (name, value) VALUES ($1, $2)
                         ON CONFLICT (name) DO UPDATE SET value = excluded.value";
            sql.execute(write, params![name, value]).await?
        }
        None => sql.execute("DELETE FROM policy WHERE name = $1", params![name]).await?,
    };
    note_act(sql, act).await
}

operations! {
    /// Stores an act that changes nothing else in the store.
    fn note_act(act: Act) -> () = transact(note_act(act));
    /// Returns acts, the latest first.
    fn acts(subject: Option<String>, before: u64, limit: u32) -> Vec<StoredAct> =
        list(acts(subject.as_ref(), *before, *limit));
    fn bans(listed: ListedBans, limit: u32) -> Vec<StoredBan> = list(bans(listed, *limit));
    /// Returns the bans that stand at a time: each of a user once for the user and for each bot.
    fn banned(now_ms: u64) -> Vec<StoredBan> = read_unconfirmed(banned(*now_ms));
    /// Bans; `None` if there are as many bans as may stand. Closing an account ends its tokens.
    /// Also returns what a user is told who is silenced.
    fn ban(new: NewBan, act: Act) -> Option<(StoredBan, Option<Notice>)> =
        transact(ban(new, act));
    /// Lifts a ban that stands; returns whether there was one.
    fn lift_ban(id: u64, act: Act) -> bool = transact(lift_ban(*id, act));
    /// Opens a closed account again; returns whether it was closed.
    fn reopen(user: UserId, act: Act) -> bool = transact(reopen(*user, act));
    /// Ends a token, or all of a user and of the user's bots; returns their number.
    fn log_out(user: UserId, token: Option<Vec<u8>>, act: Act) -> u64 =
        transact(log_out(*user, token.as_ref(), act));
    fn rename_user(user: UserId, name: UserName, act: Act) -> RenameOutcome =
        transact(rename_user(*user, name, act));
    fn add_user_note(user: UserId, note: String, act: Act) -> () =
        transact(add_user_note(*user, note, act));
    /// Warns a user; returns what the user is told.
    fn warn_user(user: UserId, act: Act) -> Notice = transact(warn_user(*user, act));
    /// Returns notes about a user, the latest first.
    fn user_notes(user: UserId, limit: u32) -> Vec<StoredNote> =
        list(user_notes(*user, *limit));
    fn list_users(containing: String, after: String, limit: u32) -> Vec<ListedUser> =
        list(list_users(containing, after, *limit));
    fn user_counts(user: UserId, name: UserName) -> UserCounts = list(user_counts(*user, name));
    fn set_reset_code(user: UserId, digest: Digest, until: u64, act: Act) -> () =
        transact(set_reset_code(*user, *digest, *until, act));
    fn set_recovery_code(user: UserId, digest: Digest) -> () =
        transact(set_recovery_code(*user, *digest));
    /// Returns the user who may set a new password with a code.
    fn reset_code(name: UserName, digest: Digest, now_ms: u64) -> Option<User> =
        read_unconfirmed(reset_code(name, *digest, *now_ms));
    /// Sets a password with a code; returns whether the code was valid.
    fn use_reset_code(user: UserId, digest: Digest, password_hash: String, now_ms: u64) -> bool =
        transact(use_reset_code(*user, *digest, password_hash, *now_ms));
    fn add_invitations(codes: Vec<String>, terms: (u32, u64), act: Act) -> () =
        transact(add_invitations(codes, *terms, act));
    fn invitations(now_ms: u64, limit: u32) -> Vec<StoredInvitation> =
        list(invitations(*now_ms, *limit));
    fn delete_invitation(code: String, act: Act) -> bool = transact(delete_invitation(code, act));
    /// Takes one use of an invitation; returns whether it has one.
    fn take_invitation(code: String, now_ms: u64) -> bool =
        transact(take_invitation(code, *now_ms));
    /// Gives back the use of an invitation with which no account was created.
    fn return_invitation(code: String) -> () = transact(return_invitation(code));
    fn policy() -> Vec<(String, String)> = read_unconfirmed(policy());
    fn set_policy(name: String, value: Option<String>, act: Act) -> () =
        transact(set_policy(name, value.as_ref(), act));
}
