//! Draws a position: the board, the last move on it, and the pieces.

use std::f64::consts::{PI, TAU};

use adamant_rules::{
    Cell, Position,
    game::{CellShape, Layout, LayoutCell},
};

use super::{
    geometry::{Geometry, links, place_of},
    palette::{Colour, Palette, PieceColours},
    shapes::{Drawing, Fill, Outline, Place, Shape},
};

/// The thickness of a piece, as a share of its radius.
const THICKNESS: f64 = 0.17;

/// How a stack grows: its height as a share of the radius approaches the limit, and each piece adds
/// to it.
const RISE_MAX: f64 = 2.1;
const RISE_RATE: f64 = 0.075;

/// The share of a stack's rise by which it stands below the middle of its cell.
const SINK: f64 = 0.34;

/// The size of an inlay, as a share of the radius.
const INLAY: f64 = 0.42;

/// How far the plate under the cells reaches beyond them.
const PLATE_REACH: f64 = 0.12;

/// Lines that stand for half a circle.
const HALF_CIRCLE_LINES: u32 = 16;

/// Draws a position, and marks what the last move changed.
pub(in crate::http) fn draw(
    title: String,
    position: &Position,
    before: Option<&Position>,
    palette: &Palette,
) -> Drawing {
    let layout = position.layout();
    let geometry = Geometry::new(&layout);
    let mut shapes = Vec::new();
    let mut stacks = position.stacks();
    let before = before.map(Position::stacks);
    draw_board(&mut shapes, &layout, &geometry, palette, |cell| {
        let (had, has) = (stack_on(before.as_ref()?, cell), stack_on(&stacks, cell));
        (had != has).then(|| palette.changed(has.len() < had.len()))
    });
    let cell_of = |cell| layout.cells.iter().find(|each| each.cell == cell);
    // The nearer stack covers the one behind it.
    stacks.sort_by(|(one, _), (other, _)| {
        let y = |cell| cell_of(cell).map_or(0.0, |cell| cell.y);
        y(*one).total_cmp(&y(*other))
    });
    for (cell, letters) in &stacks {
        let Some(cell) = cell_of(*cell) else { continue };
        let pieces: Vec<Piece> = letters.chars().map(|letter| Piece::of(letter, &layout)).collect();
        if cell.shape == CellShape::Sector {
            for (level, piece) in pieces.iter().enumerate() {
                let (at, radius) = geometry.piece(cell, level);
                draw_pile(&mut shapes, at, radius, std::slice::from_ref(piece), palette);
            }
        } else {
            let (at, radius) = geometry.piece(cell, 0);
            draw_pile(&mut shapes, at, radius, &pieces, palette);
        }
    }
    let Geometry { corner, size, .. } = geometry;
    Drawing { title, corner, size, background: palette.background, shapes }
}

fn stack_on<'a>(stacks: &'a [(Cell, String)], cell: &LayoutCell) -> &'a str {
    stacks.iter().find(|(on, _)| *on == cell.cell).map_or("", |(_, stack)| stack)
}

/// Draws the empty board. A cell that the last move changed has a colour of its own.
fn draw_board(
    shapes: &mut Vec<Shape>,
    layout: &Layout,
    geometry: &Geometry,
    palette: &Palette,
    changed: impl Fn(&LayoutCell) -> Option<Colour>,
) {
    for goal in &geometry.goals {
        let colour = palette.piece(goal.seat, 0).body;
        shapes.push(Shape::line(goal.line.clone(), colour, goal.width));
    }
    let links = links(layout);
    let drawn = |colour, width| {
        links.iter().map(move |ends| Shape::line(ends.to_vec(), colour, width)).collect::<Vec<_>>()
    };
    shapes.extend(drawn(palette.plate, 1.06));
    shapes.extend(drawn(palette.cell, 0.9));
    shapes.extend(drawn(palette.line, 0.035));
    let has_plate = |cell: &&LayoutCell| {
        matches!(cell.shape, CellShape::Hex | CellShape::Octagon | CellShape::Square)
    };
    shapes.extend(
        layout
            .cells
            .iter()
            .filter(has_plate)
            .map(|cell| Shape::stroked(geometry.outline(cell), palette.plate, PLATE_REACH * 2.0)),
    );
    for cell in &layout.cells {
        let (outline, changed) = (geometry.outline(cell), changed(cell));
        if cell.shape == CellShape::Point {
            let dot = Outline::Circle { at: place_of(cell), radius: 0.07 };
            shapes.extend(changed.map(|colour| Shape::filled(outline, Fill::Plain(colour))));
            shapes.push(Shape::filled(dot, Fill::Plain(palette.line)));
            continue;
        }
        let plain = if cell.shape == CellShape::Square { palette.small_cell } else { palette.cell };
        let mut shape = Shape::stroked(outline, palette.line, 0.025);
        shape.fill = Some(Fill::Plain(changed.unwrap_or(plain)));
        shapes.push(shape);
    }
    shapes
        .extend(geometry.level_circles().map(|circle| Shape::stroked(circle, palette.line, 0.018)));
}

