//! Tokens and passwords: what they open, and that sessions end with their token.

use serde_json::{Value, json};

use crate::harness::{Frame, PASSWORD, Peer, Server, game, with};

/// The close code of a session whose token was revoked or has expired.
const TOKEN_ENDED: u16 = 4007;

/// Creates a token; returns its secret and its id.
async fn make_token(peer: &mut Peer, fields: Value) -> (String, Value) {
    let create = with(json!({"type": "token_create", "label": "laptop"}), fields);
    let ok = peer.ask(create).await;
    (ok["token"].as_str().expect("a secret").to_owned(), ok["token_id"].clone())
}

async fn tokens(peer: &mut Peer) -> Vec<Frame> {
    let list = peer.ask(json!({"type": "token_list"})).await;
    assert_eq!(list["type"], "tokens");
    list["tokens"].as_array().expect("a list").clone()
}

fn revoke(token: &Value) -> Value {
    json!({"type": "token_revoke", "token": token})
}

fn password_change(old: &str, new: &str) -> Value {
    json!({"type": "password_change", "old": old, "new": new})
}

/// Whether the server rejects a `hello` with these credentials as `unauthorized`.
async fn is_rejected(server: &Server, auth: Value) -> bool {
    let mut peer = Peer::connect(server.address()).await;
    let reply = peer.request(json!({"type": "hello", "proto": [1], "auth": auth})).await;
    if reply["type"] == "welcome" {
        return false;
    }
    assert_eq!(reply["code"], "unauthorized", "{reply}");
    assert_eq!(peer.expect_close().await, 4001);
    true
}

/// By how much the clocks of two nodes on one machine differ at most, in milliseconds.
const NODES_APART_MS: u64 = 100;

async fn now(peer: &mut Peer) -> u64 {
    peer.ask(json!({"type": "ping"})).await["t2"].as_u64().expect("the server's time")
}

#[tokio::test]
async fn the_list_of_tokens_shows_labels_and_never_secrets() {
    let (mut server, [mut ann]) = Peer::start_with_accounts(["ann"]).await;
    let before = now(&mut ann).await;
    let (bot, bot_id) = make_token(&mut ann, json!({"label": "hexbot", "bot": true})).await;
    let expires = before + 3_600_000;
    let (_, brief_id) = make_token(&mut ann, json!({"label": "brief", "expires": expires})).await;
    let listed = tokens(&mut ann).await;
    let labels: Vec<&Value> = listed.iter().map(|token| &token["label"]).collect();
    assert_eq!(labels.len(), 3);
    let find = |listed: &[Frame], label: &str| {
        listed.iter().find(|token| token["label"] == label).cloned().expect("it is listed")
    };
    let hexbot = find(&listed, "hexbot");
    assert_eq!((&hexbot["token"], &hexbot["bot"]), (&bot_id, &json!(true)));
    assert!(hexbot["created"].as_u64().unwrap() >= before);
    assert_eq!(hexbot.get("last_used"), None, "it was never used");
    let brief = find(&listed, "brief");
    assert_eq!((&brief["token"], &brief["expires"]), (&brief_id, &json!(expires)));
    assert_eq!(brief.get("bot"), None);
    let own = find(&listed, "sign-up");
    assert_eq!(own["current"], true);
    assert_eq!(listed.iter().filter(|token| token["current"] == true).count(), 1);
    let text = json!(listed).to_string();
    assert!(!text.contains("at_") && !text.contains(&bot[3..]), "{text}");

    // The list shows the last use and survives a crash.
    let mut hexbot = Peer::with_token(&server, &bot).await;
    hexbot.ask(json!({"type": "ping"})).await;
    let noted = find(&tokens(&mut ann).await, "hexbot");
    assert!(noted["last_used"].as_u64().unwrap() >= before);
    server.crash().await;
    let mut back = ann.reconnect(&server).await;
    let again = tokens(&mut back).await;
    assert_eq!(again.len(), 3);
    assert_eq!(find(&again, "hexbot"), noted);
    assert_eq!(find(&again, "sign-up")["current"], true);

    let mut anonymous = Peer::anonymous(&server).await;
    anonymous.refused(json!({"type": "token_list"}), "forbidden").await;
    anonymous.refused(revoke(&bot_id), "forbidden").await;
}

