//! What the view looks like: a title, the board with players and moves beside it or around it, and
//! at the bottom whose turn it is, the prompt and what went wrong.

use adamant_rules::{Seat, Table, game::Drawing};
use ratatui::{
    Frame,
    layout::{Alignment, Constraint, Layout, Margin, Position as Place, Rect},
    style::{Color, Modifier, Style},
    text::{Line, Span, Text},
    widgets::{Paragraph, Wrap},
};

use super::{
    Role, help,
    view::{Link, Preview, View},
};
use crate::{
    board,
    words::{self, Names},
};

/// Columns that the players and the moves need beside the board; up to the greater number they use
/// more.
const PANEL_COLUMNS: (u16, u16) = (24, 40);

/// Columns between the board and what stands beside it.
const GAP_COLUMNS: u16 = 2;

/// Lines above and below the board that are always there: title, banner, status, prompt, note.
const FRAME_LINES: u16 = 5;

/// Lines of players and moves where they stand above and below the board.
const STRIP_LINES: u16 = 2;

/// Letters of a player's name where several stand on one line.
const NAME_LETTERS: usize = 14;

const DIM: Style = Style::new().add_modifier(Modifier::DIM);
const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
const REVERSED: Style = Style::new().add_modifier(Modifier::REVERSED);

/// Draws the whole view.
pub(super) fn render(view: &View, color: bool, frame: &mut Frame<'_>) {
    let area = frame.area();
    if view.help {
        render_help(view, frame, area);
        return;
    }
    let picture = view.course.table().map(|(table, names)| Picture::new(view, table, names, color));
    let board_lines = picture.as_ref().map_or(0, |picture| picture.board_size().1);
    let spare = area.height.saturating_sub(FRAME_LINES + STRIP_LINES + board_lines);
    let [title, banner, body, status, prompt, note] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Min(0),
        Constraint::Length(1),
        Constraint::Length(1),
        // A long sentence gets a second line where there is room for it.
        Constraint::Length(if spare > 0 { 2 } else { 1 }),
    ])
    .areas(area);
    frame.render_widget(self::title(view), title);
    if let Some(text) = self::banner(view) {
        frame.render_widget(Paragraph::new(text).style(REVERSED), banner);
    }
    match &picture {
        Some(picture) => {
            picture.render(frame, body);
            frame.render_widget(picture.status(), status);
        }
        None => frame.render_widget("Waiting for the game ...", status),
    }
    render_prompt(view, frame, prompt);
    frame.render_widget(self::note(view, color), note);
}

fn render_help(view: &View, frame: &mut Frame<'_>, area: Rect) {
    let text = match view.role {
        Role::Play => help::PLAYER,
        Role::Watch => help::WATCHER,
    };
    let [page, hint] = Layout::vertical([Constraint::Min(0), Constraint::Length(1)]).areas(area);
    frame.render_widget(Paragraph::new(text), page);
    frame.render_widget(Span::styled("Any key goes back to the game.", REVERSED), hint);
}

fn title(view: &View) -> Line<'_> {
    let mut parts = vec![view.game.to_string()];
    if let Some(table) = view.table() {
        let setup = table.setup();
        parts.insert(0, words::game(setup));
        parts.push(words::control(setup.clock));
        parts.push(if setup.rated { "rated" } else { "casual" }.to_owned());
    }
    if view.role == Role::Watch {
        parts.push("watching".to_owned());
    }
    Line::styled(parts.join("  "), BOLD)
}

/// What the person must know about what they see: that it may be old, or is not the present.
fn banner(view: &View) -> Option<String> {
    if let Link::Down { reason, again_at } = &view.link {
        return Some(match again_at {
            Some(again_at) => {
                let wait = again_at.saturating_sub(view.now);
                let seconds = wait.as_millis().div_ceil(1_000);
                format!(
                    "Not connected; reconnecting in {seconds} s. The game resumes by itself. ({reason})"
                )
            }
            None => format!("Not connected: {reason}. Leave and join again to go on."),
        });
    }
    if let Some(Preview { notation, captures, .. }) = &view.preview {
        return Some(format!("Tried: {notation}{captures}. Enter plays it, Esc drops it."));
    }
    let past = view.past?;
    let notation = &view.course.plies().get(past)?.notation;
    let colon = if notation.is_empty() { "" } else { ": " };
    let last = view.last_ply();
    Some(format!("Ply {past} of {last}{colon}{notation}. End goes back to the present."))
}

fn render_prompt(view: &View, frame: &mut Frame<'_>, area: Rect) {
    if let Some(line) = &view.sent {
        let text = match view.link {
            Link::Up => format!("{line}: waiting for the server ..."),
            Link::Down { .. } => format!("{line}: goes out when the connection is back"),
        };
        frame.render_widget(Span::styled(text, DIM), area);
        return;
    }
    if !view.has_prompt() {
        let keys = "q leaves, ? helps, PgUp and PgDn look back";
        frame.render_widget(Span::styled(keys, DIM), area);
        return;
    }
    let [sign, line] = Layout::horizontal([Constraint::Length(2), Constraint::Min(0)]).areas(area);
    frame.render_widget("> ", sign);
    // A line that is longer than the window moves along so that the cursor stays in sight.
    let cursor = u16::try_from(view.prompt.cursor()).unwrap_or(u16::MAX);
    let column = cursor.min(line.width.saturating_sub(1));
    let text = Paragraph::new(view.prompt.text()).scroll((0, cursor - column));
    frame.render_widget(text, line);
    frame.set_cursor_position(Place::new(line.x.saturating_add(column), line.y));
}

