//! Ratings in the store: whatever ends in whatever order, they are those that follow from the
//! records; and what does not follow is named.

use std::{path::Path, sync::Arc};

use adamant_protocol::{
    EventBody, EventFrame, GameId, UserName,
    event::{Created, EndReason, Ended, Rated, Started},
    from_client::GameState,
    ids::{Chain, PositionHash, RulesName},
    to_client::GameEntry,
    values::{Named, RatingChange, SeatUser, TimeControl},
};
use bytes::Bytes;
use futures::future::join_all;
use proptest::prelude::*;
use rusqlite::StatementStatus;
use tempfile::TempDir;

use super::{
    RatingsMode, check_ratings, database::Sqlite, games, games::Order,
    ratings_check::RatingsReport, users,
};
use crate::{
    config::StoreConfig,
    limits::{STALE_ROWS_KEPT, STORE_READERS_MAX},
    ratings::{Pool, RatedResult, Rating},
    runtime::metrics::Metrics,
    store::{
        Append, AppendError, ArchivedGame, ArchivedState, Journal as _, NewUser, NewUserKind,
        StoreError, Summary,
    },
};

/// A game that is over as soon as it begins.
#[derive(Debug, Clone)]
struct Played {
    game: GameId,
    users: Vec<UserName>,
    places: Vec<u8>,
}

impl Played {
    fn new(game: &str, users: &[&str], places: &[u8]) -> Self {
        Self {
            game: game.parse().unwrap(),
            users: users.iter().map(|user| user.parse().unwrap()).collect(),
            places: places.to_vec(),
        }
    }

    fn seats(&self) -> Vec<SeatUser> {
        let seat = |user: &UserName| SeatUser {
            user: user.clone(),
            letter: "O".into(),
            bot: false,
            guest: false,
            rating: None,
        };
        self.users.iter().map(seat).collect()
    }

    fn record(&self, seq: u64, body: &EventBody) -> Bytes {
        let hash = PositionHash(0);
        let unsealed = EventFrame::unsealed_bytes(&self.game, seq, seq, body, None, hash);
        EventFrame::seal(unsealed, Chain::default()).into()
    }

    fn entry(&self, ratings: Option<RatingChange>) -> Box<GameEntry> {
        Box::new(GameEntry {
            game: self.game.clone(),
            rules: RulesName::pinned("adamas", 1),
            options: Named::default(),
            seats: self.seats(),
            clock: TimeControl::None,
            rated: true,
            delay: 0,
            state: GameState::Live,
            ply: 0,
            to_move: None,
            started_at: 1,
            last_at: 2,
            result: None,
            ratings,
        })
    }

    fn append(&self, after: u64, bodies: &[EventBody]) -> Append {
        let first = after == 0;
        let players = u8::try_from(self.users.len()).unwrap();
        let pool = Pool { rules: "adamas".into(), players };
        let (users, places) = (self.users.clone(), self.places.clone());
        let records = (after + 1..).zip(bodies).map(|(seq, body)| self.record(seq, body));
        Append {
            game: self.game.clone(),
            expected_seq: after,
            records: records.collect(),
            summary: Summary { ply: 0, to_move: None, last_at: 2 },
            reseated: None,
            created: first.then(|| self.entry(None)),
            closes: None,
            rematch_of: None,
            result: first.then_some(RatedResult { pool, users, places }),
        }
    }

    /// Begins and ends it; what the store makes of the ratings.
    async fn end(&self, store: &Sqlite) -> RatingChange {
        let created = EventBody::Created(Created {
            rules: RulesName::pinned("adamas", 1),
            options: Named::default(),
            seats: self.seats(),
            clock: TimeControl::None,
            rated: true,
            delay: 0,
        });
        let ended: EventBody = EventBody::Ended(Ended {
            winners: vec![0],
            places: self.places.clone(),
            reason: EndReason::LastPlayer,
            by: None,
            claimed_by: None,
        });
        let change = store.append(self.append(0, &[created, ended])).await.unwrap();
        change.expect("it counts")
    }

    /// Tells what came of it, and puts the game away.
    async fn settle(&self, store: &Sqlite, change: RatingChange) {
        let (before, after) = (change.before.clone(), change.after.clone());
        let rated = EventBody::Rated(Rated { before, after });
        assert_eq!(store.append(self.append(2, &[rated])).await.unwrap(), None);
        let (game, entry) = (self.game.clone(), self.entry(Some(change)));
        let state = ArchivedState::Finished;
        store.archive(ArchivedGame { game, state, entry, deadline: None }).await.unwrap();
    }
}

