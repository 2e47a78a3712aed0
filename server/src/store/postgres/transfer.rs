//! A PostgreSQL database as the source or the target of a transfer. No node uses it meanwhile.

use adamant_protocol::{GameId, UserName, ids::Chain, to_client::GameEntry};
use bytes::Bytes;
use futures::FutureExt as _;
use tokio_postgres::types::ToSql;

use super::{
    columns::{SqlResult, read_optional_u64, read_u64},
    failure::Failure,
    node_rows,
    postgres::Postgres,
    record_reads::split_lines,
    transaction::Transaction,
    values::{from_sql, parse, to_sql},
};
use crate::store::{
    Seeks as _, StoreError, StoredSeek,
    sqlite::{ColumnType, TransferGame, TransferRow, TransferTable, Value},
};

/// The type of an array of a column's values.
const fn array_type(column_type: ColumnType) -> &'static str {
    match column_type {
        ColumnType::BigInt => "bigint[]",
        ColumnType::Integer => "integer[]",
        ColumnType::Boolean => "boolean[]",
        ColumnType::Text => "text[]",
        ColumnType::Bytes => "bytea[]",
    }
}

/// Adds rows, unless an earlier try has done so.
async fn add_rows(tx: &Transaction, table: &TransferTable, rows: &[TransferRow]) -> SqlResult<()> {
    let names: Vec<&str> = table.columns.iter().map(|column| column.postgres).collect();
    let arrays: Vec<String> = (1..)
        .zip(table.columns)
        .map(|(n, column)| format!("${n}::{}", array_type(column.column_type)))
        .collect();
    let (into, names, arrays) = (table.postgres, names.join(", "), arrays.join(", "));
    let insert = format!(
        "INSERT INTO {into} ({names}) OVERRIDING SYSTEM VALUE
         SELECT * FROM unnest({arrays}) ON CONFLICT DO NOTHING"
    );
    let columns: Vec<Vec<&Value>> =
        (0..table.columns.len()).map(|n| rows.iter().map(|row| &row[n]).collect()).collect();
    let columns: Vec<&(dyn ToSql + Sync)> =
        columns.iter().map(|column| column as &(dyn ToSql + Sync)).collect();
    tx.execute(&insert, &columns).await?;
    Ok(())
}

async fn rows(
    tx: &Transaction,
    table: &TransferTable,
    after: Option<&TransferRow>,
    limit: i64,
) -> SqlResult<Vec<TransferRow>> {
    let names: Vec<&str> = table.columns.iter().map(|column| column.postgres).collect();
    let key = names[..table.key_columns].join(", ");
    let places: Vec<String> = (2..).take(table.key_columns).map(|n| format!("${n}")).collect();
    let from = match after {
        Some(_) => format!("WHERE ({key}) > ({})", places.join(", ")),
        None => String::new(),
    };
    let (all, name) = (names.join(", "), table.postgres);
    let select = format!("SELECT {all} FROM {name} {from} ORDER BY {key} LIMIT $1");
    let mut parameters: Vec<&(dyn ToSql + Sync)> = vec![&limit];
    let after = after.map_or(&[][..], |row| &row[..table.key_columns]);
    parameters.extend(after.iter().map(|value| value as &(dyn ToSql + Sync)));
    let found = tx.query(&select, &parameters).await?;
    let columns = 0..table.columns.len();
    found
        .iter()
        .map(|row| columns.clone().map(|column| Ok(row.try_get(column)?)).collect())
        .collect()
}

/// Whether a database has nothing that an import would bring.
const IS_EMPTY: &str = "SELECT NOT EXISTS (SELECT 1 FROM users)
    AND NOT EXISTS (SELECT 1 FROM games) AND NOT EXISTS (SELECT 1 FROM challenges)
    AND NOT EXISTS (SELECT 1 FROM invites) AND NOT EXISTS (SELECT 1 FROM seeks)
    AND NOT EXISTS (SELECT 1 FROM talk) AND NOT EXISTS (SELECT 1 FROM results)";

/// A game to import, with what its rows need.
#[derive(Debug, Clone)]
pub(crate) struct ImportedGame {
    pub(crate) entry: GameEntry,
    pub(crate) is_finished: bool,
    pub(crate) deadline: Option<u64>,
    /// The chain of the last record.
    pub(crate) chain: Chain,
    pub(crate) records: Vec<Bytes>,
}

