//! A node on the database: it joins the others, sends heartbeats and leaves.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use futures::{FutureExt as _, future::BoxFuture};
use parking_lot::Mutex;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::{
    NodeKeys,
    announcements::Announcer,
    clock::{ClockSamples, JOIN_LOCK, NOW_MS as NOW, ReadTime, count_time, lives, living},
    connection::{Transaction, from_sql, parse},
    errors::{Failure, PostgresError},
    listener::{HeardQueue, listen},
    migration::Versions,
    pool::{ConnectionPool, forget},
    postgres::Postgres,
    presence::{PostgresPresence, mark_away},
};
use crate::{
    cluster::{Cluster, GoneNode, Heard, HeardEvents, NodeId},
    limits::{
        POSTGRES_BEAT_EVERY, POSTGRES_CLOSE_MAX, POSTGRES_FORGET_AT_ONCE, POSTGRES_FORGET_EVERY,
        POSTGRES_HEALTHY, POSTGRES_LEASE_MS, POSTGRES_NODE_GONE_MS, POSTGRES_NODE_WATCH,
        POSTGRES_OUTAGE_MS, POSTGRES_OUTAGES_MAX, POSTGRES_SIZE_EVERY, POSTGRES_STALL_MS,
    },
    runtime::{metrics::StoreSize, time::TimeSource},
    store::{
        Backend, Heartbeat, Outage, SharedPresence, StoreError,
        sql::{Sql, SqlError, SqlResult},
    },
};

/// The newest version of records that this server can read. A kind of record that older servers
/// cannot read raises it. No server writes a version beyond `cluster.records_version`.
pub(super) const RECORDS_VERSION: i32 = 1;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NodeRun {
    pub(super) epoch: i64,
    /// The last heartbeat, by the database's clock.
    pub(super) beat_at: i64,
    /// Whether the heartbeat is so recent that the run may go on.
    pub(super) is_recent: bool,
}

async fn last_run(transaction: &Transaction, node: NodeId) -> Result<Option<NodeRun>, Failure> {
    let select = format!("SELECT epoch, beat_at, beat_at > {NOW} - $2 FROM nodes WHERE node = $1");
    // Twice the time, because a heartbeat may wait for a fail-over.
    let recent = 2 * POSTGRES_NODE_GONE_MS;
    let row = transaction.query_opt(&select, &[&node.as_str(), &recent]).await?;
    let run = |row: tokio_postgres::Row| {
        let (epoch, beat_at) = (row.try_get(0)?, row.try_get(1)?);
        Ok(NodeRun { epoch, beat_at, is_recent: row.try_get(2)? })
    };
    row.map(run).transpose()
}

pub(super) async fn in_use(transaction: &Transaction) -> Result<Option<String>, Failure> {
    let found = transaction.query_opt(&living(), &[&POSTGRES_LEASE_MS]).await?;
    Ok(found.map(|row| row.try_get(0)).transpose()?)
}

/// Returns an epoch for a new run: later than all before it, and not that of another node which
/// starts under the same name.
async fn next_epoch(transaction: &Transaction) -> Result<i64, Failure> {
    // The clock of a new primary may be behind that of the one before.
    let select = format!(
        "SELECT greatest({NOW} * 1000, (SELECT max(epoch) FROM nodes))
            + 1 + floor(random() * 1000)::bigint"
    );
    Ok(transaction.query_one(&select, &[]).await?.try_get(0)?)
}

