//! A node of a simulated cluster: what stands between its services and the store, the presence and
//! the network that the nodes share.

use std::sync::Arc;
use std::{collections::BTreeMap, fmt, future::pending, time::Duration};

use adamant_protocol::{GameId, UserName, to_client::GameEntry, values::RatingChange};
use bytes::Bytes;
use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{mpsc, watch};
use tokio::time::sleep;
use tokio_util::task::TaskTracker;

use crate::cluster::{AppendedRecords, ClusterEvent, EventBus, Heard, NodeId};
use crate::outbound::frame::Frame;
use crate::runtime::metrics::StoreSize;
use crate::store::{
    Append, AppendOutcome, ArchiveError, ArchivedGame, Backend, Begin, BeginError, Heartbeat,
    Journal, PlayerAtGame, ReadOnlyReason, SharedPresence, StoreError, StoreFuture,
};

/// Whether what a node does has an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gate {
    Open,
    /// It has once the gate is open again.
    Paused,
    /// It never has.
    Crashed,
}

#[derive(Debug)]
pub(super) struct Member {
    pub(super) node: NodeId,
    gate: watch::Sender<Gate>,
    heard: mpsc::Sender<Heard>,
}

impl Member {
    /// Returns a node that hears events by this channel.
    pub(super) fn new(node: NodeId, heard: mpsc::Sender<Heard>) -> Self {
        Self { node, gate: watch::Sender::new(Gate::Open), heard }
    }

    /// Sets whether what the node does has an effect.
    pub(super) fn set_gate(&self, gate: Gate) {
        self.gate.send_replace(gate);
    }

    /// Whether the node has crashed.
    pub(super) fn has_crashed(&self) -> bool {
        *self.gate.borrow() == Gate::Crashed
    }

    /// Waits until the gate is open: forever after a crash.
    pub(super) async fn pass(&self) {
        let mut gate = self.gate.subscribe();
        if gate.wait_for(|gate| *gate == Gate::Open).await.is_err() {
            pending::<()>().await;
        }
    }

    /// Lets the node hear an event. A full queue drops it.
    pub(super) fn hear(&self, heard: Heard) {
        drop(self.heard.try_send(heard));
    }
}

/// What becomes of an event between two nodes.
pub trait Network: fmt::Debug + Send + Sync + 'static {
    /// Returns the delay of each copy of the next event that arrives; none if it is lost.
    fn deliveries(&self) -> Vec<Duration>;

    /// Returns what arrives of the records that are announced together. The rest is lost, or has
    /// other bytes.
    fn records(&self, records: Vec<Bytes>) -> Vec<Bytes>;

    /// Returns the delay after which a node notices that it has missed an event; `None` if it does
    /// not.
    fn gap(&self) -> Option<Duration>;
}

/// What the nodes share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) members: Mutex<Vec<Arc<Member>>>,
    pub(super) network: Arc<dyn Network>,
    pub(super) tasks: TaskTracker,
}

impl Shared {
    /// The nodes that have not crashed, as far as the others know.
    pub(super) fn members(&self) -> MutexGuard<'_, Vec<Arc<Member>>> {
        self.members.lock()
    }

    /// Lets a node hear an event later.
    fn deliver(&self, member: &Arc<Member>, after: Duration, heard: Heard) {
        let member = Arc::clone(member);
        self.tasks.spawn(async move {
            sleep(after).await;
            member.hear(heard);
        });
    }
}

/// The bus as one node uses it.
#[derive(Debug)]
pub(super) struct MemberBus {
    pub(super) shared: Arc<Shared>,
    pub(super) member: Arc<Member>,
}

impl MemberBus {
    /// Announces records that the node has appended.
    pub(super) fn publish_appended(&self, appended: &[AppendedRecords]) {
        self.send(|| {
            let arriving = |appended: &AppendedRecords| AppendedRecords {
                records: self.shared.network.records(appended.records.clone()),
                ..appended.clone()
            };
            Heard::Appended(appended.iter().map(arriving).collect())
        });
    }

    /// Sends each other node copies of what is announced.
    fn send(&self, copy: impl Fn() -> Heard) {
        if self.member.has_crashed() {
            return;
        }
        let from = self.member.node;
        for member in self.shared.members().iter().filter(|member| member.node != from) {
            let delays = self.shared.network.deliveries();
            if delays.is_empty()
                && let Some(after) = self.shared.network.gap()
            {
                self.shared.deliver(member, after, Heard::Gap);
            }
            for after in delays {
                self.shared.deliver(member, after, copy());
            }
        }
    }
}

impl EventBus for MemberBus {
    fn publish(&self, event: ClusterEvent) {
        self.send(|| Heard::Event(self.member.node, event.clone()));
    }
}

/// The journal, behind the gate of a node.
#[derive(Debug)]
pub(super) struct MemberJournal {
    pub(super) inner: Arc<dyn Journal>,
    pub(super) member: Arc<Member>,
    pub(super) bus: Arc<MemberBus>,
}

impl MemberJournal {
    /// Lets a question through the gate, and its answer back.
    fn pass<T: Send + 'static>(&self, answer: BoxFuture<'static, T>) -> BoxFuture<'static, T> {
        let member = Arc::clone(&self.member);
        async move {
            member.pass().await;
            let answer = answer.await;
            member.pass().await;
            answer
        }
        .boxed()
    }
}

