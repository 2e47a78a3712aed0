//! Heartbeats, outages, and what nodes hear of each other.

use std::{sync::Arc, time::Duration};

use tokio_util::sync::CancellationToken;

use super::{
    TestDatabase,
    fixture::{join, own_cluster},
};
use crate::{
    cluster::{ClusterEvent, EventBus as _, Heard, HeardEvents},
    store::{
        Backend as _,
        postgres::{PostgresError, PostgresNode, heard_queue::HeardQueue, listener::listen},
    },
};

fn watching(spectators: u32) -> ClusterEvent {
    ClusterEvent::Watching { game: "k7q2mx".parse().unwrap(), spectators }
}

/// Waits for what a node hears, and ignores gaps before it.
async fn next_event(heard: &mut HeardEvents) -> Heard {
    loop {
        let next = tokio::time::timeout(Duration::from_secs(20), heard.recv()).await;
        match next.unwrap().unwrap() {
            Heard::Gap => {}
            heard @ (Heard::Event(..) | Heard::NodeGone(_)) => return heard,
        }
    }
}

async fn beat(node: &Arc<PostgresNode>) -> Vec<crate::store::Outage> {
    node.heartbeat(1_000).await.unwrap().outages
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_outage_is_found_once() {
    let test = TestDatabase::open().await;
    let (node, _heard) = join(&test.store, "one").await.unwrap();
    assert_eq!(node.begin_serving(None, None, 1_000).await.unwrap(), []);
    assert_eq!(beat(&node).await, []);
    test.sql("UPDATE cluster SET alive_at = alive_at - 6000");
    let found = beat(&node).await;
    let [outage] = found[..] else { panic!("{found:?}") };
    let length = outage.until - outage.from;
    assert!((6_000..20_000).contains(&length), "{length}");
    assert_eq!(beat(&node).await, [], "the store returns an outage once");
    test.sql("UPDATE cluster SET alive_at = alive_at - 4000");
    assert_eq!(beat(&node).await, [], "a fail-over is no outage");
    node.close(1_000).await;
    let (next, _heard) = join(&test.another_node().await, "one").await.unwrap();
    assert_eq!(next.begin_serving(None, None, 1_000).await.unwrap(), [outage]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_node_is_refused_and_a_successor_is_not() {
    let test = TestDatabase::open().await;
    let (node, _heard) = join(&test.store, "one").await.unwrap();
    let beating = Arc::clone(&node);
    let beats = tokio_util::task::TaskTracker::new().spawn(async move {
        loop {
            beating.heartbeat(1_000).await.unwrap();
            tokio::time::sleep(beating.heartbeat_every()).await;
        }
    });
    let second = test.another_node().await;
    let refused = join(&second, "two").await.unwrap_err();
    assert!(matches!(refused, PostgresError::AnotherNode { ref other, .. } if other == "one"));
    let refused = join(&second, "one").await.unwrap_err();
    assert!(matches!(refused, PostgresError::NodeLives { .. }), "{refused}");
    // As after `kill -9`: no more heartbeats, and the row stays.
    beats.abort();
    beats.await.unwrap_err();
    let (successor, _heard) = join(&second, "one").await.unwrap();
    assert_eq!(successor.begin_serving(None, None, 1_000).await.unwrap(), []);
    assert!(successor.is_healthy());
    assert_eq!(successor.durability(), "replicated");
    assert!(successor.size().await.database.unwrap() > 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_hears_what_another_announces_but_not_itself() {
    let test = TestDatabase::open().await;
    let (_one, mut heard) = join(&test.store, "one").await.unwrap();
    assert_eq!(heard.recv().await, Some(Heard::Gap), "it listens from now on");
    let say = |text: &str| test.sql(&format!("SELECT pg_notify('adamant', E'{text}')"));
    let event = |n: u32| watching(n).to_text();
    test.store.events().publish(watching(7));
    say(&format!("two 5 1\\n{}", event(1)));
    let two = "two".parse().unwrap();
    assert_eq!(next_event(&mut heard).await, Heard::Event(two, watching(1)));
    say(&format!("two 5 3\\n{}", event(2)));
    assert_eq!(heard.recv().await, Some(Heard::Gap));
    assert_eq!(heard.recv().await, Some(Heard::Event(two, watching(2))));
    say("something else");
    say(&format!("two 5 4\\n{}\\n{}", "{\"newer\":1}", event(3)));
    assert_eq!(heard.recv().await, Some(Heard::Event(two, watching(3))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn announcements_reach_other_listeners_after_a_fail_over() {
    let test = TestDatabase::open_on(own_cluster(2)).await;
    let (_one, mut heard) = join(&test.store, "one").await.unwrap();
    assert_eq!(heard.recv().await, Some(Heard::Gap));
    test.cluster.primary().kill();
    let primary = &test.cluster.servers()[test.cluster.fail_over()];
    assert_eq!(heard.recv().await, Some(Heard::Gap), "it listens anew");
    let announced = format!("two 5 1\\n{}", watching(1).to_text());
    primary.sql(&test.name, &format!("SELECT pg_notify('adamant', E'{announced}')"));
    let two = "two".parse().unwrap();
    assert_eq!(next_event(&mut heard).await, Heard::Event(two, watching(1)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_announces_in_order() {
    let test = TestDatabase::open().await;
    let (speaker, _own) = join(&test.store, "one").await.unwrap();
    // A second listener on the same database, which has not joined.
    let other = test.another_node().await;
    let (heard, mut events) = HeardQueue::new();
    let stop = CancellationToken::new();
    let listening =
        listen(Arc::clone(other.dialer()), "two".parse().unwrap(), Arc::new(heard), stop.clone());
    other.tasks().spawn(listening);
    assert_eq!(events.recv().await, Some(Heard::Gap));
    let cluster = speaker.cluster();
    for n in 1..=20 {
        cluster.publish(|| watching(n));
    }
    for n in 1..=20 {
        let one = "one".parse().unwrap();
        assert_eq!(next_event(&mut events).await, Heard::Event(one, watching(n)));
    }
    stop.cancel();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_node_does_the_work_and_another_takes_it_over() {
    let test = TestDatabase::open().await;
    let (one, _heard) = join(&test.store, "one").await.unwrap();
    assert!(!one.has_lease("sweep"), "no heartbeat has asked for it");
    beat(&one).await;
    assert!(one.has_lease("sweep") && !one.has_lease("house"));
    test.sql("UPDATE leases SET node = 'two', until = until + 60000");
    beat(&one).await;
    assert!(!one.has_lease("sweep") && one.has_lease("house"), "another node has it");
    test.sql("UPDATE leases SET until = 0 WHERE node = 'two'");
    beat(&one).await;
    assert!(one.has_lease("sweep"), "the other node has stopped renewing it");
    one.close(1_000).await;
    assert_eq!(test.sql("SELECT count(*) FROM leases"), "0");
}
