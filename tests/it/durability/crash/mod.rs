//! The server is killed again and again while it is busy.
//! Nothing that it acknowledged is lost, doubled or reverted.

pub(crate) mod checker; // what clients received, compared with the stored records
pub(crate) mod player; // a simulated player of many games
pub(crate) mod random_kills; // `kill -9` at random moments
