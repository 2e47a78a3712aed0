//! `adamant puzzles`: finds puzzles in games, and proves the puzzles of a file.

mod check;
mod command;
mod entry;
mod mine;
mod proof;
mod puzzle;
#[cfg(test)]
mod tests;

pub(crate) use command::puzzles;
