//! What every store promises of annulled results, and of the ratings that are computed again.

use super::{operators::act, *};
use crate::ratings::Rating;

const NAMES: [&str; 4] = ["ann", "bob", "cy", "dee"];

fn pool() -> Pool {
    Pool { rules: "adamas".into(), players: 2 }
}

fn seat(entry: &mut GameEntry, users: [&str; 2]) {
    for (seat, user) in entry.seats.iter_mut().zip(users) {
        seat.user = name(user);
    }
    entry.rated = true;
}

/// Ends a rated game that the first user wins. Returns what archives it, with its change of ratings.
async fn ends(store: &Store, game: &str, winner: &str, loser: &str) -> ArchivedGame {
    let mut new = begin(game);
    seat(&mut new.entry, [winner, loser]);
    store.journal.begin(new).await.unwrap();
    let users = vec![name(winner), name(loser)];
    let result = Some(RatedResult::new(pool(), users, vec![1, 2]));
    let ended = Append { result, ..append(game, 2, &["ended"]) };
    let change = store.journal.append(vec![ended]).await.pop().unwrap().unwrap();
    let mut over = archived(game, 3, ArchivedState::Finished);
    seat(&mut over.entry, [winner, loser]);
    (over.entry.state, over.entry.ratings) = (GameState::Finished, change);
    over
}

/// The same, and archives it.
async fn beats(store: &Store, game: &str, winner: &str, loser: &str) {
    let over = ends(store, game, winner, loser).await;
    store.journal.archive(over).await.unwrap();
}

async fn with_accounts(store: &Store) {
    for user in NAMES {
        account(store, user).await;
    }
}

fn counted(game: UncountedGame) -> CountedGame {
    let group = TallyGroup { rules: "adamas".into(), players: 2, opponents: None };
    let keys = vec![TallyKey { group, aspect: Aspect::Result, value: "".into() }];
    let tally = Tally { games: 1, wins: [1, 0, 0], draws: 0 };
    CountedGame { game: game.game, keys, tally }
}

async fn annul(store: &Store, game: &str) -> AnnulOutcome {
    store.annul(game.parse().unwrap(), counted, act(20, Some(game))).await.unwrap()
}

async fn rate_all_again(store: &Store, max: u32) {
    for begun in store.reratings().await.unwrap() {
        let mut next = Some(begun);
        while let Some(rerating) = next {
            next = store.rerate(rerating, max).await.unwrap().next;
        }
    }
}

async fn ratings(store: &Store) -> Vec<Option<Rating>> {
    store.ratings(pool(), NAMES.map(name).to_vec()).await.unwrap()
}

/// The numbers of games, wins and losses of each who has a rating.
async fn scores(store: &Store) -> Vec<(String, u32, u32, u32)> {
    let filter = StandingsFilter { pool: pool(), bot: None };
    let rows = store.standings(filter, None, 9).await.unwrap();
    let mut scores: Vec<_> = rows
        .into_iter()
        .map(|row| (row.user.to_string(), row.score.games, row.score.wins, row.score.losses))
        .collect();
    scores.sort();
    scores
}

async fn entry_of(store: &Store, game: &str) -> GameEntry {
    store.game_entry(&game.parse().unwrap()).await.unwrap().unwrap()
}

/// Games of all, of which `b1` is annulled later.
const GAMES: [(&str, &str, &str); 7] = [
    ("a1", "ann", "bob"),
    ("b1", "bob", "ann"),
    ("c1", "cy", "dee"),
    ("d1", "ann", "cy"),
    ("e1", "dee", "cy"),
    ("f1", "bob", "dee"),
    ("g1", "ann", "bob"),
];

