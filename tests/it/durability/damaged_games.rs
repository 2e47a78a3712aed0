//! Games with damaged records: the server names each, closes it, and serves all others.

use rusqlite::Connection;
use serde_json::json;

use crate::harness::{Metrics, Peer, Server, game, http};

/// Changes a game's third record in the database.
fn damage(server: &Server, change: &str, game: &str) {
    let database = Connection::open(server.data().join("adamant.db")).unwrap();
    assert_eq!(database.execute(change, [game]).unwrap(), 1, "{change}");
}

#[tokio::test]
async fn damaged_games_are_logged_counted_and_rejected_and_others_continue() {
    let mut server = Server::embedded(|_| {}).await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let mut games = Vec::new();
    for _ in 0..3 {
        let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
        game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
        games.push(game);
    }
    let [live, finished, sound] = &games[..] else { panic!("three games") };
    ann.ask(json!({"type": "resign", "game": finished})).await;
    ann.next_event(finished, "ended").await;
    ann.disconnect();
    drop(bob);
    server.stop().await;
    damage(
        &server,
        "UPDATE arrivals SET record = CAST(replace(CAST(record AS TEXT), 'moved', 'mived') AS BLOB)
         WHERE game = ?1 AND seq = 3",
        live,
    );
    damage(
        &server,
        "UPDATE journal SET records =
             CAST(replace(CAST(records AS TEXT), '\"ply\":1', '\"ply\":3') AS BLOB)
         WHERE game = ?1",
        finished,
    );
    server.restart().await;
    server.wait_for_log(&format!("game={live} record=3")).await;
    assert_eq!(Metrics::fetch(&server).await.value("adamant_games_damaged"), 1);

    // A player of a damaged game can connect and play other games.
    let mut ann = ann.reconnect(&server).await;
    let resumed = ann.welcome["games"].as_array().unwrap();
    for (game, resume) in [(live, "gone"), (finished, "gone"), (sound, "tail")] {
        let told = resumed.iter().find(|told| told["game"] == **game).unwrap();
        assert_eq!(told["resume"], resume, "{told}");
    }
    server.wait_for_log(&format!("game={finished} record=3")).await;
    let notation = game::choose_move(ann.table(sound));
    game::make_move(&mut ann, sound, &notation).await;

    for game in [live, finished] {
        for request in
            [json!({"type": "watch", "game": game}), json!({"type": "positions", "game": game})]
        {
            let refused = ann.refused(request, "internal").await;
            assert_eq!((&refused["retry"], &refused["game"]), (&json!("never"), &json!(game)));
            assert!(refused["message"].as_str().unwrap().contains("damaged"), "{refused}");
        }
        let (status, body) = http::refused(&server, &format!("/v1/games/{game}/record")).await;
        assert_eq!((status, &body["code"]), (500, &json!("internal")), "{body}");
    }
    assert_eq!(Metrics::fetch(&server).await.value("adamant_games_damaged"), 2);
    let named = |line: &&String| line.contains("game records are damaged");
    assert_eq!(server.log().iter().filter(named).count(), 2, "each game is named once");
}
