//! Draws a position: the board, the last move on it, and the pieces. It knows no game and no colour;
//! `web/src/board/geometry.js` is the counterpart of its geometry.

use std::f64::consts::{FRAC_1_SQRT_2, PI, SQRT_2, TAU};

use adamant_rules::{
    Cell, Position,
    game::{CellShape, Layout, LayoutCell, LayoutEdge},
};

use super::shapes::{Colour, Drawing, Fill, Outline, Palette, PieceColours, Place, Shape, bounds};

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

/// The distance of neighbours, with room for rounding.
const NEIGHBOUR_MAX: f64 = 1.01;

/// The distance of a goal's middle from its cells, its extension at both ends, and its width.
const GOAL_DISTANCE: f64 = 0.66;
const GOAL_EXTENSION: f64 = 0.4;
const GOAL_WIDTH: f64 = 0.17;

/// The share of a common edge that belongs to the seat which begins there.
const MAIN_SHARE: f64 = 0.6;

/// The margin around the outermost places.
const CELL_MARGIN: f64 = 0.75;
const RING_MARGIN: f64 = 0.25;
const GOAL_MARGIN: f64 = 0.3;

/// The radius of a ring's hole, as a share of the distance of its sectors from the middle.
const RING_HOLE: f64 = 0.4;

/// The levels of a sector, if the layout names none.
const LEVELS_DEFAULT: u8 = 4;

/// Lines that stand for an arc of a sector.
const ARC_LINES: u32 = 8;

/// A strip along an edge of the board, in the colour of the seat whose goal it is.
#[derive(Debug)]
pub(super) struct Goal {
    pub seat: usize,
    pub width: f64,
    pub line: Vec<Place>,
}

#[derive(Debug)]
struct Ring {
    hole: f64,
    step: f64,
    half: f64,
    levels: u8,
}

#[derive(Debug)]
struct Geometry {
    middle: Place,
    ring: Option<Ring>,
    pub goals: Vec<Goal>,
    pub corner: Place,
    pub size: Place,
}

pub(super) const fn place_of(cell: &LayoutCell) -> Place {
    Place::new(cell.x, cell.y)
}

impl Geometry {
    pub(super) fn new(layout: &Layout) -> Self {
        let (low, high) = bounds(layout.cells.iter().map(place_of));
        let middle = low.plus(high).times(0.5);
        let ring = ring(layout, middle);
        let goals = goals(layout, middle);
        let (reach, margin) = match &ring {
            Some(ring) => (ring.hole + f64::from(ring.levels) * ring.step, RING_MARGIN),
            None => (0.0, CELL_MARGIN),
        };
        let margin = Place::new(margin, margin);
        let cells = [low.minus(margin), high.plus(margin)];
        let reach = Place::new(reach, reach).plus(margin);
        let ring_corners = [middle.minus(reach), middle.plus(reach)];
        let margin = Place::new(GOAL_MARGIN, GOAL_MARGIN);
        let line = goals.iter().flat_map(|goal| &goal.line);
        let around = line.flat_map(|place| [place.minus(margin), place.plus(margin)]);
        let corners = if ring.is_some() { ring_corners } else { cells };
        let (low, high) = bounds(corners.into_iter().chain(around));
        let (middle_of_all, size) = (low.plus(high).times(0.5), high.minus(low));
        // Pictures are square: they are shown beside each other.
        let length = size.x.max(size.y);
        let corner = middle_of_all.minus(Place::new(length / 2.0, length / 2.0));
        Self { middle, ring, goals, corner, size: Place::new(length, length) }
    }

    pub(super) fn outline(&self, cell: &LayoutCell) -> Outline {
        let at = place_of(cell);
        match cell.shape {
            CellShape::Hex => polygon(at, 6, 0.5 / (PI / 6.0).cos(), 0.0),
            CellShape::Octagon => polygon(at, 8, 0.5 / (PI / 8.0).cos(), 0.5),
            CellShape::Square => polygon(at, 4, FRAC_1_SQRT_2 * (SQRT_2 - 1.0), 0.0),
            CellShape::Point => Outline::Circle { at, radius: 0.5 },
            CellShape::Sector => self.wedge(at),
        }
    }

    fn wedge(&self, at: Place) -> Outline {
        let Some(Ring { hole, step, half, levels }) = &self.ring else {
            return Outline::Circle { at, radius: 0.5 };
        };
        let away = at.minus(self.middle);
        let towards = away.x.atan2(-away.y);
        let arc = |radius: f64| {
            (0..=ARC_LINES).map(move |line| {
                let share = f64::from(line) / f64::from(ARC_LINES) * 2.0 - 1.0;
                self.middle.plus(Place::polar(radius, towards + half * share))
            })
        };
        let outer = arc(hole + f64::from(*levels) * step);
        let inner: Vec<_> = arc(*hole).collect();
        Outline::Polygon(outer.chain(inner.into_iter().rev()).collect())
    }

    /// The circles between the levels of a ring.
    fn level_circles(&self) -> impl Iterator<Item = Outline> {
        let at = self.middle;
        self.ring.iter().flat_map(move |ring| {
            let radius = |level: u8| ring.hole + f64::from(level) * ring.step;
            (1..ring.levels).map(move |level| Outline::Circle { at, radius: radius(level) })
        })
    }

