//! A node on the database: its health, its heartbeats, its end.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures::{FutureExt as _, future::BoxFuture};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use super::{
    NodeKeys, cluster_clock::ReadTime, membership::NodeMembership, postgres::Postgres,
    postgres_error::PostgresError, presence::PostgresPresence, tries::FORGET, values::from_sql,
};
use crate::{
    cluster::{Cluster, HeardEvents, NodeId},
    limits::{
        POSTGRES_BEAT_EVERY, POSTGRES_CLOSE_MAX, POSTGRES_FORGET_AT_ONCE, POSTGRES_FORGET_EVERY,
        POSTGRES_HEALTHY, POSTGRES_SIZE_EVERY,
    },
    runtime::{metrics::StoreSize, time::TimeSource},
    store::{Backend, Heartbeat, Outage, ReadOnlyReason, SharedPresence, StoreError},
};

/// The sizes of the database. The number of users is as of the last analysis of the table.
const SIZE: &str = "SELECT pg_database_size(current_database()),
         (SELECT reltuples::bigint FROM pg_class WHERE oid = to_regclass('users')),
         (SELECT count(*) FROM games WHERE NOT finished)";

/// A node that serves games from the database.
#[derive(Debug)]
pub(crate) struct PostgresNode {
    postgres: Postgres,
    membership: NodeMembership,
    presence: Arc<PostgresPresence>,
    /// The time of the nodes when this one joined.
    joined_at: ReadTime,
    stop: CancellationToken,
    size: Mutex<Option<(Instant, StoreSize)>>,
    /// When this node last forgot requests that are carried out.
    forgotten_at: Mutex<Option<Instant>>,
}

impl PostgresNode {
    /// Joins the nodes on the database. Refuses while another node of this name lives.
    pub(crate) async fn join(
        postgres: &Postgres,
        node: NodeId,
    ) -> Result<(Arc<Self>, HeardEvents), PostgresError> {
        let (stop, events) = (CancellationToken::new(), postgres.events().clone());
        let (dialer, tasks) = (postgres.dialer(), postgres.tasks());
        let presence = Arc::new(PostgresPresence::new(postgres.pool().clone()));
        let joined = NodeMembership::join(node, dialer, events, &presence, tasks, &stop).await?;
        let (membership, heard, joined_at) = joined;
        let postgres = postgres.clone();
        let (size, forgotten_at) = (Mutex::default(), Mutex::default());
        let node = Self { postgres, membership, presence, joined_at, stop, size, forgotten_at };
        Ok((Arc::new(node), heard))
    }

    /// Returns a clock that goes by the time of the nodes, whatever this machine's clock says.
    pub(crate) fn time(&self) -> TimeSource {
        let ReadTime { ms, asked, answered } = self.joined_at;
        let read = asked + answered.saturating_duration_since(asked) / 2;
        TimeSource::from_store(from_sql(ms), read)
    }

    /// The nodes on the database, of which this is one.
    pub(crate) fn cluster(&self) -> Cluster {
        Cluster::join(self.membership.node(), Arc::new(self.postgres.events().clone()))
    }

    /// The keys of the nodes, as this one stores and reads them.
    pub(in crate::store) fn keys(&self) -> NodeKeys {
        NodeKeys::new(self.postgres.clone(), self.membership.node())
    }

    /// The database.
    pub(in crate::store) const fn postgres(&self) -> &Postgres {
        &self.postgres
    }

    /// Which players are at their games, over all nodes.
    pub(crate) fn presence(&self) -> Arc<dyn SharedPresence> {
        Arc::<PostgresPresence>::clone(&self.presence)
    }

    /// Forgets requests that nobody repeats any more, now and then, if this node does it for all.
    fn forget_requests(&self) {
        let mut forgotten_at = self.forgotten_at.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = forgotten_at.is_none_or(|at| at.elapsed() >= POSTGRES_FORGET_EVERY);
        if !is_due || !self.membership.has_lease("requests") {
            return;
        }
        *forgotten_at = Some(Instant::now());
        let postgres = self.postgres.clone();
        self.postgres.tasks().spawn(async move {
            let mut forgotten = Ok(POSTGRES_FORGET_AT_ONCE);
            while matches!(forgotten, Ok(POSTGRES_FORGET_AT_ONCE..)) {
                let forget = postgres.transact((), |transaction, ()| {
                    let max = i64::try_from(POSTGRES_FORGET_AT_ONCE).unwrap_or(i64::MAX);
                    async move { transaction.execute(FORGET, &[&max]).await }.boxed()
                });
                forgotten = forget.await;
            }
            if let Err(error) = forgotten {
                // operator: PostgreSQL was away. The notes of which transactions were carried out
                // stay a while longer, and the server retries
                tracing::warn!(%error, "deleting old requests failed");
            }
        });
    }

