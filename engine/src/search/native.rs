//! What a native position offers.
//!
//! `rules` stays the referee: property tests hold each native position equal to it along random
//! games, in moves, next positions, ends, hashes and texts. See [`tests`](self) of each game.

use adamant_rules::Position;

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// This seat has won.
    Won(usize),
    /// Nobody has.
    Drawn,
}

/// A position of plain memory that is copied rather than restored.
pub trait Native: Copy {
    /// A move, of few bytes.
    type Move: Copy + Eq + std::fmt::Debug;

    /// The same position; `None` if this representation cannot hold it.
    fn from_rules(position: &Position) -> Option<Self>;
    /// The seat to move.
    fn to_move(&self) -> usize;
    /// Adds the legal moves: all of them, where they can be listed.
    fn moves(&self, moves: &mut Vec<Self::Move>);
    /// Makes a legal move and what the rules demand after it, up to the next choice.
    fn play(&mut self, mv: Self::Move);
    /// How the game has ended, if it has.
    fn end(&self) -> Option<End>;
    /// The hash that `rules` gives the position: repetition is counted by it.
    fn hash(&self) -> u64;
    /// The canonical notation of a move.
    fn text(&self, mv: Self::Move) -> String;
}

/// Spreads a number over all 64 bits, as the hashes of `rules` do: the finaliser of `SplitMix64`.
pub(super) const fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