/// Adds or takes over the node's row, if no other process of this name lives and the node can read
/// all records. The players at games on the last run are away since its last heartbeat. `over` is a
/// run whose row has not changed for a while, so that it is over.
async fn add_node(
    transaction: &Transaction,
    node: NodeId,
    over: Option<&NodeRun>,
    epoch: i64,
) -> Result<Result<ReadTime, PostgresError>, Failure> {
    transaction.query(JOIN_LOCK, &[]).await?;
    // A heartbeat that would raise the version waits, and then finds this node.
    let written = "SELECT records_version, schema, min_reader FROM cluster FOR UPDATE";
    let row = transaction.query_one(written, &[]).await?;
    let (schema, min_reader, known) =
        (row.try_get(1)?, row.try_get(2)?, Versions::known().newest());
    if min_reader > known {
        // Another node has migrated the tables since this one looked at them.
        return Ok(Err(PostgresError::Newer { found: schema, min_reader, known }));
    }
    let found: i32 = row.try_get(0)?;
    if found > RECORDS_VERSION {
        return Ok(Err(PostgresError::NewerRecords { found, known: RECORDS_VERSION }));
    }
    let (_, time) = count_time(transaction, None).await?;
    if let Some(last) = last_run(transaction, node).await? {
        let is_over = |over: &NodeRun| (over.epoch, over.beat_at) == (last.epoch, last.beat_at);
        if last.is_recent && !over.is_some_and(is_over) {
            return Ok(Err(PostgresError::NodeLives { node: node.to_string() }));
        }
        mark_away(transaction, node, Some(last.beat_at)).await?;
    }
    let write = "INSERT INTO nodes (node, epoch, beat_at, records_version) VALUES ($1, $2, $4, $3)
         ON CONFLICT (node) DO UPDATE SET epoch = excluded.epoch, beat_at = excluded.beat_at,
             records_version = excluded.records_version";
    let values = [&node.as_str() as _, &epoch as _, &RECORDS_VERSION as _, &time.ms as _];
    transaction.execute(write, &values).await?;
    Ok(Ok(time))
}

#[derive(Debug)]
pub(super) struct Beat {
    pub(super) node: NodeId,
    pub(super) epoch: i64,
    pub(super) last: Option<ReadTime>,
    pub(super) known_until: i64,
    /// Whether the node has just started: if no other node lives, no node has served games since
    /// the last heartbeat, however short that time is.
    pub(super) is_first: bool,
    pub(super) offered: Vec<&'static str>,
}

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

#[derive(Debug)]
pub(super) struct BeatAnswer {
    /// Whether the row still has the node's epoch.
    pub(super) is_own: bool,
    pub(super) time: ReadTime,
    pub(super) outages: Vec<Outage>,
    /// The other nodes that have not left, dead ones included.
    pub(super) nodes: BTreeMap<NodeId, NodeLife>,
    /// The work that the node has for itself now.
    pub(super) leased: BTreeSet<String>,
}

/// Stores a heartbeat. The first node that can commit again after an outage finds it, because the
/// row that all nodes raise is locked until the commit.
async fn store_beat(transaction: &Transaction, beat: &Beat) -> Result<BeatAnswer, Failure> {
    let (alive_at, time) = count_time(transaction, beat.last).await?;
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
    let is_own = transaction.execute(own, &[&beat.node.as_str(), &beat.epoch, &now]).await? == 1;
    let nodes = other_nodes(transaction, beat.node).await?;
    transaction.execute(&raise_records_version(), &[]).await?;
    let select = "SELECT from_at, until_at FROM outages WHERE until_at > $1
                  ORDER BY until_at DESC LIMIT $2";
    let outages = transaction.query(select, &[&beat.known_until, &POSTGRES_OUTAGES_MAX]).await?;
    let outage = |row: &tokio_postgres::Row| {
        Ok(Outage { from: from_sql(row.try_get(0)?), until: from_sql(row.try_get(1)?) })
    };
    let outages = outages.iter().rev().map(outage).collect::<Result<_, Failure>>()?;
    let offers = !beat.offered.is_empty() && is_own;
    let leased = if offers { lease(transaction, beat, now).await? } else { BTreeSet::new() };
    Ok(BeatAnswer { is_own, time, outages, nodes, leased })
}

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
async fn delete_node(transaction: &Transaction, beat: &Beat) -> Result<(), Failure> {
    let node = beat.node.as_str();
    let delete = "DELETE FROM nodes WHERE node = $1 AND epoch = $2";
    if transaction.execute(delete, &[&node, &beat.epoch]).await? == 1 {
        transaction.execute("DELETE FROM leases WHERE node = $1", &[&node]).await?;
        mark_away(transaction, beat.node, None).await?;
        transaction.execute("DELETE FROM noted_presence WHERE node = $1", &[&node]).await?;
    }
    Ok(())
}

