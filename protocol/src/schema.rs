//! The wire as one JSON Schema document, made from the types that read and write it.
//!
//! What a client may say is described as it is read: what has a default may be left out. What a
//! client may hear is described as it is written. Unknown fields are allowed everywhere, because
//! messages only ever grow.

use std::borrow::Cow;

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use crate::{
    FromClient, ToClient,
    event::EventBody,
    ids::{Chain, GameId, PositionHash, RequestId},
};

/// One message: its word on the wire, the name of its definition, and its shape.
pub(crate) struct Shape {
    word: &'static str,
    name: Cow<'static, str>,
    schema: Value,
}

impl Shape {
    /// The shape of the message that is written with this type.
    pub(crate) fn of<T: JsonSchema>(word: &'static str, generator: &mut SchemaGenerator) -> Self {
        Self { word, name: T::schema_name(), schema: T::json_schema(generator).to_value() }
    }

    /// Adds a field that is always there and stands for the type itself.
    fn tag(&mut self, key: &str, value: Value) {
        let object = self.schema.as_object_mut().expect("a message is described by an object");
        let properties = object.entry("properties").or_insert_with(|| json!({}));
        properties.as_object_mut().expect("properties are an object").insert(key.to_owned(), value);
        let required = object.entry("required").or_insert_with(|| json!([]));
        required.as_array_mut().expect("required is a list").insert(0, Value::from(key));
    }

    /// Adds a field that may be there.
    fn optional(&mut self, key: &str, value: Value) {
        self.schema["properties"][key] = value;
    }
}

/// The schema of every message, in draft 2020-12.
///
/// `$defs` has each message under the name of its type, and the three sets `FromClient`,
/// `ToClient` and `Event`. The document itself is for any frame of either direction.
pub fn document() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.meta_schema = None);
    // A value may be optional where it is read and certain where it is written, so the two
    // directions cannot share their definitions. Requests have few parts: they are written out.
    let mut reading = settings
        .clone()
        .for_deserialize()
        .with(|settings| settings.inline_subschemas = true)
        .into_generator();
    let mut writing = settings.for_serialize().into_generator();

    let requests = FromClient::shapes(&mut reading);
    let messages = ToClient::shapes(&mut writing);
    let events = EventBody::shapes(&mut writing);
    let head = event_head(&mut writing);
    let req = writing.subschema_for::<RequestId>().to_value();

    let mut defs = writing.take_definitions(false);
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
    let sets = [
        ("FromClient", "What a client may say: requests, by type", from_client),
        ("ToClient", "What a client may hear, by type", to_client),
        (
            "Event",
            "A record of a game, by kind; receivers let kinds pass that they do not know",
            event,
        ),
    ];
    for (name, description, members) in sets {
        let set = json!({ "description": description, "oneOf": members });
        let before = defs.insert(name.to_owned(), set);
        debug_assert!(before.is_none(), "{name} is the name of a set of messages");
    }
    let mut document = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The Adamant wire protocol, version 1",
        "description": "One JSON object per frame. Receivers ignore fields that they do not know.",
        "anyOf": [reference("FromClient"), reference("ToClient")],
        "$defs": defs,
    });
    bound_numbers(&mut document);
    document
}

/// Says of 32-bit numbers how large they may be, which their format alone does not tell everyone.
fn bound_numbers(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if fields.get("format").is_some_and(|format| format == "uint32") {
                fields.insert("maximum".to_owned(), u32::MAX.into());
            }
            fields.values_mut().for_each(bound_numbers);
        }
        Value::Array(members) => members.iter_mut().for_each(bound_numbers),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// What every event carries, besides what its kind does; `type` comes first.
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

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// Puts each message among the definitions, finished, and refers to it.
fn gather(
    defs: &mut Map<String, Value>,
    shapes: Vec<Shape>,
    finish: impl Fn(&mut Shape),
) -> Vec<Value> {
    let mut members = Vec::with_capacity(shapes.len());
    for mut shape in shapes {
        finish(&mut shape);
        members.push(reference(&shape.name));
        let before = defs.insert(shape.name.to_string(), shape.schema);
        debug_assert!(before.is_none(), "{} names one message and nothing else", shape.name);
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_and_event_has_a_definition() {
        let document = document();
        let defs = document["$defs"].as_object().unwrap();
        let words = |set: &str, key: &str| -> Vec<String> {
            let members = defs[set]["oneOf"].as_array().unwrap();
            let names = members
                .iter()
                .map(|member| member["$ref"].as_str().unwrap().strip_prefix("#/$defs/").unwrap());
            names
                .filter_map(|name| defs[name]["properties"][key]["const"].as_str())
                .map(str::to_owned)
                .collect()
        };
        assert_eq!(words("FromClient", "type"), FromClient::TYPES);
        let told = words("ToClient", "type");
        assert_eq!(told, ToClient::TYPES[..told.len()], "events are listed by kind");
        assert_eq!(words("Event", "kind"), EventBody::KINDS);
        for (name, schema) in defs {
            let text = schema.to_string();
            for reference in text.split("\"#/$defs/").skip(1) {
                let target = &reference[..reference.find('"').unwrap()];
                assert!(defs.contains_key(target), "{name} refers to {target}");
            }
        }
    }

    #[test]
    fn what_has_a_default_may_be_left_out_only_where_it_is_read() {
        let document = document();
        let defs = &document["$defs"];
        assert_eq!(defs["Seek"]["required"], json!(["type", "id", "rules"]));
        let entry = defs["SeekEntry"]["required"].as_array().unwrap();
        assert!(entry.contains(&json!("allow")), "{entry:?}");
        assert_eq!(defs["Allow"]["required"], json!(["bots", "guests"]));
        let moved = defs["Moved"]["required"].as_array().unwrap();
        assert_eq!(moved[..3], [json!("type"), json!("game"), json!("seq")]);
        assert!(moved.contains(&json!("to_move")) && !moved.contains(&json!("req")), "{moved:?}");
    }
}
