//! Controls: what the promise rests on is taken away, one piece at a time, and each time an
//! acknowledged append is lost or doubled, or a reader is shown one that is lost. With the piece in
//! place the same course of events contradicts nothing.

use postgres_fixture::Cluster;
use tokio::task::JoinHandle;
use tokio_util::task::TaskTracker;

use super::{
    TestDatabase,
    fixture::{open_with, own_cluster},
    journal_faults::{WAITING, cancel_the_wait_of_an_append, play, wait_for_the_wait_of_an_append},
};
use crate::store::{
    AppendError, Journal as _,
    postgres::Postgres,
    tests::{append, begin},
};

/// What contradicts the promise; each with the seq of the record.
#[derive(Debug, PartialEq, Eq)]
enum Finding {
    /// It was acknowledged and is not stored.
    Lost(u64),
    /// It is stored twice.
    Doubled(u64),
    /// A reader has received it and it is not stored.
    ShownInVain(u64),
}

/// Connections of a sound node wait for a standby and hear every warning.
const SOUND: &str = "-c synchronous_commit=on -c client_min_messages=warning";

/// Connections that do not wait for a standby.
const LOCAL: &str = "-c synchronous_commit=local -c client_min_messages=warning";

/// Connections that hear no warning.
const DEAF: &str = "-c synchronous_commit=on -c client_min_messages=error";

/// A database with the game `g1`, which has the records 1 and 2.
async fn database() -> TestDatabase {
    let test = TestDatabase::open_on(own_cluster(2)).await;
    test.store.begin(begin("g1")).await.unwrap();
    test
}

/// A node with connections of this kind. If they do not wait, the node does not insist on it.
async fn node(test: &TestDatabase, settings: &str) -> Postgres {
    open_with(&test.cluster.url(&test.name), settings, settings == LOCAL).await.unwrap()
}

/// Takes both standbys away from the primary. Commits wait from now on.
fn cut_standbys(cluster: &Cluster) {
    cluster.servers()[1].follow(None);
    cluster.servers()[2].follow(None);
}

/// Waits until a task has ended, or until this number of commits waits for a standby.
fn wait_until_ended_or_blocked<T>(task: &JoinHandle<T>, cluster: &Cluster, blocked: usize) {
    tokio::task::block_in_place(|| {
        while !task.is_finished()
            && cluster.primary().sql("postgres", WAITING).parse::<usize>().unwrap() < blocked
        {
        }
    });
}

/// Compares with what a server has stored of the game.
fn findings(
    test: &TestDatabase,
    server: usize,
    acknowledged: &[u64],
    shown: &[u64],
) -> Vec<Finding> {
    let select = "SELECT seq FROM journal WHERE game = 'g1' ORDER BY seq";
    let stored = test.cluster.servers()[server].sql(&test.name, select);
    let stored: Vec<u64> = stored.lines().map(|seq| seq.parse().unwrap()).collect();
    let is_missing = |seq: &&u64| !stored.contains(seq);
    let lost = acknowledged.iter().filter(is_missing).map(|seq| Finding::Lost(*seq));
    let vain = shown.iter().filter(is_missing).map(|seq| Finding::ShownInVain(*seq));
    let doubled = stored.windows(2).filter(|pair| pair[0] == pair[1]);
    let mut found: Vec<Finding> =
        lost.chain(vain).chain(doubled.map(|pair| Finding::Doubled(pair[0]))).collect();
    found.dedup();
    found
}

