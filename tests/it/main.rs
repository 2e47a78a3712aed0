//! The test suite over real sockets: the server's own binary, spoken to in plain JSON.
//!
//! A frame is what stands on the wire: only one test, about crashes, uses the product's client.
//! Rules and records are the product's, because a test must know legal moves and check chains.
#![cfg(test)]

mod accounts;
mod challenges;
mod cli;
mod clocks;
mod crash;
mod every_game;
mod front_door;
mod harness;
mod harness_works;
mod hostile;
mod house;
mod invariants;
mod lists;
mod moves;
mod offers;
mod playing;
mod resume;
mod seeks;
mod sketches;
mod slow;
mod stopping;
mod stuck;
mod swap;
mod three_players;
mod transcript;
mod watching;
