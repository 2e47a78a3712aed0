//! A file per command.

mod bench;
mod ci;
mod cluster;
mod contest;
mod crates;
mod docs;
mod fuzz;
mod kills;
mod last_full_run;
mod npm;
mod python;
mod release;
mod schemas;
mod sim;
mod test;
mod types;
mod typescript;
mod web;

pub(crate) use bench::bench;
pub(crate) use ci::ci;
pub(crate) use cluster::{ClusterOptions, cluster};
pub(crate) use contest::{ContestArgs, contest};
pub(crate) use docs::docs;
pub(crate) use fuzz::fuzz;
pub(crate) use kills::{KillsArgs, kills};
pub(crate) use release::release;
pub(crate) use sim::sim;
pub(crate) use test::{Only, TestArgs, setup, test};
pub(crate) use types::types;
pub(crate) use web::{measure, pictures};
