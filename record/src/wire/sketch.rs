//! Sketches of moves in the wire's words: the names of cells and of what can be chosen.

use adamant_protocol::sketch::{self as wire, CellRole, ChosenCell, NextCell};
use adamant_rules::{
    Cell, Position,
    sketch::{Amount, AmountWish, PickedAmount, Role, Sketch},
};

use super::values::notation;

/// A cell that the board does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no cell {0:.8} on this board")]
pub struct NoSuchCell(pub Box<str>);

fn name(position: &Position, cell: Cell) -> Box<str> {
    position.cell_name(cell).as_str().into()
}

/// A sketch as it was sent. Of a cell that it names twice, the later mention counts.
pub fn from_wire(position: &Position, sent: &wire::Sketch) -> Result<Sketch, NoSuchCell> {
    let mut sketch = Sketch::default();
    for (role, list) in [(Role::From, &sent.from), (Role::To, &sent.to)] {
        for part in list {
            let wish = match (part.pieces, &part.choice) {
                (_, Some(choice)) => Some(AmountWish::Choice(choice.clone())),
                // More than any stack has is as many as there are.
                (Some(pieces), None) => {
                    Some(AmountWish::Pieces(pieces.try_into().unwrap_or(u8::MAX)))
                }
                (None, None) => None,
            };
            let cell = position.cell(&part.cell);
            sketch.add(role, cell.ok_or_else(|| NoSuchCell(part.cell.clone()))?, wish);
        }
    }
    Ok(sketch)
}

/// What a sketch comes to.
pub fn completions(position: &Position, sketch: &Sketch) -> wire::Outlook {
    let completions = position.completions(sketch);
    let cells = |list: &[PickedAmount]| list.iter().map(|cell| chosen(position, cell)).collect();
    let next = completions.next.iter().map(|next| NextCell {
        cell: name(position, next.cell),
        role: match next.role {
            Role::From => CellRole::From,
            Role::To => CellRole::To,
        },
        capture: next.capture,
        instead_of: next.instead_of.map(|cell| name(position, cell)),
    });
    wire::Outlook {
        notation: completions.mv.map(|mv| notation(&mv)),
        why: completions.why.map(|why| why.to_string().into()),
        from: cells(&completions.completed.from),
        to: cells(&completions.completed.to),
        next: next.collect(),
    }
}

fn chosen(position: &Position, chosen: &PickedAmount) -> ChosenCell {
    let mut cell = ChosenCell {
        cell: name(position, chosen.cell),
        pieces: None,
        least: None,
        most: None,
        choice: None,
        choices: Vec::new(),
    };
    match &chosen.amount {
        Amount::Fixed => {}
        Amount::Pieces { pieces, range } => {
            cell.pieces = Some((*pieces).into());
            cell.least = Some((*range.start()).into());
            cell.most = Some((*range.end()).into());
        }
        Amount::Choice { choice, choices } => {
            cell.choice = Some(choice.clone());
            cell.choices.clone_from(choices);
        }
    }
    cell
}
