//! A newer release leads the tables of a database to its version.

use super::{super::migration::Versions, *};
use crate::store::schema;

/// A second version that no server has.
fn two(min_reader: i32) -> Versions {
    let second = "ALTER TABLE talk ADD COLUMN edited_at bigint;
         UPDATE outages SET from_at = from_at + 1";
    let steps = schema::postgres().into_iter().chain([second.to_owned()]).collect();
    Versions { steps, min_reader }
}

async fn lead(store: &Postgres, versions: &Versions) -> Result<(), PostgresError> {
    let dialer = Arc::clone(store.dialer());
    let connection = dialer.dial_at_start(Instant::now() + Duration::from_mins(1)).await?;
    versions.lead(&connection, dialer.url()).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_node_of_a_newer_release_migrates_below_the_others() {
    let test = TestDatabase::open().await;
    let (node, _heard) = join(&test.store, "one").await.unwrap();
    test.sql("INSERT INTO outages (until_at, from_at) VALUES (9, 1)");
    let (one, two) = (two(1), two(1));
    let (first, second) = tokio::join!(lead(&test.store, &one), lead(&test.store, &two));
    first.and(second).unwrap();
    assert_eq!(test.sql("SELECT schema, min_reader FROM cluster"), "2|1");
    assert_eq!(test.sql("SELECT from_at FROM outages"), "2", "once");
    test.another_node().await;
    drop(node);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tables_that_an_older_node_cannot_use_wait_for_its_end() {
    let test = TestDatabase::open().await;
    let (node, _heard) = join(&test.store, "one").await.unwrap();
    let refused = lead(&test.store, &two(2)).await.unwrap_err();
    let named = matches!(&refused, PostgresError::OlderNode { node, .. } if node == "one");
    assert!(named, "{refused}");
    assert_eq!(test.sql("SELECT schema FROM cluster"), "1");
    drop(node);
    test.sql("DELETE FROM nodes");
    lead(&test.store, &two(2)).await.unwrap();
    let refused = open(&test.cluster.url(&test.name), false).await.unwrap_err();
    let newer = PostgresError::Newer { found: 2, min_reader: 2, known: 1 };
    assert_eq!(refused.to_string(), newer.to_string());
}