#[tokio::test]
async fn revoking_a_token_closes_its_sessions() {
    let (mut server, [mut ann]) = Peer::start_with_accounts(["ann"]).await;
    let (secret, id) = make_token(&mut ann, json!({})).await;
    let mut one = Peer::with_token(&server, &secret).await;
    let mut other = Peer::with_token(&server, &secret).await;
    let mut bob = Peer::account(&server, "bob").await;
    bob.refused(revoke(&id), "not_found").await;
    bob.refused(revoke(&json!("t_0000000000000000")), "not_found").await;
    bob.refused(revoke(&json!(secret)), "bad_message").await;
    one.ask(json!({"type": "ping"})).await;

    ann.ask(revoke(&id)).await;
    assert_eq!(one.expect_close().await, TOKEN_ENDED);
    assert_eq!(other.expect_close().await, TOKEN_ENDED);
    ann.refused(revoke(&id), "not_found").await;
    assert!(is_rejected(&server, json!({"token": secret})).await);
    server.crash().await;
    assert!(is_rejected(&server, json!({"token": secret})).await);

    // A session that revokes its own token receives the reply before the close.
    let mut back = ann.reconnect(&server).await;
    let own = tokens(&mut back).await;
    assert_eq!(own.len(), 1);
    back.ask(revoke(&own[0]["token"])).await;
    assert_eq!(back.expect_close().await, TOKEN_ENDED);
    assert!(!is_rejected(&server, json!({"user": "ann", "password": PASSWORD})).await);
}

/// Two sessions revoke at the same moment, and the first revokes the token of the second. The
/// request of the second is carried out nevertheless.
#[tokio::test]
async fn a_revocation_in_progress_survives_its_own_sessions_close() {
    let (server, [mut ann]) = Peer::start_with_accounts(["ann"]).await;
    for _ in 0..30 {
        let (revoker_secret, revoker) = make_token(&mut ann, json!({})).await;
        let (open_secret, open) = make_token(&mut ann, json!({})).await;
        let mut revoking = Peer::with_token(&server, &revoker_secret).await;
        let mut open_session = Peer::with_token(&server, &open_secret).await;
        ann.send(&with(revoke(&revoker), json!({"id": ann.next_id()}))).await;
        revoking.send(&with(revoke(&open), json!({"id": "r"}))).await;
        assert_eq!(revoking.expect_close().await, TOKEN_ENDED);
        // If the request came too late, the token is still valid and is revoked now.
        let again = ann.request(revoke(&open)).await;
        assert!(again["type"] == "ok" || again["code"] == "not_found", "{again}");
        assert_eq!(open_session.expect_close().await, TOKEN_ENDED);
    }
}

/// A `hello` during the revocation is rejected, or accepted and then closed.
#[tokio::test]
async fn a_hello_during_a_revocation_opens_no_session() {
    let (server, [mut ann]) = Peer::start_with_accounts(["ann"]).await;
    for _ in 0..10 {
        let (secret, id) = make_token(&mut ann, json!({})).await;
        let mut peers = Vec::new();
        for _ in 0..10 {
            peers.push(Peer::connect(server.address()).await);
        }
        let hello = json!({"type": "hello", "id": "h", "proto": [1], "auth": {"token": secret}});
        for (number, peer) in peers.iter_mut().enumerate() {
            peer.send(&hello).await;
            if number == 5 {
                ann.send(&with(revoke(&id), json!({"id": ann.next_id()}))).await;
            }
        }
        for mut peer in peers {
            let reply = peer.next_matching("a reply", |frame| frame["re"] == "h").await;
            let closed = peer.expect_close().await;
            let expected = if reply["type"] == "welcome" { TOKEN_ENDED } else { 4001 };
            assert_eq!(closed, expected, "{reply}");
        }
    }
}

#[tokio::test]
async fn a_session_ends_when_its_token_expires() {
    let (server, [mut ann]) = Peer::start_with_accounts(["ann"]).await;
    let expires = now(&mut ann).await + 700;
    let (secret, _) = make_token(&mut ann, json!({"expires": expires})).await;
    let mut brief = Peer::with_token(&server, &secret).await;
    brief.ask(json!({"type": "ping"})).await;
    assert_eq!(brief.expect_close().await, TOKEN_ENDED);
    let ended = now(&mut ann).await + NODES_APART_MS;
    assert!(ended >= expires, "the token expired too early");
    assert!(is_rejected(&server, json!({"token": secret})).await);
    let labels = json!(tokens(&mut ann).await).to_string();
    assert!(!labels.contains("laptop"), "{labels}");
}

