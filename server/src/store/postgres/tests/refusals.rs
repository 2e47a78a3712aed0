//! Why the server does not use a database, and what the errors of PostgreSQL lead to.

use super::*;

async fn refusal(url: &str) -> PostgresError {
    let error = open(url, false).await.unwrap_err();
    assert!(!error.to_string().contains(PASSWORD), "{error}");
    error
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_in_that_fails_is_named() {
    let cluster = Cluster::shared();
    let database = cluster.create_database();
    let url = cluster.url(&database);
    let wrong = refusal(&url.replace("p%40ss", "wrong")).await;
    assert!(matches!(wrong, PostgresError::LogIn { .. }), "{wrong}");
    let missing = refusal(&cluster.url("not_there")).await;
    assert!(matches!(missing, PostgresError::NoDatabase { .. }), "{missing}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_user_without_rights_is_named() {
    let cluster = Cluster::shared();
    let database = cluster.create_database();
    cluster.primary().sql("postgres", &format!("ALTER DATABASE {database} OWNER TO postgres"));
    let error = refusal(&cluster.url(&database)).await;
    assert!(matches!(error, PostgresError::NoRights { ref user, .. } if user == USER), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_in_another_encoding_is_refused() {
    let cluster = Cluster::shared();
    let create = "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'";
    cluster.primary().sql("postgres", &format!("{create} OWNER {USER}"));
    let error = refusal(&cluster.url("latin")).await;
    assert!(matches!(error, PostgresError::Encoding { .. }), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_could_lose_moves_is_refused() {
    let cluster = own_cluster(0);
    let (server, database) = (cluster.primary(), cluster.create_database());
    let url = cluster.url(&database);
    let error = refusal(&url).await;
    assert!(matches!(error, PostgresError::NotReplicated { .. }), "{error}");
    open(&url, true).await.unwrap();
    for setting in ["fsync", "full_page_writes"] {
        server.configure(&[(setting, "off")]);
        server.reload();
        server.wait_for_sql("postgres", &format!("SHOW {setting}"), "off");
        let error = open(&url, true).await.unwrap_err();
        assert!(error.to_string().contains(setting), "{error}");
        server.configure(&[(setting, "on")]);
    }
    server.kill();
    let error = refusal(&url).await;
    assert!(matches!(error, PostgresError::Unreachable { .. }), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn a_standby_that_could_not_take_over_is_noticed_before() {
    let cluster = own_cluster(1);
    let (standby, database) = (&cluster.servers()[1], cluster.create_database());
    let store = open(&cluster.url(&database), false).await.unwrap();
    let configure = |setting: &str, value: &str| {
        standby.configure(&[(setting, value)]);
        standby.reload();
        standby.wait_for_sql("postgres", &format!("SHOW {setting}"), value);
    };
    for setting in ["fsync", "full_page_writes"] {
        store.dialer().look_at_standbys().await;
        assert!(store.dialer().unfit().is_empty(), "the standby is fit");
        configure(setting, "off");
        store.dialer().look_at_standbys().await;
        assert_eq!(store.dialer().unfit(), [1], "{setting}");
        configure(setting, "on");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_newer_schema_is_refused() {
    let test = TestDatabase::open().await;
    test.sql("UPDATE cluster SET schema = 100, min_reader = 99");
    let error = refusal(&test.cluster.url(&test.name)).await;
    assert!(matches!(error, PostgresError::Newer { found: 100, min_reader: 99, .. }), "{error}");
    test.sql("UPDATE cluster SET min_reader = 1");
    test.another_node().await;
}

const DEADLOCK: &str = "40P01";
const NOT_SERIALIZABLE: &str = "40001";
const DISK_FULL: &str = "53100";
const SHUTDOWN: &str = "57P01";

/// Makes the next statements that insert into a table fail, each with its code.
fn raise(test: &TestDatabase, table: &str, codes: &[&str]) {
    let codes = codes.join("', '");
    // A sequence counts statements that are rolled back, too.
    test.sql(&format!(
        "CREATE SEQUENCE raised;
         CREATE FUNCTION raise() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
         DECLARE code text := (ARRAY['{codes}'])[nextval('raised')::integer];
         BEGIN
             IF code IS NOT NULL THEN RAISE EXCEPTION 'the test says so' USING ERRCODE = code; END IF;
             RETURN NULL;
         END $$;
         CREATE TRIGGER raises BEFORE INSERT ON {table}
             FOR EACH STATEMENT EXECUTE FUNCTION raise()"
    ));
}

fn statements(test: &TestDatabase) -> u64 {
    test.sql("SELECT last_value FROM raised").parse().unwrap()
}

async fn append_move(test: &TestDatabase) -> AppendOutcome {
    test.store.append(vec![append("g1", 2, &["moved"])]).await.pop().unwrap()
}

async fn game_on(test: &TestDatabase, codes: &[&str]) {
    test.store.begin(begin("g1")).await.unwrap();
    raise(test, "journal", codes);
}

fn records(test: &TestDatabase) -> u64 {
    test.sql("SELECT sum(events) FROM journal WHERE game = 'g1'").parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_append_that_deadlocks_is_sent_again() {
    let test = TestDatabase::open().await;
    game_on(&test, &[DEADLOCK, NOT_SERIALIZABLE]).await;
    append_move(&test).await.unwrap();
    assert_eq!((statements(&test), records(&test)), (3, 3));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_refuses_an_append_and_the_next_one_may_succeed() {
    let test = TestDatabase::open().await;
    game_on(&test, &[DISK_FULL]).await;
    let refused = append_move(&test).await;
    assert!(matches!(refused, Err(AppendError::Store(StoreError::ReadOnly))), "{refused:?}");
    assert_eq!((statements(&test), records(&test)), (1, 2), "it is not sent again");
    append_move(&test).await.unwrap();
    assert_eq!(records(&test), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_lost_connection_a_full_disk_says_nothing_of_the_earlier_try() {
    let test = TestDatabase::open().await;
    game_on(&test, &[SHUTDOWN, DISK_FULL]).await;
    let unknown = append_move(&test).await;
    assert!(matches!(unknown, Err(AppendError::Store(StoreError::Failed(_)))), "{unknown:?}");
    assert_eq!(statements(&test), 2);
}

fn ann() -> NewUser {
    NewUser { name: "ann".parse().unwrap(), kind: NewUserKind::Guest, created_at: 1 }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_transaction_is_repeated_unless_the_disk_is_full() {
    let test = TestDatabase::open().await;
    raise(&test, "users", &[DEADLOCK, SHUTDOWN, NOT_SERIALIZABLE, DISK_FULL]);
    let refused = Store::from(test.store.clone()).create_user(ann(), None).await.unwrap_err();
    assert!(matches!(refused, StoreError::ReadOnly), "{refused}");
    assert_eq!(statements(&test), 4);
    let created = Store::from(test.store.clone()).create_user(ann(), None).boxed().await.unwrap();
    assert!(matches!(created, CreateUserOutcome::Created(_)), "{created:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_says_nothing_of_a_commit_whose_answer_was_lost() {
    let test = TestDatabase::open().await;
    raise(&test, "carried_out", &[SHUTDOWN, DISK_FULL]);
    let failed = Store::from(test.store.clone()).create_user(ann(), None).await.unwrap_err();
    assert!(matches!(failed, StoreError::Failed(_)), "the try before is unknown: {failed}");
    assert_eq!(statements(&test), 2);
}
