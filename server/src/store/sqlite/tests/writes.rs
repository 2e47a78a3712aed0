//! Commits, the WAL, the journal's stale rows; lists that follow indices, end in time, and do not
//! delay other reads.

use super::*;

/// Runs jobs that share a commit: the writer is busy until all of them wait. A few may be in the
/// commit before.
async fn in_one_commit<T>(store: &Sqlite, jobs: impl Future<Output = T>) -> T {
    let (go_on, held) = mpsc::channel();
    let holding = store.writer.write(move |_| {
        held.recv().unwrap();
        Ok(())
    });
    let (held, outcomes, ()) = join3(holding, jobs, async { go_on.send(()).unwrap() }).await;
    held.unwrap();
    outcomes
}

#[tokio::test]
async fn the_wal_is_preallocated_and_empty() {
    const MIB: u64 = 1024 * 1024;
    let directory = DataDirectory::new();
    let config = StoreConfig { wal_mib: 2, ..StoreConfig::at(directory.0.path()) };
    let size = || std::fs::metadata(directory.0.path().join("adamant.db-wal")).unwrap().len();
    for _ in 0..2 {
        let (store, _) = Sqlite::open(&config, Arc::default()).unwrap();
        assert!((MIB * 3 / 2..MIB * 5 / 2).contains(&size()), "{} bytes", size());
        let tables = store.read_with(|connection| {
            Ok(connection.query_row(
                "SELECT COUNT(*) FROM sqlite_schema WHERE name = 'filling'",
                [],
                |row| row.get::<_, u32>(0),
            )?)
        });
        assert_eq!(tables.await.unwrap(), 0);
        store.close(0).await;
        assert_eq!(size(), 0, "the checkpoint truncates the WAL");
    }
}

#[tokio::test]
async fn a_failed_write_leaves_nothing() {
    let (_directory, store) = DataDirectory::with_store();
    let name: UserName = "ann".parse().unwrap();
    let failing = store.writer.write(move |connection| {
        connection.execute(
            "INSERT INTO users (name, folded, skeleton, created_at) VALUES ('ann', 'ann', 'ann', 1)",
            [],
        )?;
        Ok(connection.execute("INSERT INTO tokens (digest) VALUES (NULL)", [])?)
    });
    assert!(matches!(failing.await, Err(StoreError::Failed(_))));
    assert_eq!(Store::from(store).find_user(name).await.unwrap(), None);
}

#[tokio::test]
async fn concurrent_writes_share_a_commit() {
    const GAMES: usize = 100;
    let (directory, metrics) = (DataDirectory::new(), Arc::<Metrics>::default());
    let (store, _) = Sqlite::open(&small(directory.0.path()), Arc::clone(&metrics)).unwrap();
    let before = metrics.commits.get();
    let games = (0..GAMES).map(|number| Played::new(&format!("g{number}"), &["ann"], &[1]));
    let games: Vec<Played> = games.collect();
    let begun = games.iter().map(|game| store.begin(game.begin()));
    let begun = in_one_commit(&store, join_all(begun)).await;
    assert!(begun.iter().all(Result::is_ok));
    // Some may be in the batch of the first write.
    let commits = metrics.commits.get() - before;
    assert!(commits <= 2, "{commits} commits for {GAMES} games");
}

#[tokio::test]
async fn stale_rows_are_deleted_gradually_and_are_not_recovered() {
    const RECORDS: usize = 3;
    let (directory, store) = DataDirectory::with_store();
    let games: Vec<Played> = (0..STALE_ROWS_KEPT / 2)
        .map(|number| Played::new(&format!("g{number}"), &["ann", "bob"], &[1, 2]))
        .collect();
    join_all(games.iter().map(|game| async {
        let change = game.end(&store).await;
        game.settle(&store, change).await;
    }))
    .await;
    for _ in 0..STALE_ROWS_KEPT {
        if arrivals(&store).await == STALE_ROWS_KEPT {
            break;
        }
        store.record_heartbeat(1).await.unwrap();
    }
    assert_eq!(arrivals(&store).await, STALE_ROWS_KEPT);
    drop(store);

    let (store, found) = Sqlite::open(&small(directory.0.path()), Arc::default()).unwrap();
    assert!(found.games.is_empty() && found.parked == 0);
    for game in [&games[0], &games[games.len() - 1]] {
        assert_eq!(store.read(game.game.clone(), 1, 10).await.unwrap().len(), RECORDS);
    }
    let another = Played::new("another", &["ann", "bob"], &[1, 2]);
    let change = another.end(&store).await;
    another.settle(&store, change).await;
    store.record_heartbeat(1).await.unwrap();
    assert_eq!(arrivals(&store).await, STALE_ROWS_KEPT);
    assert_eq!(directory.check_ratings(RatingsMode::Check).differences, Vec::<String>::new());
}

