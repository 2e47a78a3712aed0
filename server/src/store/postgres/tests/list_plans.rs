//! Every list of games follows an index, with any filter, and so does what a game changes.

use adamant_protocol::UserName;

use super::plans::plans_of;
use crate::store::{
    ArchivedState, CountedGame, GameFilter, Journal as _, ListKey, Store, Tally, UncountedGame,
    postgres::Postgres,
    tests::{append, archived, begin},
};

/// Users with games of several kinds, finished ones and live ones.
const FILL: &str = r"
INSERT INTO games (game, finished, rules, players, delay, unlisted, started_at, ended_at, entry)
    SELECT 'g' || n, n % 3 > 0, CASE WHEN n % 2 = 0 THEN 'adamas' ELSE 'diam' END, 2, 0,
        n % 50 = 0, n, CASE WHEN n % 3 > 0 THEN n + 10 END, '{}'
    FROM generate_series(1, 20000) AS n;
INSERT INTO game_users (user_name, game, rules, players, unlisted, started_at, ended_at)
    SELECT 'user' || mod(substr(game, 2)::int, 20), game, rules, players, unlisted, started_at,
        ended_at
    FROM games;
INSERT INTO journal (game, seq, events, chain, ply, last_at, records)
    SELECT game, seq, 1, '', 0, 0, '' FROM games, generate_series(1, 3) AS seq;
ANALYZE;
";

fn counted(game: UncountedGame) -> CountedGame {
    CountedGame { game: game.game, keys: Vec::new(), tally: Tally::default() }
}

async fn play_and_list(store: Postgres) {
    store.begin(begin("new")).await.unwrap();
    store.append(vec![append("new", 2, &["moved"])]).await.pop().unwrap().unwrap();
    store.archive(archived("new", 3, ArchivedState::Finished)).await.unwrap();
    let store = Store::from(store);
    let user: UserName = "user7".parse().unwrap();
    let game = "g777".parse().unwrap();
    let after = Some(ListKey { at: 9000, game });
    for (rules, players) in [(None, None), (Some("adamas"), None), (Some("diam"), Some(2))] {
        let rules = rules.map(Into::into);
        let all = GameFilter { rules, players, ..GameFilter::default() };
        let of_user = GameFilter { user: Some(user.clone()), ..all.clone() };
        let own = GameFilter { unlisted: true, ..of_user.clone() };
        for after in [None, after.clone()] {
            for filter in [&all, &of_user, &own] {
                store.live_games(filter, after.as_ref(), 20).await.unwrap();
                store.finished_games(filter.clone(), after.clone(), 20).await.unwrap();
            }
            for filter in [&of_user, &own] {
                store.history(filter.clone(), after.clone(), 20).await.unwrap();
            }
        }
    }
    let game = "g777".parse().unwrap();
    store.active_games(None, 20).await.unwrap();
    store.live_state(&game).await.unwrap();
    store.game_entry(&game).await.unwrap();
    store.live_games_of(&user).await.unwrap();
    store.count_live_of(&user).await.unwrap();
    store.claim_due(20).await.unwrap();
    assert_eq!(store.uncounted(20, counted).await.unwrap().len(), 20);
    // The entries of these games are unreadable, and the plan is the same.
    store.unpublished_games(9000, 20).await.unwrap_err();
}

#[tokio::test]
async fn every_list_and_change_of_a_game_follows_an_index() {
    let plans = plans_of(FILL, play_and_list).await;
    let plans: Vec<&String> = plans
        .iter()
        .filter(|plan| ["games", "game_users"].iter().any(|t| plan.contains(t)))
        .collect();
    assert!(plans.len() > 40, "{plans:?}");
    for plan in plans {
        // This table has one row.
        let scans = plan.replace("Seq Scan on cluster", "");
        assert!(!scans.contains("Seq Scan"), "{plan}");
        assert!(plan.contains("Index"), "{plan}");
        // Only the pages of several kinds are merged.
        let is_page = plan.contains("LIMIT $") && !plan.contains("AS kind");
        let is_sorted = is_page && plan.contains("Sort Key");
        assert!(!is_sorted, "{plan}");
    }
}
