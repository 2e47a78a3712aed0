//! Lost connections, reconnects and inconsistent records.

use super::*;

#[test]
fn a_lost_connection_is_shown_and_the_game_resumes() {
    let mut ann = TestClient::ann();
    ann.enter("c1-c2");
    ann.now = Duration::from_secs(10);
    let restart = Notice::new(NoticeKind::Restart, 1_500);
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
