//! Commits, the WAL, and the journal's stale rows.

use std::sync::Arc;

use adamant_protocol::UserName;
use futures::future::join_all;

use super::fixture::{DataDirectory, Played, journal_rows, small};
use crate::{
    config::StoreConfig,
    limits::STALE_ROWS_KEPT,
    runtime::metrics::Metrics,
    store::{
        ArchiveError, Journal as _, NewUser, NewUserKind, StoreError, Users as _,
        sqlite::{RatingsMode, database::Sqlite, users},
    },
};

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
            connection.query_row(
                "SELECT COUNT(*) FROM sqlite_schema WHERE name = 'filling'",
                [],
                |row| row.get::<_, u32>(0),
            )
        });
        assert_eq!(tables.await.unwrap(), 0);
        store.close().await;
        assert_eq!(size(), 0, "the checkpoint truncates the WAL");
    }
}

#[tokio::test]
async fn a_failed_write_leaves_nothing() {
    let directory = DataDirectory::new();
    let store = directory.store();
    let name: UserName = "ann".parse().unwrap();
    let new = NewUser { name: name.clone(), kind: NewUserKind::Guest, created_at: 1 };
    let failing = store.writer.write(move |connection| {
        users::add_user(connection, new)?;
        connection.execute("INSERT INTO tokens (digest) VALUES (NULL)", [])
    });
    assert!(matches!(failing.await, Err(StoreError::Failed(_))));
    assert_eq!(store.find_user(name).await.unwrap(), None);
}

#[tokio::test]
async fn concurrent_writes_share_a_commit() {
    const GAMES: usize = 100;
    let (directory, metrics) = (DataDirectory::new(), Arc::<Metrics>::default());
    let (store, _) = Sqlite::open(&small(directory.0.path()), Arc::clone(&metrics)).unwrap();
    let before = metrics.commits.get();
    let (go_on, held) = std::sync::mpsc::channel();
    // Keeps the writer busy until all appends wait.
    let holding = store.writer.write(move |_| {
        held.recv().unwrap();
        Ok(())
    });
    let games = (0..GAMES).map(|number| Played::new(&format!("g{number}"), &["ann"], &[1]));
    let games: Vec<Played> = games.collect();
    let begun = games.iter().map(|game| store.begin(game.begin()));
    let (held, begun, ()) =
        tokio::join!(holding, join_all(begun), async { go_on.send(()).unwrap() });
    held.unwrap();
    assert!(begun.iter().all(Result::is_ok));
    // Some may be in the batch of the first write.
    let commits = metrics.commits.get() - before;
    assert!(commits <= 2, "{commits} commits for {GAMES} games");
}

#[tokio::test]
async fn stale_rows_are_deleted_gradually_and_are_not_recovered() {
    const RECORDS: usize = 3;
    let directory = DataDirectory::new();
    let store = directory.store();
    let games: Vec<Played> = (0..STALE_ROWS_KEPT / 2)
        .map(|number| Played::new(&format!("g{number}"), &["ann", "bob"], &[1, 2]))
        .collect();
    join_all(games.iter().map(|game| async {
        let change = game.end(&store).await;
        game.settle(&store, change).await;
    }))
    .await;
    for _ in 0..STALE_ROWS_KEPT {
        if journal_rows(&store).await == STALE_ROWS_KEPT {
            break;
        }
        store.record_heartbeat(1).await.unwrap();
    }
    assert_eq!(journal_rows(&store).await, STALE_ROWS_KEPT);
    drop(store);

    let (store, found) = Sqlite::open(&small(directory.0.path()), Arc::default()).unwrap();
    assert!(found.open.is_empty() && found.parked == 0);
    for game in [&games[0], &games[games.len() - 1]] {
        assert_eq!(store.read(game.game.clone(), 1, 10).await.unwrap().len(), RECORDS);
    }
    let another = Played::new("another", &["ann", "bob"], &[1, 2]);
    let change = another.end(&store).await;
    another.settle(&store, change).await;
    store.record_heartbeat(1).await.unwrap();
    assert_eq!(journal_rows(&store).await, STALE_ROWS_KEPT);
    assert_eq!(directory.check_ratings(RatingsMode::Check).differences, Vec::<String>::new());
}

#[tokio::test]
async fn a_failed_archive_does_not_affect_its_batch() {
    let directory = DataDirectory::new();
    let store = directory.store();
    let games = ["bad", "good"].map(|game| Played::new(game, &["ann", "bob"], &[1, 2]));
    for game in &games {
        game.end(&store).await;
    }
    let lost = "DELETE FROM journal WHERE game = 'bad'";
    store.writer.write(move |connection| connection.execute(lost, [])).await.unwrap();
    let (go_on, held) = std::sync::mpsc::channel();
    let holding = store.writer.write(move |_| {
        held.recv().unwrap();
        Ok(())
    });
    let archives = games.each_ref().map(|game| store.archive(game.finished(2)));
    let (held, results, ()) =
        tokio::join!(holding, join_all(archives), async { go_on.send(()).unwrap() });
    held.unwrap();
    assert!(
        matches!(results[..], [Err(ArchiveError::Store(StoreError::Failed(_))), Ok(())]),
        "{results:?}"
    );
    assert!(store.is_healthy() && store.live().last_seq(&games[0].game).is_some());
    assert_eq!(store.read(games[1].game.clone(), 1, 9).await.unwrap().len(), 2);
}
