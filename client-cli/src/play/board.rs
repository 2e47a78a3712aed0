//! The parts of the window that need the game: board, players, moves and status. `layout` places
//! them.

use adamant_rules::{
    Cell, Position, Seat, Table, TimeControl,
    game::{Drawing, Mark},
};
use ratatui::{
    Frame,
    layout::{Alignment, Constraint, Layout, Position as ScreenPosition, Rect},
    style::Style,
    text::{Line, Span, Text},
};

use super::{
    layout::{BOLD, DIM, REVERSED, Viewport},
    move_input::Pointer,
    targets,
    view::View,
};
use crate::{
    drawing,
    messages::{self, Names},
};

/// Maximum length of a player's name if all players share a line.
const NAME_LETTERS: usize = 14;

/// Draws a position with its marks and, if wanted, threats. Captures of the move that is being
/// built take precedence over threats.
fn draw(view: &View, position: &Position, mut marks: Vec<(Cell, Mark)>) -> Drawing {
    if view.shows_threats && !view.is_at_end() {
        let input =
            view.pointer.as_ref().map(|pointer| &pointer.input).filter(|input| !input.is_empty());
        let is_captured = |cell: &Cell| input.is_some() && marks.contains(&(*cell, Mark::Captured));
        let threats: Vec<_> =
            position.threatened().into_iter().filter(|cell| !is_captured(cell)).collect();
        marks.extend(threats.into_iter().map(|cell| (cell, Mark::Threatened)));
    }
    position.draw(&marks)
}

/// The game as it is drawn now.
pub(super) struct BoardView<'a> {
    view: &'a View,
    table: &'a Table,
    names: &'a Names,
    color: bool,
    drawing: Drawing,
}

impl<'a> BoardView<'a> {
    /// Builds the board view. Returns `None` before the game is loaded.
    pub(super) fn new(view: &'a View, color: bool) -> Option<Self> {
        let (table, names) = view.history.table()?;
        let drawing = match (&view.preview, view.history.plies().get(view.shown_ply())) {
            (Some(preview), _) => draw(view, &preview.position, preview.marks.clone()),
            (None, Some(ply)) => {
                let marks = view.pointer.as_ref().map_or_else(
                    || ply.marks.clone(),
                    |pointer| pointer.marks(&ply.position, &ply.marks),
                );
                draw(view, &ply.position, marks)
            }
            (None, None) => table.position().draw(&[]),
        };
        Some(Self { view, table, names, color, drawing })
    }

    /// Returns the board's columns and lines.
    pub(super) fn board_size(&self) -> (u16, u16) {
        let lines = drawing::lines(&self.drawing, false);
        let columns = lines.iter().map(Line::width).max().unwrap_or(0);
        let size = |length| u16::try_from(length).unwrap_or(u16::MAX);
        (size(columns), size(lines.len()))
    }

    /// Returns the cell at a place of the window, if the board is in this area.
    pub(super) fn cell_at(&self, area: Rect, place: ScreenPosition) -> Option<Cell> {
        let (column, line) = self.viewport(area).board_at(place)?;
        targets::cell_at(&self.drawing, column, line)
    }

    /// Returns the part of the board for an area: around the cursor, or else the last move's
    /// target.
    fn viewport(&self, area: Rect) -> Viewport {
        let spans = self.drawing.lines.iter().flatten();
        let focus = match &self.view.pointer {
            Some(pointer) => Some(pointer.cell),
            None => spans.filter(|span| span.mark == Some(Mark::To)).find_map(|span| span.cell),
        };
        let size = self.board_size();
        let place = focus.and_then(|cell| targets::centre_of(&self.drawing, cell));
        let length = |length| u16::try_from(length).unwrap_or(u16::MAX);
        let place = place.map(|(column, line)| (length(column), length(line)));
        Viewport::new(size, area, place.unwrap_or((size.0 / 2, size.1 / 2)))
    }

