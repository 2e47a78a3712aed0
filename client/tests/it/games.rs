//! Following games over drops, gaps, duplicates and snapshots; lines of talk; unknown words.

use std::collections::HashSet;

use adamant_client::{Client, DisconnectReason, Inbox, Incoming, RequestError};
use adamant_protocol::{
    ErrorCode, ToClient,
    codec::encode,
    from_client::{Cursor, Lobby, Ping, Signup, Watch},
    schema::closed_document,
};
use serde_json::{Map, Value, json};

use crate::{Peer, chain, config, event, next_seq};

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
    let (mut peer, _client, mut inbox, _, mut call) = Peer::connected(config()).await;
    for seq in 1..=3 {
        call.send_event("g", seq).await;
        assert_eq!(next_seq(&mut inbox).await, seq);
    }
    drop(call);

    let tail = r#"[{"game":"g","seat":0,"resume":"tail","from":4}]"#;
    let (mut call, hello) = peer.welcome(tail).await;
    let cursor = json!({"g": {"seq": 3, "chain": chain(3).to_string()}});
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
    let (mut peer, _client, mut inbox, _, mut call) = Peer::connected(config()).await;
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
    let (_peer, _client, mut inbox, _, mut call) = Peer::connected(config()).await;
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
    let (_peer, client, mut inbox, _, mut call) = Peer::connected(config()).await;
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
    let (_peer, client, mut inbox, _, mut call) = Peer::connected(config()).await;
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
    let (_peer, client, mut inbox, _, mut call) = Peer::connected(config()).await;
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
    let (_peer, client, mut inbox, _, mut call) = Peer::connected(config()).await;
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
    let (_peer, _client, mut inbox, _, mut call) = Peer::connected(config()).await;
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

