//! The parts of the view that need the game: the board, the players, the moves and whose turn it is.
//! Where in the window they go is decided in `render`.

use adamant_rules::{
    Cell, Seat, Table,
    game::{Drawing, Mark},
};
use ratatui::{
    Frame,
    layout::{Alignment, Constraint, Layout, Margin, Position as Place, Rect},
    style::Style,
    text::{Line, Span, Text},
};

use super::{
    aim::Aim,
    places,
    pointing::Pointer,
    render::{BOLD, DIM, REVERSED},
    view::View,
};
use crate::{
    board,
    words::{self, Names},
};

/// Letters of a player's name where several stand on one line.
const NAME_LETTERS: usize = 14;

/// Everything that needs the game.
pub(super) struct Picture<'a> {
    view: &'a View,
    table: &'a Table,
    names: &'a Names,
    color: bool,
    drawing: Drawing,
}

impl<'a> Picture<'a> {
    /// The picture as it is now; none before the game is there.
    pub(super) fn new(view: &'a View, color: bool) -> Option<Self> {
        let (table, names) = view.course.table()?;
        let drawing = match (&view.preview, view.course.plies().get(view.shown_ply())) {
            (Some(preview), _) => preview.position.draw(&preview.marks),
            (None, Some(ply)) => match &view.pointer {
                Some(pointer) => ply.position.draw(&pointer.marks(&ply.position, &ply.marks)),
                None => ply.position.draw(&ply.marks),
            },
            (None, None) => table.position().draw(&[]),
        };
        Some(Self { view, table, names, color, drawing })
    }

    /// Columns and lines.
    pub(super) fn board_size(&self) -> (u16, u16) {
        let lines = board::lines(&self.drawing, false);
        let columns = lines.iter().map(Line::width).max().unwrap_or(0);
        let size = |length| u16::try_from(length).unwrap_or(u16::MAX);
        (size(columns), size(lines.len()))
    }

    /// The cell at a place of the window, if the board is in this area.
    pub(super) fn cell_at(&self, area: Rect, place: Place) -> Option<Cell> {
        let board = self.board_place(area);
        if !board.contains(place) {
            return None;
        }
        let (column, line) = (place.x - board.x, place.y - board.y);
        places::cell_at(&self.drawing, column.into(), line.into())
    }

    /// Where in an area the board is.
    fn board_place(&self, area: Rect) -> Rect {
        let (columns, lines) = self.board_size();
        let spare = (area.width.saturating_sub(columns) / 2, area.height.saturating_sub(lines) / 2);
        area.inner(Margin::new(spare.0, spare.1))
    }

    /// The board, in the middle of an area.
    pub(super) fn render_board(&self, frame: &mut Frame<'_>, area: Rect) {
        let lines = board::lines(&self.drawing, self.color);
        frame.render_widget(Text::from(lines), self.board_place(area));
    }

    /// Players and moves, one below the other.
    pub(super) fn render_panel(&self, frame: &mut Frame<'_>, area: Rect) {
        let seats = self.table.setup().seats.len();
        let height = u16::try_from(seats + 1).unwrap_or(u16::MAX);
        let [players, moves] =
            Layout::vertical([Constraint::Length(height), Constraint::Min(0)]).areas(area);
        for (row, seat) in players.rows().zip(Seat::all(seats)) {
            let (name, clock) = self.player(seat);
            frame.render_widget(name, row);
            frame.render_widget(clock.alignment(Alignment::Right), row);
        }
        let lines = self.moves(moves.height.into());
        frame.render_widget(Text::from(lines), moves);
    }

    /// A player's line, and what stands at its right end.
    fn player(&self, seat: Seat) -> (Line<'static>, Line<'static>) {
        let turn = if self.table.to_move() == Some(seat) { "> " } else { "  " };
        let you = if self.view.my_seat() == Some(seat) { " (you)" } else { "" };
        let style = board::seat_style(seat, self.color);
        let name = Span::styled(self.names.of(seat).to_owned(), style);
        let name = Line::from(vec![Span::styled(turn, BOLD), name, you.into()]);
        let standing = match self.view.left_ms(seat) {
            _ if !self.table.seat_in(seat) => "out".to_owned(),
            Some(left_ms) => words::left(self.table.clock().control(), left_ms),
            None => String::new(),
        };
        (name, Line::styled(standing, BOLD))
    }

