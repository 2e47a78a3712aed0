//! Clocks and falling flags, by script at a table and as arithmetic by chance, and swaps, which move
//! them.

use adamant_rules::{
    Act, BySeat, EndReason, EventKind, GameClock, Kind, LeaveReason, Refusal, Seat, Table,
    TimeControl,
    clock::{
        ClockError, DAYS_MAX, INCREMENT_MS_MAX, LAG_PER_GAME_MS_MAX, LAG_PER_MOVE_MS_MAX,
        PERIOD_MS_MAX, PERIODS_MAX, THINKING_MS_MAX, THINKING_MS_MIN,
    },
    event::OfferKind,
    record::{self, TextRecord},
};
use proptest::prelude::*;

use super::{NOON, O, Script, X, Y, names, set, setup_of};

const FISCHER: TimeControl = TimeControl::Fischer { base_ms: 10_000, inc_ms: 2_000 };
const PER_MOVE: TimeControl = TimeControl::PerMove { move_ms: 5_000 };

fn left(script: &Script) -> Vec<u64> {
    script.table.clock().left_ms().expect("there are clocks").iter().copied().collect()
}

#[test]
fn the_first_clock_starts_with_the_game() {
    let script = Script::new(2, "", FISCHER);
    assert_eq!(script.table.clock().running(), Some((O, NOON)));
    assert_eq!(script.table.next_deadline(), Some(NOON + 10_000));
    assert_eq!(left(&script), [10_000, 10_000]);
}

#[test]
fn a_fischer_clock_is_charged_and_then_credited() {
    let mut script = Script::new(2, "", FISCHER);
    let kinds = script.wait(3_500).play("c1-c2");
    let EventKind::Moved { spent_ms, left_ms, .. } = &kinds[0] else { panic!("{kinds:?}") };
    assert_eq!(*spent_ms, 3_500);
    assert_eq!(left_ms, &BySeat::try_from_iter([8_500, 10_000]));
    assert_eq!(script.table.clock().running(), Some((X, NOON + 3_500)));
    assert_eq!(script.table.next_deadline(), Some(NOON + 13_500));
    assert_eq!(script.table.clock().left_at(X, NOON + 4_000), Some(9_500));
    assert_eq!(script.table.clock().left_at(O, NOON + 4_000), Some(8_500));
}

#[test]
fn a_clock_per_move_is_full_again_after_the_move() {
    let mut script = Script::new(2, "", PER_MOVE);
    script.wait(4_999).play("c1-c2");
    assert_eq!(left(&script), [5_000, 5_000]);
    assert_eq!(script.table.next_deadline(), Some(NOON + 9_999));
}

#[test]
fn without_clocks_nothing_is_ever_overdue() {
    let mut script = Script::without_clock(2, "");
    assert_eq!(script.table.next_deadline(), None);
    assert_eq!(script.table.overdue(u64::MAX), None);
    let kinds = script.wait(THINKING_MS_MAX * 10).play("c1-c2");
    let EventKind::Moved { spent_ms, left_ms, .. } = &kinds[0] else { panic!("{kinds:?}") };
    assert_eq!((*spent_ms, left_ms), (THINKING_MS_MAX * 10, &None));
}

#[test]
fn a_flag_falls_at_its_very_millisecond_and_not_before() {
    let mut script = Script::new(2, "", FISCHER);
    assert_eq!(script.table.overdue(NOON + 9_999), None);
    script.now = NOON + 10_000;
    assert_eq!(names(&script.overdue()), ["ended TimedOut seat 0"]);
    assert_eq!(script.result(), (set(&[X]), vec![2, 1], EndReason::TimedOut));
    assert_eq!(left(&script), [0, 10_000]);
    assert_eq!(script.table.last_at(), NOON + 10_000);
    assert_eq!(script.table.clock().running(), None);
    assert_eq!(script.table.next_deadline(), None);
    assert_eq!(script.table.overdue(u64::MAX), None);
    let late = Act::Move { seat: O, turn: 0, notation: "c1-c2", lag_ms: 0 };
    assert_eq!(script.refusal(&late), Refusal::GameOver);
}

#[test]
fn in_a_game_of_three_a_flag_takes_one_out_and_the_next_clock_starts() {
    let mut script = Script::new(3, "", FISCHER);
    script.wait(1_000).play("d1-d2");
    script.act(&Act::Offer { seat: O, what: OfferKind::Draw });
    // The first query comes long after the deadline: the flag falls then.
    script.wait(60_000);
    let kinds = script.overdue();
    assert_eq!(names(&kinds), ["removed seat 1 TimedOut", "closed Moved seat 1"]);
    assert_eq!(script.table.left_reason(X), Some(LeaveReason::TimedOut));
    assert_eq!(script.table.clock().running(), Some((Y, script.now)));
    assert_eq!(left(&script), [11_000, 0, 10_000]);
    assert_eq!(script.table.overdue(script.now), None);

    script.wait(10_000);
    let kinds = script.overdue();
    assert_eq!(names(&kinds), ["removed seat 2 TimedOut", "ended TimedOut seat 2"]);
    assert_eq!(script.result(), (set(&[O]), vec![1, 2, 2], EndReason::TimedOut));
    assert_eq!(script.table.clock().running(), None);
}

