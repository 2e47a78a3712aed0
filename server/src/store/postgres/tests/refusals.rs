//! The server says why it does not use a database.

use postgres_fixture::{Cluster, PASSWORD, USER};

use super::fixture::{open, own_cluster};
use crate::store::postgres::PostgresError;

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
    let test = super::TestDatabase::open().await;
    test.sql("UPDATE cluster SET schema = 100, min_reader = 99");
    let error = refusal(&test.cluster.url(&test.name)).await;
    assert!(matches!(error, PostgresError::Newer { found: 100, min_reader: 99, .. }), "{error}");
    test.sql("UPDATE cluster SET min_reader = 1");
    test.another_node().await;
}