    async fn read_size(&self) -> Result<StoreSize, StoreError> {
        let read = self.postgres.pool().read((), |transaction, ()| {
            async move {
                let row = transaction.query_one(SIZE, &[]).await?;
                let number = |column: usize| -> Result<Option<u64>, tokio_postgres::Error> {
                    let number: Option<i64> = row.try_get(column)?;
                    Ok(number.and_then(|number| u64::try_from(number).ok()))
                };
                let (database, users, live_games) = (number(0)?, number(1)?, number(2)?);
                Ok(StoreSize { database, users, live_games, ..StoreSize::default() })
            }
            .boxed()
        });
        read.await
    }
}

impl Backend for PostgresNode {
    /// Never: another server can take over from one whose disk is full.
    fn read_only(&self) -> Option<ReadOnlyReason> {
        None
    }

    fn is_healthy(&self) -> bool {
        let silent_for = self.postgres.dialer().primary().silent_for();
        silent_for.is_some_and(|silent_for| silent_for < POSTGRES_HEALTHY)
    }

    fn durability(&self) -> &'static str {
        if self.postgres.dialer().is_replicated() { "replicated" } else { "fsync" }
    }

    fn size(&self) -> BoxFuture<'_, StoreSize> {
        let kept = *self.size.lock().unwrap_or_else(PoisonError::into_inner);
        async move {
            if let Some((_, size)) = kept.filter(|(at, _)| at.elapsed() < POSTGRES_SIZE_EVERY) {
                return size;
            }
            let size = self.read_size().await.unwrap_or_default();
            let mut kept = self.size.lock().unwrap_or_else(PoisonError::into_inner);
            *kept = Some((Instant::now(), size));
            size
        }
        .boxed()
    }

    /// The first heartbeat. The database knows when any node could last commit, so the caller's
    /// last event does not matter.
    fn begin_serving(
        &self,
        _last_event: Option<u64>,
        _settled: Option<u64>,
        now_ms: u64,
    ) -> BoxFuture<'_, Result<Vec<Outage>, StoreError>> {
        async move { Ok(self.heartbeat(now_ms).await?.outages) }.boxed()
    }

    fn heartbeat_every(&self) -> Duration {
        POSTGRES_BEAT_EVERY
    }

    fn heartbeat(&self, now_ms: u64) -> BoxFuture<'_, Result<Heartbeat, StoreError>> {
        async move {
            let heartbeat = self.membership.beat(now_ms).await?;
            self.postgres.last_heartbeat().note();
            self.forget_requests();
            Ok(heartbeat)
        }
        .boxed()
    }

    fn has_lease(&self, work: &'static str) -> bool {
        self.membership.has_lease(work)
    }

    fn commit_age(&self) -> Duration {
        self.postgres.dialer().primary().silent_for().unwrap_or_default()
    }

    fn other_nodes(&self) -> usize {
        self.membership.other_nodes()
    }

    /// Every write is durable when it is acknowledged. The node's row goes, so that its successor
    /// need not wait for its death.
    fn close(&self, now_ms: u64) -> BoxFuture<'_, ()> {
        async move {
            let leaving = async {
                self.membership.beat(now_ms).await?;
                self.membership.leave().await
            };
            match timeout(POSTGRES_CLOSE_MAX, leaving).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::warn!(%error, "heartbeat write failed"),
                Err(_) => {
                    let error = StoreError::Busy;
                    tracing::warn!(%error, "heartbeat write failed");
                }
            }
            self.stop.cancel();
            self.postgres.journal().stop();
            self.postgres.pool().close_idle();
            self.membership.close_idle();
            let tasks = self.postgres.tasks();
            tasks.close();
            timeout(POSTGRES_CLOSE_MAX, tasks.wait()).await.ok();
        }
        .boxed()
    }
}
