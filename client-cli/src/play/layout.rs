//! The layout of the window.

use ratatui::{
    Frame,
    layout::{Constraint, Layout, Position as ScreenPosition, Rect},
    style::{Modifier, Style},
    text::Text,
};

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
    /// Visible length.
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
        let text = ratatui::widgets::Paragraph::new(lines).scroll((down.before, across.before));
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
}
