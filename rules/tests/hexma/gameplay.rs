//! The course of a game: the start, steps and hops, who is passed over, and how it ends.

use adamant_rules::{
    Consequence, EndReason, Kind, Options, Seat,
    game::{Game, Mark},
    games::hexma::{Hexma, PositionError},
    options::OptionError,
};

use super::positions::{arranged, play, refused, seat_of, start, targets, written};

fn end(winners: &str, reason: EndReason) -> Consequence {
    Consequence::End { winners: winners.split(',').map(seat_of).collect(), reason }
}

#[test]
fn two_or_three_play_and_nothing_can_be_chosen() {
    for players in 2..=3 {
        let complete = Kind::Hexma.complete(&Options::new(), players);
        assert_eq!(complete, Ok(Options::new()));
    }
    for players in [0, 1, 4] {
        let refusal = Kind::Hexma.complete(&Options::new(), players).unwrap_err();
        assert!(matches!(refusal, OptionError::Players { min: 2, max: 3, .. }));
    }
    let size = Options::parse("-size=4", Hexma::OPTIONS).unwrap_err();
    assert_eq!(size, OptionError::Unknown { name: "size".into() });
    let mut options = Options::new();
    options.set("size", adamant_rules::options::OptionValue::Number(4));
    assert!(Kind::Hexma.complete(&options, 2).is_err());
    assert!(Hexma::complete(&options, 2).is_err());
}

#[test]
fn seats_take_turns() {
    let mut position = start(3);
    for (notation, next) in [("k13-j12", "X"), ("d8-e9", "Y"), ("t8-u9", "O"), ("j12-k13", "X")] {
        assert_eq!(position.pending(), None);
        play(&mut position, notation).unwrap();
        assert_eq!(position.to_move(), seat_of(next));
    }
    assert_eq!(refused(&position, "k13-j12"), "the piece on k13 is not yours");
}

#[test]
fn a_piece_steps_or_hops_but_not_both() {
    let position = arranged(2, "m9:O o9:X m11:X a5:X", "O");
    let steps = ["l8", "n8", "k9", "l10", "n10"];
    for to in steps {
        assert!(play(&mut position.clone(), &format!("m9-{to}")).is_ok(), "{to}");
    }
    assert_eq!(targets(&position, "m9"), ["l8", "n8", "k9", "q9", "l10", "n10"]);
    assert_eq!(position.to_move(), seat_of("O"));
    // A step to l10 would be followed by a hop over m11.
    assert!(refused(&position, "m9-n12").contains("no step and no series"));
    // The hop to q9 would be followed by a step.
    assert!(refused(&position, "m9-s9").contains("no step and no series"));
}

#[test]
fn hops_turn_and_pass_over_pieces_of_every_colour() {
    // Right over X, down over O, left over Y, and down over Y again.
    let mut position = arranged(3, "m5:O o5:X p6:O l8:Y m7:Y", "O");
    for (to, legal) in [("q5", true), ("o7", true), ("k7", true), ("m9", true), ("i9", false)] {
        assert_eq!(play(&mut position.clone(), &format!("m5-{to}")).is_ok(), legal, "{to}");
    }
    play(&mut position, "m5-q5-o7-k7").unwrap();
    assert_eq!(written(&position), "o5:X p6:O k7:O m7:Y l8:Y", "nothing is captured");
}

#[test]
fn only_single_pieces_with_an_empty_point_beyond_are_hopped_over() {
    let position = arranged(2, "e9:O g9:X i9:X f8:X m9:X", "O");
    assert_eq!(targets(&position, "e9"), ["g7", "d8", "d10", "f10"]);
    // m1 and m17 are at the ends of the board: nothing lies beyond.
    assert_eq!(targets(&arranged(2, "n2:O m1:X", "O"), "n2"), ["l2", "m3", "o3"]);
}

#[test]
fn a_round_trip_ends_elsewhere() {
    // Round a triangle of hops and back to the start.
    let mut position = arranged(2, "m9:O n8:X m7:X l8:X", "O");
    assert_eq!(targets(&position, "m9"), ["k7", "o7", "k9", "o9", "l10", "n10"]);
    assert!(refused(&position, "m9-o7-k7-m9").contains("not end where it began"));
    assert!(play(&mut position, "m9-o7-k7-m9-o7").is_ok());
}

#[test]
fn a_chain_from_home_to_away_wins() {
    let chain = "q13:O p12:O o11:O n10:O m9:O k7:O j6:O i5:O";
    let mut position = arranged(2, &format!("{chain} l8:X m7:O a13:X"), "O");
    assert_eq!(position.pending(), None);
    play(&mut position, "m9-k9").unwrap();
    assert_eq!(position.pending(), None);

    let mut position = arranged(2, &format!("{chain} m7:O a13:X"), "O");
    play(&mut position, "m7-l8").unwrap();
    assert!(position.connected(seat_of("O")) && !position.connected(seat_of("X")));
    assert_eq!(position.pending(), Some(end("O", EndReason::Connected)));
    assert_eq!(position.to_move(), seat_of("X"), "the turn has passed on");
}

