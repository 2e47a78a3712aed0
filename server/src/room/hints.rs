//! Legal moves and their cells, for clients that do not implement the rules.

use adamant_protocol::{
    RequestId,
    sketch::Sketch,
    to_client::{HintList, HintTarget, MoveList},
};
use adamant_record::{
    Head,
    wire::{
        self, seat_number,
        sketch::{self, NoSuchCell},
    },
};
use adamant_rules::{Cell, IllegalMove, Seat, Table, games};

use super::{move_list::MoveTexts, snapshot::exact_count};
use crate::limits::LEGAL_MOVES_MAX;

/// Returns the cells that the side to move can use, and the completions of a sketch.
pub(crate) fn hints(
    table: &Table,
    to_move: Seat,
    head: &Head,
    re: RequestId,
    from: Option<&str>,
    sketch: Option<&Sketch>,
    board: bool,
) -> Result<HintList, NoSuchCell> {
    let position = table.position();
    let name = |cell: Cell| -> Box<str> { position.cell_name(cell).as_str().into() };
    let from = cell(table, from)?;
    let sketch = sketch.map(|sketch| sketch::from_wire(position, sketch)).transpose()?;
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
        words: position.named_moves().iter().map(wire::notation).collect(),
        sketch: sketch.map(|sketch| sketch::completions(position, &sketch, board)),
    })
}

/// Parses an optional cell name.
pub(super) fn cell(table: &Table, name: Option<&str>) -> Result<Option<Cell>, NoSuchCell> {
    let find = |name: &str| table.position().cell(name).ok_or_else(|| NoSuchCell(name.into()));
    name.map(find).transpose()
}

/// Parses a move that is legal in the current position.
pub(super) fn legal(table: &Table, notation: &str) -> Result<games::Move, IllegalMove> {
    let play = table.position().parse_move(notation)?;
    table.position().validate(&play).map(|_| play)
}

/// Returns a page of the legal moves, after `after` or from the first.
pub(super) fn moves(
    table: &Table,
    to_move: Seat,
    head: &Head,
    re: RequestId,
    from: Option<Cell>,
    after: Option<&games::Move>,
    limit: Option<u32>,
) -> MoveList {
    let position = table.position();
    let asked = limit.and_then(|limit| usize::try_from(limit).ok());
    let limit = asked.unwrap_or(LEGAL_MOVES_MAX).clamp(1, LEGAL_MOVES_MAX);
    // One more than the page, to know whether a next page exists.
    let mut found = MoveTexts::default();
    position.list_moves_after(from, after, limit + 1, &mut found);
    let MoveTexts(mut moves) = found;
    let has_next = moves.len() > limit;
    moves.truncate(limit);
    MoveList {
        re,
        game: head.game.clone(),
        turn: table.turn(),
        ply: table.ply(),
        to_move: seat_number(to_move),
        next: moves.last().filter(|_| has_next).cloned(),
        total: exact_count(position.count_moves()),
        moves,
    }
}
