//! Counts what a busy machine cannot blur: instructions, wake-ups and commits of a move.

mod callgrind;
mod part;
mod profile;
mod report;
mod run;

pub use self::{
    callgrind::{count, under_callgrind},
    profile::Profile,
    report::{Compared, CountReport},
    run::{Counted, Planned, plan},
};
