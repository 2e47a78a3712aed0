//! What a board looks like.

use adamant_rules::{
    Seat,
    game::{CellShape, Game, Mark},
    games::stymie::{LastMove, Stymie},
};
use insta::assert_snapshot;

use super::positions::{arranged, start};

/// The game that the official help shows, won by H.
fn sample_game() -> Stymie {
    arranged(
        "",
        "i1:V c3:V i3:V m3:V o3:H h4:V j4:V l4:V n4:H c5:V i5:H m5:H o5:V d6:V h6:H j6:H l6:V n6:V \
         a7:H e7:V g7:H i7:V k7:H m7:H o7:V b8:H h8:H j8:V l8:H n8:V c9:H e9:V i9:H k9:V m9:V \
         f10:V j10:V c11:H g11:V i11:H k11:V d12:H f12:V h12:V j12:H e13:H g13:H i13:H k13:V k15:V",
        "V",
        LastMove::Other,
    )
}

#[test]
fn the_smallest_board() {
    assert_snapshot!(start("-size=3").draw(&[]), @r"
         A  B  C  D  E
        ---   ---   ---
    5 |     |     |     | 5
    4   ---   ---   ---   4
    3 |     |     |     | 3
    2   ---   ---   ---   2
    1 |     |     |     | 1
        ---   ---   ---
         A  B  C  D  E
    ");
}

#[test]
fn the_sample_game() {
    assert_snapshot!(sample_game().draw(&[]), @r"
          A  B  C  D  E  F  G  H  I  J  K  L  M  N  O
         ---   ---   ---   ---   ---   ---   ---   ---
    15 |     |     |     |     |     |  V  |     |     | 15
    14   ---   ---   ---   ---   ---   ---   ---   ---   14
    13 |     |     |  H  |  H  |  H  |  V  |     |     | 13
    12   ---   --- H --- V --- V --- H ---   ---   ---   12
    11 |     |  H  |     |  V  |  H  |  V  |     |     | 11
    10   ---   ---   --- V ---   --- V ---   ---   ---   10
     9 |     |  H  |  V  |     |  H  |  V  |  V  |     | 9
     8   --- H ---   ---   --- H --- V --- H --- V ---   8
     7 |  H  |     |  V  |  H  |  V  |  H  |  H  |  V  | 7
     6   ---   --- V ---   --- H --- H --- V --- V ---   6
     5 |     |  V  |     |     |  H  |     |  H  |  V  | 5
     4   ---   ---   ---   --- V --- V --- V --- H ---   4
     3 |     |  V  |     |     |  V  |     |  V  |  H  | 3
     2   ---   ---   ---   ---   ---   ---   ---   ---   2
     1 |     |     |     |     |  V  |     |     |     | 1
         ---   ---   ---   ---   ---   ---   ---   ---
          A  B  C  D  E  F  G  H  I  J  K  L  M  N  O
    ");
}

#[test]
fn the_largest_board_is_not_wider_than_a_terminal() {
    for (size, height) in [(8, 19), (12, 27)] {
        let text =
            arranged(&format!("-size={size}"), "", "V", LastMove::Other).draw(&[]).to_string();
        assert_eq!(text.lines().count(), height);
        assert!(text.lines().all(|line| line.len() <= 80), "size {size}");
    }
    let large = arranged("-size=12", "a23:V w23:H v22:V w1:H b2:H", "V", LastMove::Other);
    assert_snapshot!(large.draw(&[]), @r"
          A  B  C  D  E  F  G  H  I  J  K  L  M  N  O  P  Q  R  S  T  U  V  W
         ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---
    23 |  V  |     |     |     |     |     |     |     |     |     |     |  H  | 23
    22   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   --- V ---   22
    21 |     |     |     |     |     |     |     |     |     |     |     |     | 21
    20   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   20
    19 |     |     |     |     |     |     |     |     |     |     |     |     | 19
    18   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   18
    17 |     |     |     |     |     |     |     |     |     |     |     |     | 17
    16   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   16
    15 |     |     |     |     |     |     |     |     |     |     |     |     | 15
    14   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   14
    13 |     |     |     |     |     |     |     |     |     |     |     |     | 13
    12   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   12
    11 |     |     |     |     |     |     |     |     |     |     |     |     | 11
    10   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   10
     9 |     |     |     |     |     |     |     |     |     |     |     |     | 9
     8   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   8
     7 |     |     |     |     |     |     |     |     |     |     |     |     | 7
     6   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   6
     5 |     |     |     |     |     |     |     |     |     |     |     |     | 5
     4   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   4
     3 |     |     |     |     |     |     |     |     |     |     |     |     | 3
     2   --- H ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   2
     1 |     |     |     |     |     |     |     |     |     |     |     |  H  | 1
         ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---
          A  B  C  D  E  F  G  H  I  J  K  L  M  N  O  P  Q  R  S  T  U  V  W
    ");
}

#[test]
fn marks_are_seen_without_colours() {
    let position = arranged("-size=4", "c3:V d4:H f4:V e5:H", "V", LastMove::Single);
    let cell = |name| position.cell(name).unwrap();
    let marks = [
        (cell("d4"), Mark::To),
        (cell("e5"), Mark::To),
        (cell("e3"), Mark::Chosen),
        (cell("f2"), Mark::Target),
        (cell("g3"), Mark::Target),
        (cell("g1"), Mark::Target),
        (cell("g1"), Mark::Cursor),
        (cell("d2"), Mark::Cursor),
        (cell("d2"), Mark::Target),
        (cell("c3"), Mark::From),
        (cell("f4"), Mark::Captured),
    ];
    assert_snapshot!(position.draw(&marks), @r"
         A  B  C  D  E  F  G
        ---   ---   ---   ---
    7 |     |     |     |     | 7
    6   ---   ---   ---   ---   6
    5 |     |     | +H  |     | 5
    4   ---   ---+H ---*V ---   4
    3 |     | -V  |  =  |  :  | 3
    2   ---   --- > --- : ---   2
    1 |     |     |     |  >  | 1
        ---   ---   ---   ---
         A  B  C  D  E  F  G
    ");
}

#[test]
fn spans_know_what_they_show() {
    let position = arranged("-size=4", "c3:V d4:H", "V", LastMove::Single);
    let cell = |name| position.cell(name).unwrap();
    let drawing = position.draw(&[(cell("d4"), Mark::To), (cell("b2"), Mark::Target)]);
    for (name, text, seat, mark) in [
        ("c3", "V", Some(0), None),
        ("d4", "+H", Some(1), Some(Mark::To)),
        ("b2", ":", None, Some(Mark::Target)),
        ("a1", "", None, None),
    ] {
        let mut spans = drawing.lines.iter().flatten().filter(|span| span.cell == Some(cell(name)));
        let span = spans.next().unwrap();
        assert_eq!(span.text.trim(), text, "{name}");
        assert_eq!(span.seat.map(Seat::index), seat, "{name}");
        assert_eq!(span.mark, mark, "{name}");
        assert_eq!(spans.next(), None, "{name}");
    }
    let cells = drawing.lines.iter().flatten().filter(|span| span.cell.is_some()).count();
    assert_eq!(cells, 16 + 9);
}

#[test]
fn neighbouring_octagons_are_one_apart_and_row_1_is_lowest() {
    for size in 3..=12 {
        let position = start(&format!("-size={size}"));
        let layout = position.layout();
        let places: Vec<_> = layout.cells.iter().map(|at| (at.cell, at.x, at.y)).collect();
        let at = |name: &str| {
            let cell = position.cell(name).unwrap();
            *places.iter().find(|(known, _, _)| *known == cell).unwrap()
        };
        let ((_, ax, ay), (_, bx, by)) = (at("a1"), at("b2"));
        assert!(bx > ax && by < ay);
        for at in &layout.cells {
            // Squares lie in the middle of four octagons.
            for next in position.neighbours(at.cell) {
                let next = layout.cells.iter().find(|other| other.cell == next).unwrap();
                let distance = (at.x - next.x).hypot(at.y - next.y);
                let octagons = [at, next].iter().all(|at| at.shape == CellShape::Octagon);
                let expected = if octagons { 1.0 } else { 0.5_f64.sqrt() };
                assert!((distance - expected).abs() < 1e-9);
            }
        }
        let middle = |of: fn(&(_, f64, f64)) -> f64| places.iter().map(of).sum::<f64>();
        assert!(middle(|(_, x, _)| *x).abs() < 1e-9 && middle(|(_, _, y)| *y).abs() < 1e-9);
    }
}

#[test]
fn every_seat_has_two_edges() {
    let position = start("-size=4");
    let edges: Vec<_> = position
        .layout()
        .edges
        .iter()
        .map(|edge| {
            let cells: Vec<_> =
                edge.cells.iter().map(|&cell| position.cell_name(cell).to_string()).collect();
            format!("{} {}: {}", position.letter(edge.seat), edge.name, cells.join(" "))
        })
        .collect();
    assert_eq!(
        edges,
        [
            "V bottom: a1 c1 e1 g1",
            "V top: a7 c7 e7 g7",
            "H left: a1 a3 a5 a7",
            "H right: g1 g3 g5 g7",
        ]
    );
}
