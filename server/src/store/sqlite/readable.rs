//! Reads the rows of a damaged table that can be read: from its beginning and from its end up to
//! what is unreadable, and then from ever more places between the two.

use std::fmt;

use rusqlite::Connection;

use crate::{
    limits::{SALVAGE_HALVINGS, TRANSFER_ROWS_AT_ONCE},
    store::sql::{Embedded, Row, SqlResult, Value},
};

/// Values of the first columns of a key.
type Key = Vec<Value>;

/// What to read. The selected columns begin with those of the key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Readable<'a> {
    pub connection: &'a Connection,
    pub table: &'static str,
    pub columns: &'static str,
    pub key: &'a [&'static str],
}

/// A part of a table that cannot be read.
#[derive(Debug)]
pub(crate) struct Gap {
    table: &'static str,
    after: Option<Key>,
    before: Option<Key>,
    why: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Forward,
    Backward,
}

impl Readable<'_> {
    /// Gives each row to `take`, in no order. Returns what it could not read.
    pub(crate) fn read(&self, take: &mut dyn FnMut(Row)) -> Vec<Gap> {
        let least = self.least();
        let mut walk = Walk { table: self, take, least, rows: 0, gaps: Vec::new(), rows_at_gap: 0 };
        walk.close((None, None), 0);
        walk.gaps
    }

    /// Returns the least value of the first column of the key. One that the table does not name is
    /// the number of the row.
    fn least(&self) -> Value {
        let select = "SELECT type FROM pragma_table_info(?1) WHERE name = ?2";
        let kind = self
            .connection
            .query_row(select, [self.table, self.key[0]], |row| row.get::<_, String>(0));
        match kind.unwrap_or_default().as_str() {
            "TEXT" => Value::Text("".into()),
            "BLOB" => Value::Bytes([].into()),
            _ => Value::Integer(0),
        }
    }

    fn statement(
        &self,
        after: Option<&Key>,
        before: Option<&Key>,
        direction: Direction,
    ) -> (String, Vec<Value>) {
        let (mut conditions, mut params) = (Vec::new(), Vec::new());
        for (bound, sign) in [(after, ">"), (before, "<")] {
            let Some(bound) = bound else { continue };
            let places: Vec<String> =
                (1..=bound.len()).map(|n| format!("${}", params.len() + n)).collect();
            let columns = self.key[..bound.len()].join(", ");
            conditions.push(format!("({columns}) {sign} ({})", places.join(", ")));
            params.extend(bound.iter().cloned());
        }
        let Self { table, columns, key, .. } = self;
        let filter = if conditions.is_empty() { "" } else { "WHERE" };
        let order = if direction == Direction::Forward { "" } else { " DESC" };
        let order: Vec<String> = key.iter().map(|column| format!("{column}{order}")).collect();
        let statement = format!(
            "SELECT {columns} FROM {table} {filter} {} ORDER BY {} LIMIT {TRANSFER_ROWS_AT_ONCE}",
            conditions.join(" AND "),
            order.join(", ")
        );
        (statement, params)
    }
}

type Bounds = (Option<Key>, Option<Key>);

struct Walk<'a> {
    table: &'a Readable<'a>,
    take: &'a mut dyn FnMut(Row),
    /// What the first column of a key is not below.
    least: Value,
    rows: usize,
    gaps: Vec<Gap>,
    /// Rows that had been read when the last gap was found.
    rows_at_gap: usize,
}

