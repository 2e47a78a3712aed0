//! Answers read-only queries about the current position, or the delayed position for spectators of
//! a delayed game. Legal moves and their cells are for clients that do not implement the rules.

use adamant_protocol::to_client::{HintList, HintTarget, MoveList, ToClient};
use adamant_protocol::{RequestId, sketch::Sketch};
use adamant_record::Head;
use adamant_record::wire::sketch::{self, NoSuchCell};
use adamant_record::wire::{self, seat_number};
use adamant_rules::notation::{MoveSink, Notation};
use adamant_rules::{Cell, IllegalMove, Refusal, Seat, Table, games};

use crate::room::snapshot::{self, exact_count};
use crate::room::{Room, TableQuery};
use crate::{error::Denial, limits::LEGAL_MOVES_MAX, outbound::client::ClientHandle};

impl Room {
    pub(super) fn answer(
        &self,
        client: &ClientHandle,
        re: &RequestId,
        query: &TableQuery,
        now: u64,
    ) {
        let answer = match query {
            TableQuery::Layout => {
                let game = Some(self.head.game.clone());
                Ok(snapshot::layout(self.table.position(), game, re.clone()).into())
            }
            TableQuery::Hints { from, sketch, board } => {
                self.hints(client, re, from.as_deref(), sketch.as_ref(), *board)
            }
            TableQuery::Moves { from, after, limit } => {
                self.moves(client, re, from.as_deref(), after.as_deref(), *limit)
            }
            TableQuery::Try { turn, notation } => self.try_move(client, re, *turn, notation, now),
        };
        match answer {
            Ok(answer) => client.reply(answer),
            Err(denial) => client.refuse(re, denial),
        }
    }

    /// Returns the game as the client may see it, and the seat to move there.
    fn visible_in_play(&self, client: &ClientHandle) -> Result<(&Table, &Head, Seat), Denial> {
        let (table, head) = self.visible_to(self.seat_of(client));
        let to_move = table.to_move().ok_or_else(|| self.refused(Refusal::GameOver))?;
        Ok((table, head, to_move))
    }

    fn hints(
        &self,
        client: &ClientHandle,
        re: &RequestId,
        from: Option<&str>,
        sketch: Option<&Sketch>,
        board: bool,
    ) -> Result<ToClient, Denial> {
        let (table, head, to_move) = self.visible_in_play(client)?;
        hints(table, to_move, head, re.clone(), from, sketch, board)
            .map(ToClient::from)
            .map_err(|NoSuchCell(name)| Denial::no_such_cell(&name))
    }

    fn moves(
        &self,
        client: &ClientHandle,
        re: &RequestId,
        from: Option<&str>,
        after: Option<&str>,
        limit: Option<u32>,
    ) -> Result<ToClient, Denial> {
        let (table, head, to_move) = self.visible_in_play(client)?;
        let from = cell(table, from).map_err(|NoSuchCell(name)| Denial::no_such_cell(&name))?;
        let after = after
            .map(|notation| legal(table, notation))
            .transpose()
            .map_err(|why| self.refused(Refusal::Illegal(why)))?;
        let list = moves(table, to_move, head, re.clone(), from, after.as_ref(), limit);
        Ok(list.into())
    }

    fn try_move(
        &self,
        client: &ClientHandle,
        re: &RequestId,
        turn: u32,
        notation: &str,
        now: u64,
    ) -> Result<ToClient, Denial> {
        let seat =
            self.seat_of(client).ok_or_else(|| Denial::NotAPlayer(self.head.game.clone()))?;
        let (events, after) = self
            .table
            .preview(seat, turn, notation, now)
            .map_err(|refusal| self.refused(refusal))?;
        Ok(snapshot::tried(re.clone(), &self.head, &self.table, &events, &after).into())
    }
}

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
fn cell(table: &Table, name: Option<&str>) -> Result<Option<Cell>, NoSuchCell> {
    let find = |name: &str| table.position().cell(name).ok_or_else(|| NoSuchCell(name.into()));
    name.map(find).transpose()
}

/// Parses a move that is legal in the current position.
fn legal(table: &Table, notation: &str) -> Result<games::Move, IllegalMove> {
    let play = table.position().parse_move(notation)?;
    table.position().validate(&play).map(|_| play)
}

/// Returns a page of the legal moves, after `after` or from the first.
fn moves(
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

/// Moves as the texts of a message.
#[derive(Default)]
struct MoveTexts(Vec<Box<str>>);

impl MoveSink for MoveTexts {
    fn push(&mut self, mv: &impl Notation) {
        self.0.push(wire::notation(mv));
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}
