//! Whatever happens to PostgreSQL or a connection, each operation is carried out once, and an append
//! is acknowledged only when a standby has it.
//!
//! The controls take away what the promise rests on, one piece at a time, and each time an
//! acknowledged append is lost or doubled, or a reader is shown one that is lost. With the piece in
//! place the same course of events contradicts nothing.

use super::*;

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
        async move { Ok::<_, Failure>(transaction.query_one(COUNT, &[]).await?.try_get(0)?) }
            .boxed()
    });
    read.await.unwrap()
}

const WAITING: &str = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

fn pause_standbys(cluster: &Cluster) {
    cluster.servers()[1].pause();
    cluster.servers()[2].pause();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_wait_is_no_commit() {
    let test = TestDatabase::open_on(own_cluster(2)).await;
    let servers = test.cluster.servers();
    pause_standbys(test.cluster);
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
        drop(timeout(Duration::ZERO, add(test.store.clone())).await);
    }
    add(test.store.clone()).await;
    let idle = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                    AND state = 'idle in transaction'";
    test.cluster.primary().wait_for_sql(&test.name, idle, "0");
    test.cluster.primary().wait_for_sql(&test.name, COUNT, "21");
}

/// Takes a lock, and waits for the other node before it commits.
async fn stop_within(store: Postgres, gate: Gate) {
    let run = store.pool().transact(gate, |transaction, gate| {
        async move {
            transaction.query(LOCK, &[]).await?;
            gate.pass().await;
            Ok::<(), Failure>(())
        }
        .boxed()
    });
    run.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_stops_within_a_transaction_stops_no_other() {
    let test = TestDatabase::open().await;
    let other = test.another_node().await;
    let gate = Gate::closed();
    let stopped = TaskTracker::new().spawn(stop_within(test.store.clone(), gate.clone()));
    gate.reached(1).await;
    let lock = other.pool().transact((), |transaction, ()| {
        async move { transaction.query(LOCK, &[]).await.map(drop) }.boxed()
    });
    lock.await.expect("PostgreSQL ends the other transaction");
    // The first node goes on, finds its transaction gone and sends it again.
    gate.open(1);
    gate.reached(1).await;
    gate.open(1);
    stopped.await.unwrap();
}

/// Bytes between two cuts: less than the shortest pair of messages.
const CUT_STEP: usize = 9;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_may_be_cut_anywhere_in_a_transaction() {
    let cluster = Cluster::shared();
    let (database, relay, store) = open_relayed(cluster).await;
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
            assert_eq!(
                cluster.primary().sql(&database, COUNT),
                added.to_string(),
                "{way:?} {bytes}"
            );
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
    let (_database, relay, store) = open_relayed(cluster).await;
    let servers = cluster.servers();
    pause_standbys(cluster);
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

const GAMES: usize = 8;
const EVENTS: u64 = 30;

pub(super) fn play(store: &Postgres, game: &str, seq: u64) -> JoinHandle<AppendOutcome> {
    let appended = store.append(vec![append(game, seq - 1, &["moved"])]);
    TaskTracker::new().spawn(async move { appended.await.pop().unwrap() })
}

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

/// Plays games while something happens to the primary. Each event must be there once.
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
        pause_standbys(cluster);
        servers[0].wait_for_sql("postgres", &format!("SELECT ({WAITING}) >= 1"), "t");
        servers[1].resume();
        servers[2].resume();
    })
    .await;
}

/// The commit of an append that waits for a standby. Other commits of the node may wait, too.
const WAITING_APPEND: &str = "FROM pg_stat_activity \
                              WHERE wait_event = 'SyncRep' AND query LIKE '%INSERT INTO journal%'";

pub(super) fn wait_for_the_wait_of_an_append(primary: &Server) {
    primary.wait_for_sql("postgres", &format!("SELECT count(*) {WAITING_APPEND}"), "1");
}

pub(super) fn cancel_the_wait_of_an_append(primary: &Server) {
    wait_for_the_wait_of_an_append(primary);
    primary.sql("postgres", &format!("SELECT pg_cancel_backend(pid) {WAITING_APPEND}"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_append_whose_wait_is_cancelled_is_not_acknowledged() {
    let test = database().await;
    let servers = test.cluster.servers();
    pause_standbys(test.cluster);
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
    let (_database, relay, store) = open_relayed(Cluster::shared()).await;
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

/// What contradicts the promise; each with the seq of the record.
#[derive(Debug, PartialEq, Eq)]
enum Finding {
    Lost(u64),
    Doubled(u64),
    /// A reader has received it and it is not stored.
    ShownInVain(u64),
}

/// Connections of a sound node wait for a standby and hear every warning.
const SOUND: &str = "-c synchronous_commit=on -c client_min_messages=warning";

const LOCAL: &str = "-c synchronous_commit=local -c client_min_messages=warning";

const DEAF: &str = "-c synchronous_commit=on -c client_min_messages=error";

/// A database with the game `g1`, which has the records 1 and 2.
async fn database() -> TestDatabase {
    let test = TestDatabase::open_on(own_cluster(2)).await;
    test.store.begin(begin("g1")).await.unwrap();
    test
}

/// A node with connections of this kind. If they do not wait, the node does not insist on it.
async fn node(test: &TestDatabase, settings: &str) -> Postgres {
    let mut url = PostgresUrl::parse(&test.cluster.url(&test.name)).unwrap();
    url.config.options(settings);
    open_with(url, settings == LOCAL, Arc::default()).await.unwrap()
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

/// Replaces the journal's key by an index for which no two keys are equal.
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
