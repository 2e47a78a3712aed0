//! Moves and clocks: order of messages, arrival times and lag.

use adamant_protocol::event::EndReason;

use super::*;

#[test]
fn mover_gets_the_response_first_and_all_clients_get_the_same_bytes() {
    let mut script = Script::begin(TimeControl::None);
    let (mut ann, mut bob, mut eve) =
        (Client::new(1, "ann"), Client::new(2, "bob"), Client::new(3, "eve"));
    for client in [&eve, &ann, &bob] {
        client.join(&mut script);
    }
    script.send(ann.acts("m1", move_to(0, "c1-c2"), script.now));
    for client in [&mut ann, &mut bob, &mut eve] {
        assert!(matches!(client.next_message(), ToClient::Event(_)));
        assert!(matches!(client.next_message(), ToClient::Event(_)));
    }
    assert!(matches!(ann.next_message(), ToClient::YourTurn(turn) if turn.turn == 0));
    assert!(matches!(ann.next_message(), ToClient::Ok(done) if done.seq == Some(3) && !done.dup));
    let frames = [&mut ann, &mut bob, &mut eve].map(|client| client.frame().unwrap());
    let record = &script.records()[2];
    assert!(frames.iter().all(|frame| frame.payload() == record.as_ref()));
    assert!(matches!(bob.next_message(), ToClient::YourTurn(turn) if turn.turn == 1));
}

#[test]
fn move_is_published_once_it_is_stored_and_to_players_first() {
    let mut script = Script::begin(TimeControl::None);
    let (mut ann, mut bob, mut eve) =
        (Client::new(1, "ann"), Client::new(2, "bob"), Client::new(3, "eve"));
    for client in [&eve, &ann, &bob] {
        client.join(&mut script);
    }
    for client in [&mut ann, &mut bob, &mut eve] {
        client.messages();
    }
    ann.start_act(&mut script, "m1", move_to(0, "c1-c2"));
    for client in [&mut ann, &mut bob, &mut eve] {
        assert_eq!(client.messages(), []);
    }
    script.answer_all();
    assert_eq!(event_kinds(&ann.messages()), ["moved"]);
    assert_eq!(event_kinds(&bob.messages()), ["moved"]);
    assert_eq!(eve.messages(), [], "spectators wait for their turn");
    script.fan_out();
    assert_eq!(event_kinds(&eve.messages()), ["moved"]);
}

#[test]
fn flag_falls_without_a_request() {
    let mut script = Script::begin(TimeControl::PerMove { move_ms: 60_000 });
    let mut eve = Client::new(3, "eve");
    eve.join(&mut script);
    script.advance_ms(59_999);
    assert_eq!(event_kinds(&eve.messages()), ["created", "started"]);
    script.advance_ms(1);
    let EventBody::Ended(ended) = eve.next_event() else { panic!("the flag stands") };
    assert_eq!((ended.reason, ended.winners), (EndReason::TimedOut, vec![1]));
}

#[test]
fn move_counts_by_its_arrival() {
    for (late_ms, in_time) in [(60_000, false), (59_999, true)] {
        let mut script = Script::begin(TimeControl::PerMove { move_ms: 60_000 });
        let mut ann = Client::new(1, "ann");
        ann.join(&mut script);
        let received_at = script.now + late_ms;
        let reply = ann.act_at(&mut script, "m1", move_to(0, "c1-c2"), received_at);
        if in_time {
            assert!(matches!(reply, ToClient::Ok(_)), "{reply:?}");
        } else {
            let ToClient::Error(failed) = reply else { panic!("{reply:?}") };
            assert_eq!(failed.code, ErrorCode::GameOver);
        }
    }
}

#[test]
fn lag_is_not_charged() {
    let mut script = Script::begin(TimeControl::Fischer { base_ms: 60_000, inc_ms: 0 });
    let mut ann = Client::new(1, "ann");
    ann.join(&mut script);
    let mut command = ann.acts("m1", move_to(0, "c1-c2"), script.now + 300);
    let Command::Act(request) = &mut command else { panic!("{command:?}") };
    request.lag_ms = 120;
    ann.messages();
    script.send(command);
    let EventBody::Moved(moved) = ann.next_event() else { panic!("no move") };
    assert_eq!((moved.spent_ms, moved.lag_ms), (300, 120));
    assert_eq!(moved.left_ms, Some(vec![60_000 - 180, 60_000]));
}
