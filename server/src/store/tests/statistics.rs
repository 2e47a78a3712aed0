//! What every store promises of the counts of finished games.

use adamant_protocol::from_client::Opponents;

use super::{
    journal::{append, archived, begin},
    tested_store::TestedStore,
};
use crate::{
    limits::OPENINGS_KEPT,
    store::{
        Append, ArchivedState, Aspect, CountedGame, Store, Summary, Tally, TallyGroup, TallyKey,
        TallyRow, UncountedGame,
    },
};

/// Plays a game to its end.
async fn finish(store: &Store, game: &str) {
    store.journal.begin(begin(game)).await.unwrap();
    let summary = Summary { ply: 1, to_move: None, last_at: 2 };
    let ended = Append { summary, ..append(game, 2, &["ended"]) };
    store.journal.append(vec![ended]).await.pop().unwrap().unwrap();
    store.journal.archive(archived(game, 3, ArchivedState::Finished)).await.unwrap();
}

fn group(opponents: Option<Opponents>) -> TallyGroup {
    TallyGroup { rules: "adamas".into(), players: 2, opponents }
}

fn key(opponents: Option<Opponents>, aspect: Aspect, value: &str) -> TallyKey {
    TallyKey { group: group(opponents), aspect, value: value.into() }
}

/// A game that the first seat won, and that began with a move.
fn won(game: &str, first_move: &str) -> CountedGame {
    let keys = [None, Some(Opponents::Bots)].map(|opponents| {
        [key(opponents, Aspect::Result, ""), key(opponents, Aspect::FirstMove, first_move)]
    });
    let tally = Tally { games: 1, wins: [1, 0, 0], draws: 0 };
    CountedGame { game: game.parse().unwrap(), keys: keys.concat(), tally }
}

fn row(aspect: Aspect, value: &str, games: u64) -> TallyRow {
    let tally = Tally { games, wins: [games, 0, 0], draws: 0 };
    TallyRow { aspect, value: value.into(), tally }
}

/// Counts a game that `finish` has played, with its records.
fn read_whole(game: UncountedGame) -> CountedGame {
    let UncountedGame { game, entry, records } = game;
    assert!(entry.is_some());
    assert_eq!(records, ["created", "started", "ended"]);
    CountedGame { game, keys: Vec::new(), tally: Tally::default() }
}

async fn uncounted(store: &Store, max: u32) -> Vec<String> {
    let games = store.uncounted(max, read_whole).await.unwrap();
    games.iter().map(|game| game.game.to_string()).collect()
}

#[tokio::test]
async fn each_finished_game_counts_once() {
    for tested in TestedStore::all().await {
        let store = &tested.store;
        store.journal.begin(begin("g0")).await.unwrap();
        for game in ["g1", "g2", "g3"] {
            finish(store, game).await;
        }
        assert_eq!(uncounted(store, 2).await, ["g1", "g2"]);
        store.count_finished(vec![won("g1", "a1"), won("g2", "b1")]).await.unwrap();
        assert_eq!(uncounted(store, 9).await, ["g3"]);
        // Another node has looked at the same time, and has not heard of the first.
        let again = vec![won("g1", "a1"), won("g2", "b1"), won("g3", "b1")];
        store.count_finished(again).await.unwrap();
        assert_eq!(uncounted(store, 9).await, [] as [&str; 0]);
        for opponents in [None, Some(Opponents::Bots)] {
            let tallies = |max| store.tallies(group(opponents), max);
            let (all, first) = (row(Aspect::Result, "", 3), row(Aspect::FirstMove, "b1", 2));
            let second = row(Aspect::FirstMove, "a1", 1);
            assert_eq!(tallies(|_| 9).await.unwrap(), [all.clone(), first.clone(), second]);
            assert_eq!(tallies(|_| 1).await.unwrap(), [all, first]);
        }
        let people = store.tallies(group(Some(Opponents::People)), |_| 9);
        assert_eq!(people.await.unwrap(), []);
    }
}

#[tokio::test]
async fn rare_openings_give_way_once_there_are_too_many() {
    for tested in TestedStore::all().await {
        let store = &tested.store;
        for game in ["g1", "g2", "g3"] {
            finish(store, game).await;
        }
        let opening = |n: u32| key(None, Aspect::ThreeMoves, &format!("{n:05}"));
        let counted = |game: &str, openings: std::ops::Range<u32>| CountedGame {
            keys: openings.map(opening).collect(),
            ..won(game, "a1")
        };
        // The first ones are played twice.
        let full = vec![counted("g1", 0..2 * OPENINGS_KEPT), counted("g2", 0..5)];
        store.count_finished(full).await.unwrap();
        let kept = async || store.tallies(group(None), |_| 10_000).await.unwrap();
        assert_eq!(kept().await.len(), 2 * OPENINGS_KEPT as usize);
        let beyond = 2 * OPENINGS_KEPT;
        store.count_finished(vec![counted("g3", beyond..beyond + 1)]).await.unwrap();
        let kept = kept().await;
        assert_eq!(kept.len(), OPENINGS_KEPT as usize);
        assert!(kept[..5].iter().all(|row| row.tally.games == 2), "{:?}", &kept[..5]);
    }
}
