//! Adamas, tested from outside: what its positions say and do.

mod reference_rules;
mod vectors;

use std::collections::BTreeSet;

use adamant_rules::{
    Capture, Consequence, EndReason, IllegalMove, Kind, LeaveReason, Options, Seat,
    game::{Game, Mark, MoveCount, Target},
    games::adamas::{Adamas, Move, PositionError, RuleViolation},
    options::{OptionError, OptionValue},
};
use insta::assert_snapshot;
use proptest::prelude::*;

use crate::games::{
    self, are_at, cells, count_shown, opening, picks, play, refused, shown, written,
};

/// The opening position of a challenge such as `-size=4`.
fn start(options: &str, players: usize) -> Adamas {
    opening(options, players)
}

/// A position in the middle of a game, written `c1:OOO c3:X`.
fn arranged(options: &str, players: usize, stacks: &str, to_move: &str) -> Adamas {
    let options = Options::parse(options, Adamas::OPTIONS).unwrap();
    Adamas::from_setup(&options, players, &cells(stacks), seat_of(to_move), false).unwrap()
}

fn seat_of(letter: &str) -> Seat {
    games::seat_of("OXY", letter)
}

fn end(winners: &str, reason: EndReason) -> Consequence {
    Consequence::End { winners: winners.split(',').map(seat_of).collect(), reason }
}

fn out(seat: &str, reason: LeaveReason) -> Consequence {
    Consequence::Remove(seat_of(seat), reason)
}

#[test]
fn defaults_depend_on_players_and_size() {
    for (given, players, complete) in [
        ("", 2, "-size=3 -pieces=8"),
        ("", 3, "-size=4 -pieces=12"),
        ("-size=5", 2, "-size=5 -pieces=16"),
        ("-pieces=99 -prog_cap", 3, "-size=4 -pieces=99 -prog_cap"),
        ("-prog_cap -pieces=2 -size=2", 2, "-size=2 -pieces=2 -prog_cap"),
    ] {
        let options = Options::parse(given, Adamas::OPTIONS).unwrap();
        let options = Kind::Adamas.complete(&options, players).unwrap();
        assert_eq!(options.to_string(), complete, "{given}");
        assert_eq!(options.len(), 3);
        assert_eq!(Kind::Adamas.complete(&options, players).as_ref(), Ok(&options));
    }
    for (name, value) in [("size", 1), ("size", 9), ("pieces", 1), ("pieces", 100)] {
        let mut options = Options::new();
        options.set(name, OptionValue::Number(value));
        let error = Adamas::complete(&options, 2).unwrap_err();
        assert!(matches!(error, OptionError::OutOfBounds { .. }), "{name}={value}: {error}");
    }
}

#[test]
fn every_seat_starts_in_a_corner() {
    assert_eq!(written(&start("", 2)), "c1:OOOOOOOO c5:XXXXXXXX");
    assert_eq!(written(&start("-size=2 -pieces=2", 2)), "b1:OO b3:XX");
    assert_eq!(written(&start("", 3)), "a4:YYYYYYYYYYYY d1:OOOOOOOOOOOO g4:XXXXXXXXXXXX");
    assert_eq!(written(&start("-size=8 -pieces=2", 3)), "a8:YY h1:OO o8:XX");
}

#[test]
fn only_the_first_move_may_not_capture() {
    let mut position = start("", 2);
    let [from, enemy] = ["c1", "c5"].map(|name| position.cell(name).unwrap());
    assert!(!position.targets(from).iter().any(|target| target.cell == enemy));
    assert!(refused(&position, "8xc1-c5").contains("opening"));
    play(&mut position, "c1-e1").unwrap();
    // X sees 7 now; back to 8, and X may capture at once.
    let mut position = start("", 2);
    play(&mut position, "8xc1-c2").unwrap();
    let capture = Capture { cell: position.cell("c2").unwrap(), seat: seat_of("O"), pieces: 8 };
    assert!(position.targets(enemy).contains(&Target { cell: capture.cell, capture: true }));
    assert_eq!(play(&mut position, "c5-c2").unwrap().as_slice(), [capture]);
    assert_eq!(position.pending(), Some(out("O", LeaveReason::NoPieces)));
    position.remove(seat_of("O"));
    assert_eq!(position.pending(), Some(end("X", EndReason::LastPlayer)));
    assert_eq!(position.to_move(), seat_of("X"));
}

