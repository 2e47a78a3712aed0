//! Bots, their engines and the server are killed at random moments while bots play with clocks.

mod campaign; // games, kills, and what comes of them
mod clients; // bots of all clients, while the server is away again and again
mod gate; // one address for a server that changes ports
mod kills; // no game is lost on time that its clock allowed
mod outages; // how long the server is away, and how soon its clients are back
mod program; // a bot that is started again
mod verdict; // what the records say
