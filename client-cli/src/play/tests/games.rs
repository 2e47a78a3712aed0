//! The view of every game in a common window.

use adamant_rules::{Kind, TimeControl};
use crossterm::event::KeyCode;

use super::{FakeServer, Role, TestClient};

pub(super) const CLOCK: TimeControl = TimeControl::Fischer { base_ms: 300_000, inc_ms: 5_000 };

/// Ann's view of a game after some moves, a second each.
pub(super) fn ann_in(kind: Kind, options: &str, moves: &[&str]) -> TestClient {
    let server = FakeServer::of(kind, options, &["ann", "bob"], CLOCK);
    let mut ann = TestClient::new(server, Some("ann"), Role::Play);
    for (second, notation) in (1..).zip(moves) {
        ann.play(notation, second);
    }
    ann
}

#[test]
fn hexma_fills_the_height_with_the_panel_beside() {
    let ann = ann_in(Kind::Hexma, "", &["k13-j12", "k5-l6"]);
    insta::assert_snapshot!(ann.frame(), @"
                                        hexma  k7q2mx  5m+5s  casual
         abcdefghijklmnopqrstuvwxy
         | | | | | | | | | | | | |
     1               X               1
     2              X X              2  > O ann (you)                          5:04
     3             X X X             3    X bob                                5:04
     4            X X X X            4
     5   . . . . .-. X X . . . . .   5    1 O k13-j12
     6    . . . . .+X . . . . . .    6    2 X k5-l6
     7     . . . . . . . . . . .     7
     8      . . . . . . . . . .      8
     9       . . . . . . . . .       9
    10      . . . . . . . . . .      10
    11     . . . . . . . . . . .     11
    12    . . . . O . . . . . . .    12
    13   . . . . . . O O . . . . .   13
    14            O O O O            14
    15             O O O             15 Your move, O ann.  Tab or a click goes to
    16              O O              16 the board.
    17               O               17 >
         | | | | | | | | | | | | |      ? for help. q11-k13, by one step or by
         abcdefghijklmnopqrstuvwxy      hops; the points landed on may be named:
                                        q11-o13-k13
    ");
}

#[test]
fn hexma_of_three_fits_a_common_window() {
    let server = FakeServer::of(Kind::Hexma, "", &["ann", "bob", "cy"], CLOCK);
    let mut cy = TestClient::new(server, Some("cy"), Role::Play);
    cy.play("k13-j12", 1);
    cy.play("g5-i5", 2);
    insta::assert_snapshot!(cy.frame(), @"
                                        hexma  k7q2mx  5m+5s  casual
         abcdefghijklmnopqrstuvwxy
         | | | | | | | | | | | | |
     1               .               1
     2              . .              2    O ann                                5:04
     3             . . .             3    X bob                                5:04
     4            . . . .            4  > Y cy (you)                           5:00
     5   X X X-.+X . . . . Y Y Y Y   5
     6    X X X X . . . . Y Y Y Y    6    1 O k13-j12
     7     X X X . . . . . Y Y Y     7    2 X g5-i5
     8      X X . . . . . . Y Y      8
     9       . . . . . . . . .       9
    10      . . . . . . . . . .      10
    11     . . . . . . . . . . .     11
    12    . . . . O . . . . . . .    12
    13   . . . . . . O O . . . . .   13
    14            O O O O            14
    15             O O O             15 Your move, Y cy.  Tab or a click goes to
    16              O O              16 the board.
    17               O               17 >
         | | | | | | | | | | | | |      ? for help. q11-k13, by one step or by
         abcdefghijklmnopqrstuvwxy      hops; the points landed on may be named:
                                        q11-o13-k13
    ");
}

#[test]
fn stymie_fits_a_common_window() {
    let ann = ann_in(Kind::Stymie, "", &["h8", "f6", "i9,j10,k9"]);
    insta::assert_snapshot!(ann.frame(), @"
    stymie -size=8  k7q2mx  5m+5s  casual

           A  B  C  D  E  F  G  H  I  J  K  L  M  N  O         V ann (you)      5:08
          ---   ---   ---   ---   ---   ---   ---   ---      > H bob            5:04
     15 |     |     |     |     |     |     |     |     | 15
     14   ---   ---   ---   ---   ---   ---   ---   ---   14   1 V h8
     13 |     |     |     |     |     |     |     |     | 13   2 H f6
     12   ---   ---   ---   ---   ---   ---   ---   ---   12   3 V i9,j10,k9
     11 |     |     |     |     |     |     |     |     | 11
     10   ---   ---   ---   ---   ---+V ---   ---   ---   10
      9 |     |     |     |     | +V  | +V  |     |     | 9
      8   ---   ---   ---   --- V ---   ---   ---   ---   8
      7 |     |     |     |     |     |     |     |     | 7
      6   ---   ---   --- H ---   ---   ---   ---   ---   6
      5 |     |     |     |     |     |     |     |     | 5
      4   ---   ---   ---   ---   ---   ---   ---   ---   4
      3 |     |     |     |     |     |     |     |     | 3
      2   ---   ---   ---   ---   ---   ---   ---   ---   2
      1 |     |     |     |     |     |     |     |     | 1
          ---   ---   ---   ---   ---   ---   ---   ---
           A  B  C  D  E  F  G  H  I  J  K  L  M  N  O
    H bob to move.
    >
    ? for help. one piece f6; two on an octagon and a square touching it f6,g5
    ");
}

#[test]
fn a_swap_changes_the_names_of_the_seats() {
    let ann = ann_in(Kind::Stymie, "-size=4 -swap", &["d4", "swap"]);
    insta::assert_snapshot!(ann.frame(), @"
    stymie -size=4 -swap  k7q2mx  5m+5s  casual

                                              V bob                             5:04
                                            > H ann (you)                       5:04

               A  B  C  D  E  F  G            1 V d4
              ---   ---   ---   ---           2 H swap
          7 |     |     |     |     | 7
          6   ---   ---   ---   ---   6
          5 |     |     |     |     | 5
          4   ---   --- V ---   ---   4
          3 |     |     |     |     | 3
          2   ---   ---   ---   ---   2
          1 |     |     |     |     | 1
              ---   ---   ---   ---
               A  B  C  D  E  F  G




    Your move, H ann.  Tab or a click goes to the board.
    >
    ? for help. one piece f6; two on an octagon and a square touching it f6,g5
    ");
}

#[test]
fn diam_fits_a_common_window() {
    let ann = ann_in(Kind::Diam, "-pieces=2x4", &["A1", "X1", "B4", "Y5", "1+"]);
    insta::assert_snapshot!(ann.frame(), @"
    diam -board=8x4 -pieces=2x4  k7q2mx  5m+5s  casual

                                              A ann (you)                       5:12
                                            > X bob                             5:08
          4     .     .     .     .
          3     .     .     .     .           1 A A1
          2     .     X     .     .           2 X X1
          1     .     A     .     B           3 A B4
            .__-1 ___+2 ___ 3 ___ 4 __.       4 X Y5
            |                         |       5 A 1+
          4 |   .     .     .     .   |
          3 |   .     .     .     .   |
          2 |   .     .     .     .   |
          1 |   .     .     .     Y   |
            |__ 8 ___ 7 ___ 6 ___ 5 __|

          A has AAA BBB to place
          X has XXX YYY to place


    X bob to move.
    >
    ? for help. place A1; move a stack clockwise 4+ or back 4-; its part from piece
    3 upwards 6,3-
    ");
}

#[test]
fn the_highest_board_of_diam_fits() {
    let ann = ann_in(Kind::Diam, "-board=12x6 -pieces=4x6", &["A1"]);
    insta::assert_snapshot!(ann.frame(), @"
    diam -board=12x6 -pieces=4x6  k7q2mx  5m+5s  casual

      6     .     .     .     .     .     .        A ann (you)                  5:04
      5     .     .     .     .     .     .      > X bob                        5:00
      4     .     .     .     .     .     .
      3     .     .     .     .     .     .        1 A A1
      2     .     .     .     .     .     .
      1     A     .     .     .     .     .
        .__+1 ___ 2 ___ 3 ___ 4 ___ 5 ___ 6 __.
        |                                     |
      6 |   .     .     .     .     .     .   |
      5 |   .     .     .     .     .     .   |
      4 |   .     .     .     .     .     .   |
      3 |   .     .     .     .     .     .   |
      2 |   .     .     .     .     .     .   |
      1 |   .     .     .     .     .     .   |
        |__ 12 __ 11 __ 10 __ 9 ___ 8 ___ 7 __|

      A has AAAAA BBBBBB CCCCCC DDDDDD to place
      X has WWWWWW XXXXXX YYYYYY ZZZZZZ to place

    X bob to move.
    >
    ? for help. place A1; move a stack clockwise 4+ or back 4-; its part from piece
    ");
}

#[test]
fn every_game_has_a_help_page() {
    for &kind in Kind::ALL {
        let mut ann = ann_in(kind, "", &[]);
        ann.press(KeyCode::Char('?'));
        let page = ann.frame();
        for line in kind.rules_summary().lines() {
            assert!(page.contains(line.trim_end()), "{line:?} is not in\n{page}");
        }
        assert!(page.trim_end().ends_with("Any key goes back to the game."), "{page}");
    }
}

#[test]
fn threats_are_marked_on_every_shown_board() {
    let mut ann = TestClient::ann();
    ann.play("c1-e1,c2,4xc3,a1", 1);
    ann.shows_no("!");
    ann.play("c5-3xa3,c4", 2);
    ann.shows_no("!");
    assert_eq!(ann.press_control('t'), []);
    insta::assert_snapshot!(ann.frame(), @"
    adamas -size=3 -pieces=8  k7q2mx  5m+5s  casual

                                            > O ann (you)                       5:04
                                              X bob                             5:04

                                              1 O c1-a1,c2,4xc3,e1
                                              2 X c5-3xa3,c4
                    1   2   3
               e  O   .   .   e3
             d  .   .   .   .   d4
           c  O   O  !O4 +X  -X4  c5
             b  .   .   .   .   b4
               a  O   .  +X3  a3
                    1   2   3






    Your move, O ann.  Tab or a click goes to the board.
    >
    ! marks pieces that another player could capture on their turn; Ctrl-T hides it.
    ");
    // The preview of a move, and earlier plies.
    ann.enter("try c3-c2");
    ann.shows_no("!O");
    ann.press(KeyCode::Esc);
    ann.shows("!O4");
    ann.press(KeyCode::Home);
    ann.shows("!O8");
    ann.press(KeyCode::End);
    assert_eq!(ann.press_control('t'), []);
    ann.shows_no("!O");
    // Captures of the selected pieces take precedence.
    ann.server.play("c1-c2", 3);
    let mut bob = TestClient::new(ann.server, Some("bob"), Role::Play);
    assert_eq!(bob.press_control('t'), []);
    bob.shows("!O4");
    bob.click_on("X3");
    bob.shows("*O4");
}

#[test]
fn spectators_see_threats_and_a_game_without_captures_has_none() {
    let mut eve = TestClient::new(FakeServer::two(), None, Role::Watch);
    assert_eq!(eve.press_control('t'), []);
    eve.shows("!O8");
    eve.play("c1-c2", 1);
    eve.shows_no("!O8");
    let clock = TimeControl::Fischer { base_ms: 300_000, inc_ms: 5_000 };
    let server = FakeServer::of(Kind::Hexma, "", &["ann", "bob"], clock);
    let mut ann = TestClient::new(server, Some("ann"), Role::Play);
    assert_eq!(ann.press_control('t'), []);
    ann.shows("This game has no captures.");
}
