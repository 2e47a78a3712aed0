//! What arrives is shown, and what is entered is sent: moves, earlier plies, talk, offers, absences,
//! rematches, and lost connections.

use adamant_client::{Incoming, RequestError};
use adamant_protocol::{
    UserName,
    to_client::{
        ChallengeClosed, Challenged, ClaimAfter, ClosedReason, Presence, Said, SeatPresence,
        TalkLine, TalkList, Unsaid,
    },
    values::TalkRoom,
};
use adamant_rules::Kind;
use crossterm::event::KeyCode;

use super::*;

#[test]
fn no_move_is_possible_before_the_first_record() {
    let (view, _) = View::open(GAME.parse().unwrap(), Role::Play, &welcome(Some("ann"), 0, None));
    let mut ann = TestClient { view, server: FakeServer::two(), received: 0, now: Duration::ZERO };
    ann.shows("Waiting for the game");
    assert_eq!(ann.enter("c1-c2"), []);
    ann.shows("The game is not loaded yet.");
}

#[test]
fn a_long_line_scrolls_with_its_cursor() {
    let mut ann = TestClient::ann();
    for letter in "c1-".chars().chain(std::iter::repeat_n('a', 90)).chain("-end".chars()) {
        ann.press(KeyCode::Char(letter));
    }
    ann.shows("aaa-end");
    ann.shows_no("c1-aaa");
    for _ in 0..97 {
        ann.press(KeyCode::Left);
    }
    ann.shows("> c1-aaa");
}

#[test]
fn the_history_returns_earlier_lines() {
    let mut ann = TestClient::ann();
    ann.enter("try c1-c2");
    ann.press(KeyCode::Char('d'));
    ann.press(KeyCode::Up);
    ann.shows("> try c1-c2");
    ann.press(KeyCode::Down);
    assert_eq!(ann.view.prompt.text(), "d");
}

#[test]
fn a_rejected_move_returns_to_the_prompt() {
    let mut ann = TestClient::ann();
    ann.enter("c1-c9");
    ann.refused(move_request(0, "c1-c9"), "there is no cell c9 on this board");
    ann.shows("> c1-c9");
    ann.shows("there is no cell c9 on this board");
    ann.press(KeyCode::Backspace);
    assert_eq!(ann.enter("2"), [Effect::Send(move_request(0, "c1-c2"))]);
    // New input is not overwritten.
    ann.press(KeyCode::Char('d'));
    ann.refused(move_request(0, "c1-c2"), "no");
    assert_eq!(ann.view.prompt.text(), "d");
}

#[test]
fn try_shows_a_move_without_making_it() {
    let mut ann = TestClient::ann();
    assert_eq!(ann.enter("try c1-C2,e1"), []);
    ann.shows("Tried: c1-c2,e1. Enter plays it, Esc discards it.");
    ann.shows("-O6 +O");
    ann.press(KeyCode::Esc);
    ann.shows_no("Tried");
    ann.shows_no("-O6");
    ann.enter("try c1-c2,e1");
    assert_eq!(ann.press(KeyCode::Enter), [Effect::Send(move_request(0, "c1-c2,e1"))]);
    ann.shows_no("Tried");
}

#[test]
fn an_illegal_move_cannot_be_tried() {
    let mut ann = TestClient::ann();
    assert_eq!(ann.enter("try c5-c4"), []);
    ann.shows("c5 is not your stack");
    ann.shows("> try c5-c4");
    ann.play("c1-c2", 1);
    ann.press(KeyCode::Esc);
    assert_eq!(ann.enter("try c1-c2"), []);
    ann.shows("turn");
}

#[test]
fn an_event_clears_the_preview() {
    let mut ann = TestClient::ann();
    ann.enter("try c1-c2");
    ann.server.act(Act::Resign { seat: x() }, 5);
    ann.receive_journal();
    ann.shows_no("Tried");
    ann.shows("O ann wins: the opponent resigned.");
}

#[test]
fn a_spectator_has_no_prompt_and_quits_with_q() {
    let mut spectator = TestClient::new(FakeServer::two(), None, Role::Watch);
    spectator.shows("q quit  ? help  t talk  PgUp/PgDn moves");
    spectator.shows_no("(you)");
    assert_eq!(spectator.enter("c1-c2"), []);
    spectator.play("c1-c2", 1);
    spectator.press(KeyCode::PageUp);
    spectator.shows("Ply 0 of 1.");
    assert_eq!(spectator.press(KeyCode::Char('q')), [Effect::Leave]);
}