#[derive(Debug, Default)]
struct BeatState {
    clock: ClockSamples,
    /// The time of the nodes as of the last heartbeat, or when the node joined.
    last: Option<ReadTime>,
    has_beaten: bool,
    /// The end of the latest outage that a heartbeat has returned.
    known_until: i64,
    others: BTreeMap<NodeId, NodeLife>,
    offered: BTreeSet<&'static str>,
    /// The work that this node has for itself until then.
    leased: (BTreeSet<String>, Option<Instant>),
}

/// The sizes of the database. The number of users is as of the last analysis of the table.
const SIZE: &str = "SELECT pg_database_size(current_database()),
         (SELECT reltuples::bigint FROM pg_class WHERE oid = to_regclass('users')),
         (SELECT count(*) FROM games WHERE NOT finished)";

#[derive(Debug)]
pub(crate) struct PostgresNode {
    postgres: Postgres,
    node: NodeId,
    epoch: Arc<AtomicI64>,
    /// One connection, which nothing else uses, so that a heartbeat waits for nothing.
    beats: ConnectionPool,
    state: Mutex<BeatState>,
    heard: Arc<HeardQueue>,
    presence: Arc<PostgresPresence>,
    joined_at: ReadTime,
    stop: CancellationToken,
    size: Mutex<Option<(Instant, StoreSize)>>,
    forgotten_at: Mutex<Option<Instant>>,
}

impl PostgresNode {
    /// Joins the nodes on the database under a name. Refuses if another process of that name goes
    /// on sending heartbeats. From then on it announces events, and stores the players at games.
    pub(crate) async fn join(
        postgres: &Postgres,
        node: NodeId,
    ) -> Result<(Arc<Self>, HeardEvents), PostgresError> {
        let (dialer, tasks, postgres) = (postgres.dialer(), postgres.tasks(), postgres.clone());
        let beats = ConnectionPool::new(Arc::clone(dialer), tasks.clone(), 1, 1);
        let (epoch, joined_at) = join(node, &beats).await?;
        let (epoch, stop) = (Arc::new(AtomicI64::new(epoch)), CancellationToken::new());
        let (heard, events) = HeardQueue::new();
        let heard = Arc::new(heard);
        let queue = postgres.events().clone();
        let announcer = Announcer::new(Arc::clone(dialer), queue, node, Arc::clone(&epoch));
        tasks.spawn(announcer.run(stop.clone()));
        let presence = Arc::new(PostgresPresence::new(postgres.pool().clone()));
        let writer = presence.writer(Arc::clone(dialer), node, Arc::clone(&epoch));
        tasks.spawn(writer.run(stop.clone()));
        tasks.spawn(Arc::clone(dialer).watch_standbys(stop.clone()));
        tasks.spawn(listen(Arc::clone(dialer), node, Arc::clone(&heard), stop.clone()));
        let state = Mutex::new(BeatState { last: Some(joined_at), ..BeatState::default() });
        let (size, forgotten_at) = (Mutex::default(), Mutex::default());
        let joined = Self {
            postgres,
            node,
            epoch,
            beats,
            state,
            heard,
            presence,
            joined_at,
            stop,
            size,
            forgotten_at,
        };
        Ok((Arc::new(joined), events))
    }

    /// Returns a clock that goes by the time of the nodes, whatever this machine's clock says.
    pub(crate) fn time(&self) -> TimeSource {
        let ReadTime { ms, asked, answered } = self.joined_at;
        let read = asked + answered.saturating_duration_since(asked) / 2;
        TimeSource::from_store(from_sql(ms), read)
    }

    pub(crate) fn cluster(&self) -> Cluster {
        Cluster::join(self.node, Arc::new(self.postgres.events().clone()))
    }

    pub(in crate::store) fn keys(&self) -> NodeKeys {
        NodeKeys::new(self.postgres.clone(), self.node)
    }

    pub(in crate::store) const fn postgres(&self) -> &Postgres {
        &self.postgres
    }

    pub(crate) fn presence(&self) -> Arc<dyn SharedPresence> {
        Arc::<PostgresPresence>::clone(&self.presence)
    }

    /// Sends a heartbeat at `now_ms` of this node's clock.
    async fn beat(&self, now_ms: u64) -> Result<Heartbeat, StoreError> {
        let sent = Instant::now();
        let answer = self
            .beats
            .transact(self.next_beat(), |sql, beat| store_beat(sql, beat).boxed())
            .await?;
        if !answer.is_own {
            self.join_again().await?;
        }
        Ok(self.note(answer, now_ms, sent))
    }

