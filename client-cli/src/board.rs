//! A board on the terminal: the rules' drawing, with colours where they are wanted.
//!
//! Nothing is told by colour alone. Pieces carry their letters and pointed-out cells their signs;
//! colour and style only make them quicker to find.

use std::fmt::Write as _;

use adamant_rules::{
    Capture, Cell, Position, Seat,
    game::{Drawing, Mark, Span},
};
use owo_colors::{OwoColorize as _, Style, XtermColors};
use ratatui::{
    style::{Color, Modifier, Style as CellStyle},
    text::{Line, Span as Run},
};

/// Orange, blue and pink: people who do not see all colours tell these apart, and their lightness
/// suits dark and light terminals. In turn order, as indices into the 256 colours of terminals.
const SEAT_COLORS: [u8; 3] = [172, 33, 169];

/// How one span looks, whichever way it gets to the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Look {
    /// One of the 256 colours.
    color: Option<u8>,
    bold: bool,
    dim: bool,
    underlined: bool,
    reversed: bool,
}

impl Look {
    fn of(span: &Span, color: bool) -> Self {
        let seat_color = span.seat.map(|seat| SEAT_COLORS[seat.index()]);
        let look = Self {
            color: seat_color.filter(|_| color),
            bold: span.seat.is_some(),
            dim: span.seat.is_none(),
            ..Self::default()
        };
        match span.mark {
            None => look,
            Some(Mark::From) => Self { bold: true, dim: false, ..look },
            Some(Mark::To | Mark::Target) => {
                Self { bold: true, dim: false, underlined: true, ..look }
            }
            Some(Mark::Captured | Mark::Cursor | Mark::Chosen) => {
                Self { bold: true, dim: false, reversed: true, ..look }
            }
        }
    }

    fn escapes(self) -> Style {
        let mut style = Style::new();
        if let Some(color) = self.color {
            style = style.color(XtermColors::from(color));
        }
        if self.bold {
            style = style.bold();
        }
        if self.dim {
            style = style.dimmed();
        }
        if self.underlined {
            style = style.underline();
        }
        if self.reversed {
            style = style.reversed();
        }
        style
    }

    fn cells(self) -> CellStyle {
        let modifiers = [
            (self.bold, Modifier::BOLD),
            (self.dim, Modifier::DIM),
            (self.underlined, Modifier::UNDERLINED),
            (self.reversed, Modifier::REVERSED),
        ];
        let style = CellStyle { fg: self.color.map(Color::Indexed), ..CellStyle::default() };
        modifiers
            .into_iter()
            .filter(|&(wanted, _)| wanted)
            .fold(style, |style, (_, modifier)| style.add_modifier(modifier))
    }
}

/// What a move did to a board, to be pointed out. Only moves leave marks: a skip or a resignation
/// is no move in any game's notation.
pub(crate) fn marks(
    position: &Position,
    notation: &str,
    captures: &[Capture],
) -> Vec<(Cell, Mark)> {
    let mut marks =
        position.read(notation).map_or_else(|_| Vec::new(), |play| position.touched(&play));
    marks.extend(captures.iter().map(|capture| (capture.cell, Mark::Captured)));
    marks
}

/// A drawing as lines of text, each ended by a newline; with escape sequences if `color`.
pub(crate) fn text(drawing: &Drawing, color: bool) -> String {
    if !color {
        return drawing.to_string();
    }
    let mut text = String::new();
    for line in &drawing.lines {
        for span in line {
            if span.text.trim().is_empty() {
                text.push_str(&span.text);
            } else {
                write!(text, "{}", span.text.style(Look::of(span, color).escapes()))
                    .expect("a String takes everything");
            }
        }
        text.push('\n');
    }
    text
}

/// A drawing as lines of a full-screen view.
pub(crate) fn lines(drawing: &Drawing, color: bool) -> Vec<Line<'static>> {
    let run = |span: &Span| Run::styled(span.text.clone(), Look::of(span, color).cells());
    drawing.lines.iter().map(|line| line.iter().map(run).collect()).collect()
}

/// How a player's name is written in a full-screen view.
pub(crate) fn seat_style(seat: Seat, color: bool) -> CellStyle {
    let style = CellStyle::new().add_modifier(Modifier::BOLD);
    if color { style.fg(Color::Indexed(SEAT_COLORS[seat.index()])) } else { style }
}

#[cfg(test)]
mod tests {
    use adamant_rules::{Kind, Options};

    use super::*;

    fn board() -> (Position, Vec<(Cell, Mark)>) {
        let options = Kind::Adamas.complete(&Options::new(), 2).unwrap();
        let mut position = Kind::Adamas.start(&options, 2);
        let play = position.read("c1-c2").unwrap();
        position.play(&play);
        let marks = marks(&position, "c1-c2", &[]);
        (position, marks)
    }

    #[test]
    fn without_colour_there_is_no_escape_sequence() {
        let (position, marks) = board();
        let drawing = position.draw(&marks);
        assert_eq!(text(&drawing, false), drawing.to_string());
    }

    #[test]
    fn colours_and_styles_point_out_what_the_signs_do() {
        let (position, marks) = board();
        let painted = text(&position.draw(&marks), true);
        let row = painted.lines().find(|line| line.contains("O7")).unwrap();
        insta::assert_snapshot!(row.replace('\u{1b}', "^"), @"^[2mc ^[0m^[38;5;172;1m-O7 ^[0m^[38;5;172;1;4m+O  ^[0m^[2m .  ^[0m^[2m .  ^[0m^[38;5;33;1m X8 ^[0m^[2m c5^[0m");
        // A mark in the rules' sense is told by its sign even where no style can be shown.
        assert!(row.contains("-O7") && row.contains("+O"));
    }

    #[test]
    fn no_two_seats_share_a_colour() {
        let [first, second, third] = SEAT_COLORS;
        assert!(first != second && second != third && third != first);
    }

    #[test]
    fn a_word_that_is_no_move_leaves_no_marks() {
        let (position, _) = board();
        assert_eq!(marks(&position, "resign", &[]), []);
    }
}
