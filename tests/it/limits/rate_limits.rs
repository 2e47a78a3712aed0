//! How often and how much: by user, by address, and by name at an address. Every refusal names its
//! limit and, where waiting helps, the wait; and it concerns nobody else.

use std::net::Ipv4Addr;

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
    time::timeout,
};

use crate::harness::{Frame, PATIENCE, Peer, Server, game};

const PASSWORD: &str = "open sesame";

/// Addresses of this machine from which different people come.
const HERE: [u8; 4] = [127, 0, 0, 1];
const EVE: [u8; 4] = [127, 0, 0, 2];
const ANN: [u8; 4] = [127, 0, 0, 3];

async fn server_with(limits: &[(&'static str, i64)]) -> Server {
    Server::with(|setup| {
        for (name, count) in limits {
            setup.set("limits", name, *count);
        }
    })
    .await
}

fn assert_limited(refusal: &Frame, limit: &str) {
    assert_eq!(refusal["code"], "rate_limited", "{refusal}");
    assert_eq!((&refusal["limit"], &refusal["retry"]), (&json!(limit), &json!("after")));
    assert!(refusal["retry_after_ms"].as_u64().unwrap() > 0, "{refusal}");
    assert!(refusal["message"].as_str().unwrap().starts_with("at most "), "{refusal}");
}

/// Says hello from an address; whatever comes.
async fn hello_from(here: [u8; 4], server: &Server, auth: Value) -> Frame {
    let mut peer = Peer::connect_from(here, server.address()).await;
    peer.request(json!({"type": "hello", "proto": [1], "auth": auth})).await
}

async fn signup_from(here: [u8; 4], server: &Server, name: &str) -> Frame {
    let mut peer = Peer::connect_from(here, server.address()).await;
    peer.hello(json!({})).await;
    peer.request(json!({"type": "signup", "user": name, "password": PASSWORD})).await
}

fn log_in(name: &str, password: &str) -> Value {
    json!({"user": name, "password": password})
}

#[tokio::test]
async fn who_fails_to_log_in_as_ann_does_not_keep_ann_out() {
    let server = server_with(&[("failed_log_ins_per_min", 3)]).await;
    let account = signup_from(ANN, &server, "ann").await;
    signup_from(ANN, &server, "bob").await;
    for _ in 0..3 {
        let refusal = hello_from(EVE, &server, log_in("ann", "wrong password")).await;
        assert_eq!(refusal["code"], "unauthorized");
    }
    // Not even with the right one now: it could be the fourth guess.
    for password in ["wrong password", PASSWORD] {
        let refusal = hello_from(EVE, &server, log_in("ANN", password)).await;
        assert_limited(&refusal, "failed_log_ins_per_min");
        assert!(refusal["retry_after_ms"].as_u64().unwrap() <= 20_000, "{refusal}");
    }
    // From elsewhere, as somebody else, and with a token nothing is in the way.
    for _ in 0..5 {
        let welcome = hello_from(ANN, &server, log_in("ann", PASSWORD)).await;
        assert_eq!(welcome["type"], "welcome", "{welcome}");
    }
    let welcome = hello_from(EVE, &server, log_in("bob", PASSWORD)).await;
    assert_eq!(welcome["type"], "welcome", "{welcome}");
    let welcome = hello_from(EVE, &server, json!({"token": account["token"]})).await;
    assert_eq!(welcome["type"], "welcome", "{welcome}");
    // Whether there is such a user makes no difference.
    for _ in 0..3 {
        let refusal = hello_from(EVE, &server, log_in("stranger", "wrong password")).await;
        assert_eq!(refusal["code"], "unauthorized");
    }
    let refusal = hello_from(EVE, &server, log_in("stranger", "wrong password")).await;
    assert_limited(&refusal, "failed_log_ins_per_min");
}

#[tokio::test]
async fn a_stolen_session_guesses_the_password_no_faster() {
    let server = server_with(&[("failed_log_ins_per_min", 2)]).await;
    let mut ann = Peer::nobody(&server).await;
    ann.ask(json!({"type": "signup", "user": "ann", "password": PASSWORD})).await;
    let guess =
        json!({"type": "password_change", "old": "wrong password", "new": "battery staple"});
    for _ in 0..2 {
        ann.refused(guess.clone(), "unauthorized").await;
    }
    assert_limited(&ann.refused(guess, "rate_limited").await, "failed_log_ins_per_min");
}

#[tokio::test]
async fn a_hello_that_came_too_soon_may_be_said_again() {
    let server = server_with(&[("guests_per_hour", 1)]).await;
    let token = hello_from(EVE, &server, json!({"guest": "gus"})).await["token"].clone();
    let mut peer = Peer::connect_from(EVE, server.address()).await;
    let hello = |auth| json!({"type": "hello", "proto": [1], "auth": auth});
    let refusal = peer.refused(hello(json!({"guest": "hal"})), "rate_limited").await;
    assert_limited(&refusal, "guests_per_hour");
    // The connection is as it was: somebody who is known may come in.
    assert_eq!(peer.request(hello(json!({"token": token}))).await["type"], "welcome");
}

#[tokio::test]
async fn an_address_checks_so_many_passwords() {
    let server = server_with(&[("log_ins_per_min", 3)]).await;
    // The password of a new account is one of them.
    signup_from(EVE, &server, "eve").await;
    for name in ["ann", "bob"] {
        let refusal = hello_from(EVE, &server, log_in(name, "wrong password")).await;
        assert_eq!(refusal["code"], "unauthorized");
    }
    let refusal = hello_from(EVE, &server, log_in("eve", PASSWORD)).await;
    assert_limited(&refusal, "log_ins_per_min");
    assert_limited(&signup_from(EVE, &server, "cy").await, "log_ins_per_min");
    let welcome = hello_from(ANN, &server, log_in("eve", PASSWORD)).await;
    assert_eq!(welcome["type"], "welcome", "{welcome}");
}

#[tokio::test]
async fn an_address_brings_so_many_accounts_and_guests() {
    let server = server_with(&[("sign_ups_per_hour", 2), ("guests_per_hour", 2)]).await;
    for name in ["ann", "bob"] {
        assert_eq!(signup_from(EVE, &server, name).await["type"], "ok");
    }
    // A name that is taken costs nothing.
    assert_eq!(signup_from(EVE, &server, "ann").await["code"], "name_taken");
    assert_limited(&signup_from(EVE, &server, "cy").await, "sign_ups_per_hour");
    assert_eq!(signup_from(ANN, &server, "cy").await["type"], "ok");

    for name in ["gus", "hal"] {
        assert_eq!(hello_from(EVE, &server, json!({"guest": name})).await["type"], "welcome");
    }
    assert_eq!(hello_from(EVE, &server, json!({"guest": "gus"})).await["code"], "name_taken");
    assert_limited(&hello_from(EVE, &server, json!({"guest": "ida"})).await, "guests_per_hour");
    assert_eq!(hello_from(ANN, &server, json!({"guest": "ida"})).await["type"], "welcome");
}

#[tokio::test]
async fn a_user_seeks_and_plays_so_often_however_many_sessions_there_are() {
    let server = server_with(&[("seeks_per_min", 3), ("games_per_min", 3)]).await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut again = Peer::with_token(&server, ann.token.as_deref().unwrap()).await;
    let mut bob = Peer::guest(&server, "bob").await;
    assert_eq!(
        (&ann.welcome["limits"]["seeks_per_min"], &ann.welcome["limits"]["games_per_min"]),
        (&json!(3), &json!(3))
    );
    let seek = json!({"type": "seek", "rules": "adamas", "players": 3});
    for number in 0..3 {
        let peer = if number == 1 { &mut again } else { &mut ann };
        let seek = peer.ask(seek.clone()).await["seek"].clone();
        peer.ask(json!({"type": "unseek", "seek": seek})).await;
    }
    for peer in [&mut ann, &mut again] {
        assert_limited(&peer.refused(seek.clone(), "rate_limited").await, "seeks_per_min");
    }
    bob.ask(seek).await;

    let challenge = json!({"type": "challenge", "rules": "adamas", "seats": ["ann", "bob"]});
    let mut made = Vec::new();
    for number in 0..3 {
        let peer = if number == 1 { &mut again } else { &mut ann };
        made.push(peer.ask(challenge.clone()).await["challenge"].clone());
    }
    assert_limited(&ann.refused(challenge, "rate_limited").await, "games_per_min");
    for challenge in &made {
        bob.ask(json!({"type": "accept", "challenge": challenge})).await;
    }
    let accept = json!({"type": "accept", "challenge": made[0]});
    assert_limited(&bob.refused(accept, "rate_limited").await, "games_per_min");
}

#[tokio::test]
async fn without_limits_there_are_none() {
    let server = Server::with(|setup| {
        setup.argument("--no-limits");
        for limit in [
            "connections_per_address",
            "handshakes_per_address",
            "messages_burst",
            "messages_per_s",
            "user_messages_burst",
            "user_messages_per_s",
            "address_messages_burst",
            "address_messages_per_s",
            "upgrades_per_min",
            "page_files_per_min",
            "seeks_per_min",
            "games_per_min",
            "failed_log_ins_per_min",
            "log_ins_per_min",
            "sign_ups_per_hour",
            "guests_per_hour",
        ] {
            setup.set("limits", limit, 1);
        }
    })
    .await;
    let mut ann = Peer::guest(&server, "ann").await;
    let limits = &ann.welcome["limits"];
    assert_eq!((&limits["burst"], &limits["seeks_per_min"]), (&json!(0), &json!(0)));
    for _ in 0..3 {
        let seek = ann.ask(json!({"type": "seek", "rules": "adamas"})).await["seek"].clone();
        ann.ask(json!({"type": "unseek", "seek": seek})).await;
    }
    let _others = [Peer::guest(&server, "bob").await, Peer::guest(&server, "cy").await];
    for _ in 0..2 {
        let refusal = hello_from(HERE, &server, log_in("dee", "wrong password")).await;
        assert_eq!(refusal["code"], "unauthorized");
    }
    for name in ["dee", "eve"] {
        assert_eq!(signup_from(HERE, &server, name).await["type"], "ok");
    }
}

/// How many of a number of pings are answered, and the refusals of the others.
async fn pings(peer: &mut Peer, count: usize) -> (usize, Vec<Frame>) {
    let (mut answered, mut refused) = (0, Vec::new());
    for _ in 0..count {
        let reply = peer.request(json!({"type": "ping"})).await;
        if reply["type"] == "pong" { answered += 1 } else { refused.push(reply) }
    }
    (answered, refused)
}

/// The refusals of requests that came too soon name this limit and a wait.
fn assert_too_soon(refused: &[Frame], limit: &str) {
    for refusal in refused {
        assert_eq!((&refusal["code"], &refusal["limit"]), (&json!("rate_limited"), &json!(limit)));
        assert_eq!(refusal["retry"], "after");
        assert!(refusal["retry_after_ms"].as_u64().unwrap() > 0, "{refusal}");
    }
}

/// Requests a second in the long run that do not add to a burst while a test runs.
const SLOWLY: i64 = 1;

#[tokio::test]
async fn a_user_has_one_rate_of_requests_over_all_connections() {
    let limits = [("user_messages_burst", 30), ("user_messages_per_s", SLOWLY)];
    let server = server_with(&limits).await;
    let mut ann = Peer::guest(&server, "ann").await;
    let token = ann.token.clone().unwrap();
    let mut answered = 0;
    for connection in 0..4 {
        let (done, refused) = if connection == 0 {
            pings(&mut ann, 20).await
        } else {
            // A connection that is new, and from elsewhere, brings nothing of its own.
            let mut again = Peer::connect_from([127, 0, 1, connection], server.address()).await;
            again.hello(json!({"auth": {"token": token}})).await;
            pings(&mut again, 20).await
        };
        answered += done;
        assert_too_soon(&refused, "user_messages");
    }
    assert!((30..60).contains(&answered), "{answered} of 80 were answered");
    let mut bob = Peer::guest(&server, "bob").await;
    assert_eq!(pings(&mut bob, 20).await.0, 20, "others are not concerned");
}

#[tokio::test]
async fn an_address_has_one_rate_of_requests_over_all_users_and_connections() {
    let limits = [("address_messages_burst", 30), ("address_messages_per_s", SLOWLY)];
    let server = server_with(&limits).await;
    let mut answered = 0;
    for guest in 0..8 {
        let mut peer = Peer::connect_from(EVE, server.address()).await;
        let hello =
            json!({"type": "hello", "proto": [1], "auth": {"guest": format!("eve{guest}")}});
        let reply = peer.request(hello).await;
        if reply["type"] != "welcome" {
            assert_too_soon(&[reply], "address_messages");
            continue;
        }
        let (done, refused) = pings(&mut peer, 20).await;
        answered += done;
        assert_too_soon(&refused, "address_messages");
    }
    assert!((20..60).contains(&answered), "{answered} of 160 were answered");
    let mut ann = Peer::connect_from(ANN, server.address()).await;
    ann.hello_guest("ann").await;
    assert_eq!(pings(&mut ann, 20).await.0, 20, "others are not concerned");
}

#[tokio::test]
async fn lists_and_resumed_games_cost_more_than_a_message() {
    let limits = [("address_messages_burst", 100), ("address_messages_per_s", SLOWLY)];
    let server = server_with(&limits).await;
    let mut peer = Peer::connect_from(EVE, server.address()).await;
    peer.hello_guest("eve").await;
    let mut lists = 0;
    while lists < 100 {
        let reply = peer.request(json!({"type": "games"})).await;
        if reply["type"] == "error" {
            assert_too_soon(&[reply], "address_messages");
            break;
        }
        lists += 1;
    }
    assert!((20..40).contains(&lists), "{lists} lists");
    // Who resumes many games is not let in more often than that.
    let resume: serde_json::Map<_, _> =
        (0..400).map(|game| (format!("g{game:07}"), json!({"seq": 1}))).collect();
    let hello = json!({"type": "hello", "proto": [1], "resume": resume});
    let mut ann = Peer::connect_from(ANN, server.address()).await;
    assert_eq!(ann.request(hello.clone()).await["type"], "welcome");
    let mut again = Peer::connect_from(ANN, server.address()).await;
    assert_too_soon(&[again.request(hello).await], "address_messages");
}

#[tokio::test]
async fn an_older_account_and_its_bots_share_a_larger_rate_and_no_connection_has_a_narrower_one() {
    let server = Server::with(|setup| {
        setup.set("limits", "account_trusted_after", "0s");
        for (limit, burst) in [("messages", 5), ("user_messages", 5), ("account_messages", 60)] {
            setup.set("limits", &format!("{limit}_burst"), burst);
            setup.set("limits", &format!("{limit}_per_s"), SLOWLY);
        }
    })
    .await;
    let account = signup_from(ANN, &server, "ann").await;
    let mut ann = Peer::with_token(&server, account["token"].as_str().unwrap()).await;
    assert_eq!(ann.welcome["limits"]["burst"], 60);
    ann.ask(json!({"type": "bot_create", "name": "annbot"})).await;
    let made = ann.ask(json!({"type": "token_create", "user": "annbot", "label": "x"})).await;
    let mut bot = Peer::with_token(&server, made["token"].as_str().unwrap()).await;
    let (by_ann, _) = pings(&mut ann, 20).await;
    assert_eq!(by_ann, 20);
    let (by_bot, refused) = pings(&mut bot, 60).await;
    assert!((30..60).contains(&by_bot), "{by_bot} of 60 were answered");
    assert_too_soon(&refused, "user_messages");
    let mut gus = Peer::guest(&server, "gus").await;
    assert_eq!(gus.welcome["limits"]["burst"], 5);
    assert!(pings(&mut gus, 20).await.0 < 10, "a guest has the share of anybody");
}

#[tokio::test]
async fn an_address_opens_a_bounded_number_of_websockets_a_minute() {
    let server = server_with(&[("upgrades_per_min", 3)]).await;
    for _ in 0..3 {
        Peer::connect_from(EVE, server.address()).await;
    }
    for _ in 0..3 {
        let refusal = refused_upgrade(EVE, &server, "").await;
        assert_eq!(refusal["limit"], "upgrades_per_min");
        assert_eq!(refusal["message"], "at most 3 new WebSockets a minute from one address");
        let wait_ms = refusal["retry_after_ms"].as_u64().unwrap();
        assert!((1..=20_000).contains(&wait_ms), "{refusal}");
    }
    Peer::connect_from(ANN, server.address()).await;
}

/// Has something stored for a user until there is nothing left of what its network, or its account,
/// may have stored.
async fn spend(peer: &mut Peer, other: &str, limit: &str) {
    for _ in 0..100 {
        let name = peer.name().to_owned();
        let challenge = json!({"type": "challenge", "rules": "adamas", "seats": [name, other]});
        let reply = peer.request(challenge).await;
        if reply["type"] == "error" {
            assert_limited(&reply, limit);
            return;
        }
        peer.ask(json!({"type": "cancel", "challenge": reply["challenge"]})).await;
    }
    panic!("it is never spent");
}

#[tokio::test]
async fn when_a_network_has_stored_its_share_nothing_new_begins_and_games_go_on() {
    const LIMIT: &str = "stored_kib_per_day";
    let server = server_with(&[("stored_kib_per_day", 40)]).await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let first = game::begin(&mut [&mut ann, &mut bob], json!({})).await;
    let second = game::begin(&mut [&mut ann, &mut bob], json!({})).await;
    game::play(&mut [&mut ann, &mut bob], &first, 2).await;
    let offer = json!({"type": "offer", "game": first, "what": "draw"});
    let offered = ann.ask(offer).await["offer"].clone();
    let waiting = json!({"type": "challenge", "rules": "adamas", "seats": ["ann", "bob"]});
    let waiting = ann.ask(waiting).await["challenge"].clone();

    spend(&mut ann, "bob", LIMIT).await;
    for request in [
        json!({"type": "seek", "rules": "adamas"}),
        json!({"type": "challenge", "rules": "adamas", "seats": ["bob", "house"]}),
        json!({"type": "accept", "challenge": waiting}),
        json!({"type": "offer", "game": second, "what": "draw"}),
        json!({"type": "say", "game": second, "room": "players", "text": "hello"}),
    ] {
        assert_limited(&bob.refused(request, "rate_limited").await, LIMIT);
    }
    assert_limited(&signup_from(HERE, &server, "cy").await, LIMIT);
    assert_limited(&hello_from(HERE, &server, json!({"guest": "gus"})).await, LIMIT);
    let signup = json!({"type": "signup", "user": "ann", "password": PASSWORD});
    assert_limited(&ann.refused(signup, "rate_limited").await, LIMIT);

    // What belongs to a game that goes on is not refused, however much has been stored.
    bob.ask(json!({"type": "answer", "game": first, "offer": offered, "accept": false})).await;
    game::play(&mut [&mut ann, &mut bob], &first, 40).await;
    ann.ask(json!({"type": "resign", "game": second})).await;
    bob.next_event(&second, "ended").await;
    // Who was here comes in again, and others are not concerned.
    let token = ann.token.clone().unwrap();
    assert_eq!(hello_from(HERE, &server, json!({"token": token})).await["type"], "welcome");
    let mut cy = Peer::connect_from(ANN, server.address()).await;
    cy.hello_guest("cy").await;
    cy.ask(json!({"type": "seek", "rules": "adamas"})).await;
}

#[tokio::test]
async fn what_the_house_stores_counts_for_its_opponent() {
    // Enough for some ten records of moves, beside the guest, the challenge and the game.
    let server = server_with(&[("stored_kib_per_day", 8)]).await;
    let mut ann = Peer::guest(&server, "ann").await;
    ann.ask(json!({"type": "challenge", "rules": "adamas", "seats": ["ann", "house-easy"]})).await;
    let game = ann.next_of("your_turn").await["game"].as_str().unwrap().to_owned();
    let mut moves = 0;
    loop {
        let seek = ann.request(json!({"type": "seek", "rules": "adamas", "players": 3})).await;
        if seek["type"] == "error" {
            assert_limited(&seek, "stored_kib_per_day");
            break;
        }
        ann.ask(json!({"type": "unseek", "seek": seek["seek"]})).await;
        let play = game::choose(ann.table(&game));
        game::make(&mut ann, &game, &play).await;
        moves += 1;
        assert!(moves < 7, "the moves of the house are not counted");
        ann.next_of("your_turn").await;
    }
    assert!(moves > 1, "only {moves} moves");
}

#[tokio::test]
async fn an_older_account_pays_for_itself_and_its_bots() {
    let server = Server::with(|setup| {
        setup.set("limits", "account_trusted_after", "0s");
        setup.set("limits", "stored_kib_per_day", 16);
        setup.set("limits", "account_stored_kib_per_day", 16);
    })
    .await;
    let account = signup_from(ANN, &server, "ann").await;
    let mut ann = Peer::with_token(&server, account["token"].as_str().unwrap()).await;
    ann.ask(json!({"type": "bot_create", "name": "annbot"})).await;
    let made = ann.ask(json!({"type": "token_create", "user": "annbot", "label": "x"})).await;
    let mut bot = Peer::with_token(&server, made["token"].as_str().unwrap()).await;
    let mut gus = Peer::guest(&server, "gus").await;
    spend(&mut gus, "ann", "stored_kib_per_day").await;
    ann.ask(json!({"type": "seek", "rules": "adamas"})).await;
    spend(&mut ann, "gus", "account_stored_kib_per_day").await;
    let seek = json!({"type": "seek", "rules": "hexma"});
    assert_limited(&bot.refused(seek, "rate_limited").await, "account_stored_kib_per_day");
}

#[tokio::test]
async fn guests_of_a_network_play_a_bounded_number_of_games() {
    let server = server_with(&[("games_per_network", 2)]).await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let mut games = Vec::new();
    for _ in 0..2 {
        games.push(game::begin(&mut [&mut ann, &mut bob], json!({})).await);
    }
    let challenge = json!({"type": "challenge", "rules": "adamas", "seats": ["ann", "bob"]});
    let waiting = ann.ask(challenge).await["challenge"].clone();
    let accept = json!({"type": "accept", "challenge": waiting});
    let refusal = bob.refused(accept.clone(), "rate_limited").await;
    assert_eq!(refusal["limit"], "games_per_network", "{refusal}");
    ann.ask(json!({"type": "resign", "game": games[0]})).await;
    bob.next_event(&games[0], "ended").await;
    bob.ask(accept).await;
    let mut others = Vec::new();
    for name in ["cy", "dee"] {
        let mut peer = Peer::connect_from(ANN, server.address()).await;
        peer.hello_guest(name).await;
        others.push(peer);
    }
    let [cy, dee] = others.as_mut_slice() else { panic!("there are two") };
    game::begin(&mut [cy, dee], json!({})).await;
}

/// A connection from an address that says nothing yet.
async fn silent(here: [u8; 4], server: &Server) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((Ipv4Addr::from(here), 0).into()).unwrap();
    timeout(PATIENCE, socket.connect(server.address())).await.expect("in time").expect("accepted")
}

/// Whether the server ends a connection without a word.
async fn is_dropped(stream: &mut TcpStream) -> bool {
    let read = timeout(PATIENCE, stream.read(&mut [0; 16])).await.expect("an end or an answer");
    matches!(read, Ok(0) | Err(_))
}

/// The status line of a plain request, with its body.
async fn ask(mut stream: TcpStream, path: &str, headers: &str) -> String {
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n{headers}\r\n");
    let mut answer = String::new();
    let exchange = async {
        stream.write_all(request.as_bytes()).await?;
        stream.read_to_string(&mut answer).await
    };
    timeout(PATIENCE, exchange).await.expect("in time").expect("an answer");
    answer
}

#[tokio::test]
async fn one_address_does_not_hold_all_handshakes() {
    const SHARE: usize = 4;
    let server = server_with(&[("handshakes_per_address", 4)]).await;
    let mut held = Vec::new();
    for _ in 0..SHARE {
        held.push(silent(EVE, &server).await);
    }
    for _ in 0..SHARE {
        assert!(is_dropped(&mut silent(EVE, &server).await).await);
    }
    let answer = ask(silent(ANN, &server).await, "/healthz", "").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    // Those that are held are served all the same, and leave room.
    let answer = ask(held.pop().unwrap(), "/healthz", "").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let mut retried = 0;
    loop {
        let mut stream = silent(EVE, &server).await;
        // The place is given back by the other connection's task, a moment after its goodbye.
        let request = b"GET /healthz HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n";
        let written = stream.write_all(request).await;
        if written.is_ok() && !is_dropped(&mut stream).await {
            break;
        }
        retried += 1;
        assert!(retried < 1_000, "the place is never given back");
    }
}

/// Upgrades a connection with a forwarding header, if it may.
async fn upgrade(here: [u8; 4], server: &Server, header: (&'static str, &str)) -> Peer {
    let stream = Box::new(silent(here, server).await);
    let url = format!("ws://{}/v1/ws", server.address());
    Peer::over_with(stream, &url, &[header]).await
}

const HANDSHAKE: &str = "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

/// The answer to an upgrade that is refused.
async fn refused_upgrade(here: [u8; 4], server: &Server, header: &str) -> Value {
    let answer = ask(silent(here, server).await, "/v1/ws", &format!("{HANDSHAKE}{header}")).await;
    assert!(answer.starts_with("HTTP/1.1 429"), "{answer}");
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    serde_json::from_str(body).unwrap()
}

#[tokio::test]
async fn what_a_stranger_says_about_where_it_comes_from_changes_nothing() {
    let server = Server::with(|setup| {
        setup.set("network", "trusted_proxies", vec!["10.0.0.0/8".to_owned(), "::1".to_owned()]);
        setup.set("limits", "connections_per_address", 2);
        setup.set("limits", "guests_per_hour", 1);
    })
    .await;
    let mut one = upgrade(EVE, &server, ("X-Forwarded-For", "1.1.1.1")).await;
    let mut other = upgrade(EVE, &server, ("Forwarded", "for=2.2.2.2")).await;
    for header in ["X-Forwarded-For: 3.3.3.3", "Forwarded: for=4.4.4.4", "X-Real-IP: 5.5.5.5"] {
        let refusal = refused_upgrade(EVE, &server, &format!("{header}\r\n")).await;
        assert_eq!(refusal["code"], "rate_limited");
        assert_eq!(refusal["limit"], "connections_per_address");
        assert!(refusal["retry_after_ms"].as_u64().unwrap() > 0, "{refusal}");
    }
    one.hello_guest("ann").await;
    let hello = json!({"type": "hello", "proto": [1], "auth": {"guest": "bob"}});
    assert_limited(&other.refused(hello, "rate_limited").await, "guests_per_hour");
}

#[tokio::test]
async fn behind_a_trusted_proxy_each_client_is_counted_for_itself() {
    let server = Server::with(|setup| {
        setup.set("network", "trusted_proxies", vec!["127.0.0.2".to_owned()]);
        setup.set("limits", "connections_per_address", 1);
        setup.set("limits", "handshakes_per_address", 2);
    })
    .await;
    // The proxy shakes hands for many at once.
    let _slow =
        [silent(EVE, &server).await, silent(EVE, &server).await, silent(EVE, &server).await];
    let forwarded = "X-Forwarded-For";
    let _one = upgrade(EVE, &server, (forwarded, "1.1.1.1")).await;
    let _two = upgrade(EVE, &server, (forwarded, "2.2.2.2")).await;
    let _six = upgrade(EVE, &server, ("Forwarded", "for=\"[2001:db8::1]:4711\"")).await;
    // What the client itself has put in front of the proxy's word does not count, and one customer
    // of IPv6 is one address.
    for header in [
        "X-Forwarded-For: 9.9.9.9, 1.1.1.1",
        "X-Forwarded-For: 9.9.9.9\r\nX-Forwarded-For: 2.2.2.2",
        "Forwarded: for=9.9.9.9, for=\"[2001:db8::ffff]\"",
    ] {
        let refusal = refused_upgrade(EVE, &server, &format!("{header}\r\n")).await;
        assert_eq!(refusal["limit"], "connections_per_address", "{header}");
    }
    // Who comes directly is counted directly.
    let _direct = upgrade(ANN, &server, (forwarded, "3.3.3.3")).await;
    let refusal = refused_upgrade(ANN, &server, "X-Forwarded-For: 4.4.4.4\r\n").await;
    assert_eq!(refusal["limit"], "connections_per_address");
}
