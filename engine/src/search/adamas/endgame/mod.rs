//! Endgame tables: for each position with few pieces who wins, and how soon, if both play as well
//! as can be. Of earlier positions, which may occur again, they know nothing.
//!
//! A table is of one board, captures not being progressive. It is made by retrograde analysis,
//! checked by the moves of every position, and kept in a file that names its format and the rules.

mod file;
mod number;
mod perfect;
mod retrograde;
mod table;
mod tables;

use self::retrograde::{fill, value_by_moves};

pub use file::TableFault;
pub(super) use perfect::{best_moves, by_table};
pub use table::{Endgame, PIECES, SIDES};
pub(super) use tables::Tables;
pub use tables::{BadTable, built_in_tables, read_table, table_file, use_tables};

/// How far a table is made or checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// The positions that are done with.
    pub done: u64,
    /// All positions.
    pub all: u64,
}

impl Endgame {
    /// Makes the table of a board of one of the [`SIDES`] with up to so many [`PIECES`]; `None` for
    /// any other.
    pub fn make(side: u8, pieces: u8, on_progress: &mut dyn FnMut(Progress)) -> Option<Self> {
        let mut table = Self::empty(side, pieces)?;
        // Each position is looked at from both ends.
        let (mut done, all) = (0, 2 * table.positions());
        let mut on_step = |steps| {
            done += steps;
            on_progress(Progress { done, all });
        };
        for all in 2..=pieces {
            for own in 1..=all / 2 {
                fill(&mut table, [own, all - own], &mut on_step);
            }
        }
        Some(table)
    }

    /// Compares the value of each position with those of the positions after its moves, and
    /// returns in how many they disagree. A table without mistakes is right: who follows it comes
    /// nearer to the end with each ply.
    pub fn check(&self, on_progress: &mut dyn FnMut(Progress)) -> u64 {
        let (mut done, all) = (0, self.positions());
        let mut mistakes = 0;
        for slice in &self.slices {
            for number in 0..slice.layout.len {
                let at = self.numbering.stacks(&slice.layout, number);
                if let Some(board) = at.and_then(|at| self.board(&at)) {
                    let known = slice.values[number as usize];
                    mistakes += u64::from(value_by_moves(self, &board) != known);
                }
                done += 1;
                if done % 4096 == 0 || done == all {
                    on_progress(Progress { done, all });
                }
            }
        }
        mistakes
    }
}

#[cfg(test)]
mod tests;
