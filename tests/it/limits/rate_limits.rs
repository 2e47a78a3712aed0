//! Rates by user, by address, and by name at an address.
//!
//! Every rejection names its limit and, if waiting helps, the wait. Other users are not affected.

use std::net::Ipv4Addr;

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
    time::timeout,
};

use crate::harness::{Frame, PASSWORD, PATIENCE, Peer, Server, game};

/// A refill of one request per second, which adds nothing to a burst during a test.
const SLOWLY: i64 = 1;

/// Sends pings; returns how many were answered, and the errors of the others.
async fn pings(peer: &mut Peer, count: usize) -> (usize, Vec<Frame>) {
    let (mut answered, mut refused) = (0, Vec::new());
    for _ in 0..count {
        let reply = peer.request(json!({"type": "ping"})).await;
        if reply["type"] == "pong" { answered += 1 } else { refused.push(reply) }
    }
    (answered, refused)
}

/// Sends pings without waiting for replies; returns how many were answered.
async fn pings_at_once(peer: &mut Peer, count: usize) -> usize {
    for number in 0..count {
        peer.send(&json!({"type": "ping", "id": format!("at-once-{number}")})).await;
    }
    let mut answered = 0;
    for number in 0..count {
        let id = json!(format!("at-once-{number}"));
        let reply = peer.next_matching("a reply", |frame| frame.get("re") == Some(&id)).await;
        answered += usize::from(reply["type"] == "pong");
    }
    answered
}

/// Checks that rejections name this limit and a wait.
fn assert_too_soon(refused: &[Frame], limit: &str) {
    for refusal in refused {
        assert_eq!((&refusal["code"], &refusal["limit"]), (&json!("rate_limited"), &json!(limit)));
        assert_eq!(refusal["retry"], "after");
        assert!(refusal["retry_after_ms"].as_u64().unwrap() > 0, "{refusal}");
    }
}

#[tokio::test]
async fn requests_of_a_user_are_limited_over_all_connections() {
    let limits = [("user_messages_burst", 30), ("user_messages_per_s", SLOWLY)];
    let server = server_with(&limits).await;
    let mut ann = Peer::guest(&server, "ann").await;
    let token = ann.token.clone().unwrap();
    let mut answered = 0;
    for connection in 0..4 {
        let (done, refused) = if connection == 0 {
            pings(&mut ann, 20).await
        } else {
            // A new connection from another address adds nothing.
            let mut again = Peer::connect_from([127, 0, 1, connection], server.address()).await;
            again.hello(json!({"auth": {"token": token}})).await;
            pings(&mut again, 20).await
        };
        answered += done;
        assert_too_soon(&refused, "user_messages");
    }
    assert!((30..60).contains(&answered), "{answered} of 80 were answered");
    let mut bob = Peer::guest(&server, "bob").await;
    assert_eq!(pings(&mut bob, 20).await.0, 20, "other users are not affected");
}

#[tokio::test]
async fn requests_of_an_address_are_limited_over_all_users() {
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
    assert_eq!(pings(&mut ann, 20).await.0, 20, "other users are not affected");
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
    // A resume of many games costs as much.
    let resume: serde_json::Map<_, _> = (0..512)
        .map(|game| (format!("g{game:07}"), json!({"seq": 1, "chain": "ab".repeat(32)})))
        .collect();
    let hello = json!({"type": "hello", "proto": [1], "resume": resume});
    let mut ann = Peer::connect_from(ANN, server.address()).await;
    assert_eq!(ann.request(hello.clone()).await["type"], "welcome");
    let mut again = Peer::connect_from(ANN, server.address()).await;
    assert_too_soon(&[again.request(hello).await], "address_messages");
}

