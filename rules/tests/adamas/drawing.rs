//! What a board looks like.

use adamant_rules::{
    Seat,
    game::{Game, Mark},
};
use insta::assert_snapshot;

use super::positions::{arranged, start};

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
    let [own, enemy, empty] = ["c1", "c5", "e3"].map(|name| position.cell(name).unwrap());
    let drawing = position.draw(&[(enemy, Mark::Target)]);
    let span = |cell| drawing.lines.iter().flatten().find(|span| span.cell == Some(cell)).unwrap();
    assert_eq!(
        (span(own).text.trim(), span(own).seat.map(Seat::index), span(own).mark),
        ("O3", Some(0), None)
    );
    assert_eq!((span(enemy).text.trim(), span(enemy).seat.map(Seat::index)), (":X", Some(1)));
    assert_eq!(span(enemy).mark, Some(Mark::Target));
    assert_eq!((span(empty).text.trim(), span(empty).seat), (".", None));
    let cells = drawing.lines.iter().flatten().filter(|span| span.cell.is_some()).count();
    assert_eq!(cells, 19);
}

#[test]
fn neighbours_are_one_apart_and_row_a_is_lowest() {
    let position = start("", 2);
    let layout = position.layout();
    let at = |name: &str| {
        let cell = position.cell(name).unwrap();
        let found = layout.cells.iter().find(|at| at.cell == cell).unwrap();
        (found.x, found.y)
    };
    for neighbour in ["c2", "c4", "b2", "b3", "d2", "d3"] {
        let ((ax, ay), (bx, by)) = (at("c3"), at(neighbour));
        assert!(((ax - bx).hypot(ay - by) - 1.0).abs() < 1e-9, "{neighbour}");
    }
    let near = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0).hypot(a.1 - b.1) < 1e-9;
    assert!(near(at("c3"), (0.0, 0.0)));
    assert!(near(at("c1"), (-2.0, 0.0)));
    assert!(near(at("a1"), (-1.0, 3.0_f64.sqrt())));
    assert!(layout.edges.is_empty());
}
