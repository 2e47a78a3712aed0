//! Following games: over drops, gaps, duplicates and snapshots.

use adamant_client::{Client, DisconnectReason, Incoming, RequestError};
use adamant_protocol::{
    ToClient,
    from_client::{Cursor, Watch},
};

use crate::peer::{Peer, chain, config, event, next_seq};

/// Sent after a `hello`.
const RESUMED: (&str, &str) = ("reason", "resumed");

/// The snapshot of a game; `field` and `value` say why the server sends it.
fn snapshot(game: &str, seq: u64, (field, value): (&str, &str)) -> String {
    format!(
        r#"{{"type":"snapshot","{field}":"{value}","game":"{game}","seq":{seq},"chain":"{}","at":1,"rules":"adamas@1",
        "options":{{}},"seats":[],"ply":0,"turn":0,"to_move":0,"moves":[],"position":{{}},
        "hash":"00","clock":{{"mode":"none"}},"rated":false,"offers":[],"presence":[],
        "spectators":0,"result":null}}"#,
        chain(seq)
    )
}

async fn watch_from_the_start(client: Client) -> Result<Client, RequestError> {
    let game: adamant_protocol::GameId = "g".parse().unwrap();
    client.done(|id| Watch { id, game, from: Some(1), named: None }).await.map(|_| client)
}

#[tokio::test(start_paused = true)]
async fn a_game_is_resumed_from_its_last_event() {
    let mut peer = Peer::new();
    let (_client, mut inbox, _, mut call) = peer.connect(config()).await;
    for seq in 1..=3 {
        call.send_event("g", seq).await;
        assert_eq!(next_seq(&mut inbox).await, seq);
    }
    drop(call);

    let tail = r#"[{"game":"g","seat":0,"resume":"tail","from":4}]"#;
    let (mut call, hello) = peer.welcome(tail).await;
    let cursor = serde_json::json!({"g": {"seq": 3, "chain": chain(3).to_string()}});
    assert_eq!(hello.0["resume"], cursor);
    call.send_event("g", 3).await;
    call.send_event("g", 4).await;
    assert!(matches!(inbox.next().await, Some(Incoming::Disconnected { .. })));
    assert!(matches!(inbox.next().await, Some(Incoming::Connected(_))));
    assert_eq!(next_seq(&mut inbox).await, 4, "the known event is not passed on twice");
}

#[tokio::test(start_paused = true)]
async fn cursors_of_an_earlier_run_are_resumed() {
    let mut peer = Peer::new();
    let mut config = config();
    config.resume = vec![("g".parse().unwrap(), Cursor { seq: 41, chain: Some(chain(41)) })];
    let connecting = Client::connect_over(config, peer.dialer());
    let (connected, (mut call, hello)) = tokio::join!(connecting, peer.welcome("[]"));
    let (_client, mut inbox, _) = connected.unwrap();
    assert_eq!(hello.0["resume"]["g"]["seq"], 41);
    call.send_event("g", 41).await;
    call.send_event("g", 42).await;
    assert_eq!(next_seq(&mut inbox).await, 42);
}

#[tokio::test(start_paused = true)]
async fn a_fork_resets_the_cursor_and_a_finished_game_is_not_resumed() {
    let mut peer = Peer::new();
    let (_client, mut inbox, _, mut call) = peer.connect(config()).await;
    for seq in 1..=9 {
        call.send_event("g", seq).await;
        next_seq(&mut inbox).await;
    }
    call.send(&snapshot("h", 99, RESUMED)).await;
    assert!(matches!(inbox.next().await, Some(Incoming::Snapshot(_))));
    call.send_event("h", 100).await;
    assert_eq!(next_seq(&mut inbox).await, 100);
    drop(call);

    let fork = r#"[{"game":"g","seat":0,"resume":"fork"}]"#;
    let (mut call, hello) = peer.welcome(fork).await;
    assert_eq!(hello.0["resume"]["g"]["seq"], 9);
    assert_eq!(hello.0["resume"].as_object().unwrap().len(), 1, "h has ended");
    call.send(&snapshot("g", 5, RESUMED)).await;
    call.send_event("g", 6).await;
    for _ in ["disconnected", "connected", "snapshot"] {
        assert!(!matches!(inbox.next().await, Some(Incoming::Event { .. }) | None));
    }
    assert_eq!(next_seq(&mut inbox).await, 6);
}

