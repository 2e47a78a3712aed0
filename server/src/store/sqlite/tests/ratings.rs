//! The stored ratings follow from the records in any order of results, and a check finds what does
//! not follow.

use super::*;

/// Games among three or fewer of five users, with any places.
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
    fn ratings_follow_from_the_records(games in any_games()) {
        block_on(async {
            let (directory, store) = DataDirectory::with_store();
            // Concurrent: the store decides the order.
            let changes = join_all(games.iter().map(|game| game.end(&store))).await;
            let report = directory.check_ratings(RatingsMode::Check);
            assert_eq!((report.found, report.results), (0, games.len() as u64), "{report:?}");
            // The server crashes before it stores the `rated` event of the first game.
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

/// What a game adds to the statistics: here nothing.
fn uncounted(game: UncountedGame) -> CountedGame {
    CountedGame { game: game.game, keys: Vec::new(), tally: Tally::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_check_agrees_with_ratings_that_were_computed_anew(
        games in any_games(), annulled in prop::collection::vec(0..12usize, 1..3), max in 1..4u32,
    ) {
        block_on(async {
            let (directory, sqlite) = DataDirectory::with_store();
            for game in &games {
                let change = game.end(&sqlite).await;
                game.settle(&sqlite, change).await;
            }
            let store = Store::from(sqlite);
            for number in annulled {
                let Played { game, .. } = &games[number % games.len()];
                let act = Act {
                    at: 9, who: "root".to_owned(), node: None, subject: None, reason: None,
                    request: "{}".to_owned(),
                };
                store.annul(game.clone(), uncounted, act).await.unwrap();
                let report = directory.check_ratings(RatingsMode::Check);
                assert_eq!(report.found, 0, "nothing is to be compared yet: {report:?}");
                // The server crashes after a step.
                for rerating in store.reratings().await.unwrap() {
                    store.rerate(rerating, max).await.unwrap();
                }
            }
            for begun in store.reratings().await.unwrap() {
                let mut next = Some(begun);
                while let Some(rerating) = next {
                    next = store.rerate(rerating, max).await.unwrap().next;
                }
            }
            drop(store);
            for mode in [RatingsMode::Check, RatingsMode::Rebuild, RatingsMode::Check] {
                let report = directory.check_ratings(mode);
                assert_eq!(report.found, 0, "{report:?}");
            }
        });
    }
}

#[tokio::test]
async fn a_check_names_wrong_ratings_and_a_rebuild_corrects_them() {
    let (directory, store) = DataDirectory::with_store();
    for number in 0..3 {
        let game = Played::new(&format!("g{number}"), &["ann", "bob"], &[1, 2]);
        let change = game.end(&store).await;
        game.settle(&store, change).await;
    }
    let in_use = check_ratings(directory.0.path(), RatingsMode::Rebuild, |_, _| {}).unwrap_err();
    assert!(in_use.to_string().contains("in use"), "{in_use}");
    store.close(0).await;
    drop(store);

    for (tampered, named) in [
        ("UPDATE ratings SET rating = rating + 1 WHERE user_name = 'ann'", "adamas/2 ann"),
        ("UPDATE ratings SET wins = wins + 1 WHERE user_name = 'bob'", "adamas/2 bob"),
        ("DELETE FROM ratings WHERE user_name = 'ann'", "stored no rating"),
        ("UPDATE ratings SET user_name = 'eve' WHERE user_name = 'bob'", "no game counts"),
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

    // A rebuild does not change records.
    directory.tamper(
        "UPDATE journal SET records = CAST(
             replace(CAST(records AS TEXT), '\"after\":[', '\"after\":[1') AS BLOB) WHERE game = 'g1'",
    );
    directory.check_ratings(RatingsMode::Rebuild);
    let report = directory.check_ratings(RatingsMode::Check);
    assert!(report.differences[0].starts_with("game g1: its record has"), "{report:?}");
}

#[tokio::test]
async fn a_result_counts_once_and_survives_a_restart() {
    let (directory, store) = DataDirectory::with_store();
    let game = Played::new("g0", &["ann", "bob"], &[1, 2]);
    let change = game.end(&store).await;
    assert_eq!(change.before, [1500, 1500]);
    let again = append_one(&store, game.append(1, &game.ended())).await;
    assert!(matches!(again, Err(AppendError::Conflict { last_seq: 2 })), "{again:?}");
    drop(store);
    let store = directory.store();
    assert_eq!(store.rating_change(game.game.clone()).await.unwrap(), Some(change.clone()));
    let pool = Pool { rules: "adamas".into(), players: 2 };
    let users = ["ANN", "bob", "cy"].map(|user| user.parse().unwrap()).to_vec();
    let ratings = Store::from(store).ratings(pool, users).await.unwrap();
    let rounded: Vec<_> = ratings.into_iter().map(|rating| rating.map(Rating::rounded)).collect();
    assert_eq!(rounded, [Some(change.after[0]), Some(change.after[1]), None]);
}
