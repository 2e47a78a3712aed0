//! Moves and how they are written. Whether a move is legal is not decided here.

use std::fmt;

use arrayvec::ArrayVec;

use super::{
    board::{Hexagon, PIECES_MAX, SIZE_MAX, Spot},
    violation::{CELL_SHAPE, RuleViolation, SHAPE},
};
use crate::{
    cell::{Cell, CellName},
    game::Mark,
    notation::{Notation, write_number},
    refusal::IllegalMove,
};

/// Maximum number of parts of a move: the cells that a stack sees from the middle of the largest
/// board.
pub(super) const PARTS_MAX: usize = 6 * (SIZE_MAX as usize - 1);

/// Bytes of a written move, at the most: well above the longest that can be legal.
const NOTATION_BYTES_MAX: usize = 512;

/// Pieces that leave one source or reach one destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Part {
    pub(super) spot: Spot,
    pub(super) pieces: u8,
}

/// The parts of one move.
pub(super) type Parts = ArrayVec<Part, PARTS_MAX>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Path {
    /// From one stack to one cell or several.
    Split {
        from: Spot,
        /// The cells, with what arrives there.
        to: Parts,
    },
    /// From several stacks to one cell.
    Merge {
        /// The stacks, with what leaves them.
        from: Parts,
        to: Spot,
    },
}

/// A move, legal or not, in canonical form: cells ascending, except for the parts of a split where
/// captures are progressive and their order decides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    hexagon: Hexagon,
    path: Path,
}

impl Move {
    /// A move whose parts are in canonical order already.
    pub(super) const fn new(hexagon: Hexagon, path: Path) -> Self {
        Self { hexagon, path }
    }

    /// The board that its cells are of.
    pub(super) const fn hexagon(&self) -> Hexagon {
        self.hexagon
    }

    pub(super) const fn path(&self) -> &Path {
        &self.path
    }

    /// The cells that it takes pieces from and those that it puts pieces on.
    pub(super) fn affected_cells(&self) -> Vec<(Cell, Mark)> {
        let (one, parts, one_mark, parts_mark) = match &self.path {
            Path::Split { from, to } => (from, to, Mark::From, Mark::To),
            Path::Merge { from, to } => (to, from, Mark::To, Mark::From),
        };
        let parts = parts.iter().map(|part| (part.spot.into(), parts_mark));
        std::iter::once(((*one).into(), one_mark)).chain(parts).collect()
    }

    /// Reads a move. The parts of a split stay as written if `keep_order`.
    pub(super) fn parse(
        text: &str,
        hexagon: Hexagon,
        keep_order: bool,
    ) -> Result<Self, IllegalMove> {
        let text = text.trim();
        if text.len() > NOTATION_BYTES_MAX {
            return Err(IllegalMove::TOO_LONG);
        }
        let (from, to) = text.split_once('-').ok_or(IllegalMove::Unreadable { why: SHAPE })?;
        let (from, to) = (read_side(from, hexagon)?, read_side(to, hexagon)?);
        let mut path = join(hexagon, &from, &to)?;
        path.check_cells(hexagon)?;
        match &mut path {
            Path::Split { .. } if keep_order => {}
            Path::Split { to: parts, .. } | Path::Merge { from: parts, .. } => {
                parts.sort_unstable_by_key(|part| part.spot);
            }
        }
        Ok(Self { hexagon, path })
    }
}

impl Path {
    /// Refuses a cell that is named twice, on one side or on both.
    fn check_cells(&self, hexagon: Hexagon) -> Result<(), RuleViolation> {
        let (one, parts) = match self {
            Self::Split { from, to } => (*from, to),
            Self::Merge { from, to } => (*to, from),
        };
        for (index, part) in parts.iter().enumerate() {
            if part.spot == one {
                return Err(RuleViolation::StaysInPlace { cell: hexagon.name(one) });
            }
            if parts[..index].iter().any(|earlier| earlier.spot == part.spot) {
                return Err(RuleViolation::CellTwice { cell: hexagon.name(part.spot) });
            }
        }
        Ok(())
    }
}

