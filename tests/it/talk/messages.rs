//! Talk: the recipients of a message, stored messages, muting and deletion.

use serde_json::{Value, json};
use tokio::{task::yield_now, time::timeout};

use crate::harness::{Frame, PATIENCE, Peer, Server, game, with};

fn say(game: &str, room: &str, text: &str) -> Value {
    json!({"type": "say", "game": game, "room": room, "text": text})
}

fn list(game: &str, room: &str) -> Value {
    json!({"type": "talk", "game": game, "room": room})
}

fn texts(list: &Frame) -> Vec<&str> {
    list["lines"].as_array().unwrap().iter().map(|line| line["text"].as_str().unwrap()).collect()
}

fn is_talk(frame: &Frame) -> bool {
    ["said", "unsaid"].contains(&frame["type"].as_str().unwrap())
}

/// Starts a game of two players with a spectator.
async fn three(server: &Server) -> (Peer, Peer, Peer, String) {
    let mut ann = Peer::guest(server, "ann").await;
    let mut bob = Peer::guest(server, "bob").await;
    let mut eve = Peer::guest(server, "eve").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    eve.ask(json!({"type": "watch", "game": game})).await;
    (ann, bob, eve, game)
}

#[tokio::test]
async fn messages_of_players_reach_only_players_and_survive_a_crash() {
    let mut server = Server::start().await;
    let (mut ann, mut bob, mut eve, game) = three(&server).await;
    let hello = with(say(&game, "players", "  good luck "), json!({"id": "s1"}));
    let ok = ann.ask(hello.clone()).await;
    assert_eq!((&ok["n"], &ok["game"]), (&json!(1), &json!(game)));
    let place = |peer: &Peer, kind: &str| peer.frames().position(|frame| frame["type"] == kind);
    for peer in [&mut ann, &mut bob] {
        let said = peer.next_of("said").await;
        let expected = json!({"type": "said", "game": game, "room": "players", "n": 1,
            "at": said["at"], "by": "ann", "text": "good luck"});
        assert_eq!(said, expected);
    }
    let ok_at = ann.frames().position(|frame| *frame == ok);
    assert!(ok_at < place(&ann, "said"), "the reply comes first\n{}", ann.recent_frames());
    assert_eq!(bob.ask(say(&game, "players", "you too")).await["n"], 2);

    eve.refused(say(&game, "players", "psst"), "not_a_player").await;
    eve.refused(list(&game, "players"), "not_a_player").await;
    assert!(!eve.has_received(is_talk).await, "{}", eve.recent_frames());

    // A repeated message, before and after a crash, is the same message.
    assert_eq!(with(ok.clone(), json!({"dup": true})), ann.ask(hello.clone()).await);
    server.crash().await;
    ann = ann.reconnect(&server).await;
    assert_eq!(with(ok, json!({"dup": true})), ann.ask(hello).await);
    let other = with(say(&game, "players", "another"), json!({"id": "s1"}));
    ann.refused(other, "id_reuse").await;
    assert_eq!(texts(&ann.ask(list(&game, "players")).await), ["good luck", "you too"]);
    bob = bob.reconnect(&server).await;
    assert_eq!(bob.ask(say(&game, "players", "back")).await["n"], 3);
    ann.next_of("said").await;
    assert!(!ann.has_received(is_talk).await, "a message is sent once\n{}", ann.recent_frames());
    assert!(ann.records(&game).iter().all(|record| !record.contains("good luck")));
}

#[tokio::test]
async fn players_receive_spectators_messages_after_the_end() {
    let server = Server::start().await;
    let (mut ann, mut bob, mut eve, game) = three(&server).await;
    let mut anonymous = Peer::anonymous(&server).await;
    anonymous.ask(json!({"type": "watch", "game": game})).await;
    eve.ask(say(&game, "spectators", "c1-c2 wins!")).await;
    for peer in [&mut eve, &mut anonymous] {
        assert_eq!(peer.next_of("said").await["text"], "c1-c2 wins!");
    }
    assert_eq!(texts(&anonymous.ask(list(&game, "spectators")).await), ["c1-c2 wins!"]);
    anonymous.refused(say(&game, "spectators", "hi"), "forbidden").await;
    ann.refused(say(&game, "spectators", "does it?"), "forbidden").await;
    ann.refused(list(&game, "spectators"), "forbidden").await;
    for player in [&mut ann, &mut bob] {
        assert!(!player.has_received(is_talk).await, "{}", player.recent_frames());
    }

    game::resign(&mut bob, &mut ann, &game).await;
    eve.next_event(&game, "ended").await;
    assert_eq!(texts(&ann.ask(list(&game, "spectators")).await), ["c1-c2 wins!"]);
    assert_eq!(ann.ask(say(&game, "spectators", "you were right")).await["n"], 2);
    for peer in [&mut eve, &mut bob, &mut anonymous] {
        assert_eq!(peer.next_of("said").await["by"], "ann");
    }
    eve.refused(list(&game, "players"), "not_a_player").await;
    assert_eq!(ann.ask(say(&game, "players", "gg")).await["n"], 1);
    assert_eq!(bob.next_of("said").await["room"], "players");
    assert!(
        !eve.has_received(is_talk).await,
        "players' messages stay private\n{}",
        eve.recent_frames()
    );
    eve.refused(say("nosuchgame", "spectators", "hi"), "not_found").await;
    eve.refused(list("nosuchgame", "spectators"), "not_found").await;
}

