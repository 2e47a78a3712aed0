//! The test suite over real sockets: the server's own binary, spoken to in plain JSON.
//!
//! A frame is what stands on the wire: only one test, about crashes, uses the product's client.
//! Rules and records are the product's, because a test must know legal moves and check chains.
#![cfg(test)]

mod crash;
mod harness;
mod hostile;
mod invariants;
mod slow;

mod challenges;
mod harness_works;
mod moves;
mod offers;
mod resume;
mod seeks;
mod three_players;
mod watching;
