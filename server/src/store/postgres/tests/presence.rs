//! Which players are at their games, over all nodes.

use super::*;

const PATIENCE: Duration = Duration::from_secs(20);

struct LivingNode {
    node: Arc<PostgresNode>,
    beating: Beating,
    _heard: HeardEvents,
}

impl LivingNode {
    async fn start(store: &Postgres, name: &str) -> Self {
        let (node, heard) = join(store, name).await.unwrap();
        let beating = Beating::start(&node);
        Self { node, beating, _heard: heard }
    }

    fn note(&self, game: &str, user: &str, here: bool, at: u64) {
        self.node.presence().note(&name(game), &name(user), here, at);
    }

    async fn try_players(&self, game: &str) -> Result<Vec<PlayerAtGame>, StoreError> {
        let found = self.node.presence().at_games(vec![name(game)]).await;
        found.map(|mut games| games.pop().unwrap())
    }

    async fn expect(&self, game: &str, expected: &[PlayerAtGame]) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let found = self.try_players(game).await;
            if found.as_deref().is_ok_and(|found| found == expected) {
                return;
            }
            assert!(Instant::now() < deadline, "{found:?} instead of {expected:?}");
            sleep(Duration::from_millis(10)).await;
        }
    }
}

fn name<T: std::str::FromStr<Err: std::fmt::Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

