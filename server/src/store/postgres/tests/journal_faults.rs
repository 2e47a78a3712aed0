//! Whatever happens to PostgreSQL, each append is stored once, and it is acknowledged only when a
//! standby has it.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use futures::future::join_all;
use postgres_fixture::{Cluster, Direction, Relay, Server};
use tokio::task::JoinHandle;
use tokio_util::task::TaskTracker;

use super::{
    TestDatabase,
    fixture::{open, own_cluster},
};
use crate::store::{
    AppendOutcome, Journal as _,
    postgres::Postgres,
    tests::{append, begin},
};

/// Games that are played at the same time, and the events that each gets.
const GAMES: usize = 8;
const EVENTS: u64 = 30;

pub(super) fn play(store: &Postgres, game: &str, seq: u64) -> JoinHandle<AppendOutcome> {
    let appended = store.append(vec![append(game, seq - 1, &["moved"])]);
    TaskTracker::new().spawn(async move { appended.await.pop().unwrap() })
}

/// Plays games one move after the other, and counts the moves that are acknowledged.
async fn play_games(store: Postgres, acknowledged: Arc<AtomicUsize>) {
    let play_game = |number| {
        let (store, acknowledged) = (store.clone(), Arc::clone(&acknowledged));
        TaskTracker::new().spawn(async move {
            let game = format!("g{number}");
            for seq in 3..=EVENTS {
                play(&store, &game, seq).await.unwrap().unwrap();
                acknowledged.fetch_add(1, Ordering::SeqCst);
            }
        })
    };
    let games: Vec<_> = (0..GAMES).map(play_game).collect();
    for game in join_all(games).await {
        game.unwrap();
    }
}

/// Plays games while something happens to the primary in the middle of them. Each event must be
/// there once.
async fn play_through(fault: impl FnOnce(&Cluster)) {
    let test = TestDatabase::open_on(own_cluster(2)).await;
    for number in 0..GAMES {
        test.store.begin(begin(&format!("g{number}"))).await.unwrap();
    }
    let acknowledged = Arc::new(AtomicUsize::new(0));
    let playing =
        TaskTracker::new().spawn(play_games(test.store.clone(), Arc::clone(&acknowledged)));
    while acknowledged.load(Ordering::SeqCst) < 40 {
        tokio::task::yield_now().await;
    }
    tokio::task::block_in_place(|| fault(test.cluster));
    playing.await.unwrap();

    let other = test.another_node().await;
    for number in 0..GAMES {
        let game = format!("g{number}").parse().unwrap();
        let records = other.read(game, 1, usize::MAX).await.unwrap();
        assert_eq!(records[..2], ["created", "started"]);
        assert_eq!(records.len() as u64, EVENTS);
        assert!(records[2..].iter().all(|record| *record == "moved"), "{records:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn appends_survive_the_loss_of_the_primary() {
    play_through(|cluster| {
        cluster.primary().kill();
        cluster.fail_over();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn appends_survive_a_primary_that_stands_still_and_comes_back() {
    play_through(|cluster| {
        cluster.primary().pause();
        cluster.fail_over();
        cluster.primary().resume();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn appends_survive_the_loss_of_a_standby() {
    play_through(|cluster| cluster.servers()[1].kill()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn appends_wait_while_no_standby_is_there() {
    play_through(|cluster| {
        let servers = cluster.servers();
        servers[1].pause();
        servers[2].pause();
        servers[0].wait_for_sql("postgres", &format!("SELECT ({WAITING}) >= 1"), "t");
        servers[1].resume();
        servers[2].resume();
    })
    .await;
}

/// The commits that wait for a standby.
pub(super) const WAITING: &str =
    "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

/// The commit of an append that waits for a standby. Other commits of the node may wait, too.
const WAITING_APPEND: &str = "FROM pg_stat_activity \
                              WHERE wait_event = 'SyncRep' AND query LIKE '%INSERT INTO journal%'";

/// Waits until the commit of an append waits for a standby.
pub(super) fn wait_for_the_wait_of_an_append(primary: &Server) {
    primary.wait_for_sql("postgres", &format!("SELECT count(*) {WAITING_APPEND}"), "1");
}

/// Stops the wait of an append's commit for a standby.
pub(super) fn cancel_the_wait_of_an_append(primary: &Server) {
    wait_for_the_wait_of_an_append(primary);
    primary.sql("postgres", &format!("SELECT pg_cancel_backend(pid) {WAITING_APPEND}"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_append_whose_wait_is_cancelled_is_not_acknowledged() {
    let test = TestDatabase::open_on(own_cluster(2)).await;
    test.store.begin(begin("g1")).await.unwrap();
    let servers = test.cluster.servers();
    servers[1].pause();
    servers[2].pause();
    let appended = play(&test.store, "g1", 3);
    cancel_the_wait_of_an_append(&servers[0]);
    // The row is visible, and the node asks a standby whether it has it.
    servers[0].wait_for_sql(&test.name, "SELECT count(*) FROM journal WHERE seq = 3", "1");
    servers[0].wait_for_sql("postgres", WAITING, "1");
    assert!(!appended.is_finished(), "no standby has it");
    servers[1].resume();
    assert_eq!(appended.await.unwrap().unwrap(), None);
    let records = test.store.read("g1".parse().unwrap(), 1, usize::MAX).await.unwrap();
    assert_eq!(records, ["created", "started", "moved"]);
    servers[2].resume();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_ends_at_any_byte_loses_and_doubles_nothing() {
    let cluster = Cluster::shared();
    let database = cluster.create_database();
    let relay = Relay::start(cluster.primary().port()).unwrap();
    let url = cluster.url(&database);
    let port = format!("127.0.0.1:{}", cluster.primary().port());
    let url = url.replace(&port, &format!("127.0.0.1:{}", relay.port()));
    let store = open(&url, false).await.unwrap();
    store.begin(begin("g1")).await.unwrap();
    play(&store, "g1", 3).await.unwrap().unwrap();
    let mut last_seq = 3;
    // The end of the request, of its answer, and of the answer's parts.
    let cuts = [
        (Direction::ToTarget, [1, 60, 250, 400, 520]),
        (Direction::FromTarget, [1, 20, 60, 90, 120]),
    ];
    for (direction, cuts) in cuts {
        for bytes in cuts {
            relay.cut_after(direction, bytes);
            last_seq += 1;
            assert_eq!(play(&store, "g1", last_seq).await.unwrap().unwrap(), None, "{bytes}");
        }
    }
    let records = store.read("g1".parse().unwrap(), 1, usize::MAX).await.unwrap();
    assert_eq!(records.len() as u64, last_seq);
    assert_eq!(records[..3], ["created", "started", "moved"]);
}
