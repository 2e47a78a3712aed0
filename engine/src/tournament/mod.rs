//! Matches and tournaments between engines that speak the protocol of `adamant-engine`.
//!
//! - [`Plan`] is what is played: a game, engines, budgets, openings.
//! - [`Schedule`] numbers the games: each opening is played with every rotation of the seats.
//! - [`run()`] plays them, several at once, and goes on after a crash.
//! - [`Folder`] keeps results and records on disk.
//! - [`Report`] is what the results say; [`stats`] has its formulas.
//!
//! Without clocks nothing here depends on time or on the order in which games end: the same plan
//! gives the same bytes, if the engines give the same moves.

mod entry;
mod fault;
mod folder;
mod game;
mod game_time;
mod host;
pub mod limits;
mod openings;
mod plan;
mod report;
mod result;
mod rules;
mod run;
mod schedule;
pub mod stats;
mod tally;

pub use entry::{EntryError, enter};
pub use fault::{Fault, FaultKind};
pub use folder::{Folder, FolderError};
pub use game_time::GameTime;
pub use host::{EngineLog, Host};
pub use openings::{Opening, Openings, OpeningsError};
pub use plan::{EngineSpec, Plan, PlanError};
pub use report::{EngineReport, PairingReport, Report};
pub use result::GameResult;
pub use rules::Rules;
pub use run::{End, run};
pub use schedule::{Format, Schedule, ScheduleError, ScheduledGame};
pub use tally::Tally;