fn player(user: &str, nodes: &[&str], left_at: Option<u64>) -> PlayerAtGame {
    let user: UserName = name(user);
    PlayerAtGame {
        user,
        nodes: nodes.iter().map(|node| name(node)).collect(),
        left_at,
        is_cut_off: false,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_node_sees_the_players_of_all_nodes() {
    let test = TestDatabase::open().await;
    let one = LivingNode::start(&test.store, "one").await;
    let two = LivingNode::start(&test.another_node().await, "two").await;
    one.note("g1", "ann", true, 10);
    two.note("g1", "ann", true, 11);
    two.note("g1", "Bob", true, 12);
    one.note("g2", "Bob", true, 13);
    one.note("g2", "Bob", false, 14);
    let both = [player("Bob", &["two"], None), player("ann", &["one", "two"], None)];
    one.expect("g1", &both).await;
    two.expect("g2", &[player("Bob", &[], Some(14))]).await;
    two.note("g1", "Bob", false, 15);
    one.note("g1", "ann", false, 16);
    let left = [player("Bob", &[], Some(15)), player("ann", &["two"], Some(16))];
    one.expect("g1", &left).await;
    let games: Vec<GameId> = ["none", "g2", "g1"].map(name).to_vec();
    let found = two.node.presence().at_games(games).await.unwrap();
    let expected = [vec![], vec![player("Bob", &[], Some(14))], left.to_vec()];
    assert_eq!(found, expected, "in the order of the games");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn players_of_a_dead_node_are_away_since_its_last_heartbeat() {
    let test = TestDatabase::open().await;
    let one = LivingNode::start(&test.store, "one").await;
    let second = test.another_node().await;
    let two = LivingNode::start(&second, "two").await;
    two.note("g1", "ann", true, 10);
    one.expect("g1", &[player("ann", &["two"], None)]).await;
    let LivingNode { node, beating, _heard } = two;
    beating.stop().await;
    let last = "SELECT beat_at FROM nodes WHERE node = 'two'";
    let last: u64 = test.sql(last).parse().unwrap();
    let cut_off = [PlayerAtGame { is_cut_off: true, ..player("ann", &[], Some(last)) }];
    one.expect("g1", &cut_off).await;
    drop(node);
    // The next run has no players, and the time stays.
    let again = LivingNode::start(&test.another_node().await, "two").await;
    one.expect("g1", &cut_off).await;
    again.note("g1", "ann", true, last + 1);
    one.expect("g1", &[player("ann", &["two"], None)]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn players_of_a_node_that_leaves_are_away() {
    let test = TestDatabase::open().await;
    let one = LivingNode::start(&test.store, "one").await;
    let two = LivingNode::start(&test.another_node().await, "two").await;
    two.note("g1", "ann", true, 10);
    one.expect("g1", &[player("ann", &["two"], None)]).await;
    two.beating.stop().await;
    two.node.close(1_000).await;
    let [left] = one.try_players("g1").await.unwrap().try_into().unwrap();
    let now: u64 = test.sql("SELECT alive_at FROM cluster").parse().unwrap();
    let left_at = left.left_at.unwrap();
    assert!(left.nodes.is_empty() && left_at.abs_diff(now) < 10_000, "{left:?} {now}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_question_is_answered_before_every_node_has_noted_its_players_again() {
    let test = TestDatabase::open_on(own_cluster(2)).await;
    let one = LivingNode::start(&test.store, "one").await;
    let two = LivingNode::start(&test.another_node().await, "two").await;
    one.note("g1", "ann", true, 10);
    two.note("g1", "bob", true, 11);
    let both = [player("ann", &["one"], None), player("bob", &["two"], None)];
    one.expect("g1", &both).await;
    test.cluster.primary().kill();
    let primary = &test.cluster.servers()[test.cluster.fail_over()];
    // Each answer until then is an error, and none lacks a player.
    let deadline = Instant::now() + PATIENCE;
    loop {
        match one.try_players("g1").await {
            Ok(found) => {
                assert_eq!(found, both);
                break;
            }
            Err(error) => assert!(Instant::now() < deadline, "{error}"),
        }
    }
    // As if the other node had not noted its players.
    primary.sql(&test.name, "UPDATE noted_presence SET epoch = 0 WHERE node = 'two'");
    primary.sql(&test.name, "UPDATE nodes SET epoch = epoch + 1 WHERE node = 'two'");
    let busy = one.try_players("g1").await;
    assert!(matches!(busy, Err(StoreError::Busy)), "{busy:?}");
    // That node takes a new epoch.
    one.expect("g1", &both).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_was_taken_for_dead_notes_its_players_again() {
    let test = TestDatabase::open().await;
    let one = LivingNode::start(&test.store, "one").await;
    let (two, _heard) = join(&test.another_node().await, "two").await.unwrap();
    two.presence().note(&name("g1"), &name("ann"), true, 10);
    one.expect("g1", &[player("ann", &["two"], None)]).await;
    test.sql("DELETE FROM nodes WHERE node = 'two'");
    test.sql("UPDATE at_game SET here = false, at = 20");
    one.expect("g1", &[player("ann", &[], Some(20))]).await;
    let _beating = Beating::start(&two);
    one.expect("g1", &[player("ann", &["two"], None)]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_that_are_of_no_use_are_swept() {
    let test = TestDatabase::open().await;
    test.sql(
        "INSERT INTO games (game, finished, rules, players, delay, unlisted, started_at, entry)
         SELECT game, game = 'over', 'adamas', 2, 0, false, 1, ''
         FROM unnest(ARRAY['live', 'over']) AS game",
    );
    test.sql(
        "INSERT INTO at_game (game, user_name, node, here, at)
         SELECT game, user_name, 'one', user_name = 'here', CASE user_name WHEN 'long' THEN 1
             ELSE extract(epoch FROM now()) * 1000 END
         FROM unnest(ARRAY['live', 'over', 'unknown']) AS game,
             unnest(ARRAY['here', 'left', 'long']) AS user_name",
    );
    let connection: Arc<Connection> =
        Arc::new(test.store.dialer().dial(Instant::now() + PATIENCE).await.unwrap());
    let tx = Transaction::new(connection);
    let place = sweep(&tx, &SweepPlace::default()).await.unwrap();
    assert_eq!(sweep(&tx, &place).await.unwrap(), SweepPlace::default(), "there are few rows");
    let left = "SELECT string_agg(game || ' ' || user_name, ', ' ORDER BY game, user_name)
                FROM at_game";
    assert_eq!(test.sql(left), "live here, live left, over here, unknown here");
}
