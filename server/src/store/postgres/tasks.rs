//! A database during a task of the operator: as the source or the target of a move between the
//! databases, and in a transaction that may take long.

use std::sync::Arc;

use adamant_protocol::{UserName, ids::Chain, to_client::GameEntry};
use bytes::Bytes;
use futures::FutureExt as _;
use tokio::time::Instant;

use super::{
    clock::JOIN_LOCK,
    connection::{Connection, Transaction},
    errors::Failure,
    journal::insert_row,
    migration::{DURING_IMPORT, MIN_READER},
    nodes,
    postgres::Postgres,
};
use crate::{
    limits::{POSTGRES_PATIENCE, POSTGRES_STATEMENT_MAX},
    store::{
        RatingsReport, StoreError,
        check::{self, Progress, RatingsMode},
        findings::IntegrityReport,
        games,
        glance::{Glance, glance},
        schema::{CopiedTable, add_copied_rows, copied_rows, count_copied, end_sessions},
        sql::{Row, Sql, SqlResult, params},
    },
};

/// A game with records that are in no row of the journal of an embedded store.
#[derive(Debug)]
pub(crate) struct ArrivedGame {
    pub(crate) entry: GameEntry,
    pub(crate) deadline: Option<u64>,
    /// The seq of the last record that is in the rows.
    pub(crate) archived_seq: u64,
    pub(crate) records: Vec<Bytes>,
    pub(crate) chain: Chain,
}

/// Whether a database has anything that a copy would bring.
async fn is_empty(sql: &impl Sql) -> SqlResult<bool> {
    let any = "SELECT 1 FROM users UNION ALL SELECT 1 FROM games UNION ALL SELECT 1 FROM offers
         UNION ALL SELECT 1 FROM talk UNION ALL SELECT 1 FROM results
         UNION ALL SELECT 1 FROM admin_acts LIMIT 1";
    Ok(!sql.exists(any, &[]).await?)
}

async fn set_min_reader(sql: &impl Sql, min_reader: i32) -> SqlResult<()> {
    let update = "UPDATE cluster SET min_reader = $1";
    sql.execute(update, params![i64::from(min_reader)]).await?;
    Ok(())
}

async fn add_arrived(sql: &impl Sql, game: &ArrivedGame) -> SqlResult<()> {
    let ArrivedGame { entry, deadline, archived_seq, records, chain } = game;
    insert_row(sql, entry, *deadline, archived_seq + 1, chain, records).await?;
    // A game that has ended without being finished is finished by the first node that looks.
    let wake_at = if entry.to_move.is_none() { Some(entry.last_at) } else { *deadline };
    let update = "UPDATE games SET entry = $2, wake_at = $3
         WHERE game = $1 AND NOT finished";
    let params = params![entry.game.as_str(), games::entry_text(entry), wake_at];
    sql.execute(update, params).await?;
    Ok(())
}

/// Goes on where the server has stopped that was alive at a time.
async fn finish(sql: &impl Sql, alive_at: Option<u64>) -> SqlResult<()> {
    let numbered = [
        ("users", "id"),
        ("results", "id"),
        ("offers", "place"),
        ("bans", "id"),
        ("user_notes", "id"),
        ("admin_acts", "id"),
        ("reports", "id"),
    ];
    for (table, column) in numbered {
        let next = format!(
            "SELECT setval(pg_get_serial_sequence('{table}', '{column}'), max({column}))
             FROM {table} HAVING max({column}) IS NOT NULL"
        );
        sql.query(&next, &[]).await?;
    }
    end_sessions(sql).await?;
    // The clocks stand still from the last heartbeat of the embedded server on.
    let update = "UPDATE cluster SET alive_at = greatest(alive_at, $1)";
    sql.execute(update, params![alive_at.unwrap_or_default()]).await?;
    set_min_reader(sql, MIN_READER).await
}

async fn alive_at(sql: &impl Sql) -> SqlResult<u64> {
    let found = sql.first("SELECT alive_at FROM cluster", &[]).await?;
    found.map_or(Ok(0), |mut row| row.get(0))
}

impl Postgres {
    pub(crate) async fn is_empty(&self) -> Result<bool, StoreError> {
        self.pool().read_confirmed((), |sql, ()| is_empty(sql).boxed()).await
    }

    /// Keeps servers from the database until [`Self::finish_import`].
    pub(crate) async fn begin_import(&self) -> Result<(), StoreError> {
        self.pool().transact((), |sql, ()| set_min_reader(sql, DURING_IMPORT).boxed()).await
    }

