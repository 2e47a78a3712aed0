//! Several nodes write to the same games, hear of each other's records, and open games whose clocks
//! have run out without a room.

use super::*;

/// Writers on each node, and what each of them stores.
const WRITERS: usize = 4;
const STORED: usize = 12;

fn chain_of(records: &[Bytes]) -> Chain {
    records.iter().fold(Chain::default(), |chain, record| chain_after(chain, record))
}

fn new_game(game: &str) -> Begin {
    let begin = begin(game);
    Begin { chain: chain_of(&begin.records), ..begin }
}

/// Stores records in a game, as a room does that follows all others. Returns its records.
async fn write(store: Postgres, game: &'static str, name: String) -> Vec<Bytes> {
    let mut known = store.read(game.parse().unwrap(), 1, usize::MAX).await.unwrap();
    let mut own = Vec::new();
    while own.len() < STORED {
        let record = Bytes::from(format!("{name} {}", own.len()));
        let prev = chain_of(&known);
        let append = Append {
            prev,
            records: [Frame::text(&record)].into_iter().collect(),
            chain: chain_after(prev, &record),
            ..append(game, known.len() as u64, &[])
        };
        match store.append(vec![append]).await.pop().unwrap() {
            Ok(_) => {
                known.push(record.clone());
                own.push(record);
            }
            Err(AppendError::Conflict { last_seq }) => {
                let from = known.len() as u64 + 1;
                let later = store.read(game.parse().unwrap(), from, usize::MAX).await.unwrap();
                assert!(last_seq >= from, "a conflict without another record");
                assert!(later.len() as u64 > last_seq - from, "a conflict names what is there");
                known.extend(later);
            }
            Err(AppendError::Store(error)) => panic!("{error}"),
        }
    }
    own
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writers_of_one_game_store_each_record_once_and_in_a_chain() {
    let test = TestDatabase::open().await;
    let nodes = [test.store.clone(), test.another_node().await];
    let games = ["g1", "g2"];
    for game in games {
        test.store.begin(new_game(game)).await.unwrap();
    }
    let mut writers = Vec::new();
    for (number, node) in nodes.iter().enumerate() {
        for writer in 0..WRITERS {
            let game = games[writer % games.len()];
            let write = write(node.clone(), game, format!("n{number} w{writer}"));
            writers.push(TaskTracker::new().spawn(async move { (game, write.await) }));
        }
    }
    let mut expected: HashMap<&str, Vec<Bytes>> = HashMap::new();
    for written in join_all(writers).await {
        let (game, records) = written.unwrap();
        expected.entry(game).or_default().extend(records);
    }
    for (game, mut expected) in expected {
        let mut stored = nodes[1].read(game.parse().unwrap(), 3, usize::MAX).await.unwrap();
        stored.sort();
        expected.sort();
        assert_eq!(stored, expected);
    }
}

#[tokio::test]
async fn an_append_that_continues_other_records_is_refused() {
    let test = TestDatabase::open().await;
    test.store.begin(begin("g1")).await.unwrap();
    let forked = Append { prev: Chain([7; 32]), ..append("g1", 2, &["forked"]) };
    let outcome = test.store.append(vec![forked]).await.pop().unwrap();
    assert!(matches!(outcome, Err(AppendError::Store(StoreError::Failed(_)))), "{outcome:?}");
    let records = test.store.read("g1".parse().unwrap(), 1, usize::MAX).await.unwrap();
    assert_eq!(records, ["created", "started"]);
}

fn end_of(game: &str) -> Append {
    let summary = Summary { ply: 1, to_move: None, last_at: 2 };
    Append { summary, ..append(game, 2, &["ended"]) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_append_delays_no_other_of_its_batch() {
    let test = TestDatabase::open().await;
    for game in ["g1", "g2"] {
        test.store.begin(begin(game)).await.unwrap();
    }
    let gate = Gate::closed();
    let (other, at) = (test.another_node().await, gate.clone());
    let locking = TaskTracker::new().spawn(async move {
        let lock = other.pool().transact(at, |transaction, gate| {
            async move {
                transaction.query("SELECT FROM games WHERE game = 'g1' FOR UPDATE", &[]).await?;
                gate.pass().await;
                Ok::<(), Failure>(())
            }
            .boxed()
        });
        lock.await
    });
    gate.reached(1).await;
    let batch = vec![end_of("g1"), append("g2", 2, &["moved"])];
    let mut outcomes = test.store.append_each(batch);
    let first = outcomes.next().await.unwrap();
    assert!(matches!(first[..], [(1, Ok(None))]), "{first:?}");
    gate.open(1);
    let second = outcomes.next().await.unwrap();
    assert!(matches!(second[..], [(0, Ok(None))]), "{second:?}");
    assert!(outcomes.next().await.is_none());
    locking.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_append_that_another_node_overtakes_spoils_no_other_of_its_batch() {
    let test = TestDatabase::open().await;
    for game in ["g1", "g2"] {
        test.store.begin(begin(game)).await.unwrap();
    }
    let gate = Gate::closed();
    let first = EndingAppend::new(append("g1", 2, &["first"]));
    let (other, value) = (test.another_node().await, (first, gate.clone()));
    let overtaking = TaskTracker::new().spawn(async move {
        let append = other.pool().transact(value, |transaction, (first, gate)| {
            async move {
                let outcome = first.store(transaction).await?;
                gate.pass().await;
                Ok::<_, Failure>(outcome)
            }
            .boxed()
        });
        append.await
    });
    gate.reached(1).await;
    let batch = vec![append("g1", 2, &["late"]), append("g2", 2, &["moved"])];
    let appending = TaskTracker::new().spawn(test.store.append(batch));
    // The row of the other node is there, and is not committed yet.
    let waits = format!(
        "SELECT count(*) > 0 FROM pg_stat_activity
         WHERE wait_event = 'transactionid' AND datname = '{}'",
        test.name
    );
    let primary = test.cluster.primary();
    tokio::task::block_in_place(|| primary.wait_for_sql("postgres", &waits, "t"));
    gate.open(1);
    overtaking.await.unwrap().unwrap().unwrap();
    let outcomes = appending.await.unwrap();
    assert!(
        matches!(outcomes[..], [Err(AppendError::Conflict { last_seq: 3 }), Ok(None)]),
        "{outcomes:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_end_does_not_wait_for_slow_reads() {
    let test = TestDatabase::open().await;
    test.store.begin(begin("g1")).await.unwrap();
    let gate = Gate::closed();
    let read = |_| {
        let (store, at) = (test.store.clone(), gate.clone());
        TaskTracker::new().spawn(async move {
            let read = store
                .pool()
                .read_unconfirmed(at, |_, gate| gate.pass().map(Ok::<(), Failure>).boxed());
            read.await
        })
    };
    // One more than may read at once.
    let reads: Vec<_> = (0..=POSTGRES_READS_MAX).map(read).collect();
    gate.reached(POSTGRES_READS_MAX).await;
    test.store.append(vec![end_of("g1")]).await.pop().unwrap().unwrap();
    gate.open(reads.len());
    for read in join_all(reads).await {
        read.unwrap().unwrap();
    }
}

const USERS: [&str; 4] = ["ann", "bob", "cat", "dan"];

async fn end_rated(store: Postgres, number: usize) {
    let game = format!("r{number}");
    store.begin(begin(&game)).await.unwrap();
    let users = [USERS[number % 4], USERS[(number / 4 + number + 1) % 4]];
    let users = if users[0] == users[1] { [USERS[0], USERS[1]] } else { users };
    let pool = Pool { rules: "adamas".into(), players: 2 };
    let users = users.map(|user| user.parse().unwrap()).into();
    let result = RatedResult::new(pool, users, vec![1, 2]);
    let end = Append { result: Some(result), ..end_of(&game) };
    let change = store.append(vec![end]).await.pop().unwrap().unwrap();
    assert!(change.is_some());
    assert_eq!(store.rating_change(game.parse().unwrap()).await.unwrap(), change);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn results_are_rated_in_the_order_of_their_ids() {
    let test = TestDatabase::open().await;
    let nodes = [test.store.clone(), test.another_node().await];
    let ends: Vec<_> = (0..24)
        .map(|number| TaskTracker::new().spawn(end_rated(nodes[number % 2].clone(), number)))
        .collect();
    for end in join_all(ends).await {
        end.unwrap();
    }
    let mut ratings: BTreeMap<UserName, Rating> = BTreeMap::new();
    let results = test.sql("SELECT seats FROM results ORDER BY id");
    assert_eq!(results.lines().count(), 24);
    for seats in results.lines() {
        let seats: Vec<ResultSeat> = serde_json::from_str(seats).unwrap();
        let before: Vec<Rating> = seats
            .iter()
            .map(|seat| ratings.get(&seat.user).copied().unwrap_or(Rating::START))
            .collect();
        let rated = crate::ratings::rate(&before, &[1, 2]);
        for ((seat, before), after) in seats.iter().zip(before).zip(rated) {
            assert_eq!((seat.before, seat.after), (before, after));
            ratings.insert(seat.user.clone(), after);
        }
    }
    let columns = "user_name, rating, deviation, volatility";
    let stored = test.sql(&format!("SELECT {columns} FROM ratings ORDER BY user_name"));
    let expected: Vec<String> = ratings
        .iter()
        .map(|(user, rating)| {
            let Rating { milli, deviation_milli, volatility_nano } = rating;
            format!("{user}|{milli}|{deviation_milli}|{volatility_nano}")
        })
        .collect();
    assert_eq!(stored.lines().collect::<Vec<_>>(), expected);
    assert_eq!(test.sql("SELECT sum(games) FROM ratings"), "48");
}

#[tokio::test]
async fn a_node_learns_what_others_have_appended() {
    let test = TestDatabase::open().await;
    let other = test.another_node().await;
    for game in ["g1", "g2"] {
        test.store.begin(begin(game)).await.unwrap();
    }
    let moved = append("g2", 2, &["three", "four", "five"]);
    other.append(vec![moved]).await.pop().unwrap().unwrap();
    let [g1, g2] = ["g1", "g2"].map(|game| game.parse().unwrap());
    let known = vec![(g1, 2), (g2, 3)];
    let [g1, g2] = [&known[0].0, &known[1].0].map(Clone::clone);
    assert_eq!(test.store.moved_on(known).await.unwrap(), [(g2.clone(), 5)]);
    let range = |game, from, until| RecordRange { game, from, until };
    let ranges = vec![range(g2.clone(), 4, 4), range(g1, 1, 1), range(g2, 2, 9)];
    let read: Vec<Vec<Bytes>> =
        test.store.read_durable(ranges).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(read[0], ["four"]);
    assert_eq!(read[1], ["created"]);
    assert_eq!(read[2], ["started", "three", "four", "five"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commits_and_records_are_counted() {
    let test = TestDatabase::open().await;
    let metrics = Arc::<Metrics>::default();
    let url = PostgresUrl::parse(&test.cluster.url(&test.name)).unwrap();
    let store = open_with(url, false, Arc::clone(&metrics)).await.unwrap();
    for game in ["g1", "g2"] {
        store.begin(begin(game)).await.unwrap();
    }
    assert_eq!((metrics.commits.get(), metrics.records.get()), (2, 4));
    store.append(vec![append("g1", 2, &["moved"])]).await.pop().unwrap().unwrap();
    assert_eq!((metrics.commits.get(), metrics.records.get()), (3, 5));
    store.append(vec![append("g1", 2, &["late"])]).await.pop().unwrap().unwrap_err();
    assert_eq!((metrics.commits.get(), metrics.records.get()), (3, 5), "a conflict stores nothing");
    assert_eq!(metrics.commit_failures.get(), 0);
}

/// Waits until a game's records are announced up to this seq. Returns its announcements.
async fn heard_until(heard: &mut HeardEvents, game: &str, until: u64) -> Vec<AppendedRecords> {
    let mut found: Vec<AppendedRecords> = Vec::new();
    while found.last().is_none_or(|last| last.until < until) {
        let next = timeout(Duration::from_secs(20), heard.recv()).await.unwrap();
        let Some(Heard::Appended(appended)) = next else { panic!("{next:?}") };
        found.extend(appended.into_iter().filter(|found| found.game.as_str() == game));
    }
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn announcements_carry_the_records_that_the_journal_has() {
    let test = TestDatabase::open().await;
    let (_node, _own) = join(&test.store, "one").await.unwrap();
    let stop = CancellationToken::new();
    let mut heard = listening(&test, &stop).await;
    test.store.begin(begin("g1")).await.unwrap();
    let begun = AppendedRecords::up_to("g1".parse().unwrap(), 2);
    assert_eq!(heard_until(&mut heard, "g1", 2).await, [begun], "no room follows it yet");
    let outcome = test.store.append(vec![append("g1", 2, &["moved", "offered"])]).await;
    assert!(outcome[0].is_ok(), "{outcome:?}");
    let ended = Summary { ply: 1, to_move: None, last_at: 2 };
    let moved = heard_until(&mut heard, "g1", 4).await;
    let end = Append { summary: ended, ..append("g1", 4, &["ended"]) };
    let outcome = test.store.append(vec![end]).await;
    assert!(outcome[0].is_ok(), "{outcome:?}");
    let ended = heard_until(&mut heard, "g1", 5).await;
    let stored = test.store.read("g1".parse().unwrap(), 3, usize::MAX).await.unwrap();
    let appended = |until, records: &[Bytes]| {
        let (game, records) = ("g1".parse().unwrap(), records.to_vec());
        vec![AppendedRecords { game, until, records }]
    };
    assert_eq!((moved, ended), (appended(4, &stored[..2]), appended(5, &stored[2..])));
    stop.cancel();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refused_and_overlong_records_are_not_in_announcements() {
    let test = TestDatabase::open().await;
    let (_node, _own) = join(&test.store, "one").await.unwrap();
    let stop = CancellationToken::new();
    let mut heard = listening(&test, &stop).await;
    test.store.begin(begin("g1")).await.unwrap();
    heard_until(&mut heard, "g1", 2).await;
    let long = [Frame::text(&[b'x'; POSTGRES_ANNOUNCEMENT_BYTES])];
    let long = Append { records: long.into_iter().collect(), ..append("g1", 2, &["long"]) };
    assert!(test.store.append(vec![long]).await[0].is_ok());
    let named = AppendedRecords::up_to("g1".parse().unwrap(), 3);
    assert_eq!(heard_until(&mut heard, "g1", 3).await, [named]);
    assert!(test.store.append(vec![append("g1", 2, &["too late"])]).await[0].is_err());
    assert!(test.store.append(vec![append("g1", 3, &["next"])]).await[0].is_ok());
    let next = heard_until(&mut heard, "g1", 4).await;
    let [AppendedRecords { until: 4, records, .. }] = &next[..] else { panic!("{next:?}") };
    assert_eq!(*records, ["next"]);
    stop.cancel();
}

/// A time that has not come, in epoch milliseconds.
const LATER: u64 = 4_000_000_000_000;

/// Makes all times to look at games come.
const ALL_AT_ONCE: &str = "UPDATE games SET wake_at = 5 WHERE wake_at IS NOT NULL";

async fn claimed(test: &TestDatabase) -> Vec<String> {
    let games = test.store.claim_due(10).await.unwrap().due;
    let mut games: Vec<String> = games.iter().map(ToString::to_string).collect();
    games.sort();
    games
}

#[tokio::test]
async fn a_game_that_has_ended_is_not_live_although_no_node_has_archived_it() {
    let test = TestDatabase::open().await;
    test.store.begin(begin("g1")).await.unwrap();
    let ann = "ann".parse().unwrap();
    assert_eq!(test.store.live_games_of(&ann).await.unwrap().len(), 1);
    let end = Summary { ply: 1, to_move: None, last_at: 3 };
    let end = Append { summary: end, ..append("g1", 2, &["ended"]) };
    test.store.append(vec![end]).await.pop().unwrap().unwrap();
    assert_eq!(test.store.live_games_of(&ann).await.unwrap(), []);
}

#[tokio::test]
async fn a_game_is_claimed_once_after_its_clock_has_run_out() {
    let test = TestDatabase::open().await;
    for (game, deadline) in [("past", Some(5)), ("later", Some(LATER)), ("untimed", None)] {
        test.store.begin(Begin { deadline, ..begin(game) }).await.unwrap();
    }
    let other = test.another_node().await;
    let (one, two) = future::join(test.store.claim_due(10), other.claim_due(10)).await;
    let both = [one.unwrap().due, two.unwrap().due].concat();
    assert_eq!(both, ["past".parse().unwrap()]);
    assert_eq!(claimed(&test).await, Vec::<String>::new());
    // A minute later no room has been there.
    test.sql(ALL_AT_ONCE);
    assert_eq!(claimed(&test).await, ["past"]);
    let wake_at = "SELECT wake_at FROM games WHERE game = 'later'";
    assert_eq!(test.sql(wake_at), LATER.to_string(), "its clock is looked at in time");
}

#[tokio::test]
async fn a_move_counts_without_a_new_time_to_look() {
    let test = TestDatabase::open().await;
    test.store.begin(Begin { deadline: Some(5), ..begin("g1") }).await.unwrap();
    let moved = Append { deadline: Some(LATER), ..append("g1", 2, &["moved"]) };
    test.store.append(vec![moved]).await.pop().unwrap().unwrap();
    assert_eq!(claimed(&test).await, Vec::<String>::new());
    test.store.archive(archived("g1", 3, ArchivedState::Parked)).await.unwrap();
    test.sql("UPDATE games SET wake_at = 5");
    assert_eq!(claimed(&test).await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_parked_game_that_goes_on_is_looked_at_earlier() {
    let test = TestDatabase::open().await;
    test.store.begin(Begin { deadline: Some(LATER), ..begin("g1") }).await.unwrap();
    let parked = archived("g1", 2, ArchivedState::Parked);
    test.store.archive(ArchivedGame { deadline: Some(LATER), ..parked }).await.unwrap();
    let moved = Append { deadline: Some(5), ..append("g1", 2, &["moved"]) };
    test.store.append(vec![moved]).await.pop().unwrap().unwrap();
    test.cluster.primary().wait_for_sql(&test.name, "SELECT wake_at FROM games", "5");
    assert_eq!(claimed(&test).await, ["g1"]);
}

#[tokio::test]
async fn a_game_that_has_ended_is_claimed_until_it_is_archived() {
    let test = TestDatabase::open().await;
    test.store.begin(begin("g1")).await.unwrap();
    let summary = Summary { ply: 1, to_move: None, last_at: 2 };
    let ended = Append { summary, ..append("g1", 2, &["ended"]) };
    test.store.append(vec![ended]).await.pop().unwrap().unwrap();
    assert_eq!(claimed(&test).await, Vec::<String>::new(), "its room archives it");
    test.sql(ALL_AT_ONCE);
    assert_eq!(claimed(&test).await, ["g1"]);
    test.store.archive(archived("g1", 3, ArchivedState::Finished)).await.unwrap();
    test.sql(ALL_AT_ONCE);
    assert_eq!(claimed(&test).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_page_of_games_to_look_at_counts_those_that_are_not_due() {
    let test = TestDatabase::open().await;
    for (game, deadline) in [("g1", LATER), ("g2", LATER), ("g3", 5)] {
        test.store.begin(Begin { deadline: Some(deadline), ..begin(game) }).await.unwrap();
    }
    test.sql("UPDATE games SET wake_at = right(game, 1)::bigint");
    let first = test.store.claim_due(2).await.unwrap();
    assert_eq!(first, DueGames { due: Vec::new(), looked_at: 2 }, "there may be more");
    let next = test.store.claim_due(2).await.unwrap();
    assert_eq!(next, DueGames { due: vec!["g3".parse().unwrap()], looked_at: 1 });
}
