//! Who wins small boards, by opening.

use adamant_rules::{Kind, Options, Position};

use super::{
    super::{Limits, Opening, SCORE_MAX, Search, Settings, Stop},
    board::Board,
    lattice::Lattice,
    perfect::SIZES,
    position::SMALL_LATTICES,
    proof::{Outcome, Proof},
};

/// The sizes on which the search proves openings, too. On others a proof without regions does.
const SEARCHED: std::ops::RangeInclusive<u8> = 3..=4;

/// The table of a proof of an opening has 2 to the power of this many positions.
const OPENING_BITS: u32 = 22;

/// Solves the board of a size in [`SIZES`], opening by opening; each is told as soon as it is known,
/// with the number of those that follow. Returns `false` for another size.
pub(in super::super) fn solve(
    size: u8,
    check: bool,
    on_opening: &mut dyn FnMut(&Opening, usize),
) -> bool {
    let Some(open) = position(size) else { return false };
    let lattice = SMALL_LATTICES[usize::from(size)].get_or_init(|| Lattice::new(size));
    let Some(board) = Board::from_rules(lattice, &open) else { return false };
    let openings = openings(lattice);
    for (left, (number, alike)) in (0..openings.len()).rev().zip(openings) {
        let placement = lattice.placement(&[number]);
        let mut after = board;
        after.play(lattice, placement);
        let mut proof = Proof::new(lattice, after, OPENING_BITS);
        let wins = proof.go_on(u64::MAX).map(|outcome| outcome == Outcome::Loss);
        let text = lattice.text(placement);
        let proven = if !check {
            None
        } else if SEARCHED.contains(&size) {
            search_proves(&open, &text)
        } else {
            let mut proof = Proof::new(lattice, after, OPENING_BITS).without_regions();
            proof.go_on(u64::MAX).map(|outcome| outcome == Outcome::Loss)
        };
        let (nodes, agrees) = (proof.positions(), proven.map(|proven| Some(proven) == wins));
        on_opening(&Opening { text, alike, wins, plies: None, nodes, agrees }, left);
    }
    true
}

/// The empty board of a size.
fn position(size: u8) -> Option<Position> {
    let options = Options::parse(&format!("-size={size}"), Kind::Stymie.option_specs()).ok()?;
    SIZES.contains(&size).then(|| Kind::Stymie.open(&options, 2).ok()).flatten()
}

/// The openings without reflections of those before, each with how many it stands for.
fn openings<const W: usize>(lattice: &Lattice<W>) -> Vec<(u16, usize)> {
    let last = 2 * lattice.size - 2;
    let mut found: Vec<((u8, u8), u16, usize)> = Vec::new();
    for (cell, &(column, row)) in (0..).zip(&lattice.places) {
        let place = (column.min(last - column), row.min(last - row));
        match found.iter_mut().find(|(known, ..)| *known == place) {
            Some((.., alike)) => *alike += 1,
            None => found.push((place, cell, 1)),
        }
    }
    found.into_iter().map(|(_, cell, alike)| (cell, alike)).collect()
}

/// Whether the search proves that an opening wins; none without a proof.
fn search_proves(open: &Position, opening: &str) -> Option<bool> {
    let mut after = open.clone();
    after.apply(&open.parse_move(opening).ok()?);
    let limits = Limits { nodes: Some(Opening::CHECK_NODES), ..Limits::default() };
    let settings = Settings { uses_tables: false, ..Settings::default() };
    let search = Search::new(&after, &[], limits).with(settings);
    let report = search.run(&Stop::default(), &mut |_| {});
    report.exact.then_some(report.value == -SCORE_MAX)
}
