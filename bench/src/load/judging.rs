//! What was to be reached, and whether a run has reached it. Whatever it has not measured is not
//! judged.

use super::{
    goal::Goal,
    report::{Of, Report},
    workload,
};

/// Memory after the last wave may be so much more than after the first.
const WAVES_GROWTH_MAX: f64 = 1.05;

/// How far from a straight line costs may be.
const LINEAR_MAX: f64 = 1.25;

/// How much slower a game may be among many.
const CROWD_MAX: f64 = 2.0;

const SERVER: &str = "adamant";
const RELAY: &str = "relay";

/// Every goal that something was measured for.
pub fn goals(report: &Report) -> Vec<Goal> {
    let parts = [costs(report), lines(report), memory(report), crowd(report), disk(report)];
    parts.into_iter().flatten().chain(recovery(report)).chain(unread(report)).collect()
}

fn own(workload: &str) -> Of<'_> {
    (workload, SERVER)
}

/// CPU time beside the relay's.
fn costs(report: &Report) -> Vec<Goal> {
    let beside = |workload: &str, baseline: &str| report.ratio(own(workload), (baseline, RELAY));
    let same = |workload: &str| beside(workload, workload);
    let moves = workload::moves(1_000);
    let mut goals: Vec<_> =
        Goal::new("W1 CPU per durable move", same(&moves), "x relay", (Some(1.3), Some(0.9)))
            .into_iter()
            .collect();
    goals.extend([1_000, 5_000].into_iter().filter_map(|spectators| {
        let what = format!("W2 CPU per delivery, {spectators} spectators");
        let ratio = same(&workload::fan_out(spectators));
        Goal::new(what, ratio, "x relay", (Some(0.75), Some(0.58)))
    }));
    for (what, workload) in [
        ("W4 accept + hello, by a token", workload::CONNECT_TOKEN),
        ("W4 accept + hello, as a new guest", workload::CONNECT_NEW),
    ] {
        let ratio = beside(workload, workload::CONNECT);
        goals.extend(Goal::new(what, ratio, "x relay", (Some(2.0), Some(1.3))));
    }
    goals
}

/// Whether costs grow with the work and no faster; beside it, whether the relay's do. What both do
/// is the machine's.
fn lines(report: &Report) -> Vec<Goal> {
    let rooms = [100, 1_000, 9_000].map(workload::moves);
    let moves = |program| {
        report.median_of_rounds(rooms.each_ref().map(|name| (name.as_str(), program)), |samples| {
            let costs = samples.map(|sample| sample.cost);
            let least = costs.into_iter().fold(f64::INFINITY, f64::min);
            (least > 0.0).then(|| costs.into_iter().fold(0.0, f64::max) / least)
        })
    };
    let sizes = [100, 1_000, 5_000].map(workload::fan_out);
    let deliveries = |program| {
        report.median_of_rounds(sizes.each_ref().map(|name| (name.as_str(), program)), |samples| {
            let [small, middle, large] = samples.map(|sample| sample.cost);
            // What one more spectator costs, from each size to the next.
            let lower = (middle * 1_000.0 - small * 100.0) / 900.0;
            let upper = (large * 5_000.0 - middle * 1_000.0) / 4_000.0;
            (lower > 0.0).then(|| upper / lower)
        })
    };
    let (limit, none) = ((Some(LINEAR_MAX), None), (None, None));
    let rows = [
        Goal::new("W1 100 to 9,000 rooms, largest / smallest cost", moves(SERVER), "x", limit),
        Goal::new("W1 the same, of the relay", moves(RELAY), "x", none),
        Goal::new("W2 one more spectator, beyond / below 1,000", deliveries(SERVER), "x", limit),
        Goal::new("W2 the same, of the relay", deliveries(RELAY), "x", none),
    ];
    rows.into_iter().flatten().collect()
}

fn memory(report: &Report) -> Vec<Goal> {
    let rows = [
        ("W3 memory of a socket", workload::SOCKET, "KiB", (Some(6.0), Some(3.5))),
        ("W3 memory of a live room", workload::LIVE_ROOM, "KiB", (Some(8.0), None)),
        ("W3 memory of a parked game", workload::PARKED_GAME, "bytes", (None, Some(200.0))),
    ];
    let measured =
        |prefix| report.workloads(prefix).into_iter().find_map(|of| report.cost(own(of)));
    rows.into_iter()
        .filter_map(|(what, prefix, unit, marks)| Goal::new(what, measured(prefix), unit, marks))
        .collect()
}

