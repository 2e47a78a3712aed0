//! The input line of a player, and its commands.

use std::collections::VecDeque;

use adamant_rules::event::OfferKind;

use crate::messages::without_spaces;

/// Maximum length of the line: the longest line of talk with its command. Every move is shorter.
const TEXT_CHARS_MAX: usize = 504;

/// Maximum number of lines in the history.
const HISTORY_MAX: usize = 100;

/// The line that is edited, and the earlier lines.
#[derive(Debug, Default)]
pub(super) struct Prompt {
    text: Vec<char>,
    /// Number of characters before the cursor.
    cursor: usize,
    history: VecDeque<String>,
    /// The line of the history that is shown, counted back from the latest, and the unfinished
    /// line.
    recalled: Option<(usize, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PromptCommand {
    Nothing,
    Move(String),
    Try(String),
    Resign,
    /// Make an offer, or accept the same offer of another player.
    Offer(OfferKind),
    /// Accept the open offer.
    Accept,
    /// Decline the open offer.
    Decline,
    /// Withdraw the user's own offer.
    Withdraw,
    /// Abort the game before each side has moved.
    Abort,
    /// Send a line of talk.
    Say(String),
    Talk,
    /// Claim the game against a player who is away.
    Claim,
    Help,
    Quit,
}

impl PromptCommand {
    /// Parses a line. Any line that is no command is a move: only the rules know the notation.
    pub(super) fn read(line: &str) -> Self {
        // What is said stays as it was typed.
        let line = line.trim_start_matches('\u{feff}').trim();
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
    pub(super) fn text(&self) -> String {
        self.text.iter().collect()
    }

    /// Returns the number of characters before the cursor.
    pub(super) const fn cursor(&self) -> usize {
        self.cursor
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Inserts a character at the cursor.
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

    /// Moves the cursor one character forward.
    pub(super) fn right(&mut self) {
        self.cursor = (self.cursor + 1).min(self.text.len());
    }

    /// Moves the cursor before the first character.
    pub(super) const fn go_to_start(&mut self) {
        self.cursor = 0;
    }

    /// Moves the cursor after the last character.
    pub(super) const fn go_to_end(&mut self) {
        self.cursor = self.text.len();
    }

    pub(super) fn clear(&mut self) {
        self.write("");
        self.recalled = None;
    }

    pub(super) fn write(&mut self, line: &str) {
        self.text = line.chars().take(TEXT_CHARS_MAX).collect();
        self.go_to_end();
    }

    /// Returns the line, clears it and adds it to the history.
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

    /// Shows the previous line of the history.
    pub(super) fn older(&mut self) {
        let (back, draft) = match self.recalled.take() {
            Some((back, draft)) => ((back + 1).min(self.history.len()), draft),
            None => (1, self.text()),
        };
        self.recall(back, draft);
    }

    /// Shows the next line of the history, and finally the unfinished line.
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
    fn edits_apply_at_the_cursor() {
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
    fn the_history_keeps_the_unfinished_line() {
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
    fn a_line_that_is_no_command_is_a_move() {
        assert_eq!(PromptCommand::read("  "), PromptCommand::Nothing);
        assert_eq!(PromptCommand::read(" Resign "), PromptCommand::Resign);
        assert_eq!(PromptCommand::read("Takeback"), PromptCommand::Offer(OfferKind::Takeback));
        assert_eq!(PromptCommand::read("?"), PromptCommand::Help);
        assert_eq!(PromptCommand::read("try  C1-c2 "), PromptCommand::Try("C1-c2".to_owned()));
        assert_eq!(PromptCommand::read("C1-c2"), PromptCommand::Move("C1-c2".to_owned()));
        assert_eq!(PromptCommand::read("try"), PromptCommand::Move("try".to_owned()));
        assert_eq!(PromptCommand::read("c1 - c2"), PromptCommand::Move("c1-c2".to_owned()));
        assert_eq!(PromptCommand::read("try f6, g5 "), PromptCommand::Try("f6,g5".to_owned()));
        for pasted in ["\u{feff}c1-c2\r", "c1\u{2013}c2", "c1\u{a0}\u{2212} c2\u{200b}"] {
            assert_eq!(PromptCommand::read(pasted), PromptCommand::Move("c1-c2".to_owned()));
        }
        assert_eq!(PromptCommand::read("\u{feff}resign\r"), PromptCommand::Resign);
    }
}
