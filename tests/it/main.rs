//! The test suite over real sockets: the server's own binary, spoken to in plain JSON.
//!
//! A frame is what stands on the wire: only one test, about crashes, uses the product's client, and
//! only the simulation has the server in its own process.
//! Rules and records are the product's, because a test must know legal moves and check chains.
#![cfg(test)]

mod accounts; // guests, accounts, tokens, names, ratings
mod admin; // the socket of operators
mod bots; // bot accounts and the server's own bots
mod cli; // the command line program
mod cluster; // several nodes on one database
mod conformance; // clients against the server in chaos mode
mod durability; // crashes, power cuts, damaged files
mod game; // moves, clocks, offers, hints, resuming
mod harness; // servers, clients and games for all tests
mod http; // TLS, headers and the read-only API
mod limits; // rate limits, floods, malformed input, exhausted resources
mod lobby; // seeks, challenges, rematches
mod notifications; // push messages, webhooks, feeds
mod operations; // configuration, metrics, backups, shutdown
mod protocol_examples; // the examples of docs/PROTOCOL.md
mod records; // signed records
mod sim; // the simulation
mod spectating; // watching, delayed games, live lists
mod talk; // the chat of a game
mod texts; // the sentences that people read
