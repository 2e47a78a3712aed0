//! Rows of the journal: one append each, all of its records or none.

use adamant_protocol::{GameId, ids::Chain};
use adamant_record::wire;
use bytes::{Bytes, BytesMut};
use tokio_postgres::{Row, types::ToSql};

use super::{
    failure::Failure,
    record_reads::records_of,
    values::{from_sql, parse_all, to_sql},
};
use crate::{cluster::AppendedRecords, limits::POSTGRES_WAKE_LATE_MS, store::Append};

/// Inserts rows, unless their game is over, or the game's last row is not the one onto which they
/// were sealed. So the journal gets no hole and no fork, even if a node is wrong about its end.
///
/// All nodes insert in the order of the games, so that batches wait for each other in one order.
/// Returns whether the commit waits for a standby, the games whose row is stored, and the games to
/// which a node would come too late when this one ends.
///
/// A select list unnests the arrays side by side. In a `FROM` each would be stored before it is
/// read.
macro_rules! insert {
    ($on_conflict:literal) => {
        concat!(
            "WITH new AS MATERIALIZED (
    SELECT new.*, games.wake_at
    FROM (SELECT unnest($1::text[]) AS game, unnest($2::int8[]) AS seq,
              unnest($3::bytea[]) AS prev, unnest($4::int8[]) AS events,
              unnest($5::bytea[]) AS chain, unnest($6::int8[]) AS ply,
              unnest($7::int8[]) AS to_move, unnest($8::int8[]) AS last_at,
              unnest($9::int8[]) AS deadline, unnest($10::bytea[]) AS records) AS new
         JOIN games ON games.game = new.game AND NOT games.finished
), stored AS (
    INSERT INTO journal (game, seq, events, chain, ply, to_move, last_at, deadline, records)
    SELECT new.game, new.seq, new.events, new.chain, new.ply, new.to_move, new.last_at,
        new.deadline, new.records
    FROM new JOIN LATERAL (
        SELECT journal.seq + journal.events AS next, journal.chain FROM journal
        WHERE journal.game = new.game ORDER BY journal.seq DESC LIMIT 1
    ) AS last ON last.next = new.seq AND last.chain = new.prev
    ORDER BY new.game ",
            $on_conflict,
            "
    RETURNING game
)
SELECT current_setting('synchronous_standby_names') <> ''
        AND current_setting('synchronous_commit') = 'on',
    (SELECT array_agg(game) FROM stored),
    (SELECT array_agg(game) FROM new
     WHERE deadline < coalesce(wake_at, 9223372036854775807) - $11)"
        )
    };
}

/// Fails as a whole if another append takes the key of one of the rows at the same moment.
const INSERT: &str = insert!("");

/// Leaves out rows whose key another append takes at the same moment. That costs more: PostgreSQL
/// looks for each key twice, and writes a record of WAL more for each row.
const INSERT_CONTESTED: &str = insert!("ON CONFLICT (game, seq) DO NOTHING");

/// Looks at the games of rows that were not inserted.
const LOOK: &str = "SELECT wanted.place, games.finished, last.seq, last.chain, tried.records
    FROM unnest($1::int4[], $2::text[], $3::int8[], $4::bool[])
             AS wanted (place, game, seq, tried)
         LEFT JOIN games ON games.game = wanted.game
         LEFT JOIN LATERAL (
             SELECT journal.seq + journal.events - 1 AS seq, journal.chain FROM journal
             WHERE journal.game = wanted.game ORDER BY journal.seq DESC LIMIT 1
         ) AS last ON true
         LEFT JOIN journal AS tried
             ON wanted.tried AND tried.game = wanted.game AND tried.seq = wanted.seq";

/// A row of the journal.
#[derive(Debug)]
pub(super) struct AppendRow {
    pub(super) game: GameId,
    /// The seq of its first record.
    pub(super) seq: u64,
    prev: Chain,
    events: i64,
    chain: Chain,
    ply: i64,
    to_move: Option<i64>,
    last_at: i64,
    deadline: Option<i64>,
    /// The records, one a line.
    records: Bytes,
}

