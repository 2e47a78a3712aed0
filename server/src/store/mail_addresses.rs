//! The mail addresses of accounts: one that is confirmed, perhaps with a code for a new password that
//! was sent to it, and one that waits for its code.

use adamant_protocol::UserName;

use super::{
    sql::{Sql, SqlResult, params},
    store::operations,
    tokens::Digest,
    users::{UserId, belongings},
};

/// The addresses of one account.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct MailAddresses {
    pub confirmed: Option<Box<str>>,
    /// The address whose code the server waits for.
    pub waiting: Option<Box<str>>,
}

/// Stores an address that waits for the code of this digest, in place of an earlier one. Does
/// nothing for an account that was closed meanwhile.
async fn add_mail_address(
    sql: &impl Sql,
    user: UserId,
    address: &str,
    digest: Digest,
    until: u64,
) -> SqlResult<()> {
    sql.lock(belongings(user)).await?;
    let write = "INSERT INTO mail_addresses (user_id, confirmed, address, digest, until_at)
         SELECT id, $2, $3, $4, $5 FROM users WHERE id = $1 AND password_hash <> ''
         ON CONFLICT (user_id, confirmed) DO UPDATE SET address = excluded.address,
             digest = excluded.digest, until_at = excluded.until_at";
    let params = params![user.0, false, address, digest.as_slice(), until];
    sql.execute(write, params).await.map(drop)
}

/// Makes the address that waits for this code the account's. Returns whether one does.
async fn confirm_mail_address(
    sql: &impl Sql,
    user: UserId,
    digest: Digest,
    now_ms: u64,
) -> SqlResult<bool> {
    sql.lock(belongings(user)).await?;
    let waits = "SELECT 1 FROM mail_addresses
         WHERE user_id = $1 AND confirmed = $2 AND digest = $3 AND until_at > $4";
    if !sql.exists(waits, params![user.0, false, digest.as_slice(), now_ms]).await? {
        return Ok(false);
    }
    let replaced = "DELETE FROM mail_addresses WHERE user_id = $1 AND confirmed = $2";
    sql.execute(replaced, params![user.0, true]).await?;
    let confirm = "UPDATE mail_addresses SET confirmed = $2, digest = NULL, until_at = NULL
         WHERE user_id = $1 AND digest = $3";
    sql.execute(confirm, params![user.0, true, digest.as_slice()]).await?;
    Ok(true)
}

pub(super) async fn delete_mail_addresses(sql: &impl Sql, user: UserId) -> SqlResult<()> {
    let delete = "DELETE FROM mail_addresses WHERE user_id = $1";
    sql.execute(delete, params![user.0]).await.map(drop)
}

async fn mail_addresses(sql: &impl Sql, user: UserId, now_ms: u64) -> SqlResult<MailAddresses> {
    let select = "SELECT confirmed, address FROM mail_addresses
         WHERE user_id = $1 AND (confirmed OR until_at > $2)";
    let mut found = MailAddresses::default();
    for mut row in sql.query(select, params![user.0, now_ms]).await? {
        let (confirmed, address): (bool, Box<str>) = (row.get(0)?, row.get(1)?);
        let place = if confirmed { &mut found.confirmed } else { &mut found.waiting };
        *place = Some(address);
    }
    Ok(found)
}

/// Returns the user of this name who has a confirmed address, and the address.
async fn mail_address_of(sql: &impl Sql, name: &UserName) -> SqlResult<Option<(UserId, Box<str>)>> {
    let select = "SELECT users.id, address FROM users JOIN mail_addresses ON user_id = users.id
         WHERE folded = $1 AND confirmed";
    let Some(mut row) = sql.first(select, params![name.folded().as_str()]).await? else {
        return Ok(None);
    };
    Ok(Some((UserId(row.get(0)?), row.get(1)?)))
}

/// Stores a code for a new password beside the address that it is sent to, in place of an earlier
/// one. It ends with the address.
async fn set_mailed_code(
    sql: &impl Sql,
    user: UserId,
    address: &str,
    digest: Digest,
    until: u64,
) -> SqlResult<()> {
    let write = "UPDATE mail_addresses SET digest = $3, until_at = $4
         WHERE user_id = $1 AND confirmed AND address = $2";
    sql.execute(write, params![user.0, address, digest.as_slice(), until]).await.map(drop)
}

/// Ends the code that was sent to a confirmed address. Returns whether this one was valid.
pub(super) async fn end_mailed_code(
    sql: &impl Sql,
    user: UserId,
    digest: Digest,
    now_ms: u64,
) -> SqlResult<bool> {
    let end = "UPDATE mail_addresses SET digest = NULL, until_at = NULL
         WHERE user_id = $1 AND confirmed AND digest = $2 AND until_at > $3";
    Ok(sql.execute(end, params![user.0, digest.as_slice(), now_ms]).await? > 0)
}

operations! {
    fn add_mail_address(user: UserId, address: Box<str>, digest: Digest, until: u64) -> () =
        transact(add_mail_address(*user, address, *digest, *until));
    fn confirm_mail_address(user: UserId, digest: Digest, now_ms: u64) -> bool =
        transact(confirm_mail_address(*user, *digest, *now_ms));
    fn delete_mail_addresses(user: UserId) -> () = transact(delete_mail_addresses(*user));
    fn mail_addresses(user: UserId, now_ms: u64) -> MailAddresses =
        read_unconfirmed(mail_addresses(*user, *now_ms));
    fn mail_address_of(name: UserName) -> Option<(UserId, Box<str>)> =
        read_unconfirmed(mail_address_of(name));
    fn set_mailed_code(user: UserId, address: Box<str>, digest: Digest, until: u64) -> () =
        transact(set_mailed_code(*user, address, *digest, *until));
}
