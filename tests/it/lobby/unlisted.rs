//! Unlisted games: in no list but those of their players, and open to whoever knows the id.

use serde_json::{Value, json};

use crate::harness::{Peer, Server, game, http};

/// The games in the answer to a list request.
async fn listed(peer: &mut Peer, request: Value) -> Vec<Value> {
    let list = peer.ask(request).await;
    let games = list["games"].as_array().or_else(|| list["add"].as_array());
    games.unwrap().iter().map(|entry| entry["game"].clone()).collect()
}

/// The lists in which others would find a live game of ann.
fn lists_of_others() -> [Value; 5] {
    [
        json!({"type": "games"}),
        json!({"type": "games", "rules": "adamas", "players": 2}),
        json!({"type": "games", "user": "ann"}),
        json!({"type": "games", "user": "ann", "rules": "adamas"}),
        json!({"type": "live", "watch": false}),
    ]
}

#[tokio::test]
async fn an_unlisted_game_is_shown_to_its_players_alone() {
    let mut server = Server::with(|setup| setup.set("games", "park_after", "1s")).await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let mut cy = Peer::guest(&server, "cy").await;
    cy.ask(json!({"type": "live", "watch": true})).await;
    let hidden = game::start(&mut [&mut ann, &mut bob], json!({"unlisted": true})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &hidden, 2).await;
    for list in lists_of_others() {
        assert!(listed(&mut cy, list.clone()).await.is_empty(), "{list}");
    }
    let featured = cy.ask(json!({"type": "tv", "rules": "adamas", "watch": false})).await;
    assert!(featured["game"].is_null(), "{featured}");
    let snapshot = cy.ask(json!({"type": "watch", "game": hidden})).await;
    assert_eq!(snapshot["unlisted"], true);
    cy.ask(json!({"type": "unwatch", "game": hidden})).await;
    let own = json!({"type": "games", "user": "ann"});
    assert_eq!(listed(&mut ann, own.clone()).await, [json!(hidden)]);

    // The same while the game is parked and read again, and after its end.
    server.kill().await;
    server.restart().await;
    let mut cy = cy.reconnect(&server).await;
    for list in lists_of_others() {
        assert!(listed(&mut cy, list.clone()).await.is_empty(), "{list}");
    }
    let (mut ann, mut bob) = (ann.reconnect(&server).await, bob.reconnect(&server).await);
    assert_eq!(listed(&mut ann, own).await, [json!(hidden)]);
    ann.ask(json!({"type": "resign", "game": hidden})).await;
    bob.next_event(&hidden, "ended").await;
    let shown = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    ann.ask(json!({"type": "resign", "game": shown})).await;
    bob.next_event(&shown, "ended").await;
    // The list of finished games follows the end, once the room has archived the game.
    loop {
        let own = listed(&mut ann, json!({"type": "history", "user": "ann"})).await;
        if own.len() == 2 {
            break;
        }
    }
    for list in [
        json!({"type": "games", "state": "finished"}),
        json!({"type": "games", "state": "finished", "rules": "adamas"}),
        json!({"type": "games", "state": "finished", "user": "ann"}),
        json!({"type": "history", "user": "ann"}),
        json!({"type": "history", "user": "ann", "rules": "adamas"}),
    ] {
        let games = listed(&mut cy, list.clone()).await;
        assert_eq!(games, [json!(shown)], "{list}");
    }
    let text = http::get(&server, "/v1/users/ann/history").await.to_string();
    assert!(text.contains(&shown) && !text.contains(&hidden), "{text}");
}

#[tokio::test]
async fn a_rematch_of_an_unlisted_game_is_unlisted() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    // Two who seek the same unlisted game find each other, and not one who seeks a listed one.
    let seek = json!({"type": "seek", "rules": "hexma", "unlisted": true});
    ann.ask(seek.clone()).await;
    let mut cy = Peer::guest(&server, "cy").await;
    assert_eq!(cy.ask(json!({"type": "seek", "rules": "hexma"})).await.get("game"), None);
    let game = bob.ask(seek).await["game"].as_str().unwrap().to_owned();
    assert_eq!(ann.next_event(&game, "created").await["unlisted"], true);
    ann.ask(json!({"type": "resign", "game": game})).await;
    bob.next_event(&game, "ended").await;
    ann.ask(json!({"type": "rematch", "game": game})).await;
    let next = bob.ask(json!({"type": "rematch", "game": game})).await["game"].clone();
    let created = bob.next_event(next.as_str().unwrap(), "created").await;
    assert_eq!(created["unlisted"], true);
}
