//! Bots: accounts of programs, and the server's own bots.

mod directory; // the directory of bots that accept challenges
mod engine_document; // the commands of docs/ENGINES.md
mod engines; // engines that `adamant bot` connects
mod example_bot; // the example bot in Python
mod house; // the server's own bots
mod naive_bot; // the bot of docs/PROTOCOL.md
mod ownership; // bot accounts and their owners
mod readme_bot; // the bot of the Rust client
