//! Parked games with an audience, which does not notice.

use adamant_protocol::{UserName, to_client::Said, values::TalkRoom};

use super::*;
use crate::{limits::FINISHED_ROOM_IDLE_MAX, outbound::frame::Frame};

impl Script {
    fn say(&mut self, by: &str, room: TalkRoom) {
        let by: UserName = by.parse().unwrap();
        let said = Said { game: game(), room, n: 1, at: 1, by: by.clone(), text: "gg".into() };
        let frame = Frame::of(&ToClient::Said(said));
        let broadcast = TalkBroadcast { room, by: Some(by), frame };
        self.send(Command::BroadcastTalk(Box::new(broadcast)));
    }
}

fn is_said(message: &ToClient) -> bool {
    matches!(message, ToClient::Said(said) if &*said.text == "gg")
}

#[test]
fn finished_game_has_no_room_and_its_audience_receives_talk() {
    let mut script = Script::begin(TimeControl::None);
    let (mut ann, mut bob, mut eve) =
        (Client::new(1, "ann"), Client::new(2, "bob"), Client::new(3, "eve"));
    for client in [&ann, &bob, &eve] {
        client.join(&mut script);
    }
    assert!(matches!(ann.act(&mut script, "r", PlayerAction::Resign), ToClient::Ok(_)));
    script.advance(FINISHED_ROOM_IDLE_MAX.saturating_sub(Duration::from_millis(1)));
    assert!(script.is_open());
    script.advance_ms(1);
    assert!(!script.is_open());
    assert!(ann.messages().iter().any(|message| matches!(message, ToClient::Presence(_))));
    bob.messages();
    eve.messages();

    for _ in 0..2 {
        assert!(script.parked.has_listeners(&game()));
        script.reopen();
        assert!(!script.parked.has_listeners(&game()));
        script.say("ann", TalkRoom::Spectators);
        script.advance(FINISHED_ROOM_IDLE_MAX);
        assert!(!script.is_open());
        for client in [&mut ann, &mut bob, &mut eve] {
            let received = client.messages();
            assert!(matches!(&received[..], [message] if is_said(message)), "{received:?}");
        }
    }

    // A session that ends is missing from the presence of the others.
    drop(bob);
    script.reopen();
    script.say("ann", TalkRoom::Players);
    script.advance(FINISHED_ROOM_IDLE_MAX);
    let received = ann.messages();
    let [first, ToClient::Presence(presence)] = &received[..] else { panic!("{received:?}") };
    assert!(is_said(first));
    let online: Vec<bool> = presence.seats.iter().map(|seat| seat.online).collect();
    assert_eq!((online, presence.spectators), (vec![true, false], 1));
    assert!(eve.messages().iter().all(|message| matches!(message, ToClient::Presence(_))));
    assert!(script.parked.has_listeners(&game()));
    drop((ann, eve));
    script.pass_closed_sessions();
    assert!(!script.parked.has_listeners(&game()));
}

#[test]
fn spectators_have_all_frames_when_the_room_closes() {
    let mut script = Script::begin(TimeControl::None);
    let mut eve = Client::new(3, "eve");
    eve.join(&mut script);
    Client::new(1, "ann").start_act(&mut script, "r", PlayerAction::Resign);
    script.answer_all();
    script.now += milliseconds(FINISHED_ROOM_IDLE_MAX);
    while script.is_open() {
        script.hand(Input::Deadline);
        script.answer_all();
    }
    assert_eq!(event_kinds(&eve.messages()), ["created", "started", "ended"]);
}

#[test]
fn server_bot_alone_keeps_no_room_open_and_plays_on_later() {
    let mut script = Script::begin(TimeControl::None);
    let mut house = Client::house(1, "bob");
    house.join(&mut script);
    let ann = Client::new(2, "ann");
    ann.join(&mut script);
    drop(ann);
    script.advance(PARK_AFTER);
    assert!(!script.is_open());
    house.messages();
    assert!(script.parked.has_listeners(&game()));

    script.reopen();
    let mut ann = Client::new(3, "ann");
    assert!(matches!(ann.act(&mut script, "m1", move_to(0, "c1-c2")), ToClient::Ok(_)));
    assert!(matches!(house.next_event(), EventBody::Moved(_)));
    assert!(matches!(house.next_message(), ToClient::YourTurn(turn) if turn.turn == 1));
}
