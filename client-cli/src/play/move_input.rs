//! A move that is built by selecting cells, and the cursor that selects them. The server says which
//! cells may follow and what the sketch means: this is the sketch, the answer, and the actions queued
//! in between. It knows no game.

use std::collections::VecDeque;

use adamant_client::RequestError;
use adamant_protocol::{
    sketch::{CellRole, ChosenCell, NextCell, Outlook, Sketch, SketchCell},
    to_client::HintList,
};
use adamant_rules::{
    Cell, Position,
    game::{Drawing, Mark},
};

/// Maximum number of queued actions while a request is pending. Further actions are dropped.
const ACTIONS_MAX: usize = 8;

/// An action on the board. Cells have the server's names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum InputAction {
    Choose(Box<str>),
    /// Select a cell as another source.
    AddSource(Box<str>),
    /// Change the number or the choice of this cell, or else of the cell selected last.
    Step {
        /// The cell at the cursor.
        at: Box<str>,
        up: bool,
    },
    /// Select the next move without cells.
    NextNamedMove,
    /// Submit the move if it is complete; else select the cell.
    Finish(Box<str>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ActionResult {
    /// The sketch or the named move has changed.
    Changed,
    /// The selection is empty again.
    Cleared,
    /// The move is submitted.
    Finished,
    /// The action is not possible, for this reason.
    Rejected(String),
    Nothing,
}

/// A move that is being built.
#[derive(Debug, Clone, Default)]
pub(super) struct MoveInput {
    sketch: Sketch,
    /// The latest answer of the server, and its sketch.
    answer: Option<(Sketch, Outlook)>,
    /// The cells that a move can start with.
    first_cells: Vec<NextCell>,
    /// The legal moves without cells.
    named_moves: Vec<Box<str>>,
    /// Index of the selected move without cells.
    named_move: Option<usize>,
    /// The sketch whose hints are requested.
    asked: Option<Sketch>,
    /// Whether the last request failed. It is repeated only after another action or a reconnect.
    failed: bool,
    queue: VecDeque<InputAction>,
}

impl MoveInput {
    /// Returns the sketch whose hints must be requested now, if any.
    pub(super) fn next_request(&mut self) -> Option<Sketch> {
        if self.asked.is_some() || self.failed || self.is_current() {
            return None;
        }
        self.asked = Some(self.sketch.clone());
        self.asked.clone()
    }

    /// Stores the server's answer if it belongs to the pending request. Returns whether it is
    /// usable.
    pub(super) fn receive(
        &mut self,
        asked: &Sketch,
        answer: Result<Option<HintList>, RequestError>,
    ) -> Result<bool, RequestError> {
        if self.asked.as_ref() != Some(asked) {
            return Ok(false);
        }
        self.asked = None;
        let received = answer.map(|list| list.and_then(|list| Some((list.words, list.sketch?))));
        let Ok(Some((words, outlook))) = received else {
            self.failed = true;
            self.queue.clear();
            return received.map(|_| false);
        };
        if *asked == Sketch::default() {
            self.first_cells.clone_from(&outlook.next);
        }
        self.named_moves = words;
        // The server has replaced impossible amounts.
        self.sketch = outlook.sketch();
        self.answer = Some((self.sketch.clone(), outlook));
        Ok(true)
    }

    /// Allows a failed request to be repeated.
    pub(super) const fn retry(&mut self) {
        self.failed = false;
    }

    /// Whether the answer belongs to the current sketch.
    fn is_current(&self) -> bool {
        self.answer.as_ref().is_some_and(|(sketch, _)| *sketch == self.sketch)
    }

    fn outlook(&self) -> Option<&Outlook> {
        self.answer.as_ref().map(|(_, outlook)| outlook)
    }
}

/// Actions of the player.
impl MoveInput {
    /// Queues an action until the hints for the sketch have arrived.
    pub(super) fn push(&mut self, action: InputAction) {
        self.failed = false;
        if self.queue.len() < ACTIONS_MAX {
            self.queue.push_back(action);
        }
    }

    /// Runs the next queued action. Returns `None` if there is none or a request is pending.
    pub(super) fn run_next(&mut self) -> Option<ActionResult> {
        if !self.is_current() {
            return None;
        }
        Some(match self.queue.pop_front()? {
            InputAction::AddSource(cell) => self.add_source(&cell),
            InputAction::Step { at, up } => self.step(&at, up),
            InputAction::NextNamedMove => self.next_named_move(),
            InputAction::Finish(_) if self.notation().is_some() => ActionResult::Finished,
            InputAction::Choose(cell) | InputAction::Finish(cell) => self.choose(&cell),
        })
    }

    fn choose(&mut self, cell: &str) -> ActionResult {
        if let Some(next) = self.next_cell(|next| *next.cell == *cell) {
            return self.add(&next);
        }
        if self.chosen().any(|chosen| *chosen.cell == *cell) {
            self.remove(cell);
            let is_empty = self.sketch == Sketch::default();
            return if is_empty { ActionResult::Cleared } else { ActionResult::Changed };
        }
        // Any other cell starts a new move, if a move can start there.
        let begins = |next: &&NextCell| *next.cell == *cell;
        if let Some(next) = self.first_cells.iter().find(begins).cloned() {
            self.sketch = Sketch::default();
            return self.add(&next);
        }
        ActionResult::Rejected(if self.sketch == Sketch::default() {
            format!("You cannot move anything at {cell}.")
        } else {
            format!("This move cannot continue to {cell}.")
        })
    }

    fn add_source(&mut self, cell: &str) -> ActionResult {
        let is_it = |next: &NextCell| *next.cell == *cell && next.role == CellRole::From;
        match self.next_cell(is_it) {
            Some(next) => self.add(&next),
            None => {
                ActionResult::Rejected(format!("{cell} cannot be another source of this move."))
            }
        }
    }

    fn next_cell(&self, is_it: impl Fn(&NextCell) -> bool) -> Option<NextCell> {
        self.outlook()?.next.iter().find(|next| is_it(next)).cloned()
    }

    fn add(&mut self, next: &NextCell) -> ActionResult {
        for out in next.instead_of.iter().chain([&next.cell]) {
            self.remove(out);
        }
        let list = match next.role {
            CellRole::From => &mut self.sketch.from,
            CellRole::To => &mut self.sketch.to,
            CellRole::Unknown(_) => return ActionResult::Nothing,
        };
        list.push(SketchCell { cell: next.cell.clone(), pieces: None, choice: None });
        self.named_move = None;
        ActionResult::Changed
    }

    fn remove(&mut self, cell: &str) {
        self.sketch.from.retain(|part| *part.cell != *cell);
        self.sketch.to.retain(|part| *part.cell != *cell);
    }

    fn step(&mut self, at: &str, up: bool) -> ActionResult {
        let variable: Vec<&ChosenCell> =
            self.chosen().filter(|chosen| is_variable(chosen)).collect();
        let here = variable.iter().find(|chosen| *chosen.cell == *at);
        let Some(part) = here.or(variable.last()).and_then(|chosen| step_choice(chosen, up)) else {
            return ActionResult::Nothing;
        };
        let lists = self.sketch.from.iter_mut().chain(&mut self.sketch.to);
        for known in lists.filter(|known| known.cell == part.cell) {
            known.clone_from(&part);
        }
        ActionResult::Changed
    }

    fn next_named_move(&mut self) -> ActionResult {
        if self.named_moves.is_empty() {
            return ActionResult::Rejected("No move without cells is legal here.".to_owned());
        }
        let next = self.named_move.map_or(0, |word| word + 1);
        self.named_move = Some(next % self.named_moves.len());
        self.sketch = Sketch::default();
        ActionResult::Changed
    }
}

impl MoveInput {
    /// Whether nothing is selected or queued.
    pub(super) fn is_empty(&self) -> bool {
        self.sketch == Sketch::default() && self.named_move.is_none() && self.queue.is_empty()
    }

    /// Returns the move, if it is complete.
    pub(super) fn notation(&self) -> Option<&str> {
        match self.named_move {
            Some(word) => self.named_moves.get(word).map(AsRef::as_ref),
            None => self.outlook()?.notation.as_deref(),
        }
    }

    /// Returns why the move is incomplete, if the server says so.
    pub(super) fn why(&self) -> Option<&str> {
        self.outlook().filter(|_| self.named_move.is_none())?.why.as_deref()
    }

    /// Returns the first move without cells.
    pub(super) fn named_move(&self) -> Option<&str> {
        self.named_moves.first().map(AsRef::as_ref)
    }

    /// Returns the selected choice of the last cell that has one.
    pub(super) fn choice(&self) -> Option<&str> {
        self.chosen().filter_map(|chosen| chosen.choice.as_deref()).next_back()
    }

    fn chosen(&self) -> impl DoubleEndedIterator<Item = &ChosenCell> {
        self.outlook().into_iter().flat_map(|outlook| outlook.from.iter().chain(&outlook.to))
    }

    /// Returns the marks of the selected cells and of the cells that may follow. Cells that would
    /// replace another are marked only if no cell can be added.
    pub(super) fn marks(&self, position: &Position) -> Vec<(Cell, Mark)> {
        let Some(outlook) = self.outlook() else { return Vec::new() };
        let chosen = self.chosen().filter_map(|chosen| position.cell(&chosen.cell));
        let mut marks: Vec<_> = chosen.map(|cell| (cell, Mark::Chosen)).collect();
        let adds = outlook.next.iter().any(|next| next.instead_of.is_none());
        let next = outlook.next.iter().filter(|next| next.instead_of.is_none() || !adds);
        for next in next {
            let mark = if next.capture { Mark::Captured } else { Mark::Target };
            marks.extend(position.cell(&next.cell).map(|cell| (cell, mark)));
        }
        // If a move can start nearly everywhere, marks would hide the board.
        let is_crowded = marks.len() * 2 >= position.layout().cells.len();
        if outlook.from.is_empty() && outlook.to.is_empty() && is_crowded {
            marks.clear();
        }
        marks
    }
}

fn is_variable(chosen: &ChosenCell) -> bool {
    chosen.pieces.is_some() || !chosen.choices.is_empty()
}

/// Returns the cell with one piece more or fewer, or with the next or previous choice, if possible.
fn step_choice(chosen: &ChosenCell, up: bool) -> Option<SketchCell> {
    let mut part = SketchCell::from(chosen);
    if let (Some(pieces), Some(least), Some(most)) = (chosen.pieces, chosen.least, chosen.most) {
        let wanted = if up { pieces.checked_add(1) } else { pieces.checked_sub(1) };
        part.pieces = Some(wanted.filter(|wanted| (least..=most).contains(wanted))?);
    } else {
        let place = chosen.choices.iter().position(|of| Some(of) == chosen.choice.as_ref())?;
        let place = if up { place.checked_add(1) } else { place.checked_sub(1) };
        part.choice = Some(chosen.choices.get(place?)?.clone());
    }
    Some(part)
}

/// The cursor on the board, and the move that is built with it.
#[derive(Debug)]
pub(super) struct Pointer {
    /// The cell under the cursor.
    pub(super) cell: Cell,
    pub(super) input: MoveInput,
}

impl Pointer {
    pub(super) fn new(cell: Cell) -> Self {
        Self { cell, input: MoveInput::default() }
    }

    /// Returns the marks on the board; those of the last move only while no cell is selected.
    pub(super) fn marks(
        &self,
        position: &Position,
        last_move: &[(Cell, Mark)],
    ) -> Vec<(Cell, Mark)> {
        let mut marks = self.input.marks(position);
        if self.input.is_empty() {
            marks.extend_from_slice(last_move);
        }
        marks.push((self.cell, Mark::Cursor));
        marks
    }
}

/// A direction on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// To the line above.
    Up,
    /// To the line below.
    Down,
    /// Along the line, backwards.
    Left,
    /// Along the line, forwards.
    Right,
}

