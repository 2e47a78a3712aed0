//! Draws the view: a title, the board with players and moves, and at the bottom the status, the
//! prompt and a note. Beside it the layout of the window, and the help page.

use adamant_rules::{
    Cell, Kind, Position, Seat, Table, TimeControl,
    game::{Drawing, Mark},
};
use ratatui::{
    Frame,
    layout::{Alignment, Constraint, Layout, Position as ScreenPosition, Rect},
    style::{Color, Modifier, Style},
    text::{Line, Span, Text},
    widgets::{Paragraph, Wrap},
};

use super::{
    move_input::{self, Pointer},
    view::{ConnectionState, Preview, Role, TalkPage, View},
};
use crate::{
    drawing,
    messages::{self, Names},
};

pub(super) fn render(view: &View, color: bool, frame: &mut Frame<'_>) {
    let area = frame.area();
    if view.help {
        render_help(view, frame, area);
        return;
    }
    if let Some(page) = &view.talk {
        render_talk(view, page, color, frame, area);
        return;
    }
    let board_view = BoardView::new(view, color);
    let places = WindowLayout::new(area, board_view.as_ref().map(BoardView::board_size));
    let wrapped = |text: Line<'static>| Paragraph::new(text).wrap(Wrap { trim: true });
    frame.render_widget(wrapped(title(view)), places.title);
    if let Some(text) = banner(view) {
        frame.render_widget(wrapped(text.into()).style(REVERSED), places.banner);
    }
    match &board_view {
        Some(board_view) => {
            render_body(board_view, &places.body, frame);
            frame.render_widget(wrapped(board_view.status()), places.status);
        }
        None => frame.render_widget("Waiting for the game ...", places.status),
    }
    render_prompt(view, frame, places.prompt);
    frame.render_widget(note(view, color), places.note);
}

/// Returns the cell that is drawn at a place of the window.
pub(super) fn cell_at(view: &View, area: Rect, place: ScreenPosition) -> Option<Cell> {
    let board_view = BoardView::new(view, false)?;
    match WindowLayout::new(area, Some(board_view.board_size())).body {
        BodyLayout::Beside { board, .. } | BodyLayout::Between { board, .. } => {
            board_view.cell_at(board, place)
        }
        BodyLayout::TooSmall { .. } => None,
    }
}

fn render_body(board_view: &BoardView<'_>, body: &BodyLayout, frame: &mut Frame<'_>) {
    match *body {
        BodyLayout::Beside { board, panel } => {
            board_view.render_board(frame, board);
            board_view.render_panel(frame, panel);
        }
        BodyLayout::Between { players, board, moves } => {
            frame.render_widget(board_view.players_line(), players);
            board_view.render_board(frame, board);
            frame.render_widget(board_view.moves_line(moves.width), moves);
        }
        BodyLayout::TooSmall { players, rest, columns, lines } => {
            let text = format!(
                "The window is too small for the board: a part of it needs {columns} columns and {} \
                 lines.",
                lines + STRIP_LINES + FRAME_LINES
            );
            frame.render_widget(board_view.players_line(), players);
            frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), rest);
        }
    }
}

fn render_help(view: &View, frame: &mut Frame<'_>, area: Rect) {
    let kind = view.table().map(|table| table.setup().kind);
    let text = help_page(kind, view.role);
    let [page, hint] = Layout::vertical([Constraint::Min(0), Constraint::Length(1)]).areas(area);
    frame.render_widget(Paragraph::new(text), page);
    frame.render_widget(Span::styled("Any key goes back to the game.", REVERSED), hint);
}

/// Draws the talk page, latest line at the bottom, with the prompt below.
fn render_talk(view: &View, page: &TalkPage, color: bool, frame: &mut Frame<'_>, area: Rect) {
    let [title, lines, prompt, hint] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(0),
        Constraint::Length(1),
        Constraint::Length(1),
    ])
    .areas(area);
    let heading = format!("{}  talk of the {}", view.game, page.room.as_str());
    frame.render_widget(Line::styled(heading, BOLD), title);
    frame.render_widget(Text::from(page.rows(lines.width.into(), lines.height.into())), lines);
    if view.sent.is_some() {
        render_prompt(view, frame, prompt);
    } else {
        render_line(view, frame, prompt);
    }
    match &view.note {
        Some(_) => frame.render_widget(note(view, color), hint),
        None => frame.render_widget(Span::styled("Enter sends it, Esc goes back.", DIM), hint),
    }
}

