//! Names that look alike, reserved names, and names that become free again.

use serde_json::{Value, json};

use crate::harness::{PASSWORD, Peer, Server, game};

fn signup(name: &str) -> Value {
    json!({"type": "signup", "user": name, "password": PASSWORD})
}

/// Says `hello` as a guest whose name must be rejected, and returns the error message.
async fn refused_guest(server: &Server, name: &str) -> String {
    let mut peer = Peer::connect(server.address()).await;
    let hello = json!({"type": "hello", "proto": [1], "auth": {"guest": name}});
    let refusal = peer.refused(hello, "name_taken").await;
    assert_eq!(peer.expect_close().await, 4001);
    refusal["message"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_name_that_looks_like_another_counts_as_taken() {
    let mut server = Server::start().await;
    let mut ann = Peer::anonymous(&server).await;
    ann.ask(signup("Mallory_1")).await;
    let _guest = Peer::guest(&server, "w00d").await;
    ann.ask(json!({"type": "bot_create", "name": "hex-bot"})).await;
    server.kill().await;
    server.restart().await;
    let alike = [
        ("mallory_1", "Mallory_1"),
        ("MALLORY_l", "Mallory_1"),
        ("rnallory_1", "Mallory_1"),
        ("Ma11ory-I", "Mallory_1"),
        ("WOOD", "w00d"),
        ("vvo0d", "w00d"),
        ("Hex_Bot", "hex-bot"),
        ("hex-b0t", "hex-bot"),
    ];
    for (name, taken) in alike {
        let message = refused_guest(&server, name).await;
        let whole = name.eq_ignore_ascii_case(taken);
        assert!(whole || message.contains(taken), "{name}: {message}");
        let refusal = Peer::anonymous(&server).await.refused(signup(name), "name_taken").await;
        assert_eq!(refusal["message"], message.as_str());
    }
    for name in ["mallory_2", "wood2", "hexbot"] {
        Peer::guest(&server, name).await;
    }
}

#[tokio::test]
async fn reserved_names_do_not_depend_on_server_bots() {
    let server = Server::with(|setup| setup.argument("--no-house")).await;
    for name in [
        "house",
        "H0use",
        "house-easy",
        "House_Hard",
        "admin",
        "Adm1n",
        "system",
        "root",
        "moderator",
    ] {
        let message = refused_guest(&server, name).await;
        assert!(message.contains("reserved"), "{name}: {message}");
    }
    Peer::anonymous(&server).await.refused(signup("admin"), "name_taken").await;
}

#[tokio::test]
async fn a_server_bot_keeps_its_name_after_a_restart() {
    let mut server = Server::start().await;
    server.kill().await;
    server.restart().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let challenge = json!({"type": "challenge", "rules": "adamas", "seats": ["ann", "house"]});
    ann.ask(challenge).await;
    let closed = ann.next_of("challenge_closed").await;
    assert!(closed["game"].is_string(), "{closed}");
}

#[tokio::test]
async fn a_guest_who_signs_up_keeps_the_name_or_takes_a_free_one() {
    let server = Server::start().await;
    let mut lily = Peer::guest(&server, "lily").await;
    let _other = Peer::guest(&server, "mary").await;
    lily.refused(signup("rnary"), "name_taken").await;
    // A user may change the spelling of their own name.
    assert_eq!(lily.ask(signup("LiLy")).await["user"], "LiLy");
    let mut joe = Peer::guest(&server, "joe").await;
    joe.ask(signup("joseph")).await;
    // The old name is free again, and so are names that look like it.
    Peer::guest(&server, "j0e").await;
}

#[tokio::test]
async fn a_guest_who_has_played_chooses_a_name_and_records_keep_the_old_one() {
    let mut server = Server::start().await;
    let mut gus = Peer::guest(&server, "gus").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::start(&mut [&mut gus, &mut bob], json!({})).await;
    let refusal = gus.refused(signup("kim"), "forbidden").await;
    assert!(refusal["message"].as_str().unwrap().contains("live games as gus"), "{refusal}");
    game::play_moves(&mut [&mut gus, &mut bob], &game, 2).await;
    gus.ask(json!({"type": "resign", "game": game})).await;
    bob.next_event(&game, "ended").await;
    let history = |user: &str| json!({"type": "history", "user": user});
    while gus.ask(history("gus")).await["games"] == json!([]) {}
    gus.ask(json!({"type": "challenge", "rules": "adamas", "seats": ["gus", "bob"]})).await;

    let ok = gus.ask(signup("kim")).await;
    assert_eq!(ok["user"], "kim");
    gus.token = ok["token"].as_str().map(str::to_owned);
    // Nobody would come to a game of the old name.
    bob.next_matching("the end of the challenge", |frame| {
        frame["type"] == "challenge_closed" && frame["reason"] == "cancelled"
    })
    .await;
    server.kill().await;
    server.restart().await;
    let mut kim = gus.reconnect(&server).await;
    assert_eq!(kim.welcome["user"], json!({"name": "kim", "bot": false, "guest": false}));
    let (new, old) = (kim.ask(history("kim")).await, kim.ask(history("gus")).await);
    assert_eq!((&new["games"], &new["games"][0]["game"]), (&old["games"], &json!(game)));
    assert_eq!(new["games"][0]["seats"][0]["user"], "gus");
    assert_eq!(kim.ask(json!({"type": "user", "name": "kim"})).await["finished"], 1);
    // The name in the records stays theirs, and nobody is logged in as it.
    refused_guest(&server, "GUS").await;
    let profile = kim.ask(json!({"type": "user", "name": "gus"})).await;
    assert_eq!((&profile["guest"], &profile["online"]), (&json!(true), &json!(false)));
}

#[tokio::test]
async fn only_guests_who_never_played_are_deleted() {
    let mut server = Server::with(|setup| setup.set("games", "park_after", "100ms")).await;
    let mut played = Peer::guest(&server, "played").await;
    let mut plays = Peer::guest(&server, "plays").await;
    let mut other = Peer::guest(&server, "other").await;
    let game = game::start(&mut [&mut played, &mut other], json!({})).await;
    played.ask(json!({"type": "resign", "game": game})).await;
    other.next_event(&game, "ended").await;
    let game = game::start(&mut [&mut plays, &mut other], json!({})).await;
    let mut account = Peer::anonymous(&server).await;
    account.ask(signup("account")).await;
    account.ask(json!({"type": "bot_create", "name": "hexbot"})).await;
    let unused = Peer::guest(&server, "unused").await;

    server.kill().await;
    // Not before: a node may look for unused guests at any time.
    server.configure(|setup| setup.set("limits", "unused_guests_after", "1ms"));
    server.restart().await;
    server.wait_for_log("deleted expired tokens and unused guests").await;
    let line = server.log().into_iter().find(|line| line.contains("unused guests")).unwrap();
    assert!(line.contains("guests=1"), "{line}");
    let mut back = Peer::connect(server.address()).await;
    let hello = json!({"type": "hello", "proto": [1], "auth": {"token": unused.token}});
    back.refused(hello, "unauthorized").await;
    Peer::guest(&server, "UNUSED").await;
    for name in ["played", "plays", "other", "account", "hexbot"] {
        refused_guest(&server, name).await;
    }
    played.reconnect(&server).await;
    let mut plays = plays.reconnect(&server).await;
    let mut other = other.reconnect(&server).await;
    game::play_moves(&mut [&mut plays, &mut other], &game, 2).await;
}
