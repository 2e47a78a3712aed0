//! The layout of the window for every game, and windows that are too small.

use adamant_rules::{Kind, TimeControl};
use crossterm::event::KeyCode;

use super::*;

#[test]
fn a_game_of_two_fits_a_common_window() {
    let mut ann = TestClient::ann();
    ann.play("c1-e1,c2,4xc3,a1", 10);
    ann.play("c5-c4,3xa3", 25);
    ann.wait_until(30);
    insta::assert_snapshot!(ann.frame(), @"
    adamas -size=3 -pieces=8  k7q2mx  5m+5s  casual

                                            > O ann (you)                       4:25
                                              X bob                             4:50

                                              1 O c1-a1,c2,4xc3,e1
                                              2 X c5-3xa3,c4
                    1   2   3
               e  O   .   .   e3
             d  .   .   .   .   d4
           c  O   O   O4 +X  -X4  c5
             b  .   .   .   .   b4
               a  O   .  +X3  a3
                    1   2   3






    Your move, O ann.  Tab or a click goes to the board.
    >
    ? for help. split d1-2xd3,e1; merge 2xd1,3xa4-d4; one to one 9xd1-d3; no count
    means one piece
    ");
}

#[test]
fn a_large_board_has_players_above_and_moves_below() {
    let clock = TimeControl::PerMove { move_ms: 60_000 };
    let server = FakeServer::new("-size=8 -pieces=99", &["ann", "bob", "cy"], clock);
    let mut cy = TestClient::new(server, Some("cy"), Role::Play);
    cy.play("h1-h2,40xh9", 5);
    insta::assert_snapshot!(cy.frame(), @"
    adamas -size=8 -pieces=99  k7q2mx  1m a move  casual

      O ann 1:00  > X bob 1:00    Y cy (you) 1:00
                              1   2   3   4   5   6   7   8
                         o  .   .   .   .   .   .   .   X99 o8
                       n  .   .   .   .   .   .   .   .   .   n9
                     m  .   .   .   .   .   .   .   .   .   .   m10
                   l  .   .   .   .   .   .   .   .   .   .   .   l11
                 k  .   .   .   .   .   .   .   .   .   .   .   .   k12
               j  .   .   .   .   .   .   .   .   .   .   .   .   .   j13
             i  .   .   .   .   .   .   .   .   .   .   .   .   .   .   i14
           h -O58+O   .   .   .   .   .   .  +O40 .   .   .   .   .   .   h15
             g  .   .   .   .   .   .   .   .   .   .   .   .   .   .   g14
               f  .   .   .   .   .   .   .   .   .   .   .   .   .   f13
                 e  .   .   .   .   .   .   .   .   .   .   .   .   e12
                   d  .   .   .   .   .   .   .   .   .   .   .   d11
                     c  .   .   .   .   .   .   .   .   .   .   c10
                       b  .   .   .   .   .   .   .   .   .   b9
                         a  .   .   .   .   .   .   .   Y99 a8
                              1   2   3   4   5   6   7   8
    1 O h1-h2,40xh9
    X bob to move.
    >
    ? for help. split d1-2xd3,e1; merge 2xd1,3xa4-d4; one to one 9xd1-d3; no count
    ");
}

#[test]
fn a_window_that_is_too_small_shows_a_message() {
    let ann = TestClient::ann();
    insta::assert_snapshot!(ann.frame_of(44, 10), @"
    adamas -size=3 -pieces=8  k7q2mx  5m+5s

    > O ann (you) 5:00    X bob 5:00
    The window is too small for the board: a
    part of it needs 16 columns and 12 lines.


    Your move, O ann.  Tab or a click goes to
    >
    ? for help. split d1-2xd3,e1; merge
    ");
    // No size of the window panics.
    for (columns, lines) in (1..40).flat_map(|columns| (1..30).map(move |lines| (columns, lines))) {
        ann.frame_of(columns, lines);
    }
    ann.frame_of(200, 60);
}

#[test]
fn a_high_board_scrolls_with_the_cursor() {
    let mut ann = ann_in(Kind::Stymie, "-size=12", &["w23", "l12"]);
    insta::assert_snapshot!(ann.frame(), @"
    stymie -size=12  k7q2mx  5m+5s  casual

    > V ann (you) 5:04    H bob 5:04
                                    ^ 6 more lines ^
    19 |     |     |     |     |     |     |     |     |     |     |     |     | 19
    18   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   18
    17 |     |     |     |     |     |     |     |     |     |     |     |     | 17
    16   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   16
    15 |     |     |     |     |     |     |     |     |     |     |     |     | 15
    14   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   14
    13 |     |     |     |     |     |     |     |     |     |     |     |     | 13
    12   ---   ---   ---   ---   ---   ---+H ---   ---   ---   ---   ---   ---   12
    11 |     |     |     |     |     |     |     |     |     |     |     |     | 11
    10   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   10
     9 |     |     |     |     |     |     |     |     |     |     |     |     | 9
     8   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   8
     7 |     |     |     |     |     |     |     |     |     |     |     |     | 7
     6   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   6
     5 |     |     |     |     |     |     |     |     |     |     |     |     | 5
                                    v 6 more lines v
    1 V w23  2 H l12
    Your move, V ann.  Tab or a click goes to the board.
    >
    ? for help. one piece f6; two on an octagon and a square touching it f6,g5;
    ");
    ann.press(KeyCode::Tab);
    for _ in 0..30 {
        ann.press(KeyCode::Down);
    }
    insta::assert_snapshot!(ann.frame(), @"
    stymie -size=12  k7q2mx  5m+5s  casual

    > V ann (you) 5:04    H bob 5:04
                                   ^ 12 more lines ^
    13 |     |     |     |     |     |     |     |     |     |     |     |     | 13
    12   ---   ---   ---   ---   ---   ---+H ---   ---   ---   ---   ---   ---   12
    11 |     |     |     |     |     |     |     |     |     |     |     |     | 11
    10   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   10
     9 |     |     |     |     |     |     |     |     |     |     |     |     | 9
     8   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   8
     7 |     |     |     |     |     |     |     |     |     |     |     |     | 7
     6   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   6
     5 |     |     |     |     |     |     |     |     |     |     |     |     | 5
     4   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   4
     3 |     |     |     |     |     |     |     |     |     |     |     |     | 3
     2   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   2
     1 |     |     |     |     |     |  >  |     |     |     |     |     |     | 1
         ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---
          A  B  C  D  E  F  G  H  I  J  K  L  M  N  O  P  Q  R  S  T  U  V  W

    1 V w23  2 H l12
    Your move, on k1: Space selects it, Tab leaves the board.
    >
    ? for help. one piece f6; two on an octagon and a square touching it f6,g5;
    ");
    // A click selects the cell that is shown there.
    ann.click_on("H ---");
    ann.shows("You cannot move anything at l12.");
}

#[test]
fn a_large_board_scrolls_both_ways() {
    let server = FakeServer::new("-size=8 -pieces=99", &["ann", "bob"], TimeControl::None);
    let mut ann = TestClient::new(server, Some("ann"), Role::Play);
    ann.play("h1-h8", 1);
    insta::assert_snapshot!(ann.frame_of(40, 16), @"
    adamas -size=8 -pieces=99  k7q2mx  no

      O ann (you)   > X bob
                ^ 5 more lines ^
    <.   .   .   .   .   .   .   .   .   . >
    <  .   .   .   .   .   .   .   .   .   >
    <.   .   .   .   .   .   .   .   .   . >
    <  .   .   .   .  +O   .   .   .   .   >
    <.   .   .   .   .   .   .   .   .   . >
    <  .   .   .   .   .   .   .   .   .   >
    <.   .   .   .   .   .   .   .   .   . >
                v 5 more lines v
    1 O h1-h8
    X bob to move.
    >
    ? for help. split d1-2xd3,e1; merge
    ");
    // A spectator scrolls with the arrows.
    let server = FakeServer::new("-size=8 -pieces=99", &["ann", "bob"], TimeControl::None);
    let mut spectator = TestClient::new(server, None, Role::Watch);
    for _ in 0..20 {
        spectator.press(KeyCode::Left);
    }
    insta::assert_snapshot!(spectator.frame_of(40, 16), @"
    adamas -size=8 -pieces=99  k7q2mx  no

    > O ann     X bob
                ^ 5 more lines ^
           k  .   .   .   .   .   .   .   .>
         j  .   .   .   .   .   .   .   .  >
       i  .   .   .   .   .   .   .   .   .>
     h >O99 .   .   .   .   .   .   .   .  >
       g  .   .   .   .   .   .   .   .   .>
         f  .   .   .   .   .   .   .   .  >
           e  .   .   .   .   .   .   .   .>
                v 5 more lines v

    O ann to move.
    q quit  ? help  t talk  PgUp/PgDn moves
    ");
    spectator.press(KeyCode::Esc);
    assert!(spectator.view.pointer.is_none());
}

#[test]
fn the_help_page_fits_a_common_window() {
    let mut ann = TestClient::ann();
    ann.press(KeyCode::Char('?'));
    insta::assert_snapshot!(ann.frame(), @"
    ADAMAS  Capture until nobody else has pieces and moves left.
    A piece goes any distance along six lines over empty cells, to an empty cell, an
    own stack or an enemy stack that it captures. In one move a stack splits to
    several cells, or several stacks merge on one; each part must see its goal.
    An enemy stack falls if its height equals the number of pieces of other colours
    that it sees: the heights of the first stacks on its six lines, added up. The
    very first move may not capture. Who has no piece, or no move when it is their
    turn, is out; the last one left wins. Two single pieces of different colours
    that do not see each other, or a position that comes for the third time, draw.
      c1-c3         one piece          c1-e1,4xc3    a split: one and four
      4xc1-c3       four pieces        c2,2xe1-d2    a merge: one and two

      MOVE, try MOVE    play a move, as above; preview it, then Enter plays it
      draw, takeback,   make that offer (calloff: to end without a result); accept,
      calloff           decline, withdraw: an offer. claim: if a player is away
      resign, abort     resign; abort a game just begun. say TEXT, talk: chat
      Tab or a click    use the board: arrows move, Space selects, Enter plays,
                        + - change the number or choice; Space again or , adds a
                        stack as a source; . selects a move without cells
      Up, Down          earlier input               PgUp, PgDn, Home, End   history
      Esc               clear the current input     Ctrl-C, quit   leave
    Last move: from - to +, captures *. Ctrl-T: ! marks capturable pieces.

    Any key goes back to the game.
    ");
    ann.press(KeyCode::Char('x'));
    ann.shows("O ann");
    assert!(ann.view.prompt.is_empty(), "the key only closes the page");
    let mut spectator = TestClient::new(FakeServer::two(), None, Role::Watch);
    spectator.press(KeyCode::Char('?'));
    spectator.shows("You are watching");
}

#[test]
fn the_list_of_moves_scrolls_with_the_shown_ply() {
    let mut ann = TestClient::ann();
    // Pieces of both sides move to and fro, from different cells each time.
    let rounds = ["c1-c2", "c5-c4", "c1-d1", "c5-d4", "c1-b1", "c5-b4", "c2-d2", "c4-d3"];
    let more = ["d1-e1", "d4-e3", "b1-a1", "b4-a3", "c1-c2", "c5-c4", "c1-d1", "c5-d4"];
    for (second, notation) in (1..).zip(rounds.into_iter().chain(more)) {
        ann.play(notation, second);
    }
    ann.shows(" 16 X c5-d4");
    ann.shows_no("  1 O c1-c2");
    ann.press(KeyCode::Home);
    ann.shows("  1 O c1-c2");
    ann.shows_no(" 16 X c5-d4");
}

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
fn a_swap_changes_the_names_of_the_seats() {
    let ann = ann_in(Kind::Stymie, "-size=4 -swap", &["d4", "swap"]);
    ann.shows("  V bob  ");
    ann.shows("> H ann (you)  ");
    ann.shows("  2 H swap");
    ann.shows("Your move, H ann.");
}

#[test]
fn every_game_fits_a_common_window() {
    let (two, three) = (&["ann", "bob"][..], &["ann", "bob", "cy"][..]);
    let games: [(Kind, &str, &[&str], &[&str]); 6] = [
        (Kind::Adamas, "", two, &["c1-e1,c2,4xc3,a1", "c5-c4,3xa3"]),
        (Kind::Hexma, "", two, &["k13-j12", "k5-l6"]),
        (Kind::Hexma, "", three, &["k13-j12", "g5-i5"]),
        (Kind::Stymie, "", two, &["h8", "f6", "i9,j10,k9"]),
        (Kind::Diam, "-pieces=2x4", two, &["A1", "X1", "B4", "Y5", "1+"]),
        (Kind::Diam, "-board=12x6 -pieces=4x6", two, &["A1"]),
    ];
    for (kind, options, users, moves) in games {
        let server = FakeServer::of(kind, options, users, CLOCK);
        let mut eve = TestClient::new(server, None, Role::Watch);
        for (second, notation) in (1..).zip(moves) {
            eve.play(notation, second);
        }
        let frame = eve.frame();
        let ply = eve.view.history.plies().last().unwrap();
        // The board as the rules draw it, whole and in its order.
        let mut rows = frame.lines();
        for line in ply.position.draw(&ply.marks).to_string().lines() {
            assert!(rows.any(|row| row.contains(line.trim())), "{line:?} is not in\n{frame}");
        }
        for user in users {
            assert!(frame.contains(&format!(" {user} ")), "{user} is not in\n{frame}");
        }
        eve.shows(&format!("{} ", moves.len()));
        eve.shows(&ply.notation);
        eve.shows(" to move.");
    }
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
    ann.shows("c  O   O  !O4 +X  -X4  c5");
    ann.shows("! marks pieces that another player could capture on their turn; Ctrl-T hides it.");
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
    let mut ann = ann_in(Kind::Hexma, "", &[]);
    assert_eq!(ann.press_control('t'), []);
    ann.shows("This game has no captures.");
}