    fn next_beat(&self) -> Beat {
        let (state, epoch) = (self.state.lock(), self.epoch.load(Ordering::SeqCst));
        let offered = state.offered.iter().copied().collect();
        let (known_until, is_first) = (state.known_until, !state.has_beaten);
        Beat { node: self.node, epoch, last: state.last, known_until, is_first, offered }
    }

    fn note(&self, answer: BeatAnswer, now_ms: u64, sent: Instant) -> Heartbeat {
        let BeatAnswer { time, outages, nodes, leased, is_own: _ } = answer;
        let mut state = self.state.lock();
        state.has_beaten = true;
        state.last = Some(time);
        let ahead_ms = state.clock.add(sent, now_ms, time.ms, sent.elapsed());
        // Counted from the question, which is before the database's clock: the node stops first.
        let until = sent + Duration::from_millis(POSTGRES_LEASE_MS.unsigned_abs());
        state.leased = (leased, Some(until));
        if let Some(last) = outages.last() {
            state.known_until = i64::try_from(last.until).unwrap_or(i64::MAX);
        }
        let living = nodes.iter().filter(|(_, life)| life.lives);
        let living = living.map(|(node, life)| (*node, *life)).collect();
        let before = std::mem::replace(&mut state.others, living);
        drop(state);
        for (node, life) in before {
            let next = nodes.get(&node);
            if next.is_some_and(|next| next.lives && next.epoch == life.epoch) {
                continue;
            }
            // operator: a node has sent no heartbeat for 1.5 seconds, or it has stopped
            tracing::warn!(%node, "another node has gone");
            let died_at = next.map(|next| life.died_at(next));
            self.heard.hand_on(Heard::NodeGone(GoneNode { node, died_at }));
            if next.is_some_and(|next| next.lives) {
                // Its next run may have announced something already.
                self.heard.hand_on(Heard::Gap);
            }
        }
        Heartbeat { outages, ahead_ms: Some(ahead_ms) }
    }

    /// The row has gone or has another epoch: this node was paused for so long that others have
    /// taken it for dead, and it may have missed anything.
    async fn join_again(&self) -> Result<(), StoreError> {
        // operator: this node was paused, or could not commit for a while. It goes on and reads
        // what it has missed
        tracing::warn!(node = %self.node, "other nodes took this one for dead");
        let joined = join(self.node, &self.beats).await;
        let joined = joined.map_err(|error| StoreError::Failed(error.to_string().into()))?;
        let (epoch, _) = joined;
        self.epoch.store(epoch, Ordering::SeqCst);
        self.heard.hand_on(Heard::Gap);
        Ok(())
    }

    /// Forgets requests that nobody repeats any more, now and then, if this node does it for all.
    fn forget_requests(&self) {
        let mut forgotten_at = self.forgotten_at.lock();
        let is_due = forgotten_at.is_none_or(|at| at.elapsed() >= POSTGRES_FORGET_EVERY);
        if !is_due || !self.has_lease("requests") {
            return;
        }
        *forgotten_at = Some(Instant::now());
        let postgres = self.postgres.clone();
        self.postgres.tasks().spawn(async move {
            let mut forgotten = Ok(POSTGRES_FORGET_AT_ONCE);
            while matches!(forgotten, Ok(POSTGRES_FORGET_AT_ONCE..)) {
                forgotten = postgres.pool().transact((), |sql, ()| forget(sql).boxed()).await;
            }
            if let Err(error) = forgotten {
                // operator: PostgreSQL was away. The notes of which transactions were carried out
                // stay a while longer, and the server retries
                tracing::warn!(%error, "deleting old requests failed");
            }
        });
    }
}

async fn read_size(sql: &impl Sql) -> SqlResult<StoreSize> {
    let Some(mut row) = sql.first(SIZE, &[]).await? else { return Ok(StoreSize::default()) };
    // A table that was never analysed has -1 rows.
    let mut number = |column| {
        let number: Option<i64> = row.get(column)?;
        Ok::<_, SqlError>(number.and_then(|number| u64::try_from(number).ok()))
    };
    let (database, users, live_games) = (number(0)?, number(1)?, number(2)?);
    Ok(StoreSize { database, users, live_games, ..StoreSize::default() })
}

