//! The talk page of a game.

use adamant_protocol::{to_client::TalkLine, values::TalkRoom};
use ratatui::text::{Line, Span};

use crate::messages;

/// Maximum number of lines on the page; a window has fewer.
pub(super) const LINES_MAX: usize = 200;

/// The talk of a room, while the page is open.
#[derive(Debug)]
pub(super) struct TalkPage {
    pub(super) room: TalkRoom,
    pub(super) lines: Vec<TalkLine>,
}

impl TalkPage {
    /// Wraps the latest lines to at most `rows_max` rows.
    pub(super) fn rows(&self, columns: usize, rows_max: usize) -> Vec<Line<'static>> {
        let mut rows: Vec<Line<'static>> = Vec::new();
        for said in self.lines.iter().rev() {
            let wrapped = wrapped(&messages::said(&said.by, &said.text), columns);
            rows.extend(wrapped.into_iter().rev().map(Line::from));
            if rows.len() >= rows_max {
                break;
            }
        }
        rows.truncate(rows_max);
        rows.reverse();
        rows
    }
}

/// Wraps a text to rows of at most `columns`, between words where possible.
fn wrapped(text: &str, columns: usize) -> Vec<String> {
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
    fn long_lines_wrap_between_words_and_the_latest_are_shown() {
        assert_eq!(wrapped("ann says: well played", 10), ["ann says: ", "well ", "played"]);
        assert_eq!(wrapped("abcdefg", 3), ["abc", "def", "g"]);
        assert_eq!(wrapped("", 3), [""]);
        let line = |n| TalkLine { n, at: 1, by: "ann".parse().unwrap(), text: "gg".into() };
        let page = TalkPage { room: TalkRoom::Players, lines: (1..=5).map(line).collect() };
        assert_eq!(page.rows(80, 2).len(), 2);
        assert_eq!(page.rows(80, 9).len(), 5);
    }
}
