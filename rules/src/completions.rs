//! The completions of a sketch: the move that it is already and the cells that can be picked next.
//! The game decides which cells these are.

use crate::{
    cell::Cell,
    game::Game,
    refusal::IllegalMove,
    sketch::{CompletedSketch, Role, Sketch},
};

/// A cell that can be picked next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NextCell {
    /// The cell.
    pub cell: Cell,
    /// Its role in the move. A cell that is picked already leaves its other role.
    pub role: Role,
    /// Whether going there captures.
    pub capture: bool,
    /// The picked cell that this one replaces, if a move has no room for both.
    pub instead_of: Option<Cell>,
}

/// What a sketch can become.
#[derive(Clone, PartialEq, Debug)]
pub struct Completions<M> {
    /// The legal move that the sketch is, if it is one.
    pub mv: Option<M>,
    /// The reason why the move is not legal, if the sketch is a whole move.
    pub why: Option<IllegalMove>,
    /// Its cells and their amounts.
    pub completed: CompletedSketch,
    /// The cells that can be picked next. A cell that is not picked yet can be listed in both
    /// roles, the usual one first. A picked cell is listed in the role that follows its present
    /// one.
    pub next: Vec<NextCell>,
}

impl<M> Completions<M> {
    /// Returns the completions of a sketch in a position.
    pub(crate) fn of<G: Game<Move = M>>(game: &G, sketch: &Sketch) -> Self {
        let (mv, why, completed) = Self::validated(game, sketch);
        Self { mv, why, completed, next: next_cells(game, sketch).collect() }
    }

    /// Returns the legal move that a sketch is, or why it is none, and its amounts.
    pub(crate) fn validated<G: Game<Move = M>>(
        game: &G,
        sketch: &Sketch,
    ) -> (Option<M>, Option<IllegalMove>, CompletedSketch) {
        let completed = game.complete_sketch(sketch);
        let validated = game.build_move(&completed).and_then(|mv| match mv {
            Some(mv) => game.validate(&mv).map(|_| Some(mv)),
            None => Ok(None),
        });
        match validated {
            Ok(mv) => (mv, None, completed),
            Err(why) => (None, Some(why), completed),
        }
    }

    /// Converts the move.
    pub(crate) fn map<N>(self, wrap: impl FnOnce(M) -> N) -> Completions<N> {
        let Self { mv, why, completed, next } = self;
        Completions { mv: mv.map(wrap), why, completed, next }
    }
}

/// Returns the cells that can be picked next, in the order of the cells.
pub(crate) fn next_cells<G: Game>(game: &G, sketch: &Sketch) -> impl Iterator<Item = NextCell> {
    let mut cells: Vec<Cell> = game.layout().cells.iter().map(|cell| cell.cell).collect();
    cells.sort_unstable();
    cells.into_iter().flat_map(|cell| next(game, sketch, cell))
}

/// Returns the ways in which a cell can be added to a sketch.
fn next<G: Game>(game: &G, sketch: &Sketch, cell: Cell) -> Vec<NextCell> {
    let others = sketch.without(cell);
    // A move begins with a source if the game has sources; then targets are the usual choice.
    let mut roles =
        if others.is_empty() { &[Role::From, Role::To][..] } else { &[Role::To, Role::From] };
    if let Some(role) = sketch.role(cell) {
        let place = roles.iter().position(|&known| known == role).expect("there are two roles");
        roles = &roles[place + 1..];
    }
    let entry = |role, instead_of| {
        let capture = role == Role::To && game.is_capture(cell);
        NextCell { cell, role, capture, instead_of }
    };
    let mut found: Vec<NextCell> = roles
        .iter()
        .filter(|&&role| game.can_complete(&others.with(role, cell)))
        .map(|&role| entry(role, None))
        .collect();
    let is_target = found.iter().any(|next| next.role == Role::To);
    if let Some(last) = sketch.to().last().filter(|_| !is_target && sketch.role(cell).is_none()) {
        let others = sketch.without(last.cell);
        // Replacing the only cell would begin a new sketch.
        if !others.is_empty() && game.can_complete(&others.with(Role::To, cell)) {
            found.push(entry(Role::To, Some(last.cell)));
        }
    }
    found
}
