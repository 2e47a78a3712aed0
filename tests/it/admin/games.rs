//! Games: what an operator sees of them, and results that count no more.

use serde_json::{Value, json};
use tokio::{process::Command, time::timeout};

use super::operator::{govern, is_refused, run_on};
use crate::harness::{Frame, PATIENCE, Peer, Server, binary, game, http};

/// Plays a rated game that `loser` resigns, and returns its id.
async fn loses_to(loser: &mut Peer, winner: &mut Peer) -> String {
    let game = game::start(&mut [&mut *loser, &mut *winner], json!({"rated": true})).await;
    game::play_moves(&mut [&mut *loser, &mut *winner], &game, 2).await;
    loser.ask(json!({"type": "resign", "game": game})).await;
    loser.next_event(&game, "rated").await;
    winner.next_event(&game, "rated").await;
    game
}

async fn annul(server: &Server, game: &str) -> Value {
    govern(server, &["games", "annul", game, "--reason", "played by an engine"]).await
}

async fn history(peer: &mut Peer, user: &str) -> Vec<Value> {
    let history = peer.ask(json!({"type": "history", "user": user})).await;
    history["games"].as_array().unwrap().clone()
}

/// The standing of a user, without name and place.
async fn standing(peer: &mut Peer, user: &str) -> Option<Value> {
    let list = peer.ask(json!({"type": "standings", "rules": "adamas"})).await;
    let rows = list["standings"].as_array().unwrap();
    let row = rows.iter().find(|row| row["user"] == user)?;
    let fields = ["rating", "deviation", "games", "wins", "losses"];
    Some(fields.iter().map(|field| row[field].clone()).collect())
}

/// Waits until no rating is being computed again.
async fn ratings_are_computed(server: &Server, game: &str) -> Value {
    let computed = async {
        loop {
            let shown = govern(server, &["games", "show", game]).await;
            if shown["ratings_pending"] == json!(false) {
                return shown;
            }
        }
    };
    timeout(PATIENCE, computed).await.expect("the ratings are computed anew")
}

/// Runs `ratings --check` on the store, which must find nothing.
async fn ratings_agree(server: &Server) {
    let mut command = Command::new(binary("adamant-server"));
    command.args(["ratings", "--check"]).args(server.store_arguments());
    let output = timeout(PATIENCE, command.output()).await.expect("in time").expect("it runs");
    let said = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{said}");
}

async fn log_of(server: &Server, game: &str) -> String {
    http::ask(server, "GET", &format!("/v1/games/{game}/log")).await.text().await
}

#[tokio::test]
async fn an_operator_sees_a_live_game_as_it_stands() {
    let (server, [mut ann, mut bob]) = Peer::start_with_accounts(["ann", "bob"]).await;
    let clock = json!({"mode": "fischer", "base_ms": 300_000, "inc_ms": 0});
    let terms = json!({"clock": clock, "rated": true, "delay": 5, "unlisted": true});
    let id = game::start(&mut [&mut ann, &mut bob], terms).await;
    game::play_moves(&mut [&mut ann, &mut bob], &id, 3).await;
    // Spectators would see none of the moves yet, and another node shows the same.
    let last = server.node(usize::from(server.nodes() > 1));
    let (status, said) = run_on(last, &["games", "show", &id, "--json"]).await;
    assert_eq!(status, Some(0), "{said}");
    let shown: Value = serde_json::from_str(&said).unwrap();
    for (field, expected) in [
        ("game", json!(id)),
        ("rules", json!("adamas@1")),
        ("clock", clock),
        ("rated", json!(true)),
        ("unlisted", json!(true)),
        ("state", json!("live")),
        ("ply", json!(3)),
        ("to_move", json!("bob")),
        ("result", Value::Null),
        ("annulled", Value::Null),
        ("acts", json!([])),
    ] {
        assert_eq!(shown[field], expected, "{field}: {shown}");
    }
    assert_eq!(shown["open_at"].as_array().map(Vec::is_empty), Some(false), "{shown}");
    let users: Vec<_> = [0, 1].map(|seat| shown["players"][seat]["user"].clone()).into();
    assert_eq!(users, ["ann", "bob"]);
    for seat in [0, 1] {
        let left = shown["players"][seat]["left_ms"].as_u64().unwrap();
        assert!((200_000..=300_000).contains(&left), "{shown}");
    }
    let (_, said) = run_on(server.node(0), &["games", "show", &id]).await;
    assert!(said.contains("state: live\n"), "{said}");
}

