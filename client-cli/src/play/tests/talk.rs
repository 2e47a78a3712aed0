//! Talk beside the board and on the talk page.

use adamant_client::{Incoming, RequestError};
use adamant_protocol::{
    to_client::{Said, TalkLine, TalkList, Unsaid},
    values::TalkRoom,
};
use crossterm::event::KeyCode;

use super::{fixture::GAME, *};

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
