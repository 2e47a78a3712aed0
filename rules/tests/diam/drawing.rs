//! What a board looks like.

use adamant_rules::game::{CellShape, Game, Mark};
use insta::assert_snapshot;

use super::positions::{A, X, all_options, arranged, start};

#[test]
fn the_start() {
    assert_snapshot!(start("").draw(&[]), @r"
     4     .     .     .     .
     3     .     .     .     .
     2     .     .     .     .
     1     .     .     .     .
       .__ 1 ___ 2 ___ 3 ___ 4 __.
       |                         |
     4 |   .     .     .     .   |
     3 |   .     .     .     .   |
     2 |   .     .     .     .   |
     1 |   .     .     .     .   |
       |__ 8 ___ 7 ___ 6 ___ 5 __|

     A has AAAA BBBB to place
     X has XXXX YYYY to place
    ");
}

#[test]
fn in_the_middle_of_a_game() {
    assert_snapshot!(arranged("", "3:BXAY 4:AX 5:Y 8:B 6:XYBX", A).draw(&[]), @r"
     4     .     .     Y     .
     3     .     .     A     .
     2     .     .     X     X
     1     .     .     B     A
       .__ 1 ___ 2 ___ 3 ___ 4 __.
       |                         |
     4 |   .     .     X     .   |
     3 |   .     .     B     .   |
     2 |   .     .     Y     .   |
     1 |   B     .     X     Y   |
       |__ 8 ___ 7 ___ 6 ___ 5 __|

     A has AA B to place
     X has Y to place
    ");
}

#[test]
fn the_largest_board_at_its_fullest() {
    let stacks = "1:ABCDWX 2:XWDCBA 3:ABCDWX 4:XWDCBA 5:ZYZYZY 7:WXABCD 12:YZYZYZ";
    let drawing = arranged("-board=12x6 -pieces=4x6", stacks, X).draw(&[]);
    assert_snapshot!(drawing, @r"
     6     X     A     X     A     Y     .
     5     W     B     W     B     Z     .
     4     D     C     D     C     Y     .
     3     C     D     C     D     Z     .
     2     B     W     B     W     Y     .
     1     A     X     A     X     Z     .
       .__ 1 ___ 2 ___ 3 ___ 4 ___ 5 ___ 6 __.
       |                                     |
     6 |   Z     .     .     .     .     D   |
     5 |   Y     .     .     .     .     C   |
     4 |   Z     .     .     .     .     B   |
     3 |   Y     .     .     .     .     A   |
     2 |   Z     .     .     .     .     X   |
     1 |   Y     .     .     .     .     W   |
       |__ 12 __ 11 __ 10 __ 9 ___ 8 ___ 7 __|

     A has A B C D to place
     X has W X to place
    ");
}

#[test]
fn every_board_fits_a_terminal() {
    for options in all_options() {
        let text = start(&options).draw(&[]).to_string();
        assert!(text.lines().count() <= 24, "{options}");
        assert!(text.lines().all(|line| line.len() <= 80 && line.is_ascii()), "{options}");
    }
}

#[test]
fn marks_are_seen_without_colours() {
    let position = arranged("-board=12x3", "1:A 2:AX 11:X", A);
    let cell = |name| position.cell(name).unwrap();
    let marks = [
        (cell("1"), Mark::From),
        (cell("2"), Mark::To),
        (cell("11"), Mark::From),
        (cell("12"), Mark::To),
        (cell("7"), Mark::Captured),
        (cell("5"), Mark::Cursor),
        (cell("5"), Mark::Target),
        (cell("4"), Mark::Chosen),
        (cell("10"), Mark::Target),
    ];
    assert_snapshot!(position.draw(&marks), @r"
     3     .     .     .     .     .     .
     2     .     X     .     .     .     .
     1     A     A     .     .     .     .
       .__-1 ___+2 ___ 3 ___=4 ___>5 ___ 6 __.
       |                                     |
     3 |   .     .     .     .     .     .   |
     2 |   .     .     .     .     .     .   |
     1 |   .     X     .     .     .     .   |
       |__+12 __-11 __:10 __ 9 ___ 8 ___*7 __|

     A has AA BBBB to place
     X has XX YYYY to place
    ");
}

#[test]
fn spans_know_what_they_show() {
    let position = arranged("", "3:BX 6:Y", A);
    let [three, six] = ["3", "6"].map(|name| position.cell(name).unwrap());
    let drawing = position.draw(&[(three, Mark::Chosen)]);
    let spans: Vec<_> = drawing.lines.iter().flatten().collect();
    let shown = |cell| -> Vec<_> {
        let of_cell = spans.iter().filter(|span| span.cell == Some(cell));
        of_cell.map(|span| (span.text.trim(), span.seat, span.mark)).collect()
    };
    let chosen = Some(Mark::Chosen);
    assert_eq!(
        shown(three),
        [
            (".", None, chosen),
            (".", None, chosen),
            ("X", Some(X), chosen),
            ("B", Some(A), chosen),
            ("=3", None, chosen),
        ]
    );
    let dots = (".", None, None);
    assert_eq!(shown(six), [dots, dots, dots, ("Y", Some(X), None), ("6", None, None)]);
    let reserve: Vec<_> = spans
        .iter()
        .filter(|span| span.cell.is_none() && span.seat.is_some())
        .map(|span| (span.text.trim(), span.seat))
        .collect();
    let expected = [("AAAA", Some(A)), ("BBB", Some(A)), ("XXX", Some(X)), ("YYY", Some(X))];
    assert_eq!(reserve, expected);
    for at in position.layout().cells {
        assert_eq!(shown(at.cell).len(), 5);
    }
}

#[test]
fn an_empty_reserve_is_drawn() {
    let text = arranged("-pieces=2x3", "1:ABA 2:BAB 5:XYX 6:XYY", A).draw(&[]).to_string();
    assert!(text.ends_with(" A has nothing to place\n X has nothing to place\n"), "{text}");
}

#[test]
fn neighbours_are_one_apart_and_numbers_go_clockwise() {
    for options in all_options() {
        let position = start(&options);
        let layout = position.layout();
        let places: Vec<_> = layout.cells.iter().map(|at| (at.x, at.y)).collect();
        let half = places.len() / 2;
        for (index, &(x, y)) in places.iter().enumerate() {
            let (next_x, next_y) = places[(index + 1) % places.len()];
            assert!(((x - next_x).hypot(y - next_y) - 1.0).abs() < 1e-9);
            // With y downwards, a positive product is a turn to the right.
            assert!(x * next_y - y * next_x > 0.0);
            let (across_x, across_y) = places[(index + half) % places.len()];
            assert!((x + across_x).hypot(y + across_y) < 1e-9);
            assert_eq!(y < 0.0, index < half, "the first half is above");
        }
        assert!(places[0].0 < 0.0, "it begins at the left");
        assert!(layout.edges.is_empty());
        assert!(layout.cells.iter().all(|at| at.shape == CellShape::Sector));
    }
}