fn title(view: &View) -> Line<'static> {
    let mut parts = vec![view.game.to_string()];
    if let Some(table) = view.table() {
        let setup = table.setup();
        parts.insert(0, messages::game(setup));
        parts.push(messages::control(setup.clock));
        parts.push(if setup.rated { "rated" } else { "casual" }.to_owned());
    }
    if view.role == Role::Watch {
        parts.push("watching".to_owned());
    }
    Line::styled(parts.join("  "), BOLD)
}

/// Returns a warning if the board may be out of date or is not the current one.
fn banner(view: &View) -> Option<String> {
    if let ConnectionState::Down { reason, again_at, .. } = &view.connection {
        return Some(match again_at {
            Some(again_at) => {
                let wait = again_at.saturating_sub(view.now);
                let seconds = wait.as_millis().div_ceil(1_000);
                format!(
                    "Not connected; reconnecting in {seconds} s, or on Enter. The game resumes by itself. \
                     ({reason})"
                )
            }
            None => format!("Not connected: {reason}. Leave and join again to continue."),
        });
    }
    if let Some(Preview { notation, captures, .. }) = &view.preview {
        return Some(format!("Tried: {notation}{captures}. Enter plays it, Esc discards it."));
    }
    let past = view.past_ply?;
    let notation = &view.history.plies().get(past)?.notation;
    let colon = if notation.is_empty() { "" } else { ": " };
    let last = view.last_ply();
    Some(format!("Ply {past} of {last}{colon}{notation}. End shows the current board."))
}

fn render_prompt(view: &View, frame: &mut Frame<'_>, area: Rect) {
    if let Some(line) = &view.sent {
        let text = match view.connection {
            ConnectionState::Up => format!("{line}: waiting for the server ..."),
            ConnectionState::Down { .. } => format!("{line}: will be sent after the reconnect"),
        };
        frame.render_widget(Span::styled(text, DIM), area);
        return;
    }
    if !view.has_prompt() {
        let keys = if view.can_request_rematch() {
            "r rematch  q quit  ? help  t talk  PgUp/PgDn moves"
        } else {
            "q quit  ? help  t talk  PgUp/PgDn moves"
        };
        frame.render_widget(Span::styled(keys, DIM), area);
        return;
    }
    render_line(view, frame, area);
}

fn render_line(view: &View, frame: &mut Frame<'_>, area: Rect) {
    let [sign, line] = Layout::horizontal([Constraint::Length(2), Constraint::Min(0)]).areas(area);
    frame.render_widget("> ", sign);
    // A line longer than the window scrolls with the cursor.
    let cursor = u16::try_from(view.prompt.cursor()).unwrap_or(u16::MAX);
    let column = cursor.min(line.width.saturating_sub(1));
    let text = Paragraph::new(view.prompt.text()).scroll((0, cursor - column));
    frame.render_widget(text, line);
    frame.set_cursor_position(ScreenPosition::new(line.x.saturating_add(column), line.y));
}

