//! Positions, and sketches that are clicked together in them.

use adamant_rules::{
    Cell, Kind, Move, Options, Position,
    completions::Completions,
    sketch::{Amount, AmountWish, Role, Sketch},
};

/// A position after some moves.
#[track_caller]
pub(super) fn position(kind: Kind, players: usize, options: &str, moves: &[&str]) -> Position {
    let options = Options::parse(options, kind.option_specs()).unwrap();
    let mut position = kind.start(&kind.complete(&options, players).unwrap(), players);
    for notation in moves {
        let mv = position.parse_move(notation).unwrap();
        position.validate(&mv).unwrap();
        position.apply(&mv);
    }
    position
}

/// A sketch as the answer spells it, to be sent again.
pub(super) fn sent_back(completions: &Completions<Move>) -> Sketch {
    let mut sketch = Sketch::default();
    for (role, list) in
        [(Role::From, &completions.completed.from), (Role::To, &completions.completed.to)]
    {
        for chosen in list {
            let wish = match &chosen.amount {
                Amount::Fixed => None,
                Amount::Pieces { pieces, .. } => Some(AmountWish::Pieces(*pieces)),
                Amount::Choice { choice, .. } => Some(AmountWish::Choice(choice.clone())),
            };
            sketch.add(role, chosen.cell, wish);
        }
    }
    sketch
}

/// What a click on a cell does, as the protocol documents it for client authors.
pub(super) fn click(position: &Position, sketch: &mut Sketch, cell: Cell) {
    let completions = position.completions(sketch);
    if let Some(next) = completions.next.iter().find(|next| next.cell == cell) {
        if let Some(other) = next.instead_of {
            sketch.remove(other);
        }
        sketch.add(next.role, cell, None);
    } else if sketch.role(cell).is_some() {
        sketch.remove(cell);
    } else {
        *sketch = Sketch::default();
        let completions = position.completions(sketch);
        if let Some(next) = completions.next.iter().find(|next| next.cell == cell) {
            sketch.add(next.role, cell, None);
        }
    }
}