#[test]
fn the_opening_rule_goes_with_the_opening_player() {
    let options = Options::parse("-size=3", Adamas::OPTIONS).unwrap();
    let stacks = [("c1", "OO"), ("e1", "X"), ("e3", "Y")];
    let opening = || Adamas::from_setup(&options, 3, &stacks, seat_of("O"), true).unwrap();

    let mut position = opening();
    position.remove(seat_of("O"));
    assert_eq!(position.to_move(), seat_of("X"));
    assert!(play(&mut position, "e1-e3").is_ok());

    let mut position = opening();
    position.remove(seat_of("Y"));
    assert_eq!(position.to_move(), seat_of("O"));
    assert!(refused(&position, "c1-e1").contains("opening"));
}

#[test]
fn one_split_may_capture_several_stacks() {
    let mut position = arranged("", 2, "e2:XX c1:XX c2:XX a1:X a3:X c4:OOOO a2:OOOO", "X");
    let captures = play(&mut position, "c2-c4,a2").unwrap();
    let cells: Vec<_> = captures.iter().map(|c| position.cell_name(c.cell).to_string()).collect();
    assert_eq!(cells, ["a2", "c4"], "in canonical order");
}

#[test]
fn progressive_captures_come_in_the_written_order() {
    // In this order both are as high as what they see of c3: three pieces, then the one that stays.
    let mut position = arranged("-prog_cap", 2, "c3:OOO c5:XXX a1:X", "O");
    let captures = play(&mut position, "c3-c5,a1").unwrap();
    let cells: Vec<_> = captures.iter().map(|c| position.cell_name(c.cell).to_string()).collect();
    assert_eq!(cells, ["c5", "a1"]);

    let position = arranged("-prog_cap", 2, "c3:OOO c5:XXX a1:X", "O");
    assert_eq!(refused(&position, "c3-a1,c5"), "a1 is 1 high but sees 3 enemy pieces");
}

#[test]
fn a_merge_captures_by_the_position_before_it_even_with_progressive_captures() {
    for options in ["", "-prog_cap"] {
        let mut position = arranged(options, 2, "c1:OO e3:O c3:XXX a1:X", "O");
        let captures = play(&mut position, "2xc1,e3-c3").unwrap();
        assert_eq!(captures[0].pieces, 3);
        assert_eq!(written(&position), "a1:X c3:OOO");
    }
}

#[test]
fn a_colour_leaves_when_its_last_piece_is_captured() {
    let mut position = arranged("-size=4", 3, "d2:OO d4:XXXXX f4:YYY", "O");
    play(&mut position, "2xd2-d4").unwrap();
    assert_eq!(position.to_move(), seat_of("X"));
    assert_eq!(position.pending(), Some(out("X", LeaveReason::NoPieces)));
    position.remove(seat_of("X"));
    assert_eq!(position.to_move(), seat_of("Y"), "the turn passes on");
    assert_eq!(position.pending(), None);
    assert_eq!(position.seats_in(), [seat_of("O"), seat_of("Y")].into_iter().collect());
}

#[test]
fn two_colours_may_leave_at_once_and_the_mover_wins() {
    let mut position = arranged("-size=2", 3, "b2:OO b1:XX b3:YY", "O");
    play(&mut position, "b2-b1,b3").unwrap();
    assert_eq!(position.pending(), Some(out("X", LeaveReason::NoPieces)));
    position.remove(seat_of("X"));
    assert_eq!(position.pending(), Some(out("Y", LeaveReason::NoPieces)));
    position.remove(seat_of("Y"));
    assert_eq!(position.pending(), Some(end("O", EndReason::LastPlayer)));
}

