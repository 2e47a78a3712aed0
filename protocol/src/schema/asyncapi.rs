//! The socket as an AsyncAPI document: what a client may ask, what answers it, and what comes
//! without a request.

use serde_json::{Map, Value, json};

use super::document::document;
use crate::{PROTOCOL_VERSION, SUBPROTOCOL, WEBSOCKET_PATH, from_client::FromClient};

/// The messages that lack `re` in answers by HTTP only.
const WITHOUT_RE_BY_HTTP: [&str; 7] =
    ["directory", "games", "history", "signature", "standings", "stats", "user"];

/// The place of the one channel.
const CHANNEL: &str = "#/channels/socket";

/// Returns the definitions of the published schema, as OpenAPI and AsyncAPI refer to them:
/// `#/components/schemas/NAME`.
pub fn components() -> Map<String, Value> {
    let text = document()["$defs"].to_string();
    let text = text.replace("\"#/$defs/", "\"#/components/schemas/");
    serde_json::from_str(&text).expect("references are texts, and stay so")
}

/// Returns the description of the WebSocket in AsyncAPI 3.0. Each request is an operation with the
/// messages that answer it.
pub fn asyncapi() -> Value {
    let schemas = components();
    let mut messages = Map::new();
    let mut operations = Map::new();
    let requests = members(&schemas, "FromClient", "type");
    let told = members(&schemas, "ToClient", "type");
    let events = members(&schemas, "Event", "kind");
    for (name, word) in &requests {
        messages.insert(name.clone(), message(&schemas[name], name, word, Some("id")));
    }
    for (name, word) in &told {
        let is_reply = schemas[name]["properties"].get("re").is_some();
        messages
            .insert(name.clone(), message(&schemas[name], name, word, is_reply.then_some("re")));
    }
    for (name, word) in &events {
        let word = format!("event.{word}");
        messages.insert(name.clone(), message(&schemas[name], name, &word, None));
    }
    let refused = named(&told, "error");
    for ((name, word), (_, replies)) in requests.iter().zip(FromClient::REPLIES) {
        let mut answers: Vec<Value> =
            replies.iter().flat_map(|reply| named(&told, reply)).collect();
        answers.extend_from_slice(&refused);
        operations.insert(
            word.clone(),
            json!({
                "action": "receive",
                "channel": { "$ref": CHANNEL },
                "summary": schemas[name]["description"],
                "messages": [in_channel(name)],
                "reply": { "channel": { "$ref": CHANNEL }, "messages": answers },
            }),
        );
    }
    let comes_unasked = |(name, word): &&(String, String)| {
        let required = schemas[name]["required"].as_array();
        let is_only_reply = required.is_some_and(|fields| fields.contains(&json!("re")));
        !is_only_reply && !WITHOUT_RE_BY_HTTP.contains(&word.as_str())
    };
    let unasked: Vec<Value> =
        told.iter().filter(comes_unasked).map(|(name, _)| in_channel(name)).collect();
    operations
        .insert("notify".to_owned(), sent("What the server sends without a request.", &unasked));
    let records: Vec<Value> = events.iter().map(|(name, _)| in_channel(name)).collect();
    operations.insert("event".to_owned(), sent("The records of games, in order.", &records));
    let all: Map<String, Value> = messages
        .keys()
        .map(|name| (name.clone(), json!({ "$ref": format!("#/components/messages/{name}") })))
        .collect();
    json!({
        "asyncapi": "3.0.0",
        "id": "urn:adamant:wire:1:socket",
        "info": {
            "title": "The Adamant wire protocol",
            "version": PROTOCOL_VERSION.to_string(),
            "description": "Live games over one WebSocket: one JSON object per text frame. \
                The first request is `hello`. Receivers ignore fields, words and kinds of events \
                that they do not know.",
            "license": { "name": "MIT OR Apache-2.0" },
        },
        "defaultContentType": "application/json",
        "servers": {
            "own": {
                "host": "{host}",
                "protocol": "ws",
                "description": "The server that this document comes from; `wss` with TLS.",
                "variables": { "host": { "default": "127.0.0.1:7777" } },
            },
        },
        "channels": {
            "socket": {
                "address": WEBSOCKET_PATH,
                "description": format!("The sub-protocol is `{SUBPROTOCOL}`."),
                "messages": all,
                "bindings": { "ws": { "method": "GET" } },
            },
        },
        "operations": operations,
        "components": { "messages": messages, "schemas": schemas },
    })
}

/// Returns the members of a set that are messages: the name of each definition, and its word on the
/// wire.
fn members(schemas: &Map<String, Value>, set: &str, key: &str) -> Vec<(String, String)> {
    let references = schemas[set]["oneOf"].as_array().into_iter().flatten();
    let names = references.filter_map(|member| member["$ref"].as_str()?.rsplit('/').next());
    let words = names.filter_map(|name| {
        let word = schemas[name]["properties"][key]["const"].as_str()?;
        Some((name.to_owned(), word.to_owned()))
    });
    words.collect()
}

fn message(schema: &Value, name: &str, word: &str, correlated: Option<&str>) -> Value {
    let mut message = json!({
        "name": word,
        "title": name,
        "summary": schema["description"],
        "payload": { "$ref": format!("#/components/schemas/{name}") },
    });
    if let Some(field) = correlated {
        message["correlationId"] = json!({ "location": format!("$message.payload#/{field}") });
    }
    message
}

/// Returns the references to the messages with this word.
fn named(messages: &[(String, String)], word: &str) -> Vec<Value> {
    messages.iter().filter(|(_, other)| other == word).map(|(name, _)| in_channel(name)).collect()
}

fn in_channel(name: &str) -> Value {
    json!({ "$ref": format!("{CHANNEL}/messages/{name}") })
}

fn sent(summary: &str, messages: &[Value]) -> Value {
    json!({
        "action": "send",
        "channel": { "$ref": CHANNEL },
        "summary": summary,
        "messages": messages,
    })
}
