//! Where things lie on a board: outlines of cells, places of pieces, goals along the edge, lines
//! between points. It knows no game and no colour; `web/src/board/geometry.js` is its counterpart.

use std::f64::consts::{FRAC_1_SQRT_2, PI, SQRT_2, TAU};

use adamant_rules::game::{CellShape, Layout, LayoutCell, LayoutEdge};

use super::shapes::{Outline, Place};

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

/// A ring of sectors.
#[derive(Debug)]
struct Ring {
    hole: f64,
    /// The thickness of a level.
    step: f64,
    /// Half of a sector's angle.
    half: f64,
    levels: u8,
}

/// A board as places.
#[derive(Debug)]
pub(super) struct Geometry {
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

    /// The outline of a cell.
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
    pub(super) fn level_circles(&self) -> impl Iterator<Item = Outline> {
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

/// The lines between neighbouring points.
pub(super) fn links(layout: &Layout) -> Vec<[Place; 2]> {
    let is_point = |cell: &&LayoutCell| cell.shape == CellShape::Point;
    let points: Vec<Place> = layout.cells.iter().filter(is_point).map(place_of).collect();
    let pairs = points
        .iter()
        .enumerate()
        .flat_map(|(index, &one)| points[index + 1..].iter().map(move |&other| [one, other]));
    pairs.filter(|[one, other]| one.minus(*other).length() <= NEIGHBOUR_MAX).collect()
}

fn bounds(places: impl Iterator<Item = Place>) -> (Place, Place) {
    let none = (Place::new(f64::MAX, f64::MAX), Place::new(f64::MIN, f64::MIN));
    places.fold(none, |(low, high), place| {
        (
            Place::new(low.x.min(place.x), low.y.min(place.y)),
            Place::new(high.x.max(place.x), high.y.max(place.y)),
        )
    })
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
