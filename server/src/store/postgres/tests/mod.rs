//! Tests against servers of PostgreSQL, and a database for one test.

mod faults;
mod journal;
mod migration;
mod nodes;
mod plans;
mod presence;
mod refusals;

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use adamant_protocol::{
    GameId, UserName,
    ids::{Chain, PublicKey},
    values::TalkRoom,
};
use adamant_record::chain_after;
use bytes::Bytes;
use futures::{
    FutureExt as _, StreamExt as _,
    future::{self, join_all},
};
use postgres_fixture::{Cluster, Direction, PASSWORD, Relay, Server, USER};
use tokio::{
    sync::Semaphore,
    task::JoinHandle,
    time::{Instant, sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    connection::{Connection, Transaction},
    journal::EndingAppend,
    listener::{HeardQueue, listen},
    pool::forget,
    presence::{SweepPlace, sweep},
    *,
};
use crate::{
    cluster::{AppendedRecords, ClusterEvent, EventBus as _, GoneNode, Heard, HeardEvents, NodeId},
    limits::{
        POSTGRES_ANNOUNCEMENT_BYTES, POSTGRES_READS_MAX, POSTGRES_STATEMENT_MAX, PUSH_KEYS_KEPT,
    },
    outbound::frame::Frame,
    ratings::{Pool, RatedResult, Rating},
    runtime::metrics::Metrics,
    store::{
        Append, AppendError, AppendOutcome, ArchivedGame, ArchivedState, Backend as _, Begin,
        CountedGame, CreateUserOutcome, DueGames, GameFilter, Journal as _, ListKey, NewUser,
        NewUserKind, OfferId, Outage, PlayerAtGame, RecentLines, RecordRange, Relation,
        StandingsFilter, StandingsKey, Store, StoreError, Summary, Tally, TallyGroup,
        UncountedGame, UserId, Validity,
        ratings::ResultSeat,
        tests::{append, archived, begin},
    },
};

/// An open database on a cluster, empty but for its tables.
#[derive(Debug)]
pub(crate) struct TestDatabase {
    pub(crate) cluster: &'static Cluster,
    pub(crate) name: String,
    pub(crate) store: Postgres,
}

impl TestDatabase {
    /// Creates a database on the servers that all tests share: none may stop or pause them.
    pub(crate) async fn open() -> Self {
        Self::open_on(Cluster::shared()).await
    }

    pub(crate) async fn open_on(cluster: &'static Cluster) -> Self {
        let name = cluster.create_database();
        let store = open(&cluster.url(&name), false).await.unwrap();
        Self { cluster, name, store }
    }

    pub(crate) async fn another_node(&self) -> Postgres {
        open(&self.cluster.url(&self.name), false).await.unwrap()
    }

    pub(crate) fn sql(&self, statements: &str) -> String {
        self.cluster.primary().sql(&self.name, statements)
    }
}

async fn open_relayed(cluster: &Cluster) -> (String, Relay, Postgres) {
    let (database, port) = (cluster.create_database(), cluster.primary().port());
    let relay = Relay::start(port).unwrap();
    let [direct, relayed] = [port, relay.port()].map(|port| format!("127.0.0.1:{port}"));
    let url = cluster.url(&database).replace(&direct, &relayed);
    let store = open(&url, false).await.unwrap();
    (database, relay, store)
}

/// Holds a transaction or a read of a test until the test lets it go on.
#[derive(Clone)]
struct Gate(Arc<Semaphore>, Arc<Semaphore>);

impl Gate {
    fn closed() -> Self {
        Self(Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)))
    }

    async fn pass(&self) {
        self.0.add_permits(1);
        self.1.acquire().await.unwrap().forget();
    }

    async fn reached(&self, by: usize) {
        self.0.acquire_many(by.try_into().unwrap()).await.unwrap().forget();
    }

    fn open(&self, to: usize) {
        self.1.add_permits(to);
    }
}

/// Returns what a second node hears on the same database, from now on.
async fn listening(test: &TestDatabase, stop: &CancellationToken) -> HeardEvents {
    let other = test.another_node().await;
    let (heard, mut events) = HeardQueue::new();
    let node = "two".parse().unwrap();
    let listening = listen(Arc::clone(other.dialer()), node, Arc::new(heard), stop.clone());
    other.tasks().spawn(listening);
    assert_eq!(events.recv().await, Some(Heard::Gap));
    events
}

/// Starts servers that this test may stop. They end with the process.
pub(crate) fn own_cluster(standbys: usize) -> &'static Cluster {
    Box::leak(Box::new(Cluster::start(standbys)))
}

pub(crate) async fn open(url: &str, is_unreplicated: bool) -> Result<Postgres, PostgresError> {
    open_with(PostgresUrl::parse(url)?, is_unreplicated, Arc::default()).await
}

async fn open_with(
    url: PostgresUrl,
    is_unreplicated: bool,
    metrics: Arc<Metrics>,
) -> Result<Postgres, PostgresError> {
    let options = PostgresOptions { url, node: "one".to_owned(), is_unreplicated, metrics };
    Postgres::open(options, TaskTracker::new()).await
}

pub(crate) async fn join(
    store: &Postgres,
    node: &str,
) -> Result<(Arc<PostgresNode>, HeardEvents), PostgresError> {
    PostgresNode::join(store, node.parse().unwrap()).await
}

/// The heartbeats of a node, until they are stopped or dropped.
pub(crate) struct Beating(JoinHandle<()>);

impl Beating {
    pub(crate) fn start(node: &Arc<PostgresNode>) -> Self {
        let node = Arc::clone(node);
        Self(TaskTracker::new().spawn(async move {
            loop {
                if let Err(error) = node.heartbeat(1_000).await {
                    tracing::debug!(%error, "a heartbeat failed");
                }
                sleep(node.heartbeat_every()).await;
            }
        }))
    }

    /// Stops them, as the death of the process does.
    pub(crate) async fn stop(mut self) {
        self.0.abort();
        (&mut self.0).await.unwrap_err();
    }
}

impl Drop for Beating {
    fn drop(&mut self) {
        self.0.abort();
    }
}