/// A piece, as far as its looks go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece {
    seat: usize,
    kind: usize,
    /// Whether its seat has several kinds of pieces.
    is_inlaid: bool,
}

impl Piece {
    fn of(letter: char, layout: &Layout) -> Self {
        let found = layout.letters.iter().enumerate().find_map(|(seat, letters)| {
            let kind = letters.chars().position(|own| own == letter)?;
            Some(Self { seat, kind, is_inlaid: letters.chars().count() > 1 })
        });
        found.unwrap_or(Self { seat: 0, kind: 0, is_inlaid: false })
    }

    fn colours(self, palette: &Palette) -> PieceColours {
        palette.piece(self.seat, self.kind)
    }
}

/// Draws a piece, or a stack of them with its height in digits.
fn draw_pile(shapes: &mut Vec<Shape>, at: Place, r: f64, pieces: &[Piece], palette: &Palette) {
    let Some(&upper) = pieces.last() else { return };
    let rise = |pieces: usize| {
        let others = u32::try_from(pieces.saturating_sub(1)).map_or(0.0, f64::from);
        r * RISE_MAX * (1.0 - (-RISE_RATE * others).exp())
    };
    let (height, thickness) = (rise(pieces.len()), r * THICKNESS);
    let top = at.plus(Place::new(0.0, height * (SINK - 1.0) - thickness * 0.5));
    // How far below the top the lower edge of a piece lies.
    let edge = |index: usize| height - rise(index + 1) + thickness;
    let shadow = top.plus(Place::new(r * 0.05, edge(0) + r * 0.09));
    let shade = palette.cell.mixed(Colour(0, 0, 0), 0.16);
    let outline = Outline::Circle { at: shadow, radius: r * 1.05 };
    shapes.push(Shape::filled(outline, Fill::Plain(shade)));
    for (index, piece) in pieces.iter().enumerate() {
        let upper = if index + 1 == pieces.len() { 0.0 } else { edge(index + 1) };
        let colours = piece.colours(palette);
        let lower = half_circle(top.plus(Place::new(0.0, edge(index))), r);
        let mut side = vec![top.plus(Place::new(r, upper))];
        side.extend(&lower);
        side.push(top.plus(Place::new(-r, upper)));
        shapes.push(Shape::filled(Outline::Polygon(side), Fill::Plain(colours.side())));
        if index > 0 {
            shapes.push(Shape::line(lower, colours.rim, r * 0.035));
        }
    }
    let colours = upper.colours(palette);
    let mut face = Shape::stroked(Outline::Circle { at: top, radius: r }, colours.rim, r * 0.04);
    face.fill = Some(Fill::Face(colours.face()));
    shapes.push(face);
    let number = (pieces.len() > 1).then_some(pieces.len());
    draw_sign(shapes, top, r, upper, colours, number);
}

/// Draws what tells a piece apart without its colour, and the number of pieces under it.
fn draw_sign(
    shapes: &mut Vec<Shape>,
    at: Place,
    r: f64,
    piece: Piece,
    colours: PieceColours,
    number: Option<usize>,
) {
    let soft = colours.body.mixed(colours.sign, 0.55);
    match piece.seat {
        1 => {
            let ring = Outline::Circle { at, radius: r * 0.8 };
            shapes.push(Shape::stroked(ring, soft, r * 0.06));
        }
        2 => shapes.extend((0..10).map(|index| {
            let at = at.plus(Place::polar(r * 0.78, f64::from(index) * TAU / 10.0));
            Shape::filled(Outline::Circle { at, radius: r * 0.055 }, Fill::Plain(soft))
        })),
        _ => {}
    }
    match number {
        Some(number) => draw_number(shapes, at, r * 0.7, number, colours.sign),
        None if piece.is_inlaid => {
            let inlay = inlay(at, r * INLAY, piece.kind);
            shapes.push(Shape::filled(inlay, Fill::Plain(soft)));
        }
        None => {}
    }
}

