//! The hunt for a last piece: a search for moves after which it is lost whatever it does.
//!
//! The hunter's moves are tried in the order of how few safe moves they leave, and the replies are
//! all that do not lose at once. So whatever is found is proven.

use std::collections::HashMap;

use super::{
    super::{Control, Line, SCORE_MAX},
    board::{Board, Move, Part, number},
    moves::{Chance, Choice},
    value::refuges,
};

/// How many moves of the hunter a hunt looks ahead at the most.
const DEPTH_MAX: u32 = 8;

/// Moves of the hunter that are looked at, and how many of them are followed further.
const LOOKED_AT: usize = 3_000;
const FOLLOWED: usize = 24;

/// Safe moves that a move may leave which is followed.
const REFUGES_MAX: u32 = 6;

/// Nodes of a hunt at the most.
const NODES_MAX: u64 = 1_000_000;

/// Its share of the nodes and the time of a thought.
const SHARE: u32 = 2;

/// The hunt may go on no longer.
struct Over;

struct Hunt<'h, 'c> {
    control: &'h mut Control<'c>,
    /// The hashes of the game so far, in order.
    seen: &'h [u64],
    /// How far ahead positions were searched without a win, and those that are won.
    known: HashMap<u64, (u32, bool)>,
    chance: &'h mut Chance,
    nodes_max: u64,
}

/// Looks for a win of the seat to move if the other one has its last piece.
pub(super) fn hunt<const W: usize>(
    board: &Board<W>,
    seen: &[u64],
    chance: &mut Chance,
    control: &mut Control<'_>,
) -> Option<Line> {
    let me = board.seat();
    if board.pieces(1 - me) != 1 || board.pieces(me) < 2 || board.opening {
        return None;
    }
    let nodes = control.limits().nodes.map_or(NODES_MAX, |most| most / u64::from(SHARE));
    let nodes_max = nodes.min(NODES_MAX);
    let mut hunt = Hunt { control, seen, known: HashMap::new(), chance, nodes_max };
    for depth in 1..=DEPTH_MAX {
        if let Some(mv) = hunt.attack(board, depth).ok()? {
            let distance = Some(2 * depth + 1);
            let moves = vec![board.text(mv)];
            return Some(Line { moves, value: SCORE_MAX, exact: true, distance });
        }
    }
    None
}

impl Hunt<'_, '_> {
    fn count(&mut self) -> Result<(), Over> {
        let is_over = self.control.node() || self.control.nodes() >= self.nodes_max;
        let share = |time| self.control.spent() >= time / SHARE;
        let is_late = || self.control.limits().time.is_some_and(share);
        if is_over || self.control.nodes().is_multiple_of(256) && is_late() {
            Err(Over)
        } else {
            Ok(())
        }
    }

    /// A move that wins within so many moves of the hunter before the capture.
    fn attack<const W: usize>(
        &mut self,
        board: &Board<W>,
        depth: u32,
    ) -> Result<Option<Move>, Over> {
        let choice = Choice::new(board);
        let mut moves = Vec::new();
        if choice.count(LOOKED_AT as u64).is_some() {
            choice.all(&mut moves);
        } else {
            choice.sample(LOOKED_AT, self.chance, &mut moves);
        }
        let mut tries = Vec::new();
        for mv in moves {
            self.count()?;
            let mut after = *board;
            after.play(mv);
            if self.seen.binary_search(&after.hash()).is_ok() {
                continue;
            }
            let refuges = refuges(&after, after.seat()).len();
            if refuges == 0 {
                return Ok(Some(mv));
            }
            if refuges <= REFUGES_MAX {
                tries.push((refuges, mv));
            }
        }
        if depth == 1 {
            return Ok(None);
        }
        tries.sort_by_key(|&(refuges, _)| refuges);
        for (_, mv) in tries.into_iter().take(FOLLOWED) {
            let mut after = *board;
            after.play(mv);
            if self.is_lost(&after, depth - 1)? {
                return Ok(Some(mv));
            }
        }
        Ok(None)
    }

    /// Whether the last piece is lost within so many moves of the hunter before the capture.
    fn is_lost<const W: usize>(&mut self, board: &Board<W>, depth: u32) -> Result<bool, Over> {
        let hash = board.hash();
        if let Some(&(searched, is_lost)) = self.known.get(&hash)
            && (is_lost || searched >= depth)
        {
            return Ok(is_lost);
        }
        let seat = board.seat();
        let Some(piece) = board.stacks(seat).first() else { return Ok(true) };
        let mut is_lost = true;
        for refuge in refuges(board, seat) {
            let mut after = *board;
            after.play(Move::split(piece, &[Part { cell: number(refuge), pieces: 1 }]));
            let goes_on = after.end().is_none()
                && after.pieces(1 - seat) > 1
                && self.seen.binary_search(&after.hash()).is_err();
            if !goes_on || self.attack(&after, depth)?.is_none() {
                is_lost = false;
                break;
            }
        }
        self.known.insert(hash, (depth, is_lost));
        Ok(is_lost)
    }
}