/// The centre of a cell on a drawing. Columns count halves, so that every centre is a whole number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CellCentre {
    cell: Cell,
    column: usize,
    line: usize,
}

pub(super) fn cell_at(drawing: &Drawing, column: usize, line: usize) -> Option<Cell> {
    let mut end = 0;
    let span = drawing.lines.get(line)?.iter().find(|span| {
        end += span.text.chars().count();
        column < end
    })?;
    span.cell
}

/// Returns the column and line of the centre of a cell.
pub(super) fn centre_of(drawing: &Drawing, cell: Cell) -> Option<(usize, usize)> {
    let place = cell_centres(drawing).into_iter().find(|place| place.cell == cell)?;
    Some((place.column / 2, place.line))
}

/// Returns the `wanted` cell nearest to the centre of a drawing.
pub(super) fn most_central(drawing: &Drawing, wanted: impl Fn(Cell) -> bool) -> Option<Cell> {
    let places = cell_centres(drawing);
    let (column, line) = middle(&places);
    let wanted = places.iter().filter(|place| wanted(place.cell));
    // A line is about as high as two columns, which are four halves, are wide.
    let nearest =
        wanted.min_by_key(|place| place.column.abs_diff(column) + 4 * place.line.abs_diff(line));
    nearest.map(|place| place.cell)
}

