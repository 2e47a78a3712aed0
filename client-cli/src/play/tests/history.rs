//! The history of a game: clocks, moves, offers, earlier plies and the end.

use super::*;

#[test]
fn a_takeback_removes_the_move_from_the_list() {
    let mut ann = TestClient::ann();
    for (notation, seconds) in [("c1-c2", 1), ("c5-c4", 2), ("c2-c3", 3), ("c4-c5", 4)] {
        ann.play(notation, seconds);
    }
    ann.press(KeyCode::PageUp);
    ann.shows("Ply 3 of 4: c2-c3.");
    let takeback = OfferKind::Takeback;
    ann.server.act(Act::Offer { seat: O, what: takeback }, 5);
    ann.receive_journal();
    ann.shows("You offer a takeback");
    ann.server.act(Act::Answer { seat: x(), offer: OfferId(1), accept: true }, 6);
    ann.receive_journal();
    ann.shows_no("c2-c3");
    ann.shows_no("Ply 3");
    ann.shows("c5-c4");
    ann.play("c2-e2", 7);
    ann.shows("c2-e2");
}

#[test]
fn a_clock_follows_the_servers_time_and_never_ends_a_game() {
    let mut ann = TestClient::ann();
    assert!(ann.view.is_ticking());
    ann.shows("5:00");
    // After both first moves the no-show rule no longer applies.
    ann.play("c1-c2", 0);
    ann.play("c5-c4", 0);
    ann.wait_until(60);
    ann.shows("4:05");
    ann.wait_until(304);
    ann.shows("0:01.0");
    ann.wait_until(400);
    ann.shows("O ann is at zero: waiting for the server.");
    assert!(ann.view.has_prompt(), "only the server ends the game");
    let overdue = ann.server.table.overdue(START_MS + 305_000).unwrap();
    ann.server.apply(&overdue);
    ann.receive_journal();
    ann.shows("X bob wins: the opponent ran out of time.");
    assert!(!ann.view.is_ticking());
}

#[test]
fn an_event_adjusts_the_clock() {
    let mut ann = TestClient::ann();
    // The record is a minute ahead of the estimated time.
    ann.play("c1-c2", 60);
    assert_eq!(ann.view.left_ms(x()), Some(300_000));
    ann.wait_until(2);
    assert_eq!(ann.view.left_ms(x()), Some(298_000));
}

#[test]
fn the_board_shows_a_move_only_after_its_event() {
    let mut ann = TestClient::ann();
    let before = ann.frame();
    assert_eq!(ann.enter("C1-c2"), [Effect::Send(move_request(0, "C1-c2"))]);
    ann.shows("C1-c2: waiting for the server ...");
    let board = |frame: &str| frame.lines().skip(2).take(18).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(board(&ann.frame()), board(&before));
    assert_eq!(ann.enter("resign"), [], "one request at a time");
    assert_eq!(ann.update(Message::Response(move_request(0, "C1-c2"), Ok(()))), []);
    assert_eq!(board(&ann.frame()), board(&before));
    ann.play("c1-c2", 1);
    ann.shows("-O7 +O");
    ann.shows("X bob to move.");
    ann.shows("1 O c1-c2");
}

#[test]
fn earlier_plies_can_be_shown() {
    let mut ann = TestClient::ann();
    for (second, notation) in (1..).zip(["c1-c2", "c5-c4", "c2-d2"]) {
        ann.play(notation, second);
    }
    ann.press(KeyCode::PageUp);
    ann.shows("Ply 2 of 3: c5-c4. End shows the current board.");
    ann.shows("+X  -X7");
    ann.press(KeyCode::Home);
    ann.shows("Ply 0 of 3. End shows the current board.");
    ann.press(KeyCode::PageUp);
    ann.shows("Ply 0 of 3.");
    // A new move does not change the ply that is shown.
    ann.play("c4-d3", 9);
    ann.shows("Ply 0 of 4.");
    ann.press(KeyCode::PageDown);
    ann.shows("Ply 1 of 4: c1-c2.");
    ann.press(KeyCode::End);
    ann.shows_no("Ply");
    ann.press(KeyCode::PageUp);
    ann.press(KeyCode::PageDown);
    ann.shows_no("Ply");
}

