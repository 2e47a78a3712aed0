//! How near seats are to their aim.

use adamant_rules::game::Game;

use super::positions::{arranged, seat_of, start};

/// A chain of O from edge to edge but for its last point but one, and a piece that is not in it.
const NEARLY: &str = "q13:O p12:O o11:O n10:O m9:O l8:O k7:O i5:O";

fn of(pieces: &str, letter: &str) -> i32 {
    arranged(2, pieces, "O").progress(seat_of(letter))
}

#[test]
fn all_begin_equally_near() {
    for players in 2..=3 {
        let position = start(players);
        let near = |letter| position.progress(seat_of(letter));
        assert!(["X", "Y"][..players - 1].iter().all(|letter| near(letter) == near("O")));
    }
}

#[test]
fn fewer_gaps_are_nearer_than_any_coming_forward() {
    let whole = of(&format!("{NEARLY} j6:O"), "O");
    let one_gap = of(&format!("{NEARLY} m17:O"), "O");
    let two_gaps = of(&format!("{} n6:O", NEARLY.replace("k7:O ", "")), "O");
    assert!(whole > one_gap && one_gap > two_gaps, "{whole}, {one_gap}, {two_gaps}");
}

#[test]
fn pieces_outside_the_chain_come_forward_to_its_gap() {
    let with = |spare: &str| of(&format!("{NEARLY} {spare}:O"), "O");
    let by_step = ["m17", "n16", "o15", "p14", "s11", "r10", "q9", "p8", "o7", "n6"].map(with);
    assert!(by_step.is_sorted_by(|before, after| before < after), "{by_step:?}");
}

#[test]
fn enemy_pieces_in_the_way_cost_progress() {
    let open = of(&format!("{NEARLY} a5:X"), "O");
    // The last point can be reached by another way, the first two cannot be left by any.
    let round = of(&format!("{NEARLY} j6:X"), "O");
    assert!(open > round, "{open}, {round}");
    let row = "e9:X g9:X i9:X k9:X m9:X o9:X q9:X s9:X u9:X";
    let barred = of(&format!("{row} l8:O n10:O"), "O");
    assert!(round > barred, "{round}, {barred}");
    // Behind the bar there is still something to work for.
    assert!(of(&format!("{row} l8:O n10:O o11:O"), "O") > barred);
}
