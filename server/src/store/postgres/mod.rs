//! The store in PostgreSQL, which several nodes share.
//!
//! A synchronous standby has each commit before any client learns of it. Nothing that is read
//! counts before this node knows that the same holds for what it has read.

mod announcement;
mod announcer;
mod append_rows;
mod appender;
mod backend;
mod certificate_fault;
mod clock_samples;
mod cluster_clock;
mod commit_metrics;
mod connection;
mod copy;
mod dialer;
mod event_queue;
mod failure;
mod heard_queue;
mod journal;
mod journal_tasks;
mod last_heartbeat;
mod listener;
mod live_games;
mod living_nodes;
mod membership;
mod node_rows;
mod pool;
mod postgres;
mod postgres_error;
mod presence;
mod presence_rows;
mod primary;
mod record_reads;
mod server_checks;
mod signing_keys;
mod tables;
mod task_transaction;
#[cfg(test)]
mod tests;
mod transaction;
mod tries;
mod url;
mod values;
mod wake_times;

pub(crate) use backend::PostgresNode;
pub(crate) use commit_metrics::CommitMetrics;
pub(crate) use copy::ArrivedGame;
pub(crate) use failure::Failure;
pub(crate) use postgres::{Postgres, PostgresOptions};
pub(crate) use postgres_error::PostgresError;
pub(crate) use signing_keys::NodeKeys;
#[cfg(test)]
pub(crate) use signing_keys::PushSecret;
#[cfg(test)]
pub(super) use tests::TestDatabase;
pub(super) use transaction::Transaction;
pub(crate) use url::PostgresUrl;
