//! What users read and what a game changes is found by an index, however full the tables are.

use super::*;

/// Users with all that belongs to them, and games of several kinds, finished and live ones.
const FILL: &str = r"
INSERT INTO users (name, folded, skeleton, password_hash, owner_id, created_at)
    SELECT 'user' || n, 'user' || n, 'user' || n, CASE WHEN n % 2 = 0 THEN 'hash' END,
        CASE WHEN n % 100 = 1 THEN 1 END, n
    FROM generate_series(1, 5000) AS n;
INSERT INTO tokens (digest, user_id, label, bot, created_at)
    SELECT sha256(n::text::bytea), 1 + n % 5000, 'label', n % 3 = 0, n
    FROM generate_series(1, 15000) AS n;
INSERT INTO push_subscriptions (endpoint, token, key, auth, created_at, failures)
    SELECT 'push' || n, sha256(n::text::bytea), 'key', '0123456789abcdef', n, 0
    FROM generate_series(1, 5000) AS n;
INSERT INTO webhooks (user_id, url, secret, created_at, failures)
    SELECT n, 'url', 'secret', n, 0 FROM generate_series(1, 5000) AS n;
INSERT INTO mutes (user_id, muted_id)
    SELECT 1 + n % 5000, 1 + (n * 7) % 4999 FROM generate_series(1, 15000) AS n
    ON CONFLICT DO NOTHING;
INSERT INTO blocks (user_id, blocked_id) SELECT * FROM mutes;
INSERT INTO ratings (pool, user_name, rank_key, rating, deviation, volatility, games, wins, draws,
        losses, bot)
    SELECT pool, 'user' || n, n / 3, 1, 1, 1, 1, 1, 0, 0, n % 2 = 0
    FROM generate_series(1, 5000) AS n, unnest(ARRAY['adamas/2', 'adamas/3', 'diam/2']) AS pool;
INSERT INTO tallies (rules, players, opponents, aspect, value, games, first, second, third, draws)
    SELECT 'adamas', 2, 'all', aspect, n::text, n % 7, 0, 0, 0, 0 FROM generate_series(1, 2000) AS n,
        unnest(ARRAY['result', 'reason', 'length', 'opening_1', 'opening_2', 'opening_3']) AS aspect;
INSERT INTO talk (game, room, n, at, said_by, author, req, text)
    SELECT 'g' || n % 50, 'players', n / 50, n, 'ann', 'ann', n::text, 'line'
    FROM generate_series(1, 20000) AS n;
INSERT INTO offers (id, kind, maker, guest, terms, version, expires_at, game, entry)
    SELECT 'c' || n, 'challenge', 'user' || n, false, '', 0, n, CASE WHEN n % 10 > 0 THEN 'g' END,
        '{}'
    FROM generate_series(1, 2000) AS n;
INSERT INTO offer_users (user_name, offer)
    SELECT 'user' || n % 50, 'c' || n FROM generate_series(1, 2000) AS n;
INSERT INTO download_files (file, games, bytes, chain, last_game)
    SELECT 'f' || n, 200, 2000, sha256(''), 'g200' FROM generate_series(1, 50) AS n;
INSERT INTO download_games (game, seq, line_start, line_end)
    SELECT 'g' || n, 1, '', '' FROM generate_series(1, 200) AS n;
INSERT INTO download_lines (file, line, start, length, chain, game)
    SELECT 'f' || file, n, 10 * n - 10, 10, sha256(''), 'g' || n
    FROM generate_series(1, 50) AS file, generate_series(1, 200) AS n;
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

/// Logs the plan of each statement of new connections, and makes the planner take any index.
const EXPLAIN: &str = "
    SET session_preload_libraries = 'auto_explain';
    SET auto_explain.log_min_duration = 0;
    SET enable_seqscan = off";

/// Opens a database as a task of the operator does: on a busy machine a statement may take longer
/// than a node waits, and so may the start.
async fn open(url: &str) -> Postgres {
    let deadline = Instant::now() + Duration::from_secs(100);
    loop {
        let (url, node) = (PostgresUrl::parse(url).unwrap(), "one".to_owned());
        let options = PostgresOptions { url, node, is_unreplicated: true, metrics: Arc::default() };
        match Postgres::open_for_task(options, true).await {
            Ok(store) => return store,
            Err(error) => assert!(Instant::now() < deadline, "{error}"),
        }
    }
}

