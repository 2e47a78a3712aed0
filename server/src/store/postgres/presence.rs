//! Which players are at their games, over all nodes. A row counts while its node lives; then the
//! player is away since the node's last heartbeat.
//!
//! A task with a connection of its own stores who comes and leaves, and waits for no disk and no
//! standby. A fail-over empties the tables. Then each node notes all of its players again, and no
//! question is answered before every node has done so.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use adamant_protocol::{GameId, UserName};
use futures::FutureExt as _;
use parking_lot::Mutex;
use tokio::{
    sync::Notify,
    time::{Instant, sleep},
};
use tokio_postgres::Row;
use tokio_util::sync::CancellationToken;

use super::{
    clock::{NOW_MS, lives},
    connection::{Connection, Transaction, from_sql, parse, to_sql},
    dialer::Dialer,
    errors::Failure,
    pool::ConnectionPool,
};
use crate::{
    cluster::NodeId,
    limits::{
        POSTGRES_DIAL_EVERY, POSTGRES_PRESENCE_CHECK, POSTGRES_PRESENCE_EVERY,
        POSTGRES_PRESENCE_KEPT_MS, POSTGRES_PRESENCE_MAX, POSTGRES_PRESENCE_PATIENCE,
        POSTGRES_PRESENCE_ROWS, POSTGRES_PRESENCE_SWEEP, POSTGRES_STATEMENT_MAX,
    },
    store::{PlayerAtGame, SharedPresence, StoreError, StoreFuture},
};

/// A player at a game, with whether the player has a session there on this node, and since when in
/// epoch milliseconds.
type NotedPlayer = ((GameId, UserName), (bool, u64));

#[derive(Debug, Clone, Copy)]
struct NodeEpoch {
    node: NodeId,
    epoch: i64,
}

fn complete() -> String {
    format!(
        "NOT EXISTS (SELECT 1 FROM cluster, nodes LEFT JOIN noted_presence AS noted
             ON noted.node = nodes.node AND noted.epoch = nodes.epoch
             WHERE noted.node IS NULL AND {})",
        lives()
    )
}

/// Returns whether this run has noted all of its players, and whether all living nodes have.
async fn noted_state(tx: &Transaction, run: NodeEpoch) -> Result<(bool, bool), Failure> {
    let select = format!(
        "SELECT EXISTS (SELECT 1 FROM noted_presence WHERE node = $1 AND epoch = $2), {}",
        complete()
    );
    let row = tx.query_one(&select, &[&run.node.as_str(), &run.epoch]).await?;
    Ok((row.try_get(0)?, row.try_get(1)?))
}

/// Stores where players are, if this run is in a table of runs. In `noted_presence` it is not if the
/// database has lost what this run has noted before, or another run has followed.
async fn note(
    tx: &Transaction,
    run: NodeEpoch,
    players: &[NotedPlayer],
    runs: &str,
) -> Result<(), Failure> {
    let write = format!(
        "INSERT INTO at_game (game, user_name, node, here, at)
         SELECT game, user_name, $1, here, at
         FROM unnest($3::text[], $4::text[], $5::bool[], $6::int8[])
             AS changed (game, user_name, here, at)
         WHERE EXISTS (SELECT 1 FROM {runs} WHERE node = $1 AND epoch = $2)
         ON CONFLICT (game, user_name, node)
             DO UPDATE SET here = excluded.here, at = excluded.at"
    );
    let games: Vec<&str> = players.iter().map(|((game, _), _)| game.as_str()).collect();
    let users: Vec<&str> = players.iter().map(|((_, user), _)| user.as_str()).collect();
    let (here, at): (Vec<bool>, Vec<i64>) =
        players.iter().map(|(_, (here, at))| (*here, to_sql(*at))).unzip();
    tx.execute(&write, &[&run.node.as_str(), &run.epoch, &games, &users, &here, &at]).await?;
    Ok(())
}

/// Replaces what is stored of this node, inside a transaction. Does nothing if another run has
/// followed this one.
async fn note_all(
    tx: &Transaction,
    run: NodeEpoch,
    players: &[NotedPlayer],
) -> Result<(), Failure> {
    let node = run.node.as_str();
    let own = "SELECT 1 FROM nodes WHERE node = $1 AND epoch = $2";
    if tx.query_opt(own, &[&node, &run.epoch]).await?.is_none() {
        return Ok(());
    }
    mark_away(tx, run.node, None).await?;
    for some in players.chunks(POSTGRES_PRESENCE_ROWS) {
        note(tx, run, some, "nodes").await?;
    }
    let noted = "INSERT INTO noted_presence (node, epoch) VALUES ($1, $2)
                 ON CONFLICT (node) DO UPDATE SET epoch = excluded.epoch";
    tx.execute(noted, &[&node, &run.epoch]).await?;
    Ok(())
}

