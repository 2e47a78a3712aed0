//! What every store promises of the lists of games.

use adamant_protocol::{GameId, from_client::GameState, to_client::GameEntry};
use adamant_rules::{Kind, Seat};

use super::{
    journal::{append, archived, begin},
    people::name,
    tested_store::TestedStore,
};
use crate::store::{Append, ArchivedGame, ArchivedState, GameFilter, ListKey, LiveState, Summary};

/// Games of ann and bob, each with its kind and start, and its end if it is over.
const GAMES: [(&str, &str, u64, Option<u64>); 6] = [
    ("g1", "adamas", 10, Some(90)),
    ("g2", "diam", 20, Some(50)),
    ("g3", "adamas", 30, None),
    ("g4", "diam", 30, None),
    ("g5", "adamas", 40, Some(60)),
    ("g6", "adamas", 50, None),
];

fn game(id: &str) -> GameId {
    id.parse().unwrap()
}

/// Begins the games and another, unlisted one of bob and cat, and finishes those that are over.
async fn play(tested: &TestedStore) {
    let journal = &tested.store.journal;
    for (id, rules, started_at, ended_at) in GAMES {
        let mut new = begin(id);
        let entry = GameEntry {
            started_at,
            last_at: started_at,
            rules: format!("{rules}@1").parse().unwrap(),
            ..*new.entry
        };
        new.entry = Box::new(entry.clone());
        journal.begin(new).await.unwrap();
        if let Some(last_at) = ended_at {
            let summary = Summary { ply: 1, to_move: None, last_at };
            let end = Append { summary, ..append(id, 2, &["ended"]) };
            journal.append(vec![end]).await.pop().unwrap().unwrap();
            let entry = GameEntry { last_at, state: GameState::Finished, to_move: None, ..entry };
            let over = archived(id, 3, ArchivedState::Finished);
            journal.archive(ArchivedGame { entry: Box::new(entry), ..over }).await.unwrap();
        }
    }
    let mut unlisted = begin("u1");
    unlisted.entry.unlisted = true;
    unlisted.entry.started_at = 60;
    unlisted.entry.seats[0].user = name("cat");
    journal.begin(unlisted).await.unwrap();
}

fn ids(games: &[GameEntry]) -> Vec<&str> {
    games.iter().map(|entry| entry.game.as_str()).collect()
}

fn of(user: &str) -> GameFilter {
    GameFilter { user: Some(name(user)), ..GameFilter::default() }
}

fn kind(rules: &str) -> GameFilter {
    GameFilter { rules: Some(rules.into()), ..GameFilter::default() }
}

#[tokio::test]
async fn live_games_are_listed_by_start() {
    for tested in TestedStore::all().await {
        play(&tested).await;
        let games = &tested.store;
        let all = GameFilter::default();
        let page = |filter, after, limit| async move {
            let (games, more) = games.live_games(&filter, after, limit).await.unwrap();
            (ids(&games).join(" "), more)
        };
        assert_eq!(page(all.clone(), None, 9).await, ("g6 g4 g3".to_owned(), false));
        assert_eq!(page(all.clone(), None, 2).await, ("g6 g4".to_owned(), true));
        let after = games.list_key_by_start(game("g4")).await.unwrap().unwrap();
        assert_eq!(after, ListKey { at: 30, game: game("g4") });
        assert_eq!(page(all, Some(&after), 2).await, ("g3".to_owned(), false));
        assert_eq!(page(kind("diam"), None, 9).await, ("g4".to_owned(), false));
        assert_eq!(page(kind("hexma"), None, 9).await, (String::new(), false));
        assert_eq!(page(of("Ann"), None, 9).await, ("g6 g4 g3".to_owned(), false));
        assert_eq!(page(of("cat"), None, 9).await, (String::new(), false));
        let own = GameFilter { unlisted: true, ..of("bob") };
        assert_eq!(page(own.clone(), None, 9).await, ("u1 g6 g4 g3".to_owned(), false));
        let own = GameFilter { rules: Some("adamas".into()), players: Some(2), ..own };
        assert_eq!(page(own, None, 9).await, ("u1 g6 g3".to_owned(), false));
        assert_eq!(page(GameFilter { players: Some(3), ..of("ann") }, None, 9).await.0, "");
    }
}

