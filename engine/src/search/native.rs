//! What a native position offers.
//!
//! `rules` stays the referee: property tests hold each native position equal to it along random
//! games, in moves, next positions, ends, hashes and texts.

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

/// Holds native positions equal to `rules`.
#[cfg(test)]
pub(super) mod tests {
    use adamant_rules::{Kind, Options, Position};
    use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

    use super::{End, Native};

    /// Plays random games with both, and compares all that a native position says. With
    /// `moves_max`, positions that have more moves are compared in a sample of them.
    pub(crate) fn equals_rules<G: Native>(
        kind: Kind,
        options: &str,
        games: u64,
        moves_max: usize,
    ) -> usize {
        let options = Options::parse(options, kind.option_specs()).unwrap();
        let mut compared = 0;
        for seed in 0..games {
            let mut rng = StdRng::seed_from_u64(seed);
            let mut position = kind.open(&options, 2).unwrap();
            let mut native = G::from_rules(&position).unwrap();
            for _ in 0..300 {
                compare(&native, &position, moves_max);
                compared += 1;
                if native.end().is_some() {
                    break;
                }
                let mv =
                    position.sample_moves(1, &mut |below| rng.random_range(0..below)).remove(0);
                let notation = mv.to_string();
                let mut moves = Vec::new();
                native.moves(&mut moves);
                let same = moves.into_iter().find(|&mv| native.text(mv) == notation);
                native.play(same.unwrap_or_else(|| panic!("{notation} is missing")));
                position.apply(&mv);
                position.settle();
            }
        }
        compared
    }

    fn compare<G: Native>(native: &G, position: &Position, moves_max: usize) {
        assert_eq!(native.hash(), position.hash());
        let again = G::from_rules(position).unwrap();
        assert_eq!(again.hash(), native.hash());
        let end = position.clone().settle().map(|(winners, _)| match winners.single() {
            Some(winner) => End::Won(winner.index()),
            None => End::Drawn,
        });
        assert_eq!(native.end(), end);
        if end.is_some() {
            return;
        }
        assert_eq!(native.to_move(), position.to_move().index());
        let texts = |native: &G| {
            let mut moves = Vec::new();
            native.moves(&mut moves);
            let mut texts: Vec<_> = moves.into_iter().map(|mv| native.text(mv)).collect();
            texts.sort_unstable();
            texts
        };
        let legal = position.legal_moves(moves_max);
        if legal.len() < moves_max {
            let mut legal: Vec<_> = legal.iter().map(ToString::to_string).collect();
            legal.sort_unstable();
            assert_eq!(texts(native), legal);
            assert_eq!(texts(&again), legal);
        }
    }
}
