//! A table: a position with its players, clocks and offers, and the events of its game.
//!
//! A table changes by [`Table::apply`] alone. Everything else is a question: what an act would lead
//! to, what has become overdue, how things stand. Users, connections and storage are not its
//! business; whoever asks has found out already which seat speaks.

mod error;
mod history;
mod length;
mod offer_limits;
mod outcome;
mod permissions;
mod queries;
mod server_actions;
mod state;
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