#[test]
fn two_players_connect_the_same_edges_and_three_their_own() {
    // Along the edge at the left, from the lowest corner to the highest.
    let left = "a13:# b12:# c11:# d10:# e9:# d8:# c7:# b6:# a5:#";
    // From the left to the right.
    let across = "e9:# g9:# i9:# k9:# m9:# o9:# q9:# s9:# u9:#";
    // From the upper right to the lower left.
    let falling = "q5:# p6:# o7:# n8:# m9:# l10:# k11:# j12:# i13:#";
    for (players, chain, winners) in [
        (2, left, "O,X"),
        (2, across, ""),
        (2, falling, "O,X"),
        (3, left, "O"),
        (3, across, "X,Y"),
        (3, falling, "O,Y"),
    ] {
        for letter in &["O", "X", "Y"][..players] {
            let position = arranged(players, &chain.replace('#', letter), letter);
            let wins = winners.contains(letter);
            assert_eq!(position.connected(seat_of(letter)), wins, "{letter} of {players}: {chain}");
        }
    }
}

#[test]
fn corners_belong_to_both_edges_that_meet_there() {
    // For Y, e9 is the foot of the away edge and q5 the foot of the home edge.
    let chain = "e9:Y g9:Y i9:Y j8:Y k7:Y m7:Y n6:Y o5:Y";
    assert!(!arranged(3, chain, "O").connected(seat_of("Y")));
    assert!(arranged(3, &format!("{chain} q5:Y"), "O").connected(seat_of("Y")));
    // The tips of the star, from corner to corner along the board's edge.
    let rim = "y5:O x6:O w7:O v8:O u9:O v10:O w11:O x12:O y13:O";
    assert!(arranged(2, rim, "X").connected(seat_of("O")));
}

#[test]
fn gaps_and_other_colours_break_a_chain() {
    let chain = "q13:O p12:O o11:O n10:O m9:# l8:O k7:O j6:O i5:O";
    for (between, connected) in [("m9:O", true), ("m9:X", false), ("", false)] {
        let position = arranged(2, &chain.replace("m9:#", between), "X");
        assert_eq!(position.connected(seat_of("O")), connected, "{between}");
    }
}

/// O is shut in at the lower end.
const SHUT_IN: &str = "m17:O l16:X n16:Y k15:X o15:Y";

#[test]
fn a_seat_without_moves_is_skipped() {
    let mut position = arranged(3, &format!("{SHUT_IN} m15:Y y5:X"), "X");
    assert_eq!(position.pending(), None, "it is not yet O's turn");
    play(&mut position, "y5-x6").unwrap();
    play(&mut position, "m15-m13").unwrap_err();
    play(&mut position, "m15-l14").unwrap();
    assert_eq!(position.pending(), Some(Consequence::Skip(seat_of("O"))));
    assert!(position.sources().is_empty() && position.legal_moves(9).is_empty());
    let before = written(&position);
    position.skip();
    assert_eq!(written(&position), before);
    assert_eq!(position.to_move(), seat_of("X"));
    assert_eq!(position.pending(), None);
    // As soon as there is room again, O moves.
    play(&mut position, "k15-i13").unwrap_err();
    play(&mut position, "k15-j14").unwrap();
    play(&mut position, "o15-n14").unwrap();
    assert_eq!(position.to_move(), seat_of("O"));
    assert_eq!(position.pending(), None);
    assert_eq!(targets(&position, "m17"), ["i13", "m13", "k15", "o15"]);
}

#[test]
fn a_seat_with_moves_cannot_pass() {
    assert!(start(2).parse_move("pass").is_err());
}

#[test]
fn a_draw_when_all_seats_are_stuck() {
    let cells = start(2).layout().cells;
    let name = |index: usize| start(2).cell_name(cells[index].cell);
    let letters = ["O", "X", "Y"];
    let pieces: Vec<_> =
        (0..cells.len()).map(|index| format!("{}:{}", name(index), letters[index % 3])).collect();
    let mut position = arranged(3, &pieces.join(" "), "Y");
    assert!(!letters.iter().any(|seat| position.connected(seat_of(seat))));
    assert_eq!(position.pending(), Some(end("O,X,Y", EndReason::Stuck)));
    position.remove(seat_of("X"));
    assert_eq!(position.pending(), Some(end("O,Y", EndReason::Stuck)));
    // One empty point is room enough.
    assert_eq!(arranged(3, &pieces[1..].join(" "), "Y").pending(), None);
}

#[test]
fn seats_that_left_do_not_keep_a_game_going() {
    // Only Y could reach the one empty point, m1.
    let cells = start(2).layout().cells;
    let pieces: Vec<_> = cells[1..]
        .iter()
        .map(|at| start(2).cell_name(at.cell).to_string())
        .enumerate()
        .map(|(index, name)| match name.as_str() {
            "l2" | "n2" | "k3" | "o3" => format!("{name}:Y"),
            _ => format!("{name}:{}", ["O", "X", "Y"][index % 3]),
        })
        .collect();
    let mut position = arranged(3, &pieces.join(" "), "O");
    assert_eq!(position.pending(), Some(Consequence::Skip(seat_of("O"))));
    position.remove(seat_of("Y"));
    assert_eq!(position.pending(), Some(end("O,X", EndReason::Stuck)));
}