impl Notation for Move {
    fn write_to(&self, text: &mut impl fmt::Write) -> fmt::Result {
        let hexagon = self.hexagon;
        match &self.path {
            Path::Split { from, to } => {
                if let [part] = to.as_slice() {
                    write_count(text, part.pieces)?;
                    hexagon.write_name(text, *from)?;
                    text.write_char('-')?;
                    hexagon.write_name(text, part.spot)
                } else {
                    hexagon.write_name(text, *from)?;
                    text.write_char('-')?;
                    write_parts(text, to, hexagon)
                }
            }
            Path::Merge { from, to } => {
                write_parts(text, from, hexagon)?;
                text.write_char('-')?;
                hexagon.write_name(text, *to)
            }
        }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_to(f)
    }
}

fn write_count(text: &mut impl fmt::Write, pieces: u8) -> fmt::Result {
    if pieces == 1 {
        return Ok(());
    }
    write_number(text, pieces)?;
    text.write_char('x')
}

fn write_parts(text: &mut impl fmt::Write, parts: &[Part], hexagon: Hexagon) -> fmt::Result {
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            text.write_char(',')?;
        }
        write_count(text, part.pieces)?;
        hexagon.write_name(text, part.spot)?;
    }
    Ok(())
}

/// A part as written, where a count may be missing.
#[derive(Clone, Copy)]
struct ParsedPart {
    spot: Spot,
    count: Option<u8>,
}

impl From<&ParsedPart> for Part {
    fn from(parsed: &ParsedPart) -> Self {
        Self { spot: parsed.spot, pieces: parsed.count.unwrap_or(1) }
    }
}

fn read_side(text: &str, hexagon: Hexagon) -> Result<ArrayVec<ParsedPart, PARTS_MAX>, IllegalMove> {
    let mut parts = ArrayVec::new();
    for part in text.split(',') {
        let part = read_part(part, hexagon)?;
        parts.try_push(part).map_err(|_| RuleViolation::TooManyParts { max: PARTS_MAX })?;
    }
    Ok(parts)
}

fn read_part(text: &str, hexagon: Hexagon) -> Result<ParsedPart, IllegalMove> {
    let unreadable = IllegalMove::Unreadable { why: CELL_SHAPE };
    let (digits, rest) = text.split_at(leading_digits(text));
    let name = if digits.is_empty() {
        rest
    } else {
        rest.strip_prefix(['x', 'X']).ok_or(unreadable.clone())?
    };
    let number = name.strip_prefix(|letter: char| letter.is_ascii_alphabetic());
    if !number.is_some_and(|n| !n.is_empty() && leading_digits(n) == n.len()) {
        return Err(unreadable);
    }
    let spot = hexagon
        .find(name)
        .ok_or_else(|| IllegalMove::NoSuchCell { name: CellName::as_written(name) })?;
    let count = match digits {
        "" => None,
        _ => Some(read_count(digits, || hexagon.name(spot))?),
    };
    Ok(ParsedPart { spot, count })
}

fn leading_digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

fn read_count(digits: &str, cell: impl Fn() -> CellName) -> Result<u8, RuleViolation> {
    let count = digits
        .bytes()
        .try_fold(0_u8, |count, digit| count.checked_mul(10)?.checked_add(digit - b'0'))
        .filter(|&count| count <= PIECES_MAX)
        .ok_or_else(|| RuleViolation::CountTooGreat { cell: cell(), max: PIECES_MAX })?;
    if count == 0 { Err(RuleViolation::CountOfZero { cell: cell() }) } else { Ok(count) }
}

/// Decides between split and merge, and refuses counts where they mean nothing.
fn join(hexagon: Hexagon, from: &[ParsedPart], to: &[ParsedPart]) -> Result<Path, RuleViolation> {
    match (from, to) {
        ([source], [destination]) => {
            if source.count.is_some() && destination.count.is_some() {
                return Err(RuleViolation::CountOnBothSides);
            }
            let pieces = source.count.or(destination.count).unwrap_or(1);
            let part = Part { spot: destination.spot, pieces };
            Ok(Path::Split { from: source.spot, to: Parts::from_iter([part]) })
        }
        ([source], destinations) => {
            if source.count.is_some() {
                return Err(RuleViolation::CountOnSplitSource { cell: hexagon.name(source.spot) });
            }
            let to = destinations.iter().map(Part::from).collect();
            Ok(Path::Split { from: source.spot, to })
        }
        (sources, [destination]) => {
            if destination.count.is_some() {
                let cell = hexagon.name(destination.spot);
                return Err(RuleViolation::CountOnMergeDestination { cell });
            }
            let from = sources.iter().map(Part::from).collect();
            Ok(Path::Merge { from, to: destination.spot })
        }
        _ => Err(RuleViolation::SeveralToSeveral),
    }
}
