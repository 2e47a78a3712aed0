//! Users: guests, accounts, names; tokens and ratings.

mod mail; // mail addresses, and codes for new passwords
mod ratings; // ratings, standings and user pages
mod tokens; // tokens: listing, revocation and expiry

use serde_json::{Value, json};

use crate::harness::{Frame, PASSWORD, Peer, Server, game, with};

fn signup(user: &str, password: &str) -> Value {
    json!({"type": "signup", "user": user, "password": password})
}

/// Sends a `hello` that the server must reject, and returns the error.
async fn rejected_hello(server: &Server, auth: Value) -> Frame {
    let mut peer = Peer::connect(server.address()).await;
    let hello = json!({"type": "hello", "proto": [1], "auth": auth});
    let refusal = peer.request(hello).await;
    assert_eq!(refusal["type"], "error", "{}", peer.recent_frames());
    assert_eq!(peer.expect_close().await, 4001);
    refusal["code"].clone()
}

#[tokio::test]
async fn a_guest_who_signs_up_keeps_name_and_games() {
    let (mut server, [mut ann, mut bob]) = Peer::start_with_guests(["ann", "bob"]).await;
    assert_eq!(ann.welcome["user"], json!({"name": "ann", "bot": false, "guest": true}));
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    ann.refused(signup("ann", "short"), "bad_message").await;
    ann.refused(signup("ann", &"x".repeat(257)), "bad_message").await;
    ann.refused(signup("bob", PASSWORD), "forbidden").await;
    ann.refused(signup("a", PASSWORD), "bad_message").await;
    // Ann's other session, and a token of a program of hers.
    let first = ann.token.clone().unwrap();
    let mut other = Peer::with_token(&server, &first).await;
    let create = json!({"type": "token_create", "label": "robot", "bot": true});
    let robot = ann.ask(create).await["token"].as_str().unwrap().to_owned();
    let mut program = Peer::with_token(&server, &robot).await;
    program.refused(signup("ann", "the thief's own"), "forbidden").await;
    let ok = ann.ask(signup("ann", PASSWORD)).await;
    assert_eq!(ok["user"], "ann");
    ann.token = ok["token"].as_str().map(str::to_owned);
    ann.refused(signup("ann", PASSWORD), "forbidden").await;
    // No token of the guest opens the account.
    assert_eq!(other.expect_close().await, 4007);
    assert_eq!(program.expect_close().await, 4007);
    for token in [&first, &robot] {
        assert_eq!(rejected_hello(&server, json!({"token": token})).await, "unauthorized");
    }
    // The session continues as the account and still receives its games.
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;

    let mut back = Peer::connect(server.address()).await;
    let auth = json!({"user": "ANN", "password": PASSWORD});
    let welcome = back.hello(json!({"auth": auth})).await;
    assert_eq!(welcome["user"], json!({"name": "ann", "bot": false, "guest": false}));
    assert_eq!(
        (&welcome["games"][0]["game"], &welcome["games"][0]["seat"]),
        (&json!(game), &json!(0))
    );
    let token = welcome["token"].as_str().unwrap();
    let again = Peer::with_token(&server, token).await;
    assert_eq!(again.welcome["user"], welcome["user"]);
    assert_eq!(again.welcome.get("token"), None, "a token is not answered with another");

    // Account and game survive a crash.
    server.crash().await;
    let mut ann = ann.reconnect(&server).await;
    assert_eq!(ann.welcome["user"], welcome["user"]);
    let mut bob = bob.reconnect(&server).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
}

#[tokio::test]
async fn names_are_unique_in_any_spelling_and_wrong_secrets_are_rejected() {
    let server = Server::start().await;
    let mut ann = Peer::anonymous(&server).await;
    ann.ask(signup("Ann", PASSWORD)).await;
    let mut other = Peer::anonymous(&server).await;
    other.refused(signup("aNN", PASSWORD), "name_taken").await;
    let _guest = Peer::guest(&server, "gus").await;
    other.refused(signup("GUS", PASSWORD), "name_taken").await;
    other.refused(json!({"type": "token_create", "label": "x"}), "forbidden").await;

    assert_eq!(rejected_hello(&server, json!({"guest": "ann"})).await, "name_taken");
    assert_eq!(rejected_hello(&server, json!({"guest": "Gus"})).await, "name_taken");
    assert_eq!(rejected_hello(&server, json!({"guest": "house"})).await, "name_taken");
    let wrong = json!({"user": "ann", "password": "open barley"});
    assert_eq!(rejected_hello(&server, wrong).await, "unauthorized");
    let unknown = json!({"user": "stranger", "password": PASSWORD});
    assert_eq!(rejected_hello(&server, unknown).await, "unauthorized");
    // A guest has no password, not even an empty one.
    let guest = json!({"user": "gus", "password": ""});
    assert_eq!(rejected_hello(&server, guest).await, "unauthorized");
    assert_eq!(rejected_hello(&server, json!({"token": "at_nonsense"})).await, "unauthorized");
}