/// Stores that no player is at a game on a node any more: since the last heartbeat of a run that
/// has died, or from now on.
pub(super) async fn mark_away(
    tx: &Transaction,
    node: NodeId,
    died_at: Option<i64>,
) -> Result<(), Failure> {
    let update = format!(
        "UPDATE at_game SET here = false, at = greatest(at, coalesce($2, {NOW_MS})),
             cut_off_at = CASE WHEN $2 IS NOT NULL THEN greatest(at, $2) END
         WHERE (game, user_name, node) IN (
             SELECT game, user_name, node FROM at_game WHERE node = $1 AND here LIMIT $3)"
    );
    let most = i64::try_from(POSTGRES_PRESENCE_ROWS).unwrap_or(i64::MAX);
    while tx.execute(&update, &[&node.as_str(), &died_at, &most]).await? > 0 {}
    Ok(())
}

/// Returns the players at each of these games, and whether every living node has noted its players.
/// One statement: a node whose next run begins meanwhile is seen before or after.
async fn at_games(
    tx: &Transaction,
    games: &[GameId],
) -> Result<(Vec<Vec<PlayerAtGame>>, bool), Failure> {
    let select = format!(
        "SELECT state.is_complete, found.* FROM (SELECT {complete} AS is_complete) AS state
         LEFT JOIN (
             SELECT wanted.place, at_game.user_name, at_game.node,
                 at_game.here AND coalesce({lives}, false) AS here,
                 CASE WHEN NOT at_game.here THEN at_game.at
                      WHEN nodes.node IS NOT NULL THEN greatest(at_game.at, nodes.beat_at)
                 END AS left_at,
                 at_game.here OR coalesce(at_game.cut_off_at = at_game.at, false) AS is_cut_off
             FROM unnest($1::text[]) WITH ORDINALITY AS wanted (game, place)
                 JOIN at_game ON at_game.game = wanted.game
                 CROSS JOIN cluster
                 LEFT JOIN nodes ON nodes.node = at_game.node
         ) AS found ON true
         ORDER BY found.place, found.user_name, found.node",
        complete = complete(),
        lives = lives(),
    );
    let names: Vec<&str> = games.iter().map(GameId::as_str).collect();
    let rows = tx.query(&select, &[&names]).await?;
    let mut found = vec![Vec::new(); games.len()];
    let is_complete = rows.first().map_or(Ok(false), |row| row.try_get(0))?;
    for row in &rows {
        let Some(place) = row.try_get::<_, Option<i64>>(1)? else { continue };
        let place = usize::try_from(place - 1).ok();
        let Some(players) = place.and_then(|place| found.get_mut(place)) else { continue };
        add_player(players, row)?;
    }
    Ok((found, is_complete))
}

fn add_player(players: &mut Vec<PlayerAtGame>, row: &Row) -> Result<(), Failure> {
    let (user, node): (UserName, NodeId) = (parse(row, 2)?, parse(row, 3)?);
    if players.last().is_none_or(|last| last.user != user) {
        players.push(PlayerAtGame { user, nodes: Vec::new(), left_at: None, is_cut_off: false });
    }
    let Some(player) = players.last_mut() else { return Ok(()) };
    if row.try_get(4)? {
        player.nodes.push(node);
    } else {
        let left_at = row.try_get::<_, Option<i64>>(5)?.map(from_sql);
        if left_at > player.left_at {
            (player.left_at, player.is_cut_off) = (left_at, row.try_get(6)?);
        }
    }
    Ok(())
}

/// Where a sweep goes on: after the row with this key.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct SweepPlace {
    game: String,
    user: String,
    node: String,
}

