//! Who is at a game and who is not, and what may be claimed of those who stay away.

use serde_json::{Value, json};

use crate::harness::{Frame, Peer, Server, game};

fn claim(game: &str) -> Value {
    json!({"type": "claim", "game": game, "what": "abandoned"})
}

/// The next news about a seat that says so.
async fn told(peer: &mut Peer, game: &str, seat: usize, online: bool) -> Value {
    let frame = peer
        .next_matching("news of who is there", |frame| {
            frame["type"] == "presence"
                && frame["game"] == game
                && frame["seats"][seat]["online"] == online
        })
        .await;
    frame["seats"][seat].clone()
}

/// A server on which one may claim soon.
async fn hasty() -> Server {
    Server::with(|setup| {
        setup.set("games", "claim_after", "300ms");
        setup.set("games", "claim_after_untimed", "300ms");
    })
    .await
}

#[tokio::test]
async fn all_who_listen_are_told_who_goes_and_comes() {
    let server = hasty().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::begin(&mut [&mut ann, &mut bob], json!({})).await;
    let mut eve = Peer::nobody(&server).await;
    eve.ask(json!({"type": "watch", "game": game})).await;
    bob.disconnect();
    // It is ann's turn: bob keeps nobody waiting.
    for peer in [&mut ann, &mut eve] {
        let away = told(peer, &game, 1, false).await;
        assert!(away["since"].is_u64() && away["claim_at"].is_null(), "{away}");
    }
    game::play(&mut [&mut ann], &game, 1).await;
    let turn = ann.replay(&game).table().expect("it has begun").last_at();
    for peer in [&mut ann, &mut eve] {
        assert_eq!(told(peer, &game, 1, false).await["claim_at"], turn + 300);
    }
    let snapshot = eve.ask(json!({"type": "watch", "game": game})).await;
    assert_eq!(snapshot["presence"][0], json!({"seat": 0, "online": true}));
    assert_eq!(snapshot["presence"][1]["online"], false);
    assert_eq!(snapshot["spectators"], 1);

    let mut bob = bob.reconnect(&server).await;
    for peer in [&mut ann, &mut eve, &mut bob] {
        assert_eq!(told(peer, &game, 1, true).await, json!({"seat": 1, "online": true}));
    }
    // Who listens no longer is not there, though still connected.
    bob.ask(json!({"type": "unwatch", "game": game})).await;
    told(&mut ann, &game, 1, false).await;
}

#[tokio::test]
async fn a_claim_ends_a_game_of_two_once_its_time_has_come() {
    let mut server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::begin(&mut [&mut ann, &mut bob], json!({})).await;
    game::play(&mut [&mut ann, &mut bob], &game, 3).await;
    let mut eve = Peer::guest(&server, "eve").await;
    eve.refused(claim(&game), "not_a_player").await;
    ann.refused(claim(&game), "forbidden").await;
    bob.disconnect();
    told(&mut ann, &game, 1, false).await;
    let early = ann.refused(claim(&game), "too_soon").await;
    assert_eq!((&early["retry"], &early["game"]), (&json!("after"), &json!(game)));
    let wait = early["retry_after_ms"].as_u64().unwrap();
    assert!((1..=7 * 24 * 3_600_000).contains(&wait), "{early}");

    // From the start of the new process on bob is away, and one may claim sooner there.
    server.kill9().await;
    server.setup().set("games", "claim_after_untimed", "300ms");
    server.restart().await;
    let mut ann = ann.reconnect(&server).await;
    told(&mut ann, &game, 1, false).await;
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

    // The same claim after another crash is the same claim, and bob learns of it.
    server.kill9().await;
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

#[tokio::test]
async fn who_is_to_move_claims_nothing_however_long_the_other_is_away() {
    let server = hasty().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::begin(&mut [&mut ann, &mut bob], json!({})).await;
    game::play(&mut [&mut ann, &mut bob], &game, 2).await;
    bob.disconnect();
    let since = told(&mut ann, &game, 1, false).await["since"].as_u64().unwrap();
    // As the server sees it the wait of a claim has passed.
    while ann.ask(json!({"type": "ping"})).await["t1"].as_u64().unwrap() <= since + 300 {}
    let mut named = claim(&game);
    named["seat"] = json!(1);
    for claim in [claim(&game), named.clone()] {
        let refused = ann.refused(claim, "forbidden").await;
        assert!(refused["message"].as_str().unwrap().contains("whose turn it is"), "{refused}");
    }
    // From her move on the game waits for bob.
    game::play(&mut [&mut ann], &game, 1).await;
    assert_eq!(ann.request(named.clone()).await["code"], "too_soon");
    claim_in_time(&mut ann, &named).await;
    assert_eq!(ann.next_event(&game, "ended").await["reason"], "abandoned");
}

/// Claims until it is time.
async fn claim_in_time(peer: &mut Peer, request: &Value) -> Frame {
    loop {
        let reply = peer.request(request.clone()).await;
        if reply["code"] != "too_soon" {
            assert_eq!(reply["type"], "ok", "{}", peer.story());
            return reply;
        }
    }
}

#[tokio::test]
async fn of_three_one_is_claimed_against_and_the_others_play_on() {
    let mut server = hasty().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let mut cy = Peer::guest(&server, "cy").await;
    let clock = json!({"clock": {"mode": "fischer", "base_ms": 600_000, "inc_ms": 0}});
    let game = game::begin(&mut [&mut ann, &mut bob, &mut cy], clock).await;
    game::play(&mut [&mut ann, &mut bob, &mut cy], &game, 4).await;
    bob.disconnect();
    told(&mut cy, &game, 1, false).await;
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
    // He has left the game, and may claim nothing of those who are in it.
    let mut bob = bob.reconnect(&server).await;
    bob.next_event(&game, "removed").await;
    ann.disconnect();
    told(&mut cy, &game, 0, false).await;
    bob.refused(claim(&game), "forbidden").await;

    server.kill9().await;
    server.restart().await;
    let mut ann = ann.reconnect(&server).await;
    let mut bob = bob.reconnect(&server).await;
    let mut cy = cy.reconnect(&server).await;
    let snapshot = cy.ask(json!({"type": "watch", "game": game})).await;
    assert_eq!(snapshot["seats"][1]["state"], "abandoned");
    assert!(snapshot["presence"][1]["claim_at"].is_null(), "{snapshot}");
    let turn = cy.next_of("your_turn").await;
    assert_eq!(turn["turn"], removed["turn"]);
    game::gather(&mut [&mut ann, &mut bob, &mut cy], &game).await;
    game::play(&mut [&mut ann, &mut bob, &mut cy], &game, 1).await;
}

#[tokio::test]
async fn with_days_for_a_move_nobody_may_claim() {
    let server = hasty().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let clock = json!({"clock": {"mode": "days", "per_move_days": 2}});
    let game = game::begin(&mut [&mut ann, &mut bob], clock).await;
    bob.disconnect();
    let away = told(&mut ann, &game, 1, false).await;
    assert!(away["since"].is_u64() && away["claim_at"].is_null(), "{away}");
    ann.refused(claim(&game), "forbidden").await;
}