#[tokio::test]
async fn every_list_read_and_change_of_a_game_follows_an_index() {
    let cluster = own_cluster(0);
    let (server, database) = (cluster.primary(), cluster.create_database());
    let url = cluster.url(&database);
    drop(open(&url).await);
    server.sql(&database, FILL);
    for setting in EXPLAIN.split(';') {
        server.sql("postgres", &format!("ALTER DATABASE {database} {}", setting.trim()));
    }
    let before = fs::read_to_string(server.log()).unwrap().len();
    let store = open(&url).await;
    play_and_list(store.clone()).await;
    read_all(store).await;
    let log = fs::read_to_string(server.log()).unwrap().split_off(before);
    let looks = |plan: &&str| plan.contains(" FROM ") || plan.contains(" WHERE ");
    let plans: Vec<&str> = log.split("Query Text: ").skip(1).filter(looks).collect();
    let of_games = |plan: &&&str| ["games", "game_users"].iter().any(|name| plan.contains(name));
    assert!(plans.len() > 70 && plans.iter().filter(of_games).count() > 40, "{plans:?}");
    for plan in &plans {
        // The table of the cluster has one row.
        let scans = plan.replace("Seq Scan on cluster", "");
        assert!(plan.contains("pg_") || !scans.contains("Seq Scan"), "{plan}");
        assert!(!of_games(&plan) || plan.contains("Index"), "{plan}");
        // A page is read in the order of an index. Only those of several kinds are merged.
        let is_page = plan.contains("LIMIT $") && !plan.contains("AS kind");
        assert!(!is_page || !plan.contains("Sort Key"), "{plan}");
    }
}

async fn read_all(store: Postgres) {
    let store = Store::from(store);
    let name = |text: &str| text.parse().unwrap();
    let validity = Validity { now_ms: 1, used_since: 0 };
    store.find_user(name("user7")).await.unwrap().unwrap();
    store.find_lookalike(name("user7")).await.unwrap().unwrap();
    assert!(!store.bots_of(UserId(1)).await.unwrap().is_empty());
    store.settings(name("user7")).await.unwrap();
    store.session_seed(name("user7")).await.unwrap();
    store.open_token([0; 32], validity).await.unwrap();
    store.has_token([0; 32], validity).await.unwrap();
    assert!(!store.tokens_under(UserId(1), validity).await.unwrap().is_empty());
    store.is_guest_program(UserId(1)).await.unwrap();
    store.subscriptions(name("user7")).await.unwrap();
    store.webhook(name("user7")).await.unwrap().unwrap();
    for relation in [Relation::Mutes, Relation::Blocks] {
        assert!(!store.related(relation, name("user7")).await.unwrap().is_empty());
    }
    store.blocks_around(name("user7")).await.unwrap();
    let pool = Pool { rules: "adamas".into(), players: 2 };
    for bot in [None, Some(true), Some(false)] {
        let filter = StandingsFilter { pool: pool.clone(), bot };
        let first = store.standings(filter.clone(), None, 20).await.unwrap();
        let after: StandingsKey = first.last().unwrap().key.clone();
        assert!(
            (20..=21).contains(&store.standings(filter, Some(after), 20).await.unwrap()[0].place)
        );
    }
    let group = TallyGroup { rules: "adamas".into(), players: 2, opponents: None };
    assert_eq!(store.tallies(group, |_| 20).await.unwrap().len(), 6 * 20);
    assert_eq!(store.download_files().await.unwrap().len(), 50);
    for games in [None, Some(7)] {
        store.download_head("f7".to_owned(), games).await.unwrap().unwrap();
    }
    let lines = store.download_lines("f7".to_owned(), 55, 3).await.unwrap();
    assert_eq!(lines.iter().map(|line| line.offset).collect::<Vec<_>>(), [50, 60, 70]);
    store.ratings(pool, vec![name("user7"), name("user8")]).await.unwrap();
    assert_eq!(store.user_summary(name("user7")).await.unwrap().unwrap().standings.len(), 3);
    let lines = store.talk("g7".parse().unwrap(), TalkRoom::Players, u64::MAX, 20).await.unwrap();
    assert_eq!(lines.len(), 20);
    let lines = RecentLines { since: 19_900, deleted_since: 19_000, limit: 20 };
    assert_eq!(store.recent_talk(lines).await.unwrap().len(), 20);

    // What is listed here is unreadable, and its plans are the same.
    assert_eq!(store.open_offers().await.unwrap(), []);
    let id = OfferId::Challenge("c7".parse().unwrap());
    assert!(store.find_offer(id).await.is_err());
    assert_eq!(store.rematch_of("g7".parse().unwrap()).await.unwrap(), None);
}

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
