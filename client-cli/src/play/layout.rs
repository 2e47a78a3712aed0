//! The layout of the window.

use ratatui::layout::{Constraint, Layout, Rect};

use super::viewport::SHOWN_MIN;

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
