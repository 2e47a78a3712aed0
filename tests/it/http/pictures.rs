//! Pictures of boards by address: every game, every ply, and what spectators may not see yet.

use adamant_rules::Kind;
use serde_json::json;

use crate::harness::{
    Peer, Server, game,
    raw_socket::{get_from_host, header},
};

/// Returns the head and the body of an answer.
async fn ask(server: &Server, path: &str) -> (String, String) {
    let (head, body) = get_from_host(server, path, "here", "").await;
    (head, String::from_utf8_lossy(&body).into_owned())
}

#[tokio::test]
async fn every_game_has_a_picture_of_each_position() {
    let (server, [mut ann, mut bob]) = Peer::start_with_guests(["ann", "bob"]).await;
    for kind in Kind::ALL {
        let peers = &mut [&mut ann, &mut bob];
        let game = game::start(peers, json!({"rules": kind.name()})).await;
        let at_first = ask(&server, &format!("/game/{game}/board.svg")).await.1;
        game::play_moves(peers, &game, 2).await;
        let (head, after) = ask(&server, &format!("/game/{game}/board.svg")).await;
        assert_eq!(header(&head, "content-type"), Some("image/svg+xml"), "{head}");
        assert_eq!(header(&head, "access-control-allow-origin"), Some("*"), "{head}");
        assert_eq!(header(&head, "cross-origin-resource-policy"), Some("cross-origin"), "{head}");
        assert_eq!(header(&head, "cache-control"), Some("public, max-age=5"), "{head}");
        let policy = header(&head, "content-security-policy").expect("a policy");
        assert!(policy.contains("default-src 'none'"), "{policy}");
        assert!(after.starts_with("<svg ") && after.contains("ann - bob, ply 2"), "{after}");
        assert_ne!(at_first, after);
        let (_, first) = ask(&server, &format!("/game/{game}/board.svg?ply=0")).await;
        assert_eq!(first, at_first);
        let (_, dark) = ask(&server, &format!("/game/{game}/board.svg?theme=dark&size=99")).await;
        assert!(dark != after && dark.contains("width=\"99\""), "{dark}");
        let (head, png) = ask(&server, &format!("/game/{game}/board.png?size=64")).await;
        assert_eq!(header(&head, "content-type"), Some("image/png"), "{head}");
        assert!(png.contains("IHDR") && png.contains("IEND"));
    }
}

#[tokio::test]
async fn a_picture_of_a_finished_game_may_be_kept_and_is_not_sent_again() {
    let (server, mut ann, mut bob, game) = game::server_with_two().await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 3).await;
    ann.ask(json!({"type": "resign", "game": game})).await;
    let path = format!("/game/{game}/board.svg?ply=1");
    let (head, _) = ask(&server, &path).await;
    assert_eq!(header(&head, "cache-control"), Some("public, max-age=86400"), "{head}");
    let tag = header(&head, "etag").expect("a tag").replace("w/", "W/");
    let known = format!("If-None-Match: {tag}\r\n");
    let (head, body) = get_from_host(&server, &path, "here", &known).await;
    assert!(head.starts_with("http/1.1 304") && body.is_empty(), "{head}");
}

#[tokio::test]
async fn a_picture_has_at_most_640_pixels_a_side_and_costs_by_them_unless_it_is_kept() {
    let server = Server::with(|setup| {
        setup.set("limits", "messages_burst", 60);
        setup.set("limits", "messages_per_s", 1);
    })
    .await;
    let (_ann, _bob, game) = game::start_two(&server).await;
    let (_, large) = ask(&server, &format!("/game/{game}/board.svg?size=1200")).await;
    assert!(large.contains("width=\"640\""), "{large}");
    let (light, dark) = ("board.png?size=640", "board.png?size=640&theme=dark");
    for (picture, status) in [(light, "200"), (light, "200"), (dark, "200"), (light, "429")] {
        let (head, _) = ask(&server, &format!("/game/{game}/{picture}")).await;
        assert!(head.starts_with(&format!("http/1.1 {status}")), "{picture}: {head}");
    }
}

