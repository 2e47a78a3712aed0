//! A test client: it sends JSON and keeps every frame that it receives.
//!
//! It validates each frame against the published schema, and replays the records of each game.
//! [`Peer::next_matching`] and the methods built on it return each frame once, in any order, and
//! wait for it if need be. A failing test prints the last frames.

mod client; // requests, received frames and records
mod connect; // connections and `hello`

pub(crate) use client::{Frame, Peer, Stream};
pub(crate) use connect::PASSWORD;