/// Looks at the rows after a place and deletes those that are of no use: of players who have left a
/// game that is over, or a live one long ago. Returns the place to go on from.
pub(super) async fn sweep(tx: &Transaction, from: &SweepPlace) -> Result<SweepPlace, Failure> {
    let look = format!(
        "WITH looked_at AS MATERIALIZED (
             SELECT at_game.game, user_name, node,
                 NOT here AND at < {NOW_MS} - $5 OR coalesce(games.finished, true) AND NOT here
                     AS is_useless
             FROM (SELECT * FROM at_game WHERE (game, user_name, node) > ($1, $2, $3)
                   ORDER BY game, user_name, node LIMIT $4) AS at_game
                 LEFT JOIN games ON games.game = at_game.game
         ), deleted AS (
             DELETE FROM at_game USING looked_at WHERE looked_at.is_useless AND NOT at_game.here
                 AND (at_game.game, at_game.user_name, at_game.node)
                     = (looked_at.game, looked_at.user_name, looked_at.node)
         )
         SELECT game, user_name, node FROM looked_at
         ORDER BY game DESC, user_name DESC, node DESC LIMIT 1"
    );
    let SweepPlace { game, user, node } = from;
    let most = i64::try_from(POSTGRES_PRESENCE_ROWS).unwrap_or(i64::MAX);
    let last = tx.query_opt(&look, &[game, user, node, &most, &POSTGRES_PRESENCE_KEPT_MS]).await?;
    let place = |row: Row| {
        Ok(SweepPlace { game: row.try_get(0)?, user: row.try_get(1)?, node: row.try_get(2)? })
    };
    // After the last row it starts again.
    last.map_or_else(|| Ok(SweepPlace::default()), place)
}

#[derive(Debug, Default)]
struct NotedPlayers {
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

    fn take_changed(&mut self) -> Vec<NotedPlayer> {
        std::iter::from_fn(|| self.changed.pop_first()).take(POSTGRES_PRESENCE_ROWS).collect()
    }

    /// Takes all players who are here. The changes until now are among them.
    fn take_all(&mut self) -> Vec<NotedPlayer> {
        self.changed.clear();
        self.has_lost = false;
        self.here.iter().map(|(player, at)| (player.clone(), (true, *at))).collect()
    }

    /// Whether a question may be answered; `is_complete` if all living nodes have noted all.
    fn may_answer(&mut self, is_complete: bool) -> bool {
        if is_complete {
            self.incomplete_since = None;
            return true;
        }
        let since = *self.incomplete_since.get_or_insert_with(Instant::now);
        since.elapsed() >= POSTGRES_PRESENCE_PATIENCE
    }
}

#[derive(Debug)]
pub(super) struct PostgresPresence {
    pool: ConnectionPool,
    noted: Arc<Mutex<NotedPlayers>>,
    changed: Arc<Notify>,
}

impl PostgresPresence {
    pub(super) fn new(pool: ConnectionPool) -> Self {
        Self { pool, noted: Arc::default(), changed: Arc::default() }
    }

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
        self.noted.lock().note(game, user, here, at);
        self.changed.notify_one();
    }

    fn at_games(&self, games: Vec<GameId>) -> StoreFuture<Vec<Vec<PlayerAtGame>>> {
        let (pool, noted) = (self.pool.clone(), Arc::clone(&self.noted));
        async move {
            let found = pool.read_unconfirmed(games, |tx, games| at_games(tx, games).boxed()).await;
            let (players, is_complete) = found?;
            if noted.lock().may_answer(is_complete) { Ok(players) } else { Err(StoreError::Busy) }
        }
        .boxed()
    }
}

#[derive(Debug)]
pub(super) struct PresenceWriter {
    dialer: Arc<Dialer>,
    node: NodeId,
    epoch: Arc<AtomicI64>,
    noted: Arc<Mutex<NotedPlayers>>,
    changed: Arc<Notify>,
    connection: Option<Arc<Connection>>,
    swept: (Instant, SweepPlace),
}

impl PresenceWriter {
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
        let connection = self.dialer.without_waiting(&mut self.connection).await?;
        let tx = Transaction::new(Arc::clone(&connection));
        let run = NodeEpoch { node: self.node, epoch: self.epoch.load(Ordering::SeqCst) };
        let (is_own, is_complete) = noted_state(&tx, run).await?;
        self.noted.lock().may_answer(is_complete);
        if !is_own || self.noted.lock().has_lost {
            return self.store_all(&connection, &tx, run).await;
        }
        loop {
            let some = self.noted.lock().take_changed();
            if some.is_empty() {
                break;
            }
            if let Err(failure) = note(&tx, run, &some, "noted_presence").await {
                self.noted.lock().has_lost = true;
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
        let all = self.noted.lock().take_all();
        let written = async {
            connection.batch("BEGIN", POSTGRES_STATEMENT_MAX).await?;
            note_all(tx, run, &all).await?;
            connection.batch("COMMIT", POSTGRES_STATEMENT_MAX).await
        };
        let written = written.await;
        self.noted.lock().has_lost |= written.is_err();
        written
    }
}
