//! The rows of nodes: joining, heartbeats, leaving.

use std::collections::{BTreeMap, BTreeSet};

use futures::{FutureExt as _, future::BoxFuture};

use super::{
    cluster_clock::{CountedTime, NOW_MS as NOW, ReadTime, count_time},
    failure::Failure,
    living_nodes::lives,
    presence_rows::{forget_noted, mark_away},
    transaction::Transaction,
    values::{from_sql, parse},
};
use crate::{
    cluster::NodeId,
    limits::{
        POSTGRES_LEASE_MS, POSTGRES_NODE_GONE_MS, POSTGRES_OUTAGE_MS, POSTGRES_OUTAGES_MAX,
        POSTGRES_STALL_MS,
    },
    store::Outage,
};

/// The newest version of records that this server can read. A kind of record that older servers
/// cannot read raises it. No server writes a version beyond `cluster.records_version`.
pub(super) const RECORDS_VERSION: i32 = 1;

/// One node joins after the other: "nodes" in ASCII.
pub(super) const LOCK: &str = "SELECT pg_advisory_xact_lock(474148270451)";

/// A run of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NodeRun {
    pub(super) epoch: i64,
    /// The last heartbeat, by the database's clock.
    pub(super) beat_at: i64,
    /// Whether the heartbeat is so recent that the run may go on.
    pub(super) is_recent: bool,
}

/// Returns the last run under this name that has not left.
pub(super) fn last_run<'a>(
    transaction: &'a Transaction,
    node: &'a NodeId,
) -> BoxFuture<'a, Result<Option<NodeRun>, Failure>> {
    async move {
        let select =
            format!("SELECT epoch, beat_at, beat_at > {NOW} - $2 FROM nodes WHERE node = $1");
        // Twice the time, because a heartbeat may wait for a fail-over.
        let recent = 2 * POSTGRES_NODE_GONE_MS;
        let row = transaction.query_opt(&select, &[&node.as_str(), &recent]).await?;
        let run = |row: tokio_postgres::Row| {
            let (epoch, beat_at) = (row.try_get(0)?, row.try_get(1)?);
            Ok(NodeRun { epoch, beat_at, is_recent: row.try_get(2)? })
        };
        row.map(run).transpose()
    }
    .boxed()
}

/// Returns a node that has used the database a moment ago.
pub(super) async fn in_use(transaction: &Transaction) -> Result<Option<String>, Failure> {
    let select = format!("SELECT node FROM nodes WHERE beat_at > {NOW} - $1 LIMIT 1");
    let found = transaction.query_opt(&select, &[&POSTGRES_LEASE_MS]).await?;
    Ok(found.map(|row| row.try_get(0)).transpose()?)
}

/// Returns an epoch for a new run: later than all before it, and not that of another node which
/// starts under the same name.
pub(super) fn next_epoch<'a>(
    transaction: &'a Transaction,
    (): &'a (),
) -> BoxFuture<'a, Result<i64, Failure>> {
    async move {
        // The clock of a new primary may be behind that of the one before.
        let select = format!(
            "SELECT greatest({NOW} * 1000, (SELECT max(epoch) FROM nodes))
                + 1 + floor(random() * 1000)::bigint"
        );
        Ok(transaction.query_one(&select, &[]).await?.try_get(0)?)
    }
    .boxed()
}

/// What a node needs in order to join.
#[derive(Debug)]
pub(super) struct Joining {
    pub(super) node: NodeId,
    /// A run whose row has not changed for a while, so that it is over.
    pub(super) over: Option<NodeRun>,
    /// The new epoch, from [`next_epoch`].
    pub(super) epoch: i64,
}

/// The outcome of joining.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JoinOutcome {
    /// The row is the node's. The time of the nodes is as stated.
    Joined(ReadTime),
    /// Another process of this name lives.
    NameInUse,
    /// The journal may have records of this version, which this server cannot read.
    NewerRecords(i32),
}

