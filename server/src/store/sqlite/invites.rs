//! Statements on invites.

use adamant_protocol::{GameId, InviteId, to_client::InviteEntry};
use futures::{FutureExt as _, future::BoxFuture};
use rusqlite::{OptionalExtension as _, Row, params};

use super::{database::Sqlite, rows::to_sql};
use crate::store::{Invites, StoreError, StoredInvite};

/// Encodes the columns `bots` and `invite`.
fn invite_texts(invite: &StoredInvite) -> (String, String) {
    let bots = serde_json::to_string(&invite.bots).expect("names are plain data");
    let entry = serde_json::to_string(&invite.entry).expect("invites are plain data");
    (bots, entry)
}

/// Reads the columns `id`, `bots`, `invite` and `game`; `None` if they are unreadable.
fn invite(row: &Row<'_>) -> rusqlite::Result<Option<StoredInvite>> {
    let (id, bots, entry): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
    let game: Option<GameId> = row.get::<_, Option<String>>(3)?.and_then(|game| game.parse().ok());
    let parts = (serde_json::from_str(&bots), serde_json::from_str::<InviteEntry>(&entry));
    if let (Ok(bots), Ok(entry)) = parts {
        return Ok(Some(StoredInvite { entry: InviteEntry { game, ..entry }, bots }));
    }
    tracing::error!(id, "a stored invite is unreadable");
    Ok(None)
}

impl Invites for Sqlite {
    fn add_invite(&self, invite: StoredInvite) -> BoxFuture<'_, Result<(), StoreError>> {
        self.writer
            .write(move |connection| {
                let (bots, entry) = invite_texts(&invite);
                let (id, expires) = (invite.entry.invite.as_str(), to_sql(invite.entry.expires));
                connection
                    .prepare_cached(
                        "INSERT INTO invites (id, bots, invite, expires_at)
                         VALUES (?1, ?2, ?3, ?4)",
                    )?
                    .execute(params![id, bots, entry, expires])?;
                Ok(())
            })
            .boxed()
    }

    fn update_invite(&self, invite: StoredInvite) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.writer
            .write(move |connection| {
                let (bots, entry) = invite_texts(&invite);
                let changed = connection
                    .prepare_cached(
                        "UPDATE invites SET bots = ?2, invite = ?3
                         WHERE id = ?1 AND game IS NULL",
                    )?
                    .execute(params![invite.entry.invite.as_str(), bots, entry])?;
                Ok(changed > 0)
            })
            .boxed()
    }

    fn delete_invite(&self, id: InviteId) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.writer
            .write(move |connection| {
                let deleted = connection
                    .prepare_cached("DELETE FROM invites WHERE id = ?1 AND game IS NULL")?
                    .execute([id.as_str()])?;
                Ok(deleted > 0)
            })
            .boxed()
    }

    fn find_invite(&self, id: InviteId) -> BoxFuture<'_, Result<Option<StoredInvite>, StoreError>> {
        self.read_with(move |connection| {
            let found = connection
                .prepare_cached("SELECT id, bots, invite, game FROM invites WHERE id = ?1")?
                .query_row([id.as_str()], invite)
                .optional()?;
            Ok(found.flatten())
        })
        .boxed()
    }

    fn open_invites(&self) -> BoxFuture<'_, Result<Vec<StoredInvite>, StoreError>> {
        self.read_with(|connection| {
            let mut select = connection
                .prepare("SELECT id, bots, invite, game FROM invites WHERE game IS NULL")?;
            let found: Vec<_> = select.query_map([], invite)?.collect::<Result<_, _>>()?;
            Ok(found.into_iter().flatten().collect())
        })
        .boxed()
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