impl Walk<'_> {
    /// Reads between two keys, after so many halvings of a gap in which no row was readable.
    fn close(&mut self, mut bounds: Bounds, halvings: u32) {
        let before = self.rows;
        let Err(error) = self.run(&mut bounds, Direction::Forward) else { return };
        if self.run(&mut bounds, Direction::Backward).is_ok() {
            return;
        }
        let halvings = if self.rows > before { 0 } else { halvings + 1 };
        let (after, before) = bounds;
        match middle(after.as_deref(), before.as_deref(), &self.least) {
            Some(middle) if halvings <= SALVAGE_HALVINGS => {
                self.close((after, Some(vec![middle.clone()])), halvings);
                self.close((Some(vec![last_below(middle)]), before), halvings);
            }
            _ => self.add_gap(after, before, error.to_string()),
        }
    }

    /// Adds a gap, or a part of the last one if there was no row between the two.
    fn add_gap(&mut self, after: Option<Key>, before: Option<Key>, why: String) {
        match self.gaps.last_mut() {
            Some(last) if self.rows == self.rows_at_gap => last.before = before,
            _ => self.gaps.push(Gap { table: self.table.table, after, before, why }),
        }
        self.rows_at_gap = self.rows;
    }

    /// Reads up to the other bound or to an error, and moves the bound behind what it has read.
    fn run(&mut self, (after, before): &mut Bounds, direction: Direction) -> SqlResult<()> {
        let table = self.table;
        loop {
            let (statement, params) = table.statement(after.as_ref(), before.as_ref(), direction);
            let mut rows = Vec::new();
            let result =
                Embedded(table.connection).rows_until_error(&statement, &params, &mut rows);
            if let Some(last) = rows.last() {
                let key = Some(last.values()[..table.key.len()].to_vec());
                match direction {
                    Direction::Forward => *after = key,
                    Direction::Backward => *before = key,
                }
            }
            let is_end = rows.len() < TRANSFER_ROWS_AT_ONCE;
            self.rows += rows.len();
            rows.into_iter().for_each(&mut *self.take);
            result?;
            if is_end {
                return Ok(());
            }
        }
    }
}

/// Returns a value between the first columns of two keys; `None` if there is none. No stored text or
/// digest ends as this does.
fn middle(after: Option<&[Value]>, before: Option<&[Value]>, least: &Value) -> Option<Value> {
    let (low, high) = (after.and_then(<[_]>::first), before.and_then(<[_]>::first));
    match least {
        Value::Integer(_) => {
            let number = |value: Option<&Value>| match value {
                Some(Value::Integer(number)) => Some(*number),
                _ => None,
            };
            let low = number(low).unwrap_or(0);
            // Behind the last readable row there may be as many again.
            let high = number(high).unwrap_or_else(|| low.saturating_mul(2).saturating_add(1024));
            let middle = low + (high.checked_sub(low)?) / 2;
            (low < middle && middle < high).then_some(Value::Integer(middle))
        }
        Value::Text(_) => {
            let bytes = |value: Option<&Value>| match value {
                Some(Value::Text(text)) => Some(fraction(text.as_bytes(), 7)),
                _ => None,
            };
            let (low, high) = (bytes(low).unwrap_or(0), bytes(high).unwrap_or(u64::MAX >> 8));
            let middle = low + high.checked_sub(low)? / 2;
            let text: String = (0..DIGITS)
                .rev()
                .map(|digit| char::from((middle >> (7 * digit)).to_le_bytes()[0] & 0x7f))
                .chain(['\u{1}'])
                .collect();
            (low < middle && middle < high).then_some(Value::Text(text.into()))
        }
        Value::Bytes(_) => {
            let bytes = |value: Option<&Value>| match value {
                Some(Value::Bytes(bytes)) => Some(fraction(bytes, 8)),
                _ => None,
            };
            let (low, high) = (bytes(low).unwrap_or(0), bytes(high).unwrap_or(u64::MAX));
            let middle = low + high.checked_sub(low)? / 2;
            let bytes: Box<[u8]> = middle.to_be_bytes().into_iter().chain([1]).collect();
            (low < middle && middle < high).then_some(Value::Bytes(bytes))
        }
        Value::Null | Value::Truth(_) => None,
    }
}

/// Bytes of a key that tell where it lies between two others.
const DIGITS: u32 = 8;

/// Returns the first bytes as one number, with so many bits of each.
fn fraction(bytes: &[u8], bits: u32) -> u64 {
    let mask = (1_u64 << bits) - 1;
    let digit = |place: usize| bytes.get(place).map_or(0, |byte| u64::from(*byte).min(mask));
    (0..DIGITS as usize).fold(0, |number, place| number << bits | digit(place))
}

