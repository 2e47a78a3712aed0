//! A partial move, as a player builds it by picking cells: the cells picked so far and the amounts
//! that the player wants, and the same with amounts that are possible.
//!
//! ```
//! use adamant_rules::{
//!     Kind, Options,
//!     sketch::{Role, Sketch},
//! };
//!
//! let options = Kind::Adamas.complete(&Options::new(), 2)?;
//! let position = Kind::Adamas.start(&options, 2);
//! let cell = |name| position.cell(name).expect("the board has this cell");
//!
//! let mut sketch = Sketch::default();
//! sketch.add(Role::From, cell("c1"), None);
//! let completions = position.completions(&sketch);
//! assert_eq!(completions.mv, None, "a target is missing");
//! assert!(completions.next.iter().any(|next| next.cell == cell("c2") && next.role == Role::To));
//!
//! sketch.add(Role::To, cell("c2"), None);
//! let mv = position.completions(&sketch).mv.expect("the sketch is a whole move");
//! assert_eq!(mv.to_string(), "c1-c2");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::ops::RangeInclusive;

use crate::cell::Cell;

/// What a cell is to a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// Pieces leave it.
    From,
    /// Pieces arrive at it.
    To,
}

/// The amount that a player wants to take from a cell or put on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AmountWish {
    /// A number of pieces.
    Pieces(u8),
    /// A choice by the name that the game gives it.
    Choice(Box<str>),
}

/// A picked cell with the wish of the player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PickedCell {
    /// The cell.
    pub cell: Cell,
    /// The wished amount, if any.
    pub wish: Option<AmountWish>,
}

/// A partial move: the picked cells, each once, in order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Sketch {
    from: Vec<PickedCell>,
    to: Vec<PickedCell>,
}

impl Sketch {
    /// Adds a cell at the end of its list. A cell that is in the sketch already moves there.
    pub fn add(&mut self, role: Role, cell: Cell, wish: Option<AmountWish>) {
        self.remove(cell);
        let list = match role {
            Role::From => &mut self.from,
            Role::To => &mut self.to,
        };
        list.push(PickedCell { cell, wish });
    }

    /// Removes a cell.
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

    pub(crate) fn with(&self, role: Role, cell: Cell) -> Self {
        let mut sketch = self.clone();
        sketch.add(role, cell, None);
        sketch
    }

    pub(crate) fn without(&self, cell: Cell) -> Self {
        let mut sketch = self.clone();
        sketch.remove(cell);
        sketch
    }
}

/// The amount of a picked cell, and its alternatives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Amount {
    /// There is nothing to decide.
    Fixed,
    /// A number of pieces.
    Pieces {
        /// The number of pieces.
        pieces: u8,
        /// The possible numbers, with the other amounts as they are.
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

/// A picked cell with its amount.
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
    /// Completes a sketch that has no amounts to choose.
    pub(crate) fn of(sketch: &Sketch) -> Self {
        let settled = |part: &PickedCell| PickedAmount { cell: part.cell, amount: Amount::Fixed };
        Self {
            from: sketch.from.iter().map(settled).collect(),
            to: sketch.to.iter().map(settled).collect(),
        }
    }
}