    /// Opens the database to servers. The embedded server's last heartbeat was at `alive_at`.
    pub(crate) async fn finish_import(&self, alive_at: Option<u64>) -> Result<(), StoreError> {
        self.pool().transact(alive_at, |sql, alive_at| finish(sql, *alive_at).boxed()).await
    }

    /// Returns the last time at which a node could commit, in epoch milliseconds.
    pub(crate) async fn alive_at(&self) -> Result<u64, StoreError> {
        self.pool().read_confirmed((), |sql, ()| alive_at(sql).boxed()).await
    }

    pub(crate) async fn count(&self, table: &'static CopiedTable) -> Result<u64, StoreError> {
        self.pool().read_confirmed(table, |sql, table| count_copied(sql, table).boxed()).await
    }

    pub(crate) async fn rows(
        &self,
        table: &'static CopiedTable,
        after: Option<Row>,
        limit: usize,
    ) -> Result<Vec<Row>, StoreError> {
        let read = self.pool().read_confirmed(after, move |sql, after| {
            copied_rows(sql, table, after.as_ref(), limit).boxed()
        });
        read.await
    }

    pub(crate) async fn add_rows(
        &self,
        table: &'static CopiedTable,
        rows: Vec<Row>,
    ) -> Result<(), StoreError> {
        let pool = self.pool();
        pool.transact(rows, move |sql, rows| add_copied_rows(sql, table, rows).boxed()).await
    }

    pub(crate) async fn add_arrived(&self, game: ArrivedGame) -> Result<(), StoreError> {
        self.pool().transact(game, |sql, game| add_arrived(sql, game).boxed()).await
    }

    pub(crate) async fn node_in_use(&self) -> Result<Option<String>, StoreError> {
        self.pool().read_confirmed((), |sql, ()| nodes::in_use(sql).boxed()).await
    }
}

/// A transaction on a connection of its own. It is not repeated: the operator starts a task that
/// has failed again.
#[derive(Debug)]
pub(crate) struct TaskTransaction {
    connection: Arc<Connection>,
    transaction: Transaction,
}

impl TaskTransaction {
    pub(crate) async fn look(&self, moderators: &[UserName]) -> Result<Glance, StoreError> {
        Ok(glance(&self.transaction, moderators).await?)
    }

    pub(crate) async fn check(
        &self,
        progress: &mut Progress<'_>,
    ) -> Result<IntegrityReport, StoreError> {
        let mut report = IntegrityReport::default();
        let sql = &self.transaction;
        let none: &check::Arrivals<'_> = &|_| Ok(check::ArrivedRecords::default());
        let known = check::check_games(sql, none, &mut report, progress).await?;
        check::check_rated(sql, none, known, &mut report, progress).await?;
        Ok(report)
    }

    /// Rates every result again, in order, and stores the differences if the mode says so.
    pub(crate) async fn check_ratings(
        self,
        mode: RatingsMode,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<RatingsReport, StoreError> {
        let report = check::check_ratings(
            &self.transaction,
            mode,
            &|_| Ok(check::ArrivedRecords::default()),
            check::RecordedResults::new(),
            progress,
        )
        .await?;
        if mode == RatingsMode::Rebuild {
            self.connection.commit().await.map_err(Failure::into_error)?;
        }
        Ok(report)
    }
}

impl Postgres {
    /// Begins a transaction that changes nothing and sees one state of the database. Nodes may run.
    pub(crate) async fn begin_reading(&self) -> Result<TaskTransaction, StoreError> {
        self.begin_task("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await
    }

    /// Begins a transaction during which no node can join. Returns the name of a node that has used
    /// the database a moment ago.
    pub(crate) async fn begin_alone(&self) -> Result<Result<TaskTransaction, String>, StoreError> {
        let task = self.begin_task("BEGIN").await?;
        let node = async {
            task.transaction.query(JOIN_LOCK, &[]).await?;
            nodes::in_use(&task.transaction).await
        };
        Ok(match node.await.map_err(Failure::into_error)? {
            Some(node) => Err(node),
            None => Ok(task),
        })
    }

    async fn begin_task(&self, begin: &str) -> Result<TaskTransaction, StoreError> {
        let dialled = self.dialer().dial(Instant::now() + POSTGRES_PATIENCE).await;
        let connection = dialled.map_err(|error| StoreError::Failed(error.to_string().into()))?;
        connection.batch(begin, POSTGRES_STATEMENT_MAX).await.map_err(Failure::into_error)?;
        let connection = Arc::new(connection);
        let transaction = Transaction::new(Arc::clone(&connection));
        Ok(TaskTransaction { connection, transaction })
    }
}
