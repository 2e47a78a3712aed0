//! Handles keys, and lines entered at the prompt.

use adamant_rules::{Act, Seat, Table, event::OfferId, table::OpenOffer};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::{
    message::{ConnectionState, Effect, Request},
    prompt::PromptCommand,
    targets::Direction,
    view::{Preview, View},
};
use crate::{drawing, messages};

impl View {
    pub(super) fn key(&mut self, key: KeyEvent) -> Vec<Effect> {
        if key.kind == KeyEventKind::Release {
            return Vec::new();
        }
        if key.code == KeyCode::Enter
            && let ConnectionState::Down { again_at: Some(again_at), .. } = &mut self.connection
        {
            *again_at = self.now;
            let mut effects = if self.sent.is_some() { Vec::new() } else { self.pressed(key) };
            effects.push(Effect::Reconnect);
            return effects;
        }
        self.pressed(key)
    }

    fn pressed(&mut self, key: KeyEvent) -> Vec<Effect> {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c') if control => return vec![Effect::Leave],
            KeyCode::Char('d') if control && self.prompt.is_empty() => return vec![Effect::Leave],
            KeyCode::Char('t') if control => self.toggle_threats(),
            _ if self.help => self.help = false,
            _ if self.talk.is_some() => {
                let talked = if control { None } else { self.talk_key(key.code) };
                return talked.unwrap_or_else(|| self.edit(key.code, control));
            }
            KeyCode::Tab if self.has_prompt() => self.toggle_pointer(),
            KeyCode::PageUp => self.previous_ply(),
            KeyCode::PageDown => self.next_ply(),
            KeyCode::Home => self.show_ply(0),
            KeyCode::End => self.past_ply = None,
            _ if self.has_prompt() => {
                let pointed = if control { None } else { self.board_key(key.code) };
                return pointed.unwrap_or_else(|| self.edit(key.code, control));
            }
            KeyCode::Up => self.move_cursor_or_open(Direction::Up),
            KeyCode::Down => self.move_cursor_or_open(Direction::Down),
            KeyCode::Left => self.move_cursor_or_open(Direction::Left),
            KeyCode::Right => self.move_cursor_or_open(Direction::Right),
            KeyCode::Esc => self.cancel(),
            KeyCode::Char('?') => self.help = true,
            KeyCode::Char('r') if self.can_request_rematch() => {
                return self.send(Request::Rematch, "rematch".to_owned());
            }
            KeyCode::Char('q') => return vec![Effect::Leave],
            KeyCode::Char('t') => return self.open_talk(),
            _ => {}
        }
        Vec::new()
    }

    fn edit(&mut self, code: KeyCode, control: bool) -> Vec<Effect> {
        match code {
            KeyCode::Char('a') if control => self.prompt.go_to_start(),
            KeyCode::Char('e') if control => self.prompt.go_to_end(),
            KeyCode::Char('u') if control => self.prompt.clear(),
            KeyCode::Char(_) if control => {}
            KeyCode::Char('?') if self.prompt.is_empty() && self.talk.is_none() => {
                self.help = true;
            }
            KeyCode::Char(letter) => self.prompt.insert(letter),
            KeyCode::Backspace => self.prompt.backspace(),
            KeyCode::Delete => self.prompt.delete(),
            KeyCode::Left => self.prompt.left(),
            KeyCode::Right => self.prompt.right(),
            KeyCode::Up => self.prompt.older(),
            KeyCode::Down => self.prompt.newer(),
            KeyCode::Esc => self.cancel(),
            KeyCode::Enter => return self.enter(),
            _ => {}
        }
        Vec::new()
    }
}

/// Threats and earlier plies.
impl View {
    fn toggle_threats(&mut self) {
        let Some(table) = self.table() else { return };
        if !table.position().kind().captures() {
            self.show_note("This game has no captures.");
            return;
        }
        self.shows_threats ^= true;
        self.show_note(if self.shows_threats {
            "! marks pieces that another player could capture on their turn; Ctrl-T hides it."
        } else {
            "Ctrl-T marks pieces that could be captured."
        });
    }

    fn previous_ply(&mut self) {
        self.show_ply(self.shown_ply().saturating_sub(1));
    }

    fn next_ply(&mut self) {
        if let Some(shown) = self.past_ply {
            self.show_ply(shown + 1);
        }
    }

    fn show_ply(&mut self, ply: usize) {
        self.pointer = None;
        self.preview = None;
        self.past_ply = (ply < self.last_ply()).then_some(ply);
    }

    /// Cancels one thing: the preview, then the earlier ply, then the input.
    fn cancel(&mut self) {
        let is_back = self.preview.take().is_none() && self.past_ply.take().is_none();
        if is_back && self.pointer.take().is_none() {
            self.prompt.clear();
            self.note = None;
        }
    }
}

