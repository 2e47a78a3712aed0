//! Programs and levels that choose moves.
//!
//! - [`analysis`] is what the search thinks of a finished game.
//! - [`choice`] is the move choice of the server's bots and of `adamant bot`, by levels.
//! - [`search`] is the strong search, by game, under limits of nodes and time.
//! - [`puzzles`] finds puzzles in games, and proves them.
//! - [`protocol`] is the engine protocol: programs that choose moves, on their standard input and
//!   output, and the levels of [`choice`] as such a program.
//! - [`tournament`] is matches and tournaments between engines.
//!
//! Nothing here knows servers or the network.

pub mod analysis;
pub mod choice;
pub mod protocol;
pub mod puzzles;
pub mod search;
pub mod tournament;