#[tokio::test(start_paused = true)]
async fn replies_reach_their_callers_in_any_order() {
    let (_peer, client, _inbox, welcome, mut call) = Peer::connected(config()).await;
    assert_eq!(welcome.user.unwrap().name.as_str(), "ann");
    let ask = |t0| {
        let client = client.clone();
        tokio::spawn(async move { client.request(|id| Ping { id, t0: Some(t0) }).await })
    };
    let asked = [ask(1), ask(2), ask(3)];
    let mut heard = [call.receive().await, call.receive().await, call.receive().await];
    heard.reverse();
    for ping in &heard {
        let (re, t0) = (ping.id(), &ping.0["t0"]);
        call.send(&format!(r#"{{"type":"pong","re":"{re}","t0":{t0},"t1":1,"t2":2}}"#)).await;
    }
    for (asking, t0) in asked.into_iter().zip(1..) {
        let Ok(ToClient::Pong(pong)) = asking.await.unwrap() else { panic!() };
        assert_eq!(pong.t0, Some(t0));
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_request_fails_with_the_fields_of_the_error() {
    let (_peer, client, _inbox, _, mut call) = Peer::connected(config()).await;
    let asking =
        tokio::spawn(
            async move { client.done(|id| Lobby { id, watch: true, before: None }).await },
        );
    let re = call.receive().await.id().to_owned();
    call.send(&format!(
        r#"{{"type":"error","re":"{re}","code":"illegal_move","message":"No.","retry":"never","why":"w"}}"#
    ))
    .await;
    let Err(RequestError::Refused(failed)) = asking.await.unwrap() else { panic!() };
    assert_eq!((failed.code, failed.why.as_deref()), (ErrorCode::IllegalMove, Some("w")));
}

#[tokio::test(start_paused = true)]
async fn unknown_messages_are_ignored_and_undecodable_replies_fail_their_request() {
    let (_peer, client, mut inbox, _, mut call) = Peer::connected(config()).await;
    let asker = client.clone();
    let asking = tokio::spawn(async move { asker.request(|id| Ping { id, t0: None }).await });
    let ping = call.receive().await;
    call.send(r#"{"type":"fireworks","colours":7}"#).await;
    call.send(r#"{"type":"notice","what":"weather","in_ms":0}"#).await;
    call.send(&format!(r#"{{"type":"pong","re":"{}","t1":"noon"}}"#, ping.id())).await;
    assert!(matches!(asking.await.unwrap(), Err(RequestError::Unreadable(_))));
    let Some(Incoming::Notice(notice)) = inbox.next().await else { panic!() };
    assert_eq!(notice.what.as_str(), "weather");
    call.send(r#"{"type":"lobby","add":[],"remove":["k_5"],"mood":"good"}"#).await;
    assert!(matches!(inbox.next().await, Some(Incoming::Lobby(_))));
}

#[tokio::test(start_paused = true)]
async fn requests_are_limited_in_size_and_number() {
    let (_peer, client, _inbox, _, call) = Peer::connected(config()).await;
    let password: Box<str> = "x".repeat(70_000).into();
    let user = "ann".parse().unwrap();
    let large = client.request(|id| Signup::new(id, user, password)).await;
    assert!(matches!(large, Err(RequestError::TooLarge { bytes: 70_000.. })));

    // The server answers nothing, so the request beyond the limit fails.
    let asked: Vec<_> = (0..257)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { client.request(|id| Ping { id, t0: None }).await })
        })
        .collect();
    let (first, _, _) = futures::future::select_all(asked).await;
    assert_eq!(first.unwrap(), Err(RequestError::TooManyPending));
    drop(call);
}

#[tokio::test(start_paused = true)]
async fn ids_never_repeat_over_requests_and_runs() {
    let mut ids = HashSet::new();
    for _ in 0..3 {
        let (_peer, client, _inbox, _, mut call) = Peer::connected(config()).await;
        for _ in 0..3 {
            let client = client.clone();
            tokio::spawn(async move { client.request(|id| Ping { id, t0: None }).await });
            assert!(ids.insert(call.receive().await.id().to_owned()));
        }
    }
}

const UNKNOWN: &str = "zz";

/// What the words of lists begin with until a frame is sent.
const MARK: char = '\u{1}';

struct Schema(Value);

impl Schema {
    /// Returns the messages of a definition: each alternative occurs, and each optional field.
    fn examples_of(&self, definition: &str) -> Vec<Value> {
        self.examples(&self.0["$defs"][definition])
    }

    fn examples(&self, node: &Value) -> Vec<Value> {
        let word = |word: &str| vec![format!("{MARK}{word}").into()];
        let all = |nodes: &Value| -> Vec<Value> {
            nodes.as_array().into_iter().flatten().flat_map(|node| self.examples(node)).collect()
        };
        if let Some(to) = node["$ref"].as_str() {
            return self.examples_of(to.rsplit('/').next().unwrap_or_default());
        }
        match (&node["const"], &node["enum"][0]) {
            (Value::String(one), _) | (_, Value::String(one)) => return word(one),
            _ => {}
        }
        for alternatives in ["anyOf", "oneOf", "allOf"] {
            if node.get(alternatives).is_some() {
                return all(&node[alternatives]);
            }
        }
        match &node["type"] {
            Value::Array(types) => {
                let of = |kind: &Value| {
                    let mut node = node.clone();
                    node["type"] = kind.clone();
                    self.examples(&node)
                };
                types.iter().flat_map(of).collect()
            }
            kind => self.of_type(kind.as_str().unwrap_or("object"), node),
        }
    }

    fn of_type(&self, kind: &str, node: &Value) -> Vec<Value> {
        match kind {
            "object" => self.objects(node),
            "array" => vec![self.examples(&node["items"]).into()],
            "integer" => vec![node.get("minimum").cloned().unwrap_or(1.into())],
            "number" => vec![json!(1.5)],
            "boolean" => vec![json!(true)],
            "string" => vec![text_of(node["pattern"].as_str()).into()],
            "null" => vec![Value::Null],
            other => panic!("{other} is no type of JSON"),
        }
    }

    fn objects(&self, node: &Value) -> Vec<Value> {
        let mut fields: Vec<(String, Vec<Value>)> = Vec::new();
        for (name, field) in node["properties"].as_object().into_iter().flatten() {
            fields.push((name.clone(), self.examples(field)));
        }
        if fields.is_empty() && node["additionalProperties"].is_object() {
            fields.push(("x".to_owned(), self.examples(&node["additionalProperties"])));
        }
        let first: Map<String, Value> =
            fields.iter().map(|(name, examples)| (name.clone(), examples[0].clone())).collect();
        let mut objects = vec![first.clone().into()];
        for (name, examples) in &fields {
            for example in &examples[1..] {
                let mut other = first.clone();
                other.insert(name.clone(), example.clone());
                objects.push(other.into());
            }
        }
        objects
    }
}

fn text_of(pattern: Option<&str>) -> String {
    match pattern {
        Some("^[0-9a-f]{16}$") => "0".repeat(16),
        Some("^[0-9a-f]{64}$") => "0".repeat(64),
        Some("^[0-9a-f]{128}$") => "0".repeat(128),
        Some(pattern) if pattern.starts_with("^o_") => "o_1".to_owned(),
        Some(pattern) if pattern.starts_with("^t_") => "t_1".to_owned(),
        _ => "k1".to_owned(),
    }
}

/// Calls `change` with each word, by its number.
fn each_word(value: &mut Value, change: &mut impl FnMut(&mut String)) {
    match value {
        Value::String(text) if text.starts_with(MARK) => change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| each_word(item, change)),
        Value::Object(fields) => fields.values_mut().for_each(|field| each_word(field, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Returns the message with an unknown word in the places that are chosen by their number.
fn with_unknown(message: &Value, is_chosen: impl Fn(usize) -> bool) -> Value {
    let (mut message, mut place) = (message.clone(), 0);
    each_word(&mut message, &mut |word| {
        *word = if is_chosen(place) { UNKNOWN.to_owned() } else { word[1..].to_owned() };
        place += 1;
    });
    message
}

/// Returns each message with an unknown word in one place.
fn frames(schema: &Schema) -> Vec<Value> {
    let mut frames: Vec<Value> = Vec::new();
    for message in [schema.examples_of("ToClient"), schema.examples_of("Event")].concat() {
        let mut places = 0;
        each_word(&mut message.clone(), &mut |_| places += 1);
        for place in 0..places {
            let mut frame = with_unknown(&message, |at| at == place);
            if frame["type"] == "welcome" || frames.contains(&frame) {
                continue;
            }
            if frame.get("game").is_some_and(Value::is_string) {
                // Each event is the first of a game.
                frame["game"] = format!("g{}", frames.len()).into();
                if frame["type"] == "event" {
                    frame["seq"] = 1.into();
                }
            }
            frames.push(frame);
        }
    }
    frames
}

fn count(value: &Value) -> usize {
    value.to_string().matches(&format!("{UNKNOWN:?}")).count()
}

async fn ping(client: &Client) -> Result<ToClient, RequestError> {
    client.request(|id| Ping { id, t0: None }).await
}

/// Counts the events until the connection ends, and expects that it does not break.
async fn count_events(mut inbox: Inbox) -> usize {
    let mut events = 0;
    while let Some(incoming) = inbox.next().await {
        match incoming {
            Incoming::Event { .. } => events += 1,
            Incoming::Disconnected { reason, .. } => {
                assert_eq!(reason, DisconnectReason::ClosedHere);
            }
            _ => {}
        }
    }
    events
}

#[tokio::test(start_paused = true)]
async fn no_unknown_word_ends_or_silences_a_client() {
    let frames = frames(&Schema(closed_document()));
    assert!(frames.len() > 300, "{}", frames.len());
    let (_peer, client, inbox, _, mut call) = Peer::connected(config()).await;
    let inbox = tokio::spawn(count_events(inbox));
    for mut frame in frames.clone() {
        let is_reply = frame.get("re").is_some();
        let asker = client.clone();
        let asking = tokio::spawn(async move { ping(&asker).await });
        let re = call.receive().await.id().to_owned();
        if is_reply {
            frame["re"] = re.into();
            call.send(&frame.to_string()).await;
            match asking.await.unwrap() {
                Ok(reply) => assert_eq!(reply.kind(), frame["type"], "{frame}"),
                Err(RequestError::Refused(_)) => assert_eq!(frame["type"], "error", "{frame}"),
                Err(error) => assert_eq!(frame["type"], UNKNOWN, "{error}: {frame}"),
            }
        } else {
            call.send(&frame.to_string()).await;
            call.send(&format!(r#"{{"type":"pong","re":"{re}","t1":1,"t2":2}}"#)).await;
            assert!(matches!(asking.await.unwrap(), Ok(ToClient::Pong(_))), "{frame}");
        }
    }
    client.close().await;
    let events = frames.iter().filter(|frame| frame["type"] == "event").count();
    assert_eq!(inbox.await.unwrap(), events);
}

#[tokio::test(start_paused = true)]
async fn unknown_words_in_a_welcome_open_the_session_all_the_same() {
    for welcome in Schema(closed_document()).examples_of("Welcome") {
        let mut peer = Peer::new();
        let connecting = Client::connect_over(config(), peer.dialer());
        let serving = async {
            let mut call = peer.accept().await;
            let hello = call.receive().await;
            let mut frame = with_unknown(&welcome, |_| true);
            frame["type"] = "welcome".into();
            frame["re"] = hello.id().into();
            frame["limits"] = json!({ "frame_bytes": 16384, "burst": 0, "per_s": 0 });
            call.send(&frame.to_string()).await;
            call
        };
        let (connected, mut call) = tokio::join!(connecting, serving);
        let (client, _inbox, _) = connected.unwrap();
        let asking = tokio::spawn(async move { ping(&client).await });
        let re = call.receive().await.id().to_owned();
        call.send(&format!(r#"{{"type":"pong","re":"{re}","t1":1,"t2":2}}"#)).await;
        assert!(asking.await.unwrap().is_ok());
    }
}

#[test]
fn unknown_words_are_kept() {
    for frame in frames(&Schema(closed_document())) {
        let bytes = frame.to_string();
        match ToClient::from_bytes(bytes.as_bytes()).unwrap() {
            Some(message) => {
                let encoded: Value = serde_json::from_str(&encode(&message)).unwrap();
                assert_eq!(count(&encoded), count(&frame), "{frame} is {encoded}");
            }
            None => assert_eq!(frame["type"], UNKNOWN),
        }
    }
}
