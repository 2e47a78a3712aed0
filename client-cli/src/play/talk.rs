//! The page on which a game is talked about, and what is heard while the board is shown.

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
use crate::{messages, secrets::refuse_token};

impl View {
    /// The room that the person is in: who plays is among the players.
    fn talk_room(&self) -> TalkRoom {
        let plays = self
            .me
            .as_ref()
            .zip(self.table())
            .is_some_and(|(me, table)| table.seat_of(me.as_str()).is_some());
        if plays { TalkRoom::Players } else { TalkRoom::Spectators }
    }

    /// Opens the page and asks for what was said before.
    pub(super) fn open_talk(&mut self) -> Vec<Effect> {
        let room = self.talk_room();
        self.note = None;
        self.talk = Some(TalkPage { room, lines: Vec::new() });
        vec![Effect::FetchTalk(room)]
    }

    /// Says something to those in the same room.
    pub(super) fn say(&mut self, text: &str) -> Vec<Effect> {
        if let Err(why) = refuse_token(text) {
            self.show_error(why.to_string());
            return Vec::new();
        }
        let room = self.talk.as_ref().map_or_else(|| self.talk_room(), |page| page.room);
        self.sent = Some(format!("say {text}"));
        vec![Effect::Send(Request::Say { room, text: text.to_owned() })]
    }

    /// A key was pressed on the page. `None` if it is one that edits the line.
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
            self.show_error("The server has not answered yet; this waits until it has.");
            return Some(Vec::new());
        }
        self.note = None;
        let text = self.prompt.text();
        self.prompt.clear();
        Some(self.say(text.trim()))
    }

    /// The server has told what was said before.
    pub(super) fn receive_talk(&mut self, answer: Result<Box<TalkList>, RequestError>) {
        match (answer, &mut self.talk) {
            (Ok(list), Some(page)) if page.room == list.room => {
                // What was said meanwhile stands in the list, or comes behind it.
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

    /// Somebody has said something.
    pub(super) fn receive_line(&mut self, said: Said) {
        if said.game != self.game {
            return;
        }
        let Said { room, n, at, by, text, .. } = said;
        match &mut self.talk {
            Some(page) if page.room == room => {
                // Lines of different people may overtake each other.
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

    /// Something that was said is taken back.
    pub(super) fn delete_line(&mut self, unsaid: &Unsaid) {
        let Some(page) = &mut self.talk else { return };
        if unsaid.game == self.game && unsaid.room == page.room {
            page.lines.retain(|line| line.n != unsaid.n);
        }
    }
}