/// Returns the next cell in a direction; at the border the same cell.
pub(super) fn neighbour(drawing: &Drawing, from: Cell, direction: Direction) -> Cell {
    let places = cell_centres(drawing);
    let Some(here) = places.iter().find(|place| place.cell == from) else { return from };
    let on_line = |line| places.iter().filter(move |place| place.line == line);
    let found = match direction {
        Direction::Left => {
            on_line(here.line).filter(|p| p.column < here.column).max_by_key(|p| p.column)
        }
        Direction::Right => {
            on_line(here.line).filter(|p| p.column > here.column).min_by_key(|p| p.column)
        }
        Direction::Up | Direction::Down => {
            let lines = places.iter().map(|place| place.line);
            let line = if direction == Direction::Up {
                lines.filter(|&line| line < here.line).max()
            } else {
                lines.filter(|&line| line > here.line).min()
            };
            // Of two equally near cells the more central one, so that the way up a slanted board
            // does not drift to its side.
            let (column, _) = middle(&places);
            line.and_then(|line| {
                on_line(line).min_by_key(|place| {
                    (place.column.abs_diff(here.column), place.column.abs_diff(column))
                })
            })
        }
    };
    found.map_or(from, |place| place.cell)
}

/// Returns the centre of every cell. Of a cell on several lines it is on the lowest, which has the
/// name.
fn cell_centres(drawing: &Drawing) -> Vec<CellCentre> {
    let mut places: Vec<CellCentre> = Vec::new();
    for (line, spans) in drawing.lines.iter().enumerate() {
        let mut start = 0;
        for span in spans {
            let width = span.text.chars().count();
            if let Some(cell) = span.cell {
                let place = CellCentre { cell, column: 2 * start + width, line };
                match places.iter_mut().find(|place| place.cell == cell) {
                    Some(above) => *above = place,
                    None => places.push(place),
                }
            }
            start += width;
        }
    }
    places
}

