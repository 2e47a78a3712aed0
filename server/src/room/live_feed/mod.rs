//! The feed of changed games, from rooms to lists of live games. Without a subscriber it keeps
//! nothing, and a move costs one atomic load. `live` builds lists from it.

mod feed;
#[cfg(test)]
pub(crate) mod fixture;

pub(crate) use feed::LiveFeed;