#[tokio::test]
async fn nothing_is_stored_once_the_database_is_known_to_be_malformed() {
    let (_directory, store) = DataDirectory::with_store();
    store.record_heartbeat(1).await.unwrap();
    let corrupt = ffi::Error::new(ffi::SQLITE_CORRUPT);
    let read =
        move |_: &Connection| Err::<(), _>(rusqlite::Error::SqliteFailure(corrupt, None).into());
    store.read_with(read).await.unwrap_err();
    assert!(!store.is_healthy());
    assert!(store.record_heartbeat(2).await.is_err() && !store.is_healthy());
}

#[tokio::test]
async fn a_failed_archive_does_not_affect_its_batch() {
    let (_directory, store) = DataDirectory::with_store();
    let games = ["bad", "good"].map(|game| Played::new(game, &["ann", "bob"], &[1, 2]));
    for game in &games {
        game.end(&store).await;
    }
    let lost = "DELETE FROM arrivals WHERE game = 'bad'";
    store.writer.write(move |connection| Ok(connection.execute(lost, [])?)).await.unwrap();
    let archives = games.each_ref().map(|game| store.archive(game.finished(2)));
    let results = in_one_commit(&store, join_all(archives)).await;
    assert!(
        matches!(results[..], [Err(ArchiveError::Store(StoreError::Failed(_))), Ok(())]),
        "{results:?}"
    );
    assert!(store.is_healthy() && store.live.last_seq(&games[0].game).is_some());
    assert_eq!(store.read(games[1].game.clone(), 1, 9).await.unwrap().len(), 2);
}

fn parked(game: &Played, seq: u64) -> ArchivedGame {
    ArchivedGame { state: ArchivedState::Parked, ..game.finished(seq) }
}

async fn begin_parked(store: &Sqlite, game: &Played) {
    store.begin(game.begin()).await.unwrap();
    store.archive(parked(game, 1)).await.unwrap();
}

#[tokio::test]
async fn an_append_to_a_parked_game_without_an_entry_is_refused_alone() {
    let (directory, store) = DataDirectory::with_store();
    let games = ["bad", "good"].map(|game| Played::new(game, &["ann", "bob"], &[1, 2]));
    for game in &games {
        begin_parked(&store, game).await;
    }
    directory.tamper("UPDATE games SET entry = 'x' WHERE game = 'bad'");
    let append = |game: &Played| game.append(1, &game.ended());
    let outcomes = store.append(games.iter().map(append).collect()).await;
    assert!(
        matches!(outcomes[..], [Err(AppendError::Store(StoreError::Failed(_))), Ok(Some(_))]),
        "{outcomes:?}"
    );
    let [bad, good] = &games;
    // The next jobs do not wait for the refused append. The first one stores an entry.
    store.archive(parked(bad, 1)).await.unwrap();
    store.record_heartbeat(1).await.unwrap();
    append_one(&store, append(bad)).await.unwrap();
    for game in [bad, good] {
        let again = append_one(&store, append(game)).await;
        assert!(matches!(again, Err(AppendError::Conflict { last_seq: 2 })), "{again:?}");
        assert_eq!(store.read(game.game.clone(), 1, 9).await.unwrap().len(), 2);
    }
}

