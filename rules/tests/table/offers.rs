//! Offers of a draw.

use adamant_rules::{
    Act, EndReason, EventKind, Refusal, Seat, SeatSet,
    event::{OfferId, OfferKind, OfferOutcome},
    table::OpenOffer,
};

use crate::script::{O, Script, X, Y, names, set};

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
fn one_who_declines_is_enough() {
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
fn only_the_one_who_made_an_offer_takes_it_back() {
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
fn a_move_by_anybody_closes_an_open_offer_directly_after_it() {
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
