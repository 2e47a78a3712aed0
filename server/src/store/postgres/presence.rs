//! Which players are at their games, over all nodes.
//!
//! A task with a connection of its own stores who comes and leaves, and waits for no disk and no
//! standby. A fail-over empties the tables. Then each node notes all of its players again, and no
//! question is answered before every node has done so.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
};

use adamant_protocol::{GameId, UserName};
use futures::{FutureExt as _, future::BoxFuture};
use tokio::{
    sync::Notify,
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;

use super::{
    connection::Connection,
    dialer::Dialer,
    failure::Failure,
    pool::ConnectionPool,
    presence_rows::{
        NodeEpoch, NotedPlayer, SweepPlace, at_games, note_all, note_changes, noted_state, sweep,
    },
    transaction::Transaction,
};
use crate::{
    cluster::NodeId,
    limits::{
        POSTGRES_DIAL_EVERY, POSTGRES_PATIENCE, POSTGRES_PRESENCE_CHECK, POSTGRES_PRESENCE_EVERY,
        POSTGRES_PRESENCE_MAX, POSTGRES_PRESENCE_PATIENCE, POSTGRES_PRESENCE_ROWS,
        POSTGRES_PRESENCE_SWEEP, POSTGRES_STATEMENT_MAX,
    },
    store::{PlayerAtGame, SharedPresence, StoreError},
};

/// The players at games on this node, and what is not stored yet.
#[derive(Debug, Default)]
struct NotedPlayers {
    /// The players who are at games here, and since when.
    here: BTreeMap<(GameId, UserName), u64>,
    /// The players who have come or left since the last write.
    changed: BTreeMap<(GameId, UserName), (bool, u64)>,
    /// Whether a change was lost, so that all players are to be noted again.
    has_lost: bool,
    /// Since when some node has not noted its players; `None` if all have.
    incomplete_since: Option<Instant>,
}

impl NotedPlayers {
    fn note(&mut self, game: &GameId, user: &UserName, here: bool, at: u64) {
        let player = (game.clone(), user.clone());
        if here {
            self.here.insert(player.clone(), at);
        } else {
            self.here.remove(&player);
        }
        if self.changed.len() >= POSTGRES_PRESENCE_MAX && !self.changed.contains_key(&player) {
            self.has_lost = true;
            self.changed.clear();
        }
        self.changed.insert(player, (here, at));
    }

    /// Takes some of the changes.
    fn take_changed(&mut self) -> Vec<NotedPlayer> {
        let mut taken = Vec::new();
        while taken.len() < POSTGRES_PRESENCE_ROWS
            && let Some(((game, user), (here, at))) = self.changed.pop_first()
        {
            taken.push(NotedPlayer { game, user, here, at });
        }
        taken
    }

    /// Takes all players who are here. The changes until now are among them.
    fn take_all(&mut self) -> Vec<NotedPlayer> {
        self.changed.clear();
        self.has_lost = false;
        let all = self.here.iter();
        all.map(|((game, user), at)| NotedPlayer {
            game: game.clone(),
            user: user.clone(),
            here: true,
            at: *at,
        })
        .collect()
    }

    /// Returns whether a question may be answered, given whether all living nodes have noted their
    /// players.
    fn may_answer(&mut self, is_complete: bool) -> bool {
        if is_complete {
            self.incomplete_since = None;
            return true;
        }
        let since = *self.incomplete_since.get_or_insert_with(Instant::now);
        since.elapsed() >= POSTGRES_PRESENCE_PATIENCE
    }
}

/// The presence that all nodes on the database share.
#[derive(Debug)]
pub(super) struct PostgresPresence {
    pool: ConnectionPool,
    noted: Arc<Mutex<NotedPlayers>>,
    changed: Arc<Notify>,
}

fn lock(noted: &Mutex<NotedPlayers>) -> MutexGuard<'_, NotedPlayers> {
    noted.lock().unwrap_or_else(PoisonError::into_inner)
}

impl PostgresPresence {
    /// Reads through these connections.
    pub(super) fn new(pool: ConnectionPool) -> Self {
        Self { pool, noted: Arc::default(), changed: Arc::default() }
    }

    /// Returns the task that stores the players at games on this node.
    pub(super) fn writer(
        &self,
        dialer: Arc<Dialer>,
        node: NodeId,
        epoch: Arc<AtomicI64>,
    ) -> PresenceWriter {
        let (noted, changed) = (Arc::clone(&self.noted), Arc::clone(&self.changed));
        let swept = (Instant::now(), SweepPlace::default());
        PresenceWriter { dialer, node, epoch, noted, changed, connection: None, swept }
    }
}

