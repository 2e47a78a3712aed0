//! The prompt: typed, tried and rejected moves.

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