#[tokio::test]
async fn an_annulled_result_counts_nowhere_and_later_games_are_rated_again() {
    let names = ["ann", "bob", "cy", "dee", "eli", "fay"];
    let (server, [mut ann, mut bob, mut cy, mut dee, mut eli, mut fay]) =
        Peer::start_with_accounts(names).await;
    let annulled = loses_to(&mut bob, &mut ann).await;
    let later = loses_to(&mut cy, &mut bob).await;
    loses_to(&mut cy, &mut ann).await;
    // The same games but for the first one.
    let same = loses_to(&mut fay, &mut eli).await;
    loses_to(&mut fay, &mut dee).await;
    let mut eve = Peer::anonymous(&server).await;
    assert_ne!(standing(&mut eve, "bob").await, standing(&mut eve, "eli").await);
    let record = log_of(&server, &annulled).await;

    let done = annul(&server, &annulled).await;
    assert_eq!(done["game"], json!(annulled));
    let shown = ratings_are_computed(&server, &annulled).await;
    assert_eq!((&shown["annulled"], &shown["result"]), (&json!(true), &json!("resigned")));
    assert_eq!(shown["players"][0]["rating_after"], Value::Null);
    assert_eq!(shown["acts"][0]["reason"], "played by an engine");
    for (user, like) in [("ann", "dee"), ("bob", "eli"), ("cy", "fay")] {
        let (standing, expected) = (standing(&mut eve, user).await, standing(&mut eve, like).await);
        assert!(expected.is_some());
        assert_eq!(standing, expected, "{user}");
    }
    // The curve of a rating is made of the games of a user.
    let of_bob = history(&mut eve, "bob").await;
    let entry = |id: &str| of_bob.iter().find(|entry| entry["game"] == id).unwrap();
    assert_eq!(entry(&annulled)["annulled"], json!(true));
    assert_eq!(entry(&annulled).get("ratings"), None);
    assert_eq!(entry(&annulled)["result"]["winners"], json!([1]));
    let of_eli = history(&mut eve, "eli").await;
    let expected = of_eli.iter().find(|entry| entry["game"] == json!(same)).unwrap();
    assert_eq!(entry(&later)["ratings"], expected["ratings"]);
    assert_eq!(entry(&later).get("annulled"), None);
    // The record is as it was, and the page of the game says that it does not count.
    assert_eq!(log_of(&server, &annulled).await, record);
    let snapshot = eve.ask(json!({"type": "watch", "game": annulled})).await;
    assert_eq!(snapshot["annulled"], json!(true));
    let snapshot = eve.ask(json!({"type": "watch", "game": later})).await;
    assert_eq!(snapshot.get("annulled"), None);
    ratings_agree(&server).await;
}

#[tokio::test]
async fn both_players_read_why_a_result_is_annulled_until_they_have_read_it() {
    let (server, [mut ann, mut bob]) = Peer::start_with_accounts(["ann", "bob"]).await;
    let id = loses_to(&mut bob, &mut ann).await;
    let token = bob.token.clone().unwrap();
    drop(bob);
    annul(&server, &id).await;
    let is_told = |frame: &Frame| {
        frame["type"] == "notice"
            && frame["what"] == "game_annulled"
            && frame["game"] == json!(id)
            && frame["text"] == "played by an engine"
            && frame["n"].is_u64()
    };
    ann.next_matching("the notice", is_told).await;
    let mut bob = Peer::with_token(&server, &token).await;
    bob.next_matching("the notice", is_told).await;
    // Whoever is at the game sees it there as well, on the node of the operator and on others.
    let snapshot = ann.ask(json!({"type": "watch", "game": id})).await;
    assert_eq!(snapshot["annulled"], json!(true));
}

#[tokio::test]
async fn what_has_no_result_that_counts_is_not_annulled() {
    let (server, [mut ann, mut bob]) = Peer::start_with_accounts(["ann", "bob"]).await;
    let refused = async |game: &str, why: &str| {
        let said = is_refused(&server, &["games", "annul", game, "--reason", "x"]).await;
        assert!(said.contains(why), "{said}");
    };
    refused("zzzzzz", "there is no game zzzzzz").await;
    assert!(is_refused(&server, &["games", "show", "zzzzzz"]).await.contains("there is no game"));
    let live = game::start(&mut [&mut ann, &mut bob], json!({"rated": true})).await;
    refused(&live, "is not finished").await;
    game::resign(&mut bob, &mut ann, &live).await;
    // Nobody had moved.
    refused(&live, "has changed no rating").await;
    let id = loses_to(&mut bob, &mut ann).await;
    annul(&server, &id).await;
    refused(&id, "is annulled already").await;
    let acts = govern(&server, &["audit", "list", "--about", &id]).await;
    let acts = acts["acts"].as_array().unwrap();
    assert_eq!(acts.len(), 1, "{acts:?}");
    let request = json!({"games": {"annul": {"game": id, "reason": "played by an engine"}}});
    assert_eq!(acts[0]["request"].as_str(), Some(request.to_string().as_str()));
}

