//! Files as a publisher fills them and clients read them, over an embedded store.

use std::{sync::Arc, time::Duration};

use adamant_protocol::{EventFrame, from_client::GameState, ids::Chain, to_client::GameEntry};
use adamant_record::DownloadChain;
use bytes::Bytes;
use tempfile::TempDir;

use super::{files::DownloadContent, publisher::Publisher};
use crate::{
    config::StoreConfig,
    outbound::frame::Frame,
    runtime::time::TimeSource,
    store::{Append, ArchivedGame, ArchivedState, Begin, Sqlite, Store, Summary, fixture::entry},
};

/// The end of October 2026, in epoch milliseconds.
const OCTOBER_ENDS: u64 = 1_793_491_200_000;

const HOUR: u64 = 60 * 60 * 1000;

fn open() -> (Store, TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let config = StoreConfig { wal_mib: 1, ..StoreConfig::at(directory.path()) };
    (Sqlite::open(&config, Arc::default()).unwrap().0.into(), directory)
}

/// A record that can be read, with `filler` bytes of a field that no reader knows.
fn record(game: &str, seq: u64, filler: usize) -> Bytes {
    let (zeros, filler) = ("0".repeat(64), "x".repeat(filler));
    let text = format!(
        r#"{{"type":"event","game":"{game}","seq":{seq},"at":1,"kind":"started","filler":"{filler}","to_move":0,"hash":"00000000000077de","chain":"{zeros}"}}"#
    );
    EventFrame::from_bytes(text.as_bytes()).unwrap();
    text.into()
}

/// Stores a game that ended at a time.
async fn finish(store: &Store, game: &str, last_at: u64, records: Vec<Bytes>) {
    let listed = Box::new(entry(game, "diam", 1));
    let (first, later) = records.split_first().unwrap();
    let begin = Begin {
        entry: listed.clone(),
        records: vec![first.clone()],
        chain: Chain::default(),
        deadline: None,
        offer: None,
        rematch_of: None,
    };
    store.journal.begin(begin).await.unwrap();
    let game = listed.game.clone();
    let end = Append {
        game: game.clone(),
        expected_seq: 1,
        prev: Chain::default(),
        records: later.iter().map(|record| Frame::text(record)).collect(),
        chain: Chain::default(),
        summary: Summary { ply: 1, to_move: None, last_at },
        deadline: None,
        reseated: None,
        result: None,
    };
    store.journal.append(vec![end]).await.pop().unwrap().unwrap();
    let over = GameEntry { last_at, state: GameState::Finished, to_move: None, ..*listed };
    let (seq, state) = (records.len() as u64, ArchivedState::Finished);
    let archived = ArchivedGame { game, seq, state, entry: Box::new(over), deadline: None };
    store.journal.archive(archived).await.unwrap();
}

async fn publish_at(store: &Store, now_ms: u64) {
    let time = TimeSource::starting_at(now_ms);
    let publisher = Publisher::new(store.clone(), time, Duration::from_secs(30));
    publisher.publish_all().await.unwrap();
}

fn records(game: &str, count: u64) -> Vec<Bytes> {
    (1..=count).map(|seq| record(game, seq, 3)).collect()
}

/// Returns the files with their games, and the first month that may still grow.
async fn files(store: &Store) -> (String, String) {
    let heads = store.download_files().await.unwrap();
    let shown = heads.iter().map(|head| format!("{} {}", head.file, head.at.games));
    let shown = shown.collect::<Vec<_>>().join(", ");
    (shown, store.download_state().await.unwrap().first_open)
}

async fn read(store: &Store, file: &str, bytes: std::ops::Range<u64>) -> Vec<u8> {
    let mut content = DownloadContent::new(store.clone(), file.to_owned(), bytes);
    let mut found = Vec::new();
    while let Some(chunk) = content.next().await.unwrap() {
        found.extend_from_slice(&chunk);
    }
    found
}

#[tokio::test]
async fn a_game_waits_after_its_end_and_a_month_for_its_last_games() {
    let (store, _directory) = open();
    finish(&store, "g1", OCTOBER_ENDS - 1, records("g1", 2)).await;
    publish_at(&store, OCTOBER_ENDS + 20_000).await;
    assert_eq!(files(&store).await, (String::new(), "2026-10".to_owned()));
    publish_at(&store, OCTOBER_ENDS + 31_000).await;
    let october = "2026-10-diam.ndjson 1, 2026-10.ndjson 1";
    assert_eq!(files(&store).await, (october.to_owned(), "2026-10".to_owned()));

    // A game of October that is archived while October settles is in its month, a later one is not.
    finish(&store, "g2", OCTOBER_ENDS - 2, records("g2", 2)).await;
    finish(&store, "g3", OCTOBER_ENDS + 1, records("g3", 2)).await;
    publish_at(&store, OCTOBER_ENDS + HOUR + 1000).await;
    finish(&store, "g4", OCTOBER_ENDS - 3, records("g4", 2)).await;
    publish_at(&store, OCTOBER_ENDS + HOUR + 2000).await;
    let both = "2026-10-diam.ndjson 2, 2026-10.ndjson 2, \
                2026-11-diam.ndjson 2, 2026-11.ndjson 2";
    assert_eq!(files(&store).await, (both.to_owned(), "2026-11".to_owned()));
}

#[tokio::test]
async fn a_game_with_damaged_records_is_left_out_once() {
    let (store, _directory) = open();
    finish(&store, "g1", 1, vec!["{}".into(), "{}".into()]).await;
    finish(&store, "g2", 2, records("g2", 2)).await;
    publish_at(&store, OCTOBER_ENDS).await;
    assert_eq!(files(&store).await.0, "1970-01-diam.ndjson 1, 1970-01.ndjson 1");
    assert_eq!(store.unpublished_games(u64::MAX, 9).await.unwrap(), []);
}

#[tokio::test]
async fn every_part_of_a_file_is_what_the_whole_file_has_there() {
    let (store, _directory) = open();
    // More games than are looked up at once, and one with more records than are read at once.
    for n in 0..70_u64 {
        let game = format!("g{n:02}");
        let count = if n == 66 { 300 } else { 2 };
        finish(&store, &game, n, records(&game, count)).await;
    }
    publish_at(&store, OCTOBER_ENDS).await;
    let file = "1970-01.ndjson";
    let head = store.download_head(file.to_owned(), None).await.unwrap().unwrap();
    let whole = read(&store, file, 0..head.at.bytes).await;
    assert_eq!(whole.len() as u64, head.at.bytes);
    let mut chain = DownloadChain::default();
    for line in whole.split_inclusive(|&byte| byte == b'\n') {
        chain.add_line(line.strip_suffix(b"\n").unwrap());
    }
    assert_eq!((chain, head.at.games), (head.at.clone(), 70));
    for at in (0..head.at.bytes).step_by(997) {
        let split = usize::try_from(at).unwrap();
        assert_eq!(read(&store, file, at..head.at.bytes).await, whole[split..], "from {at}");
        let few = (at + 100).min(head.at.bytes);
        let until = usize::try_from(few).unwrap();
        assert_eq!(read(&store, file, at..few).await, whole[split..until], "{at} to {few}");
    }
}
