//! Counts sequences of moves (perft). The last move of each is counted by arithmetic; those before
//! it are made one by one.

use adamant_rules::{Consequence, Position, game::MoveCount};

/// Maximum number of moves of a position that are made one by one: their list is held in memory.
const MOVES_LISTED_MAX: usize = 4_000_000;

/// Why sequences cannot be counted.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum CountError {
    /// The options of the game make counting meaningless.
    #[error("{0}")]
    NotCountable(&'static str),
    /// A position on the way has too many moves to make each.
    #[error(
        "a position on the way has {0} moves, and at most {MOVES_LISTED_MAX} can be made one by one"
    )]
    TooMany(u128),
    /// The number does not fit.
    #[error("there are more than {max} sequences", max = u128::MAX)]
    Overflow,
}

/// Counts the sequences of `depth` moves from a position. Calls `progress` after each first move,
/// with the number of first moves.
pub(super) fn perft(
    position: &Position,
    depth: u32,
    progress: &mut dyn FnMut(usize),
) -> Result<u128, CountError> {
    let count = match position.count_moves() {
        MoveCount::Exactly(count) => count,
        MoveCount::NotCounted(why) => return Err(CountError::NotCountable(why)),
    };
    if depth == 1 {
        return Ok(count);
    }
    if count > MOVES_LISTED_MAX as u128 {
        return Err(CountError::TooMany(count));
    }
    let moves = position.legal_moves(MOVES_LISTED_MAX);
    let mut total: u128 = 0;
    for play in &moves {
        let mut next = position.clone();
        next.apply(play);
        if apply_consequences(&mut next) {
            let below = perft(&next, depth - 1, &mut |_| {})?;
            total = total.checked_add(below).ok_or(CountError::Overflow)?;
        }
        progress(moves.len());
    }
    Ok(total)
}

/// Applies the consequences that the rules demand before the next move. Returns whether the game
/// goes on.
fn apply_consequences(position: &mut Position) -> bool {
    while let Some(consequence) = position.pending() {
        match consequence {
            Consequence::End { .. } => return false,
            Consequence::Remove(seat, _) => position.remove(seat),
            Consequence::Skip(_) => position.skip(),
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use adamant_rules::{Act, Table, record::TextRecord};

    use super::*;

    /// Makes every sequence at a table, which applies the consequences itself.
    fn one_by_one(table: &Table, depth: u32) -> u128 {
        let Some(seat) = table.to_move() else { return 0 };
        let moves = table.position().legal_moves(usize::MAX);
        if depth == 1 {
            return moves.len() as u128;
        }
        let below = moves.iter().map(|play| {
            let act =
                Act::Move { seat, turn: table.turn(), notation: &play.to_string(), lag_ms: 0 };
            let mut next = table.clone();
            for event in &table.decide(&act, 0).unwrap() {
                next.apply(event).unwrap();
            }
            one_by_one(&next, depth - 1)
        });
        below.sum()
    }

    #[test]
    fn perft_equals_the_count_of_every_sequence() {
        for challenge in [
            "adamas challenge -size=2 -pieces=2 ann bob",
            "adamas challenge -size=2 -pieces=2 ann bob cy",
            "adamas challenge -size=2 -pieces=3 ann bob",
        ] {
            let record = TextRecord::parse(challenge).unwrap();
            let begun = Table::begin(record.setup, 0).unwrap();
            let mut table = Table::new(&begun[0]).unwrap().without_repetition();
            table.apply(&begun[1]).unwrap();
            let mut firsts = 0;
            for depth in 1..=4 {
                let count = perft(table.position(), depth, &mut |_| firsts += 1);
                assert_eq!(count, Ok(one_by_one(&table, depth)), "{challenge}, depth {depth}");
            }
            let moves = table.position().legal_moves(usize::MAX).len();
            assert_eq!(firsts, 3 * moves, "progress is reported for each first move");
        }
    }
}