#[tokio::test]
async fn a_password_change_ends_other_log_ins_and_no_programs() {
    let (mut server, [mut ann]) = Peer::start_with_accounts(["ann"]).await;
    let (bot_secret, _) = make_token(&mut ann, json!({"bot": true})).await;
    let (laptop_secret, _) = make_token(&mut ann, json!({})).await;
    let mut bot = Peer::with_token(&server, &bot_secret).await;
    let mut laptop = Peer::with_token(&server, &laptop_secret).await;
    let mut phone = Peer::connect(server.address()).await;
    phone.hello(json!({"auth": {"user": "ann", "password": PASSWORD}})).await;

    ann.refused(password_change("open barley", "battery staple"), "unauthorized").await;
    ann.refused(password_change(PASSWORD, "short"), "bad_message").await;
    laptop.ask(json!({"type": "ping"})).await;
    ann.ask(password_change(PASSWORD, "battery staple")).await;
    assert_eq!(laptop.expect_close().await, TOKEN_ENDED);
    assert_eq!(phone.expect_close().await, TOKEN_ENDED);
    bot.ask(json!({"type": "ping"})).await;
    ann.ask(json!({"type": "ping"})).await;
    server.crash().await;
    assert!(is_rejected(&server, json!({"token": laptop_secret})).await);
    assert!(is_rejected(&server, json!({"user": "ann", "password": PASSWORD})).await);
    assert!(!is_rejected(&server, json!({"user": "ann", "password": "battery staple"})).await);
    let mut bot = Peer::with_token(&server, &bot_secret).await;

    // Ends all other tokens, those of the user's bots included.
    let mut ann = ann.reconnect(&server).await;
    ann.ask(json!({"type": "bot_create", "name": "hexbot"})).await;
    let (hexbot_secret, _) = make_token(&mut ann, json!({"user": "hexbot"})).await;
    let mut hexbot = Peer::with_token(&server, &hexbot_secret).await;
    let all = with(password_change("battery staple", PASSWORD), json!({"revoke_all": true}));
    bot.refused(all.clone(), "forbidden").await;
    hexbot.refused(all.clone(), "forbidden").await;
    ann.ask(all).await;
    assert_eq!(bot.expect_close().await, TOKEN_ENDED);
    assert_eq!(hexbot.expect_close().await, TOKEN_ENDED);
    assert!(is_rejected(&server, json!({"token": bot_secret})).await);
    assert!(is_rejected(&server, json!({"token": hexbot_secret})).await);
    assert_eq!(tokens(&mut ann).await.len(), 1);

    let mut guest = Peer::guest(&server, "gus").await;
    guest.refused(password_change(PASSWORD, "battery staple"), "forbidden").await;
    let mut anonymous = Peer::anonymous(&server).await;
    anonymous.refused(password_change(PASSWORD, "battery staple"), "forbidden").await;
}

#[tokio::test]
async fn the_last_recovery_code_sets_a_password_once_however_it_is_typed() {
    let (mut server, _) = Peer::start_with_guests([]).await;
    let mut ann = Peer::anonymous(&server).await;
    let done = ann.ask(json!({"type": "signup", "user": "ann", "password": PASSWORD})).await;
    let at_sign_up = done["recovery"].as_str().unwrap().to_owned();
    let wrong = json!({"type": "recovery_code", "password": "open barley"});
    ann.refused(wrong, "unauthorized").await;
    let (secret, _) = make_token(&mut ann, json!({"bot": true})).await;
    let mut bot = Peer::with_token(&server, &secret).await;
    let request = json!({"type": "recovery_code", "password": PASSWORD});
    bot.refused(request.clone(), "forbidden").await;
    let code = ann.ask(request).await["recovery"].as_str().unwrap().to_owned();
    server.crash().await;

    let mut stranger = Peer::anonymous(&server).await;
    let reset = |code: &str| json!({"type": "password_reset", "user": "Ann", "code": code, "new": "open barley"});
    stranger.refused(reset(&at_sign_up), "unauthorized").await;
    let done = stranger.ask(reset(&code.to_uppercase().replace('-', " "))).await;
    stranger.refused(reset(&code), "unauthorized").await;
    assert!(is_rejected(&server, json!({"token": secret})).await);
    assert!(!is_rejected(&server, json!({"user": "ann", "password": "open barley"})).await);
    // One is left for the next time.
    stranger.ask(reset(done["recovery"].as_str().unwrap())).await;
}