#[test]
fn a_colour_that_cannot_move_leaves_with_its_pieces_when_its_turn_comes() {
    // O is shut in at a1 and threatens nothing.
    let shut_in = "a1:O a2:XX b1:XX b2:XX e3:Y e1:Y";
    let mut position = arranged("", 3, shut_in, "Y");
    assert_eq!(position.pending(), None, "it is not yet O's turn");
    play(&mut position, "e3-d4").unwrap();
    assert!(!position.can_move());
    assert!(position.sources().is_empty());
    assert_eq!(position.pending(), Some(out("O", LeaveReason::NoMove)));
    position.remove(seat_of("O"));
    assert_eq!(written(&position), "a2:XX b1:XX b2:XX d4:Y e1:Y");
    assert_eq!(position.to_move(), seat_of("X"));
    assert_eq!(position.pending(), None);
}

#[test]
fn capturing_is_a_way_out() {
    let position = arranged("", 2, "a1:O a2:XX b1:X b2:XX", "O");
    assert!(position.can_move());
    assert_eq!(position.pending(), None);
    let [from, to] = ["a1", "b1"].map(|name| position.cell(name).unwrap());
    assert_eq!(position.targets(from), [Target { cell: to, capture: true }]);
}

#[test]
fn two_single_pieces_out_of_sight_are_a_tie() {
    let mut position = arranged("", 2, "c1:O e3:X c2:X", "O");
    assert_eq!(play(&mut position, "c1-c2").unwrap().len(), 1);
    assert_eq!(position.pending(), Some(end("O,X", EndReason::TwoPieces)));

    let mut position = arranged("-size=3", 3, "c1:O e3:X c2:Y", "O");
    play(&mut position, "c1-c2").unwrap();
    assert_eq!(position.pending(), Some(out("Y", LeaveReason::NoPieces)), "removals come first");
    position.remove(seat_of("Y"));
    assert_eq!(position.pending(), Some(end("O,X", EndReason::TwoPieces)));
}

#[test]
fn no_tie_with_three_pieces_or_of_one_colour() {
    assert_eq!(arranged("", 3, "c1:O e3:X a2:Y", "O").pending(), None);
    assert_eq!(arranged("", 2, "c1:O c5:X", "O").pending(), None, "they see each other");
    assert_eq!(arranged("", 2, "c1:O e3:O", "O").pending(), Some(end("O", EndReason::LastPlayer)));
}

#[test]
fn the_hash_covers_all_that_decides_legality() {
    let base = || arranged("-size=3", 3, "c1:OO e1:X e3:Y", "O");
    let mut hashes = vec![
        base().hash(),
        arranged("-size=3 -prog_cap", 3, "c1:OO e1:X e3:Y", "O").hash(),
        arranged("-size=4", 3, "c1:OO e1:X e3:Y", "O").hash(),
        arranged("-size=3", 3, "c1:OO e1:X e3:Y", "X").hash(),
        arranged("-size=3", 3, "c1:O e1:X e3:Y", "O").hash(),
        arranged("-size=3", 3, "c1:OO e1:Y e3:X", "O").hash(),
        arranged("-size=3", 3, "c1:OO e1:X", "O").hash(),
        arranged("-size=3", 2, "c1:OO e1:X", "O").hash(),
    ];
    let options = Options::parse("-size=3", Adamas::OPTIONS).unwrap();
    let stacks = [("c1", "OO"), ("e1", "X"), ("e3", "Y")];
    hashes.push(Adamas::from_setup(&options, 3, &stacks, seat_of("O"), true).unwrap().hash());
    let different: BTreeSet<_> = hashes.iter().collect();
    assert_eq!(different.len(), hashes.len());
}

