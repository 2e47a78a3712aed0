//! How near players are to their aim.

use adamant_rules::{Seat, game::Game};

use super::positions::{A, X, arranged, start};

fn of(stacks: &str, to_move: Seat) -> [i32; 2] {
    let position = arranged("", stacks, to_move);
    [A, X].map(|seat| position.progress(seat))
}

#[test]
fn both_begin_with_nothing() {
    assert_eq!([A, X].map(|seat| start("").progress(seat)), [0, 0]);
}

#[test]
fn pieces_that_a_like_one_can_oppose_are_counted() {
    let [none, _] = of("1:XA 5:XY", A);
    let [one, _] = of("1:XA", A);
    let [two, other] = of("1:XA 3:YB", A);
    assert_eq!(other, 0);
    assert!(none < one && one < two, "{none}, {one}, {two}");
    // Nothing can come to be opposite of a piece on the first level, or of a covered opposite.
    assert_eq!(of("1:A 2:B", A), [0, 0]);
}

#[test]
fn winning_moves_count_most_for_the_seat_to_move() {
    let [prepared, _] = of("1:XA 3:YB", X);
    // Placing A on 5, on the only piece there, would win.
    let [threat, _] = of("1:XA 5:Y", X);
    let [win, _] = of("1:XA 5:Y", A);
    assert!(prepared < threat && threat < win, "{prepared}, {threat}, {win}");
    // So would moving it there from beside.
    let [two_ways, _] = of("1:XA 5:Y 6:A", X);
    assert!(threat < two_ways && two_ways < win, "{threat}, {two_ways}");
}
