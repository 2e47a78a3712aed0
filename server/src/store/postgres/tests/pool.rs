//! Operations survive what may happen to a connection, and no unconfirmed commit counts.

use std::{sync::Arc, time::Duration};

use futures::FutureExt as _;
use postgres_fixture::{Cluster, Direction, Relay};
use tokio::{sync::Notify, time::Instant};
use tokio_util::task::TaskTracker;

use super::{
    TestDatabase,
    fixture::{open, own_cluster},
};
use crate::{limits::POSTGRES_STATEMENT_MAX, store::postgres::Postgres};

/// Adds a row each time: a transaction that is carried out twice adds two.
const ADD: &str = "INSERT INTO outages (until_at, from_at) VALUES ((random() * 1e15)::bigint, 0)";
const LOCK: &str = "SELECT pg_advisory_xact_lock(1)";
const COUNT: &str = "SELECT count(*) FROM outages";

async fn add(store: Postgres) {
    let run = store
        .pool()
        .transact((), |transaction, ()| async move { transaction.execute(ADD, &[]).await }.boxed());
    assert_eq!(run.await.unwrap(), 1);
}

async fn count(store: &Postgres) -> i64 {
    let read = store.pool().read_confirmed((), |transaction, ()| {
        async move { Ok(transaction.query_one(COUNT, &[]).await?.try_get(0)?) }.boxed()
    });
    read.await.unwrap()
}

/// The commits that wait for a standby.
const WAITING: &str = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_wait_is_no_commit() {
    let test = TestDatabase::open_on(own_cluster(2)).await;
    let servers = test.cluster.servers();
    servers[1].pause();
    servers[2].pause();
    let written = TaskTracker::new().spawn(add(test.store.clone()));
    let sql = |statement: &str| servers[0].sql("postgres", statement);
    servers[0].wait_for_sql("postgres", WAITING, "1");
    sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
    // The row is visible, and the node sends the transaction again, which waits, too.
    servers[0].wait_for_sql(&test.name, COUNT, "1");
    servers[0].wait_for_sql("postgres", WAITING, "1");
    assert!(!written.is_finished(), "no standby has it");
    servers[1].resume();
    written.await.unwrap();
    assert_eq!(count(&test.store).await, 1);
    servers[2].resume();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_transaction_survives_the_loss_of_the_primary() {
    let test = TestDatabase::open_on(own_cluster(2)).await;
    add(test.store.clone()).await;
    test.cluster.primary().kill();
    let written = TaskTracker::new().spawn(add(test.store.clone()));
    test.cluster.fail_over();
    written.await.unwrap();
    assert_eq!(count(&test.store).await, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_resumed_primary_is_not_believed() {
    let test = TestDatabase::open_on(own_cluster(2)).await;
    add(test.store.clone()).await;
    test.cluster.primary().pause();
    let promoted = test.cluster.fail_over();
    add(test.store.clone()).await;
    test.cluster.primary().resume();
    let other = test.another_node().await;
    assert_eq!((count(&test.store).await, count(&other).await), (2, 2));
    assert_eq!(test.cluster.servers()[promoted].sql(&test.name, COUNT), "2");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operation_whose_caller_is_gone_leaves_no_open_transaction() {
    let test = TestDatabase::open().await;
    for _ in 0..20 {
        drop(tokio::time::timeout(Duration::ZERO, add(test.store.clone())).await);
    }
    add(test.store.clone()).await;
    let idle = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                    AND state = 'idle in transaction'";
    test.cluster.primary().wait_for_sql(&test.name, idle, "0");
    test.cluster.primary().wait_for_sql(&test.name, COUNT, "21");
}

/// Takes a lock, and waits for the other node before it commits.
async fn stop_within(store: Postgres, signals: (Arc<Notify>, Arc<Notify>)) {
    let run = store.pool().transact(signals, |transaction, (locked, others_turn)| {
        async move {
            transaction.query(LOCK, &[]).await?;
            locked.notify_one();
            others_turn.notified().await;
            Ok(())
        }
        .boxed()
    });
    run.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_stops_within_a_transaction_stops_no_other() {
    let test = TestDatabase::open().await;
    let other = test.another_node().await;
    let (locked, others_turn) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let signals = (Arc::clone(&locked), Arc::clone(&others_turn));
    let stopped = TaskTracker::new().spawn(stop_within(test.store.clone(), signals));
    locked.notified().await;
    let lock = other.pool().transact((), |transaction, ()| {
        async move { transaction.query(LOCK, &[]).await.map(drop) }.boxed()
    });
    lock.await.expect("PostgreSQL ends the other transaction");
    // The first node goes on, finds its transaction gone and sends it again.
    others_turn.notify_one();
    locked.notified().await;
    others_turn.notify_one();
    stopped.await.unwrap();
}

/// Bytes between two cuts: less than the shortest pair of messages.
const CUT_STEP: usize = 9;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_may_be_cut_anywhere_in_a_transaction() {
    let cluster = Cluster::shared();
    let database = cluster.create_database();
    let primary = cluster.primary();
    let relay = Relay::start(primary.port()).unwrap();
    let (host, relayed) = (primary.port().to_string(), relay.port().to_string());
    let url = cluster.url(&database).replace(&host, &relayed);
    let store = open(&url, false).await.unwrap();
    let mut added = 0;
    // Three times: the first prepares the statements.
    let mut lengths = [0; 2];
    for _ in 0..3 {
        let ways = [Direction::ToTarget, Direction::FromTarget];
        let before = ways.map(|way| relay.passed(way));
        added += 1;
        add(store.clone()).await;
        for (length, (way, before)) in lengths.iter_mut().zip(ways.into_iter().zip(before)) {
            *length = usize::try_from(relay.passed(way) - before).unwrap();
        }
    }
    for (way, length) in [Direction::ToTarget, Direction::FromTarget].into_iter().zip(lengths) {
        for bytes in (1..length).step_by(CUT_STEP) {
            relay.cut_after(way, bytes);
            added += 1;
            add(store.clone()).await;
            assert_eq!(primary.sql(&database, COUNT), added.to_string(), "{way:?} {bytes}");
            // The new connection prepares its statements.
            added += 1;
            add(store.clone()).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_does_not_wait_for_a_server_that_is_out_of_reach() {
    let test = TestDatabase::open_on(own_cluster(2)).await;
    add(test.store.clone()).await;
    // It stays connected and says nothing: the node notices by a deadline and finds the other.
    test.cluster.primary().pause();
    let reading = TaskTracker::new();
    let store = test.store.clone();
    let found = reading.spawn(async move { count(&store).await });
    test.cluster.fail_over();
    assert_eq!(found.await.unwrap(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_that_waits_for_a_standby_asks_the_primary_once() {
    let cluster = own_cluster(2);
    let (database, servers) = (cluster.create_database(), cluster.servers());
    let relay = Relay::start(servers[0].port()).unwrap();
    let (host, relayed) = (servers[0].port().to_string(), relay.port().to_string());
    let store = open(&cluster.url(&database).replace(&host, &relayed), false).await.unwrap();
    servers[1].pause();
    servers[2].pause();
    // Each has time for more than one barrier.
    let patience = 2 * POSTGRES_STATEMENT_MAX + Duration::from_millis(500);
    let dial = || store.dialer().dial(Instant::now() + patience);
    // For a moment an earlier commit proves which server is the primary.
    while dial().await.is_ok() {}
    let asked = relay.passed(Direction::ToTarget);
    dial().await.unwrap_err();
    assert_eq!(relay.passed(Direction::ToTarget), asked);
    servers[1].resume();
    dial().await.unwrap();
    servers[2].resume();
}
