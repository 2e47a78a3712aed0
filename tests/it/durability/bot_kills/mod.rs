//! Bots, their engines and the server are killed with SIGKILL at random moments while bots play
//! with clocks.

mod campaign; // games, kills, and what comes of them
mod gate; // one address for a server that changes ports
mod kills; // no game is lost on time that its clock allowed
mod program; // a bot that is started again
mod verdict; // what the records say