#[tokio::test]
async fn an_older_account_and_its_bots_share_a_higher_rate() {
    let server = Server::with(|setup| {
        setup.set("limits", "account_trusted_after", "0s");
        for (limit, burst) in [("messages", 5), ("user_messages", 5), ("account_messages", 60)] {
            setup.set("limits", &format!("{limit}_burst"), burst);
            setup.set("limits", &format!("{limit}_per_s"), SLOWLY);
        }
    })
    .await;
    let account = signup_reply(ANN, &server, "ann").await;
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
    assert!(pings_at_once(&mut gus, 20).await < 10, "a guest has the default rate");
}

const HANDSHAKE: &str = "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

/// Opens a connection from an address and sends nothing.
async fn silent(here: [u8; 4], server: &Server) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((Ipv4Addr::from(here), 0).into()).unwrap();
    timeout(PATIENCE, socket.connect(server.address())).await.expect("in time").expect("accepted")
}

/// Whether the server closes a connection without an answer.
async fn is_dropped(stream: &mut TcpStream) -> bool {
    let read = timeout(PATIENCE, stream.read(&mut [0; 16])).await.expect("an end or an answer");
    matches!(read, Ok(0) | Err(_))
}

/// Sends a plain request and returns the whole response.
async fn response_to(mut stream: TcpStream, path: &str, headers: &str) -> String {
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

/// Opens a WebSocket with a forwarding header.
async fn upgrade(here: [u8; 4], server: &Server, header: (&'static str, &str)) -> Peer {
    let stream = Box::new(silent(here, server).await);
    let url = format!("ws://{}/v1/ws", server.address());
    Peer::over_with(stream, &url, &[header]).await
}

/// Returns the body of a rejected upgrade.
async fn refused_upgrade(here: [u8; 4], server: &Server, header: &str) -> Value {
    let answer =
        response_to(silent(here, server).await, "/v1/ws", &format!("{HANDSHAKE}{header}")).await;
    assert!(answer.starts_with("HTTP/1.1 429"), "{answer}");
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    serde_json::from_str(body).unwrap()
}

#[tokio::test]
async fn new_websockets_of_an_address_are_limited() {
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

#[tokio::test]
async fn handshakes_of_an_address_are_limited() {
    const SHARE: usize = 4;
    let server = server_with(&[("handshakes_per_address", 4)]).await;
    let mut held = Vec::new();
    for _ in 0..SHARE {
        held.push(silent(EVE, &server).await);
    }
    for _ in 0..SHARE {
        assert!(is_dropped(&mut silent(EVE, &server).await).await);
    }
    let answer = response_to(silent(ANN, &server).await, "/healthz", "").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    // Held connections are still served, and then make room.
    let answer = response_to(held.pop().unwrap(), "/healthz", "").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let mut retried = 0;
    loop {
        let mut stream = silent(EVE, &server).await;
        // The other connection's task frees the slot shortly after the response.
        let request = b"GET /healthz HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n";
        let written = stream.write_all(request).await;
        if written.is_ok() && !is_dropped(&mut stream).await {
            break;
        }
        retried += 1;
        assert!(retried < 1_000, "the slot is never freed");
    }
}

#[tokio::test]
async fn forwarding_headers_of_an_untrusted_client_are_ignored() {
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
async fn clients_behind_a_trusted_proxy_are_counted_separately() {
    let server = Server::with(|setup| {
        setup.set("network", "trusted_proxies", vec!["127.0.0.2".to_owned()]);
        setup.set("limits", "connections_per_address", 1);
        setup.set("limits", "handshakes_per_address", 2);
    })
    .await;
    // A proxy may have many handshakes at once.
    let _slow =
        [silent(EVE, &server).await, silent(EVE, &server).await, silent(EVE, &server).await];
    let forwarded = "X-Forwarded-For";
    let _one = upgrade(EVE, &server, (forwarded, "1.1.1.1")).await;
    let _two = upgrade(EVE, &server, (forwarded, "2.2.2.2")).await;
    let _six = upgrade(EVE, &server, ("Forwarded", "for=\"[2001:db8::1]:4711\"")).await;
    // Header values that the client itself put before the proxy's do not count, and an IPv6 /64 is
    // one address.
    for header in [
        "X-Forwarded-For: 9.9.9.9, 1.1.1.1",
        "X-Forwarded-For: 9.9.9.9\r\nX-Forwarded-For: 2.2.2.2",
        "Forwarded: for=9.9.9.9, for=\"[2001:db8::ffff]\"",
    ] {
        let refusal = refused_upgrade(EVE, &server, &format!("{header}\r\n")).await;
        assert_eq!(refusal["limit"], "connections_per_address", "{header}");
    }
    // A direct client counts by its own address.
    let _direct = upgrade(ANN, &server, (forwarded, "3.3.3.3")).await;
    let refusal = refused_upgrade(ANN, &server, "X-Forwarded-For: 4.4.4.4\r\n").await;
    assert_eq!(refusal["limit"], "connections_per_address");
}

#[tokio::test]
async fn failed_logins_do_not_lock_the_account() {
    let server = server_with(&[("failed_log_ins_per_min", 3)]).await;
    let account = signup_reply(ANN, &server, "ann").await;
    signup_reply(ANN, &server, "bob").await;
    for _ in 0..3 {
        let refusal = hello_reply(EVE, &server, log_in("ann", "wrong password")).await;
        assert_eq!(refusal["code"], "unauthorized");
    }
    // Not even with the right password now: it could be the fourth guess.
    for password in ["wrong password", PASSWORD] {
        let refusal = hello_reply(EVE, &server, log_in("ANN", password)).await;
        assert_limited(&refusal, "failed_log_ins_per_min");
        assert!(refusal["retry_after_ms"].as_u64().unwrap() <= 20_000, "{refusal}");
    }
    // Another address, another user and a token are not limited.
    for _ in 0..5 {
        let welcome = hello_reply(ANN, &server, log_in("ann", PASSWORD)).await;
        assert_eq!(welcome["type"], "welcome", "{welcome}");
    }
    let welcome = hello_reply(EVE, &server, log_in("bob", PASSWORD)).await;
    assert_eq!(welcome["type"], "welcome", "{welcome}");
    let welcome = hello_reply(EVE, &server, json!({"token": account["token"]})).await;
    assert_eq!(welcome["type"], "welcome", "{welcome}");
    // An unknown user gets the same replies.
    for _ in 0..3 {
        let refusal = hello_reply(EVE, &server, log_in("stranger", "wrong password")).await;
        assert_eq!(refusal["code"], "unauthorized");
    }
    let refusal = hello_reply(EVE, &server, log_in("stranger", "wrong password")).await;
    assert_limited(&refusal, "failed_log_ins_per_min");
}

#[tokio::test]
async fn password_changes_share_the_limit_of_failed_logins() {
    let server = server_with(&[("failed_log_ins_per_min", 2)]).await;
    let mut ann = Peer::anonymous(&server).await;
    ann.ask(json!({"type": "signup", "user": "ann", "password": PASSWORD})).await;
    let guess =
        json!({"type": "password_change", "old": "wrong password", "new": "battery staple"});
    for _ in 0..2 {
        ann.refused(guess.clone(), "unauthorized").await;
    }
    assert_limited(&ann.refused(guess, "rate_limited").await, "failed_log_ins_per_min");
}

#[tokio::test]
async fn a_rate_limited_hello_can_be_repeated() {
    let server = server_with(&[("guests_per_hour", 1)]).await;
    let token = hello_reply(EVE, &server, json!({"guest": "gus"})).await["token"].clone();
    let mut peer = Peer::connect_from(EVE, server.address()).await;
    let hello = |auth| json!({"type": "hello", "proto": [1], "auth": auth});
    let refusal = peer.refused(hello(json!({"guest": "hal"})), "rate_limited").await;
    assert_limited(&refusal, "guests_per_hour");
    // The connection stays usable for a known user.
    assert_eq!(peer.request(hello(json!({"token": token}))).await["type"], "welcome");
}

#[tokio::test]
async fn a_client_that_is_told_to_wait_may_wait() {
    let server = server_with(&[("guests_per_hour", 1)]).await;
    let token = hello_reply(EVE, &server, json!({"guest": "gus"})).await["token"].clone();
    let mut peer = Peer::connect_from(EVE, server.address()).await;
    let hello = |auth| json!({"type": "hello", "proto": [1], "auth": auth});
    let refusal = peer.refused(hello(json!({"guest": "hal"})), "rate_limited").await;
    assert!(refusal["retry_after_ms"].as_u64().unwrap() > 60_000, "{refusal}");
    // The server waits for 5 seconds for the first `hello` of a connection.
    let mut silent = Peer::connect_from(ANN, server.address()).await;
    assert_eq!(silent.expect_close().await, 4001);
    assert_eq!(peer.request(hello(json!({"token": token}))).await["type"], "welcome");
}

#[tokio::test]
async fn password_checks_of_an_address_are_limited() {
    let server = server_with(&[("log_ins_per_min", 3)]).await;
    // The password of a new account counts, too.
    signup_reply(EVE, &server, "eve").await;
    for name in ["ann", "bob"] {
        let refusal = hello_reply(EVE, &server, log_in(name, "wrong password")).await;
        assert_eq!(refusal["code"], "unauthorized");
    }
    let refusal = hello_reply(EVE, &server, log_in("eve", PASSWORD)).await;
    assert_limited(&refusal, "log_ins_per_min");
    assert_limited(&signup_reply(EVE, &server, "cy").await, "log_ins_per_min");
    let welcome = hello_reply(ANN, &server, log_in("eve", PASSWORD)).await;
    assert_eq!(welcome["type"], "welcome", "{welcome}");
}

#[tokio::test]
async fn new_accounts_and_guests_of_an_address_are_limited() {
    let server = server_with(&[("sign_ups_per_hour", 2), ("guests_per_hour", 2)]).await;
    for name in ["ann", "bob"] {
        assert_eq!(signup_reply(EVE, &server, name).await["type"], "ok");
    }
    // A rejected name does not count.
    assert_eq!(signup_reply(EVE, &server, "ann").await["code"], "name_taken");
    assert_limited(&signup_reply(EVE, &server, "cy").await, "sign_ups_per_hour");
    assert_eq!(signup_reply(ANN, &server, "cy").await["type"], "ok");

    for name in ["gus", "hal"] {
        assert_eq!(hello_reply(EVE, &server, json!({"guest": name})).await["type"], "welcome");
    }
    assert_eq!(hello_reply(EVE, &server, json!({"guest": "gus"})).await["code"], "name_taken");
    assert_limited(&hello_reply(EVE, &server, json!({"guest": "ida"})).await, "guests_per_hour");
    assert_eq!(hello_reply(ANN, &server, json!({"guest": "ida"})).await["type"], "welcome");
}

/// Stores challenges of a user until the limit of its network or account is reached.
async fn use_up(peer: &mut Peer, other: &str, limit: &str) {
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
    panic!("the limit is never reached");
}

/// A guest of another network.
async fn guest_elsewhere(server: &Server, name: &str) -> Peer {
    let mut peer = Peer::connect_from(ANN, server.address()).await;
    peer.hello_guest(name).await;
    peer
}

#[tokio::test]
async fn seeks_and_games_of_a_user_are_limited_over_all_sessions() {
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
async fn a_network_over_its_storage_limit_starts_nothing_new_and_plays_on() {
    const LIMIT: &str = "stored_kib_per_day";
    let server = server_with(&[("stored_kib_per_day", 40)]).await;
    let [mut ann, mut bob] = Peer::guests(&server, ["ann", "bob"]).await;
    let first = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    let second = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &first, 2).await;
    let offer = json!({"type": "offer", "game": first, "what": "draw"});
    let offered = ann.ask(offer).await["offer"].clone();
    let waiting = json!({"type": "challenge", "rules": "adamas", "seats": ["ann", "bob"]});
    let waiting = ann.ask(waiting).await["challenge"].clone();

    use_up(&mut ann, "bob", LIMIT).await;
    for request in [
        json!({"type": "seek", "rules": "adamas"}),
        json!({"type": "challenge", "rules": "adamas", "seats": ["bob", "house"]}),
        json!({"type": "accept", "challenge": waiting}),
        json!({"type": "offer", "game": second, "what": "draw"}),
        json!({"type": "say", "game": second, "room": "players", "text": "hello"}),
    ] {
        assert_limited(&bob.refused(request, "rate_limited").await, LIMIT);
    }
    assert_limited(&signup_reply(HERE, &server, "cy").await, LIMIT);
    assert_limited(&hello_reply(HERE, &server, json!({"guest": "gus"})).await, LIMIT);
    let signup = json!({"type": "signup", "user": "ann", "password": PASSWORD});
    assert_limited(&ann.refused(signup, "rate_limited").await, LIMIT);

    // Requests in a live game are accepted beyond the limit.
    bob.ask(json!({"type": "answer", "game": first, "offer": offered, "accept": false})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &first, 40).await;
    game::resign(&mut ann, &mut bob, &second).await;
    // Known users can reconnect, and other networks are not affected.
    let token = ann.token.clone().unwrap();
    assert_eq!(hello_reply(HERE, &server, json!({"token": token})).await["type"], "welcome");
    let mut cy = guest_elsewhere(&server, "cy").await;
    cy.ask(json!({"type": "seek", "rules": "adamas"})).await;
}

#[tokio::test]
async fn a_network_that_has_stored_too_much_can_only_end_its_games() {
    const LIMIT: &str = "network_stored_kib_per_day";
    let server = server_with(&[(LIMIT, 40)]).await;
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    use_up(&mut ann, "bob", LIMIT).await;
    let play = json!({"type": "move", "game": game, "turn": 0, "move": "c1-c2"});
    assert_limited(&ann.refused(play, "rate_limited").await, LIMIT);
    game::resign(&mut ann, &mut bob, &game).await;
    let (mut cy, mut dee) =
        (guest_elsewhere(&server, "cy").await, guest_elsewhere(&server, "dee").await);
    game::start_and_play(&mut [&mut cy, &mut dee], 2).await;
}

#[tokio::test]
async fn moves_of_a_server_bot_count_for_its_opponent() {
    // Enough for about ten moves, besides the guest, the challenge and the game.
    let server = server_with(&[("stored_kib_per_day", 8)]).await;
    let mut ann = Peer::guest(&server, "ann").await;
    // No game ends within these moves on a board this large.
    ann.ask(json!({
        "type": "challenge",
        "rules": "adamas",
        "options": "-size=8",
        "seats": ["ann", "house-easy"],
    }))
    .await;
    let game = ann.next_of("your_turn").await["game"].as_str().unwrap().to_owned();
    let mut moves = 0;
    loop {
        let seek = ann.request(json!({"type": "seek", "rules": "adamas", "players": 3})).await;
        if seek["type"] == "error" {
            assert_limited(&seek, "stored_kib_per_day");
            break;
        }
        ann.ask(json!({"type": "unseek", "seek": seek["seek"]})).await;
        let play = game::choose_move(ann.table(&game));
        game::make_move(&mut ann, &game, &play).await;
        moves += 1;
        assert!(moves < 7, "the moves of the house are not counted");
        ann.next_of("your_turn").await;
    }
    assert!(moves > 1, "only {moves} moves");
}

#[tokio::test]
async fn an_older_account_has_its_own_storage_limit() {
    let server = Server::with(|setup| {
        setup.set("limits", "account_trusted_after", "0s");
        setup.set("limits", "stored_kib_per_day", 16);
        setup.set("limits", "account_stored_kib_per_day", 16);
    })
    .await;
    let account = signup_reply(ANN, &server, "ann").await;
    let mut ann = Peer::with_token(&server, account["token"].as_str().unwrap()).await;
    ann.ask(json!({"type": "bot_create", "name": "annbot"})).await;
    let made = ann.ask(json!({"type": "token_create", "user": "annbot", "label": "x"})).await;
    let mut bot = Peer::with_token(&server, made["token"].as_str().unwrap()).await;
    let mut gus = Peer::guest(&server, "gus").await;
    use_up(&mut gus, "ann", "stored_kib_per_day").await;
    ann.ask(json!({"type": "seek", "rules": "adamas"})).await;
    use_up(&mut ann, "gus", "account_stored_kib_per_day").await;
    let seek = json!({"type": "seek", "rules": "hexma"});
    assert_limited(&bot.refused(seek, "rate_limited").await, "account_stored_kib_per_day");
}

#[tokio::test]
async fn live_games_of_guests_are_limited_by_network() {
    let server = server_with(&[("games_per_network", 2)]).await;
    let [mut ann, mut bob] = Peer::guests(&server, ["ann", "bob"]).await;
    let mut games = Vec::new();
    for _ in 0..2 {
        games.push(game::start(&mut [&mut ann, &mut bob], json!({})).await);
    }
    let challenge = json!({"type": "challenge", "rules": "adamas", "seats": ["ann", "bob"]});
    let waiting = ann.ask(challenge).await["challenge"].clone();
    let accept = json!({"type": "accept", "challenge": waiting});
    let refusal = bob.refused(accept.clone(), "rate_limited").await;
    assert_eq!(refusal["limit"], "games_per_network", "{refusal}");
    ann.ask(json!({"type": "resign", "game": games[0]})).await;
    bob.next_event(&games[0], "ended").await;
    bob.ask(accept).await;
    let (mut cy, mut dee) =
        (guest_elsewhere(&server, "cy").await, guest_elsewhere(&server, "dee").await);
    game::start(&mut [&mut cy, &mut dee], json!({})).await;
}

/// Loopback addresses that stand for different networks.
const HERE: [u8; 4] = [127, 0, 0, 1];
const EVE: [u8; 4] = [127, 0, 0, 2];
const ANN: [u8; 4] = [127, 0, 0, 3];

/// Starts a server with these limits.
async fn server_with(limits: &[(&'static str, i64)]) -> Server {
    Server::with(|setup| {
        for (name, count) in limits {
            setup.set("limits", name, *count);
        }
    })
    .await
}

/// Checks that a rejection names this limit and a wait.
fn assert_limited(refusal: &Frame, limit: &str) {
    assert_eq!(refusal["code"], "rate_limited", "{refusal}");
    assert_eq!((&refusal["limit"], &refusal["retry"]), (&json!(limit), &json!("after")));
    assert!(refusal["retry_after_ms"].as_u64().unwrap() > 0, "{refusal}");
    assert!(refusal["message"].as_str().unwrap().starts_with("at most "), "{refusal}");
}

/// Sends `hello` from an address and returns the reply.
async fn hello_reply(here: [u8; 4], server: &Server, auth: Value) -> Frame {
    let mut peer = Peer::connect_from(here, server.address()).await;
    peer.request(json!({"type": "hello", "proto": [1], "auth": auth})).await
}

/// Sends `signup` from an address and returns the reply.
async fn signup_reply(here: [u8; 4], server: &Server, name: &str) -> Frame {
    let mut peer = Peer::connect_from(here, server.address()).await;
    peer.hello(json!({})).await;
    peer.request(json!({"type": "signup", "user": name, "password": PASSWORD})).await
}

/// The credentials of a log-in by password.
fn log_in(name: &str, password: &str) -> Value {
    json!({"user": name, "password": password})
}

#[tokio::test]
async fn no_limits_switches_every_limit_off() {
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
        let refusal = hello_reply(HERE, &server, log_in("dee", "wrong password")).await;
        assert_eq!(refusal["code"], "unauthorized");
    }
    for name in ["dee", "eve"] {
        assert_eq!(signup_reply(HERE, &server, name).await["type"], "ok");
    }
}
