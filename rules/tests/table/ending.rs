//! How games end: by the rules of play, by leaving, by repetition; and the places that makes.

use adamant_rules::{
    Act, EndReason, EventKind, LeaveReason, Refusal, Seat,
    event::{OfferId, OfferKind},
};

use super::script::{O, Script, X, Y, names, set};

const fn resign(seat: Seat) -> Act<'static> {
    Act::Resign { seat }
}

#[test]
fn resigning_ends_a_game_of_two_at_once_and_the_pieces_stand() {
    for (loser, winner, places) in [(O, X, vec![2, 1]), (X, O, vec![1, 2])] {
        let mut script = Script::without_clock(2, "").after(&["c1-c2"]);
        let standing = script.table.position().stacks();
        let turn = script.table.turn();
        let kinds = script.act(&resign(loser));
        assert_eq!(names(&kinds), [format!("ended Resigned {loser:?}")]);
        assert_eq!(script.result(), (set(&[winner]), places, EndReason::Resigned));
        assert_eq!(script.table.position().stacks(), standing);
        assert_eq!(script.table.turn(), turn);
        assert_eq!(script.table.to_move(), None);
    }
}

#[test]
fn resigning_from_a_game_of_three_lets_the_others_play_on() {
    let mut script = Script::without_clock(3, "").after(&["d1-d2"]);
    let kinds = script.act(&resign(Y));
    let (reason, to_move) = (LeaveReason::Resigned, X);
    assert_eq!(kinds, [EventKind::Removed { seat: Y, turn: 2, reason, claimed_by: None, to_move }]);
    assert_eq!(script.table.ply(), 1);
    assert!(!script.table.seat_in(Y));
    assert_eq!(script.table.left_reason(Y), Some(LeaveReason::Resigned));
    assert_eq!(script.table.left_reason(X), None);
    assert!(script.table.position().stacks().iter().all(|(_, pieces)| !pieces.contains('Y')));
    assert_eq!(script.refusal(&resign(Y)), Refusal::LeftTheGame);

    script.play("g4-f4");
    assert_eq!(script.table.to_move(), Some(O));
    let kinds = script.act(&resign(O));
    assert_eq!(names(&kinds), ["removed seat 0 Resigned", "ended Resigned seat 0"]);
    assert_eq!(script.result(), (set(&[X]), vec![2, 1, 3], EndReason::Resigned));
}

#[test]
fn resigning_on_ones_turn_passes_it_on() {
    let mut script = Script::without_clock(3, "");
    script.act(&resign(O));
    assert_eq!(script.table.to_move(), Some(X));
    assert_eq!((script.table.turn(), script.table.ply()), (1, 0));
}

#[test]
fn those_who_leave_at_the_same_ply_share_a_place() {
    let mut script = Script::without_clock(3, "").after(&["d1-d2"]);
    script.act(&resign(X));
    script.act(&resign(Y));
    assert_eq!(script.result(), (set(&[O]), vec![1, 2, 2], EndReason::Resigned));
}

#[test]
fn capturing_the_last_pieces_of_two_at_once_ends_the_game() {
    let mut script = Script::without_clock(3, "-size=2 -pieces=2").after(&["2xb1-b3", "2xc2-c1"]);
    let kinds = script.play("a2-b3,c1");
    let expected =
        ["moved seat 2", "removed seat 0 NoPieces", "removed seat 1 NoPieces", "ended LastPlayer"];
    assert_eq!(names(&kinds), expected);
    assert_eq!(script.result(), (set(&[Y]), vec![2, 2, 1], EndReason::LastPlayer));
    assert_eq!(script.table.last_captures().len(), 2);
    assert_eq!((script.table.turn(), script.table.ply()), (5, 3));
}

#[test]
fn a_seat_that_cannot_move_on_its_turn_leaves_with_its_pieces() {
    let mut script = Script::without_clock(3, "-size=2 -pieces=4");
    let kinds = script.play("b1-b2,2xb3,c1");
    let EventKind::Moved { to_move, .. } = kinds[0] else { panic!("{kinds:?}") };
    assert_eq!(to_move, X);
    let reason = LeaveReason::NoMove;
    assert_eq!(
        kinds[1..],
        [EventKind::Removed { seat: X, turn: 2, reason, claimed_by: None, to_move: Y }]
    );
    assert_eq!(script.table.to_move(), Some(Y));
    assert!(script.table.position().stacks().iter().all(|(_, pieces)| !pieces.contains('X')));
}

/// The end names what ended the game, not the seat that left earlier.
#[test]
fn a_last_player_by_play_is_one_even_if_another_resigned_before() {
    let mut script = Script::without_clock(3, "-size=2 -pieces=4");
    script.act(&resign(X));
    let kinds = script.play("b1-2xa1,b2,b3");
    assert_eq!(names(&kinds), ["moved seat 0", "removed seat 2 NoMove", "ended LastPlayer"]);
    assert_eq!(script.result(), (set(&[O]), vec![1, 3, 2], EndReason::LastPlayer));

    let mut script = Script::without_clock(3, "-size=2 -pieces=3").after(&["b1-a1,b2,b3"]);
    let kinds = script.act(&resign(X));
    let expected = ["removed seat 1 Resigned", "removed seat 2 NoMove", "ended LastPlayer"];
    assert_eq!(names(&kinds), expected);
    assert_eq!(script.result(), (set(&[O]), vec![1, 2, 2], EndReason::LastPlayer));
}