#[test]
fn the_last_seat_wins_even_without_a_move() {
    let mut position = arranged(3, "m17:O l16:X n16:Y k15:X o15:Y", "X");
    position.remove(seat_of("X"));
    assert_eq!(position.pending(), None);
    assert_eq!(position.to_move(), seat_of("Y"));
    position.remove(seat_of("Y"));
    assert_eq!(position.to_move(), seat_of("O"));
    assert_eq!(position.pending(), Some(end("O", EndReason::LastPlayer)));
}

#[test]
fn pieces_of_a_seat_that_left_stay_and_can_be_hopped_over() {
    let mut position = start(3);
    play(&mut position, "k13-j12").unwrap();
    let (before, hash) = (written(&position), position.hash());
    position.remove(seat_of("X"));
    assert_eq!(written(&position), before);
    assert_ne!(position.hash(), hash);
    assert_eq!(position.hash(), position.hash_from_scratch());
    assert_eq!(position.to_move(), seat_of("Y"));
    assert_eq!(refused(&position, "d8-e9"), "the piece on d8 is not yours");
    play(&mut position, "t8-u9").unwrap();
    assert_eq!(position.to_move(), seat_of("O"), "X has no turn any more");

    let mut position = arranged(3, "m9:O k9:X i9:X o9:X y5:Y", "O");
    position.remove(seat_of("X"));
    assert_eq!(position.to_move(), seat_of("O"), "it stays O's turn");
    let reached = targets(&position, "m9");
    assert!(reached.contains(&"q9".to_owned()), "over o9");
    assert!(!reached.contains(&"i9".to_owned()), "i9 is still taken");
}

#[test]
fn the_hash_covers_all_that_decides_legality() {
    let base = || arranged(3, "m9:O k9:X i9:Y", "O");
    let without = |seat| {
        let mut position = base();
        position.remove(seat_of(seat));
        position
    };
    let hashes = [
        base().hash(),
        arranged(3, "m9:O k9:X i9:Y", "X").hash(),
        arranged(3, "m9:O k9:X i9:Y", "Y").hash(),
        arranged(3, "m9:O k9:Y i9:X", "O").hash(),
        arranged(3, "m9:O k9:X g9:Y", "O").hash(),
        arranged(3, "m9:O k9:X", "O").hash(),
        arranged(2, "m9:O k9:X", "O").hash(),
        {
            let mut position = arranged(3, "m9:O k9:X", "O");
            position.remove(seat_of("Y"));
            position.hash()
        },
        without("X").hash(),
        without("Y").hash(),
        without("O").hash(),
    ];
    let different: std::collections::BTreeSet<_> = hashes.iter().collect();
    assert_eq!(different.len(), hashes.len());
}

#[test]
fn the_same_position_has_the_same_hash_on_every_way_to_it() {
    let mut there_and_back = start(2);
    let before = there_and_back.clone();
    for notation in ["k13-j12", "k5-j6", "j12-k13", "j6-k5"] {
        play(&mut there_and_back, notation).unwrap();
    }
    assert_eq!(there_and_back, before);
    assert_eq!(there_and_back.hash(), before.hash());
}

#[test]
fn touched_cells_are_where_the_piece_was_and_is() {
    let position = arranged(2, "q11:O p12:X m13:X", "O");
    let mv = position.parse_move("q11-o13-k13").unwrap();
    let [from, to] = ["q11", "k13"].map(|name| position.cell(name).unwrap());
    assert_eq!(position.affected_cells(&mv), [(from, Mark::From), (to, Mark::To)]);
}

#[test]
fn pieces_that_cannot_stand_are_refused() {
    let arrange = |pieces: &[(&str, char)], players, to_move| {
        Hexma::from_setup(players, pieces, Seat::new(to_move).unwrap()).unwrap_err()
    };
    let no_cell = PositionError::NoSuchCell { name: "b5".into() };
    assert_eq!(arrange(&[("b5", 'O')], 2, 0), no_cell);
    let twice = PositionError::CellTwice { name: "M9".into() };
    assert_eq!(arrange(&[("m9", 'O'), ("M9", 'X')], 2, 0), twice);
    for letter in ['Y', 'Z', '.', '\u{e9}'] {
        assert_eq!(arrange(&[("m9", letter)], 2, 0), PositionError::NotALetter { letter });
    }
    assert_eq!(arrange(&[], 2, 2), PositionError::NobodyToMove);
    for players in [0, 1, 4] {
        assert_eq!(arrange(&[], players, 0), PositionError::Players { players });
    }
    let lower_case = Hexma::from_setup(3, &[("M9", 'y')], seat_of("Y")).unwrap();
    assert_eq!(written(&lower_case), "m9:Y");
}
