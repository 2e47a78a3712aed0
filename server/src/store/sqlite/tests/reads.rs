//! Lists follow indices, end in time, and do not delay other reads.

use std::sync::Arc;

use futures::future::join_all;
use rusqlite::StatementStatus;

use super::fixture::DataDirectory;
use crate::{
    limits::STORE_READERS_MAX,
    store::{
        Store, StoreError,
        game_lists::{self, Order},
    },
};

#[tokio::test]
async fn statements_are_not_planned_again_for_other_values() {
    let directory = DataDirectory::new();
    let store = directory.store();
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
    let directory = DataDirectory::new();
    let store = directory.store();
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

/// A query that takes longer than any list.
const ENDLESS: &str = "WITH RECURSIVE numbers (n) AS
    (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 1000000000) SELECT COUNT(*) FROM numbers";

#[tokio::test]
async fn a_slow_list_is_aborted_and_other_slow_reads_are_not() {
    let directory = DataDirectory::new();
    let store = directory.store();
    for _ in 0..=STORE_READERS_MAX {
        let count = |connection: &rusqlite::Connection| {
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
        let found = Store::from(store.clone()).find_user("ann".parse().unwrap()).await;
        drop(go_on);
        found
    };
    let (listed, found) = tokio::join!(join_all(lists), reading);
    assert_eq!(found.unwrap(), None);
    assert!(listed.iter().all(Result::is_ok));
}