/// Returns the note, or else the notation of moves.
fn note(view: &View, color: bool) -> Paragraph<'_> {
    let text = match (&view.note, view.table()) {
        (Some(note), _) if note.is_error => {
            let style = if color { BOLD.fg(Color::Red) } else { BOLD };
            Text::styled(note.text.as_str(), style)
        }
        (Some(note), _) => Text::from(note.text.as_str()),
        (None, Some(_))
            if view.pointer.as_ref().is_some_and(|pointer| !pointer.input.is_empty()) =>
        {
            let legend = "= selected, : selectable, * captures, > cursor; , adds a source";
            Text::styled(legend, DIM)
        }
        (None, Some(table)) if view.has_prompt() => {
            let help = table.position().notation_help();
            Text::styled(format!("? for help. {help}"), DIM)
        }
        (None, _) => Text::default(),
    };
    Paragraph::new(text).wrap(Wrap { trim: true })
}

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
        move_input::cell_at(&self.drawing, column, line)
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
        let place = focus.and_then(|cell| move_input::centre_of(&self.drawing, cell));
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
        if let Some(leaving) = self.table.seat_offer() {
            let (by, level) = (&leaving.computer.user, leaving.level);
            let (left, needs) = (self.names.of(leaving.seat), self.names.all_of(open.needs));
            let asked = me.is_some_and(|me| open.needs.contains(me));
            let answer = if asked { "accept or decline?" } else { "all clocks stand." };
            return Some(format!(
                "{left} leaves; {by} of level {level} plays on if {needs} agree: {answer}"
            ));
        }
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

/// Minimum and maximum width of the panel of players and moves beside the board.
const PANEL_COLUMNS: (u16, u16) = (23, 40);

/// The same if everything is beside the board.
const SIDE_COLUMNS: (u16, u16) = (36, 60);

/// Columns between the board and the panel.
const GAP_COLUMNS: u16 = 2;

/// Lines above and below the board in every layout: title, banner, status, prompt, note.
pub(super) const FRAME_LINES: u16 = 5;

/// Lines of players and moves if they are above and below the board.
pub(super) const STRIP_LINES: u16 = 2;

/// The areas of the window.
pub(super) struct WindowLayout {
    pub(super) title: Rect,
    pub(super) banner: Rect,
    pub(super) body: BodyLayout,
    pub(super) status: Rect,
    pub(super) prompt: Rect,
    pub(super) note: Rect,
}

/// The areas of the board, the players and the moves.
pub(super) enum BodyLayout {
    /// Players and moves are beside the board.
    Beside { board: Rect, panel: Rect },
    /// Players are above the board, and moves below.
    Between { players: Rect, board: Rect, moves: Rect },
    /// The board does not fit.
    TooSmall { players: Rect, rest: Rect, columns: u16, lines: u16 },
}

impl WindowLayout {
    /// Divides the window for a board of this size, if there is one yet.
    pub(super) fn new(area: Rect, board_size: Option<(u16, u16)>) -> Self {
        let (columns, lines) = board_size.unwrap_or_default();
        let is_high = lines.saturating_add(FRAME_LINES) > area.height && lines <= area.height;
        if is_high && area.width >= columns + GAP_COLUMNS + SIDE_COLUMNS.0 {
            return Self::beside(area, columns);
        }
        let spare = area.height.saturating_sub(FRAME_LINES + STRIP_LINES + lines);
        let [title, banner, body, status, prompt, note] = Layout::vertical([
            Constraint::Length(1),
            Constraint::Length(1),
            Constraint::Min(0),
            Constraint::Length(1),
            Constraint::Length(1),
            // A long note gets a second line if there is room.
            Constraint::Length(if spare > 0 { 2 } else { 1 }),
        ])
        .areas(area);
        Self { title, banner, body: BodyLayout::new(body, columns, lines), status, prompt, note }
    }

    /// Divides the window for a board that takes its whole height.
    fn beside(area: Rect, columns: u16) -> Self {
        let (board, side) = split(area, columns, SIDE_COLUMNS.1);
        let [title, banner, panel, status, prompt, note] = Layout::vertical([
            Constraint::Length(2),
            Constraint::Length(2),
            Constraint::Min(0),
            Constraint::Length(2),
            Constraint::Length(1),
            Constraint::Length(4),
        ])
        .areas(side);
        Self { title, banner, body: BodyLayout::Beside { board, panel }, status, prompt, note }
    }
}

