//! What other nodes hear of appended records.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::{TestDatabase, fixture::join};
use crate::{
    cluster::{AppendedRecords, Heard, HeardEvents},
    limits::POSTGRES_ANNOUNCEMENT_BYTES,
    store::{
        Append, Journal as _, Summary,
        postgres::{Postgres, heard_queue::HeardQueue, listener::listen},
        tests::{append, begin},
    },
};

/// Returns what a second node hears on the same database, from now on.
async fn listening(test: &TestDatabase, stop: &CancellationToken) -> HeardEvents {
    let other: Postgres = test.another_node().await;
    let (heard, mut events) = HeardQueue::new();
    let node = "two".parse().unwrap();
    let listening = listen(Arc::clone(other.dialer()), node, Arc::new(heard), stop.clone());
    other.tasks().spawn(listening);
    assert_eq!(events.recv().await, Some(Heard::Gap));
    events
}

/// Waits until the records of a game are announced up to this seq. Returns the announcements of the
/// game.
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
    let long: Bytes = vec![b'x'; POSTGRES_ANNOUNCEMENT_BYTES].into();
    let long = Append { records: vec![long], ..append("g1", 2, &["long"]) };
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
