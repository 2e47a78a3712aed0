//! The document: the messages of both directions, gathered with the definitions that they use.

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use super::{
    shape::Shape,
    tidy::{lists_of_words, name_titled, open_words, reference, set_references_apart, share, tidy},
};
use crate::{
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
