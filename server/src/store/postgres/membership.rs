//! This node among the others: it joins, sends heartbeats and leaves.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use tokio::time::{Instant, sleep};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    announcer::Announcer,
    clock_samples::ClockSamples,
    cluster_clock::ReadTime,
    dialer::Dialer,
    event_queue::EventQueue,
    heard_queue::HeardQueue,
    listener::listen,
    node_rows::{self, Beat, BeatAnswer, JoinOutcome, Joining, NodeLife, RECORDS_VERSION},
    pool::ConnectionPool,
    postgres_error::PostgresError,
    presence::PostgresPresence,
};
use crate::{
    cluster::{GoneNode, Heard, HeardEvents, NodeId},
    limits::{POSTGRES_LEASE_MS, POSTGRES_NODE_WATCH},
    store::{Heartbeat, StoreError},
};

/// What changes from heartbeat to heartbeat.
#[derive(Debug, Default)]
struct BeatState {
    clock: ClockSamples,
    /// The time of the nodes as of the last heartbeat, or when the node joined.
    last: Option<ReadTime>,
    /// Whether a heartbeat has been answered.
    has_beaten: bool,
    /// The end of the latest outage that a heartbeat has returned.
    known_until: i64,
    /// The other nodes that lived at the last heartbeat.
    others: BTreeMap<NodeId, NodeLife>,
    /// The work that this node offers to do.
    offered: BTreeSet<&'static str>,
    /// The work that this node has for itself until then.
    leased: (BTreeSet<String>, Option<Instant>),
}

/// A node that has joined.
#[derive(Debug)]
pub(super) struct NodeMembership {
    node: NodeId,
    epoch: Arc<AtomicI64>,
    /// One connection, which nothing else uses, so that a heartbeat waits for nothing.
    pool: ConnectionPool,
    state: Mutex<BeatState>,
    heard: Arc<HeardQueue>,
}

impl NodeMembership {
    /// Joins under a name, and returns the time of the nodes. Refuses if another process of that
    /// name goes on sending heartbeats. Announces what comes into the queue, and stores the players
    /// at games.
    pub(super) async fn join(
        node: NodeId,
        dialer: &Arc<Dialer>,
        queue: EventQueue,
        presence: &PostgresPresence,
        tasks: &TaskTracker,
        stop: &CancellationToken,
    ) -> Result<(Self, HeardEvents, ReadTime), PostgresError> {
        let pool = ConnectionPool::new(Arc::clone(dialer), tasks.clone(), 1, 1);
        let (epoch, time) = join(node, &pool).await?;
        let epoch = Arc::new(AtomicI64::new(epoch));
        let (heard, events) = HeardQueue::new();
        let heard = Arc::new(heard);
        let announcer = Announcer::new(Arc::clone(dialer), queue, node, Arc::clone(&epoch));
        tasks.spawn(announcer.run(stop.clone()));
        let writer = presence.writer(Arc::clone(dialer), node, Arc::clone(&epoch));
        tasks.spawn(writer.run(stop.clone()));
        tasks.spawn(Arc::clone(dialer).watch_standbys(stop.clone()));
        tasks.spawn(listen(Arc::clone(dialer), node, Arc::clone(&heard), stop.clone()));
        let state = Mutex::new(BeatState { last: Some(time), ..BeatState::default() });
        Ok((Self { node, epoch, pool, state, heard }, events, time))
    }

    /// The name of this node.
    pub(super) fn node(&self) -> NodeId {
        self.node
    }

    /// Closes the connection of the heartbeat if it is idle.
    pub(super) fn close_idle(&self) {
        self.pool.close_idle();
    }

    /// Sends a heartbeat at `now_ms` of this node's clock.
    pub(super) async fn beat(&self, now_ms: u64) -> Result<Heartbeat, StoreError> {
        let sent = Instant::now();
        let answer = self.pool.transact(self.next_beat(), node_rows::beat).await?;
        if !answer.is_own {
            self.join_again().await?;
        }
        Ok(self.note(answer, now_ms, sent))
    }

    fn next_beat(&self) -> Beat {
        let (state, epoch) = (self.state(), self.epoch.load(Ordering::SeqCst));
        let offered = state.offered.iter().copied().collect();
        let (known_until, is_first) = (state.known_until, !state.has_beaten);
        Beat { node: self.node, epoch, last: state.last, known_until, is_first, offered }
    }

    fn note(&self, answer: BeatAnswer, now_ms: u64, sent: Instant) -> Heartbeat {
        let BeatAnswer { time, outages, nodes, leased, is_own: _ } = answer;
        let mut state = self.state();
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
        let joined = join(self.node, &self.pool).await;
        let joined = joined.map_err(|error| StoreError::Failed(error.to_string().into()))?;
        let (epoch, _) = joined;
        self.epoch.store(epoch, Ordering::SeqCst);
        self.heard.hand_on(Heard::Gap);
        Ok(())
    }

    /// Returns whether this node has this work for itself, and offers to do it from now on.
    pub(super) fn has_lease(&self, work: &'static str) -> bool {
        let mut state = self.state();
        state.offered.insert(work);
        let (leased, until) = &state.leased;
        leased.contains(work) && until.is_some_and(|until| Instant::now() < until)
    }

    /// Returns how many other nodes lived at the last heartbeat.
    pub(super) fn other_nodes(&self) -> usize {
        self.state().others.len()
    }

    /// Deletes the node's row, so that its successor need not wait.
    pub(super) async fn leave(&self) -> Result<(), StoreError> {
        self.pool.transact(self.next_beat(), node_rows::leave).await
    }

    fn state(&self) -> MutexGuard<'_, BeatState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes the node's row and returns its epoch, and the time of the nodes.
async fn join(node: NodeId, pool: &ConnectionPool) -> Result<(i64, ReadTime), PostgresError> {
    let over = pool.read_confirmed(node, node_rows::last_run).await?;
    if over.as_ref().is_some_and(|run| run.is_recent) {
        // operator: after a crash a node waits until its own row is old, and refuses connections
        // until then. If another process with the same `cluster.node` lives, the server refuses to
        // start
        tracing::info!(%node, "the node used the database a moment ago, waiting for its end");
        // A process that lives changes its row meanwhile, and the transaction that joins finds it.
        sleep(POSTGRES_NODE_WATCH).await;
    }
    let epoch = pool.read_confirmed((), node_rows::next_epoch).await?;
    match pool.transact(Joining { node, over, epoch }, node_rows::join).await? {
        JoinOutcome::Joined(time) => Ok((epoch, time)),
        JoinOutcome::NameInUse => Err(PostgresError::NodeLives { node: node.to_string() }),
        JoinOutcome::NewerRecords(found) => {
            Err(PostgresError::NewerRecords { found, known: RECORDS_VERSION })
        }
    }
}
