//! The line in which a player types, and what the words in it mean.

use std::collections::VecDeque;

use adamant_rules::event::OfferKind;

use crate::notation::without_spaces;

/// Characters that fit into the prompt: the longest line that may be said, and the word before it.
/// The longest move of any game is shorter.
const TEXT_CHARS_MAX: usize = 504;

/// Lines that the prompt remembers.
const HISTORY_MAX: usize = 100;

/// A line being edited, and those before it.
#[derive(Debug, Default)]
pub(super) struct Prompt {
    text: Vec<char>,
    /// How many characters stand before the cursor.
    cursor: usize,
    history: VecDeque<String>,
    /// Which line of the history is shown, counted back from the latest, and what was being
    /// written before.
    recalled: Option<(usize, String)>,
}

/// What a line asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PromptCommand {
    /// Nothing was written.
    Nothing,
    /// To make a move.
    Move(String),
    /// To see what a move would do.
    Try(String),
    /// To give up.
    Resign,
    /// To offer something, or to agree to the same offer by others.
    Offer(OfferKind),
    /// To agree to the open offer.
    Accept,
    /// To turn the open offer down.
    Decline,
    /// To take one's own offer back.
    Withdraw,
    /// To call the game off before each side has moved.
    Abort,
    /// To say something to the others.
    Say(String),
    /// To see what was said.
    Talk,
    /// To claim that whoever is away has gone for good.
    Claim,
    /// To see how all this works.
    Help,
    /// To leave the view.
    Quit,
}

impl PromptCommand {
    /// Reads a line. What is no command is a move: only the rules know their notation.
    pub(super) fn read(line: &str) -> Self {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if word.eq_ignore_ascii_case("try") && !rest.is_empty() {
            return Self::Try(without_spaces(rest));
        }
        if word.eq_ignore_ascii_case("say") && !rest.is_empty() {
            return Self::Say(rest.trim().to_owned());
        }
        match line.to_ascii_lowercase().as_str() {
            "" => Self::Nothing,
            "resign" => Self::Resign,
            "draw" => Self::Offer(OfferKind::Draw),
            "takeback" => Self::Offer(OfferKind::Takeback),
            "calloff" => Self::Offer(OfferKind::Abort),
            "claim" => Self::Claim,
            "accept" => Self::Accept,
            "decline" => Self::Decline,
            "withdraw" => Self::Withdraw,
            "abort" => Self::Abort,
            "talk" => Self::Talk,
            "?" | "help" => Self::Help,
            "quit" | "exit" | "q" => Self::Quit,
            _ => Self::Move(without_spaces(line)),
        }
    }
}

impl Prompt {
    /// What stands in the line.
    pub(super) fn text(&self) -> String {
        self.text.iter().collect()
    }

    /// How many characters stand before the cursor.
    pub(super) const fn cursor(&self) -> usize {
        self.cursor
    }

    /// Whether the line is empty.
    pub(super) const fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Writes a character at the cursor.
    pub(super) fn insert(&mut self, letter: char) {
        if self.text.len() < TEXT_CHARS_MAX && !letter.is_control() {
            self.text.insert(self.cursor, letter);
            self.cursor += 1;
        }
    }

    /// Deletes the character before the cursor.
    pub(super) fn backspace(&mut self) {
        if self.cursor > 0 {
            self.cursor -= 1;
            self.text.remove(self.cursor);
        }
    }

    /// Deletes the character at the cursor.
    pub(super) fn delete(&mut self) {
        if self.cursor < self.text.len() {
            self.text.remove(self.cursor);
        }
    }

    /// Moves the cursor one character back.
    pub(super) const fn left(&mut self) {
        self.cursor = self.cursor.saturating_sub(1);
    }

    /// Moves the cursor one character on.
    pub(super) fn right(&mut self) {
        self.cursor = (self.cursor + 1).min(self.text.len());
    }

    /// Moves the cursor before the first character.
    pub(super) const fn go_to_start(&mut self) {
        self.cursor = 0;
    }

    /// Moves the cursor behind the last character.
    pub(super) const fn go_to_end(&mut self) {
        self.cursor = self.text.len();
    }

    /// Empties the line.
    pub(super) fn clear(&mut self) {
        self.write("");
        self.recalled = None;
    }