#[test]
fn control_c_leaves_at_once() {
    let mut ann = TestClient::ann();
    ann.enter("c1-c2");
    let key = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(ann.update(Message::Key(key)), [Effect::Leave]);
}

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

fn talk_line(room: TalkRoom, n: u64, by: &str, text: &str) -> Message {
    let (game, by) = (GAME.parse().unwrap(), by.parse().unwrap());
    Message::Incoming(Incoming::Said(Box::new(Said {
        game,
        room,
        n,
        at: 1,
        by,
        text: text.into(),
    })))
}

fn talk_list(room: TalkRoom, lines: &[(u64, &str, &str)]) -> Message {
    let line = |&(n, by, text): &(u64, &str, &str)| {
        let by = by.parse().unwrap();
        TalkLine { n, at: 1, by, text: text.into() }
    };
    Message::Talk(Ok(Box::new(TalkList {
        re: "t".parse().unwrap(),
        game: GAME.parse().unwrap(),
        room,
        lines: lines.iter().map(line).collect(),
        more: false,
    })))
}

fn say(room: TalkRoom, text: &str) -> Request {
    Request::Say { room, text: text.to_owned() }
}

#[test]
fn a_player_talks_from_the_board_and_on_the_talk_page() {
    let mut ann = TestClient::ann();
    let players = TalkRoom::Players;
    assert_eq!(ann.enter("say good luck"), [Effect::Send(say(players, "good luck"))]);
    ann.shows("say good luck: waiting for the server ...");
    assert_eq!(ann.update(Message::Response(say(players, "good luck"), Ok(()))), []);
    assert_eq!(ann.update(talk_line(players, 2, "bob", "you too")), []);
    ann.shows("bob says: you too");
    ann.shows("O ann");

    assert_eq!(ann.enter("talk"), [Effect::FetchTalk(players)]);
    ann.update(talk_line(players, 3, "bob", "ready?"));
    ann.update(talk_list(players, &[(1, "ann", "good luck"), (2, "bob", "you too")]));
    ann.update(talk_line(TalkRoom::Spectators, 9, "eve", "elsewhere"));
    let shown = ann.frame();
    let order =
        ["talk of the players", "ann says: good luck", "bob says: you too", "bob says: ready?"];
    let places: Vec<usize> = order.iter().map(|text| shown.find(text).unwrap()).collect();
    assert!(places.is_sorted(), "{shown}");
    ann.shows_no("elsewhere");

    assert_eq!(ann.enter("c1-c2"), [Effect::Send(say(players, "c1-c2"))], "no move by mistake");
    let refused = RequestError::TooManyPending;
    ann.update(Message::Response(say(players, "c1-c2"), Err(refused)));
    ann.shows("> c1-c2");
    ann.press(KeyCode::Esc);
    ann.shows("O ann");
    assert!(ann.view.prompt.is_empty());
}

#[test]
fn a_token_is_not_sent_as_talk() {
    let mut ann = TestClient::ann();
    let token = format!("at_{}", "0f3c".repeat(12));
    assert_eq!(ann.enter(&format!("say mine is {token}")), []);
    ann.shows("looks like a token");
    ann.enter("talk");
    assert_eq!(ann.enter(&token), []);
    ann.shows("looks like a token");
    assert!(ann.view.sent.is_none());
}

#[test]
fn a_spectator_talks_in_the_spectators_room() {
    let mut eve = TestClient::new(FakeServer::two(), Some("eve"), Role::Watch);
    let spectators = TalkRoom::Spectators;
    assert_eq!(eve.press(KeyCode::Char('t')), [Effect::FetchTalk(spectators)]);
    eve.update(talk_list(spectators, &[(1, "dan", "well?"), (2, "dan", "rubbish")]));
    let (game, room) = (GAME.parse().unwrap(), spectators);
    eve.update(Message::Incoming(Incoming::Unsaid(Unsaid { game, room, n: 2 })));
    eve.shows("dan says: well?");
    eve.shows_no("rubbish");
    assert_eq!(eve.enter("quite"), [Effect::Send(say(spectators, "quite"))]);
    assert_eq!(eve.update(Message::Response(say(spectators, "quite"), Ok(()))), []);
    eve.press(KeyCode::Enter);
    eve.shows("O ann to move.");
}

