//! Counting beats timing on a busy machine: what the referee allocates for a move.

use adamant_bench::played;
use adamant_rules::Kind;

/// Deciding a legal move works on copies of fixed size: the answer itself is a list with room for
/// all that a move can lead to.
#[test]
fn deciding_a_legal_move_does_not_allocate() {
    for (kind, players, options) in [
        (Kind::Adamas, 2, ""),
        (Kind::Adamas, 2, "-prog_cap"),
        (Kind::Adamas, 3, "-size=5"),
        (Kind::Hexma, 2, ""),
        (Kind::Hexma, 3, ""),
        (Kind::Stymie, 2, "-size=12"),
        (Kind::Diam, 2, "-board=12x6 -pieces=4x6"),
    ] {
        for middle in &played(kind, players, options, 40).middles {
            let act = middle.act();
            let mut legal = false;
            let allocated = allocation_counter::measure(|| {
                legal = middle.table.decide(&act, middle.table.last_at() + 10).is_ok();
            });
            assert!(legal, "{}", middle.notation);
            assert_eq!(allocated.count_total, 0, "{kind:?} {options} {}", middle.notation);
        }
    }
}

/// The control: what allocates is seen to.
#[test]
fn an_allocation_is_counted() {
    let game = played(Kind::Adamas, 2, "", 4);
    let allocated = allocation_counter::measure(|| drop(game.middles[0].notation.clone()));
    assert_eq!(allocated.count_total, 1);
}
