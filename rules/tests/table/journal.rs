//! What was played is what is replayed, and nothing else is: games by chance, and journals that
//! were tampered with.

use std::collections::HashMap;

use adamant_rules::{
    Act, BySeat, EndReason, Event, EventKind, Events, LeaveReason, Options, Refusal, Seat, SeatSet,
    Table, TimeControl,
    clock::LAG_PER_MOVE_MS_MAX,
    event::{AbortReason, AdjustReason, EVENTS_MAX, OfferId, OfferKind, OfferOutcome},
    record::{ReplayStep, TextRecord, write},
    table::{ApplyError, DRAWN_AT, OFFERS_END_AT, RECORDS_MAX, ServerAction},
};
use proptest::prelude::*;

use super::{
    NOON, O, Script, X, Y, follow, names, set,
    state_machine::{MOVES_MAX, game, rolls, throw},
};

/// An event of a game that is under way with one thing about it changed, in several ways, none of
/// which could have happened instead.
fn tampered(event: &Event) -> Vec<Event> {
    type Change = fn(&mut Event);
    let changes: &[Change] = &[
        |event| event.hash ^= 1,
        |event| event.at = 0,
        |event| match &mut event.kind {
            EventKind::Moved { turn, .. }
            | EventKind::Swapped { turn, .. }
            | EventKind::Skipped { turn, .. }
            | EventKind::Removed { turn, .. }
            | EventKind::Substituted { turn, .. }
            | EventKind::TakenBack { turn, .. } => *turn += 1,
            EventKind::Started { to_move } => *to_move = to_move.next(3),
            EventKind::Offered { offer, .. }
            | EventKind::SeatOffered { offer, .. }
            | EventKind::Agreed { offer, .. }
            | EventKind::OfferClosed { offer, .. } => offer.0 += 1_000,
            EventKind::Ended { winners, .. } => *winners = SeatSet::EMPTY,
            // Any seat that could have aborted the game is as good as the one that did.
            EventKind::Created(_) | EventKind::Aborted { .. } => event.hash ^= 2,
            // So much less would be as good.
            EventKind::ClockAdjusted { by_ms, .. } => *by_ms = 0,
            EventKind::Rated { before, .. } => *before = BySeat::default(),
        },
        |event| match &mut event.kind {
            EventKind::Moved { seat, .. }
            | EventKind::Swapped { seat, .. }
            | EventKind::Skipped { seat, .. }
            | EventKind::Removed { seat, .. }
            | EventKind::Substituted { seat, .. }
            | EventKind::Agreed { seat, .. }
            | EventKind::ClockAdjusted { seat, .. } => *seat = seat.next(3),
            EventKind::TakenBack { ply, .. } => *ply += 1,
            EventKind::Offered { needs, .. } | EventKind::SeatOffered { needs, .. } => {
                *needs = SeatSet::EMPTY;
            }
            EventKind::OfferClosed { outcome, .. } => {
                *outcome = match outcome {
                    OfferOutcome::Moved => OfferOutcome::Declined,
                    OfferOutcome::Declined => OfferOutcome::Withdrawn,
                    OfferOutcome::Withdrawn | OfferOutcome::Accepted => OfferOutcome::Moved,
                }
            }
            EventKind::Ended { places, .. } => places[O] += 1,
            EventKind::Created(_)
            | EventKind::Started { .. }
            | EventKind::Aborted { .. }
            | EventKind::Rated { .. } => {
                event.hash ^= 2;
            }
        },
    ];
    let changes_to_moves: &[Change] = &[
        |event| {
            if let EventKind::Moved { spent_ms, .. } = &mut event.kind {
                *spent_ms += 1;
            }
        },
        |event| {
            if let EventKind::Moved { lag_ms, .. } = &mut event.kind {
                *lag_ms += LAG_PER_MOVE_MS_MAX + 1;
            }
        },
        |event| {
            if let EventKind::Moved { left_ms, .. } = &mut event.kind {
                *left_ms = match left_ms {
                    Some(_) => None,
                    None => BySeat::try_from_iter([1, 1]),
                };
            }
        },
        |event| {
            if let EventKind::Moved { ply, .. } = &mut event.kind {
                *ply += 1;
            }
        },
        |event| {
            if let EventKind::Moved { to_move, .. } = &mut event.kind {
                *to_move = to_move.next(3);
            }
        },
    ];
    let is_move = matches!(event.kind, EventKind::Moved { .. });
    let more = if is_move { changes_to_moves } else { &[] };
    changes
        .iter()
        .chain(more)
        .map(|change| {
            let mut version = event.clone();
            change(&mut version);
            version
        })
        .collect()
}

