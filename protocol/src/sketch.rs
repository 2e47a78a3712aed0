//! A move that is put together by pointing at cells: how a client sends it, and what it is told.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A move in the making: the cells chosen so far, in the order in which they were.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sketch {
    /// The cells that pieces leave.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<SketchCell>,
    /// The cells that pieces arrive at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<SketchCell>,
}

/// A cell that was chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SketchCell {
    /// The cell.
    pub cell: Box<str>,
    /// How many pieces of it take part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pieces: Option<u32>,
    /// Which of the choices that the cell has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<Box<str>>,
}

/// What a sketch comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Outlook {
    /// The legal move that it stands for; `null` if it is none, or none yet.
    #[serde(rename = "move")]
    pub notation: Option<Box<str>>,
    /// Why it cannot be made, if there is something to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Box<str>>,
    /// The cells that pieces leave, as they were understood.
    pub from: Vec<ChosenCell>,
    /// The cells that pieces arrive at, as they were understood.
    pub to: Vec<ChosenCell>,
    /// What may be pointed at next.
    pub next: Vec<NextCell>,
}

/// A chosen cell with its amount, and what that can be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChosenCell {
    /// The cell.
    pub cell: Box<str>,
    /// How many pieces of it take part, where there is a choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pieces: Option<u32>,
    /// The fewest that can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<u32>,
    /// The most that can, with the other amounts as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u32>,
    /// Which of the choices is taken, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<Box<str>>,
    /// The choices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Box<str>>,
}

/// What a cell is to a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CellRole {
    /// Pieces leave it.
    From,
    /// Pieces arrive at it.
    To,
}

/// A cell that may be pointed at next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NextCell {
    /// The cell.
    pub cell: Box<str>,
    /// The list that it joins; if it is in the other one, it leaves that.
    #[serde(rename = "as")]
    pub role: CellRole,
    /// Whether going there captures.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub capture: bool,
    /// The cell that goes out when this one comes in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead_of: Option<Box<str>>,
}

impl From<&ChosenCell> for SketchCell {
    fn from(chosen: &ChosenCell) -> Self {
        let ChosenCell { cell, pieces, choice, .. } = chosen;
        Self { cell: cell.clone(), pieces: *pieces, choice: choice.clone() }
    }
}

impl Outlook {
    /// The sketch as it was understood, to be changed and sent again.
    pub fn sketch(&self) -> Sketch {
        let cells = |list: &[ChosenCell]| list.iter().map(SketchCell::from).collect();
        Sketch { from: cells(&self.from), to: cells(&self.to) }
    }
}