#[test]
fn leaving_out_of_turn_does_not_touch_the_running_clock() {
    let mut script = Script::new(3, "", FISCHER);
    script.wait(4_000).act(&Act::Resign { seat: Y });
    assert_eq!(script.table.clock().running(), Some((O, NOON)));
    script.wait(1_000).act(&Act::Resign { seat: O });
    assert_eq!(left(&script), [5_000, 10_000, 10_000]);
    assert_eq!(script.table.clock().running(), None);
}

#[test]
fn a_refused_move_leaves_the_clock_running() {
    let mut script = Script::new(2, "", FISCHER);
    script.wait(2_000);
    script.refusal(&script.move_act("c1-c9"));
    assert_eq!(script.table.clock().running(), Some((O, NOON)));
    assert_eq!(script.table.next_deadline(), Some(NOON + 10_000));
}

#[test]
fn time_controls_have_bounds() {
    let fischer = |base_ms, inc_ms| TimeControl::Fischer { base_ms, inc_ms }.check();
    let per_move = |move_ms| TimeControl::PerMove { move_ms }.check();
    assert_eq!(TimeControl::None.check(), Ok(()));
    assert_eq!(fischer(THINKING_MS_MIN, 0), Ok(()));
    assert_eq!(fischer(THINKING_MS_MAX, INCREMENT_MS_MAX), Ok(()));
    assert_eq!(per_move(THINKING_MS_MIN), Ok(()));
    assert_eq!(per_move(THINKING_MS_MAX), Ok(()));
    let thinking = |name| ClockError { name, min: THINKING_MS_MIN, max: THINKING_MS_MAX };
    let increment = ClockError { name: "inc_ms", min: 0, max: INCREMENT_MS_MAX };
    assert_eq!(fischer(THINKING_MS_MIN - 1, 0), Err(thinking("base_ms")));
    assert_eq!(fischer(THINKING_MS_MAX + 1, 0), Err(thinking("base_ms")));
    assert_eq!(fischer(THINKING_MS_MIN, INCREMENT_MS_MAX + 1), Err(increment));
    assert_eq!(per_move(THINKING_MS_MIN - 1), Err(thinking("move_ms")));
    assert_eq!(per_move(THINKING_MS_MAX + 1), Err(thinking("move_ms")));

    let byoyomi =
        |base_ms, periods, period_ms| TimeControl::Byoyomi { base_ms, periods, period_ms }.check();
    let refused = |name, min, max| Err(ClockError { name, min, max });
    assert_eq!(byoyomi(0, 1, THINKING_MS_MIN), Ok(()));
    assert_eq!(byoyomi(THINKING_MS_MAX, PERIODS_MAX, PERIOD_MS_MAX), Ok(()));
    assert_eq!(byoyomi(THINKING_MS_MAX + 1, 1, 30_000), refused("base_ms", 0, THINKING_MS_MAX));
    for periods in [0, PERIODS_MAX + 1] {
        assert_eq!(byoyomi(0, periods, 30_000), refused("periods", 1, PERIODS_MAX.into()));
    }
    for period_ms in [THINKING_MS_MIN - 1, PERIOD_MS_MAX + 1] {
        let expected = refused("period_ms", THINKING_MS_MIN, PERIOD_MS_MAX);
        assert_eq!(byoyomi(0, 1, period_ms), expected);
    }
    let days = |per_move_days| TimeControl::Days { per_move_days }.check();
    assert_eq!((days(1), days(DAYS_MAX)), (Ok(()), Ok(())));
    assert_eq!(days(0), refused("per_move_days", 1, DAYS_MAX.into()));
    assert_eq!(days(DAYS_MAX + 1), refused("per_move_days", 1, DAYS_MAX.into()));
}

fn control() -> impl Strategy<Value = TimeControl> {
    let thinking = || THINKING_MS_MIN..=120_000;
    prop_oneof![
        (thinking(), 0..=30_000_u64)
            .prop_map(|(base_ms, inc_ms)| TimeControl::Fischer { base_ms, inc_ms }),
        thinking().prop_map(|move_ms| TimeControl::PerMove { move_ms }),
        (0..=60_000_u64, 1..=5_u32, THINKING_MS_MIN..=30_000).prop_map(
            |(base_ms, periods, period_ms)| TimeControl::Byoyomi { base_ms, periods, period_ms }
        ),
        (1..=30_u32).prop_map(|per_move_days| TimeControl::Days { per_move_days }),
    ]
}

