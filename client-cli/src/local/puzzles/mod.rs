//! `adamant puzzles`: finds puzzles in games, and proves the puzzles of a file.

pub(crate) mod command;
pub(crate) mod proof;
pub(crate) mod puzzle;
#[cfg(test)]
mod tests;

pub(crate) use command::puzzles;