#[tokio::test]
async fn an_append_may_share_a_commit_with_the_archive_before_it() {
    let (_directory, store) = DataDirectory::with_store();
    let game = Played::new("game", &["ann", "bob"], &[1, 2]);
    store.begin(game.begin()).await.unwrap();
    let append = append_one(&store, game.append(1, &game.ended()));
    let jobs = join(store.archive(parked(&game, 1)), append);
    let (archived, appended) = in_one_commit(&store, jobs).await;
    archived.unwrap();
    appended.unwrap();
    assert_eq!(store.read(game.game.clone(), 1, 9).await.unwrap().len(), 2);
    store.archive(parked(&game, 2)).await.unwrap();
    assert_eq!(store.read(game.game.clone(), 1, 9).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_game_that_is_opened_during_an_append_is_not_appended_to_twice() {
    let (_directory, store) = DataDirectory::with_store();
    let game = Played::new("game", &["ann", "bob"], &[1, 2]);
    begin_parked(&store, &game).await;
    let (live, entry) = (Arc::clone(&store.live), *game.entry(None));
    let opening = store.writer.write(move |_| {
        live.unpark(&entry);
        Ok(())
    });
    let append = || append_one(&store, game.append(1, &game.ended()));
    let jobs = join3(append(), opening, append());
    let (one, opened, other) = in_one_commit(&store, jobs).await;
    one.unwrap();
    opened.unwrap();
    assert!(matches!(other, Err(AppendError::Conflict { last_seq: 2 })), "{other:?}");
}

#[tokio::test]
async fn a_parked_game_goes_on_after_a_failed_commit() {
    let (directory, store) = DataDirectory::with_store();
    let game = Played::new("game", &["ann", "bob"], &[1, 2]);
    begin_parked(&store, &game).await;
    // A game has one result.
    directory.tamper("INSERT INTO results (game, pool, seats) VALUES ('game', 'adamas/2', '[]')");
    let append = || append_one(&store, game.append(1, &game.ended()));
    let failed = append().await;
    assert!(matches!(failed, Err(AppendError::Store(StoreError::Failed(_)))), "{failed:?}");
    directory.tamper("DELETE FROM results");
    store.archive(parked(&game, 1)).await.unwrap();
    append().await.unwrap();
    assert_eq!(store.read(game.game.clone(), 1, 9).await.unwrap().len(), 2);
}

#[tokio::test]
async fn statements_are_not_planned_again_for_other_values() {
    let (_directory, store) = DataDirectory::with_store();
    let planned_again = store.read_with(|connection| {
        let text = "SELECT pool FROM ratings WHERE user_name = ?1 ORDER BY pool";
        for user in ["ann", "bob", "cy"] {
            assert!(!connection.prepare_cached(text)?.exists([user])?);
        }
        Ok(connection.prepare_cached(text)?.get_status(StatementStatus::RePrepare))
    });
    assert_eq!(planned_again.await.unwrap(), 0);
}

#[tokio::test]
async fn every_list_of_games_follows_an_index() {
    let (_directory, store) = DataDirectory::with_store();
    let plans = store.read_with(|connection| {
        for (of_user, order) in [(false, Order::Start), (true, Order::Start), (true, Order::End)] {
            for (of_kind, unlisted) in [(false, false), (true, false), (false, of_user)] {
                let query = game_lists::list_query(of_user, of_kind, unlisted, order);
                let mut explain = connection.prepare(&format!("EXPLAIN QUERY PLAN {query}"))?;
                let (mut steps, mut rows) = (Vec::new(), explain.raw_query());
                while let Some(row) = rows.next()? {
                    steps.push(row.get::<_, String>(3)?);
                }
                let is_bounded =
                    |step: &String| step.starts_with("SEARCH") || step.contains("page");
                assert!(steps.iter().all(is_bounded), "{query}\n{steps:#?}");
            }
        }
        Ok(())
    });
    plans.await.unwrap();
}

#[tokio::test]
async fn a_log_in_makes_no_table_to_sort_or_compare_rows() {
    let directory = DataDirectory::new();
    let store = directory.store();
    let sorts = store.read_with(|connection| {
        let mut sorts = Vec::new();
        for query in [&*tokens::SELECT_OPENED, &*tokens::SELECT_HIDDEN] {
            let mut explain = connection.prepare(&format!("EXPLAIN QUERY PLAN {query}"))?;
            let mut rows = explain.raw_query();
            while let Some(row) = rows.next()? {
                let step = row.get::<_, String>(3)?;
                if step.contains("TEMP B-TREE") || step.starts_with("SCAN") {
                    sorts.push(step);
                }
            }
        }
        Ok(sorts)
    });
    assert_eq!(sorts.await.unwrap(), Vec::<String>::new());
}

/// A query that takes longer than any list.
const ENDLESS: &str = "WITH RECURSIVE numbers (n) AS
    (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 1000000000) SELECT COUNT(*) FROM numbers";

#[tokio::test]
async fn a_slow_list_is_aborted_and_other_slow_reads_are_not() {
    let (_directory, store) = DataDirectory::with_store();
    for _ in 0..=STORE_READERS_MAX {
        let count = |connection: &Connection| {
            Ok(connection.query_row(ENDLESS, [], |row| row.get::<_, i64>(0))?)
        };
        let endless = store.readers.run_list(count).await;
        assert!(matches!(endless, Err(StoreError::Busy)), "{endless:?}");
    }
    let many = ENDLESS.replace("1000000000", "1000000");
    let counted = store.read_with(move |connection| {
        Ok(connection.query_row(&many, [], |row| row.get::<_, i64>(0))?)
    });
    assert_eq!(counted.await.unwrap(), 1_000_000);
}

#[tokio::test]
async fn lists_do_not_block_other_reads() {
    let (_directory, store) = DataDirectory::with_store();
    let (go_on, held) = mpsc::channel::<()>();
    let held = Arc::new(std::sync::Mutex::new(held));
    let lists = (0..2 * STORE_READERS_MAX).map(|_| {
        let held = Arc::clone(&held);
        store.readers.run_list(move |_| {
            // The sender is dropped: the wait ends with an error.
            held.lock().unwrap().recv().unwrap_err();
            Ok(())
        })
    });
    let reading = async {
        let found = Store::from(store.clone()).find_user("ann".parse().unwrap()).await;
        drop(go_on);
        found
    };
    let (listed, found) = tokio::join!(join_all(lists), reading);
    assert_eq!(found.unwrap(), None);
    assert!(listed.iter().all(Result::is_ok));
}