/// What has become of inserted rows.
#[derive(Debug)]
pub(super) struct Inserted {
    /// The games whose row is stored, in order.
    pub(super) games: Vec<GameId>,
    /// The games whose clock runs out long before a node would look.
    pub(super) late: Vec<GameId>,
}

/// Why a row was not inserted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RowRefusal {
    /// An earlier try of the same append has stored it.
    Ours,
    /// Another append has come first, or the game is over. Its last record has this seq.
    Conflict(u64),
    /// Nothing is in its way any more.
    Passed,
    /// It was not sealed onto the game's last record.
    Unsealed,
}

/// Joins records to one value, one a line. No record has a line break.
pub(super) fn join_records(records: &[Bytes]) -> Bytes {
    if let [record] = records {
        return record.clone();
    }
    let mut joined = BytesMut::with_capacity(records.iter().map(|record| record.len() + 1).sum());
    for record in records {
        if !joined.is_empty() {
            joined.extend_from_slice(b"\n");
        }
        joined.extend_from_slice(record);
    }
    joined.freeze()
}

impl AppendRow {
    /// Returns the row of an append.
    pub(super) fn new(append: &Append) -> Self {
        let summary = &append.summary;
        Self {
            game: append.game.clone(),
            seq: append.expected_seq + 1,
            prev: append.prev,
            events: to_sql(append.records.len() as u64),
            chain: append.chain,
            ply: summary.ply.into(),
            to_move: summary.to_move.map(|seat| wire::seat_number(seat).into()),
            last_at: to_sql(summary.last_at),
            deadline: append.deadline.map(to_sql),
            records: join_records(&append.records),
        }
    }

    /// Its records, as they are announced once a standby has them.
    pub(super) fn appended(&self) -> AppendedRecords {
        let records = records_of(&self.records);
        AppendedRecords { game: self.game.clone(), until: self.last_seq(), records }
    }

    /// Number of bytes of its records.
    pub(super) fn bytes(&self) -> usize {
        self.records.len()
    }

    /// Number of its records.
    pub(super) fn record_count(&self) -> u64 {
        from_sql(self.events)
    }

    /// The seq of its last record.
    pub(super) fn last_seq(&self) -> u64 {
        self.seq + self.record_count() - 1
    }

    /// When a clock runs out after it, in epoch milliseconds.
    pub(super) fn deadline(&self) -> Option<u64> {
        self.deadline.map(from_sql)
    }

    fn refusal(&self, found: &Row) -> Result<RowRefusal, Failure> {
        let tried: Option<&[u8]> = found.try_get(4)?;
        if tried.is_some_and(|records| *records == *self.records) {
            return Ok(RowRefusal::Ours);
        }
        let last_seq = found.try_get::<_, Option<i64>>(2)?.map_or(0, from_sql);
        let is_finished: Option<bool> = found.try_get(1)?;
        if last_seq != self.seq - 1 || is_finished != Some(false) {
            return Ok(RowRefusal::Conflict(last_seq));
        }
        let chain: Option<&[u8]> = found.try_get(3)?;
        let is_sealed_onto = chain.is_some_and(|chain| *chain == self.prev.0);
        Ok(if is_sealed_onto { RowRefusal::Passed } else { RowRefusal::Unsealed })
    }
}
/// The statement that inserts rows.
#[derive(Debug)]
pub(super) struct InsertRows<'a> {
    games: Vec<&'a str>,
    seqs: Vec<i64>,
    prevs: Vec<&'a [u8]>,
    events: Vec<i64>,
    chains: Vec<&'a [u8]>,
    plies: Vec<i64>,
    to_move: Vec<Option<i64>>,
    last_at: Vec<i64>,
    deadlines: Vec<Option<i64>>,
    records: Vec<&'a [u8]>,
}

