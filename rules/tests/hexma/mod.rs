//! Hexma, tested from outside: what its positions say and do.

mod reference_rules;
mod vectors;

use adamant_rules::{
    Cell, Consequence, EndReason, IllegalMove, Kind, Options, Seat, SeatSet,
    game::{CellShape, Game, Mark},
    games::hexma::{Hexma, PositionError},
    options::OptionError,
    record::{ReplayStep, TextRecord},
    table::Outcome,
};
use insta::assert_snapshot;

use crate::games::{
    self, are_at, cells, count_shown, opening, picks, play, refused, shown, written,
};

/// The opening position.
fn start(players: usize) -> Hexma {
    opening("", players)
}

/// A position in the middle of a game, written `m17:O m1:X`.
fn arranged(players: usize, pieces: &str, to_move: &str) -> Hexma {
    let pieces: Vec<_> =
        cells(pieces).into_iter().map(|(cell, letter)| (cell, letter.parse().unwrap())).collect();
    Hexma::from_setup(players, &pieces, seat_of(to_move)).unwrap()
}

/// The names of the points that a piece can go to.
fn targets(position: &Hexma, from: &str) -> Vec<String> {
    let targets = position.targets(position.cell(from).unwrap());
    targets.iter().map(|target| position.cell_name(target.cell).to_string()).collect()
}

fn seat_of(letter: &str) -> Seat {
    games::seat_of("OXY", letter)
}

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
    assert_eq!(position.sample_moves(5, &mut picks(1)), []);
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

#[test]
fn named_landing_points_are_looked_at_and_forgotten() {
    let position = arranged(2, "q11:O p12:X m13:X n12:X", "O");
    let plain = position.parse_move("q11-k13").unwrap();
    assert!(position.validate(&plain).is_ok());
    assert_eq!(position.parse_move("q11-o13-k13"), Ok(plain));
    assert_eq!(position.parse_move("Q11-O13-M11-O13-K13"), Ok(plain), "going back is a way too");
    assert_eq!(position.parse_move("q11-o13-q11-o13-k13"), Ok(plain), "and so is the start");
}

#[test]
fn some_of_the_landing_points_are_enough() {
    let position = arranged(2, "q11:O p12:X m13:X i13:X", "O");
    let plain = position.parse_move("q11-g13").unwrap();
    assert!(position.validate(&plain).is_ok());
    for written in ["q11-o13-k13-g13", "q11-o13-g13", "q11-k13-g13", "q11-k13-q11-g13"] {
        assert_eq!(position.parse_move(written), Ok(plain), "{written}");
    }
    assert_eq!(plain.to_string(), "q11-g13");
}

#[test]
fn every_leg_must_be_reached_by_hops() {
    let position = arranged(2, "q11:O p12:X m13:X o11:O m11:X h12:X", "O");
    let no_hops = |from, to| format!("no series of hops leads from {from} to {to}");
    for (written, sentence) in [
        ("q11-o13-p12-k13", "p12 is occupied".to_owned()),
        ("q11-k13-q13", no_hops("k13", "q13")),
        ("q11-o13-q13", no_hops("o13", "q13")),
        ("q11-o13-o13", no_hops("o13", "o13")),
        ("q11-q13-o13", no_hops("q11", "q13")),
        ("q11-q9-o13", no_hops("q11", "q9")),
        ("q11-u11-y13", no_hops("q11", "u11")),
        ("q11-o13-q11", "a move may pass q11 again but not end where it began".to_owned()),
        ("q11-m11-k13", "m11 is occupied".to_owned()),
        ("h12-l12-p12", "the piece on h12 is not yours".to_owned()),
        ("i11-m11-q11", "there is no piece on i11".to_owned()),
        ("q11-o13-k13-z1", "there is no cell z1 on this board".to_owned()),
    ] {
        assert_eq!(refused(&position, written), sentence, "{written}");
    }
}