    /// Draws the board, or a part of it, centred in an area.
    pub(super) fn render_board(&self, frame: &mut Frame<'_>, area: Rect) {
        let lines = drawing::lines(&self.drawing, self.color);
        self.viewport(area).render(Text::from(lines), frame);
    }

    /// Draws the players and below them the moves.
    pub(super) fn render_panel(&self, frame: &mut Frame<'_>, area: Rect) {
        let seats = self.table.setup().seats.len();
        let height = u16::try_from(seats + 1).unwrap_or(u16::MAX);
        let [players, moves] =
            Layout::vertical([Constraint::Length(height), Constraint::Min(0)]).areas(area);
        for (row, seat) in players.rows().zip(Seat::all(seats)) {
            let (name, clock) = self.player(seat);
            // A long name is cut, but never the clock.
            let width = u16::try_from(clock.width() + 1).unwrap_or(u16::MAX);
            let parts = [Constraint::Min(0), Constraint::Length(width)];
            let [left, right] = Layout::horizontal(parts).areas(row);
            frame.render_widget(name, left);
            frame.render_widget(clock.alignment(Alignment::Right), right);
        }
        let lines = self.moves(moves.height.into());
        frame.render_widget(Text::from(lines), moves);
    }

    /// Returns a player's line and the text at its right end.
    fn player(&self, seat: Seat) -> (Line<'static>, Line<'static>) {
        let turn = if self.table.to_move() == Some(seat) { "> " } else { "  " };
        let you = if self.view.my_seat() == Some(seat) { " (you)" } else { "" };
        let style = drawing::seat_style(seat, self.color);
        let name = Span::styled(self.names.of(seat).to_owned(), style);
        let away = if self.is_awaited(seat) { " (away)" } else { "" };
        let name = Line::from(vec![Span::styled(turn, BOLD), name, you.into(), away.into()]);
        let standing = match self.view.left_ms(seat) {
            _ if !self.table.seat_in(seat) => "out".to_owned(),
            Some(left_ms) => messages::left(self.table.clock().control(), left_ms),
            None => String::new(),
        };
        (name, Line::styled(standing, BOLD))
    }

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

    /// Returns the moves up to the one that is shown, as many as fit.
    fn moves(&self, height: usize) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        let mut end = 0;
        let shown = self.view.shown_ply();
        for (number, ply) in self.view.history.plies().iter().enumerate() {
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
        // Later moves fill the remaining lines.
        let end = end.max(height.min(lines.len()));
        lines.truncate(end);
        lines.split_off(end.saturating_sub(height))
    }

    fn move_text(&self, number: usize, seat: Seat) -> String {
        let ply = &self.view.history.plies()[number];
        let letter = self.table.position().letter(seat);
        let sign = if ply.captures.is_empty() { "" } else { " *" };
        format!("{number:>3} {letter} {}{sign}", ply.notation)
    }

