//! The server's own bots, one for each level. A bot accepts challenges at once, so that a user who
//! is alone can play. It is a client like every other bot, over a pipe inside the process, and it
//! searches for one move at a time; all of them share what may be searched together.

mod absent_opponents;
mod admission;
mod bot;
mod session;

pub(crate) use bot::{HouseBot, listed, players};
pub(crate) use session::{Searches, play};