#[test]
fn every_broken_rule_has_its_own_sentence() {
    let position = arranged(2, "q11:O p12:X m13:X o11:O m11:X h12:X", "O");
    for (written, sentence) in [
        ("a5-c5", "there is no piece on a5"),
        ("a5-a5", "there is no piece on a5"),
        ("p12-q13", "the piece on p12 is not yours"),
        ("q11-q11", "a move may pass q11 again but not end where it began"),
        ("q11-p12", "p12 is occupied"),
        ("q11-o11", "o11 is occupied"),
        ("q11-m13", "m13 is occupied"),
        ("q11-q13", "no step and no series of hops leads from q11 to q13"),
        ("q11-u11", "no step and no series of hops leads from q11 to u11"),
        ("q11-i13", "no step and no series of hops leads from q11 to i13"),
        ("q11-a5", "no step and no series of hops leads from q11 to a5"),
        ("q11-b5", "there is no cell b5 on this board"),
        ("q11-a1", "there is no cell a1 on this board"),
        ("q11-q0", "there is no cell q0 on this board"),
        ("q11-q09", "there is no cell q09 on this board"),
        ("q11-m18", "there is no cell m18 on this board"),
        ("q11-z5", "there is no cell z5 on this board"),
        ("q11-q123456789", "there is no cell q1234567 on this board"),
    ] {
        assert_eq!(refused(&position, written), sentence, "{written}");
    }
}

#[test]
fn a_way_is_as_long_as_there_is_room() {
    let position = arranged(2, "m9:O l8:X", "O");
    // Back and forth.
    let longest = format!("m9{}", "-k7-m9".repeat(84)) + "-k7";
    assert!((506..=512).contains(&longest.len()));
    assert_eq!(position.parse_move(&longest), position.parse_move("m9-k7"));
    assert_eq!(position.parse_move(&format!("{longest}-m9-k7")), Err(IllegalMove::TOO_LONG));
}

#[test]
fn a_cell_of_no_board_has_no_name_and_no_targets() {
    let position = start(2);
    for number in [121, 128, 255, 256, 400, u16::MAX] {
        assert_eq!(position.cell_name(Cell(number)).as_str(), "?");
        assert_eq!(position.targets(Cell(number)), []);
    }
}

