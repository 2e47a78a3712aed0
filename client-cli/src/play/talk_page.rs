//! The page of what was said about a game.

use adamant_protocol::{to_client::TalkLine, values::TalkRoom};
use ratatui::text::{Line, Span};

use crate::messages;

/// Lines that the page remembers; a window has fewer.
pub(super) const LINES_MAX: usize = 200;

/// What is said, while the page is open.
#[derive(Debug)]
pub(super) struct TalkPage {
    pub(super) room: TalkRoom,
    pub(super) lines: Vec<TalkLine>,
}

impl TalkPage {
    /// The latest lines, broken into so many rows of so many columns.
    pub(super) fn rows(&self, columns: usize, rows_max: usize) -> Vec<Line<'static>> {
        let mut rows: Vec<Line<'static>> = Vec::new();
        for said in self.lines.iter().rev() {
            let broken = broken(&messages::said(&said.by, &said.text), columns);
            rows.extend(broken.into_iter().rev().map(Line::from));
            if rows.len() >= rows_max {
                break;
            }
        }
        rows.truncate(rows_max);
        rows.reverse();
        rows
    }
}

/// A text in rows that are no wider than so many columns, broken between words where possible.
fn broken(text: &str, columns: usize) -> Vec<String> {
    let mut rows = vec![String::new()];
    let mut used = 0;
    for word in text.split_inclusive(' ') {
        let width = Span::raw(word.trim_end()).width();
        if used > 0 && used + width > columns {
            rows.push(String::new());
            used = 0;
        }
        for letter in word.chars() {
            let width = Span::raw(letter.to_string()).width();
            if used > 0 && used + width > columns {
                rows.push(String::new());
                used = 0;
            }
            if let Some(row) = rows.last_mut() {
                row.push(letter);
            }
            used += width;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_between_words_and_the_latest_are_seen() {
        assert_eq!(broken("ann says: well played", 10), ["ann says: ", "well ", "played"]);
        assert_eq!(broken("abcdefg", 3), ["abc", "def", "g"]);
        assert_eq!(broken("", 3), [""]);
        let line = |n| TalkLine { n, at: 1, by: "ann".parse().unwrap(), text: "gg".into() };
        let page = TalkPage { room: TalkRoom::Players, lines: (1..=5).map(line).collect() };
        assert_eq!(page.rows(80, 2).len(), 2);
        assert_eq!(page.rows(80, 9).len(), 5);
    }
}
