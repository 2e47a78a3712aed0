//! The points of the star by their numbers in `rules`, and what lies next to what.

use std::sync::LazyLock;

pub(super) const POINTS: usize = 121;

const COLUMNS: i16 = 25;
const ROWS: i16 = 17;
const MIDDLE_COLUMN: i16 = 12;
const MIDDLE_ROW: i16 = 8;

/// How far out the edge round a tip begins.
const TIP_BEGINS: i16 = 4;

const DIRECTIONS: [(i16, i16); 6] = [(-1, -1), (1, -1), (-2, 0), (2, 0), (-1, 1), (1, 1)];

/// A way over one point to the point beyond it, each a set of that one point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hop {
    pub(super) over: u128,
    pub(super) to: u128,
}

/// All that is asked about the board. A set of points is a number with a bit for each.
#[derive(Debug)]
pub(super) struct Star {
    pub(super) names: Vec<String>,
    pub(super) near: [u128; POINTS],
    pub(super) hops: Vec<Vec<Hop>>,
    /// The edges at the bottom and at the top, which two players connect.
    pub(super) edges: [u128; 2],
    /// Steps from point to point where nothing is in the way.
    pub(super) steps: Vec<[u8; POINTS]>,
}

/// The board.
pub(super) static STAR: LazyLock<Star> = LazyLock::new(Star::new);

/// Two large triangles lie on each other, one pointing up and one pointing down.
fn is_point(column: i16, row: i16) -> bool {
    let aside = (column - MIDDLE_COLUMN).abs();
    let up = row <= 12 && aside <= row;
    let down = row >= 4 && aside <= ROWS - 1 - row;
    (0..ROWS).contains(&row) && (column + row) % 2 == 0 && (up || down)
}

impl Star {
    fn new() -> Self {
        let row = |row: i16| (0..COLUMNS).map(move |column| (column, row));
        let places: Vec<(i16, i16)> =
            (0..ROWS).flat_map(row).filter(|&(column, row)| is_point(column, row)).collect();
        let at = |(column, row): (i16, i16)| {
            let found = places.iter().position(|&place| place == (column, row));
            found.map(|number| 1_u128 << number)
        };
        let mut star = Self {
            names: Vec::new(),
            near: [0; POINTS],
            hops: Vec::new(),
            edges: [0; 2],
            steps: Vec::new(),
        };
        for (number, &(column, row)) in places.iter().enumerate() {
            let letter = u8::try_from(column).map_or('?', |column| char::from(b'a' + column));
            star.names.push(format!("{letter}{}", row + 1));
            let mut hops = Vec::new();
            for (right, down) in DIRECTIONS {
                let Some(over) = at((column + right, row + down)) else { continue };
                star.near[number] |= over;
                if let Some(to) = at((column + 2 * right, row + 2 * down)) {
                    hops.push(Hop { over, to });
                }
            }
            star.hops.push(hops);
            let is_inside = star.near[number].count_ones() == 6;
            for (edge, height) in star.edges.iter_mut().zip([row - MIDDLE_ROW, MIDDLE_ROW - row]) {
                if height >= TIP_BEGINS && !is_inside {
                    *edge |= 1 << number;
                }
            }
            let steps = |&(to_column, to_row): &(i16, i16)| {
                let (aside, down) = ((column - to_column).abs(), (row - to_row).abs());
                u8::try_from(down + (aside - down).max(0) / 2).unwrap_or(u8::MAX)
            };
            let all: Vec<u8> = places.iter().map(steps).collect();
            star.steps.push(all.try_into().expect("there are 121 points"));
        }
        star
    }
}

/// The numbers of the points of a set, in order.
pub(super) fn points(mut set: u128) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let first = set.trailing_zeros();
            set &= set - 1;
            u8::try_from(first).expect("a set has 128 bits")
        })
    })
}