#[tokio::test]
async fn invalid_messages_are_rejected_and_not_stored() {
    let server = Server::start().await;
    let (mut ann, mut bob, _eve, game) = three(&server).await;
    let long = "x".repeat(501);
    for text in [
        "",
        " \t ",
        "a\nb",
        "\u{1b}[31mred",
        "\u{202e}hsals",
        "a\u{2067}b",
        "\u{200b}",
        "\u{0}",
        &long,
    ] {
        ann.refused(say(&game, "players", text), "bad_message").await;
    }
    ann.refused(json!({"type": "say", "game": game, "room": "players"}), "bad_message").await;
    ann.refused(say(&game, "kitchen", "hi"), "bad_message").await;
    ann.refused(with(say(&game, "players", "x"), json!({"text": 7})), "bad_message").await;
    let odd = "'; DROP TABLE talk; -- \"\\ <b>&amp; שלום 👩‍👩‍👧";
    ann.ask(say(&game, "players", odd)).await;
    assert_eq!(bob.next_of("said").await["text"], odd);
    let longest = "ü".repeat(500);
    ann.ask(say(&game, "players", &longest)).await;
    assert_eq!(texts(&bob.ask(list(&game, "players")).await), [odd, &longest]);
}

#[tokio::test]
async fn messages_are_rate_limited() {
    let server = Server::start().await;
    let (mut ann, mut bob, _eve, game) = three(&server).await;
    for number in 0..5 {
        ann.ask(say(&game, "players", &format!("line {number}"))).await;
    }
    let refused = ann.refused(say(&game, "players", "line 5"), "rate_limited").await;
    assert_eq!((&refused["limit"], &refused["retry"]), (&json!("lines"), &json!("after")));
    let wait = refused["retry_after_ms"].as_u64().unwrap();
    assert!((1..=2_001).contains(&wait), "{refused}");
    bob.ask(say(&game, "players", "enough?")).await;

    let page = bob.ask(with(list(&game, "players"), json!({"limit": 2}))).await;
    assert_eq!((texts(&page), &page["more"]), (vec!["line 4", "enough?"], &json!(true)));
    let earlier = with(list(&game, "players"), json!({"before": page["lines"][0]["n"]}));
    let earlier = bob.ask(earlier).await;
    let first: Vec<String> = (0..4).map(|number| format!("line {number}")).collect();
    assert_eq!(
        (texts(&earlier), &earlier["more"]),
        (first.iter().map(String::as_str).collect(), &json!(false))
    );
}