proptest! {
    #[test]
    fn a_replayed_game_is_the_game_that_was_played(mut script in game(), rolls in rolls()) {
        let mut at = NOON;
        for roll in rolls {
            throw(&mut script, roll)?;
            let position = script.table.position();
            prop_assert_eq!(position.hash(), position.hash_from_scratch());
            prop_assert!(script.table.last_at() >= at);
            at = script.table.last_at();
            let over = script.table.outcome().is_some();
            prop_assert_eq!(script.table.to_move().is_none(), over);
            prop_assert_eq!(script.table.clock().running().is_none(), over);
        }
        prop_assert!(script.events.is_sorted_by_key(|event| event.at));
        prop_assert_eq!(follow(&script.events), script.table);
    }

    #[test]
    fn a_tampered_event_is_refused_and_changes_nothing(mut script in game(), rolls in rolls()) {
        for roll in rolls {
            throw(&mut script, roll)?;
        }
        let mut table = follow(&script.events[..1]);
        for event in &script.events[1..] {
            let before = table.clone();
            for version in tampered(event) {
                prop_assert!(table.apply(&version).is_err(), "{:?}", version);
                prop_assert_eq!(&table, &before);
            }
            table.apply(event).expect("the event as it was is right");
        }
    }

    /// What follows a missing move or removal shows that it is missing.
    #[test]
    fn a_missing_event_is_noticed(mut script in game(), rolls in rolls(), which: prop::sample::Index) {
        for roll in rolls {
            throw(&mut script, roll)?;
        }
        let missing = which.index(script.events.len());
        let changes_position = matches!(
            script.events[missing].kind,
            EventKind::Started { .. }
                | EventKind::Moved { .. }
                | EventKind::Removed { .. }
                | EventKind::TakenBack { .. }
        );
        if changes_position && missing + 1 < script.events.len() {
            let mut table = follow(&script.events[..missing]);
            prop_assert!(table.apply(&script.events[missing + 1]).is_err());
        }
    }

    /// A journal may end anywhere, even in the middle of an act: the table then asks for the rest
    /// itself, and it is the same rest.
    #[test]
    fn pending_events_of_a_journal_are_overdue(mut script in game(), rolls in rolls()) {
        for roll in rolls {
            throw(&mut script, roll)?;
        }
        let whole = script.events;
        for end in 1..whole.len() {
            let table = follow(&whole[..end]);
            let owing = table.overdue(table.last_at());
            for (owed, event) in owing.iter().flatten().zip(&whole[end..]) {
                prop_assert_eq!(owed, event);
            }
            let follows = matches!(
                whole[end].kind,
                EventKind::Started { .. }
                    | EventKind::Removed { reason: LeaveReason::NoMove | LeaveReason::NoPieces, .. }
                    | EventKind::OfferClosed { outcome: OfferOutcome::Moved, .. }
                    | EventKind::TakenBack { .. }
                    | EventKind::Aborted { reason: AbortReason::Agreed, .. }
                    | EventKind::Ended {
                        reason: EndReason::Agreement
                            | EndReason::LastPlayer
                            | EndReason::Repetition
                            | EndReason::TwoPieces,
                        ..
                    }
            );
            prop_assert_eq!(owing.is_some(), follows || ends_by_departure(&whole[end]));
        }
    }

    /// Counted naively: the game ends when a position in which a move must be chosen comes up for
    /// the third time, and not otherwise.
    #[test]
    fn a_game_ends_by_repetition_when_it_must(
        choices in prop::collection::vec(0..3_usize, 1..120),
    ) {
        let mut script = Script::without_clock(2, "-size=2 -pieces=2");
        let mut seen = HashMap::from([(script.table.hash(), 1)]);
        for choice in choices {
            let quiet: Vec<_> = script.table.position().legal_moves(MOVES_MAX);
            let notation = quiet[choice % quiet.len()].to_string();
            script.play(&notation);
            let hash = script.table.hash();
            let count = seen.entry(hash).or_insert(0);
            *count += 1;
            if script.table.outcome().is_some() {
                let (_, _, reason) = script.result();
                prop_assert_eq!(reason == EndReason::Repetition, *count == 3);
                break;
            }
            prop_assert!(*count < 3);
            let told = script.table.positions_seen().iter();
            prop_assert_eq!(told.filter(|&&seen| seen == hash).count(), *count);
        }
    }
}

/// Whether it ends a game of three because the last opponent left.
fn ends_by_departure(event: &Event) -> bool {
    matches!(
        &event.kind,
        EventKind::Ended { places, reason: EndReason::Resigned | EndReason::TimedOut | EndReason::Abandoned, .. }
            if places.len() == 3
    )
}