/// A game among many, and what they leave behind.
fn crowd(report: &Report) -> Vec<Goal> {
    let slower = |alone: &str, crowded: &str| {
        report.median_of_rounds([own(alone), own(crowded)], |[alone, crowded]| {
            Some(crowded.p99_us()? / alone.p99_us()?.max(1.0))
        })
    };
    let to_ack = slower(workload::ACK_ALONE, workload::ACK_CROWDED);
    let to_event = slower(workload::EVENT_ALONE, workload::EVENT_CROWDED);
    let (first, last) = (workload::memory_after(1), workload::memory_after(3));
    let growth = report.ratio(own(&last), own(&first));
    let kept = report.cost(own(workload::DESCRIPTORS_KEPT));
    let limit = (Some(CROWD_MAX), None);
    let rows = [
        Goal::new("W3 p99 move to ack, full / empty server", to_ack, "x", limit),
        Goal::new("W3 p99 move to event, full / empty server", to_event, "x", limit),
        Goal::new(
            "W3 memory, after three waves / one",
            growth,
            "x",
            (Some(WAVES_GROWTH_MAX), None),
        ),
        Goal::new(workload::DESCRIPTORS_KEPT, kept, "", (Some(0.0), None)),
    ];
    rows.into_iter().flatten().collect()
}

/// How long a move waits for the disk.
fn disk(report: &Report) -> Vec<Goal> {
    let mut goals = Vec::new();
    let paced = workload::paced(1_000);
    // A disk that is slow once in a hundred times is so for a move, too: on such a one the second
    // row says what is the server's part.
    for (flush, name) in [
        (workload::FLUSH, "W1 p99 at 1,000/s (2 flushes + 2, 1 ms)"),
        (workload::FLUSH_P99, "W1 p99 at 1,000/s (by the disk's own p99)"),
    ] {
        let Some(flush) = report.cost((flush, "disk")) else { continue };
        let limits = [2_000.0, 1_000.0].map(|more| Some(2.0 * flush + more));
        goals.extend(Goal::new(name, report.p99_us(own(&paced)), "us", limits.into()));
    }
    // In a closed loop everybody waits for everybody: that says what can be done, not how fast.
    let at_a_pace = |name: &&str| name.ends_with(workload::TO_ACK);
    for name in report.workloads(workload::SLOW_DISK).into_iter().filter(at_a_pace) {
        let flush = report.cost((workload::SLOW_FLUSH, "disk"));
        let p99 = report.p99_us(own(name)).zip(flush).map(|(p99, flush)| p99 / flush.max(1.0));
        goals.extend(Goal::new(format!("{name}: p99"), p99, "flushes", (Some(4.0), Some(3.0))));
    }
    goals
}

fn recovery(report: &Report) -> Vec<Goal> {
    let within = |games, limits| {
        let name = workload::recovery(games);
        Goal::new(name.clone(), report.cost(own(&name)), "s", limits)
    };
    let rows = [within(10_000, (Some(2.0), None)), within(100_000, (None, Some(5.0)))];
    rows.into_iter().flatten().collect()
}

