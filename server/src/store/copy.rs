//! Moves a store between the databases: their tables are the same, and are copied row by row.

use futures::future::try_join_all;

use super::{
    schema::CopiedTable,
    sql::{Row, Sql, SqlResult, params},
};

/// Returns the next rows of a table after a row, in the order of its key.
pub(super) async fn rows(
    sql: &impl Sql,
    table: &CopiedTable,
    after: Option<&Row>,
    limit: usize,
) -> SqlResult<Vec<Row>> {
    let (name, key) = (table.name, table.key.join(", "));
    let places: Vec<String> = (1..=table.key.len()).map(|n| format!("${n}")).collect();
    let places = places.join(", ");
    let from = after.map_or_else(String::new, |_| format!("WHERE ({key}) > ({places})"));
    let select = format!("SELECT * FROM {name} {from} ORDER BY {key} LIMIT {limit}");
    // Each table begins with its key.
    let after = after.map_or(&[][..], |row| &row.values()[..table.key.len()]);
    sql.query(&select, after).await
}

/// Adds rows to a table.
pub(super) async fn add_rows(sql: &impl Sql, table: &CopiedTable, rows: &[Row]) -> SqlResult<()> {
    let Some(first) = rows.first() else { return Ok(()) };
    let places: Vec<String> = (1..=first.values().len()).map(|n| format!("${n}")).collect();
    let insert = format!("INSERT INTO {} VALUES ({})", table.name, places.join(", "));
    // PostgreSQL gets all of them at once.
    try_join_all(rows.iter().map(|row| sql.execute(&insert, row.values()))).await?;
    Ok(())
}

/// Returns the number of rows of a table.
pub(super) async fn count(sql: &impl Sql, table: &CopiedTable) -> SqlResult<u64> {
    Ok(sql.count(&format!("SELECT COUNT(*) FROM {}", table.name), &[]).await? as u64)
}

/// Deletes the seeks that ended with the sessions of the old servers.
pub(super) async fn end_sessions(sql: &impl Sql) -> SqlResult<()> {
    let delete = "DELETE FROM offers WHERE kind = 'seek' AND expires_at IS NULL";
    sql.execute(delete, params![]).await?;
    Ok(())
}