/// Takes the node's row and returns its epoch, and the time of the nodes.
async fn join(node: NodeId, pool: &ConnectionPool) -> Result<(i64, ReadTime), PostgresError> {
    let over = pool.read_confirmed(node, |sql, node| last_run(sql, *node).boxed()).await?;
    if over.as_ref().is_some_and(|run| run.is_recent) {
        // operator: after a crash a node waits until its own row is old, and refuses connections
        // until then. If another process with the same `cluster.node` lives, the server refuses to
        // start
        tracing::info!(%node, "the node used the database a moment ago, waiting for its end");
        // A process that lives changes its row meanwhile, and the transaction that joins finds it.
        sleep(POSTGRES_NODE_WATCH).await;
    }
    let epoch = pool.read_confirmed((), |sql, ()| next_epoch(sql).boxed()).await?;
    let add =
        pool.transact(over, move |sql, over| add_node(sql, node, over.as_ref(), epoch).boxed());
    Ok((epoch, add.await??))
}

impl Backend for PostgresNode {
    fn is_healthy(&self) -> bool {
        let silent_for = self.postgres.dialer().primary().silent_for();
        silent_for.is_some_and(|silent_for| silent_for < POSTGRES_HEALTHY)
    }

    fn durability(&self) -> &'static str {
        if self.postgres.dialer().is_replicated() { "replicated" } else { "fsync" }
    }

    fn size(&self) -> BoxFuture<'_, StoreSize> {
        let kept = *self.size.lock();
        async move {
            if let Some((_, size)) = kept.filter(|(at, _)| at.elapsed() < POSTGRES_SIZE_EVERY) {
                return size;
            }
            let size = self.postgres.pool().read_unconfirmed((), |sql, ()| read_size(sql).boxed());
            let size = size.await.unwrap_or_default();
            let mut kept = self.size.lock();
            *kept = Some((Instant::now(), size));
            size
        }
        .boxed()
    }

    /// The first heartbeat. The database knows when any node could last commit, so the caller's
    /// last event does not matter.
    fn begin_serving(
        &self,
        _last_event: Option<u64>,
        _settled: Option<u64>,
        now_ms: u64,
    ) -> BoxFuture<'_, Result<Vec<Outage>, StoreError>> {
        async move { Ok(self.heartbeat(now_ms).await?.outages) }.boxed()
    }

    fn heartbeat_every(&self) -> Duration {
        POSTGRES_BEAT_EVERY
    }

    fn heartbeat(&self, now_ms: u64) -> BoxFuture<'_, Result<Heartbeat, StoreError>> {
        async move {
            let heartbeat = self.beat(now_ms).await?;
            self.postgres.last_heartbeat().note();
            self.forget_requests();
            Ok(heartbeat)
        }
        .boxed()
    }

    fn has_lease(&self, work: &'static str) -> bool {
        let mut state = self.state.lock();
        state.offered.insert(work);
        let (leased, until) = &state.leased;
        leased.contains(work) && until.is_some_and(|until| Instant::now() < until)
    }

    fn commit_age(&self) -> Duration {
        self.postgres.dialer().primary().silent_for().unwrap_or_default()
    }

    fn other_nodes(&self) -> usize {
        self.state.lock().others.len()
    }

    /// Every write is durable when it is acknowledged. The node's row goes, so that its successor
    /// need not wait for its death.
    fn close(&self, now_ms: u64) -> BoxFuture<'_, ()> {
        async move {
            let leaving = async {
                self.beat(now_ms).await?;
                let leave = self.next_beat();
                self.beats.transact(leave, |sql, beat| delete_node(sql, beat).boxed()).await
            };
            let left = timeout(POSTGRES_CLOSE_MAX, leaving).await;
            if let Err(error) = left.unwrap_or(Err(StoreError::Busy)) {
                tracing::warn!(%error, "heartbeat write failed");
            }
            self.stop.cancel();
            self.postgres.journal().stop();
            self.postgres.pool().close_idle();
            self.beats.close_idle();
            let tasks = self.postgres.tasks();
            tasks.close();
            timeout(POSTGRES_CLOSE_MAX, tasks.wait()).await.ok();
        }
        .boxed()
    }
}
