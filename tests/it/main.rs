//! The test suite over real sockets: the server's own binary, spoken to in plain JSON.
//!
//! A frame is what stands on the wire: only one test, about crashes, uses the product's client, and
//! only the simulation has the server in its own process.
//! Rules and records are the product's, because a test must know legal moves and check chains.
#![cfg(test)]

mod accounts;
mod allowances;
mod backup;
mod bots;
mod challenges;
mod cli;
mod clocks;
mod crash;
mod damage;
mod damaged_games;
mod delay;
mod documented;
mod every_game;
mod front_door;
mod harness;
mod harness_works;
mod hostile;
mod house;
mod invariants;
mod lists;
mod long_games;
mod looking;
mod metrics;
mod moves;
mod names;
mod offers;
mod operating;
mod parking;
mod playing;
mod positions;
mod presence;
mod ratings;
mod reading;
mod records;
mod rematch;
mod resume;
mod scarcity;
mod seeks;
mod sim;
mod sketches;
mod slow;
mod stopping;
mod stuck;
mod swap;
mod takebacks;
mod talk;
mod three_players;
mod tokens;
mod transcript;
mod watching;