    /// Where a piece lies and its radius. The lowest piece of a stack has level 0.
    pub(super) fn piece(&self, cell: &LayoutCell, level: usize) -> (Place, f64) {
        let at = place_of(cell);
        let radius = match (cell.shape, &self.ring) {
            (CellShape::Sector, Some(Ring { hole, step, half, .. })) => {
                let level = u32::try_from(level).map_or(0.0, f64::from);
                let radius = (step * 0.44).min((hole + step * 0.5) * half.sin() * 0.9);
                let away = at.minus(self.middle).unit().times(hole + (level + 0.5) * step);
                return (self.middle.plus(away), radius);
            }
            (CellShape::Octagon | CellShape::Sector, _) => 0.37,
            (CellShape::Square, _) => 0.2,
            (CellShape::Point, _) => 0.39,
            (CellShape::Hex, _) => 0.36,
        };
        (at, radius)
    }
}

fn links(layout: &Layout) -> Vec<[Place; 2]> {
    let is_point = |cell: &&LayoutCell| cell.shape == CellShape::Point;
    let points: Vec<Place> = layout.cells.iter().filter(is_point).map(place_of).collect();
    let pairs = points
        .iter()
        .enumerate()
        .flat_map(|(index, &one)| points[index + 1..].iter().map(move |&other| [one, other]));
    pairs.filter(|[one, other]| one.minus(*other).length() <= NEIGHBOUR_MAX).collect()
}

fn polygon(at: Place, corners: u32, radius: f64, turn: f64) -> Outline {
    let corner = |index: u32| {
        at.plus(Place::polar(radius, (f64::from(index) + turn) * TAU / f64::from(corners)))
    };
    Outline::Polygon((0..corners).map(corner).collect())
}

fn ring(layout: &Layout, middle: Place) -> Option<Ring> {
    let is_sector = |cell: &&LayoutCell| cell.shape == CellShape::Sector;
    let first = layout.cells.iter().find(is_sector)?;
    let sectors = u32::try_from(layout.cells.iter().filter(is_sector).count()).ok()?;
    let radius = place_of(first).minus(middle).length();
    let levels = layout.levels.unwrap_or(LEVELS_DEFAULT);
    let hole = radius * RING_HOLE;
    let step = 2.0 * (radius - hole) / f64::from(levels);
    Some(Ring { hole, step, half: PI / f64::from(sectors), levels })
}

/// The goals along the edge. An edge that is the goal of several seats has a strip for each, that
/// of the seat which begins there the widest and outside.
fn goals(layout: &Layout, middle: Place) -> Vec<Goal> {
    let mut shared: Vec<(Vec<_>, Vec<&LayoutEdge>)> = Vec::new();
    for edge in &layout.edges {
        let mut key: Vec<Place> = layout
            .cells
            .iter()
            .filter(|cell| edge.cells.contains(&cell.cell))
            .map(place_of)
            .collect();
        key.sort_by(|one, other| one.x.total_cmp(&other.x).then(one.y.total_cmp(&other.y)));
        match shared.iter_mut().find(|(places, _)| *places == key) {
            Some((_, edges)) if edge.name == "home" => edges.insert(0, edge),
            Some((_, edges)) => edges.push(edge),
            None => shared.push((key, vec![edge])),
        }
    }
    shared.retain(|(places, _)| places.len() > 1);
    let strips = shared.into_iter().flat_map(|(places, edges)| {
        let others = u32::try_from(edges.len().saturating_sub(1)).map_or(0.0, f64::from);
        let mut outer = GOAL_DISTANCE + GOAL_WIDTH / 2.0;
        edges.into_iter().enumerate().map(move |(index, edge)| {
            let share = match (others > 0.0, index) {
                (false, _) => 1.0,
                (true, 0) => MAIN_SHARE,
                (true, _) => (1.0 - MAIN_SHARE) / others,
            };
            let width = GOAL_WIDTH * share;
            let line = offset_outwards(&places, middle, outer - width / 2.0);
            outer -= width;
            Goal { seat: edge.seat.index(), width, line }
        })
    });
    strips.collect()
}

/// A line through cells at the board's edge, moved outwards.
fn offset_outwards(places: &[Place], middle: Place, distance: f64) -> Vec<Place> {
    let sum = places.iter().fold(Place::new(0.0, 0.0), |sum, &place| sum.plus(place));
    let count = u32::try_from(places.len()).map_or(1.0, f64::from);
    let out = sum.times(1.0 / count).minus(middle).unit();
    let along = |place: &Place| place.y * out.x - place.x * out.y;
    let mut sorted = places.to_vec();
    sorted.sort_by(|one, other| along(one).total_cmp(&along(other)));
    let normals: Vec<Place> = sorted
        .windows(2)
        .map(|pair| {
            let step = pair[1].minus(pair[0]).unit();
            // In this order the outside is always on the same side.
            Place::new(step.y, -step.x)
        })
        .collect();
    let mut line: Vec<Place> = sorted
        .iter()
        .enumerate()
        .map(|(index, place)| {
            let next = normals.get(index).copied();
            let before = index.checked_sub(1).map(|before| normals[before]);
            let one = before.or(next).unwrap_or(out);
            let other = next.unwrap_or(one);
            let miter = 1.0 + one.x * other.x + one.y * other.y;
            place.plus(one.plus(other).times(distance / miter))
        })
        .collect();
    for _ in 0..2 {
        if let [first, second, ..] = line[..] {
            line[0] = first.plus(first.minus(second).unit().times(GOAL_EXTENSION));
        }
        line.reverse();
    }
    line
}