fn refused(script: &Script, kind: EventKind) -> ApplyError {
    let event = Event { at: script.now, kind, hash: script.table.hash() };
    script.table.clone().apply(&event).expect_err("it did not happen")
}

#[test]
fn an_unexplained_event_is_refused() {
    let fischer = TimeControl::Fischer { base_ms: 10_000, inc_ms: 0 };
    let mut script = Script::new(2, "", fischer);
    script.wait(9_999);
    let places = |numbers: [u8; 2]| BySeat::from_fn(2, |seat| numbers[seat.index()]);
    let ended = |winner: Seat, reason, by| EventKind::Ended {
        winners: SeatSet::only(winner),
        places: places(if winner == O { [1, 2] } else { [2, 1] }),
        reason,
        by,
        claimed_by: None,
    };
    let draw = |reason| EventKind::Ended {
        winners: SeatSet::all(2),
        places: places([1, 1]),
        reason,
        by: None,
        claimed_by: None,
    };
    let removed = |reason, claimed_by| EventKind::Removed {
        seat: O,
        turn: 1,
        reason,
        claimed_by,
        to_move: X,
    };
    let aborted = |reason, claimed_by| EventKind::Aborted { by: O, reason, claimed_by };
    let unfounded = [
        EventKind::Started { to_move: O },
        EventKind::Skipped { seat: O, turn: 1, ply: 1, to_move: X },
        removed(LeaveReason::NoMove, None),
        removed(LeaveReason::NoPieces, None),
        removed(LeaveReason::Resigned, None),
        ended(X, EndReason::LastPlayer, None),
        ended(X, EndReason::TimedOut, Some(O)),
        ended(O, EndReason::TimedOut, Some(X)),
        ended(O, EndReason::Resigned, Some(O)),
        ended(O, EndReason::Resigned, None),
        draw(EndReason::Agreement),
        draw(EndReason::Repetition),
        draw(EndReason::TwoPieces),
        removed(LeaveReason::Resigned, Some(X)),
        removed(LeaveReason::Abandoned, Some(X)),
        ended(X, EndReason::Abandoned, Some(O)),
        ended(X, EndReason::Ruling, Some(O)),
        aborted(AbortReason::Ruling, Some(X)),
        aborted(AbortReason::Agreed, None),
        aborted(AbortReason::NoShow, None),
        aborted(AbortReason::ByPlayer, Some(X)),
        aborted(AbortReason::Agreed, Some(X)),
        EventKind::ClockAdjusted { seat: X, by_ms: 1, reason: AdjustReason::Outage },
        EventKind::ClockAdjusted { seat: O, by_ms: 10_000, reason: AdjustReason::Outage },
        EventKind::TakenBack {
            turn: 1,
            ply: 0,
            position: Box::new(script.table.position().clone()),
            left_ms: BySeat::try_from_iter([10_000, 10_000]),
            to_move: O,
        },
    ];
    for kind in unfounded {
        assert_eq!(refused(&script, kind.clone()), ApplyError::Unexplained, "{kind:?}");
    }
    script.wait(1);
    let timed_out = ended(X, EndReason::TimedOut, Some(O));
    let event = Event { at: script.now, kind: timed_out, hash: script.table.hash() };
    assert_eq!(script.table.clone().apply(&event), Ok(()));
}

#[test]
fn only_the_asked_seats_answer_an_offer() {
    let mut script = Script::without_clock(3, "");
    script.act(&Act::Offer { seat: O, what: OfferKind::Draw });
    let closed = |outcome, by| EventKind::OfferClosed { offer: OfferId(1), outcome, by };
    let accepted = closed(OfferOutcome::Accepted, X);
    assert_eq!(refused(&script, accepted), ApplyError::Unexplained);
    let moved = closed(OfferOutcome::Moved, X);
    assert_eq!(refused(&script, moved), ApplyError::Unexplained);
    let withdrawn = closed(OfferOutcome::Withdrawn, X);
    let not_yours = Refusal::NotYourOffer { what: "withdraw" };
    assert_eq!(refused(&script, withdrawn), ApplyError::Refused(not_yours));
    let declined = closed(OfferOutcome::Declined, O);
    let not_yours = Refusal::NotYourOffer { what: "answer" };
    assert_eq!(refused(&script, declined), ApplyError::Refused(not_yours));

    script.act(&Act::Answer { seat: X, offer: OfferId(1), accept: true });
    let agreed = EventKind::Agreed { offer: OfferId(1), seat: Y, needs: SeatSet::EMPTY };
    assert_eq!(refused(&script, agreed), ApplyError::Unexplained);
}