#[tokio::test]
async fn a_closed_account_is_forgotten_but_for_games_and_its_name() {
    let (mut server, [mut ann, mut bob]) = Peer::start_with_accounts(["ann", "bob"]).await;
    ann.ask(json!({"type": "bot_create", "name": "annbot"})).await;
    let (secret, _) = make_token(&mut ann, json!({"user": "annbot"})).await;
    let mut bot = Peer::with_token(&server, &secret).await;
    let close = |password: &str| json!({"type": "account_close", "password": password});
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    ann.ask(json!({"type": "say", "game": game, "room": "players", "text": "my address"})).await;
    ann.refused(close("open barley"), "unauthorized").await;
    let refusal = ann.refused(close(PASSWORD), "forbidden").await;
    assert!(refusal["message"].as_str().unwrap().contains("1 games"), "{refusal}");
    game::resign(&mut ann, &mut bob, &game).await;
    let offer = json!({"type": "challenge", "rules": "adamas", "seats": ["bob", "ann"]});
    let offered = ann.ask(offer).await["challenge"].clone();
    bob.next_matching("the challenge", |frame| frame["challenge"] == offered).await;

    ann.ask(close(PASSWORD)).await;
    assert_eq!(ann.expect_close().await, TOKEN_ENDED);
    assert_eq!(bot.expect_close().await, TOKEN_ENDED);
    bob.refused(json!({"type": "accept", "challenge": offered}), "not_found").await;
    let talk = bob.ask(json!({"type": "talk", "game": game, "room": "players"})).await;
    assert_eq!(talk["lines"], json!([]));
    server.crash().await;

    assert!(is_rejected(&server, json!({"token": secret})).await);
    assert!(is_rejected(&server, json!({"user": "ann", "password": PASSWORD})).await);
    let mut stranger = Peer::anonymous(&server).await;
    let again = json!({"type": "signup", "user": "Ann", "password": PASSWORD});
    stranger.refused(again, "name_taken").await;
    let games = stranger.ask(json!({"type": "history", "user": "ann"})).await;
    assert_eq!(games["games"][0]["seats"][0]["user"], "ann");
    // Nothing tells of the bot, which has never played.
    stranger.ask(json!({"type": "signup", "user": "annbot", "password": PASSWORD})).await;
}

#[tokio::test]
async fn a_programs_token_cannot_change_the_account() {
    let (server, [mut ann]) = Peer::start_with_accounts(["ann"]).await;
    let (secret, id) = make_token(&mut ann, json!({"bot": true})).await;
    let (_, other) = make_token(&mut ann, json!({})).await;
    let mut bot = Peer::with_token(&server, &secret).await;
    bot.refused(json!({"type": "token_create", "label": "more"}), "forbidden").await;
    bot.refused(json!({"type": "bot_create", "name": "hexbot"}), "forbidden").await;
    bot.refused(revoke(&other), "forbidden").await;
    for request in [
        json!({"type": "push_list"}),
        json!({"type": "push_subscribe", "endpoint": "https://push.example.org/1",
               "p256dh": "A".repeat(87), "auth": "BTBZMqHH6r4Tts7J_aSIgg"}),
        json!({"type": "webhook_set", "url": "https://example.org/"}),
        json!({"type": "recovery_code", "password": PASSWORD}),
        json!({"type": "account_close", "password": PASSWORD}),
        json!({"type": "push_unsubscribe", "endpoint": "https://push.example.org/secret"}),
        json!({"type": "settings_get"}),
        json!({"type": "settings_set", "challenges": "none"}),
        json!({"type": "block", "user": "house"}),
        json!({"type": "blocks"}),
        json!({"type": "mute", "user": "house"}),
    ] {
        bot.refused(request, "forbidden").await;
    }
    assert_eq!(tokens(&mut bot).await.len(), 3);
    bot.ask(revoke(&id)).await;
    assert_eq!(bot.expect_close().await, TOKEN_ENDED);
    ann.ask(json!({"type": "ping"})).await;
}

