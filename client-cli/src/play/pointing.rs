//! What the view does when the player points at the board, with the cursor or with the mouse.

use adamant_rules::{Cell, Position, Table, game::Mark};
use crossterm::event::KeyCode;

use super::{
    aim::Aim,
    places::{self, Direction},
    view::{Effect, View},
};

/// The cursor on the board, and the move that is being put together with it.
#[derive(Debug)]
pub(super) struct Pointer {
    /// Where the cursor is.
    pub(super) at: Cell,
    /// What was chosen; nothing yet if `None`.
    pub(super) aim: Option<Aim>,
}

impl Pointer {
    /// What to point out on the board; nothing of the last move once a cell is chosen.
    pub(super) fn marks(
        &self,
        position: &Position,
        last_move: &[(Cell, Mark)],
    ) -> Vec<(Cell, Mark)> {
        let cursor = (self.at, Mark::Cursor);
        let shown = self.aim.as_ref().map_or(last_move, Aim::marks);
        let mut marks = shown.to_vec();
        if self.aim.is_none() {
            let sources = position.sources();
            // Where most cells can be chosen, pointing them out would hide the board.
            if sources.len() * 2 < position.layout().cells.len() {
                marks.extend(sources.into_iter().map(|cell| (cell, Mark::Target)));
            }
        }
        marks.push(cursor);
        marks
    }
}

impl View {
    /// Takes the keys from the prompt to the board, or back. What stands in the prompt stays, to be
    /// edited.
    pub(super) fn toggle_pointer(&mut self) {
        if self.pointer.take().is_none() {
            self.show_present();
            self.pointer = self.first_cell().map(|at| Pointer { at, aim: None });
        }
    }

    /// A cell was clicked.
    pub(super) fn click(&mut self, cell: Cell) {
        if self.help {
            self.help = false;
        } else if self.has_prompt() && self.table().is_some() {
            self.show_present();
            self.pointer.get_or_insert(Pointer { at: cell, aim: None }).at = cell;
            self.choose();
        }
    }

    /// A key that means something on the board; `None` if it does not, or the board has not got
    /// the keys.
    #[expect(clippy::wildcard_enum_match_arm, reason = "most keys do nothing on the board")]
    pub(super) fn point(&mut self, code: KeyCode) -> Option<Vec<Effect>> {
        let pointer = self.pointer.as_ref()?;
        let is_ready = pointer.aim.as_ref().is_some_and(|aim| aim.notation().is_some());
        match code {
            KeyCode::Up => self.move_cursor(Direction::Up),
            KeyCode::Down => self.move_cursor(Direction::Down),
            KeyCode::Left => self.move_cursor(Direction::Left),
            KeyCode::Right => self.move_cursor(Direction::Right),
            KeyCode::Enter if is_ready => return Some(self.enter()),
            KeyCode::Char(' ') | KeyCode::Enter => self.choose(),
            KeyCode::Char('+') => self.step(true),
            KeyCode::Char('-') => self.step(false),
            KeyCode::Esc if pointer.aim.is_some() => self.drop_aim(),
            KeyCode::Esc => self.pointer = None,
            KeyCode::Char('?') => self.help = true,
            // Whatever else is a line being written.
            _ => {
                self.pointer = None;
                return None;
            }
        }
        Some(Vec::new())
    }

    /// Drops the move that is being put together, and what it wrote into the prompt.
    pub(super) fn drop_aim(&mut self) {
        if self.pointer.as_mut().and_then(|pointer| pointer.aim.take()).is_some() {
            self.prompt.clear();
            self.note = None;
        }
    }

    fn move_cursor(&mut self, direction: Direction) {
        let Some(drawing) = self.table().map(|table| table.position().draw(&[])) else { return };
        if let Some(pointer) = &mut self.pointer {
            pointer.at = places::next(&drawing, pointer.at, direction);
        }
    }

    /// Where the cursor begins: on a cell that can be acted on, if there is any.
    fn first_cell(&self) -> Option<Cell> {
        let position = self.table()?.position();
        let sources = position.sources();
        let drawing = position.draw(&[]);
        places::middlemost(&drawing, |cell| sources.contains(&cell))
            .or_else(|| places::middlemost(&drawing, |_| true))
    }

    /// Chooses the cell at the cursor: as a part of the move that is being put together, or else to
    /// begin another.
    fn choose(&mut self) {
        self.note = None;
        let Some(position) = self.position_to_play() else { return };
        let Some(Pointer { at, aim }) = &mut self.pointer else { return };
        let (at, name) = (*at, position.cell_name(*at));
        if !aim.as_mut().is_some_and(|aim| aim.choose(&position, at)) {
            if aim.as_ref().is_some_and(|aim| aim.from() == at) {
                self.drop_aim();
                return;
            }
            match Aim::begin(&position, at) {
                Some(begun) => *aim = Some(begun),
                None if aim.is_some() => {
                    self.complain(format!("This move cannot go on to {name}."));
                    return;
                }
                None => {
                    self.complain(format!("You cannot move anything at {name}."));
                    return;
                }
            }
        }
        self.write_aim();
    }

    fn step(&mut self, up: bool) {
        let Some(position) = self.position_to_play() else { return };
        let aim = self.pointer.as_mut().and_then(|pointer| pointer.aim.as_mut());
        if aim.is_some_and(|aim| aim.step(&position, up)) {
            self.note = None;
            self.write_aim();
        }
    }

    /// Puts the move as it stands into the prompt.
    fn write_aim(&mut self) {
        let aim = self.pointer.as_ref().and_then(|pointer| pointer.aim.as_ref());
        let notation = aim.and_then(Aim::notation).unwrap_or_default().to_owned();
        self.prompt.clear();
        self.prompt.write(&notation);
    }

    /// The position, if it is the person's turn and the last act was answered; else they are told.
    fn position_to_play(&mut self) -> Option<Position> {
        let to_move = self.table().and_then(Table::to_move);
        if self.sent.is_some() {
            self.complain("The server has not answered yet; this waits until it has.");
        } else if to_move.is_none() || to_move != self.my_seat() {
            self.complain("It is not your turn.");
        } else {
            return self.table().map(|table| table.position().clone());
        }
        None
    }

    fn show_present(&mut self) {
        self.preview = None;
        self.past = None;
    }
}
