//! A computer takes the seat of a player who leaves a game of three, or does not.

use adamant_rules::{
    Act, Event, EventKind, Events, LeaveReason, Player, Refusal, TimeControl,
    event::{OfferId, OfferKind},
    table::{ApplyError, SEAT_OFFER_MS},
};

use super::{O, Script, X, Y, follow, names, set};

const FISCHER: TimeControl = TimeControl::Fischer { base_ms: 60_000, inc_ms: 0 };
const ROUND: [&str; 3] = ["d1-d2", "g4-f4", "a4-b4"];
const SEAT: OfferId = OfferId(1);

fn computer() -> Player {
    let mut computer = Player::new("house");
    computer.bot = true;
    computer
}

/// A game of three in which all have moved.
fn begun() -> Script {
    Script::new(3, "", FISCHER).after(&ROUND)
}

/// The events with which Y's seat is offered two seconds later.
fn offer_of(script: &Script) -> Events {
    let removal = script.table.decide(&Act::Resign { seat: Y }, script.now + 2_000).unwrap();
    script.table.offer_seat(&removal[0], computer(), 4).unwrap()
}

fn add(script: &mut Script, events: Events) -> Vec<EventKind> {
    for event in &events {
        script.table.apply(event).unwrap();
        script.now = event.at;
    }
    script.events.extend(events.iter().cloned());
    events.into_iter().map(|event| event.kind).collect()
}

fn answer(script: &mut Script, seat: adamant_rules::Seat, accept: bool) -> Vec<EventKind> {
    let act = Act::Answer { seat, offer: SEAT, accept };
    let events = script.table.decide(&act, script.now + 5_000).unwrap();
    add(script, events)
}

#[test]
fn a_computer_plays_on_once_both_agree_and_no_clock_has_run() {
    let mut script = begun();
    let turn = script.table.turn();
    let offered = offer_of(&script);
    assert_eq!(names(&add(&mut script, offered)), ["seat offered seat 2"]);
    assert_eq!(script.table.offers()[0].needs, set(&[O, X]));
    assert_eq!(names(&answer(&mut script, X, true)), ["agreed seat 1"]);
    let kinds = answer(&mut script, O, true);
    assert_eq!(names(&kinds), ["closed Accepted seat 0", "substituted seat 2"]);
    let EventKind::Substituted { to_move, left_ms, turn: now, .. } = &kinds[1] else { panic!() };
    assert_eq!((*to_move, *now), (O, turn + 1));
    assert_eq!(left_ms.as_ref().unwrap()[O], 58_000, "the time before the offer is O's");
    let (seat, left) = script.table.substituted().unwrap();
    assert_eq!((seat, &*left.user), (Y, "cy"));
    assert_eq!(script.table.seat_of("house"), Some(Y));
    assert_eq!(script.table.seat_of("cy"), None);
    script.play("d2-d3");
    assert_eq!(script.table.clock().left_ms().unwrap()[O], 58_000);
    assert_eq!(follow(&script.events), script.table, "the record has all of it");
}

#[test]
fn a_no_removes_the_seat_as_of_the_ply_at_which_its_player_left() {
    let mut script = begun();
    let offered = offer_of(&script);
    add(&mut script, offered);
    let kinds = answer(&mut script, O, false);
    assert_eq!(names(&kinds), ["closed Declined seat 0", "removed seat 2 Resigned"]);
    assert_eq!(script.table.departures_at(3).next(), Some((Y, LeaveReason::Resigned)));
    assert_eq!(script.table.clock().left_ms().unwrap()[O], 58_000);
    assert_eq!(follow(&script.events), script.table);
}

#[test]
fn without_an_answer_the_seat_is_removed_at_the_end_of_its_time() {
    let mut script = begun();
    let offered = offer_of(&script);
    add(&mut script, offered);
    let ends = script.now + SEAT_OFFER_MS;
    assert_eq!(script.table.next_deadline(), Some(ends), "no flag falls before");
    assert_eq!(script.table.overdue(ends - 1), None);
    let removed = script.table.overdue(ends).unwrap();
    assert_eq!(names(&add(&mut script, removed)), ["removed seat 2 Resigned"]);
    assert!(script.table.offers().is_empty());
}