#[test]
fn a_game_is_created_once_and_at_its_beginning() {
    let script = Script::without_clock(2, "");
    let mut table = script.table.clone();
    assert_eq!(table.apply(&script.events[0]), Err(ApplyError::CreatedTwice));
    assert_eq!(Table::new(&script.events[1]).map(drop), Err(ApplyError::NotCreated));
}

#[test]
fn a_created_game_has_all_its_options_and_the_position_that_they_make() {
    let script = Script::without_clock(2, "");
    let mut created = script.events[0].clone();
    created.hash ^= 1;
    let (found, claimed) = (script.events[0].hash, created.hash);
    assert_eq!(Table::new(&created).map(drop), Err(ApplyError::Hash { found, claimed }));
    let mut created = script.events[0].clone();
    let EventKind::Created(setup) = &mut created.kind else { panic!("{created:?}") };
    setup.options = Options::new();
    assert_eq!(Table::new(&created).map(drop), Err(ApplyError::Incomplete));
}

#[test]
fn there_is_room_for_the_events_of_any_act() {
    // The longest that the games above can come to is eight; a seat more would make nine.
    const { assert!(EVENTS_MAX > 8) };
}

const DRAW: OfferKind = OfferKind::Draw;

/// A game whose record has become so long by offers, as it could before these were bounded.
fn grown(mut script: Script, records: u32) -> Script {
    let needs = script.table.seats_in().without(O);
    let mut offers = 0;
    while script.table.records() < records {
        let kind = if let Some(open) = script.table.offers().first() {
            let (offer, outcome) = (open.offer, OfferOutcome::Withdrawn);
            EventKind::OfferClosed { offer, outcome, by: O }
        } else {
            offers += 1;
            EventKind::Offered { offer: OfferId(offers), what: DRAW, by: O, needs }
        };
        let event = Event { at: script.now, kind, hash: script.table.hash() };
        script.happen(Events::from_iter([event]));
    }
    script
}

#[test]
fn nothing_is_offered_in_a_game_that_has_become_long_and_all_else_goes_on() {
    let begun = Script::without_clock(2, "").after(&["c1-c2", "c5-c4", "c2-c3"]);
    let script = grown(begun.clone(), OFFERS_END_AT - 1);
    let mut open = script;
    open.play("c4-c5");
    assert_eq!(open.table.records(), OFFERS_END_AT);
    for (seat, what) in [(O, DRAW), (X, DRAW), (X, OfferKind::Abort), (X, OfferKind::Takeback)] {
        assert_eq!(open.refusal(&Act::Offer { seat, what }), Refusal::TooLongForOffers);
    }
    open.play("c3-c2");
    assert!(open.decide(&Act::Resign { seat: O }).is_ok());
    assert!(
        open.table
            .decide_server_action(&ServerAction::Abandoned { seat: X, claimed_by: O }, open.now)
            .is_ok()
    );

    // What is open is answered, here by going back.
    let mut script = grown(begun, OFFERS_END_AT - 3);
    script.play("c4-c5");
    script.act(&Act::Offer { seat: O, what: OfferKind::Takeback });
    script.act(&Act::Offer { seat: X, what: DRAW });
    let [takeback, draw] = script.table.offers() else { panic!("both are open") };
    let (takeback, draw) = (takeback.offer, draw.offer);
    script.act(&Act::Answer { seat: O, offer: draw, accept: false });
    let kinds = script.act(&Act::Answer { seat: X, offer: takeback, accept: true });
    assert_eq!(names(&kinds), ["closed Accepted seat 1", "taken back seat 0"]);
    assert_eq!(follow(&script.events), script.table);
}

#[test]
fn the_next_thing_that_happens_in_a_game_that_is_too_long_draws_it() {
    let begun = Script::without_clock(3, "").after(&["d1-d2", "g4-f4"]);
    let mut script = begun.clone();
    script.act(&Act::Resign { seat: Y });
    let mut script = grown(script, DRAWN_AT - 1);
    let before = script.clone();
    let kinds = script.play("d2-d3");
    // Whatever was open is closed by the move, and the draw is between those left.
    let closes = usize::from(!before.table.offers().is_empty());
    let expected = ["moved seat 0", "closed Moved seat 0", "ended TooLong"];
    assert_eq!(names(&kinds), [&expected[..1], &expected[2 - closes..]].concat());
    assert_eq!(script.result(), (set(&[O, X]), vec![1, 1, 3], EndReason::TooLong));
    assert!(script.table.records() <= RECORDS_MAX);
    assert_eq!(follow(&script.events), script.table);

    // To resign is to lose all the same.
    let mut resigned = before;
    resigned.act(&Act::Resign { seat: O });
    assert_eq!(resigned.result().2, EndReason::Resigned);

    // It cannot be told of a shorter game.
    let ended = script.events.last().unwrap().clone();
    let mut short = begun;
    let event = Event { hash: short.table.hash(), ..ended };
    assert_eq!(short.table.apply(&event), Err(ApplyError::Unexplained));
}

