//! A thought that the host has asked for, between the thread that hears lines and the one that
//! thinks.

use std::{
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::{Duration, Instant},
};

use adamant_rules::TimeControl;

use super::messages::{ClockLine, Limits, LineError, ToEngine};
use crate::search::{self, Report, Stop, now};

/// How long a search that is due may take to end, before it is answered with what it has found so
/// far: on a busy machine a thread that sleeps goes on sooner than one that searches.
const GRACE: Duration = Duration::from_millis(1);

/// What the thread that thinks gets to know, in order.
#[derive(Debug)]
pub(super) enum Heard {
    /// A line that is not about a thought.
    Line(Result<ToEngine, LineError>),
    /// `go` or `ponder`.
    Thought(Arc<Thought>),
}

/// What the host has said since.
#[derive(Debug, Default)]
struct State {
    /// The seat that thinks, once it does.
    seat: Option<usize>,
    /// How long the thought had gone on at `ponderhit`, and the clock then.
    hit: Option<(Duration, Option<ClockLine>)>,
    /// Whether the answer is due.
    is_stopped: bool,
    /// Whether no more lines come.
    is_abandoned: bool,
    /// When the search is to have ended, as far as that is known.
    due: Option<Instant>,
    /// What the search has found since anybody looked.
    found: Vec<Report>,
    /// How often it has found anything.
    reports: u32,
    /// Whether it has ended.
    is_over: bool,
}

impl State {
    /// Makes the search due, unless it is due before.
    fn is_due_at(&mut self, at: Instant) {
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }
}

#[derive(Debug)]
pub(super) struct Thought {
    /// What bounds it, in the host's words.
    pub(super) asked: Limits,
    /// The clock when it began.
    clock: Option<ClockLine>,
    /// Whether it is about a move that is only expected.
    is_pondering: bool,
    /// When the host's line was read.
    pub(super) begun: Instant,
    /// Ends it.
    pub(super) stop: Stop,
    state: Mutex<State>,
    changed: Condvar,
}

impl Thought {
    /// Takes note that a seat begins to think.
    pub(super) fn begin(&self, seat: usize) {
        self.update(|state| state.seat = Some(seat));
    }

    /// Ends the search when it has gone on for this time.
    fn end_at(&self, state: &mut State, time: Duration) {
        self.stop.after(time);
        state.is_due_at(now().max(self.begun + time));
    }

    /// Takes note of when the search is to end by itself.
    pub(super) fn ends_after(&self, time: Option<Duration>) {
        if let Some(time) = time {
            self.update(|state| state.is_due_at(self.begun + time));
        }
    }

    /// Takes note of what the search has found so far.
    pub(super) fn found(&self, report: &Report) {
        self.update(|state| {
            state.found.push(report.clone());
            state.reports += 1;
        });
    }

    /// Takes note of the end of the search.
    pub(super) fn is_over(&self, report: Report) {
        self.update(|state| {
            state.found.push(report);
            state.reports += 1;
            state.is_over = true;
        });
    }