#[tokio::test]
async fn a_mute_applies_to_every_session_of_the_user() {
    let mut server = Server::start().await;
    let (mut ann, mut bob, mut eve, game) = three(&server).await;
    let token = ann.token.clone().unwrap();
    let mut second = Peer::with_token(&server, &token).await;
    second.next_of("snapshot").await;
    ann.refused(json!({"type": "mute", "user": "nobody-here"}), "not_found").await;
    ann.refused(json!({"type": "mute", "user": "ANN"}), "bad_message").await;
    bob.ask(say(&game, "players", "hello")).await;
    for peer in [&mut ann, &mut bob, &mut second] {
        peer.next_of("said").await;
    }
    assert_eq!(ann.ask(json!({"type": "mute", "user": "BOB"})).await["user"], "BOB");
    // The user's sessions on other nodes hear of the mute a moment later.
    let muted = async {
        while !texts(&second.ask(list(&game, "players")).await).is_empty() {
            yield_now().await;
        }
    };
    timeout(PATIENCE, muted).await.expect("the mute, in time");
    let mut beside_ann = ann.beside(&bob).await;
    beside_ann.next_of("snapshot").await;
    bob.ask(say(&game, "players", "rubbish")).await;
    for session in [&mut bob, &mut beside_ann] {
        session.next_of("said").await;
    }
    for session in [&mut ann, &mut second] {
        assert!(!session.has_received(is_talk).await, "{}", session.recent_frames());
    }
    assert_eq!(second.ask(json!({"type": "mutes"})).await["users"], json!(["bob"]));
    game::play_moves(&mut [&mut ann, &mut bob], &game, 1).await;

    server.crash().await;
    bob = bob.reconnect_to(server.node(0).address()).await;
    ann = ann.reconnect_to(server.node(0).address()).await;
    bob.ask(say(&game, "players", "more rubbish")).await;
    bob.next_of("said").await;
    assert!(!ann.has_received(is_talk).await, "{}", ann.recent_frames());
    ann.ask(json!({"type": "unmute", "user": "bob"})).await;
    bob.ask(say(&game, "players", "sorry")).await;
    assert_eq!(ann.next_of("said").await["text"], "sorry");
    assert_eq!(texts(&ann.ask(list(&game, "players")).await).len(), 4);
    assert_eq!(ann.ask(json!({"type": "mutes"})).await["users"], json!([]));
    eve.disconnect();
    let mut anonymous = Peer::anonymous(&server).await;
    anonymous.refused(json!({"type": "mute", "user": "bob"}), "forbidden").await;
}

#[tokio::test]
async fn authors_and_moderators_delete_messages() {
    let mut server = Server::with(|setup| {
        setup.set("talk", "moderators", vec!["Greta"]);
    })
    .await;
    let (mut ann, mut bob, _eve, game) = three(&server).await;
    let unsay = |n: u64| json!({"type": "unsay", "game": game, "room": "players", "n": n});
    for text in ["one", "two", "three"] {
        ann.ask(say(&game, "players", text)).await;
        bob.next_of("said").await;
    }
    bob.refused(unsay(1), "forbidden").await;
    ann.refused(unsay(9), "not_found").await;
    ann.ask(unsay(1)).await;
    let unsaid = json!({"type": "unsaid", "game": game, "room": "players", "n": 1});
    assert_eq!(bob.next_of("unsaid").await, unsaid);
    assert_eq!(ann.ask(unsay(1)).await["dup"], true);

    // A guest with the moderator's name is no moderator, and does not learn which messages exist.
    let mut guest = Peer::guest(&server, "greta").await;
    let refusal = guest.refused(unsay(2), "forbidden").await;
    for n in [1, 9] {
        assert_eq!(guest.refused(unsay(n), "forbidden").await["message"], refusal["message"]);
    }
    guest.refused(list(&game, "players"), "not_a_player").await;
    guest.ask(json!({"type": "signup", "user": "greta", "password": "correct horse"})).await;
    assert_eq!(texts(&guest.ask(list(&game, "players")).await), ["two", "three"]);
    // A moderator's program is no moderator.
    let token = guest.ask(json!({"type": "token_create", "label": "robot", "bot": true})).await;
    let mut robot = Peer::with_token(&server, token["token"].as_str().unwrap()).await;
    robot.refused(list(&game, "players"), "not_a_player").await;
    robot.refused(unsay(2), "forbidden").await;
    guest.ask(unsay(2)).await;
    bob.next_of("unsaid").await;

    server.crash().await;
    ann = ann.reconnect(&server).await;
    assert_eq!(texts(&ann.ask(list(&game, "players")).await), ["three"]);
    ann.ask(unsay(3)).await;
    assert_eq!(ann.ask(say(&game, "players", "four")).await["n"], 4, "numbers are not used again");
}

#[tokio::test]
async fn disabled_talk_is_rejected_and_not_stored() {
    let mut server = Server::with(|setup| setup.set("talk", "enabled", false)).await;
    let (mut ann, bob, mut eve, game) = three(&server).await;
    ann.refused(say(&game, "players", "hello?"), "forbidden").await;
    ann.refused(list(&game, "players"), "forbidden").await;
    eve.refused(say(&game, "spectators", "hello?"), "forbidden").await;
    ann.disconnect();
    drop((bob, eve));
    server.stop().await;
    server.configure(|setup| {
        setup.set("talk", "enabled", true);
        setup.set("talk", "guests", false);
    });
    server.restart().await;
    ann = ann.reconnect(&server).await;
    assert!(texts(&ann.ask(list(&game, "players")).await).is_empty());
    ann.refused(say(&game, "players", "hello?"), "forbidden").await;
    ann.ask(json!({"type": "signup", "user": "ann", "password": "correct horse"})).await;
    assert_eq!(ann.ask(say(&game, "players", "hello!")).await["n"], 1);
}
