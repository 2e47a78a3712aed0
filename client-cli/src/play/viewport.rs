//! The part of a board that is shown where there is no room for all of it.

use ratatui::{
    Frame,
    layout::{Position as ScreenPosition, Rect},
    text::Text,
};

use super::style::DIM;

/// Columns and lines of a board that must be shown at the least: a few cells round the cursor.
pub(super) const SHOWN_MIN: (u16, u16) = (16, 5);

/// What is kept free at either end of a board that goes on there, to say so.
const EDGE: u16 = 1;

/// Where a board stands in an area, and from where on it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Viewport {
    area: Rect,
    across: Axis,
    down: Axis,
}

/// One dimension of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Axis {
    /// Where the board begins, from the beginning of the area.
    start: u16,
    /// How much of it is shown.
    shown: u16,
    /// How much lies before that.
    before: u16,
    /// How much lies behind.
    behind: u16,
}

impl Axis {
    /// All of it, in the middle, if there is room; else what is round the focus.
    fn new(size: u16, room: u16, focus: u16) -> Self {
        if size <= room {
            return Self { start: (room - size) / 2, shown: size, before: 0, behind: 0 };
        }
        let shown = room.saturating_sub(2 * EDGE);
        let before = focus.saturating_sub(shown / 2).min(size - shown);
        Self { start: EDGE, shown, before, behind: size - shown - before }
    }

    /// What of the board stands at a place of the area.
    fn at(self, place: u16) -> Option<u16> {
        let place = place.checked_sub(self.start).filter(|&place| place < self.shown)?;
        Some(self.before + place)
    }
}

impl Viewport {
    /// The part of a board of that size that goes into an area, with the focus in sight. Both are
    /// columns and lines of the board.
    pub(super) fn new(size: (u16, u16), area: Rect, focus: (u16, u16)) -> Self {
        let across = Axis::new(size.0, area.width, focus.0);
        let down = Axis::new(size.1, area.height, focus.1);
        Self { area, across, down }
    }

    /// The column and line of the board at a place of the window.
    pub(super) fn board_at(self, place: ScreenPosition) -> Option<(usize, usize)> {
        let column = self.across.at(place.x.checked_sub(self.area.x)?)?;
        let line = self.down.at(place.y.checked_sub(self.area.y)?)?;
        Some((column.into(), line.into()))
    }

    /// Shows the board, and that more of it lies beyond.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_that_fits_stands_in_the_middle() {
        let area = Rect::new(10, 5, 30, 20);
        let view = Viewport::new((20, 10), area, (3, 3));
        assert_eq!(view.board_at(ScreenPosition::new(15, 10)), Some((0, 0)));
        assert_eq!(view.board_at(ScreenPosition::new(34, 19)), Some((19, 9)));
        assert_eq!(view.board_at(ScreenPosition::new(14, 10)), None);
        assert_eq!(view.board_at(ScreenPosition::new(35, 10)), None);
        assert_eq!(view.board_at(ScreenPosition::new(0, 0)), None);
    }

    #[test]
    fn the_focus_is_in_sight_wherever_it_is() {
        let area = Rect::new(0, 2, 12, 8);
        for focus in (0..40).flat_map(|column| (0..30).map(move |line| (column, line))) {
            let view = Viewport::new((40, 30), area, focus);
            let places = area.positions().filter_map(|place| view.board_at(place));
            let shown: Vec<(usize, usize)> = places.collect();
            assert!(shown.contains(&(focus.0.into(), focus.1.into())), "{focus:?}: {view:?}");
            // An edge is left free on all sides.
            assert_eq!(shown.len(), 10 * 6);
        }
    }
}