#[test]
fn a_computer_has_the_first_time_of_a_seat_that_had_none_left() {
    let mut script = begun().after(&["d2-d3", "f4-e4"]);
    let fallen = script.now + 120_000;
    let removal = script.table.overdue(fallen).unwrap();
    let offered = script.table.offer_seat(&removal[0], computer(), 4).unwrap();
    add(&mut script, offered);
    answer(&mut script, O, true);
    answer(&mut script, X, true);
    assert_eq!(script.table.to_move(), Some(Y));
    assert_eq!(script.table.clock().left_ms().unwrap()[Y], 60_000);
}

#[test]
fn nobody_does_anything_else_while_a_seat_is_offered() {
    let mut script = begun();
    let draw = script.table.decide(&Act::Offer { seat: X, what: OfferKind::Draw }, script.now);
    add(&mut script, draw.unwrap());
    let removal = script.table.decide(&Act::Resign { seat: Y }, script.now).unwrap();
    let offered = script.table.offer_seat(&removal[0], computer(), 4).unwrap();
    assert_eq!(names(&add(&mut script, offered)), ["seat offered seat 2", "closed Moved seat 2"]);
    let refused = |act: &Act<'_>| script.table.decide(act, script.now).unwrap_err();
    let turn = script.table.turn();
    let mv = Act::Move { seat: O, turn, notation: "d2-d3", lag_ms: 0 };
    for act in [mv, Act::Resign { seat: X }, Act::Offer { seat: O, what: OfferKind::Draw }] {
        assert_eq!(refused(&act), Refusal::SeatIsOffered, "{act:?}");
    }
    assert_eq!(refused(&Act::Resign { seat: Y }), Refusal::LeftTheGame);
    let ended = script.table.end_seat_offer(script.now).unwrap();
    assert_eq!(names(&add(&mut script, ended)), ["removed seat 2 Resigned"]);
}

#[test]
fn a_seat_is_offered_once_and_only_after_all_have_moved() {
    let early = Script::new(3, "", FISCHER).after(&ROUND[..2]);
    let removal = early.table.decide(&Act::Resign { seat: Y }, early.now).unwrap();
    assert_eq!(early.table.offer_seat(&removal[0], computer(), 4), None);
    let mut script = begun();
    let removal = script.table.decide(&Act::Resign { seat: Y }, script.now).unwrap();
    assert_eq!(script.table.offer_seat(&removal[0], Player::new("dora"), 4), None, "a person");
    let offered = offer_of(&script);
    add(&mut script, offered);
    answer(&mut script, O, true);
    answer(&mut script, X, true);
    let removal = script.table.decide(&Act::Resign { seat: X }, script.now).unwrap();
    let mut twin = computer();
    twin.user = "house-4b".into();
    assert_eq!(script.table.offer_seat(&removal[0], twin, 4), None);
}

#[test]
fn no_record_has_a_computer_that_nobody_was_asked_about() {
    let mut script = begun();
    let offered = offer_of(&script);
    add(&mut script, offered);
    let mut before = script.table.clone();
    answer(&mut script, O, true);
    answer(&mut script, X, true);
    let substituted = script.events.last().unwrap();
    assert_eq!(before.apply(substituted), Err(ApplyError::Unexplained));
}

#[test]
fn no_record_has_answers_after_the_time() {
    let mut script = begun();
    let offered = offer_of(&script);
    add(&mut script, offered);
    let until = script.table.seat_offer_ends().unwrap();
    let late = |event: &Event| Event { at: until, ..event.clone() };
    let mut table = script.table.clone();
    answer(&mut script, O, true);
    answer(&mut script, X, true);
    for event in &script.events[script.events.len() - 3..] {
        assert_eq!(table.clone().apply(&late(event)), Err(ApplyError::OutOfOrder), "{event:?}");
        table.apply(event).unwrap();
    }
}
