//! Bots, their engines and the server are killed at random moments while bots play with clocks.

mod clients; // bots of all clients, while the server is away again and again
mod kills; // no game is lost on time that its clock allowed
mod program; // a bot that is started again
mod verdict; // what the records say
