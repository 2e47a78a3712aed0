//! What every store promises of standings.

use super::{
    journal::{append, begin},
    people::{account, created, name, new_user},
    tested_store::TestedStore,
};
use crate::{
    ratings::{Pool, RatedResult},
    store::{Append, NewUserKind, StandingRow, StandingsFilter, Store},
};

fn pool() -> Pool {
    Pool { rules: "adamas".into(), players: 2 }
}

/// Ends a rated game.
async fn beats(store: &Store, winner: &str, loser: &str) {
    let game = format!("{winner}-{loser}").replace('-', "0");
    store.journal.begin(begin(&game)).await.unwrap();
    let users = vec![name(winner), name(loser)];
    let result = Some(RatedResult { pool: pool(), users, places: vec![1, 2] });
    let ended = Append { result, ..append(&game, 2, &["ended"]) };
    store.journal.append(vec![ended]).await.pop().unwrap().unwrap();
}

/// Reads a list page by page.
async fn listed(store: &Store, bot: Option<bool>, limit: u32) -> Vec<StandingRow> {
    let filter = StandingsFilter { pool: pool(), bot };
    let (mut rows, mut after) = (Vec::new(), None);
    loop {
        let page = store.standings(filter.clone(), after, limit).await.unwrap();
        let Some(last) = page.last() else { return rows };
        after = Some(last.key.clone());
        rows.extend(page);
    }
}

#[tokio::test]
async fn bots_and_people_have_places_of_their_own() {
    for tested in TestedStore::all().await {
        let store = &tested.store;
        let ann = account(store, "Ann").await;
        for person in ["bob", "cy", "dee"] {
            account(store, person).await;
        }
        for (bot, kind) in [("Annbot", NewUserKind::Bot(ann.id)), ("house", NewUserKind::House)] {
            created(store.create_user(new_user(bot, kind), None).await.unwrap());
        }
        for (winner, loser) in
            [("annbot", "ann"), ("house", "bob"), ("annbot", "cy"), ("dee", "house")]
        {
            beats(store, winner, loser).await;
        }
        let all = listed(store, None, 100).await;
        assert_eq!(all.len(), 6);
        for (bot, names) in
            [(true, &["Annbot", "house"][..]), (false, &["dee", "cy", "Ann", "bob"])]
        {
            let whole = listed(store, Some(bot), 100).await;
            let mut found: Vec<&str> = whole.iter().map(|row| row.user.as_str()).collect();
            let mut expected: Vec<StandingRow> =
                all.iter().filter(|row| row.bot == bot).cloned().collect();
            let ranks: Vec<i64> = expected.iter().map(|row| row.key.rank).collect();
            for row in &mut expected {
                let stronger = ranks.iter().filter(|rank| **rank < row.key.rank).count();
                row.place = u32::try_from(stronger).unwrap() + 1;
            }
            assert_eq!(whole, expected);
            for limit in [1, 2] {
                assert_eq!(listed(store, Some(bot), limit).await, expected);
            }
            found.sort_unstable();
            let mut names = names.to_vec();
            names.sort_unstable();
            assert_eq!(found, names);
        }
        // A user's own place is that among all.
        let house = store.user_summary(name("house")).await.unwrap().unwrap();
        let (_, own) = &house.standings[0];
        assert_eq!(Some(own), all.iter().find(|row| row.user == name("house")));
    }
}
