//! Attacks on a server with default limits, and what other clients notice.

mod arena;
mod attacker;
mod bystander;
mod costly;
mod games;
mod handshakes;
mod lists;
mod lobby;
mod newcomer;
mod notices;
mod report;
mod requests;
mod returning;
mod run;
mod shared_places;

pub use self::{
    report::{AttackReport, Outcome},
    run::{Attack, measure},
};
