//! A move that is put together by pointing at cells. What may be pointed at and what it comes to is
//! the server's to say: this is what was asked of it, what it said, and what the person did
//! meanwhile. No game is known here.

use std::collections::VecDeque;

use adamant_client::RequestError;
use adamant_protocol::{
    sketch::{CellRole, ChosenCell, NextCell, Outlook, Sketch, SketchCell},
    to_client::HintList,
};
use adamant_rules::{Cell, Position, game::Mark};

/// Things that can be done while an answer is awaited. What is done beyond that is forgotten.
const ACTIONS_MAX: usize = 8;

/// Something done on the board. Cells are named as the server names them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum InputAction {
    /// A cell was pointed at, to do with it what is usual.
    Choose(Box<str>),
    /// A cell was pointed at, to be a further source.
    AddSource(Box<str>),
    /// More or fewer, or the next or the last choice, of this cell or of the one chosen last.
    Step {
        /// The cell at the cursor.
        at: Box<str>,
        /// Whether it is more.
        up: bool,
    },
    /// A move without cells is wanted; another one at each time.
    NextNamedMove,
    /// The move is to be made if there is one; else the cell is chosen.
    Finish(Box<str>),
}

/// What a action led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ActionResult {
    /// The sketch has changed, or the word.
    Changed,
    /// Everything that was chosen is out again.
    Cleared,
    /// The move is to be made.
    Finished,
    /// Nothing, for a reason that the person should know.
    Rejected(String),
    /// Nothing.
    Nothing,
}

/// A move in the making.
#[derive(Debug, Clone, Default)]
pub(super) struct MoveInput {
    sketch: Sketch,
    /// What the server last said, and of which sketch.
    answer: Option<(Sketch, Outlook)>,
    /// What a move can begin with.
    first_cells: Vec<NextCell>,
    /// The legal moves without cells, and the one that is chosen.
    named_moves: Vec<Box<str>>,
    named_move: Option<usize>,
    /// The sketch whose answer is awaited.
    asked: Option<Sketch>,
    /// Whether the last question failed. It is not asked again before something else happens.
    failed: bool,
    queue: VecDeque<InputAction>,
}

/// What the server is asked and told.
impl MoveInput {
    /// What has to be asked now, if anything.
    pub(super) fn next_request(&mut self) -> Option<Sketch> {
        if self.asked.is_some() || self.failed || self.is_current() {
            return None;
        }
        self.asked = Some(self.sketch.clone());
        self.asked.clone()
    }

    /// Takes the server's answer, unless it is to a question that is of no interest any more.
    /// Whether it is good for something.
    pub(super) fn receive(
        &mut self,
        asked: &Sketch,
        answer: Result<Option<HintList>, RequestError>,
    ) -> Result<bool, RequestError> {
        if self.asked.as_ref() != Some(asked) {
            return Ok(false);
        }
        self.asked = None;
        let heard = answer.map(|list| list.and_then(|list| Some((list.words, list.sketch?))));
        let Ok(Some((words, outlook))) = heard else {
            self.failed = true;
            self.queue.clear();
            return heard.map(|_| false);
        };
        if *asked == Sketch::default() {
            self.first_cells.clone_from(&outlook.next);
        }
        self.named_moves = words;
        // Amounts that could not be have become such that can.
        self.sketch = outlook.sketch();
        self.answer = Some((self.sketch.clone(), outlook));
        Ok(true)
    }

    /// Lets a question that failed be asked again.
    pub(super) const fn retry(&mut self) {
        self.failed = false;
    }

    /// Whether what was heard is about what is chosen now.
    fn is_current(&self) -> bool {
        self.answer.as_ref().is_some_and(|(sketch, _)| *sketch == self.sketch)
    }

    fn outlook(&self) -> Option<&Outlook> {
        self.answer.as_ref().map(|(_, outlook)| outlook)
    }
}

/// What the person does.
impl MoveInput {
    /// Takes note of something done, to be carried out as soon as the server has been heard.
    pub(super) fn push(&mut self, action: InputAction) {
        self.failed = false;
        if self.queue.len() < ACTIONS_MAX {
            self.queue.push_back(action);
        }
    }

    /// Carries out the next thing that was done; `None` if there is none, or an answer is awaited.
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
        // Any other cell begins another move, where one can begin.
        let begins = |next: &&NextCell| *next.cell == *cell;
        if let Some(next) = self.first_cells.iter().find(begins).cloned() {
            self.sketch = Sketch::default();
            return self.add(&next);
        }
        ActionResult::Rejected(if self.sketch == Sketch::default() {
            format!("You cannot move anything at {cell}.")
        } else {
            format!("This move cannot go on to {cell}.")
        })
    }

    fn add_source(&mut self, cell: &str) -> ActionResult {
        let is_it = |next: &NextCell| *next.cell == *cell && next.role == CellRole::From;
        match self.next_cell(is_it) {
            Some(next) => self.add(&next),
            None => ActionResult::Rejected(format!("This move cannot also come from {cell}.")),
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
        let variable: Vec<&ChosenCell> = self.chosen().filter(|chosen| varies(chosen)).collect();
        let here = variable.iter().find(|chosen| *chosen.cell == *at);
        let Some(part) = here.or(variable.last()).and_then(|chosen| stepped(chosen, up)) else {
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
            return ActionResult::Rejected("Every move here has cells.".to_owned());
        }
        let next = self.named_move.map_or(0, |word| word + 1);
        self.named_move = Some(next % self.named_moves.len());
        self.sketch = Sketch::default();
        ActionResult::Changed
    }
}

/// What it comes to.
impl MoveInput {
    /// Whether nothing is chosen or about to be.
    pub(super) fn is_empty(&self) -> bool {
        self.sketch == Sketch::default() && self.named_move.is_none() && self.queue.is_empty()
    }

    /// The move as it stands, if it can be made.
    pub(super) fn notation(&self) -> Option<&str> {
        match self.named_move {
            Some(word) => self.named_moves.get(word).map(AsRef::as_ref),
            None => self.outlook()?.notation.as_deref(),
        }
    }

    /// Why it cannot be made, if there is something to say.
    pub(super) fn why(&self) -> Option<&str> {
        self.outlook().filter(|_| self.named_move.is_none())?.why.as_deref()
    }

    /// The first of the moves without cells.
    pub(super) fn named_move(&self) -> Option<&str> {
        self.named_moves.first().map(AsRef::as_ref)
    }

    /// What is chosen of a cell where the notation does not tell it yet.
    pub(super) fn choice(&self) -> Option<&str> {
        self.chosen().filter_map(|chosen| chosen.choice.as_deref()).next_back()
    }

    fn chosen(&self) -> impl DoubleEndedIterator<Item = &ChosenCell> {
        self.outlook().into_iter().flat_map(|outlook| outlook.from.iter().chain(&outlook.to))
    }

    /// What was chosen, and which cells may follow. Those that would take the place of another are
    /// pointed out where nothing else can be done.
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
        // Where a move can begin nearly everywhere, pointing that out would hide the board.
        let is_crowded = marks.len() * 2 >= position.layout().cells.len();
        if outlook.from.is_empty() && outlook.to.is_empty() && is_crowded {
            marks.clear();
        }
        marks
    }
}

fn varies(chosen: &ChosenCell) -> bool {
    chosen.pieces.is_some() || !chosen.choices.is_empty()
}

/// The cell with one piece more or fewer, or with the next choice or the one before, if there is.
fn stepped(chosen: &ChosenCell, up: bool) -> Option<SketchCell> {
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
