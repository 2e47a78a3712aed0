//! The rows of nodes: joining, heartbeats, leaving.

use std::collections::BTreeSet;

use futures::{FutureExt as _, future::BoxFuture};

use super::{
    failure::Failure,
    transaction::Transaction,
    values::{from_sql, parse},
};
use crate::{
    cluster::NodeId,
    limits::{POSTGRES_LEASE_MS, POSTGRES_NODE_GONE_MS, POSTGRES_OUTAGE_MS, POSTGRES_OUTAGES_MAX},
    store::Outage,
};

/// The version of the records that this server writes. A kind of record that older servers cannot
/// read raises it.
const RECORDS_VERSION: i32 = 1;

/// One node joins after the other: "nodes" in ASCII.
const LOCK: &str = "SELECT pg_advisory_xact_lock(474148270451)";

const NOW: &str = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/// Another node's row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NodeRow {
    pub(super) node: NodeId,
    pub(super) epoch: i64,
    /// The last heartbeat, by the database's clock.
    pub(super) beat_at: i64,
}

/// Returns the rows of nodes that may live: those with a recent heartbeat.
pub(super) fn recent<'a>(
    transaction: &'a Transaction,
    (): &'a (),
) -> BoxFuture<'a, Result<Vec<NodeRow>, Failure>> {
    async move {
        let select = format!(
            "SELECT node, epoch, beat_at FROM nodes WHERE beat_at > {NOW} - $1 ORDER BY node"
        );
        // Twice the time, because a heartbeat may wait for a fail-over.
        let rows = transaction.query(&select, &[&(2 * POSTGRES_NODE_GONE_MS)]).await?;
        let row = |row: &tokio_postgres::Row| {
            Ok(NodeRow { node: parse(row, 0)?, epoch: row.try_get(1)?, beat_at: row.try_get(2)? })
        };
        rows.iter().map(row).collect()
    }
    .boxed()
}

/// Returns an epoch for a new run: later than all before it, and not that of another node which
/// starts under the same name.
pub(super) fn next_epoch<'a>(
    transaction: &'a Transaction,
    (): &'a (),
) -> BoxFuture<'a, Result<i64, Failure>> {
    async move {
        let select = format!("SELECT {NOW} * 1000 + floor(random() * 1000)::bigint");
        Ok(transaction.query_one(&select, &[]).await?.try_get(0)?)
    }
    .boxed()
}

/// What a node needs in order to join.
#[derive(Debug)]
pub(super) struct Joining {
    pub(super) node: NodeId,
    /// Rows that have not changed for a while, so that their nodes have gone.
    pub(super) gone: Vec<NodeRow>,
    /// The new epoch, from [`next_epoch`].
    pub(super) epoch: i64,
}

/// Adds or takes over the node's row. Returns its epoch, or a row whose node lives.
pub(super) fn join<'a>(
    transaction: &'a Transaction,
    joining: &'a Joining,
) -> BoxFuture<'a, Result<Result<i64, NodeRow>, Failure>> {
    async move {
        transaction.query(LOCK, &[]).await?;
        let alive = recent(transaction, &()).await?;
        // An earlier try of this transaction has been committed.
        let own = |row: &NodeRow| row.node == joining.node && row.epoch == joining.epoch;
        if alive.iter().any(own) {
            return Ok(Ok(joining.epoch));
        }
        if let Some(other) = alive.into_iter().find(|row| !joining.gone.contains(row)) {
            return Ok(Err(other));
        }
        let write = format!(
            "INSERT INTO nodes (node, epoch, beat_at, records_version, draining)
             VALUES ($1, $2, {NOW}, $3, false)
             ON CONFLICT (node) DO UPDATE SET epoch = excluded.epoch, beat_at = excluded.beat_at,
                 records_version = excluded.records_version, draining = false"
        );
        let node = joining.node.as_str();
        transaction.execute(&write, &[&node, &joining.epoch, &RECORDS_VERSION]).await?;
        Ok(Ok(joining.epoch))
    }
    .boxed()
}

/// A heartbeat of a node.
#[derive(Debug)]
pub(super) struct Beat {
    pub(super) node: NodeId,
    pub(super) epoch: i64,
    /// The outages until then are known.
    pub(super) known_until: i64,
    /// The work that the node offers to do, in order.
    pub(super) offered: Vec<&'static str>,
}

/// What a heartbeat finds.
#[derive(Debug)]
pub(super) struct BeatAnswer {
    /// Whether the row still has the node's epoch.
    pub(super) is_own: bool,
    /// The database's clock, in epoch milliseconds.
    pub(super) now: i64,
    /// The outages that were not known, the latest last.
    pub(super) outages: Vec<Outage>,
    /// The other nodes that live.
    pub(super) others: Vec<NodeId>,
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
        let own = format!("UPDATE nodes SET beat_at = {NOW} WHERE node = $1 AND epoch = $2");
        let is_own = transaction.execute(&own, &[&beat.node.as_str(), &beat.epoch]).await? == 1;
        let others = format!(
            "SELECT node FROM nodes WHERE node <> $1 AND beat_at > {NOW} - $2 ORDER BY node"
        );
        let others =
            transaction.query(&others, &[&beat.node.as_str(), &POSTGRES_NODE_GONE_MS]).await?;
        let others = others.iter().map(|row| parse(row, 0)).collect::<Result<_, _>>()?;
        let alive = transaction.query_one("SELECT alive_at FROM cluster FOR UPDATE", &[]).await?;
        let alive_at: i64 = alive.try_get(0)?;
        let now = transaction.query_one(&format!("SELECT {NOW}"), &[]).await?.try_get(0)?;
        if alive_at > 0 && now - alive_at > POSTGRES_OUTAGE_MS {
            let insert = "INSERT INTO outages (until_at, from_at) VALUES ($1, $2)
                          ON CONFLICT DO NOTHING";
            transaction.execute(insert, &[&now, &alive_at]).await?;
        }
        let raise = "UPDATE cluster SET alive_at = greatest(alive_at, $1)";
        transaction.execute(raise, &[&now]).await?;
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
        Ok(BeatAnswer { is_own, now, outages, others, leased })
    }
    .boxed()
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

/// Deletes the node's row, and its leases.
pub(super) fn leave<'a>(
    transaction: &'a Transaction,
    beat: &'a Beat,
) -> BoxFuture<'a, Result<(), Failure>> {
    async move {
        let node = beat.node.as_str();
        let delete = "DELETE FROM nodes WHERE node = $1 AND epoch = $2";
        if transaction.execute(delete, &[&node, &beat.epoch]).await? == 1 {
            transaction.execute("DELETE FROM leases WHERE node = $1", &[&node]).await?;
        }
        Ok(())
    }
    .boxed()
}
