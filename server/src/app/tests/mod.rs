//! Two nodes on one store: what the clients of one hear of what happens at the other.

mod client;
mod leaving;
mod matchmaking;
mod node;
mod sessions;
