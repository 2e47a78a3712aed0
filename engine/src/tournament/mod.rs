//! Matches and tournaments between engines that speak [the protocol](crate::protocol).
//!
//! - [`Plan`] is what is played: a game, engines, budgets, openings.
//! - [`Schedule`] numbers the games: each opening is played with every rotation of the seats.
//! - [`run()`] plays them, several at once, and goes on after a crash.
//! - [`Folder`] keeps results and records on disk.
//! - [`Report`] is what the results say; [`stats`] has its formulas.
//!
//! Without clocks nothing here depends on time or on the order in which games end: the same plan
//! gives the same bytes, if the engines give the same moves.

mod folder;
mod game;
pub mod limits;
mod plan;
mod report;
mod result;
mod run;
mod schedule;
pub mod stats;
mod tally;

pub use folder::{Folder, FolderError};
pub use game::{EngineLog, GameTime, Host};
pub use plan::{
    EngineSpec, EntryError, Opening, Openings, OpeningsError, Plan, PlanError, Rules, enter,
};
pub use report::{EngineReport, PairingReport, Report, UsageReport};
pub use result::{Fault, FaultKind, GameResult, Usage};
pub use run::{End, run};
pub use schedule::{Format, Schedule, ScheduleError, ScheduledGame};
pub use tally::Tally;
