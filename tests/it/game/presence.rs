//! Presence of players, and claims against players who stay away.

use serde_json::{Value, json};

use crate::harness::{Frame, Peer, Server, game};

fn claim(game: &str) -> Value {
    json!({"type": "claim", "game": game, "what": "abandoned"})
}

/// Returns the next `presence` frame with this state of a seat.
async fn next_presence(peer: &mut Peer, game: &str, seat: usize, online: bool) -> Value {
    let frame = peer
        .next_matching("presence", |frame| {
            frame["type"] == "presence"
                && frame["game"] == game
                && frame["seats"][seat]["online"] == online
        })
        .await;
    frame["seats"][seat].clone()
}

/// A wait for a claim that is over soon, and one that a slow test does not miss.
const SHORT_MS: u64 = 300;
const LONGER_MS: u64 = 1_500;

/// Starts a server on which a claim is possible after this wait. It shows a player away after the
/// same time at the latest.
async fn server_with_claims_after(wait_ms: u64) -> Server {
    Server::with(|setup| {
        setup.set("games", "claim_after", format!("{wait_ms}ms"));
        setup.set("games", "claim_after_untimed", format!("{wait_ms}ms"));
    })
    .await
}

#[tokio::test]
async fn players_and_spectators_receive_presence() {
    let server = server_with_claims_after(SHORT_MS).await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    let mut eve = Peer::anonymous(&server).await;
    eve.ask(json!({"type": "watch", "game": game})).await;
    bob.disconnect();
    // It is ann's turn: the game does not wait for bob.
    for peer in [&mut ann, &mut eve] {
        let away = next_presence(peer, &game, 1, false).await;
        assert!(away["since"].is_u64() && away["claim_at"].is_null(), "{away}");
    }
    game::play_moves(&mut [&mut ann], &game, 1).await;
    let turn = ann.replay(&game).table().expect("it has begun").last_at();
    for peer in [&mut ann, &mut eve] {
        assert_eq!(next_presence(peer, &game, 1, false).await["claim_at"], turn + SHORT_MS);
    }
    let snapshot = eve.ask(json!({"type": "watch", "game": game})).await;
    assert_eq!(snapshot["presence"][0], json!({"seat": 0, "online": true}));
    assert_eq!(snapshot["presence"][1]["online"], false);
    assert_eq!(snapshot["spectators"], 1);

    let mut bob = bob.reconnect(&server).await;
    for peer in [&mut ann, &mut eve, &mut bob] {
        assert_eq!(next_presence(peer, &game, 1, true).await, json!({"seat": 1, "online": true}));
    }
    // A player who unwatches is not present, though still connected.
    bob.ask(json!({"type": "unwatch", "game": game})).await;
    next_presence(&mut ann, &game, 1, false).await;
}

