//! What perfect play comes to.

/// What perfect play comes to, for the seat to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It wins after this many plies.
    Win(u8),
    /// Nobody can force a win.
    Draw,
    /// It loses after this many plies.
    Loss(u8),
}

impl Verdict {
    /// The plies to the end, unless it is a draw.
    pub fn plies(self) -> Option<u32> {
        match self {
            Self::Win(plies) | Self::Loss(plies) => Some(plies.into()),
            Self::Draw => None,
        }
    }

    /// Better verdicts have higher ranks: short wins, long losses.
    pub(super) fn rank(self) -> i16 {
        match self {
            Self::Win(plies) => i16::from(u8::MAX) + 1 - i16::from(plies),
            Self::Draw => 0,
            Self::Loss(plies) => i16::from(plies) - i16::from(u8::MAX) - 1,
        }
    }
}

/// What is known of a position for certain, as if no position had occurred before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Oracle {
    /// What perfect play comes to.
    pub verdict: Verdict,
    /// The first of the moves that reach it, in canonical notation. In Stymie those are left out to
    /// which a piece can be added, because more pieces never hurt.
    pub best: Vec<String>,
    /// How many moves reach it.
    pub moves: usize,
}

/// An opening of a small board and who wins after it. Others that mirror it are not listed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opening {
    /// The moves in canonical notation.
    pub text: String,
    /// How many openings it stands for, itself included.
    pub alike: usize,
    /// Whether whoever made the last of these moves wins; none if nobody can force that within
    /// `plies`.
    pub wins: Option<bool>,
    /// The plies in which a win is forced, or those within which there is none, where the solver
    /// counts them.
    pub plies: Option<u8>,
    /// The positions that the proof has looked at.
    pub nodes: u64,
    /// Whether another solver says the same; none if it was not asked or has not come to an end.
    pub agrees: Option<bool>,
}

impl Opening {
    /// Nodes in which the search, as the other solver, must come to its end.
    pub(super) const CHECK_NODES: u64 = 500_000_000;
}
