//! The servers start, replicate, fail over and end.

use postgres_fixture::Cluster;

#[test]
fn a_standby_has_what_the_primary_committed_and_takes_over() {
    let cluster = Cluster::start(2);
    let database = cluster.create_database();
    let primary = cluster.primary();
    primary.sql(&database, "CREATE TABLE t (n int); INSERT INTO t VALUES (7)");
    primary.kill();
    let promoted = &cluster.servers()[cluster.fail_over()];
    assert_eq!(promoted.sql(&database, "SELECT n FROM t"), "7");
    // A commit needs the other standby, which follows the new primary by now.
    promoted.sql(&database, "INSERT INTO t VALUES (8)");
}

#[test]
fn a_paused_server_goes_on_and_a_killed_one_starts_again() {
    let cluster = Cluster::start(0);
    let server = cluster.primary();
    server.pause();
    server.resume();
    server.kill();
    server.try_sql("postgres", "SELECT 1").unwrap_err();
    server.start();
    assert_eq!(server.sql("postgres", "SELECT 1"), "1");
}
