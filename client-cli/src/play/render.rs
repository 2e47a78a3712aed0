//! Draws the view: a title, the board with players and moves, and at the bottom the status, the
//! prompt and a note.

use adamant_rules::Cell;
use ratatui::{
    Frame,
    layout::{Constraint, Layout, Position as ScreenPosition, Rect},
    style::Color,
    text::{Line, Span, Text},
    widgets::{Paragraph, Wrap},
};

use super::{
    board::BoardView,
    help,
    layout::{BOLD, BodyLayout, DIM, FRAME_LINES, REVERSED, STRIP_LINES, WindowLayout},
    message::{ConnectionState, Role},
    view::{Preview, TalkPage, View},
};
use crate::messages;

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
    let text = help::page(kind, view.role);
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