const NEXT: &str = "x7kq3mfe";

/// Presence in which the second seat is away for some seconds; a claim needs two minutes.
fn away(seconds: u64) -> Message {
    let since = START_MS + seconds * 1_000;
    let seats = vec![
        SeatPresence { seat: 0, online: true, since: None, claim_at: None },
        SeatPresence {
            seat: 1,
            online: false,
            since: Some(since),
            claim_at: Some(since + 120_000),
        },
    ];
    let (game, spectators) = (GAME.parse().unwrap(), 0);
    Message::Incoming(Incoming::Presence(Presence {
        game,
        seats,
        spectators,
        spectator_names: Vec::new(),
    }))
}

fn user(name: &str) -> UserName {
    name.parse().unwrap()
}

fn challenged(by: &str) -> Message {
    let text = format!(
        r#"{{"challenge":"h_1","by":"{by}","rules":"adamas@1","options":{{}},"seats":["bob","ann"],
        "shuffle":false,"clock":{{"mode":"none"}},"rated":false,"accepted":["{by}"],
        "rematch_of":"{GAME}"}}"#
    );
    let challenged: Challenged = serde_json::from_str(&text).unwrap();
    Message::Incoming(Incoming::Challenged(Box::new(challenged)))
}

fn closed(game: Option<&str>, by: Option<&str>) -> Message {
    Message::Incoming(Incoming::ChallengeClosed(ChallengeClosed {
        game: game.map(|game| game.parse().unwrap()),
        reason: by.map(|_| ClosedReason::Later),
        by: by.map(user),
        rematch_of: Some(GAME.parse().unwrap()),
        ..ChallengeClosed::new("h_1".parse().unwrap())
    }))
}

#[test]
fn an_absence_is_shown_with_the_time_until_a_claim() {
    let mut ann = TestClient::ann();
    ann.wait_until(10);
    assert_eq!(ann.update(away(5)), []);
    ann.shows("X bob (away)");
    ann.shows("Your move, O ann.  X bob is away; claim in 1:55.");
    ann.wait_until(125);
    ann.shows("X bob is away: claim, or wait.");
    assert_eq!(ann.enter("claim"), [Effect::Send(Request::Claim)]);
    ann.refused(Request::Claim, "the player may still come back: claim in 1 s");
    ann.shows("the player may still come back");

    // The presence is unknown during an outage, and arrives again after the reconnect.
    let (reason, retry_in) = (DisconnectReason::Silent, Some(Duration::from_secs(1)));
    ann.update(Message::Incoming(Incoming::Disconnected { reason, retry_in }));
    ann.shows_no("(away)");
}

#[test]
fn a_game_that_is_left_lying_against_the_house_is_parked() {
    let against = |other| {
        let server = FakeServer::new("", &["ann", other], TimeControl::None);
        TestClient::new(server, Some("ann"), Role::Play)
    };
    let mut ann = against("house-easy");
    ann.wait_until(119);
    ann.shows_no("Parked");
    assert!(ann.view.is_ticking());
    ann.wait_until(120);
    ann.shows("Your move, O ann.  Parked; it goes on when you move.");
    assert!(!ann.view.is_ticking());
    ann.play("c1-c2", 130);
    ann.shows_no("Parked");

    let mut waited_for_by_bob = against("bob");
    waited_for_by_bob.wait_until(600);
    waited_for_by_bob.shows_no("Parked");
}

#[test]
fn the_wait_before_a_claim_is_shown_before_the_turn() {
    let mut ann = TestClient::ann();
    ann.view.claim_after = Some(ClaimAfter { timed_ms: 120_000, untimed_ms: 604_800_000 });
    let text = format!(
        r#"{{"game":"{GAME}","seats":[{{"seat":0,"online":true}},
        {{"seat":1,"online":false,"since":{START_MS}}}],"spectators":0}}"#
    );
    ann.update(Message::Incoming(Incoming::Presence(serde_json::from_str(&text).unwrap())));
    ann.shows("X bob is away; you may claim after 2m of their turn.");
}