#[tokio::test(start_paused = true)]
async fn missing_events_are_requested_once() {
    let mut peer = Peer::new();
    let (_client, mut inbox, _, mut call) = peer.connect(config()).await;
    call.send_event("g", 1).await;
    call.send_event("g", 4).await;
    call.send_event("g", 5).await;
    let watch = call.receive().await;
    assert_eq!((watch.kind(), watch.text("game"), &watch.0["from"]), ("watch", "g", &2.into()));
    call.send(&format!(r#"{{"type":"ok","re":"{}"}}"#, watch.id())).await;
    for seq in 2..=6 {
        call.send_event("g", seq).await;
    }
    for seq in 1..=6 {
        assert_eq!(next_seq(&mut inbox).await, seq);
    }
    // A second gap causes a second request. A repeated first one would arrive here.
    call.send_event("g", 8).await;
    assert_eq!(call.receive().await.0["from"], 7);
}

#[tokio::test(start_paused = true)]
async fn a_requested_snapshot_is_the_reply_and_its_events_follow() {
    let mut peer = Peer::new();
    let (client, mut inbox, _, mut call) = peer.connect(config()).await;
    let asking = tokio::spawn(async move {
        let game: adamant_protocol::GameId = "g".parse().unwrap();
        client.request(|id| Watch { id, game, from: None, named: None }).await
    });
    let watch = call.receive().await;
    call.send(&snapshot("g", 17, ("re", watch.id()))).await;
    call.send_event("g", 18).await;
    let Ok(ToClient::Snapshot(snapshot)) = asking.await.unwrap() else { panic!() };
    assert_eq!(snapshot.seq, 17);
    assert_eq!(next_seq(&mut inbox).await, 18);
}

#[tokio::test(start_paused = true)]
async fn a_replay_that_crosses_the_snapshot_of_the_hello_is_complete() {
    let mut peer = Peer::new();
    let (client, mut inbox, _, mut call) = peer.connect(config()).await;
    let asking = tokio::spawn(watch_from_the_start(client));
    let watch = call.receive().await;
    call.send(&snapshot("g", 3, RESUMED)).await;
    call.send(&format!(r#"{{"type":"ok","re":"{}","seq":3}}"#, watch.id())).await;
    for seq in 1..=4 {
        call.send_event("g", seq).await;
    }
    let _client = asking.await.unwrap().unwrap();
    assert!(matches!(inbox.next().await, Some(Incoming::Snapshot(_))));
    for seq in 1..=4 {
        assert_eq!(next_seq(&mut inbox).await, seq);
    }
}

#[tokio::test(start_paused = true)]
async fn the_snapshot_after_a_lag_ends_a_replay_and_its_events_follow() {
    let mut peer = Peer::new();
    let (client, mut inbox, _, mut call) = peer.connect(config()).await;
    let asking = tokio::spawn(watch_from_the_start(client));
    let watch = call.receive().await;
    call.send(&format!(r#"{{"type":"ok","re":"{}","seq":9}}"#, watch.id())).await;
    call.send_event("g", 1).await;
    // The events from 2 on did not fit.
    call.send(&snapshot("g", 12, ("reason", "lagged"))).await;
    call.send_event("g", 13).await;
    let _client = asking.await.unwrap().unwrap();
    assert_eq!(next_seq(&mut inbox).await, 1);
    assert!(matches!(inbox.next().await, Some(Incoming::Snapshot(_))));
    assert_eq!(next_seq(&mut inbox).await, 13);
}

#[tokio::test(start_paused = true)]
async fn an_event_with_a_word_of_tomorrow_counts_and_ends_nothing() {
    let mut peer = Peer::new();
    let (client, mut inbox, _, mut call) = peer.connect(config()).await;
    let sealed = |seq: u64, kind: &str, rest: &str| {
        format!(
            r#"{{"type":"event","game":"g","seq":{seq},"at":1,"kind":"{kind}",{rest},"zz":"zz","hash":"00000000000000ff","chain":"{}"}}"#,
            chain(seq)
        )
    };
    let events = [
        sealed(1, "ended", r#""winners":[0],"places":[1,2],"reason":"adjudicated""#),
        sealed(2, "offered", r#""offer":1,"what":"zz","by":0,"needs":[1]"#),
        sealed(3, "removed", r#""seat":0,"reason":"zz","turn":1,"to_move":1"#),
        sealed(4, "zz", r#""turn":1"#),
    ];
    for (seq, text) in (1..).zip(&events) {
        call.send(text).await;
        match inbox.next().await {
            Some(Incoming::Event { frame, bytes }) => {
                assert_eq!((frame.seq, frame.chain), (seq, chain(seq)));
                assert_eq!(bytes, text.as_bytes(), "what the chain seals");
            }
            other => panic!("{other:?}"),
        }
    }
    // Messages of types that only later versions know are passed over.
    call.send(r#"{"type":"zz","game":"g"}"#).await;
    call.send(r#"{"type":"notice","what":"zz","in_ms":1}"#).await;
    let notice = inbox.next().await;
    assert!(matches!(&notice, Some(Incoming::Notice(notice)) if notice.what.as_str() == "zz"));
    call.send_event("g", 5).await;
    assert_eq!(next_seq(&mut inbox).await, 5);
    drop(client);
}

#[tokio::test(start_paused = true)]
async fn an_undecodable_event_ends_the_connection() {
    let mut peer = Peer::new();
    let (_client, mut inbox, _, mut call) = peer.connect(config()).await;
    let bytes = event("g", 1).to_bytes();
    let broken = String::from_utf8(bytes).unwrap().replace(r#""seq":1"#, r#""seq":"one""#);
    call.send(&broken).await;
    let ended = inbox.next().await;
    assert!(
        matches!(
            ended,
            Some(Incoming::Disconnected {
                reason: DisconnectReason::Unreadable(_),
                retry_in: None
            })
        ),
        "{ended:?}"
    );
}
