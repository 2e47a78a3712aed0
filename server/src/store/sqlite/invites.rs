//! Statements on invites.

use adamant_protocol::{GameId, InviteId, UserName};
use futures::{FutureExt as _, future::BoxFuture};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::{database::Sqlite, open_tables, rows::to_sql};
use crate::store::{Invites, JoinInviteOutcome, OpenLimitReached, StoreError, StoredInvite};

/// Reads the columns `id`, `bots`, `invite` and `game`; `None` if they are unreadable.
fn invite(row: &Row<'_>) -> rusqlite::Result<Option<StoredInvite>> {
    let (id, bots, entry): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
    let game: Option<GameId> = row.get::<_, Option<String>>(3)?.and_then(|game| game.parse().ok());
    Ok(StoredInvite::read(&id, (&bots, &entry), game, None, 0))
}

/// Reads all open invites.
pub(super) fn all_open(connection: &Connection) -> rusqlite::Result<Vec<StoredInvite>> {
    let mut select =
        connection.prepare("SELECT id, bots, invite, game FROM invites WHERE game IS NULL")?;
    let found: Vec<_> = select.query_map([], invite)?.collect::<Result<_, _>>()?;
    Ok(found.into_iter().flatten().collect())
}

fn find(connection: &Connection, id: &InviteId) -> rusqlite::Result<Option<StoredInvite>> {
    let found = connection
        .prepare_cached("SELECT id, bots, invite, game FROM invites WHERE id = ?1")?
        .query_row([id.as_str()], invite)
        .optional()?;
    Ok(found.flatten())
}

fn find_open(connection: &Connection, id: &InviteId) -> rusqlite::Result<Option<StoredInvite>> {
    let open = find(connection, id)?.filter(|stored| stored.entry.game.is_none());
    open.map(|stored| open_tables::complete_invite(connection, stored)).transpose()
}

fn add(
    connection: &Connection,
    stored: &StoredInvite,
) -> rusqlite::Result<Result<(), OpenLimitReached>> {
    let of_user = open_tables::invites_of_user(connection, &stored.entry.by)?;
    let of_network = open_tables::invites_of_network(connection, stored.from)?;
    if let Err(reached) = stored.check(of_user, of_network) {
        return Ok(Err(reached));
    }
    let (bots, entry) = stored.texts();
    let (id, expires) = (stored.entry.invite.as_str(), to_sql(stored.entry.expires));
    connection
        .prepare_cached(
            "INSERT INTO invites (id, bots, invite, expires_at) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![id, bots, entry, expires])?;
    open_tables::insert_invite(connection, stored).map(Ok)
}

fn update(connection: &Connection, stored: &StoredInvite) -> rusqlite::Result<()> {
    let (bots, entry) = stored.texts();
    connection
        .prepare_cached("UPDATE invites SET bots = ?2, invite = ?3 WHERE id = ?1")?
        .execute([stored.entry.invite.as_str(), &bots, &entry])?;
    open_tables::update_invite(connection, stored)
}

fn join(
    connection: &Connection,
    id: &InviteId,
    user: &UserName,
    bot: bool,
) -> rusqlite::Result<JoinInviteOutcome> {
    let Some(open) = find_open(connection, id)? else { return Ok(JoinInviteOutcome::Gone) };
    let outcome = open.join(user, bot, open_tables::invites_of_user(connection, user)?);
    if let JoinInviteOutcome::Waiting(waiting) = &outcome {
        update(connection, waiting)?;
    }
    Ok(outcome)
}

fn leave(
    connection: &Connection,
    id: &InviteId,
    user: &UserName,
) -> rusqlite::Result<Option<StoredInvite>> {
    let Some(mut open) = find_open(connection, id)? else { return Ok(None) };
    if !open.leave(user) {
        return Ok(None);
    }
    update(connection, &open)?;
    Ok(Some(open))
}

impl Invites for Sqlite {
    fn add_invite(
        &self,
        invite: StoredInvite,
    ) -> BoxFuture<'_, Result<Result<(), OpenLimitReached>, StoreError>> {
        self.writer.write(move |connection| add(connection, &invite)).boxed()
    }

    fn join_invite(
        &self,
        id: InviteId,
        user: UserName,
        bot: bool,
    ) -> BoxFuture<'_, Result<JoinInviteOutcome, StoreError>> {
        self.writer.write(move |connection| join(connection, &id, &user, bot)).boxed()
    }

    fn leave_invite(
        &self,
        id: InviteId,
        user: UserName,
    ) -> BoxFuture<'_, Result<Option<StoredInvite>, StoreError>> {
        self.writer.write(move |connection| leave(connection, &id, &user)).boxed()
    }

    fn delete_invite(
        &self,
        id: InviteId,
    ) -> BoxFuture<'_, Result<Option<Vec<UserName>>, StoreError>> {
        self.writer
            .write(move |connection| {
                let open = find(connection, &id)?.filter(|stored| stored.entry.game.is_none());
                connection
                    .prepare_cached("DELETE FROM invites WHERE id = ?1 AND game IS NULL")?
                    .execute([id.as_str()])?;
                Ok(open.map(|open| open.entry.joined))
            })
            .boxed()
    }

    fn find_invite(&self, id: InviteId) -> BoxFuture<'_, Result<Option<StoredInvite>, StoreError>> {
        async move {
            let read = {
                let id = id.clone();
                self.read_with(move |connection| find(connection, &id)).await?
            };
            let is_open = read.as_ref().is_some_and(|stored| stored.entry.game.is_none());
            if !is_open || self.read_only.is_some() {
                return Ok(read);
            }
            // Only the writing connection knows all of an open one.
            self.writer
                .write(move |connection| {
                    find(connection, &id)?
                        .map(|stored| open_tables::complete_invite(connection, stored))
                        .transpose()
                })
                .await
        }
        .boxed()
    }

    fn open_invites(&self) -> BoxFuture<'_, Result<Vec<StoredInvite>, StoreError>> {
        if self.read_only.is_some() {
            return self.read_with(all_open).boxed();
        }
        let read = |connection: &Connection| {
            let complete = |stored| open_tables::complete_invite(connection, stored);
            all_open(connection)?.into_iter().map(complete).collect()
        };
        self.writer.write(read).boxed()
    }

    fn forget_invites(&self, now_ms: u64) -> BoxFuture<'_, Result<(), StoreError>> {
        self.writer
            .write(move |connection| {
                connection
                    .prepare_cached(
                        "DELETE FROM invites WHERE expires_at <= ?1 AND game IS NOT NULL",
                    )?
                    .execute([to_sql(now_ms)])?;
                Ok(())
            })
            .boxed()
    }
}
