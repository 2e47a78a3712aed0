//! `config/cluster/promote` on real servers: which standby becomes the primary, and when none does.

use postgres_fixture::{Cluster, Direction, Promotion, Relay};

/// Starts three servers with an empty table.
fn start() -> Cluster {
    let cluster = Cluster::start(2);
    cluster.primary().sql("postgres", "CREATE TABLE written (n int)");
    for standby in &cluster.servers()[1..] {
        standby.wait_for_sql("postgres", "SELECT to_regclass('written') IS NOT NULL", "t");
    }
    cluster
}

fn upstream_of(cluster: &Cluster, index: usize) -> String {
    cluster.servers()[index].sql("postgres", "SELECT current_setting('primary_conninfo')")
}

/// Leaves rows on the primary that it has confirmed to no client.
fn write_alone(cluster: &Cluster) {
    let alone = "SET synchronous_commit = local; INSERT INTO written SELECT generate_series(1, 9)";
    cluster.primary().sql("postgres", alone);
}

#[test]
fn the_standby_that_has_the_confirmed_rows_is_promoted() {
    for behind in [1, 2] {
        let cluster = start();
        let relay = Relay::start(cluster.primary().port()).unwrap();
        let servers = cluster.servers();
        let (late, other) = (&servers[behind], &servers[3 - behind]);
        cluster.primary().sql("postgres", "ALTER ROLE postgres PASSWORD 'secret'");
        let (port, name) = (relay.port(), late.name());
        let upstream = format!(
            "host=127.0.0.1 port={port} user=postgres password=secret application_name={name}"
        );
        late.configure(&[("primary_conninfo", &upstream)]);
        late.reload();
        let sender = "SELECT sender_port FROM pg_stat_wal_receiver WHERE status = 'streaming'";
        late.wait_for_sql("postgres", sender, &port.to_string());
        relay.stall(Direction::FromTarget);
        cluster.primary().sql("postgres", "INSERT INTO written SELECT generate_series(1, 1000)");
        cluster.primary().kill();
        relay.cut();

        let Promotion { status, said } = cluster.promote();

        assert_eq!(status, Promotion::DONE, "{said}");
        assert!(!other.is_standby(), "{said}");
        assert_eq!(other.sql("postgres", "SELECT count(*) FROM written"), "1000");
        late.wait_for_sql("postgres", "SELECT count(*) FROM written", "1000");
        other.sql("postgres", "INSERT INTO written VALUES (0)");
    }
}

#[test]
fn nothing_is_promoted_while_a_standby_is_out_of_reach() {
    let cluster = start();
    let before = upstream_of(&cluster, 1);
    cluster.servers()[2].kill();
    cluster.primary().kill();

    let Promotion { status, said } = cluster.promote();
    assert_eq!(status, Promotion::REFUSED, "{said}");
    assert!(cluster.servers()[1].is_standby());
    assert_eq!(upstream_of(&cluster, 1), before, "it can go on if the primary comes back");

    cluster.servers()[2].start();
    let Promotion { status, said } = cluster.promote();
    assert_eq!(status, Promotion::DONE, "{said}");
}

#[test]
fn a_paused_primary_confirms_nothing_after_it_was_replaced() {
    let cluster = start();
    cluster.primary().pause();
    let Promotion { status, said } = cluster.promote();
    assert_eq!(status, Promotion::DONE, "{said}");

    cluster.primary().resume();
    cluster.primary().wait_for_sql("postgres", "SELECT count(*) FROM pg_stat_replication", "0");
    let Promotion { status, said } = cluster.promote();
    assert_eq!(status, Promotion::DONE, "{said}");
    assert!(said.contains("stop pg1, then pg_rewind it"), "{said}");
    assert!(!cluster.primary().is_standby(), "a person decides about it");
}

#[test]
fn standbys_that_an_interrupted_promotion_cut_off_are_attached_again() {
    let cluster = start();
    for standby in &cluster.servers()[1..] {
        standby.follow(None);
    }
    let Promotion { status, said } = cluster.promote();
    assert_eq!(status, Promotion::DONE, "{said}");
    let count = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'";
    cluster.primary().wait_for_sql("postgres", count, "2");

    // With a server out of reach that may have been promoted, only a person can tell.
    cluster.servers()[2].follow(None);
    cluster.servers()[1].kill();
    let Promotion { status, said } = cluster.promote();
    assert_eq!(status, Promotion::REFUSED, "{said}");
    assert_eq!(upstream_of(&cluster, 2), "");
}

#[test]
fn an_old_primary_with_wal_of_its_own_is_no_standby() {
    let cluster = start();
    let servers = cluster.servers();
    for standby in &servers[1..] {
        standby.follow(None);
    }
    write_alone(&cluster);
    cluster.primary().kill();
    let Promotion { status, said } = cluster.promote();
    assert_eq!(status, Promotion::DONE, "{said}");
    let primary = if servers[1].is_standby() { &servers[2] } else { &servers[1] };

    // An operator forgets pg_rewind.
    std::fs::write(servers[0].data().join("standby.signal"), "").unwrap();
    servers[0].start();
    servers[0].follow(Some(primary));
    let Promotion { status, said } = cluster.promote();
    assert_eq!(status, Promotion::INCOMPLETE, "{said}");
    assert_eq!(upstream_of(&cluster, 0), "", "{said}");

    servers[0].rewind_to(primary);
    let Promotion { status, said } = cluster.promote();
    assert_eq!(status, Promotion::DONE, "{said}");
    let count = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'";
    primary.wait_for_sql("postgres", count, "2");
    assert_eq!(servers[0].sql("postgres", "SELECT count(*) FROM written"), "0", "nine are gone");
}