#[tokio::test]
async fn a_log_in_over_the_limit_replaces_the_least_recently_used_one() {
    let (server, [mut ann]) = Peer::start_with_accounts(["ann"]).await;
    let most = usize::try_from(ann.welcome["limits"]["tokens"].as_u64().unwrap()).unwrap();
    let mut programs = Vec::new();
    for _ in 0..most {
        programs.push(make_token(&mut ann, json!({"bot": true})).await);
    }
    let full = json!({"type": "token_create", "label": "one more", "bot": true});
    let refusal = ann.refused(full.clone(), "rate_limited").await;
    assert_eq!((&refusal["limit"], &refusal["retry"]), (&json!("tokens"), &json!("never")));
    let (first, _) = make_token(&mut ann, json!({"label": "first"})).await;
    let mut opened = Peer::with_token(&server, &first).await;
    // The reply comes after the use was stored.
    opened.ask(json!({"type": "ping"})).await;
    // The session that creates them keeps using its own token.
    for _ in 0..most - 1 {
        make_token(&mut ann, json!({})).await;
    }
    assert_eq!(opened.expect_close().await, TOKEN_ENDED);
    assert!(is_rejected(&server, json!({"token": first})).await);
    assert_eq!(tokens(&mut ann).await.len(), 2 * most);
    for (secret, id) in programs.iter().take(2) {
        let mut program = Peer::with_token(&server, secret).await;
        ann.ask(revoke(id)).await;
        assert_eq!(program.expect_close().await, TOKEN_ENDED);
    }
    ann.ask(full).await;
}

#[tokio::test]
async fn a_session_over_the_limit_closes_the_oldest() {
    let server = Server::one_node(|_| {}).await;
    let mut first = Peer::guest(&server, "ann").await;
    let most = first.welcome["limits"]["sessions"].as_u64().unwrap();
    let token = first.token.clone().unwrap();
    let mut others = Vec::new();
    for _ in 1..most {
        others.push(Peer::with_token(&server, &token).await);
    }
    first.ask(json!({"type": "ping"})).await;
    others.push(Peer::with_token(&server, &token).await);
    assert_eq!(first.expect_close().await, 4003);
    for other in &mut others {
        other.ask(json!({"type": "ping"})).await;
    }
}

#[tokio::test]
async fn logout_ends_the_token_and_its_sessions() {
    let (server, [mut ann]) = Peer::start_with_accounts(["ann"]).await;
    let mut phone = Peer::connect(server.address()).await;
    phone.hello(json!({"auth": {"user": "ann", "password": PASSWORD}})).await;
    let secret = ann.token.clone().unwrap();
    let mut tab = Peer::with_token(&server, &secret).await;
    ann.ask(json!({"type": "logout"})).await;
    assert_eq!(ann.expect_close().await, TOKEN_ENDED);
    assert_eq!(tab.expect_close().await, TOKEN_ENDED);
    assert!(is_rejected(&server, json!({"token": secret})).await);
    phone.ask(json!({"type": "ping"})).await;

    // A program logs itself out; its owner stays logged in.
    let (program, _) = make_token(&mut phone, json!({"bot": true})).await;
    let mut robot = Peer::with_token(&server, &program).await;
    robot.ask(json!({"type": "logout"})).await;
    assert_eq!(robot.expect_close().await, TOKEN_ENDED);
    assert!(is_rejected(&server, json!({"token": program})).await);
    phone.ask(json!({"type": "ping"})).await;
    let mut anonymous = Peer::anonymous(&server).await;
    anonymous.refused(json!({"type": "logout"}), "forbidden").await;
}

