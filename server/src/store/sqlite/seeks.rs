//! Statements on lasting seeks.

use adamant_protocol::SeekId;
use futures::{FutureExt as _, future::BoxFuture};
use rusqlite::Connection;

use super::{database::Sqlite, origins::take_seek};
use crate::store::{Seeks, StoreError, StoredSeek};

const ADD: &str = "INSERT INTO seeks (id, seek) VALUES (?1, ?2)";
const UPDATE: &str = "UPDATE seeks SET seek = ?2 WHERE id = ?1";

fn write(connection: &Connection, statement: &str, seek: &StoredSeek) -> rusqlite::Result<()> {
    let text = serde_json::to_string(seek).expect("seeks are plain data");
    connection.prepare_cached(statement)?.execute([seek.entry.seek.as_str(), &text])?;
    Ok(())
}

impl Seeks for Sqlite {
    fn add_seek(&self, seek: StoredSeek) -> BoxFuture<'_, Result<(), StoreError>> {
        self.writer.write(move |connection| write(connection, ADD, &seek)).boxed()
    }

    fn update_seek(&self, seek: StoredSeek) -> BoxFuture<'_, Result<(), StoreError>> {
        self.writer.write(move |connection| write(connection, UPDATE, &seek)).boxed()
    }

    fn delete_seek(&self, id: SeekId) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.writer.write(move |connection| take_seek(connection, &id)).boxed()
    }

    fn seeks(&self) -> BoxFuture<'_, Result<Vec<StoredSeek>, StoreError>> {
        self.read_with(|connection| {
            let mut select = connection.prepare("SELECT id, seek FROM seeks")?;
            let rows = select
                .query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
            let mut seeks = Vec::new();
            for row in rows {
                let (id, text) = row?;
                match serde_json::from_str(&text) {
                    Ok(seek) => seeks.push(seek),
                    Err(error) => tracing::error!(id, %error, "a stored seek is unreadable"),
                }
            }
            Ok(seeks)
        })
        .boxed()
    }
}