/// What players notice of spectators, and whether those who do not read are let go.
fn unread(report: &Report) -> Vec<Goal> {
    let pair = [own(workload::UNWATCHED), own(workload::WATCHED)];
    let slower = report.median_of_rounds(pair, |[without, with]| {
        Some(with.p99_us()? / without.p99_us()?.max(1.0))
    });
    let none = (Some(0.0), None);
    let rows = [
        Goal::new("W7 p99 move to event, watched / not", slower, "x", (Some(CROWD_MAX), None)),
        Goal::new(workload::NOT_CUT_OFF, report.cost(own(workload::NOT_CUT_OFF)), "", none),
        Goal::new(workload::NOT_COUNTED, report.cost(own(workload::NOT_COUNTED)), "", none),
    ];
    rows.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::report::tests::sample;

    fn report(samples: &[(&str, &'static str, f64, u64)]) -> Report {
        let samples = samples
            .iter()
            .map(|&(workload, program, cost, p99_us)| sample(workload, program, 1, cost, p99_us));
        Report { samples: samples.collect(), ..Report::default() }
    }

    fn reached(report: &Report, what: &str) -> (f64, Option<bool>, Option<bool>) {
        let goals = goals(report);
        let goal = goals.iter().find(|goal| goal.what.starts_with(what));
        let goal = goal.unwrap_or_else(|| panic!("no {what} in {goals:?}"));
        (goal.reached, goal.first.map(|mark| mark.met), goal.then.map(|mark| mark.met))
    }

    #[test]
    fn what_was_not_measured_is_not_judged() {
        assert_eq!(goals(&Report::default()), []);
        let alone = report(&[("W1 moves, 1000 rooms", SERVER, 20.0, 1)]);
        assert_eq!(goals(&alone), []);
    }

    #[test]
    fn a_cost_is_judged_beside_the_relay() {
        let report = report(&[
            ("W1 moves, 1000 rooms", SERVER, 24.0, 1),
            ("W1 moves, 1000 rooms", RELAY, 20.0, 1),
            (workload::CONNECT_TOKEN, SERVER, 50.0, 1),
            (workload::CONNECT, SERVER, 1.0, 1),
            (workload::CONNECT, RELAY, 40.0, 1),
        ]);
        assert_eq!(reached(&report, "W1 CPU per durable move"), (1.2, Some(true), Some(false)));
        assert_eq!(reached(&report, "W4 accept + hello, by"), (1.25, Some(true), Some(true)));
    }

    #[test]
    fn a_line_is_judged_by_what_one_more_costs() {
        let costs = |large| {
            // 100 us a move and 5 us a delivery: the mean falls, the slope does not.
            let mean = |spectators: f64| 5.0 + 100.0 / spectators;
            report(&[
                ("W2 fan-out, 100 spectators", SERVER, mean(100.0), 1),
                ("W2 fan-out, 1000 spectators", SERVER, mean(1_000.0), 1),
                ("W2 fan-out, 5000 spectators", SERVER, mean(5_000.0) + large, 1),
            ])
        };
        let (straight, met, _) = reached(&costs(0.0), "W2 one more");
        assert!((straight - 1.0).abs() < 1e-9 && met == Some(true), "{straight}");
        let (bent, met, _) = reached(&costs(2.0), "W2 one more");
        assert!((bent - 1.5).abs() < 1e-9 && met == Some(false), "{bent}");
        let moves = report(&[
            ("W1 moves, 100 rooms", SERVER, 26.0, 1),
            ("W1 moves, 1000 rooms", SERVER, 20.0, 1),
            ("W1 moves, 9000 rooms", SERVER, 24.0, 1),
            ("W1 moves, 100 rooms", RELAY, 10.0, 1),
            ("W1 moves, 1000 rooms", RELAY, 12.0, 1),
            ("W1 moves, 9000 rooms", RELAY, 15.0, 1),
        ]);
        assert_eq!(reached(&moves, "W1 the same, of the relay"), (1.5, None, None));
        assert_eq!(reached(&moves, "W1 100 to 9,000"), (1.3, Some(false), None));
    }

    #[test]
    fn waiting_for_the_disk_is_counted_in_flushes() {
        let report = report(&[
            (workload::FLUSH, "disk", 50.0, 1),
            ("W1 paced 1000/s, move to ack", SERVER, 9.0, 1_500),
            (workload::SLOW_FLUSH, "disk", 5_000.0, 1),
            ("W1 slow disk, 10000/s, move to ack", SERVER, 9.0, 17_500),
        ]);
        assert_eq!(reached(&report, "W1 p99 at"), (1_500.0, Some(true), Some(false)));
        assert_eq!(reached(&report, "W1 slow disk, 10000"), (3.5, Some(true), Some(false)));
    }

    #[test]
    fn a_crowd_may_slow_a_game_but_not_much_and_leaves_nothing() {
        let report = report(&[
            (workload::EVENT_ALONE, SERVER, 9.0, 200),
            (workload::EVENT_CROWDED, SERVER, 9.0, 500),
            ("W3 memory after wave 1", SERVER, 100.0, 1),
            ("W3 memory after wave 3", SERVER, 104.0, 1),
            (workload::DESCRIPTORS_KEPT, SERVER, 1.0, 1),
            (workload::UNWATCHED, SERVER, 9.0, 100),
            (workload::WATCHED, SERVER, 9.0, 150),
        ]);
        assert_eq!(reached(&report, "W3 p99 move to event"), (2.5, Some(false), None));
        assert_eq!(reached(&report, "W3 memory, after"), (1.04, Some(true), None));
        assert_eq!(reached(&report, workload::DESCRIPTORS_KEPT), (1.0, Some(false), None));
        assert_eq!(reached(&report, "W7 p99"), (1.5, Some(true), None));
    }
}
