//! What can be done in the present position, for clients that know no rules: the rules' answers with
//! the names of cells.

use adamant_protocol::{
    RequestId,
    sketch::{self as wire, CellRole, ChosenCell, NextCell},
    to_client::{HintList, HintTarget},
};
use adamant_record::{Head, wire::seat_number};
use adamant_rules::{
    Cell, Position, Seat, Table,
    sketch::{Amount, Chosen, Role, Sketch, Wish},
};

/// Where the side to move may go, and what its sketch comes to; the name of the first cell that the
/// board does not have instead, if it is asked about one.
pub(super) fn hints(
    table: &Table,
    to_move: Seat,
    head: &Head,
    re: RequestId,
    from: Option<&str>,
    sketch: Option<&wire::Sketch>,
) -> Result<HintList, String> {
    let position = table.position();
    let name = |cell| name(position, cell);
    let from = from.map(|from| find(position, from)).transpose()?;
    let sketch = sketch.map(|sketch| read(position, sketch)).transpose()?;
    Ok(HintList {
        re,
        game: head.game.clone(),
        turn: table.turn(),
        to_move: seat_number(to_move),
        cells: position.sources().into_iter().map(name).collect(),
        from: from.map(name),
        to: from.map(|cell| {
            let targets = position.targets(cell).into_iter();
            targets
                .map(|target| HintTarget { cell: name(target.cell), capture: target.capture })
                .collect()
        }),
        words: position.words().iter().map(|play| play.to_string().into()).collect(),
        sketch: sketch.map(|sketch| outlook(position, &sketch)),
    })
}

fn name(position: &Position, cell: Cell) -> Box<str> {
    position.cell_name(cell).as_str().into()
}

fn find(position: &Position, name: &str) -> Result<Cell, String> {
    position.cell(name).ok_or_else(|| name.to_owned())
}

/// A sketch as it was sent. Of a cell that it names twice, the later mention counts.
fn read(position: &Position, sent: &wire::Sketch) -> Result<Sketch, String> {
    let mut sketch = Sketch::default();
    for (role, list) in [(Role::From, &sent.from), (Role::To, &sent.to)] {
        for part in list {
            let wish = match (part.pieces, &part.choice) {
                (_, Some(choice)) => Some(Wish::Choice(choice.clone())),
                // More than any stack has is as many as there are.
                (Some(pieces), None) => Some(Wish::Pieces(pieces.try_into().unwrap_or(u8::MAX))),
                (None, None) => None,
            };
            sketch.add(role, find(position, &part.cell)?, wish);
        }
    }
    Ok(sketch)
}

fn outlook(position: &Position, sketch: &Sketch) -> wire::Outlook {
    let outlook = position.outlook(sketch);
    let cells = |list: &[Chosen]| list.iter().map(|cell| chosen(position, cell)).collect();
    let next = outlook.next.iter().map(|next| NextCell {
        cell: name(position, next.cell),
        role: match next.role {
            Role::From => CellRole::From,
            Role::To => CellRole::To,
        },
        capture: next.capture,
        instead_of: next.instead_of.map(|cell| name(position, cell)),
    });
    wire::Outlook {
        notation: outlook.play.map(|play| play.to_string().into()),
        why: outlook.why.map(|why| why.to_string().into()),
        from: cells(&outlook.draft.from),
        to: cells(&outlook.draft.to),
        next: next.collect(),
    }
}

fn chosen(position: &Position, chosen: &Chosen) -> ChosenCell {
    let mut cell = ChosenCell {
        cell: name(position, chosen.cell),
        pieces: None,
        least: None,
        most: None,
        choice: None,
        choices: Vec::new(),
    };
    match &chosen.amount {
        Amount::Settled => {}
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
