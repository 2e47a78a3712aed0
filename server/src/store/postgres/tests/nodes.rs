//! Heartbeats, outages, what nodes hear of each other, and their time when a server takes over whose
//! clock is wrong.

use super::*;

fn watching(spectators: u32) -> ClusterEvent {
    ClusterEvent::Watching { game: "k7q2mx".parse().unwrap(), spectators }
}

/// Waits for what a node hears, and ignores gaps before it.
async fn next_event(heard: &mut HeardEvents) -> Heard {
    loop {
        let next = timeout(Duration::from_secs(20), heard.recv()).await;
        match next.unwrap().unwrap() {
            Heard::Gap => {}
            heard @ (Heard::Event(..) | Heard::Appended(_) | Heard::NodeGone(_)) => return heard,
        }
    }
}

async fn next_gone(heard: &mut HeardEvents) -> GoneNode {
    let Heard::NodeGone(gone) = next_event(heard).await else { panic!("no node has gone") };
    gone
}

async fn beat(node: &Arc<PostgresNode>) -> Vec<Outage> {
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
    test.sql("UPDATE cluster SET alive_at = alive_at - 1000");
    assert_eq!(beat(&node).await, [], "a missing heartbeat is no outage");
    node.close(1_000).await;
    let (next, _heard) = join(&test.another_node().await, "one").await.unwrap();
    let found = next.begin_serving(None, None, 1_000).await.unwrap();
    let [earlier, restart] = found[..] else { panic!("{found:?}") };
    assert_eq!(earlier, outage);
    assert!((outage.until..restart.until).contains(&restart.from), "{restart:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_nodes_pause_or_restart_is_no_outage_while_another_serves() {
    let test = TestDatabase::open().await;
    let (node, _heard) = join(&test.store, "one").await.unwrap();
    // What another node has left in the database while this one was paused.
    test.sql(
        "UPDATE nodes SET beat_at = beat_at - 6000;
         UPDATE cluster SET alive_at = extract(epoch FROM clock_timestamp()) * 1000 - 1000;
         INSERT INTO nodes (node, epoch, beat_at, records_version) VALUES ('two', 1,
             extract(epoch FROM clock_timestamp()) * 1000 + 60000, 1)",
    );
    assert_eq!(node.begin_serving(None, None, 1_000).await.unwrap(), []);
    test.sql("UPDATE nodes SET beat_at = beat_at - 6000 WHERE node = 'one'");
    assert_eq!(beat(&node).await, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_cannot_read_all_records_does_not_join() {
    let test = TestDatabase::open().await;
    let (node, _heard) = join(&test.store, "one").await.unwrap();
    // A node of the next release lives beside one of this release.
    test.sql(
        "INSERT INTO nodes (node, epoch, beat_at, records_version) VALUES ('next', 1,
             extract(epoch FROM clock_timestamp()) * 1000 + 60000, 2)",
    );
    beat(&node).await;
    let written = "SELECT records_version FROM cluster";
    assert_eq!(test.sql(written), "1", "this node could not read more");
    let (other, _heard) = join(&test.another_node().await, "two").await.unwrap();
    other.close(1_000).await;
    // The nodes of this release are replaced.
    test.sql("UPDATE nodes SET records_version = 2");
    beat(&node).await;
    assert_eq!(test.sql(written), "2", "all nodes that live can read it");
    let error = join(&test.another_node().await, "two").await.unwrap_err();
    assert!(matches!(error, PostgresError::NewerRecords { found: 2, known: 1 }), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_node_of_a_name_is_refused_and_a_successor_is_not() {
    let test = TestDatabase::open().await;
    let (node, _heard) = join(&test.store, "one").await.unwrap();
    let beats = Beating::start(&node);
    let second = test.another_node().await;
    let (other, _heard) = join(&second, "two").await.unwrap();
    assert_eq!(beat(&other).await, [], "another name joins at once");
    let refused = join(&second, "one").await.unwrap_err();
    assert!(matches!(refused, PostgresError::NodeLives { .. }), "{refused}");
    // As after `kill -9`: no more heartbeats, and the row stays.
    beats.stop().await;
    let (successor, _heard) = join(&second, "one").await.unwrap();
    assert_eq!(successor.begin_serving(None, None, 1_000).await.unwrap().len(), 1);
    assert!(successor.is_healthy());
    assert_eq!(successor.durability(), "replicated");
    assert!(successor.size().await.database.unwrap() > 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_end_and_the_next_run_of_a_node_are_heard() {
    let test = TestDatabase::open().await;
    let (one, mut heard) = join(&test.store, "one").await.unwrap();
    let (two, _heard) = join(&test.another_node().await, "two").await.unwrap();
    beat(&two).await;
    beat(&one).await;
    // It stops and starts between two heartbeats.
    two.close(1_000).await;
    let (_two, _heard) = join(&test.another_node().await, "two").await.unwrap();
    beat(&one).await;
    assert_eq!(next_gone(&mut heard).await.node.as_str(), "two");
    assert_eq!(heard.recv().await, Some(Heard::Gap), "the next run has announced itself before");
    // However long this test takes, it is no stall of the database.
    test.sql("UPDATE cluster SET alive_at = alive_at + 60000, resumed_at = 0");
    let last = "UPDATE nodes SET beat_at = beat_at - 2000 WHERE node = 'two' RETURNING beat_at";
    let died_at = Some(test.sql(last).parse().unwrap());
    beat(&one).await;
    let gone = GoneNode { node: "two".parse().unwrap(), died_at };
    assert_eq!(next_gone(&mut heard).await, gone);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stall_of_the_database_is_no_end_of_a_node() {
    let test = TestDatabase::open().await;
    let (one, mut heard) = join(&test.store, "one").await.unwrap();
    let (two, _heard) = join(&test.another_node().await, "two").await.unwrap();
    beat(&two).await;
    beat(&one).await;
    // As if no node could commit for four seconds.
    test.sql("UPDATE nodes SET beat_at = beat_at - 4000");
    test.sql("UPDATE cluster SET alive_at = alive_at - 4000");
    beat(&one).await;
    beat(&one).await;
    beat(&two).await;
    let own = one.cluster();
    two.cluster().publish(|| watching(1));
    let event = Heard::Event("two".parse().unwrap(), watching(1));
    assert_eq!(next_event(&mut heard).await, event, "no node has gone before");
    assert!(!own.is_alone());
    // A node that has ended during the stall has gone a moment later.
    test.sql("UPDATE cluster SET resumed_at = resumed_at - 4000");
    test.sql("UPDATE nodes SET beat_at = beat_at - 4000 WHERE node = 'two'");
    beat(&one).await;
    assert_eq!(next_gone(&mut heard).await.node.as_str(), "two");
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
    say(&format!("two 5 4\\n{}\\n{}", "{\"newer\":1}", event(3)));
    assert_eq!(heard.recv().await, Some(Heard::Event(two, watching(3))));
    for malformed in ["something else", "two 5 5\\nk7q2mx 5 2\\n{}", "two 5 5\\nk7q2mx 5 -1"] {
        say(malformed);
        assert_eq!(heard.recv().await, Some(Heard::Gap), "{malformed}");
    }
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
    let stop = CancellationToken::new();
    let mut events = listening(&test, &stop).await;
    let cluster = speaker.cluster();
    for n in 1..=20 {
        cluster.publish(|| watching(n));
    }
    for n in 1..=20 {
        let event = Heard::Event("one".parse().unwrap(), watching(n));
        assert_eq!(next_event(&mut events).await, event);
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_are_forgotten_long_after_the_last_stall() {
    let test = TestDatabase::open().await;
    test.sql("INSERT INTO carried_out VALUES ('ours', 1, now() - interval '1 hour')");
    let forget = || test.store.pool().transact((), |sql, ()| forget(sql).boxed());
    test.sql("UPDATE cluster SET resumed_at = extract(epoch FROM now()) * 1000");
    assert_eq!(forget().await.unwrap(), 0, "the clock may have jumped");
    test.sql("UPDATE cluster SET resumed_at = 0");
    assert_eq!(forget().await.unwrap(), 1);
}

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

#[tokio::test]
async fn all_nodes_know_the_keys_of_all() {
    let database = TestDatabase::open().await;
    let [one, two] = ["one", "two"]
        .map(|node| node.parse::<NodeId>().unwrap())
        .map(|node| NodeKeys::new(database.store.clone(), node));
    let [first, second, third] = [1, 2, 3].map(|byte| PublicKey([byte; 32]));
    one.register_keys(vec![first, second], 10).await.unwrap();
    two.register_keys(vec![third], 20).await.unwrap();
    one.register_keys(vec![first, second], 30).await.unwrap();
    for keys in [one, two] {
        assert_eq!(keys.signing_keys().await.unwrap(), [first, second, third]);
    }
}

#[tokio::test]
async fn all_nodes_share_the_push_key_that_was_first() {
    let database = TestDatabase::open().await;
    let keys = NodeKeys::new(database.store.clone(), "one".parse().unwrap());
    let (secret, new) = ([1; 32], [2; 32]);
    let of = |secrets: &[[u8; 32]], are_new| PushSecrets { secrets: secrets.to_vec(), are_new };
    assert_eq!(keys.push_keys(vec![secret]).await.unwrap(), of(&[secret], true));
    let other = NodeKeys::new(database.another_node().await, "two".parse().unwrap());
    assert_eq!(other.push_keys(vec![new, secret]).await.unwrap(), of(&[secret], false));

    let later = |n: usize| [u8::try_from(n).unwrap() + 2; 32];
    for n in 0..PUSH_KEYS_KEPT {
        other.add_push_key(later(n)).await.unwrap();
    }
    let kept: Vec<_> = (0..PUSH_KEYS_KEPT).map(later).collect();
    assert_eq!(keys.push_keys(Vec::new()).await.unwrap(), of(&kept, false));
}