impl Journal for MemberJournal {
    fn append(&self, batch: Vec<Append>) -> BoxFuture<'static, Vec<AppendOutcome>> {
        let appended = |append: &Append| AppendedRecords {
            game: append.game.clone(),
            until: append.expected_seq + append.records.len() as u64,
            records: append.records.iter().map(Frame::message).collect(),
        };
        let appended: Vec<AppendedRecords> = batch.iter().map(appended).collect();
        let (member, bus) = (Arc::clone(&self.member), Arc::clone(&self.bus));
        let inner = Arc::clone(&self.inner);
        async move {
            member.pass().await;
            let outcomes = inner.append(batch).await;
            member.pass().await;
            let stored = appended.into_iter().zip(&outcomes);
            let stored = stored.filter(|(_, outcome)| outcome.is_ok());
            let stored: Vec<AppendedRecords> = stored.map(|(appended, _)| appended).collect();
            if !stored.is_empty() {
                bus.publish_appended(&stored);
            }
            outcomes
        }
        .boxed()
    }

    fn begin(&self, game: Begin) -> BoxFuture<'static, Result<(), BeginError>> {
        self.pass(self.inner.begin(game))
    }

    fn archive(&self, game: ArchivedGame) -> BoxFuture<'static, Result<(), ArchiveError>> {
        self.pass(self.inner.archive(game))
    }

    fn rating_change(&self, game: GameId) -> StoreFuture<Option<RatingChange>> {
        self.pass(self.inner.rating_change(game))
    }

    fn read(&self, game: GameId, from: u64, max: usize) -> StoreFuture<Vec<Bytes>> {
        self.pass(self.inner.read(game, from, max))
    }
}

/// A player's sessions at a game, by node.
type AtNodes = BTreeMap<NodeId, AtNode>;

/// Whether a player has a session at a game on a node, and since when.
#[derive(Debug, Clone, Copy)]
struct AtNode {
    here: bool,
    at: u64,
    /// Whether the session has ended with the node.
    is_cut_off: bool,
}

/// Who is at which game.
#[derive(Debug, Default)]
pub(super) struct PresenceTable(Mutex<BTreeMap<GameId, BTreeMap<UserName, AtNodes>>>);

impl PresenceTable {
    fn games(&self) -> MutexGuard<'_, BTreeMap<GameId, BTreeMap<UserName, AtNodes>>> {
        self.0.lock()
    }

    /// Ends the sessions at a node that has gone at `at`, in epoch milliseconds.
    pub(super) fn node_gone(&self, node: NodeId, at: u64) {
        for at_nodes in self.games().values_mut().flat_map(BTreeMap::values_mut) {
            if let Some(session) = at_nodes.get_mut(&node).filter(|session| session.here) {
                *session = AtNode { here: false, at, is_cut_off: true };
            }
        }
    }

    fn at_game(&self, game: &GameId) -> Vec<PlayerAtGame> {
        let games = self.games();
        let players = games.get(game).into_iter().flatten();
        players
            .map(|(user, at_nodes)| {
                let here = at_nodes.iter().filter(|(_, session)| session.here);
                let nodes = here.map(|(node, _)| *node).collect();
                let left = at_nodes.values().filter(|session| !session.here);
                let last = left.max_by_key(|session| session.at);
                let left_at = last.map(|session| session.at);
                let is_cut_off = last.is_some_and(|session| session.is_cut_off);
                PlayerAtGame { user: user.clone(), nodes, left_at, is_cut_off }
            })
            .collect()
    }
}

/// The presence as one node uses it.
#[derive(Debug)]
pub(super) struct MemberPresence {
    pub(super) table: Arc<PresenceTable>,
    pub(super) member: Arc<Member>,
}

impl SharedPresence for MemberPresence {
    fn note(&self, game: &GameId, user: &UserName, here: bool, at: u64) {
        if !self.member.has_crashed() {
            let session = AtNode { here, at, is_cut_off: false };
            let mut games = self.table.games();
            let players = games.entry(game.clone()).or_default();
            players.entry(user.clone()).or_default().insert(self.member.node, session);
        }
    }

    fn at_games(&self, games: Vec<GameId>) -> StoreFuture<Vec<Vec<PlayerAtGame>>> {
        let found = games.iter().map(|game| self.table.at_game(game)).collect();
        ready(Ok(found)).boxed()
    }
}

/// Time between two heartbeats of a node.
const HEARTBEAT_EVERY: Duration = Duration::from_millis(500);

/// A store that is there all the time: the start of a node ends no outage.
#[derive(Debug)]
pub(super) struct SharedBackend {
    pub(super) inner: Arc<dyn Backend>,
    pub(super) member: Arc<Member>,
}

impl Backend for SharedBackend {
    fn read_only(&self) -> Option<ReadOnlyReason> {
        self.inner.read_only()
    }

    fn is_healthy(&self) -> bool {
        self.inner.is_healthy()
    }

    fn durability(&self) -> &'static str {
        self.inner.durability()
    }

    fn size(&self) -> BoxFuture<'_, StoreSize> {
        self.inner.size()
    }

    fn room_opens(&self, entry: GameEntry) {
        self.inner.room_opens(entry);
    }

    fn heartbeat_every(&self) -> Duration {
        HEARTBEAT_EVERY
    }

    fn heartbeat(&self, _now_ms: u64) -> BoxFuture<'_, Result<Heartbeat, StoreError>> {
        async move {
            self.member.pass().await;
            Ok(Heartbeat::default())
        }
        .boxed()
    }
}