/// What went wrong, or else how to write a move.
fn note(view: &View, color: bool) -> Paragraph<'_> {
    let text = match (&view.note, view.table()) {
        (Some(note), _) if note.is_error => {
            let style = if color { BOLD.fg(Color::Red) } else { BOLD };
            Text::styled(note.text.as_str(), style)
        }
        (Some(note), _) => Text::from(note.text.as_str()),
        (None, Some(table)) if view.has_prompt() => {
            let help = table.position().notation_help();
            Text::styled(format!("? for help. {help}"), DIM)
        }
        (None, _) => Text::default(),
    };
    Paragraph::new(text).wrap(Wrap { trim: true })
}

/// Everything that needs the game.
struct Picture<'a> {
    view: &'a View,
    table: &'a Table,
    names: &'a Names,
    color: bool,
    drawing: Drawing,
}

impl<'a> Picture<'a> {
    fn new(view: &'a View, table: &'a Table, names: &'a Names, color: bool) -> Self {
        let drawing = match (&view.preview, view.course.plies().get(view.shown_ply())) {
            (Some(preview), _) => preview.position.draw(&preview.marks),
            (None, Some(ply)) => ply.position.draw(&ply.marks),
            (None, None) => table.position().draw(&[]),
        };
        Self { view, table, names, color, drawing }
    }

    /// Columns and lines.
    fn board_size(&self) -> (u16, u16) {
        let lines = board::lines(&self.drawing, false);
        let columns = lines.iter().map(Line::width).max().unwrap_or(0);
        let size = |length| u16::try_from(length).unwrap_or(u16::MAX);
        (size(columns), size(lines.len()))
    }

    /// Puts players and moves beside the board if they fit there, else above and below it.
    fn render(&self, frame: &mut Frame<'_>, area: Rect) {
        let (columns, lines) = self.board_size();
        let (panel_min, panel_max) = PANEL_COLUMNS;
        if area.height >= lines && area.width >= columns + GAP_COLUMNS + panel_min {
            let panel = (area.width - columns - GAP_COLUMNS).min(panel_max);
            let [board, panel] =
                Layout::horizontal([Constraint::Min(columns), Constraint::Length(panel)])
                    .areas(area);
            self.render_board(frame, board);
            self.render_panel(frame, panel);
        } else if area.height >= lines + STRIP_LINES && area.width >= columns {
            let [players, board, moves] = Layout::vertical([
                Constraint::Length(1),
                Constraint::Min(lines),
                Constraint::Length(1),
            ])
            .areas(area);
            frame.render_widget(self.players_line(), players);
            self.render_board(frame, board);
            frame.render_widget(self.moves_line(moves.width), moves);
        } else {
            let text = format!(
                "The window is too small for the board: it needs {columns} columns and {} lines.",
                lines + STRIP_LINES + FRAME_LINES
            );
            let [players, rest] =
                Layout::vertical([Constraint::Length(1), Constraint::Min(0)]).areas(area);
            frame.render_widget(self.players_line(), players);
            frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), rest);
        }
    }

    fn render_board(&self, frame: &mut Frame<'_>, area: Rect) {
        let (columns, lines) = self.board_size();
        let spare = (area.width.saturating_sub(columns) / 2, area.height.saturating_sub(lines) / 2);
        let place = area.inner(Margin::new(spare.0, spare.1));
        frame.render_widget(Text::from(board::lines(&self.drawing, self.color)), place);
    }

    fn render_panel(&self, frame: &mut Frame<'_>, area: Rect) {
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
            Some(left_ms) => words::clock(left_ms),
            None => String::new(),
        };
        (name, Line::styled(standing, BOLD))
    }

    fn players_line(&self) -> Line<'static> {
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
    fn moves_line(&self, width: u16) -> Line<'static> {
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
    fn status(&self) -> Line<'static> {
        if let Some(outcome) = self.table.outcome() {
            return Line::styled(self.names.outcome(outcome), BOLD);
        }
        let Some(seat) = self.table.to_move() else { return Line::default() };
        let name =
            Span::styled(self.names.of(seat).to_owned(), board::seat_style(seat, self.color));
        let is_me = self.view.my_seat() == Some(seat);
        let mut spans = if self.view.left_ms(seat) == Some(0) {
            // Only the server ends games: a clock that shows zero here may be ahead of it.
            vec![name, " is at zero: waiting for the server.".into()]
        } else if is_me {
            vec!["Your move, ".into(), name, ".".into()]
        } else {
            vec![name, " to move.".into()]
        };
        spans.extend(self.offer().map(|offer| Span::styled(format!("  {offer}"), BOLD)));
        Line::from(spans)
    }

    fn offer(&self) -> Option<String> {
        let open = self.table.offers().first()?;
        let me = self.view.my_seat();
        Some(match me {
            Some(me) if me == open.by => "You offer a draw; withdraw takes it back.".to_owned(),
            Some(me) if open.needs.contains(me) => {
                format!("{} offers a draw: accept or decline?", self.names.of(open.by))
            }
            Some(_) | None => {
                let needs = self.names.all_of(open.needs);
                format!("{} offers a draw; {needs} to answer.", self.names.of(open.by))
            }
        })
    }
}