async fn add_game(tx: &Transaction, imported: &ImportedGame) -> SqlResult<()> {
    let ImportedGame { entry, is_finished, deadline, chain, records } = imported;
    let text = serde_json::to_string(entry).expect("list entries are plain data");
    let (game, rules) = (entry.game.as_str(), entry.rules.name.as_ref());
    let players = i16::try_from(entry.seats.len()).unwrap_or(i16::MAX);
    let (started_at, last_at) = (to_sql(entry.started_at), to_sql(entry.last_at));
    let ended_at = is_finished.then_some(last_at);
    // A game that has ended without being finished is finished by the first node that looks.
    let is_over = !is_finished && entry.to_move.is_none();
    let wake_at = if is_over { Some(last_at) } else { deadline.map(to_sql) };
    tx.execute(
        "INSERT INTO games (game, finished, rules, players, delay, unlisted, started_at, ended_at,
             entry, wake_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING",
        &[
            &game,
            is_finished,
            &rules,
            &players,
            &i16::from(entry.delay),
            &entry.unlisted,
            &started_at,
            &ended_at,
            &text,
            &wake_at.filter(|_| !is_finished),
        ],
    )
    .await?;
    let mut users: Vec<_> = entry.seats.iter().map(|seat| seat.user.folded()).collect();
    users.sort();
    users.dedup();
    let users: Vec<&str> = users.iter().map(UserName::as_str).collect();
    tx.execute(
        "INSERT INTO game_users (user_name, game, rules, players, unlisted, started_at, ended_at)
         SELECT user_name, $2, $3, $4, $5, $6, $7 FROM unnest($1::text[]) AS seat (user_name)
         ON CONFLICT DO NOTHING",
        &[&users, &game, &rules, &players, &entry.unlisted, &started_at, &ended_at],
    )
    .await?;
    tx.execute(
        "INSERT INTO journal (game, seq, events, chain, ply, to_move, last_at, deadline, records)
         VALUES ($1, 1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING",
        &[
            &game,
            &i16::try_from(records.len()).map_err(|_| Failure::fault("a game is too long"))?,
            &&chain.0[..],
            &i32::try_from(entry.ply).unwrap_or(i32::MAX),
            &entry.to_move.map(i16::from),
            &last_at,
            &deadline.map(to_sql),
            &records.join(&b'\n'),
        ],
    )
    .await?;
    Ok(())
}

const SELECT_GAMES: &str = "SELECT games.game, games.entry, games.finished, last.ply, last.to_move,
        last.last_at, last.deadline,
        ARRAY(SELECT records FROM journal WHERE journal.game = games.game ORDER BY seq)
    FROM games CROSS JOIN LATERAL (
        SELECT ply, to_move, last_at, deadline FROM journal WHERE journal.game = games.game
        ORDER BY seq DESC LIMIT 1) AS last
    WHERE games.game > $1 ORDER BY games.game LIMIT $2";

async fn games(tx: &Transaction, after: &str, limit: i64) -> SqlResult<Vec<TransferGame>> {
    let rows = tx.query(SELECT_GAMES, &[&after, &limit]).await?;
    rows.iter()
        .map(|row| {
            let game: GameId = parse(row, 0)?;
            let entry: GameEntry = serde_json::from_str(row.try_get(1)?)
                .map_err(|error| Failure::fault(format!("the entry of {game}: {error}")))?;
            let is_finished = row.try_get(2)?;
            let to_move: Option<i16> = row.try_get(4)?;
            let to_move = to_move.and_then(|seat| u8::try_from(seat).ok());
            let entry = if is_finished {
                Some(entry)
            } else if to_move.is_none() {
                // It is over, and the next server finishes it.
                None
            } else {
                let ply = u32::try_from(row.try_get::<_, i32>(3)?).unwrap_or(0);
                let last_at = from_sql(row.try_get(5)?);
                Some(GameEntry { ply, to_move, last_at, ..entry })
            };
            let blocks: Vec<&[u8]> = row.try_get(7)?;
            let records = blocks.into_iter().flat_map(split_lines);
            let deadline = read_optional_u64(row, 6)?.filter(|_| !is_finished);
            Ok(TransferGame { game, entry, is_finished, deadline, records: records.collect() })
        })
        .collect()
}

async fn finish(tx: &Transaction, alive_at: Option<u64>) -> SqlResult<()> {
    for table in ["users", "results"] {
        let next = format!(
            "SELECT setval(pg_get_serial_sequence('{table}', 'id'), max(id)) FROM {table}
             HAVING max(id) IS NOT NULL"
        );
        tx.query(&next, &[]).await?;
    }
    let update = "UPDATE games SET published = true
         WHERE game IN (SELECT game FROM download_games)";
    tx.execute(update, &[]).await?;
    // The clocks stand still from the last heartbeat of the embedded server on.
    let update = "UPDATE cluster SET min_reader = $1, alive_at = greatest(alive_at, $2)";
    tx.execute(update, &[&super::schema::MIN_READER, &alive_at.map_or(0, to_sql)]).await?;
    Ok(())
}

impl Postgres {
    /// Returns whether the database has nothing that an import would bring.
    pub(crate) async fn is_empty(&self) -> Result<bool, StoreError> {
        let is_empty = |tx: &Transaction| {
            let tx = tx.clone();
            async move { Ok(tx.query_one(IS_EMPTY, &[]).await?.try_get(0)?) }.boxed()
        };
        self.pool().read_confirmed((), move |tx, ()| is_empty(tx)).await
    }

    /// Keeps servers from the database until [`Self::finish_import`].
    pub(crate) async fn begin_import(&self) -> Result<(), StoreError> {
        self.pool()
            .transact((), |tx, ()| {
                async move {
                    let update = "UPDATE cluster SET min_reader = $1";
                    tx.execute(update, &[&super::schema::DURING_IMPORT]).await?;
                    Ok(())
                }
                .boxed()
            })
            .await
    }

    /// Opens the database to servers. The embedded server's last heartbeat was at `alive_at`.
    pub(crate) async fn finish_import(&self, alive_at: Option<u64>) -> Result<(), StoreError> {
        self.pool().transact((), move |tx, ()| finish(tx, alive_at).boxed()).await
    }

    /// Returns the last time at which a node could commit, in epoch milliseconds.
    pub(crate) async fn alive_at(&self) -> Result<u64, StoreError> {
        self.pool()
            .read_confirmed((), |tx, ()| {
                async move {
                    let select = "SELECT alive_at FROM cluster";
                    Ok(from_sql(tx.query_one(select, &[]).await?.try_get(0)?))
                }
                .boxed()
            })
            .await
    }

    /// Adds rows to a table.
    pub(crate) async fn add_rows(
        &self,
        table: &'static TransferTable,
        added: Vec<TransferRow>,
    ) -> Result<(), StoreError> {
        self.pool().transact(added, move |tx, added| add_rows(tx, table, added).boxed()).await
    }

    /// Returns the next rows of a table after a row.
    pub(crate) async fn rows(
        &self,
        table: &'static TransferTable,
        after: Option<TransferRow>,
        limit: usize,
    ) -> Result<Vec<TransferRow>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.pool()
            .read_confirmed(after, move |tx, after| rows(tx, table, after.as_ref(), limit).boxed())
            .await
    }

    /// Adds lasting seeks, the oldest first.
    pub(crate) async fn add_seeks(&self, added: Vec<StoredSeek>) -> Result<(), StoreError> {
        self.pool()
            .transact(added, |tx, added| {
                async move {
                    tx.execute("DELETE FROM seeks", &[]).await?;
                    for seek in added {
                        super::seeks::add(tx, seek).await?;
                    }
                    Ok(())
                }
                .boxed()
            })
            .await
    }

    /// Adds games.
    pub(crate) async fn add_games(&self, added: Vec<ImportedGame>) -> Result<(), StoreError> {
        self.pool()
            .transact(added, |tx, added| {
                async move {
                    for game in added {
                        add_game(tx, game).await?;
                    }
                    Ok(())
                }
                .boxed()
            })
            .await
    }

    /// Returns the number of games.
    pub(crate) async fn count_games(&self) -> Result<u64, StoreError> {
        self.pool()
            .read_confirmed((), |tx, ()| {
                async move { read_u64(&tx.query_one("SELECT count(*) FROM games", &[]).await?, 0) }
                    .boxed()
            })
            .await
    }

    /// Returns the next games after a game, with their records.
    pub(crate) async fn games_after(
        &self,
        after: Option<GameId>,
        limit: usize,
    ) -> Result<Vec<TransferGame>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.pool()
            .read_confirmed(after, move |tx, after| {
                games(tx, after.as_ref().map_or("", GameId::as_str), limit).boxed()
            })
            .await
    }

    /// Returns the lasting seeks, the oldest first.
    pub(crate) async fn lasting_seeks(&self) -> Result<Vec<StoredSeek>, StoreError> {
        let mut seeks = self.seeks().await?;
        seeks.retain(|seek| seek.entry.lasting);
        Ok(seeks)
    }

    /// Returns a node that has used the database a moment ago.
    pub(crate) async fn node_in_use(&self) -> Result<Option<String>, StoreError> {
        self.pool().read_confirmed((), |tx, ()| node_rows::in_use(tx).boxed()).await
    }
}
