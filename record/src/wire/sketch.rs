//! Sketches of moves in the wire's words: the names of cells and of what can be chosen.

use adamant_protocol::sketch::{self as wire, CellRole, ChosenCell, NextCell};
use adamant_rules::{
    Cell, IllegalMove, Move, Position,
    sketch::{Amount, AmountWish, PickedAmount, Role, Sketch},
};

use super::values::{captures, notation, reason_key, stacks, threatened_on};

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

/// What a sketch comes to; with the board, if it is wanted.
pub fn completions(position: &Position, sketch: &Sketch, board: bool) -> wire::Outlook {
    let completions = position.completions(sketch);
    let cells = |list: &[PickedAmount]| list.iter().map(|cell| chosen(position, cell)).collect();
    let next = completions.next.iter().map(|next| {
        let mut cell = NextCell::new(name(position, next.cell), role(next.role));
        cell.capture = next.capture;
        cell.instead_of = next.instead_of.map(|cell| name(position, cell));
        cell
    });
    let reason = completions.why.as_ref().map(IllegalMove::reason);
    let (key, args) = reason.as_ref().map(reason_key).unzip();
    let mut outlook = wire::Outlook::new(
        completions.mv.as_ref().map(notation),
        cells(&completions.completed.from),
        cells(&completions.completed.to),
        next.collect(),
    );
    outlook.why = reason.as_ref().map(|reason| reason.to_string().into());
    outlook.why_key = key;
    outlook.why_args = args.unwrap_or_default();
    if board {
        if let Some(mv) = &completions.mv {
            add_board_after(&mut outlook, position, mv);
        } else {
            let drawn = position.stacks_of_sketch(&completions.completed);
            outlook.position = Some(stacks(position, drawn));
        }
    }
    outlook
}

/// Adds the board after a legal move and its consequences.
fn add_board_after(outlook: &mut wire::Outlook, position: &Position, mv: &Move) {
    let captured = position.validate(mv).unwrap_or_default();
    let mut after = position.clone();
    after.apply(mv);
    let is_over = after.settle().is_some();
    outlook.position = Some(stacks(&after, after.stacks()));
    outlook.threatened = threatened_on(&after, is_over);
    outlook.captures = Some(captures(&captured, position));
}

fn chosen(position: &Position, chosen: &PickedAmount) -> ChosenCell {
    let AmountFields { pieces, least, most, choice, choices } = amount(&chosen.amount);
    let mut cell = ChosenCell::new(name(position, chosen.cell));
    (cell.pieces, cell.least, cell.most) = (pieces, least, most);
    (cell.choice, cell.choices) = (choice, choices);
    cell
}

/// An amount in the fields of a message.
#[derive(Default)]
struct AmountFields {
    pieces: Option<u32>,
    least: Option<u32>,
    most: Option<u32>,
    choice: Option<Box<str>>,
    choices: Vec<Box<str>>,
}

fn amount(amount: &Amount) -> AmountFields {
    match amount {
        Amount::Fixed => AmountFields::default(),
        Amount::Pieces { pieces, range } => AmountFields {
            pieces: Some((*pieces).into()),
            least: Some((*range.start()).into()),
            most: Some((*range.end()).into()),
            ..AmountFields::default()
        },
        Amount::Choice { choice, choices } => AmountFields {
            choice: Some(choice.clone()),
            choices: choices.clone(),
            ..AmountFields::default()
        },
    }
}

/// The first steps of the side to move. Once they list more than `cells_max` cells to pick next,
/// the other steps are cut.
pub fn first_steps(position: &Position, cells_max: usize) -> wire::FirstSteps {
    let mut listed = 0;
    let mut cut = false;
    let first = position.first_steps().into_iter().map(|step| {
        listed += step.next.to.len() + step.next.from.len();
        let mut first = wire::FirstStep::new(name(position, step.cell), role(step.role));
        if listed > cells_max {
            cut = true;
            return first;
        }
        let AmountFields { pieces, least, most, choice, choices } = amount(&step.amount);
        let names = |cells: &mut dyn Iterator<Item = Cell>| -> Vec<Box<str>> {
            cells.map(|cell| name(position, cell)).collect()
        };
        let to = &step.next.to;
        first.notation = step.mv.as_ref().map(notation);
        (first.pieces, first.least, first.most) = (pieces, least, most);
        (first.choice, first.choices) = (choice, choices);
        first.to = names(&mut to.iter().map(|target| target.cell));
        first.capture = names(&mut to.iter().filter(|target| target.capture).map(|t| t.cell));
        first.from = names(&mut step.next.from.iter().copied());
        first
    });
    let mut steps = wire::FirstSteps::new(first.collect());
    steps.words = position.named_moves().iter().map(notation).collect();
    steps.cut = cut;
    steps
}

const fn role(role: Role) -> CellRole {
    match role {
        Role::From => CellRole::From,
        Role::To => CellRole::To,
    }
}
