//! The store as a whole: its health, its size, and the heartbeats from which outages follow.

use std::{fmt, future::ready, time::Duration};

use adamant_protocol::to_client::GameEntry;
use futures::{FutureExt as _, future::BoxFuture};

use super::{Outage, ReadOnlyReason, StoreError};
use crate::runtime::metrics::StoreSize;

/// What follows from a heartbeat.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Heartbeat {
    /// The outages that no earlier heartbeat has returned, the latest last.
    pub outages: Vec<Outage>,
    /// Milliseconds by which the store's clock is ahead of the caller's; `None` if the store has
    /// no clock of its own.
    pub ahead_ms: Option<i64>,
}

/// The store as a whole.
pub(crate) trait Backend: fmt::Debug + Send + Sync + 'static {
    /// Returns why the store is read-only; `None` if it is not.
    fn read_only(&self) -> Option<ReadOnlyReason>;

    /// Returns whether the last commit succeeded.
    fn is_healthy(&self) -> bool;

    /// Returns what an acknowledged write survives, as `welcome` names it.
    fn durability(&self) -> &'static str;

    /// Returns the sizes of the store, as far as they are known.
    fn size(&self) -> BoxFuture<'_, StoreSize>;

    /// Called when the room of a game opens. A store that lists the open games from memory keeps
    /// the list entry.
    fn room_opens(&self, _entry: GameEntry) {}

    /// Begins to serve games at `now_ms`, in epoch milliseconds: stores the outage that ends now,
    /// if the caller is the first to serve again. Returns all outages that a game may not have been
    /// credited with yet, the latest last. The caller knows of an event at `last_event`, and that
    /// every game has been credited with the outages until `settled`.
    fn begin_serving(
        &self,
        last_event: Option<u64>,
        settled: Option<u64>,
        now_ms: u64,
    ) -> BoxFuture<'_, Result<Vec<Outage>, StoreError>>;

    /// Returns the time between two heartbeats.
    fn heartbeat_every(&self) -> Duration;

    /// Stores that games are served at `now_ms`, in epoch milliseconds.
    fn heartbeat(&self, now_ms: u64) -> BoxFuture<'_, Result<Heartbeat, StoreError>>;

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

    /// Returns the time since the last commit that a standby has; zero if the store has no
    /// standbys.
    fn commit_age(&self) -> Duration {
        Duration::ZERO
    }

    /// Stores the last heartbeat, and waits until all earlier writes are durable. Nothing is
    /// written after that.
    fn close(&self, now_ms: u64) -> BoxFuture<'_, ()>;
}
