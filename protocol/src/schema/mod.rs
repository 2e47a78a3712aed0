//! The wire as one JSON Schema document, made from the types that read and write it.
//!
//! Requests are described as the server decodes them: fields with a default are optional. Messages
//! to a client are described as the server encodes them. Unknown fields are allowed everywhere,
//! because messages only grow.

pub(crate) mod shape;

use std::collections::BTreeSet;

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};
use shape::Shape;

use crate::{
    PROTOCOL_VERSION, SUBPROTOCOL, WEBSOCKET_PATH,
    event::EventBody,
    from_client::FromClient,
    ids::{Chain, GameId, PositionHash, RequestId},
    to_client::ToClient,
};

/// The id of the document.
const ID: &str = "urn:adamant:wire:1";

/// Returns the published schema of every message, in draft 2020-12. It accepts codes, reasons and
/// kinds of events that are not known yet.
///
/// `$defs` has each message under the name of its type, and the sets `FromClient`, `ToClient` and
/// `Event`. The document itself accepts any frame of either direction.
pub fn document() -> Value {
    make(true)
}

/// Returns the schema that accepts only the codes, reasons and kinds of this version. It serves
/// tests, and programs that handle each of them.
pub fn closed_document() -> Value {
    make(false)
}

/// Returns the schema of another type that the server reads, in the same manner and without
/// definitions: for what stands in an address.
pub fn read<T: JsonSchema>() -> Value {
    alone::<T>(SchemaSettings::draft2020_12().for_deserialize())
}

/// Returns the same for another type that the server writes.
pub fn written<T: JsonSchema>() -> Value {
    alone::<T>(SchemaSettings::draft2020_12().for_serialize())
}

fn alone<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let settings = settings.with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    tidy(&mut schema);
    schema
}

fn make(is_open: bool) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.meta_schema = None);
    // A field may be optional in a request and required in a message, so the two directions cannot
    // share all definitions.
    let mut reading = settings.clone().for_deserialize().into_generator();
    let mut writing = settings.for_serialize().into_generator();

    let mut requests = FromClient::shapes(&mut reading);
    let mut messages = ToClient::shapes(&mut writing);
    let mut events = EventBody::shapes(&mut writing);
    let head = event_head(&mut writing);
    let req = writing.subschema_for::<RequestId>().to_value();

    let mut defs = writing.take_definitions(false);
    let mut read = reading.take_definitions(false);
    let shapes = requests.iter_mut().chain(&mut messages).chain(&mut events);
    for schema in
        shapes.map(|shape| &mut shape.schema).chain(defs.values_mut()).chain(read.values_mut())
    {
        tidy(schema);
    }
    name_titled(&mut defs);
    name_titled(&mut read);
    if is_open {
        let words = lists_of_words(&defs);
        let said = messages.iter_mut().chain(&mut events).map(|shape| &mut shape.schema);
        said.chain(defs.values_mut()).for_each(|schema| open_words(schema, &words));
    }
    let mut asked: Vec<_> = requests.iter_mut().map(|shape| &mut shape.schema).collect();
    share(&mut defs, read, &mut asked);

    let from_client =
        gather(&mut defs, requests, |shape| shape.tag("type", json!({ "const": shape.word })));
    let mut to_client =
        gather(&mut defs, messages, |shape| shape.tag("type", json!({ "const": shape.word })));
    let event = gather(&mut defs, events, |shape| {
        shape.optional("req", req.clone());
        shape.tag("kind", json!({ "const": shape.word }));
        for (key, value) in &head {
            shape.tag(key, value.clone());
        }
    });
    to_client.push(reference("Event"));
    if is_open {
        add(&mut defs, "OtherEvent", other_event(&head));
        to_client.push(reference("OtherEvent"));
    }
    let sets = [
        ("FromClient", "Messages from a client: requests, by type", from_client),
        ("ToClient", "Messages to a client, by type", to_client),
        ("Event", "A record of a game, by kind. Receivers ignore unknown kinds.", event),
    ];
    for (name, description, members) in sets {
        add(&mut defs, name, json!({ "description": description, "oneOf": members }));
    }
    defs.values_mut().for_each(set_references_apart);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": ID,
        "title": "The Adamant wire protocol, version 1",
        "description": "One JSON object per frame. Receivers ignore fields that they do not know.",
        "anyOf": [reference("FromClient"), reference("ToClient")],
        "$defs": defs,
    })
}

