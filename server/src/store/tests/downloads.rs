//! What every store promises of downloads.

use adamant_protocol::{GameId, from_client::GameState, to_client::GameEntry};
use adamant_record::LineDigest;
use adamant_rules::Kind;

use super::{
    journal::{append, archived, begin},
    tested_store::TestedStore,
};
use crate::store::{
    Append, ArchivedGame, ArchivedState, DownloadHead, DownloadLine, DownloadState, LineFrame,
    Publication, Summary,
};

fn game(id: &str) -> GameId {
    id.parse().unwrap()
}

/// Plays a game to its end at a time.
async fn finish(tested: &TestedStore, id: &str, last_at: u64, unlisted: bool) {
    let mut new = begin(id);
    let rules = format!("{}@1", Kind::Diam.name()).parse().unwrap();
    let entry = GameEntry { started_at: 1, last_at: 1, rules, unlisted, ..*new.entry };
    new.entry = Box::new(entry.clone());
    let journal = &tested.store.journal;
    journal.begin(new).await.unwrap();
    let summary = Summary { ply: 1, to_move: None, last_at };
    let end = Append { summary, ..append(id, 2, &["ended"]) };
    journal.append(vec![end]).await.pop().unwrap().unwrap();
    let entry = GameEntry { last_at, state: GameState::Finished, to_move: None, ..entry };
    let over = archived(id, 3, ArchivedState::Finished);
    journal.archive(ArchivedGame { entry: Box::new(entry), ..over }).await.unwrap();
}

async fn waiting(tested: &TestedStore, before: u64) -> String {
    let found = tested.store.unpublished_games(before, 9).await.unwrap();
    found.iter().map(|entry| entry.game.as_str()).collect::<Vec<_>>().join(" ")
}

/// Returns a publication of games as lines of one file, each of 10 bytes.
fn publication(follows: DownloadState, from: Option<DownloadHead>, games: &[&str]) -> Publication {
    let mut at = from.map(|head| head.at).unwrap_or_default();
    let mut publication =
        Publication { follows, first_open: "2026-10".to_owned(), ..Publication::default() };
    for id in games {
        let mut digest = LineDigest::default();
        digest.update(b"123456789");
        let offset = at.bytes;
        at.add(digest);
        let head = DownloadHead { file: "f".to_owned(), at: at.clone(), last_game: game(id) };
        publication.lines.push(DownloadLine { offset, length: 10, head });
        let (start, end) = (format!("<{id}"), format!("{id}>"));
        publication.frames.push(LineFrame { game: game(id), seq: 3, start, end });
    }
    publication
}

#[tokio::test]
async fn finished_and_listed_games_wait_by_their_ends() {
    for tested in TestedStore::all().await {
        finish(&tested, "g1", 30, false).await;
        finish(&tested, "g2", 20, false).await;
        finish(&tested, "g3", 20, false).await;
        finish(&tested, "u1", 10, true).await;
        tested.begin("live", ["ann", "bob"]).await;
        assert_eq!(waiting(&tested, 31).await, "g2 g3 g1");
        assert_eq!(waiting(&tested, 30).await, "g2 g3", "a game that has just ended waits");
    }
}

#[tokio::test]
async fn of_two_publications_after_the_same_one_only_one_counts() {
    for tested in TestedStore::all().await {
        for id in ["g1", "g2", "g3"] {
            finish(&tested, id, 20, false).await;
        }
        let downloads = &tested.store;
        let before = downloads.download_state().await.unwrap();
        assert_eq!(before, DownloadState::default());
        assert!(downloads.publish(publication(before.clone(), None, &["g2"])).await.unwrap());
        assert!(!downloads.publish(publication(before, None, &["g1"])).await.unwrap());
        let after = downloads.download_state().await.unwrap();
        assert_eq!(after, DownloadState { version: 1, first_open: "2026-10".to_owned() });
        assert_eq!(waiting(&tested, 99).await, "g1 g3");
        let left_out = vec![game("g3")];
        let damaged = Publication { left_out, ..publication(after, None, &[]) };
        assert!(downloads.publish(damaged).await.unwrap());
        assert_eq!(waiting(&tested, 99).await, "g1");
    }
}

#[tokio::test]
async fn a_file_keeps_each_of_its_heads_and_lines() {
    for tested in TestedStore::all().await {
        for id in ["g1", "g2", "g3"] {
            finish(&tested, id, 20, false).await;
        }
        let downloads = &tested.store;
        let head = |games| downloads.download_head("f".to_owned(), games);
        assert_eq!(head(None).await.unwrap(), None);
        let state = downloads.download_state().await.unwrap();
        downloads.publish(publication(state, None, &["g1", "g3"])).await.unwrap();
        let second = head(None).await.unwrap().unwrap();
        assert_eq!((second.at.games, second.at.bytes), (2, 20));
        let state = downloads.download_state().await.unwrap();
        downloads.publish(publication(state, Some(second.clone()), &["g2"])).await.unwrap();

        assert_eq!(head(Some(2)).await.unwrap(), Some(second.clone()), "heads do not change");
        assert_eq!(head(Some(4)).await.unwrap(), None);
        let third = head(None).await.unwrap().unwrap();
        assert_eq!((third.at.games, &third.last_game), (3, &game("g2")));
        assert_ne!(third.at.chain, second.at.chain);
        assert_eq!(downloads.download_files().await.unwrap(), [third]);

        let lines = async |offset, limit| {
            let found = downloads.download_lines("f".to_owned(), offset, limit).await.unwrap();
            let line = |line: &crate::store::StoredLine| {
                assert_eq!((line.length, line.frame.seq), (10, 3));
                format!("{}{}{}", line.frame.start, line.offset, line.frame.end)
            };
            found.iter().map(line).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(lines(0, 9).await, "<g10g1> <g310g3> <g220g2>");
        assert_eq!(lines(9, 1).await, "<g10g1>", "the line that has the byte");
        assert_eq!(lines(10, 1).await, "<g310g3>");
        assert_eq!(lines(25, 9).await, "<g220g2>");
    }
}