impl SharedPresence for PostgresPresence {
    fn note(&self, game: &GameId, user: &UserName, here: bool, at: u64) {
        lock(&self.noted).note(game, user, here, at);
        self.changed.notify_one();
    }

    fn at_games(
        &self,
        games: Vec<GameId>,
    ) -> BoxFuture<'static, Result<Vec<Vec<PlayerAtGame>>, StoreError>> {
        let (pool, noted) = (self.pool.clone(), Arc::clone(&self.noted));
        async move {
            let found = pool.read(games, |tx, games| at_games(tx, games).boxed()).await;
            let (players, is_complete) = found?;
            if lock(&noted).may_answer(is_complete) { Ok(players) } else { Err(StoreError::Busy) }
        }
        .boxed()
    }
}

/// Stores the players at games on this node.
#[derive(Debug)]
pub(super) struct PresenceWriter {
    dialer: Arc<Dialer>,
    node: NodeId,
    /// The node's run, which the heartbeat sets.
    epoch: Arc<AtomicI64>,
    noted: Arc<Mutex<NotedPlayers>>,
    changed: Arc<Notify>,
    connection: Option<Arc<Connection>>,
    /// When and where the last sweep ended.
    swept: (Instant, SweepPlace),
}

impl PresenceWriter {
    /// Stores what changes until the stop.
    pub(super) async fn run(mut self, stop: CancellationToken) {
        let writing = async {
            loop {
                if let Err(failure) = self.write().await {
                    tracing::debug!(?failure, "storing the players at games failed");
                    self.connection = None;
                    sleep(POSTGRES_DIAL_EVERY).await;
                    continue;
                }
                tokio::select! {
                    biased;
                    () = self.changed.notified() => sleep(POSTGRES_PRESENCE_EVERY).await,
                    () = sleep(POSTGRES_PRESENCE_CHECK) => {}
                }
            }
        };
        let _: Option<()> = stop.run_until_cancelled(writing).await;
    }

    /// Stores what has changed, or everything if the database does not have it.
    async fn write(&mut self) -> Result<(), Failure> {
        let connection = self.connection().await?;
        let tx = Transaction::new(Arc::clone(&connection));
        let run = NodeEpoch { node: self.node, epoch: self.epoch.load(Ordering::SeqCst) };
        let state = noted_state(&tx, run).await?;
        lock(&self.noted).may_answer(state.is_complete);
        if !state.is_own || lock(&self.noted).has_lost {
            return self.store_all(&connection, &tx, run).await;
        }
        loop {
            let some = lock(&self.noted).take_changed();
            if some.is_empty() {
                break;
            }
            if let Err(failure) = note_changes(&tx, run, &some).await {
                lock(&self.noted).has_lost = true;
                return Err(failure);
            }
        }
        if self.swept.0.elapsed() >= POSTGRES_PRESENCE_SWEEP {
            let place = sweep(&tx, &self.swept.1).await?;
            self.swept = (Instant::now(), place);
        }
        Ok(())
    }

    async fn store_all(
        &self,
        connection: &Connection,
        tx: &Transaction,
        run: NodeEpoch,
    ) -> Result<(), Failure> {
        let all = lock(&self.noted).take_all();
        let written = async {
            connection.batch("BEGIN", POSTGRES_STATEMENT_MAX).await?;
            note_all(tx, run, &all).await?;
            connection.batch("COMMIT", POSTGRES_STATEMENT_MAX).await
        };
        let written = written.await;
        lock(&self.noted).has_lost |= written.is_err();
        written
    }

    async fn connection(&mut self) -> Result<Arc<Connection>, Failure> {
        let usable = |connection: &Arc<Connection>| {
            connection.is_usable() && !self.dialer.primary().has_replaced(connection.server())
        };
        if let Some(connection) = self.connection.as_ref().filter(|known| usable(known)) {
            return Ok(Arc::clone(connection));
        }
        let dialled = self.dialer.dial(Instant::now() + POSTGRES_PATIENCE).await;
        let connection = dialled.map_err(|error| Failure::unknown(error.to_string()))?;
        let without_waiting = "SET synchronous_commit = off";
        connection.batch(without_waiting, POSTGRES_STATEMENT_MAX).await?;
        let connection = Arc::new(connection);
        self.connection = Some(Arc::clone(&connection));
        Ok(connection)
    }
}
