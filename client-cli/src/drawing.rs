//! Boards on the terminal: the drawings of the rules, with colours where they are wanted.
//!
//! Colour never carries information alone. Pieces have letters and marked cells have signs; colour
//! and style only make them quicker to find.

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

/// Orange, blue and pink in turn order, as indices into a terminal's 256 colours. Colour-blind
/// people can distinguish them, and they are legible on dark and light terminals.
const SEAT_COLORS: [u8; 3] = [172, 33, 169];

/// Returns the style of a span in a full-screen view.
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

/// Converts a style to escape sequences.
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

/// Returns the marks of a move on the board. A skip or a resignation leaves none: neither is a move
/// in any game's notation.
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

/// Formats a drawing as text, with escape sequences if `color` is set.
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
                    .expect("writing to a String cannot fail");
            }
        }
        text.push('\n');
    }
    text
}

/// Formats a drawing as lines of a full-screen view.
pub(crate) fn lines(drawing: &Drawing, color: bool) -> Vec<Line<'static>> {
    let run = |span: &Span| Run::styled(span.text.clone(), style(span, color));
    drawing.lines.iter().map(|line| line.iter().map(run).collect()).collect()
}

/// Returns the style of a player's name in a full-screen view.
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
    fn drawings_without_colour_have_no_escape_sequences() {
        let (position, marks) = board();
        let drawing = position.draw(&marks);
        assert_eq!(text(&drawing, false), drawing.to_string());
    }

    #[test]
    fn colours_and_styles_match_the_signs() {
        let (position, marks) = board();
        let painted = text(&position.draw(&marks), true);
        let row = painted.lines().find(|line| line.contains("O7")).unwrap();
        insta::assert_snapshot!(row.replace('\u{1b}', "^"), @"^[2mc ^[0m^[38;5;172;1m-O7 ^[0m^[38;5;172;1;4m+O  ^[0m^[2m .  ^[0m^[2m .  ^[0m^[38;5;33;1m X8 ^[0m^[2m c5^[0m");
        // Signs show the marks where the terminal has no styles.
        assert!(row.contains("-O7") && row.contains("+O"));
    }

    #[test]
    fn seats_have_different_colours() {
        let [first, second, third] = SEAT_COLORS;
        assert!(first != second && second != third && third != first);
    }

    #[test]
    fn a_resignation_leaves_no_marks() {
        let (position, _) = board();
        assert_eq!(marks(&position, "resign", &[]), []);
    }
}