/// Adds or takes over the node's row, if no other process of this name lives and the node can read
/// all records. The players at games on the last run are away since its last heartbeat.
pub(super) fn join<'a>(
    transaction: &'a Transaction,
    joining: &'a Joining,
) -> BoxFuture<'a, Result<JoinOutcome, Failure>> {
    async move {
        transaction.query(LOCK, &[]).await?;
        // A heartbeat that would raise the version waits, and then finds this node.
        let written = "SELECT records_version FROM cluster FOR UPDATE";
        let written: i32 = transaction.query_one(written, &[]).await?.try_get(0)?;
        if written > RECORDS_VERSION {
            return Ok(JoinOutcome::NewerRecords(written));
        }
        let time = count_time(transaction, None).await?.now;
        if let Some(last) = last_run(transaction, &joining.node).await? {
            if last.epoch == joining.epoch {
                // An earlier try of this transaction has been committed.
                return Ok(JoinOutcome::Joined(time));
            }
            let is_over = |over: &NodeRun| (over.epoch, over.beat_at) == (last.epoch, last.beat_at);
            if last.is_recent && !joining.over.as_ref().is_some_and(is_over) {
                return Ok(JoinOutcome::NameInUse);
            }
            mark_away(transaction, joining.node, Some(last.beat_at)).await?;
        }
        let write =
            "INSERT INTO nodes (node, epoch, beat_at, records_version) VALUES ($1, $2, $4, $3)
             ON CONFLICT (node) DO UPDATE SET epoch = excluded.epoch, beat_at = excluded.beat_at,
                 records_version = excluded.records_version";
        let node = joining.node.as_str();
        let values = [&node as _, &joining.epoch as _, &RECORDS_VERSION as _, &time.ms as _];
        transaction.execute(write, &values).await?;
        Ok(JoinOutcome::Joined(time))
    }
    .boxed()
}

/// A heartbeat of a node.
#[derive(Debug)]
pub(super) struct Beat {
    pub(super) node: NodeId,
    pub(super) epoch: i64,
    /// The time as of the last heartbeat, or when the node joined.
    pub(super) last: Option<ReadTime>,
    /// The outages until then are known.
    pub(super) known_until: i64,
    /// Whether the node has just started: if no other node lives, no node has served games since
    /// the last heartbeat, however short that time is.
    pub(super) is_first: bool,
    /// The work that the node offers to do, in order.
    pub(super) offered: Vec<&'static str>,
}

/// The life of another node, as its row says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NodeLife {
    pub(super) epoch: i64,
    /// The last heartbeat, by the time of the nodes.
    pub(super) beat_at: i64,
    pub(super) lives: bool,
}

impl NodeLife {
    /// Returns the last heartbeat of this run, given what the row says after its end: another run
    /// may have followed.
    pub(super) fn died_at(self, now: &Self) -> u64 {
        from_sql(if now.epoch == self.epoch { now.beat_at } else { self.beat_at })
    }
}

/// What a heartbeat finds.
#[derive(Debug)]
pub(super) struct BeatAnswer {
    /// Whether the row still has the node's epoch.
    pub(super) is_own: bool,
    /// The time of the nodes.
    pub(super) time: ReadTime,
    /// The outages that were not known, the latest last.
    pub(super) outages: Vec<Outage>,
    /// The other nodes that have not left, dead ones included.
    pub(super) nodes: BTreeMap<NodeId, NodeLife>,
    /// The work that the node has for itself now.
    pub(super) leased: BTreeSet<String>,
}