#[tokio::test]
async fn ratings_are_computed_anew_after_a_crash() {
    let (mut server, [mut ann, mut bob, mut cy]) =
        Peer::start_with_accounts(["ann", "bob", "cy"]).await;
    let id = loses_to(&mut bob, &mut ann).await;
    loses_to(&mut cy, &mut bob).await;
    annul(&server, &id).await;
    server.crash().await;
    ratings_are_computed(&server, &id).await;
    ratings_agree(&server).await;
    let mut eve = Peer::anonymous(&server).await;
    assert_eq!(standing(&mut eve, "ann").await, None, "there is no game of ann that counts");
    assert_eq!(standing(&mut eve, "bob").await, Some(json!([1662, 290, 1, 1, 0])));
}

async fn end(server: &Server, game: &str, result: &str) -> Value {
    let words = ["games", "end", game, "--result", result, "--reason", "stalling for hours"];
    govern(server, &words).await
}

#[tokio::test]
async fn a_ruling_ends_a_live_game_and_its_record_tells_it() {
    let (server, [mut ann, mut bob]) = Peer::start_with_accounts(["ann", "bob"]).await;
    let id = game::start(&mut [&mut ann, &mut bob], json!({"rated": true})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &id, 3).await;
    let done = end(&server, &id, "Bob").await;
    assert_eq!(done["game"], json!(id));
    for peer in [&mut ann, &mut bob] {
        let ended = peer.next_event(&id, "ended").await;
        for (field, expected) in
            [("winners", json!([1])), ("places", json!([2, 1])), ("reason", json!("ruling"))]
        {
            assert_eq!(ended[field], expected, "{ended}");
        }
        assert_eq!(ended.get("by"), None);
        peer.next_event(&id, "rated").await;
        let is_told = |frame: &Frame| {
            frame["what"] == "game_ruled"
                && frame["game"] == json!(id)
                && frame["text"] == "stalling for hours"
                && frame["n"].is_u64()
        };
        peer.next_matching("the notice", is_told).await;
        // Each peer replays what it reads as `verify` does.
        assert!(peer.table(&id).outcome().is_some());
    }
    let mut eve = Peer::anonymous(&server).await;
    let snapshot = eve.ask(json!({"type": "watch", "game": id})).await;
    assert_eq!(snapshot["result"]["reason"], "ruling");
    assert_eq!(standing(&mut eve, "bob").await, Some(json!([1662, 290, 1, 1, 0])));
    let text = http::ask(&server, "GET", &format!("/v1/games/{id}/record")).await.text().await;
    assert!(text.ends_with("# X won by a ruling\n"), "{text}");
    let shown = govern(&server, &["games", "show", &id]).await;
    assert_eq!((&shown["state"], &shown["result"]), (&json!("finished"), &json!("ruling")));
    assert_eq!(shown["acts"][0]["reason"], "stalling for hours");
    // What an operator has ended an operator can annul.
    annul(&server, &id).await;
    ratings_are_computed(&server, &id).await;
    assert_eq!(standing(&mut eve, "bob").await, None);
}

#[tokio::test]
async fn a_ruling_is_a_win_by_the_letter_of_a_seat_a_draw_or_no_result_and_survives_a_crash() {
    let (mut server, [mut ann, mut bob]) = Peer::start_with_accounts(["ann", "bob"]).await;
    for (result, kind, reason) in
        [("o", "ended", "ruling"), ("draw", "ended", "ruling"), ("abort", "aborted", "ruling")]
    {
        let id = game::start(&mut [&mut ann, &mut bob], json!({})).await;
        game::play_moves(&mut [&mut ann, &mut bob], &id, 1).await;
        end(&server, &id, result).await;
        let event = bob.next_event(&id, kind).await;
        assert_eq!(event["reason"], json!(reason));
        let winners = match result {
            "o" => json!([0]),
            "draw" => json!([0, 1]),
            _ => Value::Null,
        };
        assert_eq!(event.get("winners").cloned().unwrap_or_default(), winners, "{event}");
        ann.next_event(&id, kind).await;
    }
    let id = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    end(&server, &id, "ann").await;
    server.crash().await;
    let mut eve = Peer::anonymous(&server).await;
    let snapshot = eve.ask(json!({"type": "watch", "game": id})).await;
    assert_eq!(snapshot["result"]["winners"], json!([0]));
}

#[tokio::test]
async fn a_ruling_needs_a_live_game_and_a_player_of_it() {
    let (server, [mut ann, mut bob]) = Peer::start_with_accounts(["ann", "bob"]).await;
    let id = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    let refused = async |game: &str, result: &str, why: &str| {
        let words = ["games", "end", game, "--result", result, "--reason", "x"];
        let said = is_refused(&server, &words).await;
        assert!(said.contains(why), "{said}");
    };
    refused("zzzzzz", "draw", "there is no game zzzzzz").await;
    refused(&id, "cy2", "there is no player cy2 in game").await;
    refused(&id, "Q", "there is no player Q in game").await;
    game::resign(&mut ann, &mut bob, &id).await;
    refused(&id, "bob", "is over").await;
    let acts = govern(&server, &["audit", "list", "--about", &id]).await;
    assert_eq!(acts, json!({"acts": []}), "what is refused is no act");
}