/// Returns the bound for what is not below a value: a number itself may be a key.
fn last_below(middle: Value) -> Value {
    if let Value::Integer(number) = middle { Value::Integer(number - 1) } else { middle }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { table, after, before, why } = self;
        write!(f, "{table}: the rows ")?;
        match (after, before) {
            (None, None) => f.write_str("are unreadable")?,
            (Some(after), None) => write!(f, "after {} are unreadable", shown(after))?,
            (None, Some(before)) => write!(f, "before {} are unreadable", shown(before))?,
            (Some(after), Some(before)) => {
                write!(f, "between {} and {} are unreadable", shown(after), shown(before))?;
            }
        }
        write!(f, ": {why}")
    }
}

impl Gap {
    pub(crate) const fn table(&self) -> &'static str {
        self.table
    }
}

fn shown(key: &[Value]) -> String {
    let value = |value: &Value| match value {
        Value::Null => "null".to_owned(),
        Value::Truth(truth) => truth.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::Text(text) => text.escape_default().to_string(),
        Value::Bytes(bytes) => data_encoding::HEXLOWER.encode(bytes),
    };
    key.iter().map(value).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    const PAGE: usize = 4096;

    /// Overwrites the leaf pages that hold these texts. Returns how many rows they had.
    fn lose_pages(database: &Path, kind: u8, texts: &[&str]) -> usize {
        let mut bytes = fs::read(database).unwrap();
        let mut rows = 0;
        for text in texts {
            let holds = |page: &&mut [u8]| {
                page[0] == kind && page.windows(text.len()).any(|part| part == text.as_bytes())
            };
            // Another of the texts may have been on the same page.
            let Some(page) = bytes.chunks_exact_mut(PAGE).find(holds) else { continue };
            rows += usize::from(u16::from_be_bytes([page[3], page[4]]));
            page.fill(0);
        }
        fs::write(database, bytes).unwrap();
        rows
    }

    fn check(table: &'static str, key: &str, leaf: u8, create: &str) {
        const ROWS: usize = 5000;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.db");
        let connection = Connection::open(&path).unwrap();
        let fill = format!(
            "{create}; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {ROWS})
             INSERT INTO {table} SELECT {key}, printf('row %05d', i) || zeroblob(40) FROM n"
        );
        connection.execute_batch(&fill).unwrap();
        drop(connection);
        let texts = ["row 00001", "row 01200", "row 03300", "row 05000"];
        let lost = lose_pages(&path, leaf, &texts);

        let connection = Connection::open(&path).unwrap();
        let columns = "*";
        let (mut found, key) = (Vec::new(), ["k"]);
        let readable = Readable { connection: &connection, table, columns, key: &key };
        let gaps = readable.read(&mut |row| found.push(row));
        let read = found.len();
        found.sort_by_key(|row| format!("{:?}", row.values()));
        found.dedup();
        assert_eq!(found.len(), read, "no row is read twice");
        let inner = lost + gaps.len();
        // An inner page of a table without row ids has a row between two leaves.
        assert!((ROWS - inner..=ROWS - lost).contains(&read), "{read} of {ROWS}, {lost} lost");
        assert!((1..=texts.len()).contains(&gaps.len()), "{gaps:?}");
        for gap in gaps {
            assert!(gap.to_string().starts_with(&format!("{table}: the rows ")), "{gap}");
        }
    }

    #[test]
    fn all_rows_outside_of_lost_pages_are_read_once() {
        check("t", "i", 0x0d, "CREATE TABLE t (k INTEGER PRIMARY KEY, x TEXT)");
        let spread = "printf('%08x', i * 2654435761 % 4294967296)";
        let create = "CREATE TABLE w (k TEXT PRIMARY KEY, x TEXT) WITHOUT ROWID";
        check("w", spread, 0x0a, create);
        let create = "CREATE TABLE b (k BLOB PRIMARY KEY, x TEXT) WITHOUT ROWID";
        check("b", &format!("CAST({spread} AS BLOB)"), 0x0a, create);
    }
}