#[tokio::test]
async fn the_ratings_are_those_of_the_other_games_however_often_they_are_begun_anew() {
    let (all, others) = (TestedStore::all().await, TestedStore::all().await);
    for (TestedStore { store, .. }, TestedStore { store: other, .. }) in all.iter().zip(&others) {
        with_accounts(store).await;
        with_accounts(other).await;
        for (game, winner, loser) in GAMES {
            beats(store, game, winner, loser).await;
            if game != "b1" {
                beats(other, game, winner, loser).await;
            }
        }
        assert!(matches!(annul(store, "b1").await, AnnulOutcome::Annulled(_)));
        assert_eq!(scores(store).await, scores(other).await, "at once");
        // The node that rates again ends after each step, and another begins again.
        for steps in 1..=3 {
            let mut next = store.reratings().await.unwrap().pop();
            for _ in 0..steps {
                let Some(rerating) = next else { break };
                next = store.rerate(rerating, 2).await.unwrap().next;
            }
        }
        rate_all_again(store, 2).await;
        assert_eq!(ratings(store).await, ratings(other).await);
        for (game, ..) in GAMES.into_iter().filter(|(game, ..)| *game != "b1") {
            let (entry, expected) = (entry_of(store, game).await, entry_of(other, game).await);
            assert_eq!(entry, expected, "{game}");
        }
        let annulled = entry_of(store, "b1").await;
        assert_eq!((annulled.annulled, annulled.ratings), (true, None));
        assert!(store.reratings().await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn a_game_that_ends_while_results_are_rated_again_is_rated_with_them() {
    let (all, others) = (TestedStore::all().await, TestedStore::all().await);
    for (TestedStore { store, .. }, TestedStore { store: other, .. }) in all.iter().zip(&others) {
        with_accounts(store).await;
        with_accounts(other).await;
        for (game, winner, loser) in [("a1", "ann", "bob"), ("b1", "bob", "cy")] {
            beats(store, game, winner, loser).await;
        }
        annul(store, "a1").await;
        let begun = store.reratings().await.unwrap().pop().unwrap();
        let next = store.rerate(begun, 1).await.unwrap().next.expect("there is more");
        // It is rated from what is not yet computed again, and archived later.
        let over = ends(store, "c1", "cy", "ann").await;
        let late = next.clone();
        rate_all_again(store, 9).await;
        store.journal.archive(over).await.unwrap();
        // A node that goes on with what another has completed changes nothing.
        let step = store.rerate(late, 9).await.unwrap();
        assert_eq!((step.next, step.changed), (None, 0));
        for (game, winner, loser) in [("b1", "bob", "cy"), ("c1", "cy", "ann")] {
            beats(other, game, winner, loser).await;
        }
        assert_eq!(ratings(store).await, ratings(other).await);
        assert_eq!(scores(store).await, scores(other).await);
        let (entry, expected) = (entry_of(store, "c1").await, entry_of(other, "c1").await);
        assert_eq!(entry.ratings, expected.ratings);
    }
}

#[tokio::test]
async fn two_annulled_games_count_no_more_and_a_user_without_a_game_has_no_rating() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        with_accounts(store).await;
        for (game, winner, loser) in
            [("a1", "ann", "bob"), ("b1", "bob", "cy"), ("c1", "ann", "bob")]
        {
            beats(store, game, winner, loser).await;
        }
        annul(store, "b1").await;
        let begun = store.reratings().await.unwrap().pop().unwrap();
        // One that comes before what is being rated again begins before it.
        annul(store, "a1").await;
        let step = store.rerate(begun, 9).await.unwrap();
        assert_eq!((step.next, step.changed), (None, 0), "it is begun anew");
        rate_all_again(store, 9).await;
        let expected = [("ann", 1, 1, 0), ("bob", 1, 0, 1)];
        let expected =
            expected.map(|(user, games, wins, losses)| (user.to_owned(), games, wins, losses));
        assert_eq!(scores(store).await, expected);
        let change = entry_of(store, "c1").await.ratings.unwrap();
        assert_eq!((change.before, change.after), (vec![1500, 1500], vec![1662, 1338]));
        annul(store, "c1").await;
        rate_all_again(store, 9).await;
        assert!(scores(store).await.is_empty());
    }
}

#[tokio::test]
async fn what_has_no_result_is_not_annulled_and_nothing_is_annulled_twice() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        with_accounts(store).await;
        assert_eq!(annul(store, "nosuch").await, AnnulOutcome::NotFound);
        store.journal.begin(begin("a1")).await.unwrap();
        assert_eq!(annul(store, "a1").await, AnnulOutcome::Live);
        let ended = append("a1", 2, &["ended"]);
        store.journal.append(vec![ended]).await.pop().unwrap().unwrap();
        store.journal.archive(archived("a1", 3, ArchivedState::Finished)).await.unwrap();
        assert_eq!(annul(store, "a1").await, AnnulOutcome::NotRated);
        beats(store, "b1", "ann", "bob").await;
        let uncounted = store.uncounted(9, counted).await.unwrap();
        store.count_finished(uncounted).await.unwrap();
        let group = TallyGroup { rules: "adamas".into(), players: 2, opponents: None };
        let tallies = async || store.tallies(group.clone(), |_| 9).await.unwrap();
        assert_eq!(tallies().await[0].tally.games, 2);
        let outcome = annul(store, "b1").await;
        let AnnulOutcome::Annulled(notices) = outcome else { panic!("{outcome:?}") };
        let told: Vec<_> = notices.iter().map(|(user, notice)| (user.as_str(), notice.n)).collect();
        assert_eq!(told, [("ann", Some(20)), ("bob", Some(20))]);
        assert_eq!(annul(store, "b1").await, AnnulOutcome::AlreadyAnnulled);
        assert_eq!(tallies().await[0].tally.games, 1);
        assert!(store.uncounted(9, counted).await.unwrap().is_empty());
        assert!(store.is_annulled("b1".parse().unwrap()).await.unwrap());
        // One that is annulled before it is counted is never counted.
        beats(store, "c1", "ann", "bob").await;
        annul(store, "c1").await;
        assert!(store.uncounted(9, counted).await.unwrap().is_empty());
        let acts = store.acts(Some("b1".to_owned()), 99, 9).await.unwrap();
        assert_eq!(acts.len(), 1, "what is refused is no act");
    }
}
