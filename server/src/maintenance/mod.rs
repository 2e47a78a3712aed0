//! The operator's tasks: check a database, back it up, check or rebuild the ratings, and move a
//! store between a data directory and PostgreSQL.

mod tasks;
mod transfer;

pub use tasks::MaintenanceError;
pub use tasks::{DatabaseReport, RatingsSummary, RatingsTask, backup, check, ratings};
pub use tasks::{DatabaseTarget, check_database, export, import, ratings_of_database};
pub use transfer::TransferReport;