/// Stores a heartbeat. The first node that can commit again after an outage finds it, because the
/// row that all nodes raise is locked until the commit.
pub(super) fn beat<'a>(
    transaction: &'a Transaction,
    beat: &'a Beat,
) -> BoxFuture<'a, Result<BeatAnswer, Failure>> {
    async move {
        let CountedTime { alive_at, now: time } = count_time(transaction, beat.last).await?;
        let now = time.ms;
        let is_alone = beat.is_first
            && other_nodes(transaction, beat.node).await?.values().all(|node| !node.lives);
        let tolerated = if is_alone { 0 } else { POSTGRES_OUTAGE_MS };
        if alive_at > 0 && now - alive_at > tolerated {
            let insert = "INSERT INTO outages (until_at, from_at) VALUES ($1, $2)
                          ON CONFLICT DO NOTHING";
            transaction.execute(insert, &[&now, &alive_at]).await?;
        }
        let raise = if alive_at > 0 && now - alive_at > POSTGRES_STALL_MS {
            "UPDATE cluster SET alive_at = $1, stalled_at = alive_at, resumed_at = $1"
        } else {
            "UPDATE cluster SET alive_at = greatest(alive_at, $1)"
        };
        transaction.execute(raise, &[&now]).await?;
        let own = "UPDATE nodes SET beat_at = $3 WHERE node = $1 AND epoch = $2";
        let is_own =
            transaction.execute(own, &[&beat.node.as_str(), &beat.epoch, &now]).await? == 1;
        let nodes = other_nodes(transaction, beat.node).await?;
        transaction.execute(&raise_records_version(), &[]).await?;
        let select = "SELECT from_at, until_at FROM outages WHERE until_at > $1
                      ORDER BY until_at DESC LIMIT $2";
        let outages =
            transaction.query(select, &[&beat.known_until, &POSTGRES_OUTAGES_MAX]).await?;
        let outage = |row: &tokio_postgres::Row| {
            Ok(Outage { from: from_sql(row.try_get(0)?), until: from_sql(row.try_get(1)?) })
        };
        let outages = outages.iter().rev().map(outage).collect::<Result<_, Failure>>()?;
        let offers = !beat.offered.is_empty() && is_own;
        let leased = if offers { lease(transaction, beat, now).await? } else { BTreeSet::new() };
        Ok(BeatAnswer { is_own, time, outages, nodes, leased })
    }
    .boxed()
}

/// Allows the records that all living nodes can read.
fn raise_records_version() -> String {
    format!(
        "UPDATE cluster SET records_version = readable.version
         FROM (SELECT min(nodes.records_version) AS version FROM nodes, cluster WHERE {}) AS readable
         WHERE cluster.records_version < readable.version",
        lives()
    )
}

async fn other_nodes(
    transaction: &Transaction,
    node: NodeId,
) -> Result<BTreeMap<NodeId, NodeLife>, Failure> {
    let select = format!(
        "SELECT node, epoch, beat_at, coalesce({}, false) FROM nodes, cluster WHERE node <> $1",
        lives()
    );
    let rows = transaction.query(&select, &[&node.as_str()]).await?;
    let life = |row: &tokio_postgres::Row| {
        let (epoch, beat_at, lives) = (row.try_get(1)?, row.try_get(2)?, row.try_get(3)?);
        Ok((parse(row, 0)?, NodeLife { epoch, beat_at, lives }))
    };
    rows.iter().map(life).collect()
}

/// Renews the node's leases, and takes those that have run out.
async fn lease(
    transaction: &Transaction,
    beat: &Beat,
    now: i64,
) -> Result<BTreeSet<String>, Failure> {
    let take = "INSERT INTO leases (what, node, until)
                SELECT what, $2, $4 FROM unnest($1::text[]) AS offered (what) ORDER BY what
                ON CONFLICT (what) DO UPDATE SET node = excluded.node, until = excluded.until
                WHERE leases.node = excluded.node OR leases.until < $3 RETURNING what";
    let (node, until) = (beat.node.as_str(), now + POSTGRES_LEASE_MS);
    let rows = transaction.query(take, &[&beat.offered, &node, &now, &until]).await?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

/// Deletes the node's row and its leases. The players at games on it are away from now on.
pub(super) fn leave<'a>(
    transaction: &'a Transaction,
    beat: &'a Beat,
) -> BoxFuture<'a, Result<(), Failure>> {
    async move {
        let node = beat.node.as_str();
        let delete = "DELETE FROM nodes WHERE node = $1 AND epoch = $2";
        if transaction.execute(delete, &[&node, &beat.epoch]).await? == 1 {
            transaction.execute("DELETE FROM leases WHERE node = $1", &[&node]).await?;
            mark_away(transaction, beat.node, None).await?;
            forget_noted(transaction, beat.node).await?;
        }
        Ok(())
    }
    .boxed()
}