#[test]
fn a_record_that_goes_on_beyond_the_bound_is_replayed() {
    let mut script = grown(Script::without_clock(2, ""), DRAWN_AT + 10);
    let mut endless = script.table.clone().without_end();
    for notation in ["c1-c2", "c5-c4", "c2-c3", "c4-c5"] {
        let seat = endless.to_move().unwrap();
        let act = Act::Move { seat, turn: endless.turn(), notation, lag_ms: 0 };
        for event in endless.decide(&act, script.now).unwrap() {
            endless.apply(&event).unwrap();
            script.happen(Events::from_iter([event]));
        }
    }
    assert_eq!(script.table.outcome(), None);
    assert_eq!(follow(&script.events), script.table);
    // Nothing ends it while nothing happens.
    assert_eq!(script.table.overdue(script.now + 1_000_000), None);
    assert_eq!(names(&script.play("c3-c2")).last().unwrap(), "ended TooLong");
    assert_eq!(script.result().0, SeatSet::all(2));
}

/// The last step of a record.
fn last(text: &str) -> ReplayStep {
    let record = TextRecord::parse(text).unwrap_or_else(|error| panic!("{error} in {text:?}"));
    let steps: Result<Vec<_>, _> = record.replay(true).collect();
    let mut steps = steps.unwrap_or_else(|bad| panic!("{bad} in {text:?}"));
    steps.pop().expect("a record has a start")
}

#[test]
fn a_game_is_written_move_by_move() {
    let script = Script::without_clock(2, "").after(&["c1-e1,c2,4xc3,a1", "c5-c4,3xa3"]);
    let text = "adamas challenge -size=3 -pieces=8 ann bob\nc1-a1,c2,4xc3,e1\nc5-3xa3,c4\n";
    assert_eq!(write(&script.table), text);
}

#[test]
fn the_end_is_written_where_the_moves_do_not_make_it() {
    let end = |act: &Act<'_>| {
        let mut script = Script::without_clock(2, "").after(&["c1-c2"]);
        script.act(act);
        write(&script.table).lines().skip(2).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(end(&Act::Resign { seat: X }), "resign");
    assert_eq!(end(&Act::Resign { seat: O }), "O resign");
    assert_eq!(end(&Act::Abort { seat: X }), "# called off by X");

    let mut script = Script::without_clock(2, "-prog_cap");
    script.act(&Act::Offer { seat: X, what: OfferKind::Draw });
    script.act(&Act::Answer { seat: O, offer: OfferId(1), accept: true });
    let text = "adamas challenge -size=3 -pieces=8 -prog_cap ann bob\ndraw\n";
    assert_eq!(write(&script.table), text);

    let mut script = Script::new(2, "", TimeControl::PerMove { move_ms: 1_000 });
    script.wait(1_000).overdue();
    let text = "adamas challenge -size=3 -pieces=8 ann bob\n# O ran out of time\n";
    assert_eq!(write(&script.table), text);
}

#[test]
fn departures_are_written_at_their_ply() {
    let mut script = Script::new(3, "", TimeControl::PerMove { move_ms: 1_000 });
    script.play("d1-d2");
    script.act(&Act::Resign { seat: Y });
    script.play("g4-f4");
    script.wait(1_000).overdue();
    let text = "adamas challenge -size=4 -pieces=12 ann bob cy\n\
                d1-d2\n\
                Y resign\n\
                g4-f4\n\
                O resign # ran out of time\n";
    assert_eq!(write(&script.table), text);
}

#[test]
fn stuck_seats_are_not_written() {
    let script = Script::without_clock(3, "-size=2 -pieces=4").after(&["b1-a1,b2,b3,c1"]);
    assert_eq!(write(&script.table).lines().count(), 2);
    assert_eq!(last(&write(&script.table)).removed, [X, Y]);
}

proptest! {
    #[test]
    fn a_written_game_is_the_same_game_again(mut script in game(), rolls in rolls()) {
        for roll in rolls {
            throw(&mut script, roll)?;
            let step = last(&write(&script.table));
            prop_assert_eq!(&step.position, script.table.position());
            prop_assert_eq!(step.ply, script.table.ply());
        }
    }
}
