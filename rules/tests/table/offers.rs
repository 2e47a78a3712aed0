//! Offers of a draw.

use adamant_rules::{
    Act, EndReason, Event, EventKind, Events, Refusal, Seat, SeatSet,
    event::{OfferId, OfferKind, OfferOutcome},
    table::{OpenOffer, TAKEBACKS_PER_SEAT_MAX},
};

use super::script::{O, Script, X, Y, follow, names, set};

const DRAW: OfferKind = OfferKind::Draw;

const fn offer(seat: Seat) -> Act<'static> {
    Act::Offer { seat, what: DRAW }
}

const fn answer(seat: Seat, id: u32, accept: bool) -> Act<'static> {
    Act::Answer { seat, offer: OfferId(id), accept }
}

const fn withdraw(seat: Seat, id: u32) -> Act<'static> {
    Act::Withdraw { seat, offer: OfferId(id) }
}

#[test]
fn an_accepted_offer_ends_a_game_of_two() {
    let mut script = Script::without_clock(2, "");
    let kinds = script.act(&offer(X));
    let needs = SeatSet::only(O);
    assert_eq!(kinds, [EventKind::Offered { offer: OfferId(1), what: DRAW, by: X, needs }]);
    let open = OpenOffer { offer: OfferId(1), what: DRAW, by: X, needs };
    assert_eq!(script.table.offers(), [open]);

    let kinds = script.act(&answer(O, 1, true));
    assert_eq!(names(&kinds), ["closed Accepted seat 0", "ended Agreement"]);
    assert_eq!(script.result(), (set(&[O, X]), vec![1, 1], EndReason::Agreement));
    assert!(script.table.offers().is_empty());
}

#[test]
fn three_players_all_have_to_agree() {
    let mut script = Script::without_clock(3, "");
    script.act(&offer(X));
    let kinds = script.act(&answer(Y, 1, true));
    assert_eq!(kinds, [EventKind::Agreed { offer: OfferId(1), seat: Y, needs: SeatSet::only(O) }]);
    assert_eq!(script.table.offers()[0].needs, SeatSet::only(O));
    let again = script.refusal(&answer(Y, 1, false));
    assert_eq!(again, Refusal::NotYourOffer { what: "answer" });
    let kinds = script.act(&answer(O, 1, true));
    assert_eq!(names(&kinds), ["closed Accepted seat 0", "ended Agreement"]);
    assert_eq!(script.result(), (set(&[O, X, Y]), vec![1, 1, 1], EndReason::Agreement));
}

#[test]
fn one_seat_can_decline_for_all() {
    let mut script = Script::without_clock(3, "");
    script.act(&offer(X));
    script.act(&answer(Y, 1, true));
    let kinds = script.act(&answer(O, 1, false));
    let outcome = OfferOutcome::Declined;
    assert_eq!(kinds, [EventKind::OfferClosed { offer: OfferId(1), outcome, by: O }]);
    assert_eq!(script.refusal(&answer(O, 1, true)), Refusal::NoSuchOffer);
    assert_eq!(script.table.to_move(), Some(O));
}

#[test]
fn only_its_seat_withdraws_an_offer() {
    let mut script = Script::without_clock(2, "");
    script.act(&offer(X));
    assert_eq!(script.refusal(&withdraw(O, 1)), Refusal::NotYourOffer { what: "withdraw" });
    assert_eq!(script.refusal(&withdraw(X, 2)), Refusal::NoSuchOffer);
    assert_eq!(script.refusal(&answer(X, 1, true)), Refusal::NotYourOffer { what: "answer" });
    let kinds = script.act(&withdraw(X, 1));
    assert_eq!(names(&kinds), ["closed Withdrawn seat 1"]);
}

#[test]
fn one_draw_offer_is_open_at_a_time_and_numbers_do_not_come_again() {
    let mut script = Script::without_clock(2, "");
    script.act(&offer(X));
    assert_eq!(script.refusal(&offer(X)), Refusal::OfferStands);
    assert_eq!(script.refusal(&offer(O)), Refusal::OfferStands);
    script.act(&withdraw(X, 1));
    script.act(&offer(O));
    assert_eq!(script.table.offers()[0].offer, OfferId(2));
    assert_eq!(script.refusal(&answer(X, 1, true)), Refusal::NoSuchOffer);
}

