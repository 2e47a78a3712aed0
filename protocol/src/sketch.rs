//! Sketches: partial moves of a client, and their completions.

use serde::{Deserialize, Serialize};

use crate::{
    values::{Capture, Named, OptionValue},
    words::{constructor, words},
};

/// A partial move: the cells picked so far, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Sketch {
    /// The cells that pieces leave.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<SketchCell>,
    /// The cells that pieces arrive at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<SketchCell>,
}

/// A picked cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct SketchCell {
    /// The cell.
    pub cell: Box<str>,
    /// The number of its pieces that take part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pieces: Option<u32>,
    /// One of the cell's choices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<Box<str>>,
}

constructor!(SketchCell { cell: Box<str>; pieces, choice });

/// What a sketch can become.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Outlook {
    /// The legal move that the sketch stands for; `null` if there is none yet.
    #[serde(rename = "move")]
    pub notation: Option<Box<str>>,
    /// Why the sketch is no legal move, if there is a reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Box<str>>,
    /// The key of that reason, for translations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_key: Option<Box<str>>,
    /// What the reason names, by the names in the key's sentence.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub why_args: Named<OptionValue>,
    /// The cells that pieces leave, as the server interprets them.
    pub from: Vec<ChosenCell>,
    /// The cells that pieces arrive at, as the server interprets them.
    pub to: Vec<ChosenCell>,
    /// The cells that may be picked next.
    pub next: Vec<NextCell>,
    /// The board after the move or, without a move, with the sketch as far as it goes; only if the
    /// request asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Named<Box<str>>>,
    /// With the board of a move: cells with pieces that another seat could capture, were it that
    /// seat's turn; absent in games without captures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threatened: Option<Vec<Box<str>>>,
    /// With the board of a move: the captured pieces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub captures: Option<Vec<Capture>>,
}

constructor!(Outlook {
    notation: Option<Box<str>>, from: Vec<ChosenCell>, to: Vec<ChosenCell>, next: Vec<NextCell>;
    why, why_key, why_args, position, threatened, captures
});

/// The first steps of a turn: what a player can pick first, and what can follow each of these.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct FirstSteps {
    /// Legal moves that have no cells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<Box<str>>,
    /// The cells that a move can begin with, once for each role.
    pub first: Vec<FirstStep>,
    /// Whether some steps lack everything but their cell and role, because the list would be too
    /// long.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

constructor!(FirstSteps { first: Vec<FirstStep>; words, cut });

/// A cell that a move can begin with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct FirstStep {
    /// The cell.
    pub cell: Box<str>,
    /// The list of the sketch that the cell joins.
    #[serde(rename = "as")]
    pub role: CellRole,
    /// The legal move that the cell is by itself, if it is one.
    #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
    pub notation: Option<Box<str>>,
    /// The number of its pieces that take part, if there is a choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pieces: Option<u32>,
    /// The smallest possible number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<u32>,
    /// The largest possible number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u32>,
    /// The chosen one of `choices`, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<Box<str>>,
    /// The possible choices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Box<str>>,
    /// The cells that can be picked next for pieces to arrive at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<Box<str>>,
    /// Those of `to` where going there captures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capture: Vec<Box<str>>,
    /// The cells that can be picked next for more pieces to leave.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<Box<str>>,
}

constructor!(FirstStep {
    cell: Box<str>, role: CellRole;
    notation, pieces, least, most, choice, choices, to, capture, from
});

/// A picked cell with its amount and the possible amounts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ChosenCell {
    /// The cell.
    pub cell: Box<str>,
    /// The number of its pieces that take part, if there is a choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pieces: Option<u32>,
    /// The smallest possible number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<u32>,
    /// The largest possible number, with the other amounts unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u32>,
    /// The chosen one of `choices`, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<Box<str>>,
    /// The possible choices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Box<str>>,
}

constructor!(ChosenCell { cell: Box<str>; pieces, least, most, choice, choices });

words! {
    /// The role of a cell in a move.
    pub enum CellRole {
        /// Pieces leave it.
        From = "from",
        /// Pieces arrive at it.
        To = "to",
    }
}

/// A cell that may be picked next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct NextCell {
    /// The cell.
    pub cell: Box<str>,
    /// The list that the cell joins. It leaves the other list.
    #[serde(rename = "as")]
    pub role: CellRole,
    /// Whether moving there captures.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub capture: bool,
    /// The cell that this one replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead_of: Option<Box<str>>,
}

constructor!(NextCell { cell: Box<str>, role: CellRole; capture, instead_of });

impl From<&ChosenCell> for SketchCell {
    fn from(chosen: &ChosenCell) -> Self {
        let ChosenCell { cell, pieces, choice, .. } = chosen;
        Self { cell: cell.clone(), pieces: *pieces, choice: choice.clone() }
    }
}

impl Outlook {
    /// Returns the sketch as the server interprets it, to change and send again.
    pub fn sketch(&self) -> Sketch {
        let cells = |list: &[ChosenCell]| list.iter().map(SketchCell::from).collect();
        Sketch { from: cells(&self.from), to: cells(&self.to) }
    }
}