#[tokio::test]
async fn pictures_show_no_more_than_spectators_may_see() {
    let (server, [mut ann, mut bob]) = Peer::start_with_guests(["ann", "bob"]).await;
    let peers = &mut [&mut ann, &mut bob];
    let game = game::start(peers, json!({"delay": 2})).await;
    game::play_moves(peers, &game, 5).await;
    let (_, newest) = ask(&server, &format!("/game/{game}/board.svg")).await;
    assert!(newest.contains("ply 3"), "{newest}");
    let (head, body) = ask(&server, &format!("/game/{game}/board.svg?ply=4")).await;
    assert!(head.starts_with("http/1.1 404") && body.contains("not_found"), "{head}");
}

#[tokio::test]
async fn a_picture_that_does_not_exist_is_refused() {
    let (server, _ann, _bob, game) = game::server_with_two().await;
    for (path, status) in [
        ("/game/nosuch/board.svg".to_owned(), "404"),
        (format!("/game/{game}/board.svg?ply=1"), "404"),
        (format!("/game/{game}/board.svg?ply=x"), "400"),
        (format!("/game/{game}/board.svg?theme=pink"), "400"),
        ("/game/no%20such/board.png".to_owned(), "400"),
    ] {
        let (head, body) = ask(&server, &path).await;
        assert_eq!(head.split(' ').nth(1), Some(status), "{path}: {body}");
    }
}

/// Returns the content of a property in the document at a path.
async fn property(server: &Server, path: &str, name: &str) -> String {
    let (_, body) = get_from_host(server, path, "here", "").await;
    let document = String::from_utf8_lossy(&body).into_owned();
    let start = format!("<meta property=\"{name}\" content=\"");
    let (_, rest) = document.split_once(&start).expect("the property");
    rest.split_once('"').expect("its end").0.to_owned()
}

#[tokio::test]
async fn the_link_of_a_game_names_the_computer_as_the_page_does() {
    let (server, [mut ann]) = Peer::start_with_guests(["ann"]).await;
    let challenge = json!({"type": "challenge", "rules": "stymie", "seats": ["ann", "house-easy"]});
    ann.ask(challenge).await;
    let game = ann.next_of("challenge_closed").await["game"].as_str().unwrap().to_owned();
    let path = format!("/game/{game}");
    let title = property(&server, &path, "og:title").await;
    assert_eq!(title, "Stymie: ann – Computer (easy)");
    ann.ask(json!({"type": "resign", "game": game})).await;
    ann.next_event(&game, "ended").await;
    let mut end = property(&server, &path, "og:description").await;
    while end.starts_with("Being played now") {
        end = property(&server, &path, "og:description").await;
    }
    assert!(end.starts_with("Computer (easy) won by resignation"), "{end}");
    assert_eq!(property(&server, "/user/house", "og:title").await, "Computer (medium)");
}

#[tokio::test]
async fn the_link_of_an_invite_says_who_asks_for_what() {
    let (server, [mut ann]) = Peer::start_with_accounts(["ann"]).await;
    let clock = json!({"mode": "fischer", "base_ms": 600_000, "inc_ms": 5_000});
    let terms = json!({"type": "invite", "rules": "adamas", "options": "-size=4", "rated": true,
        "clock": clock});
    let made = ann.ask(terms).await;
    let path = format!("/join/{}", made["invite"].as_str().unwrap());
    assert_eq!(property(&server, &path, "og:title").await, "ann invites you to Adamas");
    let terms = property(&server, &path, "og:description").await;
    assert!(terms.starts_with("10 min + 5 s a move · rated · 4 cells a side"), "{terms}");
    assert!(terms.ends_with(". Open the link to play."), "{terms}");

    ann.ask(json!({"type": "cancel", "invite": made["invite"]})).await;
    for gone in [path.as_str(), "/join/i_0000000000000000", "/join/%3Cscript%3E"] {
        let terms = property(&server, gone, "og:description").await;
        assert_eq!(terms, "This invitation is no longer open.", "{gone}");
    }
}
