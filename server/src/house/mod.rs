//! The house players: bots that accept challenges at once, so that a visitor who is alone can play,
//! one for each level. Each goes through the same door as every bot, a session, though over a pipe
//! inside the process; and each search_level about one move at a time.

mod absent_opponents;
mod admission;
mod house;

pub(crate) use house::{HouseBot, play, players};