#[test]
fn a_spectator_sees_absences_but_no_claim() {
    let mut eve = TestClient::new(FakeServer::two(), None, Role::Watch);
    eve.update(away(5));
    eve.shows("X bob is away.");
    eve.shows_no("claim");
}

#[test]
fn takebacks_and_aborts_are_offered_and_accepted_by_name() {
    let mut ann = TestClient::ann();
    ann.play("c1-c2", 1);
    ann.play("c5-c4", 2);
    let takeback = Request::Offer(OfferKind::Takeback);
    assert_eq!(ann.enter("takeback"), [Effect::Send(takeback.clone())]);
    ann.update(Message::Response(takeback, Ok(())));
    ann.server.act(Act::Offer { seat: O, what: OfferKind::Takeback }, 3);
    ann.server.act(Act::Offer { seat: x(), what: OfferKind::Abort }, 4);
    ann.receive_journal();
    // An offer to answer comes before the player's own offer.
    ann.shows("X bob offers an end without a result: accept or decline?");
    assert_eq!(ann.enter("draw"), [Effect::Send(Request::Offer(OfferKind::Draw))], "another offer");
    ann.refused(Request::Offer(OfferKind::Draw), "no");
    ann.press(KeyCode::Esc);
    let agree = Request::Answer { offer: OfferId(2), accept: true };
    assert_eq!(ann.enter("calloff"), [Effect::Send(agree)]);
}

#[test]
fn a_declined_offer_is_shown_for_some_seconds() {
    let mut ann = TestClient::ann();
    ann.play("c1-c2", 1);
    ann.server.act(Act::Offer { seat: O, what: OfferKind::Draw }, 2);
    ann.receive_journal();
    ann.server.act(Act::Answer { seat: x(), offer: OfferId(1), accept: false }, 3);
    // The other player moves at once; the note stays.
    ann.play("c5-c4", 3);
    ann.shows("X bob declines the draw.");
    ann.wait_until(20);
    ann.play("c2-c3", 20);
    ann.shows_no("declines");
}

#[test]
fn a_swap_moves_absences_to_the_new_seats() {
    let clock = TimeControl::None;
    let server = FakeServer::of(Kind::Stymie, "-swap", &["ann", "bob"], clock);
    let mut ann = TestClient::new(server, Some("ann"), Role::Play);
    ann.play("f6", 1);
    ann.update(away(2));
    ann.shows("bob (away)");
    ann.play("swap", 3);
    ann.shows("bob (away)");
    ann.shows_no("ann (you) (away)");
}

#[test]
fn joining_a_game_of_others_watches_it() {
    let mut eve = TestClient::new(FakeServer::two(), Some("eve"), Role::Play);
    eve.shows("You do not play in this game; you are watching.");
    assert_eq!(eve.press(KeyCode::Char('q')), [Effect::Leave]);
}

#[test]
fn a_rematch_follows_a_finished_game() {
    let mut ann = TestClient::ann();
    ann.server.act(Act::Resign { seat: x() }, 3);
    ann.receive_journal();
    ann.shows("r rematch");
    ann.update(challenged("bob"));
    ann.shows("bob offers a rematch; r accepts.");
    ann.update(closed(None, Some("bob")));
    ann.shows("No rematch: bob closed it.");
    assert_eq!(ann.press(KeyCode::Char('r')), [Effect::Send(Request::Rematch)]);
    ann.update(Message::Response(Request::Rematch, Ok(())));
    ann.update(challenged("ann"));
    ann.shows("The rematch waits for 1 more.");
    assert_eq!(ann.update(closed(Some(NEXT), None)), [Effect::Send(Request::Follow { from: 1 })]);
    assert_eq!(ann.view.game.as_str(), NEXT);
    ann.shows("Waiting for the game");
}