#[test]
fn an_offer_of_each_kind_is_made_once_a_turn_however_it_ended() {
    let mut script = Script::without_clock(2, "").after(&["c1-c2", "c5-c4"]);
    for (id, what) in (1..).zip([DRAW, OfferKind::Abort, OfferKind::Takeback]) {
        script.act(&Act::Offer { seat: X, what });
        script.act(&if id == 1 { withdraw(X, id) } else { answer(O, id, false) });
        assert_eq!(script.refusal(&Act::Offer { seat: X, what }), Refusal::OfferedThisTurn);
    }
    // It is bound to the seat, and ends with the turn.
    script.act(&offer(O));
    script.act(&answer(X, 4, false));
    script.play("c2-c3");
    script.act(&offer(X));
    script.act(&withdraw(X, 5));
    assert_eq!(script.refusal(&offer(X)), Refusal::OfferedThisTurn);
    script.play("c4-c5");
    script.act(&offer(X));
}

#[test]
fn takebacks_of_a_seat_are_limited() {
    let mut script = Script::without_clock(2, "");
    let takeback = |seat| Act::Offer { seat, what: OfferKind::Takeback };
    for _ in 0..TAKEBACKS_PER_SEAT_MAX {
        script.play("c1-c2");
        script.agree(O, OfferKind::Takeback);
    }
    script.play("c1-c2");
    let max = TAKEBACKS_PER_SEAT_MAX;
    assert_eq!(script.refusal(&takeback(O)), Refusal::TakebacksSpent { max });
    script.play("c5-c4");
    script.act(&takeback(X));
    script.act(&offer(O));
}

/// There are records from before offers were bounded.
#[test]
fn a_record_with_more_offers_than_can_be_made_now_is_replayed() {
    let mut script = Script::without_clock(2, "").after(&["c1-c2"]);
    let needs = SeatSet::only(X);
    for id in 1..=300 {
        let offer = OfferId(id);
        let kind = EventKind::Offered { offer, what: OfferKind::Takeback, by: O, needs };
        let event = Event { at: script.now, kind, hash: script.table.hash() };
        script.happen(Events::from_iter([event]));
        script.act(&withdraw(O, id));
    }
    assert_eq!(follow(&script.events), script.table);
    let again = script.refusal(&Act::Offer { seat: O, what: OfferKind::Takeback });
    assert_eq!(again, Refusal::OfferedThisTurn);
}

#[test]
fn a_move_by_any_seat_closes_open_offers() {
    for by in [O, X, Y] {
        let mut script = Script::without_clock(3, "-size=2 -pieces=4");
        script.act(&offer(by));
        let kinds = script.play("b1-a1,b2,b3,c1");
        let expected = [
            "moved seat 0",
            "closed Moved seat 0",
            "removed seat 1 NoMove",
            "removed seat 2 NoMove",
            "ended LastPlayer",
        ];
        assert_eq!(names(&kinds), expected);
        assert!(script.table.offers().is_empty());
    }
}

#[test]
fn an_offer_does_not_outlive_a_departure_and_a_new_one_needs_all_who_are_left() {
    let mut script = Script::without_clock(3, "");
    script.act(&offer(O));
    let kinds = script.act(&Act::Resign { seat: Y });
    assert_eq!(names(&kinds), ["removed seat 2 Resigned", "closed Moved seat 2"]);
    assert_eq!(script.refusal(&offer(Y)), Refusal::LeftTheGame);
    script.act(&offer(O));
    assert_eq!(script.table.offers()[0].needs, SeatSet::only(X));
}

#[test]
fn the_end_of_a_game_leaves_no_offer_open() {
    let mut script = Script::without_clock(2, "");
    script.act(&offer(O));
    let kinds = script.act(&Act::Resign { seat: X });
    assert_eq!(names(&kinds), ["ended Resigned seat 1"]);
    assert!(script.table.offers().is_empty());
    assert_eq!(script.refusal(&answer(X, 1, true)), Refusal::GameOver);
    assert_eq!(script.refusal(&withdraw(O, 1)), Refusal::GameOver);
    assert_eq!(script.refusal(&offer(O)), Refusal::GameOver);
}