#[test]
fn the_start_for_two() {
    assert_snapshot!(start(2).draw(&[]), @r"
         abcdefghijklmnopqrstuvwxy
         | | | | | | | | | | | | |
     1               X               1
     2              X X              2
     3             X X X             3
     4            X X X X            4
     5   . . . . . X X X . . . . .   5
     6    . . . . . . . . . . . .    6
     7     . . . . . . . . . . .     7
     8      . . . . . . . . . .      8
     9       . . . . . . . . .       9
    10      . . . . . . . . . .      10
    11     . . . . . . . . . . .     11
    12    . . . . . . . . . . . .    12
    13   . . . . . O O O . . . . .   13
    14            O O O O            14
    15             O O O             15
    16              O O              16
    17               O               17
         | | | | | | | | | | | | |
         abcdefghijklmnopqrstuvwxy
    ");
}

#[test]
fn the_start_for_three() {
    assert_snapshot!(start(3).draw(&[]), @r"
         abcdefghijklmnopqrstuvwxy
         | | | | | | | | | | | | |
     1               .               1
     2              . .              2
     3             . . .             3
     4            . . . .            4
     5   X X X X . . . . . Y Y Y Y   5
     6    X X X X . . . . Y Y Y Y    6
     7     X X X . . . . . Y Y Y     7
     8      X X . . . . . . Y Y      8
     9       . . . . . . . . .       9
    10      . . . . . . . . . .      10
    11     . . . . . . . . . . .     11
    12    . . . . . . . . . . . .    12
    13   . . . . . O O O . . . . .   13
    14            O O O O            14
    15             O O O             15
    16              O O              16
    17               O               17
         | | | | | | | | | | | | |
         abcdefghijklmnopqrstuvwxy
    ");
}

/// The board of the help text that Y has won.
#[test]
fn a_won_game() {
    let pieces = "g5:X k5:Y m5:Y o5:Y q5:Y h6:X j6:Y l6:O g7:O i7:Y k7:X m7:O h8:Y j8:Y l8:X n8:X \
                  e9:Y g9:Y i9:O k9:Y m9:O o9:X q9:O h10:O j10:X l10:O n10:Y r10:O g11:X i11:Y \
                  k11:X m11:O q11:O h12:X p12:X m13:O q13:X o15:O";
    assert_snapshot!(arranged(3, pieces, "O").draw(&[]), @r"
         abcdefghijklmnopqrstuvwxy
         | | | | | | | | | | | | |
     1               .               1
     2              . .              2
     3             . . .             3
     4            . . . .            4
     5   . . . X . Y Y Y Y . . . .   5
     6    . . . X Y O . . . . . .    6
     7     . . O Y X O . . . . .     7
     8      . . Y Y X X . . . .      8
     9       Y Y O Y O X O . .       9
    10      . . O X O Y . O . .      10
    11     . . X Y X O . O . . .     11
    12    . . . X . . . X . . . .    12
    13   . . . . . . O . X . . . .   13
    14            . . . .            14
    15             . . O             15
    16              . .              16
    17               .               17
         | | | | | | | | | | | | |
         abcdefghijklmnopqrstuvwxy
    ");
}

#[test]
fn marks_are_seen_without_colours() {
    let position = arranged(2, "a5:O b6:X y5:O m1:X m17:O m9:O k9:X", "O");
    let cell = |name| position.cell(name).unwrap();
    let marks = [
        (cell("a5"), Mark::From),
        (cell("y5"), Mark::To),
        (cell("k9"), Mark::Captured),
        (cell("m9"), Mark::To),
        (cell("m9"), Mark::Cursor),
        (cell("m9"), Mark::Chosen),
        (cell("m1"), Mark::Chosen),
        (cell("i9"), Mark::Target),
        (cell("m17"), Mark::Target),
    ];
    let text = position.draw(&marks).to_string();
    assert!(text.lines().count() <= 24);
    assert!(text.lines().all(|line| line.len() <= 80));
    assert_snapshot!(text, @r"
         abcdefghijklmnopqrstuvwxy
         | | | | | | | | | | | | |
     1              =X               1
     2              . .              2
     3             . . .             3
     4            . . . .            4
     5  -O . . . . . . . . . . .+O   5
     6    X . . . . . . . . . . .    6
     7     . . . . . . . . . . .     7
     8      . . . . . . . . . .      8
     9       . .:.*X>O . . . .       9
    10      . . . . . . . . . .      10
    11     . . . . . . . . . . .     11
    12    . . . . . . . . . . . .    12
    13   . . . . . . . . . . . . .   13
    14            . . . .            14
    15             . . .             15
    16              . .              16
    17              :O               17
         | | | | | | | | | | | | |
         abcdefghijklmnopqrstuvwxy
    ");
}

#[test]
fn spans_know_what_they_show() {
    let position = arranged(2, "c5:O d6:X", "O");
    let drawing = position.draw(&[(position.cell("d6").unwrap(), Mark::Target)]);
    assert_eq!(shown(&position, &drawing, "c5"), [("O", Some(0), None)]);
    assert_eq!(shown(&position, &drawing, "d6"), [(":X", Some(1), Some(Mark::Target))]);
    assert_eq!(shown(&position, &drawing, "e7"), [(".", None, None)]);
    assert_eq!(count_shown(&drawing), 121);
}

#[test]
fn letters_stand_above_their_columns() {
    let position = start(2);
    let drawing = position.draw(&[]).to_string();
    let lines: Vec<_> = drawing.lines().map(str::as_bytes).collect();
    for at in position.layout().cells {
        let name = position.cell_name(at.cell).to_string();
        let (letter, number) = name.split_at(1);
        let line = lines[number.parse::<usize>().unwrap() + 1];
        let column = lines[0].iter().position(|&byte| byte == letter.as_bytes()[0]).unwrap();
        assert!(b".OX".contains(&line[column]), "{name}");
        let line = String::from_utf8_lossy(line);
        assert!(line.trim().starts_with(number) && line.ends_with(number), "{name}");
    }
    assert_eq!(lines[0], *lines.last().unwrap());
}

#[test]
fn neighbours_are_one_apart_and_row_one_is_at_the_top() {
    let position = start(2);
    let height = 3.0_f64.sqrt();
    let known = [("m9", 0.0, 0.0), ("a5", -6.0, -2.0 * height), ("m17", 0.0, 4.0 * height)];
    are_at(&position, "m9", &["k9", "o9", "l8", "n8", "l10", "n10"], &known);
    let layout = position.layout();
    assert_eq!(layout.cells.len(), 121);
    assert!(layout.cells.iter().all(|at| at.shape == CellShape::Point));
    assert!(layout.cells.windows(2).all(|two| two[0].cell < two[1].cell));
}

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

const CONNECTION: &str = include_str!("records/connection.txt");
const BLOCKADE: &str = include_str!("records/blockade.txt");

/// All steps of a record, or why it cannot be played.
fn replay(text: &str) -> Result<Vec<ReplayStep>, String> {
    let record = TextRecord::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let steps: Result<Vec<_>, _> = record.replay(true).collect();
    steps.map_err(|bad| format!("ply {}, {}: {}", bad.ply, bad.notation, bad.why))
}

fn result(step: &ReplayStep) -> (SeatSet, EndReason) {
    match &step.outcome {
        Some(Outcome::Ended { winners, reason, .. }) => (*winners, *reason),
        other => panic!("the game has not ended: {other:?}"),
    }
}

fn told(step: &ReplayStep) -> (Option<Seat>, &str, Option<Seat>) {
    (step.seat, step.notation.as_str(), step.to_move)
}

#[test]
fn a_game_is_won_by_connecting() {
    let steps = replay(CONNECTION).unwrap();
    let (last, before) = steps.split_last().unwrap();
    assert_eq!(steps.len(), 36);
    assert_eq!(steps[0].position.stacks(), Game::stacks(&start(2)));
    assert!(before.iter().all(|step| step.outcome.is_none()));
    assert!(steps.iter().all(|step| step.captures.is_empty() && step.removed.is_empty()));
    assert_eq!((last.ply, last.to_move), (35, None));
    assert_eq!(result(last), (SeatSet::only(seat_of("O")), EndReason::Connected));
}

#[test]
fn landing_points_are_not_written_down() {
    let text = "hexma challenge ann bob\nM13-L12\n2. k5-j6\nn14-j14-j10 # not so\n";
    assert!(replay(text).unwrap_err().starts_with("ply 3, n14-j14-j10: "));
    let text = "hexma challenge ann bob\nM13-L12\n2. k5-j6\no15-m13-k11\n";
    let steps = replay(text).unwrap();
    assert_eq!(told(&steps[1]), (Some(seat_of("O")), "m13-l12", Some(seat_of("X"))));
    assert_eq!(told(&steps[3]), (Some(seat_of("O")), "o15-k11", Some(seat_of("X"))));
}

#[test]
fn a_blocked_seat_is_skipped() {
    for text in [BLOCKADE, BLOCKADE.strip_suffix("pass\n").unwrap()] {
        let steps = replay(text).unwrap();
        let [.., wall, pass] = &steps[..] else { panic!("the game is longer") };
        assert_eq!(told(wall), (Some(seat_of("O")), "m7-i7", Some(seat_of("X"))));
        assert_eq!(told(pass), (Some(seat_of("X")), "pass", Some(seat_of("Y"))));
        assert_eq!(pass.ply, wall.ply + 1);
        assert_eq!(pass.position.stacks(), wall.position.stacks());
        assert_eq!(pass.outcome, None);
    }
}

#[test]
fn the_game_goes_on_after_a_pass() {
    // Y moves and O opens the wall again: X moves as before.
    let steps = replay(&format!("{BLOCKADE}u7-w7\ni7-m7\ng7-i7\n")).unwrap();
    let last = steps.last().unwrap();
    assert_eq!(told(last), (Some(seat_of("X")), "g7-i7", Some(seat_of("Y"))));
    // While it stands, X is passed over again, and may not be by choice anywhere else.
    let steps = replay(&format!("{BLOCKADE}u7-w7\nm15-l14\npass\n")).unwrap();
    assert_eq!(told(steps.last().unwrap()).1, "pass");
    assert!(replay(&format!("{BLOCKADE}pass\n")).unwrap_err().contains("pass"));
}

#[test]
fn resigning_leaves_the_pieces_on_the_board() {
    let text = "hexma challenge ann bob cy\nk13-j12\nY resign\nd8-e9\nj12-i11\nresign\n";
    let steps = replay(text).unwrap();
    assert_eq!(steps[2].removed, [seat_of("Y")]);
    assert_eq!(steps[2].position.stacks(), steps[1].position.stacks());
    assert_eq!(steps[2].to_move, Some(seat_of("X")));
    assert_eq!(told(&steps[4]), (Some(seat_of("O")), "j12-i11", Some(seat_of("X"))));
    let last = steps.last().unwrap();
    assert_eq!(result(last), (SeatSet::only(seat_of("O")), EndReason::Resigned));
}
