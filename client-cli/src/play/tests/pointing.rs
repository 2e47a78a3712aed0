//! Moves that are selected on the board, with the cursor and with the mouse.
//! The server gives hints for them, also slow, outdated and lost ones.

use adamant_protocol::sketch::Sketch;
use adamant_rules::{Act, Kind};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{
    Effect, FakeServer, Incoming, Message, O, Request, RequestError, ResumeDecision, Role,
    TestClient, move_request, welcome, window::ann_in, x,
};

pub(super) const SPACE: KeyCode = KeyCode::Char(' ');

pub(super) fn press_all(client: &mut TestClient, keys: &[KeyCode]) {
    for &key in keys {
        assert_eq!(client.press(key), []);
    }
}

/// A game of Adamas in which X can capture.
fn captures() -> TestClient {
    let server = FakeServer::two();
    let mut bob = TestClient::new(server, Some("bob"), Role::Play);
    for (second, notation) in (1..).zip(["c1-e1,c2,4xc3,a1", "c5-c4,3xa3", "c1-b1"]) {
        bob.play(notation, second);
    }
    bob
}

#[test]
fn a_selected_stack_shows_its_targets_and_captures() {
    let mut bob = captures();
    bob.click_on("X   X4");
    insta::assert_snapshot!(bob.frame(), @"
    adamas -size=3 -pieces=8  k7q2mx  5m+5s  casual

                                              O ann                             5:08
                                            > X bob (you)                       5:04

                                              1 O c1-a1,c2,4xc3,e1
                                              2 X c5-3xa3,c4
                    1   2   3                 3 O c1-b1
               e  O  :.   .   e3
             d  .   .  :.  :.   d4
           c  .   O  *O4 >X  :X4  c5
             b  O   .  :.  :.   b4
               a  O  :.  :X3  a3
                    1   2   3






    Your move, on c4: Space selects a target, Esc clears.
    >
    = selected, : selectable, * captures, > cursor; , adds a source
    ");
}

#[test]
fn a_stack_is_split_with_keys() {
    let mut ann = TestClient::ann();
    press_all(&mut ann, &[KeyCode::Tab]);
    insta::assert_snapshot!(ann.frame(), @"
    adamas -size=3 -pieces=8  k7q2mx  5m+5s  casual

                                            > O ann (you)                       5:00
                                              X bob                             5:00



                    1   2   3
               e  .   .   .   e3
             d  .   .   .   .   d4
           c >O8  .   .   .   X8  c5
             b  .   .   .   .   b4
               a  .   .   .   a3
                    1   2   3






    Your move, on c1: Space selects it, Tab leaves the board.
    >
    ? for help. split d1-2xd3,e1; merge 2xd1,3xa4-d4; one to one 9xd1-d3; no count
    means one piece
    ");
    press_all(&mut ann, &[SPACE, KeyCode::Right, KeyCode::Right]);
    ann.shows("Your move, on c3: Space selects a target, Esc clears.");
    press_all(&mut ann, &[KeyCode::Enter, KeyCode::Char('+'), KeyCode::Char('+')]);
    assert_eq!(ann.view.prompt.text(), "3xc1-c3");
    press_all(&mut ann, &[KeyCode::Char('-'), KeyCode::Left, SPACE]);
    insta::assert_snapshot!(ann.frame(), @"
    adamas -size=3 -pieces=8  k7q2mx  5m+5s  casual

                                            > O ann (you)                       5:00
                                              X bob                             5:00



                    1   2   3
               e :.   .   .   e3
             d :.   .   .   .   d4
           c =O8 >.  =.  :.   X8  c5
             b :.   .   .   .   b4
               a :.   .   .   a3
                    1   2   3






    Your move, on c2: Enter plays, Space adds a cell, + - change, Esc clears.
    > c1-c2,2xc3
    = selected, : selectable, * captures, > cursor; , adds a source
    ");
    assert_eq!(ann.press(KeyCode::Enter), [Effect::Send(move_request(0, "c1-c2,2xc3"))]);
    ann.shows("c1-c2,2xc3: waiting for the server ...");
    ann.play("c1-c2,2xc3", 1);
    ann.shows_no("= selected");
}

#[test]
fn a_selected_move_can_be_edited_in_the_prompt() {
    let mut ann = TestClient::ann();
    press_all(&mut ann, &[KeyCode::Tab, SPACE, KeyCode::Right, SPACE, KeyCode::Tab]);
    ann.shows("> c1-c2");
    ann.shows_no("= selected");
    press_all(&mut ann, &[KeyCode::Backspace, KeyCode::Char('3')]);
    assert_eq!(ann.press(KeyCode::Enter), [Effect::Send(move_request(0, "c1-c3"))]);
}

#[test]
fn typing_returns_the_keys_to_the_prompt() {
    let mut ann = TestClient::ann();
    ann.enter("try c1-c2");
    press_all(&mut ann, &[KeyCode::Tab, KeyCode::Char('d')]);
    assert_eq!(ann.view.prompt.text(), "d");
    press_all(&mut ann, &[KeyCode::Esc, KeyCode::Up]);
    assert_eq!(ann.view.prompt.text(), "try c1-c2", "Up is for earlier lines again");
}

#[test]
fn escape_clears_one_thing_at_a_time() {
    let mut ann = TestClient::ann();
    press_all(&mut ann, &[KeyCode::Tab, SPACE, KeyCode::Right, SPACE]);
    press_all(&mut ann, &[KeyCode::Esc]);
    assert!(ann.view.prompt.is_empty(), "{}", ann.frame());
    ann.shows("on c2: Space selects it, Tab leaves the board.");
    press_all(&mut ann, &[KeyCode::Esc]);
    ann.shows("Tab or a click goes to the board.");
}

#[test]
fn an_impossible_cell_is_explained() {
    let mut ann = TestClient::ann();
    ann.click_on("X8");
    ann.shows("You cannot move anything at c5.");
    ann.click_on("O8");
    ann.click_on("e3");
    ann.shows("on c1: Space selects a target");
    ann.click_on(".   e3");
    ann.shows("This move cannot continue to e3.");
    ann.click_on("=O8");
    ann.shows_no("= selected");
}

#[test]
fn cells_are_selectable_only_on_the_players_turn() {
    let mut ann = TestClient::ann();
    ann.play("c1-c2", 1);
    ann.click_on("O7");
    ann.shows("It is not your turn.");
    ann.shows("X bob to move.");
    let mut watcher = TestClient::new(FakeServer::two(), None, Role::Watch);
    let before = watcher.frame();
    watcher.press(KeyCode::Tab);
    watcher.click_on("O8");
    assert_eq!(watcher.frame(), before);
}

#[test]
fn an_event_clears_the_selection() {
    let server = FakeServer::new("", &["ann", "bob", "cy"], crate::play::tests::window::CLOCK);
    let mut ann = TestClient::new(server, Some("ann"), Role::Play);
    ann.click_on("O12");
    ann.click_on(":.");
    assert!(!ann.view.prompt.is_empty());
    ann.server.act(Act::Resign { seat: O }, 5);
    ann.receive_journal();
    assert!(ann.view.prompt.is_empty());
    ann.shows_no("= selected");
}

#[test]
fn showing_an_earlier_ply_closes_the_cursor() {
    let mut ann = TestClient::ann();
    for (second, notation) in (1..).zip(["c1-c2", "c5-c4"]) {
        ann.play(notation, second);
    }
    ann.click_on("O7");
    ann.press(KeyCode::PageUp);
    ann.shows("Ply 1 of 2");
    ann.shows_no("= selected");
    ann.click_on("O7");
    ann.shows_no("Ply 1 of 2");
    ann.shows("= selected");
}

#[test]
fn a_piece_of_hexma_is_moved_by_clicks() {
    let mut ann = ann_in(Kind::Hexma, "", &[]);
    press_all(&mut ann, &[KeyCode::Tab]);
    ann.click_on(":O");
    insta::assert_snapshot!(ann.frame(), @"
                                        hexma  k7q2mx  5m+5s  casual
         abcdefghijklmnopqrstuvwxy
         | | | | | | | | | | | | |
     1               X               1
     2              X X              2  > O ann (you)                          5:00
     3             X X X             3    X bob                                5:00
     4            X X X X            4
     5   . . . . . X X X . . . . .   5
     6    . . . . . . . . . . . .    6
     7     . . . . . . . . . . .     7
     8      . . . . . . . . . .      8
     9       . . . . . . . . .       9
    10      . . . . . . . . . .      10
    11     . . . . . . . . . . .     11
    12    . . . .:.:. . . . . . .    12
    13   . . . .:.>O O O . . . . .   13
    14            O O O O            14
    15             O O O             15 Your move, on k13: Space selects a target,
    16              O O              16 Esc clears.
    17               O               17 >
         | | | | | | | | | | | | |      = selected, : selectable, * captures, >
         abcdefghijklmnopqrstuvwxy      cursor; , adds a source
    ");
    ann.click_on(":.");
    let notation = ann.view.prompt.text();
    assert!(notation.starts_with("k13-"), "{notation}");
    assert_eq!(ann.press(KeyCode::Enter), [Effect::Send(move_request(0, &notation))]);
}

#[test]
fn cells_of_stymie_are_added_one_by_one() {
    let mut ann = ann_in(Kind::Stymie, "-size=4", &["a1", "g7"]);
    press_all(&mut ann, &[KeyCode::Tab, SPACE]);
    insta::assert_snapshot!(ann.frame(), @"
    stymie -size=4  k7q2mx  5m+5s  casual

                                            > V ann (you)                       5:04
                                              H bob                             5:04

               A  B  C  D  E  F  G            1 V a1
              ---   ---   ---   ---           2 H g7
          7 |     |     |     |  H  | 7
          6   --- : --- : --- : ---   6
          5 |     |  :  |  :  |     | 5
          4   --- : --- > --- : ---   4
          3 |     |  :  |  :  |     | 3
          2   --- : --- : --- : ---   2
          1 |  V  |     |     |     | 1
              ---   ---   ---   ---
               A  B  C  D  E  F  G




    Your move, on d4: Enter plays, Space adds a cell, + - change, Esc clears.
    > d4
    = selected, : selectable, * captures, > cursor; , adds a source
    ");
    ann.click_on(":  |  :  |");
    press_all(&mut ann, &[KeyCode::Char('+')]);
    insta::assert_snapshot!(ann.view.prompt.text(), @"c5,d4");
    let effects = ann.press(KeyCode::Enter);
    assert!(matches!(effects[..], [Effect::Send(Request::Move { turn: 2, .. })]), "{effects:?}");
}

#[test]
fn stacks_of_diam_are_moved_and_letters_placed() {
    let mut ann = ann_in(Kind::Diam, "", &["A8", "X8", "B8", "Y2"]);
    press_all(&mut ann, &[KeyCode::Tab]);
    ann.click_on("8 _");
    insta::assert_snapshot!(ann.frame(), @"
    diam -board=8x4 -pieces=2x4  k7q2mx  5m+5s  casual

                                            > A ann (you)                       5:08
                                              X bob                             5:08
          4     .     .     .     .
          3     .     .     .     .           1 A A8
          2     .     .     .     .           2 X X8
          1     .     Y     .     .           3 A B8
            .__:1 ___ 2 ___ 3 ___ 4 __.       4 X Y2
            |                         |
          4 |   .     .     .     .   |
          3 |   B     .     .     .   |
          2 |   X     .     .     .   |
          1 |   A     .     .     .   |
            |__>8 ___:7 ___ 6 ___ 5 __|

          A has AAA BBB to place
          X has XXX YYY to place


    Your move, on 8: AXB moves. Space selects a target, + - change it, Esc clears.
    >
    = selected, : selectable, * captures, > cursor; , adds a source
    ");
    ann.click_on(":1 _");
    press_all(&mut ann, &[KeyCode::Char('+')]);
    assert_eq!(ann.press(KeyCode::Enter), [Effect::Send(move_request(4, "8,3+"))]);
    ann.play("8,3+", 9);
    assert_eq!(ann.server.table.to_move(), Some(x()));
}

/// A game of Adamas in which O has five stacks.
fn stacks() -> TestClient {
    ann_in(Kind::Adamas, "", &["c1-e1,c2,4xc3,a1", "c5-c4,3xa3"])
}

#[test]
fn stacks_are_merged_by_selecting_them_twice() {
    let mut ann = stacks();
    ann.click_on("O   O4");
    ann.click_on(":O4");
    assert_eq!(ann.view.prompt.text(), "c2-c3");
    ann.click_on(">O4");
    assert!(ann.view.prompt.is_empty(), "two sources, and no target yet");
    press_all(&mut ann, &[KeyCode::Char('+'), KeyCode::Up, SPACE]);
    insta::assert_snapshot!(ann.frame(), @"
    adamas -size=3 -pieces=8  k7q2mx  5m+5s  casual

                                            > O ann (you)                       5:04
                                              X bob                             5:04

                                              1 O c1-a1,c2,4xc3,e1
                                              2 X c5-3xa3,c4
                    1   2   3
               e :O   .   .   e3
             d  .  >.   .   .   d4
           c  O  =O  =O4  X   X4  c5
             b  .   .   .   .   b4
               a  O   .   X3  a3
                    1   2   3






    Your move, on d2: Enter plays, Space adds a cell, + - change, Esc clears.
    > c2,2xc3-d2
    = selected, : selectable, * captures, > cursor; , adds a source
    ");
    assert_eq!(ann.press(KeyCode::Enter), [Effect::Send(move_request(2, "c2,2xc3-d2"))]);
}

#[test]
fn a_key_adds_a_source() {
    let mut ann = stacks();
    ann.click_on("O   O4");
    press_all(&mut ann, &[KeyCode::Right, KeyCode::Char(','), KeyCode::Up, SPACE]);
    assert_eq!(ann.view.prompt.text(), "c2,c3-d2");
    press_all(&mut ann, &[KeyCode::Right, KeyCode::Char(',')]);
    ann.shows("d3 cannot be another source of this move.");
}

#[test]
fn a_key_selects_a_move_without_cells() {
    let mut bob = TestClient::new(
        FakeServer::of(
            Kind::Stymie,
            "-size=4 -swap",
            &["ann", "bob"],
            crate::play::tests::window::CLOCK,
        ),
        Some("bob"),
        Role::Play,
    );
    bob.play("d4", 1);
    press_all(&mut bob, &[KeyCode::Tab]);
    bob.shows("Space selects it, . selects swap, Tab leaves.");
    press_all(&mut bob, &[SPACE, KeyCode::Char('.')]);
    assert_eq!(bob.view.prompt.text(), "swap");
    press_all(&mut bob, &[KeyCode::Esc]);
    assert!(bob.view.prompt.is_empty());
    press_all(&mut bob, &[KeyCode::Char('.')]);
    assert_eq!(bob.press(KeyCode::Enter), [Effect::Send(move_request(1, "swap"))]);
    bob.update(Message::Response(move_request(1, "swap"), Ok(())));
    bob.play("swap", 2);
    // Bob is V now, and it is ann's turn.
    press_all(&mut bob, &[KeyCode::Char('.')]);
    bob.shows("It is not your turn.");
}

/// Returns the only request for hints among the effects.
#[track_caller]
fn hint_request(effects: Vec<Effect>) -> Sketch {
    match <[Effect; 1]>::try_from(effects) {
        Ok([Effect::FetchHints(sketch)]) => sketch,
        other => panic!("{other:?} is no question"),
    }
}

#[test]
fn actions_are_queued_while_an_answer_is_pending() {
    let mut ann = TestClient::ann();
    let key = |code| Message::Key(KeyEvent::new(code, KeyModifiers::NONE));
    let begin = hint_request(ann.update_unanswered(key(KeyCode::Tab)));
    for code in [SPACE, KeyCode::Right, SPACE, KeyCode::Char('+'), KeyCode::Enter] {
        assert_eq!(ann.update_unanswered(key(code)), []);
    }
    ann.shows("c  O8 >.");
    let answer = ann.server.hints(&begin);
    // After the answer the queued actions run, one request at a time.
    let effects = ann.update(Message::Hints(begin, Ok(answer)));
    assert_eq!(effects, [Effect::Send(move_request(0, "2xc1-c2"))]);
}

#[test]
fn hints_for_another_turn_are_dropped() {
    let mut ann = TestClient::ann();
    let begin = hint_request(
        ann.update_unanswered(Message::Key(KeyEvent::new(KeyCode::Tab, KeyModifiers::NONE))),
    );
    // The server is a turn ahead.
    ann.server.play("c1-c2", 1);
    ann.server.play("c5-c4", 2);
    let answer = ann.server.hints(&begin);
    assert_eq!(ann.update_unanswered(Message::Hints(begin.clone(), Ok(answer))), []);
    ann.shows_no(":O");
    ann.receive_journal();
    ann.shows(">O7 :O");
    // An answer without a pending request changes nothing.
    let before = ann.frame();
    let late = ann.server.hints(&begin);
    assert_eq!(ann.update_unanswered(Message::Hints(begin, Ok(late))), []);
    assert_eq!(ann.frame(), before);
}

#[test]
fn a_lost_request_is_repeated_after_the_reconnect() {
    let mut ann = TestClient::ann();
    let begin = hint_request(
        ann.update_unanswered(Message::Key(KeyEvent::new(KeyCode::Tab, KeyModifiers::NONE))),
    );
    let lost = Message::Hints(begin.clone(), Err(RequestError::ConnectionLost));
    assert_eq!(ann.update_unanswered(lost), [], "it is not repeated at once");
    let back = welcome(Some("ann"), 5, Some(ResumeDecision::Tail));
    let again = ann.update_unanswered(Message::Incoming(Incoming::Connected(Box::new(back))));
    assert_eq!(hint_request(again), begin);
}

#[test]
fn an_incomplete_move_shows_why() {
    let mut ann = ann_in(Kind::Stymie, "-size=4", &["a1", "g7"]);
    press_all(&mut ann, &[KeyCode::Tab, SPACE, KeyCode::Up, KeyCode::Up, SPACE]);
    ann.shows("d4 and d6 are squares");
    assert!(ann.view.prompt.is_empty());
}
