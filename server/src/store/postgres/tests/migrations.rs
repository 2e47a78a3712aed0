//! Migrations of databases that have rows, while servers of an older schema use them.

use postgres_fixture::USER;

use super::TestDatabase;
use crate::{
    ratings::Pool,
    store::{
        Standings as _, StandingsFilter,
        postgres::{Postgres, schema::MIGRATIONS},
    },
};

/// Gives a database the first schema, without rows. The nodes' user owns it, because only the owner
/// of a table can change it.
fn create_first_schema(test: &TestDatabase) {
    test.sql(&format!("DROP SCHEMA public CASCADE; CREATE SCHEMA public AUTHORIZATION {USER}"));
    for tables in MIGRATIONS[0] {
        test.sql(&format!("SET ROLE {USER}; {tables}"));
    }
    test.sql("INSERT INTO cluster (alive_at, schema, min_reader) VALUES (0, 1, 1)");
}

/// Users who are people and bots.
const USERS: &str = "
    INSERT INTO users (id, name, folded, skeleton, house, owner_id, created_at) VALUES
        (1, 'Ann', 'ann', 'ann', false, NULL, 1), (2, 'Annbot', 'annbot', 'annbot', false, 1, 1),
        (3, 'house', 'house', 'house', true, NULL, 1), (4, 'bob', 'bob', 'bob', false, NULL, 1);";

/// Adds a rating as a server of the first schema does.
fn add_rating(test: &TestDatabase, user: &str) {
    test.sql(&format!(
        "INSERT INTO ratings (pool, user_name, rank_key, rating, deviation, volatility, games,
             wins, draws, losses)
         SELECT 'adamas/2', user_name, 1, 1, 1, 1, 0, 0, 0, 0
         FROM unnest(ARRAY['{user}']) AS new (user_name) ON CONFLICT DO NOTHING"
    ));
}

async fn names(store: &Postgres, bot: bool) -> Vec<String> {
    let pool = Pool { rules: "adamas".into(), players: 2 };
    let filter = StandingsFilter { pool, bot: Some(bot) };
    let rows = store.standings(filter, None, 10).await.unwrap();
    rows.into_iter().map(|row| row.user.to_string()).collect()
}

#[tokio::test]
async fn ratings_of_bots_are_marked_beside_an_older_server() {
    let test = TestDatabase::open().await;
    create_first_schema(&test);
    test.sql(USERS);
    for user in ["ann", "annbot"] {
        add_rating(&test, user);
    }
    let store = test.another_node().await;
    for user in ["bob", "house", "house"] {
        add_rating(&test, user);
    }
    assert_eq!(names(&store, true).await, ["Annbot", "house"]);
    assert_eq!(names(&store, false).await, ["Ann", "bob"]);
}
