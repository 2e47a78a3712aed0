//! What a board looks like, as characters and as points in the plane.

use adamant_rules::{
    Seat,
    game::{CellShape, Game, Mark},
};
use insta::assert_snapshot;

use super::positions::{arranged, start};

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
    let [own, enemy, empty] = ["c5", "d6", "e7"].map(|name| position.cell(name).unwrap());
    let drawing = position.draw(&[(enemy, Mark::Target)]);
    let span = |cell| drawing.lines.iter().flatten().find(|span| span.cell == Some(cell)).unwrap();
    let shown = |cell| {
        let span = span(cell);
        (span.text.as_str(), span.seat.map(Seat::index), span.mark)
    };
    assert_eq!(shown(own), (" O", Some(0), None));
    assert_eq!(shown(enemy), (":X", Some(1), Some(Mark::Target)));
    assert_eq!(shown(empty), (" .", None, None));
    let spans = drawing.lines.iter().flatten();
    assert_eq!(spans.filter(|span| span.cell.is_some()).count(), 121);
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
    let layout = position.layout();
    let at = |name: &str| {
        let cell = position.cell(name).unwrap();
        let found = layout.cells.iter().find(|at| at.cell == cell).unwrap();
        (found.x, found.y)
    };
    let near = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0).hypot(a.1 - b.1) < 1e-9;
    for neighbour in ["k9", "o9", "l8", "n8", "l10", "n10"] {
        let ((ax, ay), (bx, by)) = (at("m9"), at(neighbour));
        assert!(((ax - bx).hypot(ay - by) - 1.0).abs() < 1e-9, "{neighbour}");
    }
    assert!(near(at("m9"), (0.0, 0.0)));
    assert!(near(at("a5"), (-6.0, -2.0 * 3.0_f64.sqrt())));
    assert!(near(at("m17"), (0.0, 4.0 * 3.0_f64.sqrt())));
    assert_eq!(layout.cells.len(), 121);
    assert!(layout.cells.iter().all(|at| at.shape == CellShape::Point));
    assert!(layout.cells.windows(2).all(|two| two[0].cell < two[1].cell));
}