#[tokio::test]
async fn a_claim_ends_a_game_of_two_after_the_wait() {
    let mut server = server_with_claims_after(LONGER_MS).await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    let mut eve = Peer::guest(&server, "eve").await;
    eve.refused(claim(&game), "not_a_player").await;
    ann.refused(claim(&game), "forbidden").await;
    bob.disconnect();
    next_presence(&mut ann, &game, 1, false).await;
    // The wait begins with bob's turn.
    game::play_moves(&mut [&mut ann], &game, 1).await;
    let early = ann.refused(claim(&game), "too_soon").await;
    assert_eq!((&early["retry"], &early["game"]), (&json!("after"), &json!(game)));
    let wait = early["retry_after_ms"].as_u64().unwrap();
    assert!((1..=LONGER_MS).contains(&wait), "{early}");

    // Bob is away from the start of the new process on, and a claim is possible sooner there.
    server.kill().await;
    server.configure(|setup| {
        setup.set("games", "claim_after_untimed", format!("{SHORT_MS}ms"));
    });
    server.restart().await;
    let mut ann = ann.reconnect(&server).await;
    next_presence(&mut ann, &game, 1, false).await;
    let mut claim = claim(&game);
    claim["id"] = json!("the claim");
    let done = loop {
        let reply = ann.request(claim.clone()).await;
        if reply["code"] != "too_soon" {
            break reply;
        }
    };
    assert_eq!(done["type"], "ok", "{done}");
    let ended = ann.next_event(&game, "ended").await;
    assert_eq!((&ended["seq"], &ended["req"]), (&done["seq"], &json!("the claim")));
    assert_eq!((&ended["reason"], &ended["winners"]), (&json!("abandoned"), &json!([0])));
    assert_eq!((&ended["by"], &ended["claimed_by"]), (&json!(1), &json!(0)));

    // The same claim after another crash has the same reply, and bob receives the end.
    server.kill().await;
    server.restart().await;
    let mut ann = ann.reconnect(&server).await;
    let again = ann.ask(claim.clone()).await;
    assert_eq!((&again["dup"], &again["seq"]), (&json!(true), &done["seq"]));
    claim["id"] = json!("another claim");
    ann.refused(claim, "game_over").await;
    let mut bob = bob.reconnect(&server).await;
    bob.next_event(&game, "ended").await;
    assert_eq!(bob.records(&game), ann.records(&game));
}

/// Repeats a claim until the server accepts it.
async fn claim_in_time(peer: &mut Peer, request: &Value) -> Frame {
    loop {
        let reply = peer.request(request.clone()).await;
        if reply["code"] != "too_soon" {
            assert_eq!(reply["type"], "ok", "{}", peer.recent_frames());
            return reply;
        }
    }
}

#[tokio::test]
async fn a_claim_in_a_game_of_three_removes_one_player() {
    let mut server = server_with_claims_after(SHORT_MS).await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let mut cy = Peer::guest(&server, "cy").await;
    let clock = json!({"clock": {"mode": "fischer", "base_ms": 600_000, "inc_ms": 0}});
    let game = game::start(&mut [&mut ann, &mut bob, &mut cy], clock).await;
    game::play_moves(&mut [&mut ann, &mut bob, &mut cy], &game, 4).await;
    bob.disconnect();
    next_presence(&mut cy, &game, 1, false).await;
    let mut wrong = claim(&game);
    wrong["seat"] = json!(0);
    cy.refused(wrong.clone(), "forbidden").await;
    wrong["seat"] = json!(3);
    cy.refused(wrong, "bad_message").await;
    let mut named = claim(&game);
    named["seat"] = json!(1);
    let done = claim_in_time(&mut cy, &named).await;
    let removed = ann.next_event(&game, "removed").await;
    assert_eq!((&removed["seat"], &removed["reason"]), (&json!(1), &json!("abandoned")));
    assert_eq!((&removed["claimed_by"], &removed["turn"]), (&json!(2), &done["turn"]));
    // Bob has left the game, and may not claim against the players who are in it.
    let mut bob = bob.reconnect(&server).await;
    bob.next_event(&game, "removed").await;
    ann.disconnect();
    next_presence(&mut cy, &game, 0, false).await;
    bob.refused(claim(&game), "forbidden").await;

    server.kill().await;
    server.restart().await;
    let mut ann = ann.reconnect(&server).await;
    let mut bob = bob.reconnect(&server).await;
    let mut cy = cy.reconnect(&server).await;
    let snapshot = cy.ask(json!({"type": "watch", "game": game})).await;
    assert_eq!(snapshot["seats"][1]["state"], "abandoned");
    assert!(snapshot["presence"][1]["claim_at"].is_null(), "{snapshot}");
    let turn = cy.next_of("your_turn").await;
    assert_eq!(turn["turn"], removed["turn"]);
    game::catch_up(&mut [&mut ann, &mut bob, &mut cy], &game).await;
    game::play_moves(&mut [&mut ann, &mut bob, &mut cy], &game, 1).await;
}
