//! Statements on invites.

use adamant_protocol::{InviteId, UserName};
use futures::{FutureExt as _, future::BoxFuture};
use tokio_postgres::Row;

use super::{
    columns::{SqlResult, read_u64},
    offer_locks::lock_offers,
    postgres::Postgres,
    transaction::Transaction,
    tries::Tries,
    values::{parse_optional, to_sql},
};
use crate::{
    address::ClientNetwork,
    store::{Invites, JoinInviteOutcome, OpenLimitReached, StoreError, StoredInvite, has_name},
};

const SELECT: &str = "SELECT id, bots, invite, game, network, version FROM invites";

/// Reads the columns of [`SELECT`]; `None` if they are unreadable.
fn read_invite(row: &Row) -> SqlResult<Option<StoredInvite>> {
    let texts = (row.try_get(1)?, row.try_get(2)?);
    let (game, from) = (parse_optional(row, 3)?, parse_optional(row, 4)?);
    Ok(StoredInvite::read(row.try_get(0)?, texts, game, from, read_u64(row, 5)?))
}

async fn find(tx: &Transaction, id: &InviteId) -> SqlResult<Option<StoredInvite>> {
    let select = format!("{SELECT} WHERE id = $1");
    let found = tx.query_opt(&select, &[&id.as_str()]).await?;
    Ok(found.map(|row| read_invite(&row)).transpose()?.flatten())
}

/// Returns an open invite, which no other transaction changes until this one ends.
async fn lock_open(tx: &Transaction, id: &InviteId) -> SqlResult<Option<StoredInvite>> {
    let select = format!("{SELECT} WHERE id = $1 AND game IS NULL FOR UPDATE");
    let found = tx.query_opt(&select, &[&id.as_str()]).await?;
    Ok(found.map(|row| read_invite(&row)).transpose()?.flatten())
}

async fn open_invites(tx: &Transaction) -> SqlResult<Vec<StoredInvite>> {
    let rows = tx.query(&format!("{SELECT} WHERE game IS NULL ORDER BY id"), &[]).await?;
    rows.iter().filter_map(|row| read_invite(row).transpose()).collect()
}

