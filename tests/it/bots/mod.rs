//! Bots: accounts of programs, and the server's own bots.

mod house; // the server's own bots and the example bot
mod ownership; // bot accounts and their owners