    /// The players on one line.
    pub(super) fn players_line(&self) -> Line<'static> {
        let mut spans = Vec::new();
        for seat in Seat::all(self.table.setup().seats.len()) {
            let (mut name, standing) = self.player(seat);
            for span in &mut name.spans {
                let letters = span.content.chars().take(NAME_LETTERS);
                span.content = letters.collect::<String>().into();
            }
            spans.append(&mut name.spans);
            spans.push(" ".into());
            spans.extend(standing.spans);
            spans.push("  ".into());
        }
        Line::from(spans)
    }

    /// The last moves up to the one that is shown, as many as there is room for.
    fn moves(&self, height: usize) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        let mut end = 0;
        let shown = self.view.shown_ply();
        for (number, ply) in self.view.course.plies().iter().enumerate() {
            if let Some(seat) = ply.seat {
                let style = if number == shown { REVERSED } else { Style::new() };
                let text = self.move_text(number, seat);
                lines.push(Line::styled(text, style));
            }
            for sentence in &ply.departures {
                lines.push(Line::styled(format!("    {sentence}"), DIM));
            }
            if number <= shown {
                end = lines.len();
            }
        }
        // Moves after the shown one fill the room that those before it leave.
        let end = end.max(height.min(lines.len()));
        lines.truncate(end);
        lines.split_off(end.saturating_sub(height))
    }

    fn move_text(&self, number: usize, seat: Seat) -> String {
        let ply = &self.view.course.plies()[number];
        let letter = self.table.position().letter(seat);
        let sign = if ply.captures.is_empty() { "" } else { " *" };
        format!("{number:>3} {letter} {}{sign}", ply.notation)
    }

    /// The last moves up to the one that is shown, on one line.
    pub(super) fn moves_line(&self, width: u16) -> Line<'static> {
        let mut text = String::new();
        for (number, ply) in self.view.course.plies().iter().enumerate().rev() {
            let Some(seat) = ply.seat.filter(|_| number <= self.view.shown_ply()) else { continue };
            let longer = format!("{}  {text}", self.move_text(number, seat).trim_start());
            if longer.trim_end().chars().count() > width.into() {
                break;
            }
            text = longer;
        }
        Line::from(text)
    }

    /// Whose turn it is or how the game ended, and what is offered.
    pub(super) fn status(&self) -> Line<'static> {
        if let Some(outcome) = self.table.outcome() {
            return Line::styled(self.names.outcome(outcome), BOLD);
        }
        let Some(seat) = self.table.to_move() else { return Line::default() };
        let name =
            Span::styled(self.names.of(seat).to_owned(), board::seat_style(seat, self.color));
        let is_me = self.view.my_seat() == Some(seat);
        if let Some(pointing) = self.pointing().filter(|_| is_me) {
            return Line::from(pointing);
        }
        let mut spans = if self.view.left_ms(seat) == Some(0) {
            // Only the server ends games: a clock that shows zero here may be ahead of it.
            vec![name, " is at zero: waiting for the server.".into()]
        } else if is_me {
            vec!["Your move, ".into(), name, ".".into()]
        } else {
            vec![name, " to move.".into()]
        };
        if let Some(offer) = self.offer() {
            spans.push(Span::styled(format!("  {offer}"), BOLD));
        } else if is_me {
            spans.push(Span::styled("  Tab or a click goes to the board.", DIM));
        }
        Line::from(spans)
    }

    /// What can be done at the cursor on the board.
    fn pointing(&self) -> Option<String> {
        let Pointer { at, aim } = self.view.pointer.as_ref()?;
        let name = self.table.position().cell_name(*at);
        let captures = aim.as_ref().is_some_and(|aim| aim.marks().contains(&(*at, Mark::Captured)));
        let keys = match aim.as_ref().map(Aim::notation) {
            None => "Space chooses it, Tab leaves the board.",
            Some(None) => "Space chooses where to, Esc drops.",
            Some(Some(_)) => "Enter plays, Space adds, + - change, Esc drops.",
        };
        let capture = if captures { ", a capture" } else { "" };
        Some(format!("Your move, on {name}{capture}: {keys}"))
    }

    fn offer(&self) -> Option<String> {
        let open = self.table.offers().first()?;
        let me = self.view.my_seat();
        let what = words::offered(open.what);
        Some(match me {
            Some(me) if me == open.by => format!("You offer {what}; withdraw takes it back."),
            Some(me) if open.needs.contains(me) => {
                format!("{} offers {what}: accept or decline?", self.names.of(open.by))
            }
            Some(_) | None => {
                let needs = self.names.all_of(open.needs);
                format!("{} offers {what}; {needs} to answer.", self.names.of(open.by))
            }
        })
    }
}