/// With a log that is made in no time.
fn small(directory: &Path) -> StoreConfig {
    StoreConfig { wal_mib: 1, ..StoreConfig::at(directory) }
}

struct DataDirectory(TempDir);

impl DataDirectory {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn store(&self) -> Sqlite {
        Sqlite::open(&small(self.0.path()), Arc::default()).unwrap().0
    }

    fn check_ratings(&self, mode: RatingsMode) -> RatingsReport {
        check_ratings(self.0.path(), mode, |_, _| {}).unwrap()
    }

    /// Changes the database behind everybody's back.
    fn tamper(&self, sql: &str) {
        let connection = rusqlite::Connection::open(self.0.path().join("adamant.db")).unwrap();
        assert!(connection.execute(sql, []).unwrap() > 0, "{sql}");
    }
}

const NAMES: [&str; 5] = ["ann", "Bob", "cy", "dee", "eve"];

/// Who plays whom, and who comes before whom.
fn any_games() -> impl Strategy<Value = Vec<Played>> {
    let game = (Just(NAMES.to_vec()).prop_shuffle(), 2..=3usize, prop::collection::vec(0..3u8, 3));
    prop::collection::vec(game, 1..12).prop_map(|games| {
        let played = games.into_iter().enumerate().map(|(number, (names, players, scores))| {
            let scores = &scores[..players];
            let place = |score: &u8| {
                u8::try_from(1 + scores.iter().filter(|other| *other > score).count()).unwrap()
            };
            let places: Vec<u8> = scores.iter().map(place).collect();
            Played::new(&format!("g{number}"), &names[..players], &places)
        });
        played.collect()
    })
}

fn block_on(work: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(work);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_is_stored_follows_from_the_records(games in any_games()) {
        block_on(async {
            let directory = DataDirectory::new();
            let store = directory.store();
            // All at once: the store alone decides which comes first.
            let changes = join_all(games.iter().map(|game| game.end(&store))).await;
            let report = directory.check_ratings(RatingsMode::Check);
            assert_eq!((report.found, report.results), (0, games.len() as u64), "{report:?}");
            // Some are told what came of it, the others had bad luck.
            for (game, change) in games.iter().zip(changes).skip(1) {
                game.settle(&store, change).await;
            }
            let report = directory.check_ratings(RatingsMode::Check);
            assert_eq!(report.found, 0, "{report:?}");
            let found = store.rating_change(games[0].game.clone()).await.unwrap();
            games[0].settle(&store, found.expect("it was rated with its end")).await;
            drop(store);
            let report = directory.check_ratings(RatingsMode::Rebuild);
            assert_eq!(report.found, 0, "{report:?}");
        });
    }
}

#[tokio::test]
async fn what_does_not_follow_is_named_and_put_right() {
    let directory = DataDirectory::new();
    let store = directory.store();
    for number in 0..3 {
        let game = Played::new(&format!("g{number}"), &["ann", "bob"], &[1, 2]);
        let change = game.end(&store).await;
        game.settle(&store, change).await;
    }
    let in_use = check_ratings(directory.0.path(), RatingsMode::Rebuild, |_, _| {}).unwrap_err();
    assert!(in_use.to_string().contains("in use"), "{in_use}");
    store.close().await;
    drop(store);

    for (tampered, named) in [
        ("UPDATE ratings SET rating = rating + 1 WHERE user = 'ann'", "adamas/2 ann"),
        ("UPDATE ratings SET wins = wins + 1 WHERE user = 'bob'", "adamas/2 bob"),
        ("DELETE FROM ratings WHERE user = 'ann'", "stored no rating"),
        ("UPDATE ratings SET user = 'eve' WHERE user = 'bob'", "no game counts"),
        ("UPDATE results SET seats = replace(seats, '\"place\":1', '\"place\":2')", "game g0"),
        ("DELETE FROM results WHERE game = 'g2'", "game g2: it counts, but has no result"),
    ] {
        directory.tamper(tampered);
        let report = directory.check_ratings(RatingsMode::Check);
        assert!(report.differences.iter().any(|line| line.contains(named)), "{named}: {report:?}");
        assert!(directory.check_ratings(RatingsMode::Rebuild).found > 0);
        let report = directory.check_ratings(RatingsMode::Check);
        assert_eq!(report.found, 0, "after {tampered}: {report:?}");
    }

    // What a record says cannot be put right here, only be named.
    directory.tamper(
        "UPDATE pieces SET records = CAST(
             replace(CAST(records AS TEXT), '\"after\":[', '\"after\":[1') AS BLOB) WHERE game = 'g1'",
    );
    directory.check_ratings(RatingsMode::Rebuild);
    let report = directory.check_ratings(RatingsMode::Check);
    assert!(report.differences[0].starts_with("game g1: its record tells"), "{report:?}");
}

