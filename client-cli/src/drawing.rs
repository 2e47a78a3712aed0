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

/// How one span looks in a full-screen view.
fn style(span: &Span, color: bool) -> CellStyle {
    let modifiers = match (span.mark, span.seat) {
        (None, None) => Modifier::DIM,
        (None | Some(Mark::From), _) => Modifier::BOLD,
        (Some(Mark::To | Mark::Target | Mark::Threatened), _) => {
            Modifier::BOLD | Modifier::UNDERLINED
        }
        (Some(Mark::Captured | Mark::Cursor | Mark::Chosen), _) => {
            Modifier::BOLD | Modifier::REVERSED
        }
    };
    let style = CellStyle::new().add_modifier(modifiers);
    match span.seat {
        Some(seat) if color => style.fg(Color::Indexed(SEAT_COLORS[seat.index()])),
        Some(_) | None => style,
    }
}

/// The same style as escape sequences.
fn escapes(style: CellStyle) -> Style {
    let mut escapes = Style::new();
    if let Some(Color::Indexed(color)) = style.fg {
        escapes = escapes.color(XtermColors::from(color));
    }
    for modifier in style.add_modifier {
        escapes = match modifier {
            Modifier::BOLD => escapes.bold(),
            Modifier::DIM => escapes.dimmed(),
            Modifier::UNDERLINED => escapes.underline(),
            Modifier::REVERSED => escapes.reversed(),
            _ => escapes,
        };
    }
    escapes
}

/// What a move did to a board, to be pointed out. Only moves leave marks: a skip or a resignation
/// is no move in any game's notation.
pub(crate) fn marks(
    position: &Position,
    notation: &str,
    captures: &[Capture],
) -> Vec<(Cell, Mark)> {
    let mut marks = position
        .parse_move(notation)
        .map_or_else(|_| Vec::new(), |play| position.affected_cells(&play));
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
                write!(text, "{}", span.text.style(escapes(style(span, color))))
                    .expect("a String takes everything");
            }
        }
        text.push('\n');
    }
    text
}

/// A drawing as lines of a full-screen view.
pub(crate) fn lines(drawing: &Drawing, color: bool) -> Vec<Line<'static>> {
    let run = |span: &Span| Run::styled(span.text.clone(), style(span, color));
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
        let play = position.parse_move("c1-c2").unwrap();
        position.apply(&play);
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
