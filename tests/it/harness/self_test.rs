//! Tests of the harness itself.

use serde_json::{Value, json};

use crate::harness::{Peer, game, schema};

#[tokio::test]
async fn a_server_is_killed_and_restarted_on_its_files() {
    let (mut server, [mut ann, mut bob]) = Peer::start_with_guests(["ann", "bob"]).await;
    let game = game::start_and_play(&mut [&mut ann, &mut bob], 3).await;
    server.crash().await;
    let mut ann = ann.reconnect(&server).await;
    let mut bob = bob.reconnect(&server).await;
    assert_eq!(ann.welcome["games"][0]["resume"], "tail");
    game::play_to_end(&mut [&mut ann, &mut bob], &game).await;
    assert_eq!(ann.records(&game), bob.records(&game));
    assert!(server.stop().await.success());
}

/// A frame whose field `from` is renamed to `to`.
fn renamed(mut frame: Value, from: &str, to: &str) -> Value {
    let value = frame.as_object_mut().unwrap().remove(from).expect("the field is there");
    frame[to] = value;
    frame
}

/// The control of all validation: a wrong frame is rejected.
#[tokio::test]
async fn a_frame_with_a_wrong_field_name_or_value_is_rejected() {
    let (_server, [mut ann, mut bob]) = Peer::start_with_guests(["ann", "bob"]).await;
    let game = game::start_and_play(&mut [&mut ann, &mut bob], 1).await;
    let snapshot = ann.ask(json!({"type": "watch", "game": game})).await;
    let moved: Value = serde_json::from_str(&ann.records(&game)[2]).unwrap();
    for (frame, field) in [
        (&ann.welcome, "heartbeat"),
        (&snapshot, "to_move"),
        (&moved, "move"),
        (&moved, "chain"),
        (&moved, "kind"),
    ] {
        assert_eq!(schema::fault_in_message(frame), None, "{frame}");
        let wrong = renamed(frame.clone(), field, "renamed");
        assert!(schema::fault_in_message(&wrong).is_some(), "{wrong}");
    }
    let mut wrong = moved;
    wrong["chain"] = json!("c0ffee");
    assert!(schema::fault_in_message(&wrong).is_some(), "{wrong}");

    let mut request = game::move_request(&bob, &game, "c5-c4");
    request["id"] = json!("b1");
    assert_eq!(schema::fault_in_request(&request), None, "{request}");
    for field in ["type", "id", "game", "turn", "move"] {
        let wrong = renamed(request.clone(), field, "renamed");
        assert!(schema::fault_in_request(&wrong).is_some(), "{wrong}");
    }
}
