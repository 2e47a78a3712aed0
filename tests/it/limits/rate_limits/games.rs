//! Seeks, games, and what a network or an account stores.

use serde_json::json;

use super::clients::{ANN, HERE, assert_limited, hello_reply, server_with, signup_reply};
use crate::harness::{PASSWORD, Peer, Server, game};

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
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
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
    ann.ask(json!({"type": "resign", "game": second})).await;
    bob.next_event(&second, "ended").await;
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
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    use_up(&mut ann, "bob", LIMIT).await;
    let play = json!({"type": "move", "game": game, "turn": 0, "move": "c1-c2"});
    assert_limited(&ann.refused(play, "rate_limited").await, LIMIT);
    ann.ask(json!({"type": "resign", "game": game})).await;
    bob.next_event(&game, "ended").await;
    let (mut cy, mut dee) =
        (guest_elsewhere(&server, "cy").await, guest_elsewhere(&server, "dee").await);
    let elsewhere = game::start(&mut [&mut cy, &mut dee], json!({})).await;
    game::play_moves(&mut [&mut cy, &mut dee], &elsewhere, 2).await;
}

#[tokio::test]
async fn moves_of_a_server_bot_count_for_its_opponent() {
    // Enough for about ten moves, besides the guest, the challenge and the game.
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
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
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
