//! Two nodes on one store: what the clients of one hear of what happens at the other; and the port
//! of a node that is not ready.

mod matchmaking;
mod node;
mod port;
mod sessions;