/// A node appends while no standby follows. The primary is lost and a standby promoted.
async fn append_without_standbys(settings: &str) -> Vec<Finding> {
    let test = database().await;
    let node = node(&test, settings).await;
    cut_standbys(test.cluster);
    let appended = play(&node, "g1", 3);
    wait_until_ended_or_blocked(&appended, test.cluster, 1);
    test.cluster.primary().kill();
    let promoted = test.cluster.fail_over();
    assert_eq!(appended.await.unwrap().unwrap(), None, "it is acknowledged in the end");
    findings(&test, promoted, &[3], &[])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn without_waiting_for_a_standby_an_append_is_lost() {
    assert_eq!(append_without_standbys(SOUND).await, []);
    assert_eq!(append_without_standbys(LOCAL).await, [Finding::Lost(3)]);
}

/// A node appends while no standby follows, and an operator cancels the wait of its commit.
async fn append_whose_wait_is_cancelled(settings: &str) -> Vec<Finding> {
    let test = database().await;
    let node = node(&test, settings).await;
    cut_standbys(test.cluster);
    let appended = play(&node, "g1", 3);
    let primary = test.cluster.primary();
    cancel_the_wait_of_an_append(primary);
    primary.wait_for_sql(&test.name, "SELECT count(*) FROM journal WHERE seq = 3", "1");
    wait_until_ended_or_blocked(&appended, test.cluster, 1);
    primary.kill();
    let promoted = test.cluster.fail_over();
    assert_eq!(appended.await.unwrap().unwrap(), None, "it is acknowledged in the end");
    findings(&test, promoted, &[3], &[])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn without_hearing_warnings_an_append_is_lost() {
    assert_eq!(append_whose_wait_is_cancelled(SOUND).await, []);
    assert_eq!(append_whose_wait_is_cancelled(DEAF).await, [Finding::Lost(3)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_append_that_is_let_go_without_a_standby_is_not_acknowledged() {
    let test = database().await;
    let node = node(&test, SOUND).await;
    cut_standbys(test.cluster);
    let appended = play(&node, "g1", 3);
    let primary = test.cluster.primary();
    wait_for_the_wait_of_an_append(primary);
    let sessions = "SELECT sum(sessions) FROM pg_stat_database";
    let sessions = || primary.sql("postgres", sessions).parse::<usize>().unwrap();
    primary.sql("postgres", "ALTER SYSTEM SET synchronous_standby_names = ''");
    primary.sql("postgres", "SELECT pg_reload_conf()");
    primary.wait_for_sql(&test.name, "SELECT count(*) FROM journal WHERE seq = 3", "1");
    // The node gives the connection up and tries others, which it refuses. Each question of this
    // test is a session, too.
    let (before, mut questions) = (sessions(), 0);
    tokio::task::block_in_place(|| {
        while !appended.is_finished() && sessions() < before + questions + 3 {
            questions += 1;
        }
    });
    assert!(!appended.is_finished(), "it is acknowledged, and no standby has it");
    primary.kill();
    let promoted = test.cluster.fail_over();
    assert_eq!(appended.await.unwrap().unwrap(), None, "it is acknowledged in the end");
    assert_eq!(findings(&test, promoted, &[3], &[]), []);
}

/// Replaces the journal's key by an index that PostgreSQL takes for one, and for which no two keys
/// are equal.
const WITHOUT_KEY: &str = "
    CREATE FUNCTION never_equal(bigint, bigint) RETURNS int LANGUAGE sql IMMUTABLE
        AS 'SELECT CASE WHEN $1 < $2 THEN -1 ELSE 1 END';
    CREATE FUNCTION never(bigint, bigint) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT false';
    CREATE OPERATOR === (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = never);
    CREATE OPERATOR CLASS never_equal FOR TYPE bigint USING btree AS
        OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 ===, OPERATOR 4 >=, OPERATOR 5 >,
        FUNCTION 1 never_equal(bigint, bigint);
    ALTER TABLE journal DROP CONSTRAINT journal_pkey;
    CREATE UNIQUE INDEX ON journal (game, seq never_equal);
    CREATE INDEX ON journal (game, seq);";

/// Two nodes append at the same place at the same time.
async fn append_at_two_nodes(has_key: bool) -> Vec<Finding> {
    let test = database().await;
    if !has_key {
        test.sql(WITHOUT_KEY);
    }
    let nodes = [node(&test, SOUND).await, node(&test, SOUND).await];
    cut_standbys(test.cluster);
    let appends: Vec<_> = nodes
        .iter()
        .zip(["moved here", "moved there"])
        .map(|(node, record)| {
            let appended = node.append(vec![append("g1", 2, &[record])]);
            TaskTracker::new().spawn(async move { appended.await.pop().unwrap() })
        })
        .collect();
    // One waits for a standby, and the other for a standby, too, or for the first one's key.
    let blocked = "SELECT count(*) >= 2 FROM pg_stat_activity
        WHERE application_name = 'adamant/one' AND state = 'active'
            AND (wait_event = 'SyncRep' OR wait_event_type = 'Lock')";
    test.cluster.primary().wait_for_sql("postgres", blocked, "t");
    test.cluster.servers()[1].follow(Some(test.cluster.primary()));
    let mut acknowledged = Vec::new();
    for appended in appends {
        match appended.await.unwrap() {
            Ok(_) => acknowledged.push(3),
            Err(AppendError::Conflict { last_seq: 3 }) => {}
            Err(other) => panic!("{other:?}"),
        }
    }
    assert_eq!(acknowledged.len(), if has_key { 1 } else { 2 });
    findings(&test, 0, &acknowledged, &[])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn without_the_key_an_append_is_doubled() {
    assert_eq!(append_at_two_nodes(true).await, []);
    assert_eq!(append_at_two_nodes(false).await, [Finding::Doubled(3)]);
}

/// The primary is lost, and one of its standbys is behind.
async fn promote(takes_the_best: bool) -> Vec<Finding> {
    let test = database().await;
    let (first, second) = (&test.cluster.servers()[1], &test.cluster.servers()[2]);
    second.wait_for_sql(&test.name, "SELECT count(*) FROM journal", "1");
    second.follow(None);
    play(&test.store, "g1", 3).await.unwrap().unwrap();
    test.cluster.primary().kill();
    let promoted = if takes_the_best {
        test.cluster.fail_over()
    } else {
        first.follow(None);
        second.promote();
        2
    };
    findings(&test, promoted, &[3], &[])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn with_the_standby_that_is_behind_an_append_is_lost() {
    assert_eq!(promote(true).await, []);
    assert_eq!(promote(false).await, [Finding::Lost(3)]);
}

/// A writer's row is on no standby. The primary crashes and starts again, which makes the row
/// visible, and a node reads it. Then the primary is lost.
async fn read_after_a_crash(settings: &str) -> Vec<Finding> {
    let test = database().await;
    let node = node(&test, settings).await;
    cut_standbys(test.cluster);
    let primary = test.cluster.primary();
    let write = "INSERT INTO journal (game, seq, events, chain, ply, to_move, last_at, records)
        SELECT game, 3, 1, chain, ply, to_move, last_at, 'moved' FROM journal WHERE game = 'g1'";
    std::thread::scope(|threads| {
        // Its commit waits for a standby until the crash.
        let writer = threads.spawn(|| primary.try_sql(&test.name, write));
        primary.wait_for_sql("postgres", WAITING, "1");
        primary.kill();
        assert!(writer.join().unwrap().is_err(), "the writer never hears of its commit");
    });
    primary.start();
    primary.wait_for_sql(&test.name, "SELECT count(*) FROM journal WHERE seq = 3", "1");
    let read = node.read("g1".parse().unwrap(), 3, 1);
    let read = TaskTracker::new().spawn(read);
    // Every node that was there waits, too.
    wait_until_ended_or_blocked(&read, test.cluster, 1);
    let is_shown = read.is_finished();
    primary.kill();
    let promoted = test.cluster.fail_over();
    let records = read.await.unwrap().unwrap();
    assert_eq!(records.len(), usize::from(is_shown));
    let shown: &[u64] = if is_shown { &[3] } else { &[] };
    findings(&test, promoted, &[], shown)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn without_waiting_for_a_standby_a_read_is_in_vain() {
    assert_eq!(read_after_a_crash(SOUND).await, []);
    assert_eq!(read_after_a_crash(LOCAL).await, [Finding::ShownInVain(3)]);
}
