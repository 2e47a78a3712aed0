//! The store as a whole: its health, its size, the heartbeats from which outages follow, and which
//! players are at their games, over all nodes.

use std::{fmt, future::ready, time::Duration};

use adamant_protocol::{GameId, UserName, to_client::GameEntry};
use futures::{FutureExt as _, future::BoxFuture};

use super::{Outage, StoreError, StoreFuture, sqlite::Loss};
use crate::{cluster::NodeId, runtime::metrics::StoreSize};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Heartbeat {
    /// The outages that no earlier heartbeat has returned, the latest last.
    pub outages: Vec<Outage>,
    /// Milliseconds by which the store's clock is ahead of the caller's; `None` if the store has
    /// no clock of its own.
    pub ahead_ms: Option<i64>,
}

/// The store as a whole. What is not defined is of a store for which nothing has to be done.
pub(crate) trait Backend: fmt::Debug + Send + Sync + 'static {
    /// Returns why the store is read-only; `None` if it is not. It may become so when damage is
    /// found. A shared database never is: another
    /// server can take over from one whose disk is full.
    fn read_only(&self) -> Option<ReadOnlyReason> {
        None
    }

    fn is_healthy(&self) -> bool {
        true
    }

    /// Notes that the records of a game have changed since they were written.
    fn note_damage(&self, _game: &GameId, _why: &str) {}

    /// Returns what an acknowledged write survives, as `welcome` names it.
    fn durability(&self) -> &'static str;

    fn size(&self) -> BoxFuture<'_, StoreSize> {
        ready(StoreSize::default()).boxed()
    }

    /// Called when the room of a game opens. A store that lists the open games from memory keeps
    /// the list entry.
    fn room_opens(&self, _entry: GameEntry) {}

    /// Begins to serve games at `_now_ms`, in epoch milliseconds: stores the outage that ends now,
    /// if the caller is the first to serve again. Returns all outages that a game may not have been
    /// credited with yet, the latest last. The caller knows of an event at `_last_event`, and that
    /// every game has been credited with the outages until `_settled`.
    fn begin_serving(
        &self,
        _last_event: Option<u64>,
        _settled: Option<u64>,
        _now_ms: u64,
    ) -> BoxFuture<'_, Result<Vec<Outage>, StoreError>> {
        ready(Ok(Vec::new())).boxed()
    }

    fn heartbeat_every(&self) -> Duration;

    /// Stores that games are served at `_now_ms`, in epoch milliseconds.
    fn heartbeat(&self, _now_ms: u64) -> BoxFuture<'_, Result<Heartbeat, StoreError>> {
        ready(Ok(Heartbeat::default())).boxed()
    }

    /// Has an outage of this process stored before all that it stores from now on, unless too much
    /// waits already. Otherwise a start after a crash would take what is stored next for a sign of
    /// life, and the outage for time in which players could move.
    fn note_outage(&self, _outage: Outage) {}

    /// Stores an outage that a running server has found, which no other server shares.
    fn record_outage(&self, _outage: Outage) -> BoxFuture<'_, Result<(), StoreError>> {
        ready(Ok(())).boxed()
    }

    /// Returns whether this server does a kind of work that one server does for all. A store that
    /// several nodes share takes the question for an offer to do it: soon it is true for one of
    /// them. No safety rests on it.
    fn has_lease(&self, _work: &'static str) -> bool {
        true
    }

    /// Returns how many other nodes serve games from the same store.
    fn other_nodes(&self) -> usize {
        0
    }

    /// Returns the time since the last commit that a standby has; zero without standbys.
    fn commit_age(&self) -> Duration {
        Duration::ZERO
    }

    /// Stores the last heartbeat, and waits until all earlier writes are durable. Nothing is
    /// written after that.
    fn close(&self, _now_ms: u64) -> BoxFuture<'_, ()> {
        ready(()).boxed()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlayerAtGame {
    pub user: UserName,
    /// The nodes at which the player has a session at the game, this one included.
    pub nodes: Vec<NodeId>,
    /// When the player's last session left the game, in epoch milliseconds; `None` if unknown.
    pub left_at: Option<u64>,
    pub is_cut_off: bool,
}

pub(crate) trait SharedPresence: fmt::Debug + Send + Sync + 'static {
    /// Notes whether a player has a session at a game on this node, since `at` in epoch
    /// milliseconds. Never waits.
    fn note(&self, game: &GameId, user: &UserName, here: bool, at: u64);

    /// Returns the players of which anything is known, for each game. Fails with
    /// [`StoreError::Busy`] while some node has not noted its sessions yet, so that a player who is
    /// not named may be present.
    fn at_games(&self, games: Vec<GameId>) -> StoreFuture<Vec<Vec<PlayerAtGame>>>;
}

/// Why a store is read-only. It rejects every write, as on a full disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ReadOnlyReason {
    #[error("read-only: the disk is full")]
    DiskFull,
    /// The WAL is damaged, and the operator has not accepted the loss.
    #[error("read-only: the WAL is damaged, {0}: see the server's log and --accept-loss")]
    Damaged(Loss),
    /// The database or the chain of a game is damaged, and the operator has not accepted it.
    #[error(
        "read-only: the store is damaged, as the file damage-found in its directory says: restore \
         a backup, or start once with --accept-loss to go on without what is lost"
    )]
    Malformed,
}

impl ReadOnlyReason {
    /// The labels of all reasons in metrics.
    pub(crate) const NAMES: [&str; 3] = ["no_room", "damaged", "malformed"];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::DiskFull => Self::NAMES[0],
            Self::Damaged(_) => Self::NAMES[1],
            Self::Malformed => Self::NAMES[2],
        }
    }
}
