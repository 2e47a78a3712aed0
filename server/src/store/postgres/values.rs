//! Conversions between columns and the types of the server.

use std::str::FromStr;

use tokio_postgres::Row;

use super::failure::Failure;

/// Converts a seq or a time to PostgreSQL's signed integers. No value comes near the sign bit.
pub(super) fn to_sql(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Converts a seq, a time or a count from PostgreSQL's signed integers.
pub(super) fn from_sql(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// Reads a column of text as a name, an id or another type with a text form.
pub(super) fn parse<T: FromStr>(row: &Row, column: usize) -> Result<T, Failure> {
    let text: &str = row.try_get(column)?;
    text.parse().map_err(|_| Failure::fault(format!("a row has the value {text:?}")))
}

/// Reads a column with an array of texts in the same way. NULL is an empty one.
pub(super) fn parse_all<T: FromStr>(row: &Row, column: usize) -> Result<Vec<T>, Failure> {
    let texts: Option<Vec<&str>> = row.try_get(column)?;
    let parse = |text: &str| {
        text.parse().map_err(|_| Failure::fault(format!("a row has the value {text:?}")))
    };
    texts.unwrap_or_default().into_iter().map(parse).collect()
}
