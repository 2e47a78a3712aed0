//! The heartbeat, and the outages between a server's last heartbeat and the next start.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::{
    database::Sqlite,
    rows::{from_sql, to_sql},
};
use crate::store::{Outage, StoreError};

fn record_heartbeat(connection: &Connection, now_ms: u64) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT OR REPLACE INTO alive (one, alive_at) VALUES (1, ?1)")?
        .execute([to_sql(now_ms)])?;
    Ok(())
}

/// Returns the last heartbeat, in epoch milliseconds.
pub(super) fn last_heartbeat(connection: &Connection) -> rusqlite::Result<Option<u64>> {
    let heartbeat: Option<i64> =
        connection.query_row("SELECT alive_at FROM alive", [], |row| row.get(0)).optional()?;
    Ok(heartbeat.map(from_sql))
}

fn add(connection: &Connection, Outage { from, until }: Outage) -> rusqlite::Result<()> {
    connection.execute(
        "INSERT OR IGNORE INTO outages (until_at, from_at) VALUES (?1, ?2)",
        params![to_sql(until), to_sql(from)],
    )?;
    Ok(())
}

impl Sqlite {
    /// Stores an outage.
    pub(super) async fn add_outage(&self, outage: Outage) -> Result<(), StoreError> {
        self.writer.write(move |connection| add(connection, outage)).await
    }

    /// Queues an outage before everything that is stored later.
    pub(super) fn queue_outage(&self, outage: Outage) {
        self.writer.queue(move |connection| add(connection, outage));
    }

    /// Stores a heartbeat.
    pub(crate) async fn record_heartbeat(&self, now_ms: u64) -> Result<(), StoreError> {
        self.writer.write(move |connection| record_heartbeat(connection, now_ms)).await
    }

    /// Stores the outage before this start and a heartbeat. Returns all outages that a game may not
    /// have been credited for yet, the latest last. The outage begins at the last heartbeat or at
    /// `last_event`, whichever is later. Every game has been credited for outages until `settled`.
    ///
    /// The outage and the heartbeat are committed together, so that a crash before games use them
    /// counts no outage twice.
    pub(super) async fn record_start(
        &self,
        last_event: Option<u64>,
        settled: Option<u64>,
        now_ms: u64,
    ) -> Result<Vec<Outage>, StoreError> {
        self.writer
            .write(move |connection| {
                let heartbeat = last_heartbeat(connection)?;
                connection.execute(
                    "DELETE FROM outages WHERE until_at <= ?1",
                    [to_sql(settled.unwrap_or(u64::MAX))],
                )?;
                // If the machine's clock was set back, the length of the outage is unknown.
                if let Some(from) = heartbeat.max(last_event).filter(|from| *from < now_ms) {
                    add(connection, Outage { from, until: now_ms })?;
                }
                record_heartbeat(connection, now_ms)?;
                let mut select = connection
                    .prepare_cached("SELECT from_at, until_at FROM outages ORDER BY until_at")?;
                let outages = select.query_map([], |row| {
                    Ok(Outage { from: from_sql(row.get(0)?), until: from_sql(row.get(1)?) })
                })?;
                outages.collect()
            })
            .await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::config::StoreConfig;

    async fn begin(directory: &std::path::Path, settled: Option<u64>, now: u64) -> Vec<Outage> {
        let (store, _) = Sqlite::open(&StoreConfig::at(directory), Arc::default()).unwrap();
        store.record_start(None, settled, now).await.unwrap()
    }

    #[tokio::test]
    async fn an_outage_starts_at_the_last_heartbeat_and_counts_once() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        assert_eq!(begin(path, None, 100).await, [], "the first start has no outage");
        {
            let (store, _) = Sqlite::open(&StoreConfig::at(path), Arc::default()).unwrap();
            store.record_heartbeat(150).await.unwrap();
        }
        let first = Outage { from: 150, until: 200 };
        assert_eq!(begin(path, Some(120), 200).await, [first]);
        // The process ends before its next heartbeat.
        let second = Outage { from: 200, until: 230 };
        assert_eq!(begin(path, Some(120), 230).await, [first, second]);
        let third = Outage { from: 230, until: 300 };
        assert_eq!(begin(path, Some(200), 300).await, [second, third]);
        // The machine's clock was set back.
        assert_eq!(begin(path, Some(240), 250).await, [third]);
    }

    #[test]
    fn a_deadline_moves_by_the_time_lost_in_the_outage() {
        let outage = Outage { from: 100, until: 130 };
        assert_eq!(outage.shift_deadline(120, 50), 150);
        assert_eq!(outage.shift_deadline(100, 50), 100, "the flag fell before the outage");
        assert_eq!(outage.shift_deadline(160, 110), 180, "the turn began in the outage");
        assert_eq!(outage.shift_deadline(160, 130), 160, "the last event is after the outage");
    }

    #[tokio::test]
    async fn an_event_after_the_heartbeat_starts_the_outage() {
        let directory = tempfile::tempdir().unwrap();
        let (store, _) = Sqlite::open(&StoreConfig::at(directory.path()), Arc::default()).unwrap();
        let outages = store.record_start(Some(70), Some(10), 100).await.unwrap();
        assert_eq!(outages, [Outage { from: 70, until: 100 }]);
    }
}
