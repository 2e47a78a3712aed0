//! The store in PostgreSQL, which several nodes share.
//!
//! A synchronous standby has each commit before any client learns of it. Nothing that is read
//! counts before this node knows that the same holds for what it has read.

mod announcements;
mod appender;
mod clock;
mod connection;
mod dialer;
mod errors;
mod journal;
mod journal_tasks;
mod listener;
mod live_games;
mod migration;
mod nodes;
mod pool;
mod postgres;
mod presence;
mod signing_keys;
mod tasks;
#[cfg(test)]
mod tests;
mod url;
mod wake_times;

pub(super) use connection::Transaction;
pub(crate) use errors::{Failure, PostgresError};
pub(crate) use nodes::PostgresNode;
pub(crate) use postgres::{Postgres, PostgresOptions};
pub(crate) use signing_keys::NodeKeys;
#[cfg(test)]
pub(crate) use signing_keys::PushSecrets;
pub(crate) use tasks::ArrivedGame;
#[cfg(test)]
pub(super) use tests::TestDatabase;
pub(crate) use url::PostgresUrl;
