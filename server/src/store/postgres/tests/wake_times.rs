//! Nodes open games whose clocks have run out without a room, each once.

use futures::future::join;

use super::TestDatabase;
use crate::store::{
    Append, ArchivedGame, ArchivedState, Begin, DueGames, Journal as _, Summary,
    tests::{append, archived, begin},
};

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
    let (one, two) = join(test.store.claim_due(10), other.claim_due(10)).await;
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