#[test]
fn a_tie_is_shared_by_those_still_in() {
    let mut script = Script::without_clock(2, "-size=2 -pieces=2")
        .after(&["b1-a1,b2", "b3-a2,c2", "b2-c2", "a2-a1"]);
    assert_eq!(names(&script.play("c2-b3")), ["moved seat 0", "ended TwoPieces"]);
    assert_eq!(script.result(), (set(&[O, X]), vec![1, 1], EndReason::TwoPieces));

    let moves = ["c1-a1,c4", "e3-c3,d3", "a3-a2,b3", "c4-d3", "c3-b3", "a2-a1"];
    let mut script = Script::without_clock(3, "-size=3 -pieces=2").after(&moves);
    let kinds = script.play("d3-a1");
    assert_eq!(names(&kinds), ["moved seat 0", "removed seat 2 NoPieces", "ended TwoPieces"]);
    assert_eq!(script.result(), (set(&[O, X]), vec![1, 1, 3], EndReason::TwoPieces));
}

#[test]
fn a_tie_that_a_departure_makes_is_still_a_tie() {
    let mut script = Script::without_clock(3, "-size=2 -pieces=4").after(&[
        "b1-2xb2,c1",
        "c2-b3",
        "a2-a1",
        "b2-a2,c2",
    ]);
    let kinds = script.act(&resign(O));
    assert_eq!(names(&kinds), ["removed seat 0 Resigned", "ended TwoPieces"]);
    assert_eq!(script.result(), (set(&[X, Y]), vec![3, 1, 1], EndReason::TwoPieces));
}

/// There and back, for both: every position comes again after four plies. The very first does
/// not, for in it the opening player may not capture.
const SHUTTLE: [&str; 4] = ["8xc1-b1", "8xc5-b4", "8xb1-c1", "8xb4-c5"];

#[test]
fn the_third_occurrence_of_a_position_is_a_draw() {
    let mut script = Script::without_clock(2, "").after(&SHUTTLE).after(&SHUTTLE);
    assert_eq!(script.table.outcome(), None);
    assert_eq!(names(&script.play(SHUTTLE[0])), ["moved seat 0", "ended Repetition"]);
    assert_eq!(script.result(), (set(&[O, X]), vec![1, 1], EndReason::Repetition));
}

#[test]
fn without_the_rule_of_repetition_the_game_goes_on() {
    let mut script = Script::without_clock(2, "");
    script.table = script.table.without_repetition();
    let mut script = script.after(&SHUTTLE).after(&SHUTTLE).after(&SHUTTLE);
    assert_eq!(names(&script.play(SHUTTLE[0])), ["moved seat 0"]);
}

#[test]
fn talk_about_a_draw_does_not_make_a_position_occur_again() {
    let mut script = Script::without_clock(2, "").after(&SHUTTLE);
    let offers = [(O, OfferKind::Draw, X), (O, OfferKind::Abort, X), (X, OfferKind::Abort, O)];
    for (id, (seat, what, other)) in (1..).zip(offers) {
        script.act(&Act::Offer { seat, what });
        script.act(&Act::Answer { seat: other, offer: OfferId(id), accept: false });
    }
    script.act(&Act::Offer { seat: X, what: OfferKind::Draw });
    let kinds = script.play(SHUTTLE[0]);
    assert_eq!(names(&kinds), ["moved seat 0", "closed Moved seat 0"]);
    let script = script.after(&SHUTTLE[1..]);
    assert_eq!(script.table.outcome(), None);
}

#[test]
fn an_offer_that_the_repeating_move_closes_is_closed_before_the_end() {
    let mut script = Script::without_clock(2, "").after(&SHUTTLE).after(&SHUTTLE);
    script.act(&Act::Offer { seat: X, what: OfferKind::Draw });
    let kinds = script.play(SHUTTLE[0]);
    assert_eq!(names(&kinds), ["moved seat 0", "closed Moved seat 0", "ended Repetition"]);
}

#[test]
fn a_position_with_other_seats_in_is_another_one() {
    let shuttle = ["12xd1-d2", "12xg4-f4", "12xd2-d1", "12xf4-g4"];
    let with_cy = ["12xd1-d2", "12xg4-f4", "12xa4-b4", "12xd2-d1", "12xf4-g4", "12xb4-a4"];
    let mut script = Script::without_clock(3, "").after(&with_cy).after(&with_cy);
    script.act(&resign(Y));
    // The position after the departure counts once, and then each time it is come back to.
    let script = script.after(&shuttle);
    assert_eq!(script.table.outcome(), None);
    let script = script.after(&shuttle);
    assert_eq!(script.result(), (set(&[O, X]), vec![1, 1, 3], EndReason::Repetition));
    assert_eq!(script.table.ply(), 20);
}