fn shown(clock: &GameClock, players: usize, now: u64) -> Vec<u64> {
    Seat::all(players).map(|seat| clock.left_at(seat, now).expect("there are clocks")).collect()
}

/// What is left after a move for which so much was charged, told period by period.
fn naive_after_move(control: TimeControl, left: u64, charged: u64) -> u64 {
    match control {
        TimeControl::None => unreachable!("no clock is looked at"),
        TimeControl::Fischer { inc_ms, .. } => left.saturating_sub(charged) + inc_ms,
        TimeControl::PerMove { move_ms } => move_ms,
        TimeControl::Days { per_move_days } => u64::from(per_move_days) * 86_400_000,
        TimeControl::Byoyomi { periods, period_ms, .. } => {
            let main = left.saturating_sub(u64::from(periods) * period_ms);
            if left >= u64::from(periods) * period_ms && charged <= main {
                return left - charged;
            }
            // The present period may have been stopped in its middle before.
            let mut whole = (left - main).div_ceil(period_ms);
            let mut present = (left - main) - whole.saturating_sub(1) * period_ms;
            let mut over = charged - main;
            while whole > 0 && over >= present {
                over -= present;
                present = period_ms;
                whole -= 1;
            }
            whole * period_ms
        }
    }
}

proptest! {
    /// Presses and stops at random times: only the running clock loses, exactly what passed but for
    /// the lag that is granted; and only the one that is pressed gains, exactly what the time
    /// control grants.
    #[test]
    fn time_is_neither_lost_nor_made(
        control in control(),
        players in 2..=3_usize,
        waits in prop::collection::vec((0..40_000_u64, any::<bool>(), 0..2_000_u64), 1..200),
    ) {
        let mut clock = GameClock::new(control, players);
        let mut now = NOON;
        let mut seat = Seat::FIRST;
        let mut lags = vec![0; players];
        clock.start(seat, now);
        for (wait, moves, lag) in waits {
            let deadline = clock.deadline().expect("a clock runs");
            let before = shown(&clock, players, now);
            prop_assert_eq!(before[seat.index()], deadline - now);
            prop_assert!(!clock.is_fallen(deadline.saturating_sub(1)) || deadline == now);
            prop_assert!(clock.is_fallen(deadline));

            let then = now + wait;
            let waited = shown(&clock, players, then);
            prop_assert_eq!(waited[seat.index()], deadline.saturating_sub(then));
            prop_assert_eq!(waited[seat.index()] == 0, then >= deadline);
            prop_assert_eq!(clock.is_fallen(then), then >= deadline);

            let fallen = clock.is_fallen(then);
            let mut charged = wait;
            if moves {
                let charge = clock.press(then, lag);
                prop_assert_eq!(charge.spent_ms, wait);
                let granted =
                    lag.min(wait).min(LAG_PER_MOVE_MS_MAX).min(LAG_PER_GAME_MS_MAX - lags[seat.index()]);
                prop_assert_eq!(charge.lag_ms, if fallen { 0 } else { granted });
                lags[seat.index()] += charge.lag_ms;
                charged -= charge.lag_ms;
            } else {
                clock.stop(then);
            }
            prop_assert_eq!(clock.running(), None);
            prop_assert_eq!(clock.deadline(), None);
            let after = shown(&clock, players, then);
            for other in Seat::all(players).filter(|&other| other != seat) {
                prop_assert_eq!(waited[other.index()], before[other.index()]);
                prop_assert_eq!(after[other.index()], before[other.index()]);
            }
            let left = before[seat.index()];
            let expected = if moves {
                naive_after_move(control, left, charged.min(left))
            } else {
                left.saturating_sub(charged)
            };
            prop_assert_eq!(after[seat.index()], expected);
            prop_assert_eq!(shown(&clock, players, then + wait), after);

            now = then;
            seat = seat.next(players);
            clock.start(seat, now);
        }
    }
}

const V: Seat = Seat::FIRST;
const H: Seat = Seat::new(1).expect("a table has two seats");

fn stymie(clock: TimeControl) -> (Table, Vec<adamant_rules::Event>) {
    let setup = setup_of(Kind::Stymie, 2, "-size=3 -swap", clock);
    let Script { table, events, .. } = Script::of(setup);
    (table, events)
}

fn play(table: &mut Table, events: &mut Vec<adamant_rules::Event>, notation: &str, at: u64) {
    let act = Act::Move { seat: table.to_move().unwrap(), turn: table.turn(), notation, lag_ms: 0 };
    for event in table.decide(&act, at).unwrap() {
        table.apply(&event).unwrap();
        events.push(event);
    }
}

