//! The Atom feed of a user's games.

use serde_json::json;

use crate::harness::{Peer, Server, game, http};

#[tokio::test]
async fn a_feed_has_a_users_live_and_finished_games() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let finished = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    ann.ask(json!({"type": "resign", "game": finished})).await;
    ann.next_event(&finished, "ended").await;
    let live = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &live, 1).await;

    let answer = http::ask(&server, "GET", "/user/ANN/feed.atom").await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.headers["content-type"], "application/atom+xml; charset=utf-8");
    let feed = answer.text().await;
    let places = [
        "<title>Games of ann</title>",
        &format!("<id>http://localhost/game/{live}</id>"),
        "<summary>bob is to move after 1 move</summary>",
        &format!("<id>http://localhost/game/{finished}</id>"),
        "<summary>bob won after 0 moves</summary>",
    ]
    .map(|text| feed.find(text).unwrap_or_else(|| panic!("{text} is missing:\n{feed}")));
    assert!(places.is_sorted(), "{feed}");

    let missing = http::ask(&server, "GET", "/user/nobody/feed.atom").await;
    assert_eq!(missing.status, 404);
}
