//! What rooms show of their games to those who look at many at once. Nothing is kept, and a move
//! costs one look at a flag, while nobody does. What is made of it is decided in `display`.

mod feed;
#[cfg(test)]
pub(crate) mod fixture;

pub(crate) use feed::LiveFeed;