#[test]
fn a_swap_moves_the_players_and_their_time_and_nothing_else() {
    let (mut table, mut events) = stymie(TimeControl::Fischer { base_ms: 60_000, inc_ms: 0 });
    play(&mut table, &mut events, "c3", NOON + 5_000);
    play(&mut table, &mut events, "Swap", NOON + 6_000);

    let EventKind::Swapped { seat, turn, ply, to_move, spent_ms, left_ms, .. } =
        &events.last().unwrap().kind
    else {
        panic!("{events:?}");
    };
    assert_eq!((*seat, *turn, *ply, *to_move, *spent_ms), (H, 2, 2, H, 1_000));
    // ann has used five seconds and is H now; bob has used one.
    assert_eq!(left_ms.as_ref().unwrap().iter().copied().collect::<Vec<_>>(), [59_000, 55_000]);
    assert_eq!((table.seat_of("ann"), table.seat_of("bob")), (Some(H), Some(V)));
    assert_eq!(table.setup().seats[V].user.as_ref(), "ann", "what was agreed stays as it was");
    assert_eq!(table.moves().collect::<Vec<_>>(), ["c3", "swap"]);
    assert_eq!(table.position().stacks().len(), 1);

    let turn = table.turn();
    let triple = Act::Move { seat: H, turn, notation: "a1,b2,a3", lag_ms: 0 };
    assert!(table.decide(&triple, NOON + 7_000).is_err(), "three pieces answer no opening");
    let again = Act::Move { seat: H, turn, notation: "swap", lag_ms: 0 };
    assert!(table.decide(&again, NOON + 7_000).is_err(), "a swap is not swapped back");
    play(&mut table, &mut events, "a1,b2", NOON + 7_000);
    assert_eq!(table.to_move(), Some(V));
}

#[test]
fn a_swapped_game_is_replayed_and_written_down() {
    let (mut table, mut events) = stymie(TimeControl::None);
    for (notation, at) in [("c3", 1), ("swap", 2), ("e1", 3), ("a1,b2,a3", 4)] {
        play(&mut table, &mut events, notation, NOON + at);
    }
    let mut replayed = Table::new(&events[0]).unwrap();
    for event in &events[1..] {
        replayed.apply(event).unwrap();
    }
    assert_eq!(replayed, table);

    let text = record::write(&table);
    assert!(text.ends_with("ann bob\nc3\nswap\ne1\na1,a3,b2\n"), "{text}");
    let steps: Vec<_> = TextRecord::parse(&text)
        .unwrap()
        .replay(true)
        .map(|step| step.map(|step| (step.seat, step.notation, step.to_move)))
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(steps[2], (Some(H), "swap".to_owned(), Some(H)));
}

#[test]
fn a_swap_with_wrong_seats_is_refused() {
    let (mut table, mut events) = stymie(TimeControl::None);
    play(&mut table, &mut events, "c3", NOON + 1);
    let act = Act::Move { seat: H, turn: table.turn(), notation: "swap", lag_ms: 0 };
    let mut event = table.decide(&act, NOON + 2).unwrap().remove(0);
    let EventKind::Swapped { seats, .. } = &mut event.kind else { panic!("{event:?}") };
    seats.swap(V, H);
    assert!(table.apply(&event).is_err());
}

/// After a swap the seat no longer names the player of a move, so a takeback never crosses a swap.
#[test]
fn a_move_from_before_a_swap_is_not_taken_back() {
    let (mut table, mut events) = stymie(TimeControl::None);
    play(&mut table, &mut events, "c3", NOON + 1);
    play(&mut table, &mut events, "swap", NOON + 2);
    let offer = |seat| Act::Offer { seat, what: OfferKind::Takeback };
    for seat in [V, H] {
        assert_eq!(table.decide(&offer(seat), NOON + 3), Err(Refusal::TakebackBarred));
    }
    play(&mut table, &mut events, "e1", NOON + 3);
    assert!(table.decide(&offer(H), NOON + 4).is_ok());
    assert_eq!(table.decide(&offer(V), NOON + 4), Err(Refusal::TakebackBarred));
}

#[test]
fn the_lag_of_a_swap_is_granted_and_goes_with_its_player() {
    let (mut table, mut events) = stymie(TimeControl::Fischer { base_ms: 60_000, inc_ms: 0 });
    play(&mut table, &mut events, "c3", NOON);
    let act = Act::Move { seat: H, turn: 1, notation: "swap", lag_ms: 300 };
    let swapped = table.decide(&act, NOON + 1_000).unwrap().remove(0);
    let EventKind::Swapped { spent_ms, lag_ms, left_ms, .. } = &swapped.kind else {
        panic!("{swapped:?}");
    };
    assert_eq!((*spent_ms, *lag_ms), (1_000, 300));
    assert_eq!(left_ms.as_ref().unwrap().iter().copied().collect::<Vec<_>>(), [59_300, 60_000]);
}
