//! How many moves there are, where the numbers are known.

use std::collections::BTreeSet;

use adamant_rules::game::{Game, MoveCount};

use super::positions::{arranged, play, start};

#[test]
fn two_players_on_side_three() {
    let position = start("", 2);
    assert_eq!(position.count_moves(), MoveCount::Exactly(6_434));
    let openings = position.legal_moves(usize::MAX);
    assert_eq!(openings.len(), 6_434);

    let replies: u128 = openings
        .iter()
        .map(|opening| {
            let mut position = position.clone();
            position.apply(opening);
            match position.count_moves() {
                MoveCount::Exactly(replies) => replies,
                MoveCount::NotCounted(why) => panic!("{why}"),
            }
        })
        .sum();
    assert_eq!(replies, 10_525_879);
}

#[test]
fn three_players_on_side_four() {
    assert_eq!(start("", 3).count_moves(), MoveCount::Exactly(2_704_155));
}

#[test]
fn the_greatest_numbers_there_can_be() {
    // The sums of binomials, worked out with integers of any size: 99 pieces and 27 destinations
    // from a corner, 42 from the middle.
    let corner = start("-size=8 -pieces=99", 2);
    assert_eq!(corner.count_moves(), MoveCount::Exactly(2_334_317_668_639_388_069_721_506_499));
    let stacks = format!("h8:{} b1:X", "O".repeat(99));
    let middle = arranged("-size=8", 2, &stacks, "O");
    assert_eq!(
        middle.count_moves(),
        MoveCount::Exactly(1_447_595_523_245_255_206_193_912_243_108_768_999)
    );
}

#[test]
fn merges_take_from_two_or_more() {
    // Both see four empty cells; one piece or two of a1 join the one of b3.
    let position = arranged("-size=2", 2, "a1:OO b3:O c1:X", "O");
    let merges: Vec<_> = position
        .legal_moves(usize::MAX)
        .iter()
        .map(ToString::to_string)
        .filter(|notation| notation.split('-').next().unwrap().contains(','))
        .collect();
    assert_eq!(
        merges,
        [
            "a1,b3-a2",
            "2xa1,b3-a2",
            "a1,b3-b1",
            "2xa1,b3-b1",
            "a1,b3-b2",
            "2xa1,b3-b2",
            "a1,b3-c2",
            "2xa1,b3-c2",
        ]
    );
}

#[test]
fn progressive_captures_are_not_counted() {
    assert!(matches!(start("-prog_cap", 2).count_moves(), MoveCount::NotCounted(_)));
}

#[test]
fn a_short_list_comes_at_once() {
    let mut position = start("-size=8 -pieces=99", 2);
    assert_eq!(position.legal_moves(0), []);
    let some = position.legal_moves(500);
    assert_eq!(some.len(), 500);
    assert_eq!(position.legal_moves(200), some[..200]);
    play(&mut position, "50xh1-h9").unwrap();
    assert_eq!(position.legal_moves(500).len(), 500);
}

#[test]
fn progressive_captures_are_listed_first_in_their_splits_and_each_move_once() {
    let position = arranged("-size=2 -prog_cap", 2, "b1:OOO b2:XXX c2:X", "O");
    let listed: Vec<_> = position.legal_moves(usize::MAX).iter().map(ToString::to_string).collect();
    // Up to three pieces go to a1 and c1; or one to three capture b2 and the others go there.
    assert_eq!(listed.len(), 9 + 10);
    assert_eq!(listed.iter().filter(|notation| notation.contains("b2")).count(), 10);
    assert!(listed.contains(&"b1-b2,a1,c1".to_owned()));
    let different: BTreeSet<_> = listed.iter().collect();
    assert_eq!(different.len(), listed.len());
}