#[tokio::test]
async fn a_token_opens_sessions_until_it_expires() {
    let server = Server::start().await;
    let mut ann = Peer::anonymous(&server).await;
    ann.ask(signup("ann", PASSWORD)).await;
    let create = |fields| with(json!({"type": "token_create", "label": "laptop"}), fields);
    let now = ann.ask(json!({"type": "ping"})).await["t2"].as_u64().unwrap();
    ann.refused(create(json!({"expires": now - 1})), "bad_message").await;
    ann.refused(create(json!({"label": ""})), "bad_message").await;
    let lasting = ann.ask(create(json!({}))).await["token"].clone();
    let laptop = Peer::with_token(&server, lasting.as_str().unwrap()).await;
    assert_eq!(laptop.welcome["user"], json!({"name": "ann", "bot": false, "guest": false}));

    let now = ann.ask(json!({"type": "ping"})).await["t2"].as_u64().unwrap();
    let expires = now + 1_500;
    let brief = ann.ask(create(json!({"expires": expires}))).await["token"].clone();
    let early = Peer::with_token(&server, brief.as_str().unwrap()).await;
    assert_eq!(early.welcome["user"]["name"], "ann");
    // The server's clock decides when the token expires.
    while ann.ask(json!({"type": "ping"})).await["t2"].as_u64().unwrap() <= expires {}
    assert_eq!(rejected_hello(&server, json!({"token": brief})).await, "unauthorized");
}

#[tokio::test]
async fn a_bot_token_has_one_session_and_the_newest_counts() {
    let server = Server::start().await;
    let mut ann = Peer::anonymous(&server).await;
    ann.ask(signup("ann", PASSWORD)).await;
    let create = json!({"type": "token_create", "label": "hexbot", "bot": true});
    let token = ann.ask(create).await["token"].as_str().unwrap().to_owned();
    let mut old = Peer::with_token(&server, &token).await;
    assert_eq!(old.welcome["user"], json!({"name": "ann", "bot": true, "guest": false}));
    let mut new = Peer::with_token(&server, &token).await;
    assert_eq!(old.expect_close().await, 4003);
    new.ask(json!({"type": "ping"})).await;
    // Ann's other sessions stay open.
    ann.ask(json!({"type": "ping"})).await;
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
    ann.ask(signup("Mallory_1", PASSWORD)).await;
    let _guest = Peer::guest(&server, "w00d").await;
    ann.ask(json!({"type": "bot_create", "name": "hex-bot"})).await;
    server.crash().await;
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
        let refusal =
            Peer::anonymous(&server).await.refused(signup(name, PASSWORD), "name_taken").await;
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
    Peer::anonymous(&server).await.refused(signup("admin", PASSWORD), "name_taken").await;
}

#[tokio::test]
async fn a_server_bot_keeps_its_name_after_a_restart() {
    let mut server = Server::start().await;
    server.crash().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let challenge = json!({"type": "challenge", "rules": "adamas", "seats": ["ann", "house"]});
    ann.ask(challenge).await;
    let closed = ann.next_of("challenge_closed").await;
    assert!(closed["game"].is_string(), "{closed}");
}

#[tokio::test]
async fn a_guest_who_signs_up_keeps_the_name_or_takes_a_free_one() {
    let (server, [mut lily, _other]) = Peer::start_with_guests(["lily", "mary"]).await;
    lily.refused(signup("rnary", PASSWORD), "name_taken").await;
    // A user may change the spelling of their own name.
    assert_eq!(lily.ask(signup("LiLy", PASSWORD)).await["user"], "LiLy");
    let mut joe = Peer::guest(&server, "joe").await;
    joe.ask(signup("joseph", PASSWORD)).await;
    // The old name is free again, and so are names that look like it.
    Peer::guest(&server, "j0e").await;
}

#[tokio::test]
async fn a_guest_who_has_played_chooses_a_name_and_records_keep_the_old_one() {
    let (mut server, [mut gus, mut bob]) = Peer::start_with_guests(["gus", "bob"]).await;
    let game = game::start(&mut [&mut gus, &mut bob], json!({})).await;
    let refusal = gus.refused(signup("kim", PASSWORD), "forbidden").await;
    assert!(refusal["message"].as_str().unwrap().contains("live games as gus"), "{refusal}");
    game::play_moves(&mut [&mut gus, &mut bob], &game, 2).await;
    game::resign(&mut gus, &mut bob, &game).await;
    let history = |user: &str| json!({"type": "history", "user": user});
    while gus.ask(history("gus")).await["games"] == json!([]) {}
    gus.ask(json!({"type": "challenge", "rules": "adamas", "seats": ["gus", "bob"]})).await;

    let ok = gus.ask(signup("kim", PASSWORD)).await;
    assert_eq!(ok["user"], "kim");
    gus.token = ok["token"].as_str().map(str::to_owned);
    // Nobody would come to a game of the old name.
    bob.next_matching("the end of the challenge", |frame| {
        frame["type"] == "challenge_closed" && frame["reason"] == "cancelled"
    })
    .await;
    server.crash().await;
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
    let [mut played, mut plays, mut other] =
        Peer::guests(&server, ["played", "plays", "other"]).await;
    let game = game::start(&mut [&mut played, &mut other], json!({})).await;
    game::resign(&mut played, &mut other, &game).await;
    let game = game::start(&mut [&mut plays, &mut other], json!({})).await;
    let mut account = Peer::anonymous(&server).await;
    account.ask(signup("account", PASSWORD)).await;
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
    let [mut plays, mut other] = Peer::reconnect_all([plays, other], &server).await;
    game::play_moves(&mut [&mut plays, &mut other], &game, 2).await;
}
