//! Previews of links: what programs that run no script show of an address.

use serde_json::json;

use crate::harness::{Peer, Server, raw_http::get_from_host};

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
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
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
    let server = Server::start().await;
    let mut ann = Peer::account(&server, "ann").await;
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