/// Entered lines.
impl View {
    /// Runs the line in the prompt.
    pub(super) fn enter(&mut self) -> Vec<Effect> {
        if self.sent.is_some() {
            self.show_error("The server has not answered yet. Please wait.");
            return Vec::new();
        }
        self.note = None;
        let line = self.prompt.submit();
        let entry = PromptCommand::read(&line);
        let is_confirmed = self.unconfirmed.take() == Some(Request::Resign);
        match entry {
            PromptCommand::Nothing => match self.preview.take() {
                Some(preview) => self.make_move(preview.notation),
                None => Vec::new(),
            },
            PromptCommand::Move(notation) => self.make_move(notation),
            PromptCommand::Try(notation) => {
                self.try_move(&notation, &line);
                Vec::new()
            }
            PromptCommand::Resign if !is_confirmed && self.my_seat().is_some() => {
                self.unconfirmed = Some(Request::Resign);
                self.show_note(if self.may_abort() {
                    "Not all have moved: abort leaves no result. Enter resign once more to resign."
                } else {
                    "Resign the game? Enter resign once more to confirm."
                });
                Vec::new()
            }
            PromptCommand::Resign => self.send(Request::Resign, line),
            PromptCommand::Abort => self.send(Request::Abort, line),
            // The same offer by another player is accepted.
            PromptCommand::Offer(what) => match self.offer_by_others(|open| open.what == what) {
                Some(offer) => self.send(Request::Answer { offer, accept: true }, line),
                None => self.send(Request::Offer(what), line),
            },
            PromptCommand::Claim => self.send(Request::Claim, line),
            PromptCommand::Accept => self.answer(true, line),
            PromptCommand::Decline => self.answer(false, line),
            PromptCommand::Withdraw => match self.my_offer() {
                Some(offer) => self.send(Request::Withdraw { offer }, line),
                None => self.reject("You have no open offer."),
            },
            PromptCommand::Say(text) => self.say(&text),
            PromptCommand::Talk => self.open_talk(),
            PromptCommand::Help => {
                self.help = true;
                Vec::new()
            }
            PromptCommand::Quit => vec![Effect::Leave],
        }
    }

    /// Whether the user may still end the game without a result.
    fn may_abort(&self) -> bool {
        let abort = self.my_seat().map(|seat| Act::Abort { seat });
        let table = self.table().zip(abort);
        table.is_some_and(|(table, abort)| table.decide(&abort, table.last_at()).is_ok())
    }

    /// Returns the user's seat, or shows why there is none.
    fn require_seat(&mut self) -> Option<Seat> {
        let seat = self.my_seat();
        if seat.is_none() {
            self.show_error(match self.table() {
                Some(_) => "You do not play in this game.",
                None => "The game is not loaded yet.",
            });
        }
        seat
    }

    fn reject(&mut self, why: &str) -> Vec<Effect> {
        self.show_error(why);
        Vec::new()
    }

    fn send(&mut self, request: Request, line: String) -> Vec<Effect> {
        if self.require_seat().is_none() {
            return Vec::new();
        }
        self.past_ply = None;
        self.preview = None;
        self.clear_input();
        self.sent = Some(line);
        vec![Effect::Send(request)]
    }

    fn make_move(&mut self, notation: String) -> Vec<Effect> {
        let turn = self.table().map_or(0, Table::turn);
        self.send(Request::Move { turn, notation: notation.clone() }, notation)
    }

    fn answer(&mut self, accept: bool, line: String) -> Vec<Effect> {
        match self.offer_by_others(|_| true) {
            Some(offer) => self.send(Request::Answer { offer, accept }, line),
            None => self.reject("There is no open offer to answer."),
        }
    }

    /// Shows the preview of a move. The rules are the server's, so no request is needed.
    fn try_move(&mut self, notation: &str, line: &str) {
        let Some(seat) = self.require_seat() else { return };
        let now_ms = self.server_ms();
        let Some(table) = self.table() else { return };
        match table.preview(seat, table.turn(), notation, now_ms) {
            Ok((_, after)) => {
                let position = after.position().clone();
                let notation = after.move_at(table.ply() + 1).unwrap_or_default().to_owned();
                let captures = after.last_captures();
                self.preview = Some(Preview {
                    marks: drawing::marks(&position, &notation, captures),
                    captures: messages::captures(&position, captures),
                    notation,
                    position,
                });
                self.past_ply = None;
            }
            Err(refusal) => {
                self.prompt.write(line);
                self.show_error(refusal.to_string());
            }
        }
    }

    fn my_offer(&self) -> Option<OfferId> {
        offer_by(self.table()?, self.my_seat()?)
    }

    /// Returns an open offer that waits for the user's answer and matches.
    fn offer_by_others(&self, is_meant: impl Fn(&OpenOffer) -> bool) -> Option<OfferId> {
        offer_to(self.table()?, self.my_seat()?, is_meant)
    }
}

/// Returns the open offer of a seat.
pub(super) fn offer_by(table: &Table, seat: Seat) -> Option<OfferId> {
    table.offers().iter().find(|open| open.by == seat).map(|open| open.offer)
}

/// Returns an open offer that waits for a seat's answer and matches.
pub(super) fn offer_to(
    table: &Table,
    seat: Seat,
    is_meant: impl Fn(&OpenOffer) -> bool,
) -> Option<OfferId> {
    let mut offers = table.offers().iter();
    offers.find(|open| open.needs.contains(seat) && is_meant(open)).map(|open| open.offer)
}
