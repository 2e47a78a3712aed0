//! A move that is put together cell by cell, as by pointing at a board: what it is so far, what it
//! comes to, and which cells may be added. What a game allows is asked of the game; nothing here
//! knows one.

use std::ops::RangeInclusive;

use crate::{cell::Cell, game::Game, refusal::IllegalMove};

/// What a cell is to a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// Pieces leave it.
    From,
    /// Pieces arrive at it.
    To,
}

/// How much of a cell somebody wants to take part in a move, or which.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AmountWish {
    /// So many pieces.
    Pieces(u8),
    /// What a game calls so.
    Choice(Box<str>),
}

/// A cell that was chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PickedCell {
    /// The cell.
    pub cell: Cell,
    /// How much of it, if anything was said.
    pub wish: Option<AmountWish>,
}

/// A move in the making: the cells chosen so far, each once, in the order in which they were.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Sketch {
    from: Vec<PickedCell>,
    to: Vec<PickedCell>,
}

impl Sketch {
    /// Takes a cell in, at the end of its list. If it was in the sketch already, it leaves its place.
    pub fn add(&mut self, role: Role, cell: Cell, wish: Option<AmountWish>) {
        self.remove(cell);
        let list = match role {
            Role::From => &mut self.from,
            Role::To => &mut self.to,
        };
        list.push(PickedCell { cell, wish });
    }

    /// Takes a cell out.
    pub fn remove(&mut self, cell: Cell) {
        self.from.retain(|part| part.cell != cell);
        self.to.retain(|part| part.cell != cell);
    }

    /// The cells that pieces leave.
    pub fn from(&self) -> &[PickedCell] {
        &self.from
    }

    /// The cells that pieces arrive at.
    pub fn to(&self) -> &[PickedCell] {
        &self.to
    }

    /// Whether nothing is chosen.
    pub const fn is_empty(&self) -> bool {
        self.from.is_empty() && self.to.is_empty()
    }

    /// What a cell is to the move, if it was chosen.
    pub fn role(&self, cell: Cell) -> Option<Role> {
        let is_in = |list: &[PickedCell]| list.iter().any(|part| part.cell == cell);
        if is_in(&self.from) { Some(Role::From) } else { is_in(&self.to).then_some(Role::To) }
    }

    fn with(&self, role: Role, cell: Cell) -> Self {
        let mut sketch = self.clone();
        sketch.add(role, cell, None);
        sketch
    }

    fn without(&self, cell: Cell) -> Self {
        let mut sketch = self.clone();
        sketch.remove(cell);
        sketch
    }
}

/// How much of a chosen cell takes part, and what else it could be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Amount {
    /// There is nothing to decide.
    Fixed,
    /// A number of pieces.
    Pieces {
        /// So many.
        pieces: u8,
        /// As many as could be, with the other amounts as they are.
        range: RangeInclusive<u8>,
    },
    /// One of several.
    Choice {
        /// This one.
        choice: Box<str>,
        /// All that could be, in the game's order.
        choices: Vec<Box<str>>,
    },
}

impl Amount {
    /// The choice that is wished for, or the first; settled where there is none.
    pub(crate) fn choice(wish: Option<&AmountWish>, choices: Vec<Box<str>>) -> Self {
        let wished = choices.iter().find(|&choice| match wish {
            Some(AmountWish::Choice(wish)) => choice.eq_ignore_ascii_case(wish),
            Some(AmountWish::Pieces(_)) | None => false,
        });
        match wished.or(choices.first()).cloned() {
            Some(choice) => Self::Choice { choice, choices },
            None => Self::Fixed,
        }
    }

    /// The number of pieces, which is one unless there is more to say.
    pub(crate) const fn pieces(&self) -> u8 {
        match self {
            Self::Pieces { pieces, .. } => *pieces,
            Self::Fixed | Self::Choice { .. } => 1,
        }
    }

    /// What was chosen, if there was a choice.
    pub(crate) fn chosen(&self) -> Option<&str> {
        match self {
            Self::Choice { choice, .. } => Some(choice),
            Self::Fixed | Self::Pieces { .. } => None,
        }
    }
}

/// A cell of a draft.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PickedAmount {
    /// The cell.
    pub cell: Cell,
    /// How much of it takes part.
    pub amount: Amount,
}

/// A sketch whose amounts are all possible.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompletedSketch {
    /// The cells that pieces leave.
    pub from: Vec<PickedAmount>,
    /// The cells that pieces arrive at.
    pub to: Vec<PickedAmount>,
}

impl CompletedSketch {
    /// The draft of a sketch in which there is nothing to decide but the cells.
    pub(crate) fn of(sketch: &Sketch) -> Self {
        let settled = |part: &PickedCell| PickedAmount { cell: part.cell, amount: Amount::Fixed };
        Self {
            from: sketch.from.iter().map(settled).collect(),
            to: sketch.to.iter().map(settled).collect(),
        }
    }
}

/// A cell that may be chosen next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NextCell {
    /// The cell.
    pub cell: Cell,
    /// What it becomes to the move. If it was chosen already, it leaves its other role.
    pub role: Role,
    /// Whether going there captures.
    pub capture: bool,
    /// The cell that goes out when this one comes in, where there is no room for both.
    pub instead_of: Option<Cell>,
}

/// What a sketch comes to.
#[derive(Clone, PartialEq, Debug)]
pub struct Completions<M> {
    /// The legal move that it stands for, if it does.
    pub mv: Option<M>,
    /// Why it is not legal, if it is a move and cannot be made.
    pub why: Option<IllegalMove>,
    /// Its cells and their amounts.
    pub completed: CompletedSketch,
    /// What may be chosen next. A cell that is not chosen yet can be listed in both roles, the usual
    /// one first; one that is chosen, in the role that comes after the one it has.
    pub next: Vec<NextCell>,
}

impl<M> Completions<M> {
    /// Looks at a sketch with the eyes of a game.
    pub(crate) fn of<G: Game<Move = M>>(game: &G, sketch: &Sketch) -> Self {
        let completed = game.complete_sketch(sketch);
        let judged = game.build_move(&completed).and_then(|mv| match mv {
            Some(mv) => game.validate(&mv).map(|_| Some(mv)),
            None => Ok(None),
        });
        let (mv, why) = match judged {
            Ok(mv) => (mv, None),
            Err(why) => (None, Some(why)),
        };
        let mut cells: Vec<Cell> = game.layout().cells.iter().map(|cell| cell.cell).collect();
        cells.sort_unstable();
        let next = cells.into_iter().flat_map(|cell| next(game, sketch, cell)).collect();
        Self { mv, why, completed, next }
    }

    /// The same of another kind of move.
    pub(crate) fn map<N>(self, wrap: impl FnOnce(M) -> N) -> Completions<N> {
        let Self { mv, why, completed, next } = self;
        Completions { mv: mv.map(wrap), why, completed, next }
    }
}

/// How a cell may be added.
fn next<G: Game>(game: &G, sketch: &Sketch, cell: Cell) -> Vec<NextCell> {
    let others = sketch.without(cell);
    // A move begins with a source, where there are any; then targets are the usual thing.
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
    if let Some(last) = sketch.to.last().filter(|_| !is_target && sketch.role(cell).is_none()) {
        let others = sketch.without(last.cell);
        // To replace the only cell is to begin anew.
        if !others.is_empty() && game.can_complete(&others.with(Role::To, cell)) {
            found.push(entry(Role::To, Some(last.cell)));
        }
    }
    found
}