    /// Waits for what the search finds. Returns it, and whether the answer waits for no more: the
    /// search has ended, or has found something and does not end in time.
    pub(super) fn next_found(&self) -> (Vec<Report>, bool) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let due = state.due.filter(|_| state.reports > 0).map(|due| due + GRACE);
            let left = due.map(|due| due.saturating_duration_since(now()));
            let is_last = state.is_over || left == Some(Duration::ZERO);
            if is_last || !state.found.is_empty() {
                return (std::mem::take(&mut state.found), is_last);
            }
            state = match left {
                Some(left) => {
                    let woken = self.changed.wait_timeout(state, left);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// Changes the state, and ends the thought if that says so.
    fn update(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut state);
        if state.is_stopped {
            self.end_at(&mut state, Duration::ZERO);
        }
        if let State { hit: Some((at, clock)), seat: Some(seat), .. } = &*state {
            // The time before the hit counts, so that the answer can be due at once.
            let times = Times::of(self.asked, clock.as_ref(), *seat);
            if let Some(time) = times.soft.or(times.hard) {
                let time = time.max(*at);
                self.end_at(&mut state, time);
            } else if self.asked.clock && !self.asked.infinite {
                self.end_at(&mut state, Duration::ZERO);
            }
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Waits until the host wants the answer. Returns whether it does: no more lines may come.
    pub(super) fn is_released(&self) -> bool {
        let wants = |state: &State| {
            let is_hit = state.hit.is_some() || !self.is_pondering;
            state.is_stopped || is_hit && !self.asked.infinite
        };
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let goes_on = |state: &mut State| !state.is_abandoned && !wants(state);
        let state = self.changed.wait_while(state, goes_on);
        wants(&state.unwrap_or_else(PoisonError::into_inner))
    }

    /// The clock at `ponderhit`, or else when the thought began.
    pub(super) fn last_clock(&self) -> Option<ClockLine> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.hit.as_ref().map_or_else(|| self.clock.clone(), |(_, clock)| clock.clone())
    }

    /// What bounds the search. `most` nodes are the engine's own limit; `usual` nodes bound a
    /// thought that nothing else does.
    pub(super) fn limits(&self, most: Option<u64>, usual: u64, seat: usize) -> search::Limits {
        let Limits { nodes, depth, infinite, .. } = self.asked;
        let nodes = nodes.into_iter().chain(most).min();
        // While it ponders, times count from the hit on.
        let times = if self.is_pondering {
            Times::default()
        } else {
            Times::of(self.asked, self.clock.as_ref(), seat)
        };
        let is_timed = times.hard.is_some() || self.is_pondering && self.asked.has_time();
        let is_bounded = is_timed || depth.is_some() || infinite;
        let nodes = nodes.or((!is_bounded).then_some(usual));
        search::Limits { nodes, depth, time: times.hard, soft_time: times.soft }
    }
}

/// Hears the lines about thoughts, and sorts them out for the thread that thinks.
#[derive(Debug, Default)]
pub(super) struct Listener {
    clock: Option<ClockLine>,
    last: Option<Arc<Thought>>,
}

impl Listener {
    /// Returns what the other thread must know of a line.
    pub(super) fn hear(&mut self, line: Result<ToEngine, LineError>) -> Option<Heard> {
        match line {
            Ok(ToEngine::Clock(clock)) => {
                self.clock = Some(clock);
                None
            }
            Ok(ToEngine::Go(limits)) => Some(self.begin(limits, false)),
            Ok(ToEngine::Ponder(limits)) => Some(self.begin(limits, true)),
            Ok(ToEngine::PonderHit) => {
                if let Some(thought) = &self.last {
                    let at = now().saturating_duration_since(thought.begun);
                    let clock = self.clock.clone();
                    thought.update(|state| state.hit = Some((at, clock)));
                }
                None
            }
            Ok(ToEngine::Stop) => {
                self.stop();
                None
            }
            Ok(ToEngine::NewGame(new_game)) => {
                self.clock = None;
                Some(Heard::Line(Ok(ToEngine::NewGame(new_game))))
            }
            line => Some(Heard::Line(line)),
        }
    }

    fn begin(&mut self, limits: Limits, is_pondering: bool) -> Heard {
        let thought = Arc::new(Thought {
            asked: limits,
            clock: self.clock.clone(),
            is_pondering,
            begun: now(),
            stop: Stop::default(),
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        self.last = Some(Arc::clone(&thought));
        Heard::Thought(thought)
    }

    /// Ends the last thought, as `stop` does.
    pub(super) fn stop(&self) {
        if let Some(thought) = &self.last {
            thought.update(|state| state.is_stopped = true);
        }
    }

    /// Takes note that no more lines come. This ends what would otherwise go on for ever, and what
    /// nobody waits for after `quit`.
    pub(super) fn end(&self, quits: bool) {
        if let Some(thought) = &self.last {
            thought.update(|state| {
                state.is_abandoned = true;
                let waits = thought.is_pondering && state.hit.is_none();
                if quits || waits || thought.asked.infinite {
                    thought.end_at(state, Duration::ZERO);
                }
            });
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Times {
    /// The time at which it ends.
    hard: Option<Duration>,
    /// The time after which nothing long is begun.
    soft: Option<Duration>,
}

/// What of `go movetime` is kept for the way of the answer.
const ANSWER: Duration = Duration::from_millis(1);

impl Times {
    fn of(limits: Limits, clock: Option<&ClockLine>, seat: usize) -> Self {
        let share = clock.filter(|_| limits.clock).and_then(|clock| share_ms(clock, seat));
        let left = clock.and_then(|clock| clock.left_ms.get(seat)).copied().unwrap_or(0);
        let soft = share.map(Duration::from_millis);
        // A thought that has begun something may go on for as long again.
        let by_clock = share.map(|share| Duration::from_millis((share * 2).min(left / 2)));
        let by_move = limits.movetime_ms.map(|ms| {
            let time = Duration::from_millis(ms);
            time.saturating_sub(ANSWER.min(time / 4))
        });
        Self { hard: by_clock.into_iter().chain(by_move).min(), soft }
    }
}

/// Moves that a search of the frozen level evaluates in a millisecond on a slow machine. Time is
/// counted in them, so that a thought does not depend on the machine.
const NODES_PER_MS: u64 = 30;

/// The share of the time left that one move may use.
const MOVES_TO_GO: u64 = 40;

/// Returns the number of moves that a frozen level evaluates at the most.
pub(super) fn nodes_within(
    most: u64,
    limits: Limits,
    clock: Option<&ClockLine>,
    to_move: usize,
) -> u64 {
    let by_clock = clock.filter(|_| limits.clock).and_then(|clock| share_ms(clock, to_move));
    let times = [limits.movetime_ms, by_clock].into_iter().flatten();
    let by_time = times.min().map(|ms| ms.saturating_mul(NODES_PER_MS));
    let nodes = limits.nodes.unwrap_or(most);
    by_time.map_or(nodes, |by_time| nodes.min(by_time)).max(1)
}

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

    fn clock(line: &str) -> ClockLine {
        match line.parse() {
            Ok(ToEngine::Clock(clock)) => clock,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn a_thought_keeps_to_the_narrowest_limit() {
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
            assert_eq!(
                nodes_within(1_000_000, limits, Some(clock), seat),
                nodes_wanted,
                "{limits:?}"
            );
        }
    }

    #[test]
    fn a_search_has_the_shortest_time_and_the_fewest_nodes_of_all_limits() {
        let fischer = clock("clock fischer left 40000 2000 base 60000 inc 100");
        let by_clock = Limits { clock: true, ..Limits::default() };
        let ms = |ms: u64| Some(Duration::from_millis(ms));
        for (asked, most, nodes, hard, soft) in [
            (Limits::default(), None, Some(500), None, None),
            (Limits::default(), Some(70), Some(70), None, None),
            (Limits { infinite: true, ..Limits::default() }, None, None, None, None),
            (Limits { depth: Some(3), ..Limits::default() }, None, None, None, None),
            (by_clock, None, None, ms(2_100), ms(1_050)),
            (Limits { movetime_ms: Some(101), ..by_clock }, None, None, ms(100), ms(1_050)),
            (
                Limits { movetime_ms: Some(101), nodes: Some(9), ..Limits::default() },
                Some(70),
                Some(9),
                ms(100),
                None,
            ),
        ] {
            let mut listener = Listener { clock: Some(fischer.clone()), last: None };
            let Heard::Thought(thought) = listener.begin(asked, false) else { panic!() };
            let limits = thought.limits(most, 500, 0);
            let depth = asked.depth;
            let wanted = search::Limits { nodes, depth, time: hard, soft_time: soft };
            assert_eq!(limits, wanted, "{asked:?}");
        }
    }
}
