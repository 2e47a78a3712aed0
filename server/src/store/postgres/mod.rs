//! The store in PostgreSQL, which several nodes share.
//!
//! A synchronous standby has each commit before any client learns of it. Nothing that is read
//! counts before this node knows that the same holds for what it has read.

mod announcement;
mod announcer;
mod append_rows;
mod appender;
mod archives;
mod backend;
mod beginnings;
mod certificate_fault;
mod challenges;
mod clock_samples;
mod cluster_clock;
mod columns;
mod commit_metrics;
mod connection;
mod dialer;
mod downloads;
mod ends;
mod event_queue;
mod failure;
mod game_lists;
mod heard_queue;
mod integrity_check;
mod invites;
mod journal;
mod journal_tasks;
mod last_heartbeat;
mod list_query;
mod listener;
mod living_nodes;
mod membership;
mod migrations;
mod node_rows;
mod notifications;
mod offer_locks;
mod pool;
mod postgres;
mod postgres_error;
mod presence;
mod presence_rows;
mod primary;
mod ratings_check;
mod record_reads;
mod relations;
mod results;
mod schema;
mod seeks;
mod server_checks;
mod session_seed;
mod signing_keys;
mod standings;
mod statistics;
mod sweep;
mod tables;
mod talk;
mod task_transaction;
#[cfg(test)]
mod tests;
mod token_rows;
mod tokens;
mod transaction;
mod transfer;
mod transfer_values;
mod tries;
mod url;
mod users;
mod values;
mod wake_times;

pub(crate) use backend::PostgresNode;
pub(crate) use commit_metrics::CommitMetrics;
pub(crate) use postgres::{Postgres, PostgresOptions};
pub(crate) use postgres_error::PostgresError;
pub(crate) use signing_keys::NodeKeys;
#[cfg(test)]
pub(super) use tests::TestDatabase;
pub(crate) use transfer::ImportedGame;
pub(crate) use url::PostgresUrl;