#[test]
fn a_lost_connection_is_shown_and_the_game_resumes() {
    let mut ann = TestClient::ann();
    ann.enter("c1-c2");
    ann.now = Duration::from_secs(10);
    let restart = Notice { what: NoticeKind::Restart, in_ms: 1_500 };
    ann.update(Message::Incoming(Incoming::Notice(restart)));
    ann.shows("The server restarts and should be back in 2 s");
    let reason = DisconnectReason::Silent;
    let retry_in = Some(Duration::from_millis(2_500));
    ann.update(Message::Incoming(Incoming::Disconnected { reason, retry_in }));
    ann.shows("Not connected; reconnecting in 3 s, or on Enter. The game resumes by itself.");
    ann.shows("c1-c2: will be sent after the reconnect");
    ann.shows("4:50");
    ann.wait_until(12);
    ann.shows("reconnecting in 1 s,");
    // What the server's clocks do is not known.
    ann.shows("4:50");
    assert_eq!(ann.press(KeyCode::Enter), [Effect::Reconnect]);
    ann.shows("reconnecting in 0 s,");
    let back = |verdict| {
        Message::Incoming(Incoming::Connected(Box::new(welcome(Some("ann"), 70, verdict))))
    };
    assert_eq!(ann.update(back(Some(ResumeDecision::Tail))), []);
    ann.shows_no("Not connected");
    ann.shows_no("restarts");
    // The server's clock ran during the outage.
    ann.shows("3:50");
    // A server that does not resume the game is asked for its records.
    assert_eq!(ann.update(back(None)), [Effect::Send(Request::Follow { from: 3 })]);
    let forked = ann.update(back(Some(ResumeDecision::Fork)));
    assert_eq!(forked, [], "a snapshot follows");
    let gone = ann.update(back(Some(ResumeDecision::Gone)));
    assert!(gone == [Effect::Fail(FollowError::Gone)], "{gone:?}");
}

#[test]
fn a_closed_connection_is_shown() {
    let mut ann = TestClient::ann();
    ann.update(Message::ConnectionClosed);
    ann.shows("Not connected: the connection is closed.");
    assert_eq!(ann.enter("quit"), [Effect::Leave]);
}

#[test]
fn inconsistent_records_are_requested_again_once() {
    let mut ann = TestClient::ann();
    ann.server.play("c1-c2", 1);
    let (Some(Incoming::Event { frame, .. }), other) =
        (ann.server.journal.pop(), FakeServer::two())
    else {
        panic!("a move is an event")
    };
    let mut other = other;
    other.play("c1-d1", 1);
    let Some(Incoming::Event { bytes, .. }) = other.journal.pop() else { panic!() };
    let mut damaged = bytes.to_vec();
    let place = damaged.windows(5).position(|word| word == b"c1-d1").unwrap();
    damaged[place + 4] = b'2';
    let damaged = Incoming::Event { frame, bytes: damaged.into() };
    let anew = [Effect::Send(Request::Follow { from: 1 })];
    assert_eq!(ann.update(Message::Incoming(damaged.clone())), anew);
    ann.shows("Waiting for the game");
    // Records sent before the request are skipped, and the game arrives again from its start.
    assert_eq!(ann.update(Message::Incoming(damaged.clone())), []);
    ann.received = 0;
    ann.receive_journal();
    ann.shows("O8");
    let failed = ann.update(Message::Incoming(damaged));
    assert!(matches!(failed[..], [Effect::Fail(FollowError::Damaged(_))]), "{failed:?}");
}

#[test]
fn an_event_of_an_unknown_kind_counts_and_is_passed_over() {
    let mut ann = TestClient::ann();
    ann.server.record_unknown("applauded");
    ann.play("c1-c2", 1);
    ann.shows("1 O c1-c2");
}

#[test]
fn a_rejected_subscription_closes_the_view() {
    let mut ann = TestClient::ann();
    let follow = Request::Follow { from: 1 };
    let lost = Err(RequestError::ConnectionLost);
    assert_eq!(ann.update(Message::Response(follow.clone(), lost)), []);
    let failed = r#"{"code":"not_found","message":"there is no such game","retry":"never"}"#;
    let failed = RequestError::Refused(serde_json::from_str(failed).unwrap());
    let answer = Message::Response(follow, Err(failed.clone()));
    assert_eq!(ann.update(answer), [Effect::Fail(FollowError::Request(failed))]);
}

#[test]
fn events_of_other_games_are_ignored() {
    let mut ann = TestClient::ann();
    let mut other = FakeServer::two();
    other.head = Head::new("other".parse().unwrap());
    other.head.seq = 2;
    other.play("c1-c2", 1);
    let before = ann.frame();
    assert_eq!(ann.update(Message::Incoming(other.journal.pop().unwrap())), []);
    assert_eq!(ann.frame(), before);
}