async fn count_of_user(tx: &Transaction, user: &UserName) -> SqlResult<usize> {
    let count = "SELECT COUNT(*) FROM invite_users JOIN invites ON invites.id = invite_users.invite
         WHERE user_name = $1 AND game IS NULL";
    let count: i64 = tx.query_one(count, &[&user.folded().as_str()]).await?.try_get(0)?;
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

async fn count_of_network(tx: &Transaction, network: Option<ClientNetwork>) -> SqlResult<usize> {
    let count = "SELECT COUNT(*) FROM invites WHERE network = $1 AND game IS NULL";
    let network = network.map(|network| network.to_string());
    let count: i64 = tx.query_one(count, &[&network]).await?.try_get(0)?;
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

async fn store_users(tx: &Transaction, stored: &StoredInvite) -> SqlResult<()> {
    let joined: Vec<UserName> = stored.entry.joined.iter().map(UserName::folded).collect();
    let joined: Vec<&str> = joined.iter().map(UserName::as_str).collect();
    let insert = "INSERT INTO invite_users (user_name, invite)
         SELECT user_name, $2 FROM unnest($1::text[]) AS user_name ON CONFLICT DO NOTHING";
    tx.execute(insert, &[&joined, &stored.entry.invite.as_str()]).await?;
    Ok(())
}

async fn add(
    tx: &Transaction,
    stored: &StoredInvite,
    tries: &Tries<()>,
) -> SqlResult<Result<(), OpenLimitReached>> {
    let StoredInvite { entry, from, version, .. } = stored;
    lock_offers(tx, [&entry.by], *from).await?;
    if tries.has(&()) && find(tx, &entry.invite).await?.is_some() {
        return Ok(Ok(()));
    }
    let of_user = count_of_user(tx, &entry.by).await?;
    if let Err(reached) = stored.check(of_user, count_of_network(tx, *from).await?) {
        return Ok(Err(reached));
    }
    let (bots, text) = stored.texts();
    tx.execute(
        "INSERT INTO invites (id, bots, invite, expires_at, network, version)
         VALUES ($1, $2, $3, $4, $5, $6)",
        &[
            &entry.invite.as_str(),
            &bots,
            &text,
            &to_sql(entry.expires),
            &from.map(|network| network.to_string()),
            &to_sql(*version),
        ],
    )
    .await?;
    tries.note(());
    store_users(tx, stored).await.map(Ok)
}

async fn update(tx: &Transaction, stored: &StoredInvite) -> SqlResult<()> {
    let (bots, text) = stored.texts();
    let id = stored.entry.invite.as_str();
    let update = "UPDATE invites SET bots = $2, invite = $3, version = $4 WHERE id = $1";
    tx.execute(update, &[&id, &bots, &text, &to_sql(stored.version)]).await?;
    tx.execute("DELETE FROM invite_users WHERE invite = $1", &[&id]).await?;
    store_users(tx, stored).await
}

/// A user who joins or leaves an invite.
#[derive(Debug)]
struct Guest {
    id: InviteId,
    user: UserName,
    bot: bool,
    tries: Tries<()>,
}

async fn join(tx: &Transaction, guest: &Guest) -> SqlResult<JoinInviteOutcome> {
    let Guest { id, user, bot, tries } = guest;
    lock_offers(tx, [user], None).await?;
    let Some(open) = lock_open(tx, id).await? else { return Ok(JoinInviteOutcome::Gone) };
    let outcome = open.clone().join(user, *bot, count_of_user(tx, user).await?);
    if let JoinInviteOutcome::Waiting(waiting) = &outcome {
        update(tx, waiting).await?;
        tries.note(());
    }
    let is_ours = outcome == JoinInviteOutcome::AlreadyJoined && tries.has(&());
    Ok(if is_ours { JoinInviteOutcome::Waiting(Box::new(open)) } else { outcome })
}

async fn leave(tx: &Transaction, guest: &Guest) -> SqlResult<Option<StoredInvite>> {
    let Guest { id, user, tries, .. } = guest;
    let Some(mut open) = lock_open(tx, id).await? else { return Ok(None) };
    if open.leave(user) {
        update(tx, &open).await?;
        tries.note(());
        return Ok(Some(open));
    }
    // An earlier try may have stored it.
    let has_left = tries.has(&()) && !has_name(&open.entry.joined, user);
    Ok(has_left.then_some(open))
}

impl Invites for Postgres {
    fn add_invite(
        &self,
        invite: StoredInvite,
    ) -> BoxFuture<'_, Result<Result<(), OpenLimitReached>, StoreError>> {
        self.pool()
            .transact((invite, Tries::default()), |tx, (invite, tries)| {
                add(tx, invite, tries).boxed()
            })
            .boxed()
    }

    fn join_invite(
        &self,
        id: InviteId,
        user: UserName,
        bot: bool,
    ) -> BoxFuture<'_, Result<JoinInviteOutcome, StoreError>> {
        let guest = Guest { id, user, bot, tries: Tries::default() };
        self.pool().transact(guest, |tx, guest| join(tx, guest).boxed()).boxed()
    }

    fn leave_invite(
        &self,
        id: InviteId,
        user: UserName,
    ) -> BoxFuture<'_, Result<Option<StoredInvite>, StoreError>> {
        let guest = Guest { id, user, bot: false, tries: Tries::default() };
        self.pool().transact(guest, |tx, guest| leave(tx, guest).boxed()).boxed()
    }

    fn delete_invite(
        &self,
        id: InviteId,
    ) -> BoxFuture<'_, Result<Option<Vec<UserName>>, StoreError>> {
        self.pool()
            .transact((id, Tries::default()), |tx, (id, tries)| {
                async move {
                    let delete = "DELETE FROM invites WHERE id = $1 AND game IS NULL
                        RETURNING id, bots, invite, game, network, version";
                    let deleted = tx.query_opt(delete, &[&id.as_str()]).await?;
                    let deleted = deleted.map(|row| read_invite(&row)).transpose()?.flatten();
                    Ok(tries.deleted(deleted.map(|deleted| deleted.entry.joined)).pop())
                }
                .boxed()
            })
            .boxed()
    }

    fn find_invite(&self, id: InviteId) -> BoxFuture<'_, Result<Option<StoredInvite>, StoreError>> {
        self.pool().read_confirmed(id, |tx, id| find(tx, id).boxed()).boxed()
    }

    fn open_invites(&self) -> BoxFuture<'_, Result<Vec<StoredInvite>, StoreError>> {
        self.pool().read_confirmed((), |tx, ()| open_invites(tx).boxed()).boxed()
    }

    fn forget_invites(&self, now_ms: u64) -> BoxFuture<'_, Result<(), StoreError>> {
        self.pool()
            .transact((), move |tx, ()| {
                async move {
                    let delete = "DELETE FROM invites WHERE expires_at <= $1 AND game IS NOT NULL";
                    tx.execute(delete, &[&to_sql(now_ms)]).await?;
                    Ok(())
                }
                .boxed()
            })
            .boxed()
    }
}
