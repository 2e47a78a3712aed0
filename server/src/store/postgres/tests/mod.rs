//! Tests against servers of PostgreSQL.

mod announced;
mod clocks;
mod controls;
mod error_classes;
mod fixture;
mod journal_faults;
mod journal_writers;
mod keys;
mod list_plans;
mod nodes;
mod old_server;
mod plans;
mod pool;
mod presence;
mod refusals;
mod wake_times;

pub(crate) use fixture::TestDatabase;