fn inlay(at: Place, size: f64, kind: usize) -> Outline {
    let star = |corners: u32, inner: f64| {
        let corner = |index: u32| {
            let radius = if index.is_multiple_of(2) { size } else { size * inner };
            at.plus(Place::polar(radius, f64::from(index) * PI / f64::from(corners)))
        };
        Outline::Polygon((0..corners * 2).map(corner).collect())
    };
    match kind {
        0 => star(4, 0.42),
        1 => Outline::Circle { at, radius: size * 0.72 },
        2 => star(3, 0.5),
        _ => star(2, 0.35),
    }
}

/// The lower half of a circle, from right to left.
fn half_circle(at: Place, radius: f64) -> Vec<Place> {
    arc(at, Place::new(radius, radius), PI / 2.0, PI * 1.5)
}

/// A part of an ellipse, between two angles from the top.
fn arc(at: Place, radii: Place, from: f64, to: f64) -> Vec<Place> {
    let place = |line: u32| {
        let angle = from + (to - from) * f64::from(line) / f64::from(HALF_CIRCLE_LINES);
        at.plus(Place::new(radii.x * angle.sin(), -radii.y * angle.cos()))
    };
    (0..=HALF_CIRCLE_LINES).map(place).collect()
}

/// Draws a number in the middle of a place, without a font.
fn draw_number(shapes: &mut Vec<Shape>, at: Place, height: f64, number: usize, colour: Colour) {
    let digits = number.to_string();
    let height = if digits.len() > 1 { height * 0.85 } else { height };
    let advance = height * 0.78;
    let before = u32::try_from(digits.len() - 1).map_or(0.0, f64::from) / 2.0;
    for (index, digit) in (0_u32..).zip(digits.bytes()) {
        let middle = at.plus(Place::new(advance * (f64::from(index) - before), 0.0));
        for line in digit_lines(digit) {
            let line = line.into_iter().map(|place| middle.plus(place.times(height))).collect();
            shapes.push(Shape::line(line, colour, height * 0.15));
        }
    }
}

/// The lines of a digit of height 1 around the origin.
fn digit_lines(digit: u8) -> Vec<Vec<Place>> {
    let line = |places: &[(f64, f64)]| -> Vec<Place> {
        places.iter().map(|&(x, y)| Place::new(x, y)).collect()
    };
    let curve = |x: f64, y: f64, rx: f64, ry: f64, from: f64, to: f64| {
        arc(Place::new(x, y), Place::new(rx, ry), from.to_radians(), to.to_radians())
    };
    match digit {
        b'0' => vec![curve(0.0, 0.0, 0.28, 0.48, 0.0, 360.0)],
        b'1' => vec![line(&[(-0.18, -0.28), (0.04, -0.48), (0.04, 0.48)])],
        b'2' => {
            let mut two = curve(0.0, -0.2, 0.27, 0.28, -80.0, 125.0);
            two.extend(line(&[(-0.28, 0.48), (0.29, 0.48)]));
            vec![two]
        }
        b'3' => vec![
            curve(0.0, -0.24, 0.25, 0.24, -70.0, 180.0),
            curve(0.0, 0.23, 0.28, 0.25, 0.0, 255.0),
        ],
        b'4' => vec![line(&[(0.13, 0.48), (0.13, -0.48), (-0.3, 0.2), (0.31, 0.2)])],
        b'5' => {
            let mut five = line(&[(0.24, -0.48), (-0.2, -0.48), (-0.24, -0.04)]);
            five.extend(curve(0.0, 0.18, 0.28, 0.3, -52.0, 240.0));
            vec![five]
        }
        b'6' => vec![
            curve(0.0, 0.2, 0.27, 0.28, 0.0, 360.0),
            line(&[(0.16, -0.48), (-0.07, -0.29), (-0.21, -0.04), (-0.27, 0.2)]),
        ],
        b'7' => vec![line(&[(-0.28, -0.48), (0.28, -0.48), (-0.08, 0.48)])],
        b'8' => vec![
            curve(0.0, -0.25, 0.22, 0.23, 0.0, 360.0),
            curve(0.0, 0.23, 0.28, 0.25, 0.0, 360.0),
        ],
        _ => vec![
            curve(0.0, -0.2, 0.27, 0.28, 0.0, 360.0),
            line(&[(-0.16, 0.48), (0.07, 0.29), (0.21, 0.04), (0.27, -0.2)]),
        ],
    }
}
