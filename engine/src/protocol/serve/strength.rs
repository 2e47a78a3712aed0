//! How much a thought may look at.

use adamant_rules::TimeControl;

use crate::protocol::messages::{ClockLine, Limits};

/// Moves that a search evaluates in a millisecond on a slow machine. Time is counted in them, so
/// that a thought does not depend on the machine.
const NODES_PER_MS: u64 = 30;

/// The share of the time left that one move may use.
const MOVES_TO_GO: u64 = 40;

/// Returns the number of moves to evaluate at the most.
pub(super) fn nodes(most: u64, limits: Limits, clock: Option<&ClockLine>, to_move: usize) -> u64 {
    let by_clock = clock.filter(|_| limits.clock).and_then(|clock| share_ms(clock, to_move));
    let times = [limits.movetime_ms, by_clock].into_iter().flatten();
    let by_time = times.min().map(|ms| ms.saturating_mul(NODES_PER_MS));
    let nodes = limits.nodes.unwrap_or(most);
    by_time.map_or(nodes, |by_time| nodes.min(by_time)).max(1)
}

/// Returns the time for this move.
fn share_ms(clock: &ClockLine, to_move: usize) -> Option<u64> {
    let left = clock.left_ms.get(to_move).copied()?;
    let share = match clock.control {
        TimeControl::None => return None,
        TimeControl::Fischer { inc_ms, .. } => left / MOVES_TO_GO + inc_ms / 2,
        TimeControl::PerMove { .. } | TimeControl::Days { .. } => left / 2,
        TimeControl::Byoyomi { periods, period_ms, .. } => {
            let main = left.saturating_sub(u64::from(periods) * period_ms);
            main / MOVES_TO_GO + period_ms.min(left) / 2
        }
    };
    Some(share.min(left / 2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::messages::ToEngine;

    #[test]
    fn a_thought_keeps_to_the_narrowest_limit() {
        let clock = |line: &str| match line.parse() {
            Ok(ToEngine::Clock(clock)) => clock,
            other => panic!("{line}: {other:?}"),
        };
        let fischer = clock("clock fischer left 40000 2000 base 60000 inc 100");
        let byoyomi = clock("clock byoyomi left 10000 20000 base 0 periods 2 period 10000");
        let untimed = clock("clock none");
        let by_clock = Limits { clock: true, ..Limits::default() };
        for (limits, clock, seat, nodes_wanted) in [
            (Limits::default(), &fischer, 0, 1_000_000),
            (by_clock, &fischer, 0, 1_050 * NODES_PER_MS),
            (by_clock, &fischer, 1, 100 * NODES_PER_MS),
            (by_clock, &byoyomi, 0, 5_000 * NODES_PER_MS),
            (by_clock, &untimed, 0, 1_000_000),
            (Limits { movetime_ms: Some(10), ..by_clock }, &fischer, 0, 10 * NODES_PER_MS),
            (Limits { nodes: Some(77), ..by_clock }, &fischer, 0, 77),
            (Limits { movetime_ms: Some(0), ..by_clock }, &untimed, 0, 1),
        ] {
            assert_eq!(nodes(1_000_000, limits, Some(clock), seat), nodes_wanted, "{limits:?}");
        }
    }
}