#[tokio::test]
async fn finished_games_are_listed_by_start_and_by_end() {
    for tested in TestedStore::all().await {
        play(&tested).await;
        let games = &tested.store;
        let by_start = |filter, after| async move {
            ids(&games.finished_games(filter, after, 2).await.unwrap()).join(" ")
        };
        let by_end = |filter, after| async move {
            ids(&games.history(filter, after, 2).await.unwrap()).join(" ")
        };
        assert_eq!(by_start(GameFilter::default(), None).await, "g5 g2");
        let after = games.list_key_by_start(game("g2")).await.unwrap();
        assert_eq!(by_start(GameFilter::default(), after.clone()).await, "g1");
        assert_eq!(by_start(of("ann"), after).await, "g1");
        assert_eq!(by_start(kind("adamas"), None).await, "g5 g1");
        let both = GameFilter { players: Some(2), ..GameFilter::default() };
        assert_eq!(by_start(both, None).await, "g5 g2");
        assert_eq!(by_end(of("ann"), None).await, "g1 g5");
        let after = games.list_key_by_end(game("g5")).await.unwrap();
        assert_eq!(after, Some(ListKey { at: 60, game: game("g5") }));
        assert_eq!(by_end(of("ann"), after).await, "g2");
        let diam = GameFilter { rules: Some("diam".into()), ..of("BOB") };
        assert_eq!(by_end(diam, None).await, "g2");
        assert_eq!(games.list_key_by_end(game("g3")).await.unwrap(), None);
        assert_eq!(games.list_key_by_start(game("none")).await.unwrap(), None);
    }
}

#[tokio::test]
async fn a_live_game_is_known_by_its_last_append() {
    for tested in TestedStore::all().await {
        play(&tested).await;
        let (games, journal) = (&tested.store, &tested.store.journal);
        let live = |ended| Some(LiveState { ended, delay: 0 });
        assert_eq!(games.live_state(&game("g3")).await.unwrap(), live(false));
        assert_eq!(games.live_state(&game("g1")).await.unwrap(), None);
        assert_eq!(games.live_state(&game("none")).await.unwrap(), None);
        let summary = Summary { ply: 7, to_move: Seat::new(1), last_at: 99 };
        let moved = Append { summary, ..append("g3", 2, &["moved"]) };
        journal.append(vec![moved]).await.pop().unwrap().unwrap();
        let entry = games.game_entry(&game("g3")).await.unwrap().unwrap();
        assert_eq!((entry.ply, entry.to_move, entry.last_at), (7, Some(1), 99));
        let (listed, _) = games.live_games(&kind("adamas"), None, 9).await.unwrap();
        assert_eq!(listed[1], entry);
        let active = games.active_games(Some(Kind::ALL[0]), 1).await.unwrap();
        assert_eq!(active.len(), 1);
        let active = games.active_games(None, 1).await.unwrap();
        assert_eq!(active, std::slice::from_ref(&entry));

        let mut seats = entry.seats;
        seats.reverse();
        let swapped = Append { reseated: Some(seats.clone()), ..append("g3", 3, &["swapped"]) };
        journal.append(vec![swapped]).await.pop().unwrap().unwrap();
        assert_eq!(games.game_entry(&game("g3")).await.unwrap().unwrap().seats, seats);

        let summary = Summary { ply: 7, to_move: None, last_at: 100 };
        let ended = Append { summary, ..append("g3", 4, &["ended"]) };
        journal.append(vec![ended]).await.pop().unwrap().unwrap();
        assert_eq!(games.live_state(&game("g3")).await.unwrap(), live(true));
        assert_eq!(games.game_entry(&game("none")).await.unwrap(), None);
        let over = games.game_entry(&game("g1")).await.unwrap().unwrap();
        assert_eq!((over.last_at, over.to_move), (90, None));
    }
}

#[tokio::test]
async fn live_games_of_a_user_are_counted_and_named() {
    for tested in TestedStore::all().await {
        play(&tested).await;
        let games = &tested.store;
        let of_ann: Vec<GameId> = ["g3", "g4", "g6"].map(game).into();
        let mut found = games.live_games_of(&name("ANN")).await.unwrap();
        found.sort();
        assert_eq!(found, of_ann);
        for (user, count) in [("ann", 3), ("bob", 4), ("Cat", 1), ("dan", 0)] {
            assert_eq!(games.count_live_of(&name(user)).await.unwrap(), count, "{user}");
        }
        let parked = archived("g6", 2, ArchivedState::Parked);
        tested.store.journal.archive(parked).await.unwrap();
        assert_eq!(games.count_live_of(&name("ann")).await.unwrap(), 3);
        let (listed, _) = games.live_games(&of("ann"), None, 1).await.unwrap();
        assert_eq!(ids(&listed), ["g6"]);
    }
}