/// Returns the point halfway between the outermost cells.
fn middle(places: &[CellCentre]) -> (usize, usize) {
    let halfway = |of: fn(&CellCentre) -> usize| {
        let least = places.iter().map(of).min().unwrap_or(0);
        let greatest = places.iter().map(of).max().unwrap_or(0);
        least.midpoint(greatest)
    };
    (halfway(|place| place.column), halfway(|place| place.line))
}

#[cfg(test)]
mod tests {
    use adamant_rules::{Kind, Options};

    use super::*;

    fn start(kind: Kind) -> Position {
        kind.start(&kind.complete(&Options::new(), 2).unwrap(), 2)
    }

    /// Asserts where a way of the cursor leads.
    #[track_caller]
    fn leads(kind: Kind, from: &str, way: &[Direction], to: &str) {
        let position = start(kind);
        let drawing = position.draw(&[]);
        let from = position.cell(from).unwrap();
        let end = way.iter().fold(from, |cell, &direction| neighbour(&drawing, cell, direction));
        assert_eq!(position.cell_name(end).as_str(), to);
    }

    #[test]
    fn the_cursor_follows_the_drawing_of_every_game() {
        use Direction::{Down, Left, Right, Up};
        leads(Kind::Adamas, "c1", &[Right, Right], "c3");
        leads(Kind::Adamas, "c1", &[Left], "c1");
        leads(Kind::Adamas, "c1", &[Up, Up], "e1");
        leads(Kind::Adamas, "e3", &[Up], "e3");
        leads(Kind::Adamas, "c5", &[Down, Down, Down], "a3");
        leads(Kind::Hexma, "m17", &[Up, Up, Up], "l14");
        leads(Kind::Hexma, "k13", &[Left], "i13");
        // Octagons and squares are on separate lines.
        leads(Kind::Stymie, "e5", &[Up], "f6");
        leads(Kind::Stymie, "e5", &[Right, Up, Up], "g7");
        leads(Kind::Diam, "1", &[Right], "2");
        leads(Kind::Diam, "1", &[Down], "8");
        leads(Kind::Diam, "8", &[Right, Up], "2");
    }

    #[test]
    fn the_cursor_and_the_mouse_reach_every_cell() {
        for &kind in Kind::ALL {
            let position = start(kind);
            let drawing = position.draw(&[]);
            let cells: Vec<Cell> =
                position.layout().cells.into_iter().map(|cell| cell.cell).collect();
            let mut reached = vec![cells[0]];
            let mut index = 0;
            while let Some(&cell) = reached.get(index) {
                index += 1;
                for direction in [Direction::Up, Direction::Down, Direction::Left, Direction::Right]
                {
                    let next = neighbour(&drawing, cell, direction);
                    if !reached.contains(&next) {
                        reached.push(next);
                    }
                }
            }
            assert_eq!(reached.len(), cells.len(), "{kind:?}");
            for place in cell_centres(&drawing) {
                assert_eq!(cell_at(&drawing, place.column / 2, place.line), Some(place.cell));
            }
            assert_eq!(cell_at(&drawing, 0, 0), None);
            assert_eq!(cell_at(&drawing, 500, 1), None);
            assert_eq!(cell_at(&drawing, 0, 500), None);
        }
    }

    #[test]
    fn the_most_central_cell_is_found() {
        let position = start(Kind::Stymie);
        let cell = most_central(&position.draw(&[]), |_| true).unwrap();
        assert_eq!(position.cell_name(cell).as_str(), "h8");
        assert_eq!(most_central(&position.draw(&[]), |_| false), None);
    }
}