#[tokio::test]
async fn logout_deletes_a_guest_and_warns_of_live_games() {
    let server = Server::start().await;
    // A guest without games frees the name, and no challenge waits for the guest.
    let [mut gus, mut ann] = Peer::guests(&server, ["gus", "ann"]).await;
    let challenge = json!({"type": "challenge", "rules": "adamas", "seats": ["ann", "gus"]});
    let id = ann.ask(challenge.clone()).await["challenge"].clone();
    gus.next_of("challenged").await;
    gus.ask(json!({"type": "logout"})).await;
    assert_eq!(gus.expect_close().await, TOKEN_ENDED);
    let closed = ann.next_of("challenge_closed").await;
    assert_eq!((&closed["challenge"], &closed["by"]), (&id, &json!("gus")));
    let mut gus = Peer::guest(&server, "gus").await;
    assert_eq!(gus.welcome["challenges"], json!([]));

    let id = ann.ask(challenge).await["challenge"].clone();
    let game = gus.ask(json!({"type": "accept", "challenge": id})).await["game"].clone();
    let refusal = gus.refused(json!({"type": "logout"}), "forbidden").await;
    assert!(refusal["message"].as_str().unwrap().contains("1 live games"), "{refusal}");
    gus.ask(json!({"type": "ping"})).await;
    gus.ask(json!({"type": "logout", "forget": true})).await;
    assert_eq!(gus.expect_close().await, TOKEN_ENDED);
    // The game stays, and with it the guest's name.
    let mut peer = Peer::connect(server.address()).await;
    let hello = json!({"type": "hello", "proto": [1], "auth": {"guest": "gus"}});
    assert_eq!(peer.request(hello).await["code"], "name_taken");
    let list = ann.ask(json!({"type": "games", "user": "ann"})).await;
    assert_eq!(list["games"][0]["game"], game);
}

/// Waits until the server's clock has reached `time`.
async fn until(server: &Server, time: u64) {
    let mut anonymous = Peer::anonymous(server).await;
    while now(&mut anonymous).await <= time {}
}

#[tokio::test]
async fn an_unused_log_in_expires_and_a_programs_token_does_not() {
    let mut server = Server::with(|setup| setup.set("limits", "log_ins_idle_after", "2s")).await;
    let mut ann = Peer::account(&server, "ann").await;
    let secret = ann.token.clone().unwrap();
    let (program, _) = make_token(&mut ann, json!({"bot": true})).await;
    let guest = Peer::guest(&server, "gus").await.token.unwrap();
    let begun = now(&mut ann).await;
    // Each use extends the token.
    until(&server, begun + 1_200).await;
    drop(Peer::with_token(&server, &secret).await);
    ann.close().await;
    until(&server, begun + 2_200).await;
    assert!(is_rejected(&server, json!({"token": guest})).await);
    drop(Peer::with_token(&server, &secret).await);
    until(&server, begun + 4_500).await;
    assert!(is_rejected(&server, json!({"token": secret})).await);
    drop(Peer::with_token(&server, &program).await);
    // The server bots keep their tokens.
    server.crash().await;
    assert!(is_rejected(&server, json!({"token": secret})).await);
    drop(Peer::with_token(&server, &program).await);
    let mut ann = Peer::connect(server.address()).await;
    ann.hello(json!({"auth": {"user": "ann", "password": PASSWORD}})).await;
    ann.ask(json!({"type": "challenge", "rules": "adamas", "seats": ["ann", "house"]})).await;
    assert!(ann.next_of("challenge_closed").await["game"].is_string());
}

#[tokio::test]
async fn a_log_in_expires_at_its_maximum_age() {
    let server = Server::with(|setup| setup.set("limits", "log_ins_end_after", "1500ms")).await;
    let mut ann = Peer::account(&server, "ann").await;
    let mut guest = Peer::guest(&server, "gus").await;
    let own = tokens(&mut ann).await;
    let ends = own[0]["expires"].as_u64().expect("a log-in ends");
    assert_eq!(ends - own[0]["created"].as_u64().unwrap(), 1_500);
    let (program, _) = make_token(&mut ann, json!({"bot": true})).await;
    make_token(&mut ann, json!({"expires": ends + 1_000_000})).await;
    let listed = tokens(&mut ann).await;
    let laptop = listed.iter().find(|token| token["label"] == "laptop" && token["bot"] != true);
    assert!(laptop.unwrap()["expires"].as_u64().unwrap() < ends + 1_000_000);
    assert_eq!(ann.expect_close().await, TOKEN_ENDED);
    assert!(is_rejected(&server, json!({"token": ann.token})).await);
    drop(Peer::with_token(&server, &program).await);
    guest.ask(json!({"type": "ping"})).await;
    assert!(!is_rejected(&server, json!({"user": "ann", "password": PASSWORD})).await);
}
