//! The commands.

mod campaigns;
mod cluster;
mod crates;
mod debian;
mod docs;
mod growth;
mod npm;
mod python;
mod release;
mod schemas;
mod strength;
mod test;
mod types;
mod typescript;
mod web;

pub(crate) use campaigns::{ContestArgs, KillsArgs, contest, fuzz, kills, sim};
pub(crate) use cluster::{ClusterOptions, cluster};
pub(crate) use docs::docs;
pub(crate) use release::{bench, release};
pub(crate) use strength::{StrengthArgs, strength};
pub(crate) use test::{Only, TestArgs, ci, setup, test};
pub(crate) use types::types;
pub(crate) use web::{measure, pictures};
