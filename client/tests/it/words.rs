//! Words of later versions: an unknown word in any place of the schema neither ends nor silences a
//! client.

use adamant_client::{Client, Inbox, Incoming, RequestError};
use adamant_protocol::{ToClient, codec::encode, from_client::Ping, schema::closed_document};
use serde_json::{Map, Value, json};

use crate::peer::{Peer, config};

const UNKNOWN: &str = "zz";

/// What the words of lists begin with until a frame is sent.
const MARK: char = '\u{1}';

/// Makes messages of the schema.
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

/// Returns a text of a pattern.
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
                assert_eq!(reason, adamant_client::DisconnectReason::ClosedHere);
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
    let mut peer = Peer::new();
    let (client, inbox, _, mut call) = peer.connect(config()).await;
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
