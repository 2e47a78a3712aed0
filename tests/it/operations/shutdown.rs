//! Graceful shutdown, and games that are parked while no client is connected.

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::harness::{Peer, Server, game, with};

#[tokio::test]
async fn clients_receive_the_shutdown_and_no_acknowledged_move_is_lost() {
    let mut server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let mut anonymous = Peer::anonymous(&server).await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 4).await;
    // A move is on its way during the shutdown: the server accepts it or not, but never
    // acknowledges and loses it.
    let mut last = game::move_request(&ann, &game, &game::choose_move(ann.table(&game)));
    last["id"] = json!("last");
    ann.send_raw(Message::text(last.to_string())).await;
    server.terminate().await;
    for peer in [&mut ann, &mut bob, &mut anonymous] {
        let notice = peer.next_of("notice").await;
        assert_eq!(notice["what"], "restart");
        assert!(notice["in_ms"].is_u64(), "{notice}");
        assert_eq!(peer.expect_close().await, 1012);
    }
    assert!(server.wait().await.success());
    let acknowledged: Vec<Value> =
        ann.frames().chain(bob.frames()).filter(|frame| frame["type"] == "ok").cloned().collect();

    server.restart().await;
    let (known_by_ann, known_by_bob) = (ann.records(&game).len(), bob.records(&game).len());
    let mut ann = ann.reconnect(&server).await;
    let mut bob = bob.reconnect(&server).await;
    for (peer, known) in [(&mut ann, known_by_ann), (&mut bob, known_by_bob)] {
        assert_eq!(peer.welcome["games"][0]["resume"], "tail");
        assert_eq!(peer.welcome["games"][0]["from"], known + 1);
    }
    // Repeated, it is made now or was made before.
    let again = ann.ask(last).await;
    let was_acknowledged = acknowledged.iter().any(|ok| ok["re"] == "last");
    assert!(!was_acknowledged || again["dup"] == true, "{again}");
    ann.read_up_to(&game, again["seq"].as_u64().unwrap()).await;
    for ok in acknowledged.iter().filter(|ok| ok["seq"].is_u64()) {
        let seq = usize::try_from(ok["seq"].as_u64().unwrap()).unwrap();
        let record: Value = serde_json::from_str(&ann.records(&game)[seq - 1]).unwrap();
        assert_eq!(record["req"], ok["re"]);
    }
    game::play_to_end(&mut [&mut ann, &mut bob], &game).await;
}

#[tokio::test]
async fn a_parked_game_is_loaded_unchanged() {
    let mut server = Server::with(|setup| {
        setup.set("games", "park_after", "50ms");
        setup.set("log", "filter", "adamant_server=debug");
    })
    .await;
    let parked = "game parked";
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 3).await;
    let made = ann.frames().find(|frame| frame["type"] == "ok" && frame["turn"] == 1).unwrap();
    let first_move = made["re"].clone();
    let first: Value = serde_json::from_str(&ann.records(&game)[2]).unwrap();
    let offer = json!({"type": "offer", "game": game, "what": "draw"});
    ann.ask(offer).await;
    ann.next_event(&game, "offered").await;
    ann.disconnect();
    bob.disconnect();
    server.wait_for_log(parked).await;

    let mut anonymous = Peer::anonymous(&server).await;
    for fields in [json!({}), json!({"user": "BOB"}), json!({"rules": "adamas", "players": 2})] {
        let live = anonymous.ask(with(json!({"type": "games"}), fields)).await;
        let entry = &live["games"][0];
        assert_eq!((&entry["game"], &entry["ply"]), (&json!(game), &json!(3)));
        assert_eq!(entry["seats"][1]["user"], "bob");
        assert_eq!((&entry["state"], &entry["to_move"]), (&json!("live"), &json!(1)));
    }
    for fields in [json!({"user": "cy"}), json!({"rules": "hexma"}), json!({"players": 3})] {
        let live = anonymous.ask(with(json!({"type": "games"}), fields)).await;
        assert_eq!(live["games"], json!([]));
    }
    let mut ann = ann.reconnect(&server).await;
    let mut bob = bob.reconnect(&server).await;
    assert_eq!(bob.welcome["games"][0]["resume"], "tail");
    bob.next_of("your_turn").await;
    assert_eq!(bob.table(&game).offers().len(), 1);
    // Request ids are kept, too.
    let again =
        json!({"type": "move", "id": first_move, "game": game, "turn": 0, "move": first["move"]});
    assert_eq!(ann.ask(again).await["dup"], true);
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;

    drop(anonymous);
    ann.disconnect();
    bob.disconnect();
    server.stop().await;
    server.restart().await;
    // Unless it was parked before the stop.
    if !server.log().iter().any(|line| line.contains("parked=1")) {
        server.wait_for_log(parked).await;
    }
    server.kill().await;
    server.restart().await;
    server.wait_for_log("parked=1").await;
    let mut anonymous = Peer::anonymous(&server).await;
    let live = anonymous.ask(json!({"type": "games"})).await;
    assert_eq!((&live["games"][0]["game"], &live["games"][0]["ply"]), (&json!(game), &json!(5)));
    let mut ann = ann.reconnect(&server).await;
    let mut bob = bob.reconnect(&server).await;
    game::play_to_end(&mut [&mut ann, &mut bob], &game).await;
    assert_eq!(ann.records(&game), bob.records(&game));
}
