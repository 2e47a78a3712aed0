//! A table: a position with its players, clocks and offers, and the events of its game.
//!
//! A table changes only by [`Table::apply`]. Everything else is a query: the events of an act,
//! overdue events, the state. Users, connections and storage are not its concern: the caller has
//! mapped the user to a seat.

mod branch;
mod error;
mod history;
mod length;
mod offer_limits;
mod outcome;
mod permissions;
mod queries;
mod server_actions;
mod state;
#[expect(clippy::module_inception, reason = "the file has the type that the folder is named for")]
mod table;
mod transition;

pub use error::{ApplyError, SetupError};
pub use length::{DRAWN_AT, OFFERS_END_AT, RECORDS_MAX};
pub use offer_limits::TAKEBACKS_PER_SEAT_MAX;
pub use outcome::Outcome;
pub use server_actions::ServerAction;
pub use state::OpenOffer;
pub use table::{Act, Table};

pub(crate) use outcome::Departure;