#[test]
fn offers_are_shown_and_answered_by_id() {
    let mut ann = TestClient::ann();
    assert_eq!(ann.enter("accept"), []);
    ann.shows("There is no open offer to answer.");
    assert_eq!(ann.enter("withdraw"), []);
    ann.shows("You have no open offer.");
    assert_eq!(ann.enter("draw"), [Effect::Send(Request::Offer(OfferKind::Draw))]);
    ann.update(Message::Response(Request::Offer(OfferKind::Draw), Ok(())));
    ann.server.act(Act::Offer { seat: O, what: OfferKind::Draw }, 2);
    ann.receive_journal();
    ann.shows("You offer a draw; withdraw cancels it.");
    let withdraw = Request::Withdraw { offer: OfferId(1) };
    assert_eq!(ann.enter("withdraw"), [Effect::Send(withdraw.clone())]);
    ann.update(Message::Response(withdraw, Ok(())));
    ann.server.act(Act::Withdraw { seat: O, offer: OfferId(1) }, 3);
    ann.server.act(Act::Offer { seat: x(), what: OfferKind::Draw }, 4);
    ann.receive_journal();
    ann.shows("Your move, O ann.  X bob offers a draw: accept or decline?");
    let answer = |accept| Request::Answer { offer: OfferId(2), accept };
    assert_eq!(ann.enter("decline"), [Effect::Send(answer(false))]);
    ann.refused(answer(false), "no");
    ann.press(KeyCode::Esc);
    assert_eq!(ann.enter("draw"), [Effect::Send(answer(true))], "the same offer accepts");
}

#[test]
fn the_result_is_shown_and_the_prompt_closes() {
    let mut ann = TestClient::ann();
    assert_eq!(ann.enter("resign"), [], "it needs a confirmation");
    ann.shows("Not all have moved: abort leaves no result. Enter resign once more to resign.");
    ann.play("c1-c2", 1);
    ann.play("c5-c4", 2);
    ann.enter("try c1-c2");
    assert_eq!(ann.enter("resign"), [], "another command resets the confirmation");
    ann.shows("Resign the game? Enter resign once more");
    ann.play("c2-c3", 3);
    assert_eq!(ann.enter("resign"), [], "so does a move");
    assert_eq!(ann.enter("resign"), [Effect::Send(Request::Resign)]);
    ann.server.act(Act::Resign { seat: O }, 9);
    ann.receive_journal();
    ann.update(Message::Response(Request::Resign, Ok(())));
    ann.shows("X bob wins: the opponent resigned.");
    ann.shows("q quit");
    assert_eq!(ann.press(KeyCode::Char('q')), [Effect::Leave]);
}

#[test]
fn a_game_of_three_continues_without_a_player_who_leaves() {
    let server = FakeServer::new("", &["ann", "bob", "cy"], TimeControl::None);
    let mut ann = TestClient::new(server, Some("ann"), Role::Play);
    ann.play("d1-d2", 1);
    ann.server.act(Act::Resign { seat: x() }, 2);
    ann.receive_journal();
    insta::assert_snapshot!(ann.frame(), @"
    adamas -size=4 -pieces=12  k7q2mx  no clock  casual

                                              O ann (you)
                                              X bob                              out
                                            > Y cy

                  1   2   3   4               1 O d1-d2
             g  .   .   .   .   g4              X bob resigns and leaves the game.
           f  .   .   .   .   .   f5
         e  .   .   .   .   .   .   e6
       d -O11+O   .   .   .   .   .   d7
         c  .   .   .   .   .   .   c6
           b  .   .   .   .   .   b5
             a  .   .   .   Y12 a4
                  1   2   3   4





    Y cy to move.
    >
    ? for help. split d1-2xd3,e1; merge 2xd1,3xa4-d4; one to one 9xd1-d3; no count
    means one piece
    ");
}