impl BodyLayout {
    /// Places players and moves beside the board if they fit there, else above and below.
    fn new(area: Rect, columns: u16, lines: u16) -> Self {
        let (columns_min, lines_min) = (columns.min(SHOWN_MIN.0), lines.min(SHOWN_MIN.1));
        if area.height >= lines && area.width >= columns + GAP_COLUMNS + PANEL_COLUMNS.0 {
            let (board, panel) = split(area, columns, PANEL_COLUMNS.1);
            Self::Beside { board, panel }
        } else if area.height >= lines_min + STRIP_LINES && area.width >= columns_min {
            // The board scrolls if it does not fit.
            let [players, board, moves] = Layout::vertical([
                Constraint::Length(1),
                Constraint::Min(lines_min),
                Constraint::Length(1),
            ])
            .areas(area);
            Self::Between { players, board, moves }
        } else {
            let [players, rest] =
                Layout::vertical([Constraint::Length(1), Constraint::Min(0)]).areas(area);
            Self::TooSmall { players, rest, columns: columns_min, lines: lines_min }
        }
    }
}

/// Splits an area between the board and a panel of limited width.
fn split(area: Rect, columns: u16, panel_max: u16) -> (Rect, Rect) {
    let panel = (area.width - columns - GAP_COLUMNS).min(panel_max);
    let parts = [Constraint::Min(columns), Constraint::Length(panel)];
    let [board, panel] = Layout::horizontal(parts).areas(area);
    (board, panel)
}

/// Minimum visible columns and lines of a board: a few cells around the cursor.
pub(super) const SHOWN_MIN: (u16, u16) = (16, 5);

/// Columns or lines at each end for the signs that the board goes on.
const EDGE: u16 = 1;

/// The place of a board in an area, and its visible part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Viewport {
    area: Rect,
    across: Axis,
    down: Axis,
}

/// One dimension of a viewport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Axis {
    /// Start of the board, relative to the area.
    start: u16,
    shown: u16,
    /// Hidden length before the visible part.
    before: u16,
    /// Hidden length after the visible part.
    behind: u16,
}

impl Axis {
    /// Centres the board if it fits; otherwise shows the part around the focus.
    fn new(size: u16, room: u16, focus: u16) -> Self {
        if size <= room {
            return Self { start: (room - size) / 2, shown: size, before: 0, behind: 0 };
        }
        let shown = room.saturating_sub(2 * EDGE);
        let before = focus.saturating_sub(shown / 2).min(size - shown);
        Self { start: EDGE, shown, before, behind: size - shown - before }
    }

    /// Converts an offset in the area to an offset on the board.
    fn at(self, place: u16) -> Option<u16> {
        let place = place.checked_sub(self.start).filter(|&place| place < self.shown)?;
        Some(self.before + place)
    }
}

impl Viewport {
    /// Fits a board into an area, with the focus visible. `size` and `focus` are columns and lines.
    pub(super) fn new(size: (u16, u16), area: Rect, focus: (u16, u16)) -> Self {
        let across = Axis::new(size.0, area.width, focus.0);
        let down = Axis::new(size.1, area.height, focus.1);
        Self { area, across, down }
    }

    /// Returns the board's column and line at a place of the window.
    pub(super) fn board_at(self, place: ScreenPosition) -> Option<(usize, usize)> {
        let column = self.across.at(place.x.checked_sub(self.area.x)?)?;
        let line = self.down.at(place.y.checked_sub(self.area.y)?)?;
        Some((column.into(), line.into()))
    }

    /// Draws the visible part, with signs where the board goes on.
    pub(super) fn render(self, lines: Text<'_>, frame: &mut Frame<'_>) {
        let Self { area, across, down } = self;
        let board = Rect {
            x: area.x + across.start,
            y: area.y + down.start,
            width: across.shown,
            height: down.shown,
        };
        let text = Paragraph::new(lines).scroll((down.before, across.before));
        frame.render_widget(text, board);
        let row = Rect { height: EDGE, ..area };
        if down.before > 0 {
            let more = format!("^ {} more lines ^", down.before);
            frame.render_widget(Text::styled(more, DIM).centered(), row);
        }
        if down.behind > 0 {
            let more = format!("v {} more lines v", down.behind);
            let below = Rect { y: board.bottom(), ..row };
            frame.render_widget(Text::styled(more, DIM).centered(), below);
        }
        let column = Rect { width: EDGE, y: board.y, height: board.height, ..area };
        let signs = |sign: &str| Text::styled(vec![sign; board.height.into()].join("\n"), DIM);
        if across.before > 0 {
            frame.render_widget(signs("<"), column);
        }
        if across.behind > 0 {
            frame.render_widget(signs(">"), Rect { x: board.right(), ..column });
        }
    }
}

