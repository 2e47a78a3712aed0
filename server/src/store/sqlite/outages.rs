//! The heartbeat, and the outages between a server's last heartbeat and the next start.

use super::database::Sqlite;
use crate::store::{
    Outage, StoreError,
    sql::{Embedded, Sql as _, SqlResult, at_once, params},
};

pub(super) fn record_heartbeat(sql: &Embedded<'_>, now_ms: u64) -> SqlResult<()> {
    let replace = "INSERT INTO alive (one, alive_at) VALUES (1, $1)
         ON CONFLICT (one) DO UPDATE SET alive_at = excluded.alive_at";
    at_once(sql.execute(replace, params![now_ms])).map(drop)
}

/// Returns the last heartbeat, in epoch milliseconds.
pub(super) fn last_heartbeat(sql: &Embedded<'_>) -> SqlResult<Option<u64>> {
    let found = at_once(sql.first("SELECT alive_at FROM alive", &[]))?;
    found.map(|mut row| row.get(0)).transpose()
}

fn add(sql: &Embedded<'_>, Outage { from, until }: Outage) -> SqlResult<()> {
    let insert = "INSERT INTO outages (until_at, from_at) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    at_once(sql.execute(insert, params![until, from])).map(drop)
}

impl Sqlite {
    /// Stores an outage.
    pub(super) async fn add_outage(&self, outage: Outage) -> Result<(), StoreError> {
        self.write(move |connection| add(&Embedded(connection), outage)).await
    }

    /// Queues an outage before everything that is stored later.
    pub(super) fn queue_outage(&self, outage: Outage) {
        self.writer.queue(move |connection| add(&Embedded(connection), outage));
    }

    /// Stores a heartbeat.
    pub(crate) async fn record_heartbeat(&self, now_ms: u64) -> Result<(), StoreError> {
        self.write(move |connection| record_heartbeat(&Embedded(connection), now_ms)).await
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
        self.write(move |connection| {
            let sql = Embedded(connection);
            let heartbeat = last_heartbeat(&sql)?;
            let delete = "DELETE FROM outages WHERE until_at <= $1";
            at_once(sql.execute(delete, params![settled.unwrap_or(u64::MAX)]))?;
            // If the machine's clock was set back, the length of the outage is unknown.
            if let Some(from) = heartbeat.max(last_event).filter(|from| *from < now_ms) {
                add(&sql, Outage { from, until: now_ms })?;
            }
            record_heartbeat(&sql, now_ms)?;
            let select = "SELECT from_at, until_at FROM outages ORDER BY until_at";
            let mut found = at_once(sql.query(select, &[]))?;
            found
                .iter_mut()
                .map(|row| Ok(Outage { from: row.get(0)?, until: row.get(1)? }))
                .collect()
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