    /// Replaces the line.
    pub(super) fn write(&mut self, line: &str) {
        self.text = line.chars().take(TEXT_CHARS_MAX).collect();
        self.go_to_end();
    }

    /// Takes the line out and remembers it.
    pub(super) fn submit(&mut self) -> String {
        let line = self.text();
        self.clear();
        if !line.trim().is_empty() && self.history.back() != Some(&line) {
            if self.history.len() == HISTORY_MAX {
                self.history.pop_front();
            }
            self.history.push_back(line.clone());
        }
        line
    }

    /// Shows the line before the one that is shown.
    pub(super) fn older(&mut self) {
        let (back, draft) = match self.recalled.take() {
            Some((back, draft)) => ((back + 1).min(self.history.len()), draft),
            None => (1, self.text()),
        };
        self.recall(back, draft);
    }

    /// Shows the line after the one that is shown, at last the one that was being written.
    pub(super) fn newer(&mut self) {
        if let Some((back, draft)) = self.recalled.take() {
            self.recall(back - 1, draft);
        }
    }

    fn recall(&mut self, back: usize, draft: String) {
        let line = back.checked_sub(1).and_then(|index| self.history.iter().rev().nth(index));
        match line.cloned() {
            Some(line) => {
                self.write(&line);
                self.recalled = Some((back, draft));
            }
            None => self.write(&draft),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(prompt: &mut Prompt, text: &str) {
        text.chars().for_each(|letter| prompt.insert(letter));
    }

    #[test]
    fn a_line_is_edited_where_the_cursor_is() {
        let mut prompt = Prompt::default();
        typed(&mut prompt, "c1-xc2");
        prompt.left();
        prompt.left();
        prompt.backspace();
        assert_eq!((prompt.text().as_str(), prompt.cursor()), ("c1-c2", 3));
        prompt.go_to_start();
        prompt.delete();
        typed(&mut prompt, "d");
        prompt.go_to_end();
        prompt.right();
        prompt.delete();
        prompt.insert('\u{7}');
        assert_eq!(prompt.submit(), "d1-c2");
        prompt.backspace();
        prompt.left();
        assert!(prompt.is_empty());
    }

    #[test]
    fn earlier_lines_come_back_and_so_does_the_one_being_written() {
        let mut prompt = Prompt::default();
        prompt.older();
        assert!(prompt.is_empty());
        for line in ["one", "two", "two", "  "] {
            typed(&mut prompt, line);
            prompt.submit();
        }
        typed(&mut prompt, "thr");
        prompt.older();
        assert_eq!(prompt.text(), "two");
        prompt.older();
        prompt.older();
        assert_eq!(prompt.text(), "one");
        prompt.newer();
        prompt.newer();
        assert_eq!(prompt.text(), "thr");
        prompt.newer();
        assert_eq!(prompt.text(), "thr");
    }

    #[test]
    fn the_line_and_its_history_are_bounded() {
        let mut prompt = Prompt::default();
        for number in 0..=HISTORY_MAX {
            typed(&mut prompt, &number.to_string());
            prompt.submit();
        }
        assert_eq!(prompt.history.len(), HISTORY_MAX);
        typed(&mut prompt, &"x".repeat(TEXT_CHARS_MAX + 1));
        assert_eq!(prompt.text().len(), TEXT_CHARS_MAX);
    }

    #[test]
    fn what_is_no_command_is_a_move() {
        assert_eq!(PromptCommand::read("  "), PromptCommand::Nothing);
        assert_eq!(PromptCommand::read(" Resign "), PromptCommand::Resign);
        assert_eq!(PromptCommand::read("Takeback"), PromptCommand::Offer(OfferKind::Takeback));
        assert_eq!(PromptCommand::read("?"), PromptCommand::Help);
        assert_eq!(PromptCommand::read("try  C1-c2 "), PromptCommand::Try("C1-c2".to_owned()));
        assert_eq!(PromptCommand::read("C1-c2"), PromptCommand::Move("C1-c2".to_owned()));
        assert_eq!(PromptCommand::read("try"), PromptCommand::Move("try".to_owned()));
        assert_eq!(PromptCommand::read("c1 - c2"), PromptCommand::Move("c1-c2".to_owned()));
        assert_eq!(PromptCommand::read("try f6, g5 "), PromptCommand::Try("f6,g5".to_owned()));
    }
}
