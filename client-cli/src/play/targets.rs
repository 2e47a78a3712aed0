//! Cells of a drawing by their place on the screen, and the cursor's way between them.

use adamant_rules::{Cell, game::Drawing};

/// A direction on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// To the line above.
    Up,
    /// To the line below.
    Down,
    /// Along the line, backwards.
    Left,
    /// Along the line, forwards.
    Right,
}

/// The centre of a cell on a drawing. Columns count halves, so that every centre is a whole number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CellCentre {
    cell: Cell,
    column: usize,
    line: usize,
}

pub(super) fn cell_at(drawing: &Drawing, column: usize, line: usize) -> Option<Cell> {
    let mut end = 0;
    let span = drawing.lines.get(line)?.iter().find(|span| {
        end += span.text.chars().count();
        column < end
    })?;
    span.cell
}

/// Returns the column and line of the centre of a cell.
pub(super) fn centre_of(drawing: &Drawing, cell: Cell) -> Option<(usize, usize)> {
    let place = cell_centres(drawing).into_iter().find(|place| place.cell == cell)?;
    Some((place.column / 2, place.line))
}

/// Returns the `wanted` cell nearest to the centre of a drawing.
pub(super) fn most_central(drawing: &Drawing, wanted: impl Fn(Cell) -> bool) -> Option<Cell> {
    let places = cell_centres(drawing);
    let (column, line) = middle(&places);
    let wanted = places.iter().filter(|place| wanted(place.cell));
    // A line is about as high as two columns, which are four halves, are wide.
    let nearest =
        wanted.min_by_key(|place| place.column.abs_diff(column) + 4 * place.line.abs_diff(line));
    nearest.map(|place| place.cell)
}

/// Returns the next cell in a direction; at the border the same cell.
pub(super) fn neighbour(drawing: &Drawing, from: Cell, direction: Direction) -> Cell {
    let places = cell_centres(drawing);
    let Some(here) = places.iter().find(|place| place.cell == from) else { return from };
    let on_line = |line| places.iter().filter(move |place| place.line == line);
    let found = match direction {
        Direction::Left => {
            on_line(here.line).filter(|p| p.column < here.column).max_by_key(|p| p.column)
        }
        Direction::Right => {
            on_line(here.line).filter(|p| p.column > here.column).min_by_key(|p| p.column)
        }
        Direction::Up | Direction::Down => {
            let lines = places.iter().map(|place| place.line);
            let line = if direction == Direction::Up {
                lines.filter(|&line| line < here.line).max()
            } else {
                lines.filter(|&line| line > here.line).min()
            };
            // Of two equally near cells the more central one, so that the way up a slanted board
            // does not drift to its side.
            let (column, _) = middle(&places);
            line.and_then(|line| {
                on_line(line).min_by_key(|place| {
                    (place.column.abs_diff(here.column), place.column.abs_diff(column))
                })
            })
        }
    };
    found.map_or(from, |place| place.cell)
}

/// Returns the centre of every cell. Of a cell on several lines it is on the lowest, which has the
/// name.
fn cell_centres(drawing: &Drawing) -> Vec<CellCentre> {
    let mut places: Vec<CellCentre> = Vec::new();
    for (line, spans) in drawing.lines.iter().enumerate() {
        let mut start = 0;
        for span in spans {
            let width = span.text.chars().count();
            if let Some(cell) = span.cell {
                let place = CellCentre { cell, column: 2 * start + width, line };
                match places.iter_mut().find(|place| place.cell == cell) {
                    Some(above) => *above = place,
                    None => places.push(place),
                }
            }
            start += width;
        }
    }
    places
}

/// Returns the point halfway between the outermost cells.
fn middle(places: &[CellCentre]) -> (usize, usize) {
    let halfway = |of: fn(&CellCentre) -> usize| {
        let least = places.iter().map(of).min().unwrap_or(0);
        let greatest = places.iter().map(of).max().unwrap_or(0);
        least.midpoint(greatest)
    };
    (halfway(|place| place.column), halfway(|place| place.line))
}

#[cfg(test)]
mod tests {
    use adamant_rules::{Kind, Options, Position};

    use super::*;

    fn start(kind: Kind) -> Position {
        kind.start(&kind.complete(&Options::new(), 2).unwrap(), 2)
    }

    /// Asserts where a way of the cursor leads.
    #[track_caller]
    fn leads(kind: Kind, from: &str, way: &[Direction], to: &str) {
        let position = start(kind);
        let drawing = position.draw(&[]);
        let from = position.cell(from).unwrap();
        let end = way.iter().fold(from, |cell, &direction| neighbour(&drawing, cell, direction));
        assert_eq!(position.cell_name(end).as_str(), to);
    }

    #[test]
    fn the_cursor_follows_the_drawing_of_every_game() {
        use Direction::{Down, Left, Right, Up};
        leads(Kind::Adamas, "c1", &[Right, Right], "c3");
        leads(Kind::Adamas, "c1", &[Left], "c1");
        leads(Kind::Adamas, "c1", &[Up, Up], "e1");
        leads(Kind::Adamas, "e3", &[Up], "e3");
        leads(Kind::Adamas, "c5", &[Down, Down, Down], "a3");
        leads(Kind::Hexma, "m17", &[Up, Up, Up], "l14");
        leads(Kind::Hexma, "k13", &[Left], "i13");
        // Octagons and squares are on separate lines.
        leads(Kind::Stymie, "e5", &[Up], "f6");
        leads(Kind::Stymie, "e5", &[Right, Up, Up], "g7");
        leads(Kind::Diam, "1", &[Right], "2");
        leads(Kind::Diam, "1", &[Down], "8");
        leads(Kind::Diam, "8", &[Right, Up], "2");
    }

    #[test]
    fn the_cursor_and_the_mouse_reach_every_cell() {
        for &kind in Kind::ALL {
            let position = start(kind);
            let drawing = position.draw(&[]);
            let cells: Vec<Cell> =
                position.layout().cells.into_iter().map(|cell| cell.cell).collect();
            let mut reached = vec![cells[0]];
            let mut index = 0;
            while let Some(&cell) = reached.get(index) {
                index += 1;
                for direction in [Direction::Up, Direction::Down, Direction::Left, Direction::Right]
                {
                    let next = neighbour(&drawing, cell, direction);
                    if !reached.contains(&next) {
                        reached.push(next);
                    }
                }
            }
            assert_eq!(reached.len(), cells.len(), "{kind:?}");
            for place in cell_centres(&drawing) {
                assert_eq!(cell_at(&drawing, place.column / 2, place.line), Some(place.cell));
            }
            assert_eq!(cell_at(&drawing, 0, 0), None);
            assert_eq!(cell_at(&drawing, 500, 1), None);
            assert_eq!(cell_at(&drawing, 0, 500), None);
        }
    }

    #[test]
    fn the_most_central_cell_is_found() {
        let position = start(Kind::Stymie);
        let cell = most_central(&position.draw(&[]), |_| true).unwrap();
        assert_eq!(position.cell_name(cell).as_str(), "h8");
        assert_eq!(most_central(&position.draw(&[]), |_| false), None);
    }
}
