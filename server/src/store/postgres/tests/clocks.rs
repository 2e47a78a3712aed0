//! The time of the nodes when a server takes over whose clock is wrong.

use std::time::Duration;

use postgres_fixture::Cluster;
use tokio::time::{Instant, sleep};

use super::{
    TestDatabase,
    fixture::{Beating, join, own_cluster},
};
use crate::store::{Backend as _, Outage, postgres::PostgresNode};

/// Far more than the fail-over of a test takes, and less than the clocks are apart.
const LONG_MS: u64 = 30_000;

/// Starts servers whose standbys have clocks that are so many seconds ahead.
fn cluster_with_clock(ahead_seconds: i64) -> &'static Cluster {
    let cluster = own_cluster(2);
    for standby in &cluster.servers()[1..] {
        standby.restart_with_clock(ahead_seconds);
        standby.wait_until_streaming();
    }
    cluster
}

/// Sends heartbeats until the test has seen what it waits for. Returns the outages.
async fn beat_until(node: &PostgresNode, is_done: impl Fn() -> bool) -> Vec<Outage> {
    let (mut outages, began) = (Vec::new(), Instant::now());
    loop {
        if let Ok(heartbeat) = node.heartbeat(1_000).await {
            outages.extend(heartbeat.outages);
            if is_done() {
                return outages;
            }
        }
        assert!(began.elapsed() < Duration::from_millis(LONG_MS), "it takes too long");
        sleep(node.heartbeat_every()).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dead_node_does_not_live_on_by_the_clock_of_a_server_that_is_behind() {
    let test = TestDatabase::open_on(cluster_with_clock(-60)).await;
    let (one, _heard) = join(&test.store, "one").await.unwrap();
    let (two, _heard) = join(&test.another_node().await, "two").await.unwrap();
    let beats = Beating::start(&two);
    beat_until(&two, || two.has_lease("sweep")).await;
    beat_until(&one, || one.other_nodes() == 1 && !one.has_lease("sweep")).await;
    // One machine had both.
    beats.stop().await;
    test.cluster.primary().kill();
    test.cluster.fail_over();
    beat_until(&one, || one.other_nodes() == 0).await;
    beat_until(&one, || one.has_lease("sweep")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_outage_is_no_longer_by_the_clock_of_a_server_that_is_ahead() {
    let test = TestDatabase::open_on(cluster_with_clock(600)).await;
    let (one, _heard) = join(&test.store, "one").await.unwrap();
    let (two, _heard) = join(&test.another_node().await, "two").await.unwrap();
    let _beats = Beating::start(&two);
    beat_until(&one, || one.other_nodes() == 1).await;
    test.cluster.primary().kill();
    let began = Instant::now();
    let primary = test.cluster.fail_over();
    let outages = beat_until(&one, || began.elapsed() > Duration::from_secs(4)).await;
    for Outage { from, until } in outages {
        assert!(until - from < LONG_MS, "{} ms", until - from);
    }
    let alive = "SELECT alive_at - 1000 * extract(epoch FROM now())::bigint FROM cluster";
    let ahead_ms: i64 =
        test.cluster.servers()[primary].sql(&test.name, alive).parse().expect("a number");
    assert!((-640_000..-560_000).contains(&ahead_ms), "{ahead_ms}");
    // A node that joins goes by the time of those that have lived.
    let (three, _heard) = join(&test.another_node().await, "three").await.unwrap();
    let heartbeat = three.heartbeat(three.time().now_ms()).await.unwrap();
    assert!(heartbeat.ahead_ms.is_some_and(|ahead| ahead.abs() < 1_000), "{heartbeat:?}");
    assert_eq!(one.other_nodes(), 1);
}