#[test]
fn touched_cells_are_sources_and_destinations() {
    let position = start("-size=4", 2);
    let affected = |notation: &str| {
        let marks = position.affected_cells(&position.parse_move(notation).unwrap());
        let name = |(cell, mark)| format!("{:?} {mark:?}", position.cell_name(cell));
        marks.into_iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(affected("d1-e1,d3"), ["d1 From", "d3 To", "e1 To"]);
    assert_eq!(affected("d1,a4-d4"), ["d4 To", "a4 From", "d1 From"]);
}

#[test]
fn stacks_that_cannot_stand_are_refused() {
    let arrange = |stacks: &[(&str, &str)], players, to_move| {
        Adamas::from_setup(&Options::new(), players, stacks, seat_of(to_move), false).unwrap_err()
    };
    let no_cell = PositionError::NoSuchCell { name: "z1".into() };
    assert_eq!(arrange(&[("z1", "O")], 2, "O"), no_cell);
    let twice = PositionError::CellTwice { name: "C1".into() };
    assert_eq!(arrange(&[("c1", "O"), ("C1", "O")], 2, "O"), twice);
    for pieces in ["", "OX", "Y", "é"] {
        let none = PositionError::NotAStack { pieces: pieces.into() };
        assert_eq!(arrange(&[("c1", pieces)], 2, "O"), none);
    }
    let most = "O".repeat(99);
    let too_many = PositionError::TooManyPieces { max: 99 };
    assert_eq!(arrange(&[("c1", &most), ("c2", "O")], 2, "O"), too_many);
    assert_eq!(arrange(&[("c1", "O")], 2, "X"), PositionError::NothingToMove);
    assert_eq!(arrange(&[], 4, "O"), PositionError::Players { players: 4 });
    let options = Options::parse("-size=9", Adamas::OPTIONS).unwrap();
    let error = Adamas::from_setup(&options, 2, &[], seat_of("O"), true).unwrap_err();
    assert!(matches!(error, PositionError::Options(_)));
}

fn canonical(position: &Adamas, notation: &str) -> String {
    position.parse_move(notation).unwrap().to_string()
}

#[test]
fn progressive_splits_keep_their_order() {
    let position = start("-size=4 -prog_cap", 2);
    assert_eq!(canonical(&position, "d1-f1,2xe1,d3"), "d1-f1,2xe1,d3");
    assert_eq!(canonical(&position, "2xd1,3xa4-d4"), "3xa4,2xd1-d4");
    assert_ne!(position.parse_move("d1-d2,e1"), position.parse_move("d1-e1,d2"));
}

#[test]
fn cells_sort_by_row_and_then_by_number() {
    let position = arranged("-size=8", 2, "h8:OO a1:X", "O");
    assert_eq!(canonical(&position, "h8-h15,o8,h9,a8,h10,h1"), "h8-a8,h1,h9,h10,h15,o8");
}

#[test]
fn every_misuse_of_the_notation_has_its_own_sentence() {
    let position = start("-size=4", 2);
    for (written, sentence) in [
        ("0xd1-d3", "a part of a move takes at least one piece, and d1 is given none"),
        ("d1-d2,00xd3", "a part of a move takes at least one piece, and d3 is given none"),
        ("100xd1-d3", "the count at d1 is too great: no stack is higher than 99"),
        (
            "99999999999999999999999xd1-d3",
            "the count at d1 is too great: no stack is higher than 99",
        ),
        ("2xd1-2xd3", "the count is given on both sides: write it once, as in 9xd1-d3"),
        (
            "2xd1-d3,e1",
            "a split has its counts at its destinations, as in d1-2xd3,e1; d1 takes no count here",
        ),
        (
            "d1,a4-2xd4",
            "a merge has its counts at its sources, as in 2xd1,3xa4-d4; d4 takes no count here",
        ),
        ("2xd1,3xa4-d4,d5", "a move has either one source or one destination"),
        ("d1-d3,e1,D3", "d3 is named twice: add its counts up, as in 2xd3"),
        ("d1,2xd1-d4", "d1 is named twice: add its counts up, as in 2xd1"),
        ("d1-d1", "d1 is both source and destination"),
        ("d1-d2,d1", "d1 is both source and destination"),
        ("a4,d4-d4", "d4 is both source and destination"),
        ("d1-d8", "there is no cell d8 on this board"),
        ("d1-h1", "there is no cell h1 on this board"),
        ("d1-d0", "there is no cell d0 on this board"),
        ("d1-d03", "there is no cell d03 on this board"),
        ("d1-d123456789", "there is no cell d1234567 on this board"),
    ] {
        assert_eq!(refused(&position, written), sentence, "{written}");
    }
}

#[test]
fn a_split_to_everything_in_sight_can_be_written() {
    let stacks = format!("h8:{} b1:X", "O".repeat(99));
    let position = arranged("-size=8", 2, &stacks, "O");
    let targets = position.targets(position.cell("h8").unwrap());
    let names: Vec<_> =
        targets.iter().map(|target| format!("2x{}", position.cell_name(target.cell))).collect();
    assert_eq!(names.len(), 42);
    let written = format!("h8-{}", names.join(","));
    assert_eq!(canonical(&position, &written), written);
    assert!(position.validate(&position.parse_move(&written).unwrap()).is_ok());
    let more = format!("{written},a1");
    assert_eq!(position.parse_move(&more), Err(RuleViolation::TooManyParts { max: 42 }.into()));
}

#[test]
fn every_broken_rule_has_its_own_sentence() {
    let position = arranged("", 2, "c1:OOO c2:O c5:XXXX a1:OO e3:X", "O");
    for (written, sentence) in [
        ("c4-c3", "c4 is empty"),
        ("c5-c4", "c5 is not your stack"),
        ("a1,c5-c3", "c5 is not your stack"),
        ("4xc1-b1", "c1 has 3 pieces, not 4"),
        ("2xc2-c3", "c2 has 1 piece, not 2"),
        ("c1-99xd1,99xb1", "c1 has 3 pieces, not 198"),
        ("a1,c1-e1", "a1 and e1 are not on one line"),
        ("c1-e2", "c1 and e2 are not on one line"),
        ("c1-c3", "c1 does not see c3: c2 is in the way"),
        ("c1,c2-c4", "c1 does not see c4: c2 is in the way"),
        ("c2-c5", "c5 is 4 high but sees 1 enemy piece"),
    ] {
        assert_eq!(refused(&position, written), sentence, "{written}");
    }
    let crowded = arranged("", 2, "c1:OOO c3:X a3:XXXX", "O");
    assert_eq!(refused(&crowded, "c1-c3"), "c3 is 1 high but sees 3 enemy pieces");
    assert_eq!(
        refused(&start("", 2), "c1-c5"),
        "the opening move may not capture, and c5 is an enemy stack"
    );
}

#[test]
fn a_move_of_another_board_is_refused() {
    let mv = start("-size=8", 2).parse_move("h1-o1").unwrap();
    assert!(matches!(start("", 2).validate(&mv), Err(IllegalMove::Unreadable { .. })));
}

#[test]
fn the_start_for_two() {
    assert_snapshot!(start("", 2).draw(&[]), @r"
             1   2   3
        e  .   .   .   e3
      d  .   .   .   .   d4
    c  O8  .   .   .   X8  c5
      b  .   .   .   .   b4
        a  .   .   .   a3
             1   2   3
    ");
}

#[test]
fn the_start_for_three() {
    assert_snapshot!(start("", 3).draw(&[]), @r"
               1   2   3   4
          g  .   .   .   X12 g4
        f  .   .   .   .   .   f5
      e  .   .   .   .   .   .   e6
    d  O12 .   .   .   .   .   .   d7
      c  .   .   .   .   .   .   c6
        b  .   .   .   .   .   b5
          a  .   .   .   Y12 a4
               1   2   3   4
    ");
}

#[test]
fn the_largest_board_at_its_fullest() {
    let ninety_nine = |letter: &str| letter.repeat(99);
    let stacks =
        format!("h1:{} h2:{} h15:{} a1:O", ninety_nine("X"), ninety_nine("Y"), "O".repeat(98));
    let drawing = arranged("-size=8", 3, &stacks, "O").draw(&[]);
    let text = drawing.to_string();
    assert!(text.lines().count() <= 24);
    assert!(text.lines().all(|line| line.len() <= 80));
    assert_snapshot!(text, @r"
                       1   2   3   4   5   6   7   8
                  o  .   .   .   .   .   .   .   .   o8
                n  .   .   .   .   .   .   .   .   .   n9
              m  .   .   .   .   .   .   .   .   .   .   m10
            l  .   .   .   .   .   .   .   .   .   .   .   l11
          k  .   .   .   .   .   .   .   .   .   .   .   .   k12
        j  .   .   .   .   .   .   .   .   .   .   .   .   .   j13
      i  .   .   .   .   .   .   .   .   .   .   .   .   .   .   i14
    h  X99 Y99 .   .   .   .   .   .   .   .   .   .   .   .   O98 h15
      g  .   .   .   .   .   .   .   .   .   .   .   .   .   .   g14
        f  .   .   .   .   .   .   .   .   .   .   .   .   .   f13
          e  .   .   .   .   .   .   .   .   .   .   .   .   e12
            d  .   .   .   .   .   .   .   .   .   .   .   d11
              c  .   .   .   .   .   .   .   .   .   .   c10
                b  .   .   .   .   .   .   .   .   .   b9
                  a  O   .   .   .   .   .   .   .   a8
                       1   2   3   4   5   6   7   8
    ");
}

#[test]
fn marks_are_seen_without_colours() {
    let position = arranged("", 2, "c1:O c2:O c3:OOOO e1:O a1:O c5:XXXX c4:X a3:XXX", "O");
    let cell = |name| position.cell(name).unwrap();
    let marks = [
        (cell("a3"), Mark::From),
        (cell("b4"), Mark::From),
        (cell("c4"), Mark::To),
        (cell("c5"), Mark::To),
        (cell("c5"), Mark::Captured),
        (cell("c3"), Mark::Cursor),
        (cell("c3"), Mark::To),
        (cell("c1"), Mark::Chosen),
        (cell("d1"), Mark::Target),
        (cell("c2"), Mark::Target),
    ];
    assert_snapshot!(position.draw(&marks), @r"
             1   2   3
        e  O   .   .   e3
      d :.   .   .   .   d4
    c =O  :O  >O4 +X  *X4  c5
      b  .   .   .  -.   b4
        a  O   .  -X3  a3
             1   2   3
    ");
}

#[test]
fn spans_know_what_they_show() {
    let position = arranged("", 2, "c1:OOO c5:X", "O");
    let drawing = position.draw(&[(position.cell("c5").unwrap(), Mark::Target)]);
    assert_eq!(shown(&position, &drawing, "c1"), [("O3", Some(0), None)]);
    assert_eq!(shown(&position, &drawing, "c5"), [(":X", Some(1), Some(Mark::Target))]);
    assert_eq!(shown(&position, &drawing, "e3"), [(".", None, None)]);
    assert_eq!(count_shown(&drawing), 19);
}

#[test]
fn neighbours_are_one_apart_and_row_a_is_lowest() {
    let position = start("", 2);
    let known = [("c3", 0.0, 0.0), ("c1", -2.0, 0.0), ("a1", -1.0, 3.0_f64.sqrt())];
    are_at(&position, "c3", &["c2", "c4", "b2", "b3", "d2", "d3"], &known);
    assert!(position.layout().edges.is_empty());
}

fn sample(position: &Adamas, max: usize, seed: u64) -> Vec<Move> {
    position.sample_moves(max, &mut picks(seed))
}

fn captures(position: &Adamas, mv: &Move) -> usize {
    position.validate(mv).unwrap().len()
}

#[test]
fn captures_are_sampled_first_but_not_alone() {
    let position = arranged("", 2, "c3:OO a1:XX e1:XX c5:XX", "O");
    for seed in 0..20 {
        let moves = sample(&position, 12, seed);
        assert!(moves[..6].iter().all(|mv| captures(&position, mv) > 0), "{moves:?}");
        assert!(moves.iter().any(|mv| captures(&position, mv) == 0), "{moves:?}");
    }
}

#[test]
fn several_stacks_are_captured_at_once() {
    let most = |options| {
        let position = arranged(options, 2, "c3:OO a1:XX e1:XX c5:XX", "O");
        sample(&position, 30, 7).iter().map(|mv| captures(&position, mv)).max()
    };
    assert_eq!(most(""), Some(2));
    assert_eq!(most("-prog_cap"), Some(1));
}

#[test]
fn splits_and_merges_of_every_stack_are_sampled() {
    let position = arranged("-size=4", 2, "d1:OOOOOO d4:OOO a1:OOOO g4:XXX", "O");
    let moves: Vec<_> = sample(&position, 200, 3).iter().map(ToString::to_string).collect();
    for source in ["d1", "d4", "a1"] {
        let split = format!("{source}-");
        assert!(moves.iter().any(|mv| mv.starts_with(&split) && mv.contains(',')));
        assert!(moves.iter().any(|mv| mv.contains(&split) && !mv.contains(',')));
    }
    assert!(moves.iter().any(|mv| mv.split('-').next().unwrap().contains(',')));
}

/// All moves in pages, each behind the last move of the one before.
fn pages(position: &Adamas, from: Option<&str>, max: usize) -> Vec<Move> {
    let from = from.map(|name| position.cell(name).unwrap());
    let mut all: Vec<Move> = Vec::new();
    loop {
        let page = position.moves_after(from, all.last(), max);
        assert!(page.len() <= max);
        let is_last = page.len() < max;
        all.extend(page);
        if is_last {
            return all;
        }
    }
}

fn is_from(position: &Adamas, mv: &Move, from: &str) -> bool {
    position.affected_cells(mv).contains(&(position.cell(from).unwrap(), Mark::From))
}

proptest! {
    #![proptest_config(crate::cases(24))]

    #[test]
    fn pages_make_up_the_list(
        size in 2..=3_u32,
        players in 2..=3_usize,
        progressive: bool,
        page in 1..200_usize,
        choices in proptest::collection::vec(any::<usize>(), 0..8),
    ) {
        let flag = if progressive { " -prog_cap" } else { "" };
        let mut position = start(&format!("-size={size} -pieces=4{flag}"), players);
        for choice in choices {
            let listed = position.legal_moves(usize::MAX);
            if position.pending().is_some() || listed.is_empty() {
                break;
            }
            prop_assert_eq!(&pages(&position, None, page), &listed);
            for cell in position.sources() {
                let from = position.cell_name(cell);
                let wanted = listed.iter().filter(|mv| is_from(&position, mv, from.as_str()));
                let wanted: Vec<_> = wanted.cloned().collect();
                prop_assert_eq!(pages(&position, Some(from.as_str()), page), wanted);
            }
            position.apply(&listed[choice % listed.len()]);
        }
    }
}

#[test]
fn a_page_comes_at_once_wherever_it_begins() {
    for flag in ["", " -prog_cap"] {
        let mut position = start(&format!("-size=8 -pieces=99{flag}"), 2);
        play(&mut position, "50xh1-h9").unwrap();
        play(&mut position, "50xh15-h14").unwrap();
        for after in ["h9-h2,h3,h4,h5,h6,h7,h8,9xh10", "h1-40xa1,o1", "7xh1,3xh9-h4"] {
            let after = position.parse_move(after).unwrap();
            position.validate(&after).unwrap();
            let page = position.moves_after(None, Some(&after), 512);
            assert_eq!(page.len(), 512, "{after}");
            assert!(page.iter().all(|mv| position.validate(mv).is_ok()));
            let from = page[511].to_string();
            let next = position.moves_after(None, Some(&page[255]), 256);
            assert_eq!(next.last().map(ToString::to_string), Some(from));
        }
    }
}

#[test]
fn captures_by_later_parts_are_listed_where_captures_are_progressive() {
    // With two of three pieces in the air c5 sees one at c3; one more on c4 is enough for two.
    let position = arranged("-prog_cap", 2, "c3:OOO c5:XX a1:X", "O");
    let listed: Vec<_> = position.legal_moves(usize::MAX).iter().map(ToString::to_string).collect();
    let later = listed.iter().filter(|mv| mv.contains(",c5") || mv.contains(",2xc5"));
    for mv in later.clone() {
        assert!(!position.validate(&position.parse_move(mv).unwrap()).unwrap().is_empty());
    }
    assert!(later.count() > 0, "{listed:?}");
}

#[test]
fn there_are_no_moves_from_where_nothing_may_leave() {
    let position = start("", 2);
    assert!(position.moves_after(position.cell("c5"), None, 10).is_empty());
    assert!(position.moves_after(position.cell("c2"), None, 10).is_empty());
}

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