#[tokio::test]
async fn a_result_counts_once_and_survives_a_restart() {
    let directory = DataDirectory::new();
    let store = directory.store();
    let game = Played::new("g0", &["ann", "bob"], &[1, 2]);
    let change = game.end(&store).await;
    assert_eq!(change.before, [1500, 1500]);
    let again = store.append(game.append(0, &[])).await;
    assert!(matches!(again, Err(AppendError::Conflict { last_seq: 2 })), "{again:?}");
    drop(store);
    let store = directory.store();
    assert_eq!(store.rating_change(game.game.clone()).await.unwrap(), Some(change.clone()));
    let pool = Pool { rules: "adamas".into(), players: 2 };
    let users = ["ANN", "bob", "cy"].map(|user| user.parse().unwrap()).to_vec();
    let ratings = store.ratings(pool, users).await.unwrap();
    let rounded: Vec<_> = ratings.into_iter().map(|rating| rating.map(Rating::rounded)).collect();
    assert_eq!(rounded, [Some(change.after[0]), Some(change.after[1]), None]);
}

#[tokio::test]
async fn standings_are_paged_with_shared_places() {
    let directory = DataDirectory::new();
    let store = directory.store();
    for name in NAMES {
        let name = name.parse().unwrap();
        let kind = NewUserKind::Account(String::new());
        store.create_user(NewUser { name, kind, created_at: 1 }).await.unwrap();
    }
    Played::new("g0", &["ann", "bob"], &[1, 2]).end(&store).await;
    Played::new("g1", &["cy", "dee"], &[1, 2]).end(&store).await;
    let pool = Pool { rules: "adamas".into(), players: 2 };
    let all = store.standings(pool.clone(), None, 10).await.unwrap();
    let shown: Vec<_> = all.iter().map(|row| (row.place, row.user.as_str())).collect();
    assert_eq!(shown, [(1, "ann"), (1, "cy"), (3, "Bob"), (3, "dee")]);
    let mut paged = Vec::new();
    let mut after = None;
    loop {
        let page = store.standings(pool.clone(), after, 1).await.unwrap();
        let Some(row) = page.into_iter().next() else { break };
        after = Some(row.key.clone());
        paged.push(row);
    }
    assert_eq!(paged, all);
    let known = store.user_summary("BOB".parse().unwrap()).await.unwrap().unwrap();
    assert_eq!((known.user.name.as_str(), known.since, known.user.guest), ("Bob", 1, false));
    assert_eq!(known.standings[0].1.place, 3);
}

#[tokio::test]
async fn the_log_is_as_large_as_it_may_become_and_nothing_is_in_it() {
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
        assert_eq!(size(), 0, "it has been copied");
    }
}

