//! The prompt: what is typed, tried, refused and taken back.

use super::*;

#[test]
fn before_the_first_record_there_is_nothing_to_play() {
    let (view, _) = View::open(GAME.parse().unwrap(), Role::Play, &welcome(Some("ann"), 0, None));
    let mut ann = TestClient { view, server: FakeServer::two(), received: 0, now: Duration::ZERO };
    ann.shows("Waiting for the game");
    assert_eq!(ann.enter("c1-c2"), []);
    ann.shows("The game is not there yet.");
}

#[test]
fn a_long_line_moves_along_with_its_cursor() {
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
fn what_was_typed_before_comes_back() {
    let mut ann = TestClient::ann();
    ann.enter("try c1-c2");
    ann.press(KeyCode::Char('d'));
    ann.press(KeyCode::Up);
    ann.shows("> try c1-c2");
    ann.press(KeyCode::Down);
    assert_eq!(ann.view.prompt.text(), "d");
}

#[test]
fn a_refused_move_comes_back_to_be_corrected() {
    let mut ann = TestClient::ann();
    ann.enter("c1-c9");
    ann.refused(move_request(0, "c1-c9"), "there is no cell c9 on this board");
    ann.shows("> c1-c9");
    ann.shows("there is no cell c9 on this board");
    ann.press(KeyCode::Backspace);
    assert_eq!(ann.enter("2"), [Effect::Send(move_request(0, "c1-c2"))]);
    // What is being typed meanwhile is not overwritten.
    ann.press(KeyCode::Char('d'));
    ann.refused(move_request(0, "c1-c2"), "no");
    assert_eq!(ann.view.prompt.text(), "d");
}

#[test]
fn a_tried_move_is_shown_and_not_made() {
    let mut ann = TestClient::ann();
    assert_eq!(ann.enter("try c1-C2,e1"), []);
    ann.shows("Tried: c1-c2,e1. Enter plays it, Esc drops it.");
    ann.shows("-O6 +O");
    ann.press(KeyCode::Esc);
    ann.shows_no("Tried");
    ann.shows_no("-O6");
    ann.enter("try c1-c2,e1");
    assert_eq!(ann.press(KeyCode::Enter), [Effect::Send(move_request(0, "c1-c2,e1"))]);
    ann.shows_no("Tried");
}

#[test]
fn a_move_that_cannot_be_made_cannot_be_tried() {
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
fn an_event_ends_a_try() {
    let mut ann = TestClient::ann();
    ann.enter("try c1-c2");
    ann.server.act(Act::Resign { seat: x() }, 5);
    ann.receive_journal();
    ann.shows_no("Tried");
    ann.shows("O ann wins: the opponent resigned.");
}

#[test]
fn a_watcher_has_no_prompt_and_leaves_with_q() {
    let mut watcher = TestClient::new(FakeServer::two(), None, Role::Watch);
    watcher.shows("q leaves, ? helps, t talks, PgUp and PgDn look back");
    watcher.shows_no("(you)");
    assert_eq!(watcher.enter("c1-c2"), []);
    watcher.play("c1-c2", 1);
    watcher.press(KeyCode::PageUp);
    watcher.shows("Ply 0 of 1.");
    assert_eq!(watcher.press(KeyCode::Char('q')), [Effect::Leave]);
}

#[test]
fn control_c_leaves_at_once() {
    let mut ann = TestClient::ann();
    ann.enter("c1-c2");
    let key = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(ann.update(Message::Key(key)), [Effect::Leave]);
}
