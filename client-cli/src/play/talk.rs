//! Handles talk, on the talk page and beside the board.

use adamant_client::RequestError;
use adamant_protocol::{
    to_client::{Said, TalkLine, TalkList, Unsaid},
    values::TalkRoom,
};
use crossterm::event::KeyCode;

use super::{
    message::{Effect, Request},
    talk_page::{LINES_MAX, TalkPage},
    view::View,
};
use crate::{messages, secrets::reject_token};

impl View {
    /// Returns the user's talk room: players are in the players' room.
    fn talk_room(&self) -> TalkRoom {
        let plays = self
            .me
            .as_ref()
            .zip(self.table())
            .is_some_and(|(me, table)| table.seat_of(me.as_str()).is_some());
        if plays { TalkRoom::Players } else { TalkRoom::Spectators }
    }

    /// Opens the talk page and requests earlier lines.
    pub(super) fn open_talk(&mut self) -> Vec<Effect> {
        let room = self.talk_room();
        self.note = None;
        self.talk = Some(TalkPage { room, lines: Vec::new() });
        vec![Effect::FetchTalk(room)]
    }

    /// Sends a line of talk.
    pub(super) fn say(&mut self, text: &str) -> Vec<Effect> {
        if let Err(why) = reject_token(text) {
            self.show_error(why.to_string());
            return Vec::new();
        }
        let room = self.talk.as_ref().map_or_else(|| self.talk_room(), |page| page.room);
        self.sent = Some(format!("say {text}"));
        vec![Effect::Send(Request::Say { room, text: text.to_owned() })]
    }

    /// Handles a key on the page. Returns `None` if the prompt should handle it.
    pub(super) fn talk_key(&mut self, code: KeyCode) -> Option<Vec<Effect>> {
        let leaves = code == KeyCode::Esc || (code == KeyCode::Enter && self.prompt.is_empty());
        if leaves {
            self.talk = None;
            self.prompt.clear();
            self.note = None;
            return Some(Vec::new());
        }
        if code != KeyCode::Enter {
            return None;
        }
        if self.sent.is_some() {
            self.show_error("The server has not answered yet. Please wait.");
            return Some(Vec::new());
        }
        self.note = None;
        let text = self.prompt.text();
        self.prompt.clear();
        Some(self.say(text.trim()))
    }

    /// Handles the earlier lines of a room.
    pub(super) fn receive_talk(&mut self, answer: Result<Box<TalkList>, RequestError>) {
        match (answer, &mut self.talk) {
            (Ok(list), Some(page)) if page.room == list.room => {
                // Lines that arrived in between are in the list, or follow it.
                let newest = list.lines.last().map_or(0, |line| line.n);
                let later =
                    std::mem::take(&mut page.lines).into_iter().filter(|line| line.n > newest);
                page.lines = list.lines.into_iter().chain(later).collect();
            }
            (Err(RequestError::Refused(failed)), Some(_)) => self.show_error(failed.message),
            (Err(error), Some(_)) => self.show_error(error.to_string()),
            (Ok(_) | Err(_), _) => {}
        }
    }

    /// Handles a new line of talk.
    pub(super) fn receive_line(&mut self, said: Said) {
        if said.game != self.game {
            return;
        }
        let Said { room, n, at, by, text, .. } = said;
        match &mut self.talk {
            Some(page) if page.room == room => {
                // Lines of different users may arrive out of order.
                let place = page.lines.partition_point(|line| line.n < n);
                if page.lines.get(place).is_none_or(|line| line.n != n) {
                    page.lines.insert(place, TalkLine { n, at, by, text });
                }
                let surplus = page.lines.len().saturating_sub(LINES_MAX);
                page.lines.drain(..surplus);
            }
            Some(_) => {}
            None => self.show_note(messages::said(&by, &text)),
        }
    }

    /// Handles the deletion of a line.
    pub(super) fn delete_line(&mut self, unsaid: &Unsaid) {
        let Some(page) = &mut self.talk else { return };
        if unsaid.game == self.game && unsaid.room == page.room {
            page.lines.retain(|line| line.n != unsaid.n);
        }
    }
}
