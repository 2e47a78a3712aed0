//! The first steps of a turn: each cell that a move can begin with, and what can follow it. A
//! client that has them answers the first click of its player by itself.

use crate::{
    cell::Cell,
    completions::{self, Completions},
    game::{Followers, Game, Target},
    sketch::{Amount, Role, Sketch},
};

/// A cell that a move can begin with.
#[derive(Clone, PartialEq, Debug)]
pub struct Step<M> {
    /// The cell.
    pub cell: Cell,
    /// Its role in the move.
    pub role: Role,
    /// The legal move that it is by itself, if it is one.
    pub mv: Option<M>,
    /// How much of it takes part, and what else could.
    pub amount: Amount,
    /// What can be picked next.
    pub next: Followers,
}

impl<M> Step<M> {
    /// Returns the first steps of the seat to move, in the order of the cells.
    pub(crate) fn all<G: Game<Move = M>>(game: &G) -> Vec<Self> {
        let both = |cell| [Role::From, Role::To].map(|role| (role, cell));
        let choices = game.sources().into_iter().flat_map(both);
        choices.filter_map(|(role, cell)| Self::of(game, role, cell)).collect()
    }

    fn of<G: Game<Move = M>>(game: &G, role: Role, cell: Cell) -> Option<Self> {
        let first = Sketch::default().with(role, cell);
        if !game.can_complete(&first) {
            return None;
        }
        let (mv, _, completed) = Completions::validated(game, &first);
        let list = if role == Role::From { completed.from } else { completed.to };
        let amount = list.into_iter().next().map_or(Amount::Fixed, |picked| picked.amount);
        Some(Self { cell, role, mv, amount, next: followers(game, &first) })
    }

    /// Converts the move.
    pub(crate) fn map<N>(self, wrap: impl FnOnce(M) -> N) -> Step<N> {
        let Self { cell, role, mv, amount, next } = self;
        Step { cell, role, mv: mv.map(wrap), amount, next }
    }
}

/// Returns what can follow a first cell. Asks of every cell of the board, if the game does not know
/// better.
fn followers<G: Game>(game: &G, first: &Sketch) -> Followers {
    game.followers(first).unwrap_or_else(|| {
        let mut found = Followers::default();
        for next in completions::next_cells(game, first) {
            match next.role {
                Role::To => found.to.push(Target { cell: next.cell, capture: next.capture }),
                Role::From => found.from.push(next.cell),
            }
        }
        found
    })
}