#[tokio::test]
async fn of_a_write_that_fails_nothing_is_left() {
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
async fn no_statement_is_planned_again_for_other_values() {
    let directory = DataDirectory::new();
    let store = directory.store();
    let planned_again = store.read_with(|connection| {
        let text = "SELECT pool FROM ratings WHERE user = ?1 ORDER BY pool";
        for user in ["ann", "bob", "cy"] {
            assert!(!connection.prepare_cached(text)?.exists([user])?);
        }
        Ok(connection.prepare_cached(text)?.get_status(StatementStatus::RePrepare))
    });
    assert_eq!(planned_again.await.unwrap(), 0);
}

#[tokio::test]
async fn what_waits_together_is_synced_together() {
    const GAMES: usize = 100;
    let (directory, metrics) = (DataDirectory::new(), Arc::<Metrics>::default());
    let (store, _) = Sqlite::open(&small(directory.0.path()), Arc::clone(&metrics)).unwrap();
    let before = metrics.commits.get();
    let (go_on, held) = std::sync::mpsc::channel();
    // It keeps the writer busy until all the others wait.
    let holding = store.writer.write(move |_| {
        held.recv().unwrap();
        Ok(())
    });
    let games = (0..GAMES).map(|number| Played::new(&format!("g{number}"), &["ann"], &[1]));
    let games: Vec<Played> = games.collect();
    let begun = EventBody::Started(Started { to_move: 0 });
    let appends = games.iter().map(|game| {
        let append = Append { result: None, ..game.append(0, std::slice::from_ref(&begun)) };
        store.append(append)
    });
    let (held, appended, ()) =
        tokio::join!(holding, join_all(appends), async { go_on.send(()).unwrap() });
    held.unwrap();
    assert!(appended.iter().all(Result::is_ok));
    // Some of them may have come in time for the first.
    let commits = metrics.commits.get() - before;
    assert!(commits <= 2, "{commits} commits for {GAMES} games");
}

/// Rows in the journal.
async fn journal_rows(store: &Sqlite) -> usize {
    let count = "SELECT COUNT(*) FROM journal";
    let rows: u32 = store
        .read_with(move |connection| connection.query_row(count, [], |row| row.get(0)))
        .await
        .unwrap();
    rows.try_into().unwrap()
}

#[tokio::test]
async fn what_is_left_over_in_the_journal_goes_by_and_by_and_is_no_game() {
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
async fn every_list_of_games_follows_an_index() {
    let directory = DataDirectory::new();
    let store = directory.store();
    let plans = store.read_with(|connection| {
        let yes_or_no = [false, true];
        for (of_user, order) in [(false, Order::Start), (true, Order::Start), (true, Order::End)] {
            for (of_kind, after) in
                yes_or_no.into_iter().flat_map(|kind| yes_or_no.map(|after| (kind, after)))
            {
                let query = games::list_query(of_user, of_kind, order, after);
                let mut explain = connection.prepare(&format!("EXPLAIN QUERY PLAN {query}"))?;
                let (mut steps, mut rows) = (Vec::new(), explain.raw_query());
                while let Some(row) = rows.next()? {
                    steps.push(row.get::<_, String>(3)?);
                }
                assert!(steps.iter().all(|step| step.starts_with("SEARCH")), "{query}\n{steps:#?}");
            }
        }
        Ok(())
    });
    plans.await.unwrap();
}

/// Counts for longer than any list takes.
const ENDLESS: &str = "WITH RECURSIVE numbers (n) AS
    (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 1000000000) SELECT COUNT(*) FROM numbers";

#[tokio::test]
async fn a_list_that_takes_too_long_is_broken_off_and_nothing_else_is() {
    let directory = DataDirectory::new();
    let store = directory.store();
    for _ in 0..=STORE_READERS_MAX {
        let count = |connection: &rusqlite::Connection| {
            connection.query_row(ENDLESS, [], |row| row.get::<_, i64>(0))
        };
        let endless = store.readers.run_list(count).await;
        assert!(matches!(endless, Err(StoreError::Busy)), "{endless:?}");
    }
    let many = ENDLESS.replace("1000000000", "1000000");
    let counted = store
        .read_with(move |connection| connection.query_row(&many, [], |row| row.get::<_, i64>(0)));
    assert_eq!(counted.await.unwrap(), 1_000_000);
}

#[tokio::test]
async fn lists_keep_nobody_from_reading_anything_else() {
    let directory = DataDirectory::new();
    let store = directory.store();
    let (go_on, held) = std::sync::mpsc::channel::<()>();
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
        let found = store.find_user("ann".parse().unwrap()).await;
        drop(go_on);
        found
    };
    let (listed, found) = tokio::join!(join_all(lists), reading);
    assert_eq!(found.unwrap(), None);
    assert!(listed.iter().all(Result::is_ok));
}

#[tokio::test]
async fn a_game_that_cannot_be_folded_harms_no_other_in_its_commit() {
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
    let folds = games.each_ref().map(|game| {
        let (entry, state) = (game.entry(None), ArchivedState::Finished);
        store.archive(ArchivedGame { game: game.game.clone(), state, entry, deadline: None })
    });
    let (held, folded, ()) =
        tokio::join!(holding, join_all(folds), async { go_on.send(()).unwrap() });
    held.unwrap();
    assert!(matches!(folded[..], [Err(StoreError::Failed(_)), Ok(())]), "{folded:?}");
    assert!(store.is_healthy() && store.live().contains(&games[0].game));
    assert_eq!(store.read(games[1].game.clone(), 1, 9).await.unwrap().len(), 2);
}
