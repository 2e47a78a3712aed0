//! Either database, and how an area decides and reads on it.

use super::{postgres::Postgres, sqlite::Sqlite};

/// The database of a store. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) enum Database {
    /// Files of this server alone.
    Sqlite(Sqlite),
    /// A database that several nodes share.
    Postgres(Postgres),
}

/// Runs an async function over `&impl Sql`, by a method of each database. What the function needs
/// is a value, because PostgreSQL may have to be asked again.
macro_rules! on_database {
    ($sqlite:ident, $postgres:ident, $database:expr, $value:expr,
     |$sql:ident, $with:pat_param| $body:expr) => {
        match $database {
            $crate::store::database::Database::Sqlite(database) => {
                let value = $value;
                let run = move |connection: &rusqlite::Connection| {
                    let ($sql, $with) = (&$crate::store::sql::Embedded(connection), &value);
                    $crate::store::sql::at_once($body)
                };
                database.$sqlite(run).await
            }
            $crate::store::database::Database::Postgres(database) => {
                let run = database.$postgres($value, move |$sql, $with| {
                    Box::pin(async move { $body.await.map_err(Into::into) })
                });
                run.await
            }
        }
    };
}
pub(super) use on_database;

/// Decides and stores in one transaction.
macro_rules! transact {
    ($($how:tt)*) => {
        $crate::store::database::on_database!(write, transact, $($how)*)
    };
}
pub(super) use transact;

/// Reads what survives a power cut and the loss of the primary.
macro_rules! read {
    ($($how:tt)*) => {
        $crate::store::database::on_database!(read_with, read_confirmed, $($how)*)
    };
}
pub(super) use read;

/// Reads what a client may see before a standby has it, such as whether it may come in.
macro_rules! read_unconfirmed {
    ($($how:tt)*) => {
        $crate::store::database::on_database!(read_with, read_unconfirmed, $($how)*)
    };
}
pub(super) use read_unconfirmed;

/// Reads a list, on which no game depends: only a few are read at the same time.
macro_rules! list {
    ($($how:tt)*) => {
        $crate::store::database::on_database!(read_list, read_list, $($how)*)
    };
}
pub(super) use list;
