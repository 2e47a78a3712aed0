//! The commands.

mod campaigns;
mod clients;
mod cluster;
mod counts;
mod crates;
mod docs;
mod drill;
mod image;
mod materials;
mod release;
mod strength;
mod tactics;
mod test;

pub(crate) use campaigns::{ContestArgs, KillsArgs, contest, fuzz, kills, sim};
pub(crate) use clients::{measure, pictures, types};
pub(crate) use cluster::{ClusterOptions, cluster};
pub(crate) use docs::docs;
pub(crate) use drill::{DrillArgs, drill};
pub(crate) use release::{bench, release};
pub(crate) use strength::{StrengthArgs, strength};
pub(crate) use tactics::{TacticsArgs, tactics};
pub(crate) use test::{Only, TestArgs, ci, setup, test};
