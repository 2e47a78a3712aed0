//! The test suite over real sockets: the server's own binary, spoken to in plain JSON.
//!
//! Nothing here uses the product's client: a frame is what stands on the wire. Rules and records
//! are the product's, because a test must know legal moves and check chains.
#![cfg(test)]

mod harness;

mod harness_works;
