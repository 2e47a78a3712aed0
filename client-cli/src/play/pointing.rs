//! Handles the cursor and the mouse on the board.

use adamant_client::RequestError;
use adamant_protocol::{sketch::Sketch, to_client::HintList};
use adamant_rules::{Cell, Table};
use crossterm::event::KeyCode;

use super::{
    message::Effect,
    move_input::{ActionResult, InputAction, Pointer},
    targets::{self, Direction},
    view::View,
};

impl View {
    /// Moves the keys from the prompt to the board, or back. The prompt keeps its text.
    pub(super) fn toggle_pointer(&mut self) {
        if self.pointer.take().is_none() {
            self.show_present();
            self.pointer = self.initial_cell().map(Pointer::new);
        }
    }

    /// Handles a click on a cell.
    pub(super) fn click(&mut self, cell: Cell) {
        if self.help {
            self.help = false;
        } else if self.has_prompt() && self.table().is_some() {
            self.show_present();
            self.pointer.get_or_insert_with(|| Pointer::new(cell)).cell = cell;
            self.queue_action(InputAction::Choose);
        }
    }

    /// Handles a key on the board. Returns `None` if the prompt should handle it.
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
            // Any other key goes to the prompt.
            _ => {
                self.pointer = None;
                return None;
            }
        }
        Some(Vec::new())
    }

    /// Clears the move that is being built, and its text in the prompt.
    pub(super) fn clear_input(&mut self) {
        let Some(pointer) = &mut self.pointer else { return };
        if !std::mem::take(&mut pointer.input).is_empty() {
            self.prompt.clear();
            self.note = None;
        }
    }

    /// Moves a spectator's cursor, which scrolls a board larger than the window.
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

    /// Returns the first cell of the cursor: a cell that can be moved from, if there is one.
    fn initial_cell(&self) -> Option<Cell> {
        let position = self.table()?.position();
        let sources = position.sources();
        let drawing = position.draw(&[]);
        targets::most_central(&drawing, |cell| sources.contains(&cell))
            .or_else(|| targets::most_central(&drawing, |_| true))
    }

    /// Queues an action at the cursor.
    fn queue_action(&mut self, action: impl FnOnce(Box<str>) -> InputAction) {
        self.note = None;
        let Some(at) = self.pointer.as_ref().map(|pointer| pointer.cell) else { return };
        let name = self.table().map(|table| table.position().cell_name(at));
        if let (true, Some(name), Some(pointer)) = (self.check_can_play(), name, &mut self.pointer)
        {
            pointer.input.push(action(name.as_str().into()));
        }
    }

    /// Runs queued actions until one needs hints of the server, and requests those.
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

    /// Handles the hints for a sketch.
    pub(super) fn receive_hints(
        &mut self,
        asked: &Sketch,
        answer: Result<Box<HintList>, RequestError>,
    ) {
        let turn = self.table().map(Table::turn);
        let Some(pointer) = &mut self.pointer else { return };
        // Hints for another turn are useless; the event of that turn is on its way.
        let answer = answer.map(|list| Some(*list).filter(|list| Some(list.turn) == turn));
        match pointer.input.receive(asked, answer) {
            Ok(true) if !pointer.input.is_empty() => self.show_input(),
            // A request that was lost with the connection is repeated after the reconnect.
            Ok(_) | Err(RequestError::ConnectionLost) => {}
            Err(RequestError::Refused(failed)) => self.show_error(failed.message),
            Err(error) => self.show_error(error.to_string()),
        }
    }

    /// Writes the move into the prompt, or shows why it is incomplete.
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

    /// Whether it is the user's turn and no request is pending.
    fn is_to_play(&self) -> bool {
        let to_move = self.table().and_then(Table::to_move);
        self.sent.is_none() && to_move.is_some() && to_move == self.my_seat()
    }

    /// Whether the user can move now; shows why not.
    fn check_can_play(&mut self) -> bool {
        let may = self.is_to_play();
        if self.sent.is_some() {
            self.show_error("The server has not answered yet. Please wait.");
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
