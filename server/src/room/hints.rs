//! What can be done in the present position, for clients that know no rules.

use adamant_protocol::{
    RequestId,
    sketch::Sketch,
    to_client::{HintList, HintTarget},
};
use adamant_record::{
    Head,
    wire::{
        seat_number,
        sketch::{self, NoSuchCell},
    },
};
use adamant_rules::{Cell, Seat, Table};

/// Where the side to move may go, and what a sketch comes to.
pub(crate) fn hints(
    table: &Table,
    to_move: Seat,
    head: &Head,
    re: RequestId,
    from: Option<&str>,
    sketch: Option<&Sketch>,
) -> Result<HintList, NoSuchCell> {
    let position = table.position();
    let name = |cell: Cell| -> Box<str> { position.cell_name(cell).as_str().into() };
    let find = |name: &str| position.cell(name).ok_or_else(|| NoSuchCell(name.into()));
    let from = from.map(find).transpose()?;
    let sketch = sketch.map(|sketch| sketch::read(position, sketch)).transpose()?;
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
        sketch: sketch.map(|sketch| sketch::outlook(position, &sketch)),
    })
}
