//! The rules of Adamant's games, and the table they are played at.
//!
//! Everything here is a function of its arguments: no input or output, no clock of its own, no
//! randomness, no serialisation. The server referees with it, the clients draw and replay with it,
//! and a journal is turned back into a game by the same calls that played it.

pub mod cell;
pub mod clock;
pub mod completions;
mod drawing;
pub mod event;
pub mod game;
pub mod games;
mod hashing;
pub mod options;
pub mod record;
pub mod refusal;
pub mod seat;
pub mod sketch;
pub mod table;

pub use cell::{Cell, CellName};
pub use clock::{GameClock, TimeControl};
pub use event::{Event, EventKind, Events, Player, Setup};
pub use game::{Capture, Captures, Consequence, EndReason, LeaveReason};
pub use games::{Kind, Move, Position};
pub use options::Options;
pub use refusal::{IllegalMove, Refusal};
pub use seat::{BySeat, Seat, SeatSet};
pub use table::{Act, Table};
