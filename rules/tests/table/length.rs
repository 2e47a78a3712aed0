//! Games that become very long: what can no longer be done in them, and how they end.

use adamant_rules::{
    Act, EndReason, Event, EventKind, Events, Refusal, SeatSet,
    event::{OfferId, OfferKind, OfferOutcome},
    table::{ApplyError, DRAWN_AT, OFFERS_END_AT, RECORDS_MAX, ServerAction},
};

use super::script::{O, Script, X, Y, follow, names, set};

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
