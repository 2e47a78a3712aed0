//! What the view does when the player points at the board, with the cursor or with the mouse.

use adamant_client::RequestError;
use adamant_protocol::{sketch::Sketch, to_client::HintList};
use adamant_rules::{Cell, Table};
use crossterm::event::KeyCode;

use super::{
    message::Effect,
    move_input::{ActionResult, InputAction},
    pointer::Pointer,
    targets::{self, Direction},
    view::View,
};

impl View {
    /// Takes the keys from the prompt to the board, or back. What stands in the prompt stays, to be
    /// edited.
    pub(super) fn toggle_pointer(&mut self) {
        if self.pointer.take().is_none() {
            self.show_present();
            self.pointer = self.initial_cell().map(Pointer::new);
        }
    }

    /// A cell was clicked.
    pub(super) fn click(&mut self, cell: Cell) {
        if self.help {
            self.help = false;
        } else if self.has_prompt() && self.table().is_some() {
            self.show_present();
            self.pointer.get_or_insert_with(|| Pointer::new(cell)).cell = cell;
            self.queue_action(InputAction::Choose);
        }
    }

    /// A key that means something on the board; `None` if it does not, or the board has not got
    /// the keys.
    #[expect(clippy::wildcard_enum_match_arm, reason = "most keys do nothing on the board")]
    pub(super) fn board_key(&mut self, code: KeyCode) -> Option<Vec<Effect>> {
        let pointer = self.pointer.as_ref()?;
        match code {
            KeyCode::Up => self.move_cursor(Direction::Up),
            KeyCode::Down => self.move_cursor(Direction::Down),
            KeyCode::Left => self.move_cursor(Direction::Left),
            KeyCode::Right => self.move_cursor(Direction::Right),
            KeyCode::Enter => self.queue_action(InputAction::Finish),
            KeyCode::Char(' ') => self.queue_action(InputAction::Choose),
            KeyCode::Char(',') => self.queue_action(InputAction::AddSource),
            KeyCode::Char('+') => self.queue_action(|at| InputAction::Step { at, up: true }),
            KeyCode::Char('-') => self.queue_action(|at| InputAction::Step { at, up: false }),
            KeyCode::Char('.') => self.queue_action(|_| InputAction::NextNamedMove),
            KeyCode::Esc if !pointer.input.is_empty() => self.clear_input(),
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
    pub(super) fn clear_input(&mut self) {
        let Some(pointer) = &mut self.pointer else { return };
        if !std::mem::take(&mut pointer.input).is_empty() {
            self.prompt.clear();
            self.note = None;
        }
    }

    /// Lets the person who only looks on move a cursor over a board that is larger than the window.
    pub(super) fn move_cursor_or_open(&mut self, direction: Direction) {
        match self.pointer {
            Some(_) => self.move_cursor(direction),
            None => self.pointer = self.initial_cell().map(Pointer::new),
        }
    }

    fn move_cursor(&mut self, direction: Direction) {
        let Some(drawing) = self.table().map(|table| table.position().draw(&[])) else { return };
        if let Some(pointer) = &mut self.pointer {
            pointer.cell = targets::neighbour(&drawing, pointer.cell, direction);
        }
    }

    /// Where the cursor begins: on a cell that can be acted on, if there is any.
    fn initial_cell(&self) -> Option<Cell> {
        let position = self.table()?.position();
        let sources = position.sources();
        let drawing = position.draw(&[]);
        targets::most_central(&drawing, |cell| sources.contains(&cell))
            .or_else(|| targets::most_central(&drawing, |_| true))
    }

    /// Does something at the cursor, as soon as the server has said what it comes to.
    fn queue_action(&mut self, action: impl FnOnce(Box<str>) -> InputAction) {
        self.note = None;
        let Some(at) = self.pointer.as_ref().map(|pointer| pointer.cell) else { return };
        let name = self.table().map(|table| table.position().cell_name(at));
        if let (true, Some(name), Some(pointer)) = (self.check_can_play(), name, &mut self.pointer)
        {
            pointer.input.push(action(name.as_str().into()));
        }
    }

    /// Carries out what was done on the board, as far as the server has been heard, and asks it what
    /// is to be known next.
    pub(super) fn run_input(&mut self) -> Vec<Effect> {
        loop {
            if !self.is_to_play() {
                return Vec::new();
            }
            let Some(pointer) = &mut self.pointer else { return Vec::new() };
            match pointer.input.run_next() {
                Some(ActionResult::Finished) => return self.enter(),
                Some(ActionResult::Rejected(why)) => self.show_error(why),
                Some(ActionResult::Cleared) => self.clear_input(),
                Some(ActionResult::Changed) => self.show_input(),
                Some(ActionResult::Nothing) => {}
                None => {
                    return pointer
                        .input
                        .next_request()
                        .map(Effect::FetchHints)
                        .into_iter()
                        .collect();
                }
            }
        }
    }

    /// The server has answered what a sketch comes to.
    pub(super) fn receive_hints(
        &mut self,
        asked: &Sketch,
        answer: Result<Box<HintList>, RequestError>,
    ) {
        let turn = self.table().map(Table::turn);
        let Some(pointer) = &mut self.pointer else { return };
        // What is true for another turn is of no use, and the event that leads there is under way.
        let answer = answer.map(|list| Some(*list).filter(|list| Some(list.turn) == turn));
        match pointer.input.receive(asked, answer) {
            Ok(true) if !pointer.input.is_empty() => self.show_input(),
            // What was lost with the connection is asked again when that is back.
            Ok(_) | Err(RequestError::ConnectionLost) => {}
            Err(RequestError::Refused(failed)) => self.show_error(failed.message),
            Err(error) => self.show_error(error.to_string()),
        }
    }

    /// Puts the move as it stands into the prompt, or says why it is none.
    fn show_input(&mut self) {
        let Some(pointer) = &self.pointer else { return };
        let notation = pointer.input.notation().unwrap_or_default().to_owned();
        let why = pointer.input.why().map(str::to_owned);
        self.prompt.clear();
        self.prompt.write(&notation);
        if let Some(why) = why {
            self.show_error(why);
        }
    }

    /// Whether it is the person's turn, and their last act was answered.
    fn is_to_play(&self) -> bool {
        let to_move = self.table().and_then(Table::to_move);
        self.sent.is_none() && to_move.is_some() && to_move == self.my_seat()
    }

    /// Whether the person can do something on the board; they are told why not.
    fn check_can_play(&mut self) -> bool {
        let may = self.is_to_play();
        if self.sent.is_some() {
            self.show_error("The server has not answered yet; this waits until it has.");
        } else if !may {
            self.show_error("It is not your turn.");
        }
        may
    }

    fn show_present(&mut self) {
        self.preview = None;
        self.past_ply = None;
    }
}