/// Returns the schema of an event of an unknown kind.
fn other_event(head: &[(&'static str, Value)]) -> Value {
    let mut shape = Shape {
        word: "event",
        name: "OtherEvent".into(),
        schema: json!({
            "description": "A record of an unknown kind. It is part of the chain like any other.",
            "type": "object",
        }),
    };
    shape.tag("kind", json!({ "type": "string", "not": { "enum": EventBody::KINDS } }));
    for (key, value) in head {
        shape.tag(key, value.clone());
    }
    shape.schema
}

/// Returns the fields that every event has besides those of its kind; `type` comes first.
fn event_head(writing: &mut SchemaGenerator) -> Vec<(&'static str, Value)> {
    vec![
        ("chain", writing.subschema_for::<Chain>().to_value()),
        ("hash", writing.subschema_for::<PositionHash>().to_value()),
        (
            "at",
            json!({ "type": "integer", "minimum": 0, "description": "epoch milliseconds; never less than the one before" }),
        ),
        (
            "seq",
            json!({ "type": "integer", "minimum": 1, "description": "gapless within the game" }),
        ),
        ("game", writing.subschema_for::<GameId>().to_value()),
        ("type", json!({ "const": "event" })),
    ]
}

fn add(defs: &mut Map<String, Value>, name: &str, schema: Value) {
    let before = defs.insert(name.to_owned(), schema);
    debug_assert!(before.is_none(), "{name} is the name of one definition");
}

/// Adds each message to the definitions and returns references to them.
fn gather(
    defs: &mut Map<String, Value>,
    shapes: Vec<Shape>,
    finish: impl Fn(&mut Shape),
) -> Vec<Value> {
    let mut members = Vec::with_capacity(shapes.len());
    for mut shape in shapes {
        finish(&mut shape);
        members.push(reference(&shape.name));
        add(defs, &shape.name, shape.schema);
    }
    members
}

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

/// The prefix of references to definitions.
const DEFS: &str = "#/$defs/";

/// Returns a reference to a definition.
fn reference(name: &str) -> Value {
    json!({ "$ref": format!("{DEFS}{name}") })
}

/// Returns the name of the definition that a schema refers to.
fn referred(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix(DEFS)
}

/// Calls `change` with each schema and each list in here, the innermost first.
fn each(value: &mut Value, change: &mut impl FnMut(&mut Value)) {
    match value {
        Value::Object(fields) => fields.values_mut().for_each(|field| each(field, change)),
        Value::Array(members) => members.iter_mut().for_each(|member| each(member, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return,
    }
    change(value);
}

/// Adapts a schema.
fn tidy(schema: &mut Value) {
    each(schema, &mut |schema| {
        bound(schema);
        list_words(schema);
        leave_out_nulls(schema);
    });
}

/// Replaces the format of a number by its maximum, which all generators understand.
fn bound(schema: &mut Value) {
    let Some(fields) = schema.as_object_mut() else { return };
    let most: Option<u64> = match fields.get("format").and_then(Value::as_str) {
        Some("uint8") => Some(u8::MAX.into()),
        Some("uint16") => Some(u16::MAX.into()),
        Some("uint32") => Some(u32::MAX.into()),
        Some("int32" | "uint64" | "double") => None,
        _ => return,
    };
    fields.remove("format");
    if let Some(most) = most {
        fields.entry("maximum").or_insert_with(|| most.into());
    }
}

/// Turns words with a description each into a plain list, which generators turn into one type. The
/// description of the list gets theirs.
fn list_words(schema: &mut Value) {
    let Some(words) = schema.get("oneOf").and_then(Value::as_array) else { return };
    let is_word = |word: &Value| word["const"].is_string() && word["description"].is_string();
    if words.is_empty() || !words.iter().all(is_word) {
        return;
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let lines: Vec<_> = words
        .iter()
        .map(|w| format!("- `{}`: {}", text(&w["const"]), text(&w["description"])))
        .collect();
    let description = format!("{}\n\n{}", text(&schema["description"]), lines.join("\n"));
    let list: Vec<_> = words.iter().map(|word| word["const"].clone()).collect();
    *schema = json!({ "description": description, "type": "string", "enum": list });
}

/// Removes `null` from fields that are omitted when they have no value. A field that can be present
/// and `null` is marked as nullable.
fn leave_out_nulls(schema: &mut Value) {
    let required: BTreeSet<String> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect();
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    for (name, property) in properties {
        let Some(fields) = property.as_object_mut() else { continue };
        let is_nullable = fields.remove("nullable").is_some();
        if required.contains(name) || is_nullable {
            continue;
        }
        if fields.get("default").is_some_and(Value::is_null) {
            fields.remove("default");
        }
        if let Some(types) = fields.get_mut("type").and_then(Value::as_array_mut) {
            types.retain(|one| one != "null");
            if let [one] = &types[..] {
                let one = one.clone();
                fields.insert("type".to_owned(), one);
            }
        }
        if let Some(words) = fields.get_mut("enum").and_then(Value::as_array_mut) {
            words.retain(|word| !word.is_null());
        }
        let either = fields.get("anyOf").and_then(Value::as_array);
        if let Some([one, none]) = either.map(Vec::as_slice)
            && none["type"] == "null"
        {
            let one = one.as_object().cloned().unwrap_or_default();
            fields.remove("anyOf");
            for (key, value) in one {
                fields.entry(key).or_insert(value);
            }
        }
    }
}

/// Turns each schema with a title into a definition, so that generators do not number it.
fn name_titled(defs: &mut Map<String, Value>) {
    let mut named = Map::new();
    for schema in defs.values_mut() {
        each(schema, &mut |schema| {
            let Some(Value::String(title)) = schema.get("title").cloned() else { return };
            let mut fields = schema.as_object().cloned().unwrap_or_default();
            fields.remove("title");
            *schema = reference(&title);
            named.insert(title, fields.into());
        });
    }
    defs.extend(named);
}

/// Moves a reference beside other keywords into an `allOf`: otherwise generators make a new type of
/// the two. For the same reason a default moves into the description.
fn set_references_apart(schema: &mut Value) {
    each(schema, &mut |schema| {
        let Some(fields) = schema.as_object_mut().filter(|fields| fields.len() > 1) else { return };
        if fields.get("$ref").is_some_and(Value::is_string)
            && let Some(to) = fields.remove("$ref")
        {
            fields.insert("allOf".to_owned(), json!([{ "$ref": to }]));
            if let Some(default) = fields.remove("default") {
                let about = fields.get("description").and_then(Value::as_str).unwrap_or_default();
                let about = format!("{about} By default `{default}`.");
                fields.insert("description".to_owned(), about.into());
            }
        }
    });
}

/// Opens every list of words in a schema: unknown words are accepted as text.
fn open_words(schema: &mut Value, words: &BTreeSet<String>) {
    each(schema, &mut |schema| {
        if referred(schema).is_some_and(|name| words.contains(name))
            && let Some(fields) = schema.as_object_mut()
            && let Some(known) = fields.remove("$ref")
        {
            let either = json!([{ "$ref": known }, { "type": "string" }]);
            fields.insert("anyOf".to_owned(), either);
        }
    });
}

/// Returns the names of the definitions that are lists of words.
fn lists_of_words(defs: &Map<String, Value>) -> BTreeSet<String> {
    let lists = defs.iter().filter(|(_, schema)| schema.get("enum").is_some());
    lists.map(|(name, _)| name.clone()).collect()
}

/// Adds the definitions of requests to those of messages. Equal definitions are shared. One that
/// differs gets another name, as do those that refer to it, in `requests` too.
fn share(written: &mut Map<String, Value>, read: Map<String, Value>, requests: &mut [&mut Value]) {
    let mut apart = BTreeSet::new();
    loop {
        let differs = |name: &&String| {
            let mut schema = read[*name].clone();
            rename(&mut schema, &apart);
            written.get(*name).is_some_and(|other| *other != schema)
        };
        let found: BTreeSet<String> = read.keys().filter(differs).cloned().collect();
        if found.len() == apart.len() {
            break;
        }
        apart = found;
    }
    for request in requests {
        rename(request, &apart);
    }
    for (name, mut schema) in read {
        rename(&mut schema, &apart);
        written.insert(if apart.contains(&name) { given(&name) } else { name }, schema);
    }
}

/// Returns the name of a definition of requests that differs from that of messages.
fn given(name: &str) -> String {
    format!("{name}Given")
}

fn rename(schema: &mut Value, apart: &BTreeSet<String>) {
    each(schema, &mut |schema| {
        let name = referred(schema).filter(|name| apart.contains(*name)).map(given);
        if let Some(name) = name {
            schema["$ref"] = reference(&name)["$ref"].clone();
        }
    });
}
