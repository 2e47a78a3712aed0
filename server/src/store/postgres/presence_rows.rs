//! The rows of players at games. A row counts while its node lives; then the player is away since
//! the node's last heartbeat.

use adamant_protocol::{GameId, UserName};
use tokio_postgres::Row;

use super::{
    cluster_clock::NOW_MS,
    failure::Failure,
    living_nodes::lives,
    transaction::Transaction,
    values::{from_sql, parse, to_sql},
};
use crate::{
    cluster::NodeId,
    limits::{POSTGRES_PRESENCE_KEPT_MS, POSTGRES_PRESENCE_ROWS},
    store::PlayerAtGame,
};

/// Whether a player has a session at a game on this node, and since when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NotedPlayer {
    pub(super) game: GameId,
    pub(super) user: UserName,
    pub(super) here: bool,
    /// In epoch milliseconds.
    pub(super) at: u64,
}

/// One run of a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeEpoch {
    pub(super) node: NodeId,
    pub(super) epoch: i64,
}

/// Which rows are of this node, as of now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotedState {
    /// Whether this run has noted all of its players.
    pub(super) is_own: bool,
    /// Whether all living nodes have.
    pub(super) is_complete: bool,
}

/// Whether every living node has noted its players.
fn complete() -> String {
    format!(
        "NOT EXISTS (SELECT 1 FROM cluster, nodes LEFT JOIN noted_presence AS noted
             ON noted.node = nodes.node AND noted.epoch = nodes.epoch
             WHERE noted.node IS NULL AND {})",
        lives()
    )
}

/// Returns which nodes have noted their players.
pub(super) async fn noted_state(tx: &Transaction, run: NodeEpoch) -> Result<NotedState, Failure> {
    let select = format!(
        "SELECT EXISTS (SELECT 1 FROM noted_presence WHERE node = $1 AND epoch = $2), {}",
        complete()
    );
    let row = tx.query_one(&select, &[&run.node.as_str(), &run.epoch]).await?;
    Ok(NotedState { is_own: row.try_get(0)?, is_complete: row.try_get(1)? })
}

/// Stores what has changed, unless the database has lost what this run has noted before, or another
/// run has followed.
pub(super) async fn note_changes(
    tx: &Transaction,
    run: NodeEpoch,
    players: &[NotedPlayer],
) -> Result<(), Failure> {
    note(tx, run, players, "noted_presence").await
}

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
    let games: Vec<&str> = players.iter().map(|player| player.game.as_str()).collect();
    let users: Vec<&str> = players.iter().map(|player| player.user.as_str()).collect();
    let here: Vec<bool> = players.iter().map(|player| player.here).collect();
    let at: Vec<i64> = players.iter().map(|player| to_sql(player.at)).collect();
    tx.execute(&write, &[&run.node.as_str(), &run.epoch, &games, &users, &here, &at]).await?;
    Ok(())
}

/// Replaces what is stored of this node, inside a transaction. Does nothing if another run has
/// followed this one.
pub(super) async fn note_all(
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

/// Forgets that a node has noted its players: it leaves.
pub(super) async fn forget_noted(tx: &Transaction, node: NodeId) -> Result<(), Failure> {
    tx.execute("DELETE FROM noted_presence WHERE node = $1", &[&node.as_str()]).await?;
    Ok(())
}

/// Returns the players at each of these games, and whether every living node has noted its players.
/// One statement: a node whose next run begins meanwhile is seen before or after.
pub(super) async fn at_games(
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

/// Adds a player's row on one node to those of the other nodes.
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
