//! Requests for hints while a move is built: slow, outdated and lost answers.

use adamant_protocol::sketch::Sketch;
use adamant_rules::Kind;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{
    Effect, Incoming, Message, RequestError, ResumeDecision, TestClient,
    games::ann_in,
    move_request,
    pointing::{SPACE, press_all},
    welcome,
};

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