pub(super) const DIM: Style = Style::new().add_modifier(Modifier::DIM);
pub(super) const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
pub(super) const REVERSED: Style = Style::new().add_modifier(Modifier::REVERSED);

/// Returns the page for a game; only the keys before the game is loaded.
pub(super) fn help_page(kind: Option<Kind>, role: Role) -> String {
    let game = kind.map_or("", Kind::rules_summary);
    let keys = match role {
        Role::Play => PLAYER,
        Role::Watch => SPECTATOR,
    };
    let gap = if game.is_empty() { "" } else { "\n\n" };
    format!("{game}{gap}{keys}")
}

/// Commands and keys of a player.
const PLAYER: &str = "  MOVE, try MOVE    play a move, as above; preview it, then Enter plays it
  draw, takeback,   make that offer (calloff: to end without a result); accept,
  calloff           decline, withdraw: an offer. claim: if a player is away
  resign, abort     resign; abort a game just begun. say TEXT, talk: chat
  Tab or a click    use the board: arrows move, Space selects, Enter plays,
                    + - change the number or choice; Space again or , adds a
                    stack as a source; . selects a move without cells
  Up, Down          earlier input               PgUp, PgDn, Home, End   history
  Esc               clear the current input     Ctrl-C, quit   leave
Last move: from - to +, captures *. Ctrl-T: ! marks capturable pieces.";

/// Keys of a spectator.
const SPECTATOR: &str = "\
You are watching. Moves appear once the server has recorded them.
  PgUp, PgDn    show earlier moves; Home shows the start, End the current board
  arrows        scroll a board that is larger than the window
  t             the talk of the spectators
  ?             this page
  q             quit
Last move: from - to +, captures *. Ctrl-T: ! marks capturable pieces.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_that_fits_is_centred() {
        let area = Rect::new(10, 5, 30, 20);
        let view = Viewport::new((20, 10), area, (3, 3));
        assert_eq!(view.board_at(ScreenPosition::new(15, 10)), Some((0, 0)));
        assert_eq!(view.board_at(ScreenPosition::new(34, 19)), Some((19, 9)));
        assert_eq!(view.board_at(ScreenPosition::new(14, 10)), None);
        assert_eq!(view.board_at(ScreenPosition::new(35, 10)), None);
        assert_eq!(view.board_at(ScreenPosition::new(0, 0)), None);
    }

    #[test]
    fn the_focus_is_always_visible() {
        let area = Rect::new(0, 2, 12, 8);
        for focus in (0..40).flat_map(|column| (0..30).map(move |line| (column, line))) {
            let view = Viewport::new((40, 30), area, focus);
            let places = area.positions().filter_map(|place| view.board_at(place));
            let shown: Vec<(usize, usize)> = places.collect();
            assert!(shown.contains(&(focus.0.into(), focus.1.into())), "{focus:?}: {view:?}");
            // All sides have an edge.
            assert_eq!(shown.len(), 10 * 6);
        }
    }

    /// The lines of a common window, without the bottom line.
    const LINES: usize = 23;

    const COLUMNS: usize = 80;

    #[test]
    fn every_page_fits_an_80_by_24_window() {
        for role in [Role::Play, Role::Watch] {
            for kind in Kind::ALL.iter().copied().map(Some).chain([None]) {
                let page = help_page(kind, role);
                assert!(page.lines().count() <= LINES, "{kind:?} has {}", page.lines().count());
                for line in page.lines() {
                    assert!(line.chars().count() <= COLUMNS, "{line}");
                }
                if let Some(kind) = kind {
                    assert!(page.starts_with(&kind.name().to_uppercase()), "{page}");
                }
            }
        }
    }
}