impl<'a> InsertRows<'a> {
    /// The statement's text for a first try, which is [contested](super::failure::Failure) if
    /// another append to one of the games is under way.
    pub(super) const STATEMENT: &'static str = INSERT;

    /// The statement's text that waits for other appends under way, and leaves out the rows that
    /// came too late.
    pub(super) const CONTESTED_STATEMENT: &'static str = INSERT_CONTESTED;

    /// Collects rows of different games.
    pub(super) fn new(rows: impl Iterator<Item = &'a AppendRow> + Clone) -> Self {
        Self {
            games: rows.clone().map(|row| row.game.as_str()).collect(),
            seqs: rows.clone().map(|row| to_sql(row.seq)).collect(),
            prevs: rows.clone().map(|row| &row.prev.0[..]).collect(),
            events: rows.clone().map(|row| row.events).collect(),
            chains: rows.clone().map(|row| &row.chain.0[..]).collect(),
            plies: rows.clone().map(|row| row.ply).collect(),
            to_move: rows.clone().map(|row| row.to_move).collect(),
            last_at: rows.clone().map(|row| row.last_at).collect(),
            deadlines: rows.clone().map(|row| row.deadline).collect(),
            records: rows.map(|row| &row.records[..]).collect(),
        }
    }

    /// The statement's parameters.
    pub(super) fn parameters(&self) -> [&(dyn ToSql + Sync); 11] {
        [
            &self.games,
            &self.seqs,
            &self.prevs,
            &self.events,
            &self.chains,
            &self.plies,
            &self.to_move,
            &self.last_at,
            &self.deadlines,
            &self.records,
            &POSTGRES_WAKE_LATE_MS,
        ]
    }

    /// Reads the statement's result.
    pub(super) fn read(rows: &[Row]) -> Result<Inserted, Failure> {
        let row = rows.first().ok_or_else(|| Failure::fault("an insert returned nothing"))?;
        let mut games: Vec<GameId> = parse_all(row, 1)?;
        games.sort_unstable();
        Ok(Inserted { games, late: parse_all(row, 2)? })
    }
}

/// The statement that looks at the games of rows that were not inserted.
#[derive(Debug)]
pub(super) struct LookAtGames<'a> {
    rows: Vec<&'a AppendRow>,
    places: Vec<i32>,
    games: Vec<&'a str>,
    seqs: Vec<i64>,
    tried: Vec<bool>,
}

impl<'a> LookAtGames<'a> {
    /// The statement's text.
    pub(super) const STATEMENT: &'static str = LOOK;

    /// Collects rows, each with whether an earlier try may have stored it.
    pub(super) fn new(rows: impl Iterator<Item = (&'a AppendRow, bool)>) -> Self {
        let (rows, tried): (Vec<&AppendRow>, Vec<bool>) = rows.unzip();
        Self {
            places: (0..).take(rows.len()).collect(),
            games: rows.iter().map(|row| row.game.as_str()).collect(),
            seqs: rows.iter().map(|row| to_sql(row.seq)).collect(),
            rows,
            tried,
        }
    }

    /// The statement's parameters.
    pub(super) fn parameters(&self) -> [&(dyn ToSql + Sync); 4] {
        [&self.places, &self.games, &self.seqs, &self.tried]
    }

    /// Reads why each row was not inserted.
    pub(super) fn read(&self, found: &[Row]) -> Result<Vec<RowRefusal>, Failure> {
        let mut refusals = vec![RowRefusal::Conflict(0); self.rows.len()];
        for found in found {
            let place = usize::try_from(found.try_get::<_, i32>(0)?).unwrap_or(usize::MAX);
            if let (Some(row), Some(refusal)) = (self.rows.get(place), refusals.get_mut(place)) {
                *refusal = row.refusal(found)?;
            }
        }
        Ok(refusals)
    }
}
