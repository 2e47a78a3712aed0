//! Suites of tests: what runs, side by side where it can, and what a run tells while it runs and at
//! its end.

mod events; // what test programs report
mod reporters; // programs that make other test runners report
mod rust; // the test binaries of the workspace
mod share; // which parts run at which commit
mod steps; // steps in phases and lanes
mod summary; // the end of a run

pub(crate) use events::Tally;
pub(crate) use reporters::reporter;
pub(crate) use rust::{Binaries, Binary};
pub(crate) use share::{Share, commits};
pub(crate) use steps::{Live, Phase, Step, Suite};