    /// Returns the moves up to the one that is shown, on one line.
    pub(super) fn moves_line(&self, width: u16) -> Line<'static> {
        let mut text = String::new();
        for (number, ply) in self.view.history.plies().iter().enumerate().rev() {
            let Some(seat) = ply.seat.filter(|_| number <= self.view.shown_ply()) else { continue };
            let longer = format!("{}  {text}", self.move_text(number, seat).trim_start());
            if longer.trim_end().chars().count() > width.into() {
                break;
            }
            text = longer;
        }
        Line::from(text)
    }

    /// Returns the status line: the turn or the result, and open offers.
    pub(super) fn status(&self) -> Line<'static> {
        if let Some(outcome) = self.table.outcome() {
            return Line::styled(self.names.outcome(outcome), BOLD);
        }
        let Some(seat) = self.table.to_move() else { return Line::default() };
        let name =
            Span::styled(self.names.of(seat).to_owned(), drawing::seat_style(seat, self.color));
        let is_me = self.view.my_seat() == Some(seat);
        if let Some(pointing) = self.pointer_hint().filter(|_| is_me) {
            return Line::from(pointing);
        }
        let mut spans = if self.view.left_ms(seat) == Some(0) {
            // Only the server ends games: the clock here may be ahead.
            vec![name, " is at zero: waiting for the server.".into()]
        } else if is_me {
            vec!["Your move, ".into(), name, ".".into()]
        } else {
            vec![name, " to move.".into()]
        };
        if let Some(news) = self.offer_notice().or_else(|| self.absence_notice()) {
            spans.push(Span::styled(format!("  {news}"), BOLD));
        } else if self.view.is_parked() {
            spans.push("  Parked; it goes on when you move.".into());
        } else if is_me {
            spans.push(Span::styled("  Tab or a click goes to the board.", DIM));
        }
        Line::from(spans)
    }

    /// Returns what the keys do at the cursor.
    fn pointer_hint(&self) -> Option<String> {
        let Pointer { cell: at, input } = self.view.pointer.as_ref()?;
        let name = self.table.position().cell_name(*at);
        let captures = input.marks(self.table.position()).contains(&(*at, Mark::Captured));
        let keys = match (input.notation(), input.named_move(), input.choice()) {
            (Some(_), _, _) => "Enter plays, Space adds a cell, + - change, Esc clears.".to_owned(),
            (None, _, Some(choice)) if !input.is_empty() => {
                format!("{choice} moves. Space selects a target, + - change it, Esc clears.")
            }
            (None, _, _) if !input.is_empty() => "Space selects a target, Esc clears.".to_owned(),
            (None, Some(word), _) => format!("Space selects it, . selects {word}, Tab leaves."),
            (None, None, _) => "Space selects it, Tab leaves the board.".to_owned(),
        };
        let capture = if captures { ", a capture" } else { "" };
        Some(format!("Your move, on {name}{capture}: {keys}"))
    }

    /// Whether a seat that is still in the game is away.
    fn is_awaited(&self, seat: Seat) -> bool {
        self.table.outcome().is_none()
            && self.table.seat_in(seat)
            && self.view.absence(seat).is_some()
    }

    /// Returns how long a player must be away on their turn before others may claim. There is no
    /// claim with days per move.
    fn claim_after(&self) -> Option<String> {
        let after = self.view.claim_after?;
        let wait_ms = match self.table.clock().control() {
            TimeControl::Days { .. } => return None,
            TimeControl::None => after.untimed_ms,
            TimeControl::Fischer { .. }
            | TimeControl::PerMove { .. }
            | TimeControl::Byoyomi { .. } => after.timed_ms,
        };
        Some(messages::duration(wait_ms))
    }

    /// Returns a notice about a player who is away, and about a claim.
    fn absence_notice(&self) -> Option<String> {
        let missed = Seat::all(self.table.players().len()).filter(|&seat| self.is_awaited(seat));
        // The seat to move comes first: a claim is possible only against it.
        let claimed_at = |seat| self.view.absence(seat).and_then(|seen| seen.claim_at);
        let seat = missed.min_by_key(|&seat| claimed_at(seat).unwrap_or(u64::MAX))?;
        let name = self.names.of(seat);
        let claim_at = self.view.absence(seat)?.claim_at;
        let claimant = self.view.my_seat().filter(|&me| me != seat && self.table.seat_in(me));
        Some(match (claimant, claim_at) {
            (Some(_), Some(at)) => match at.saturating_sub(self.view.server_ms()) {
                0 => format!("{name} is away: claim, or wait."),
                wait => format!("{name} is away; claim in {}.", messages::clock(wait)),
            },
            (Some(_), None) => match self.claim_after() {
                Some(wait) => format!("{name} is away; you may claim after {wait} of their turn."),
                None => format!("{name} is away."),
            },
            (None, _) => format!("{name} is away."),
        })
    }

    fn offer_notice(&self) -> Option<String> {
        let me = self.view.my_seat();
        let offers = self.table.offers();
        let mine = offers.iter().find(|open| me.is_some_and(|me| open.needs.contains(me)));
        let open = mine.or_else(|| offers.first())?;
        let what = messages::offered(open.what);
        Some(match me {
            Some(me) if me == open.by => format!("You offer {what}; withdraw cancels it."),
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
