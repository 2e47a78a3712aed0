//! A table: a position with its players, clocks and offers, and the events of its game.
//!
//! A table changes only by [`Table::apply`]. Everything else is a query: the events of an act,
//! overdue events, the state. Users, connections and storage are not its concern: the caller has
//! mapped the user to a seat.

mod error;
mod history;
mod permissions;
mod state;
#[expect(clippy::module_inception, reason = "the file has the type that the folder is named for")]
mod table;
mod transition;

pub use error::{ApplyError, SetupError};
pub use state::{DRAWN_AT, OFFERS_END_AT, OpenOffer, RECORDS_MAX, TAKEBACKS_PER_SEAT_MAX};
pub use table::{Act, ServerAction, Table};
pub use transition::Outcome;

pub(crate) use transition::Departure;
