//! The schema, compared with a recorded one, and the AsyncAPI document.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::Path,
};

use adamant_protocol::{
    EventBody, FromClient, ToClient,
    schema::{asyncapi, closed_document, document},
};
use serde_json::{Map, Value, json};

/// The recorded schema.
const FIXTURE: &str = "tests/fixtures/schema-1.resolved.json";

/// Set, it makes the test below write the fixture instead of comparing with it.
const UPDATE: &str = "UPDATE_FIXTURES";

/// Fails after every change of a field, a bound, a code or a reason. Names of types and their
/// documentation may change freely. Of the open schema the fixture keeps how it differs from the
/// closed one.
///
/// After a wanted change, `UPDATE_FIXTURES=1 cargo test -p adamant-protocol --test wire` records
/// the schema again. The diff of the fixture belongs to the review of the change.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the variable is for the maintainer who changes the wire"
)]
fn the_schema_is_the_recorded_one() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FIXTURE);
    let closed = resolved(&closed_document());
    let mut opened = Vec::new();
    compare(&closed, &resolved(&document()), "", &mut opened);
    let present = json!({ "closed": closed, "opened": opened });
    if env::var_os(UPDATE).is_some() {
        let mut text = serde_json::to_string_pretty(&present).unwrap();
        text.push('\n');
        fs::write(&path, text).unwrap();
    }
    let recorded: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let mut differences = Vec::new();
    compare(&recorded, &present, "", &mut differences);
    assert!(differences.is_empty(), "the wire has changed:\n{}", differences.join("\n"));
}

/// Collects the places where two values differ.
fn compare(recorded: &Value, present: &Value, place: &str, differences: &mut Vec<String>) {
    match (recorded, present) {
        (Value::Object(before), Value::Object(after)) => {
            let added = after.keys().filter(|key| !before.contains_key(*key));
            for key in before.keys().chain(added) {
                let (before, after) = (&recorded[key], &present[key]);
                compare(before, after, &format!("{place}/{key}"), differences);
            }
        }
        (before, after) if before == after => {}
        (before, after) => differences.push(format!("{place}: {before} is now {after}")),
    }
}

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
fn fields_with_a_default_are_optional_only_in_requests() {
    let document = document();
    let defs = &document["$defs"];
    assert_eq!(defs["Seek"]["required"], json!(["type", "id", "rules"]));
    let entry = defs["SeekEntry"]["required"].as_array().unwrap();
    assert!(entry.contains(&json!("allow")), "{entry:?}");
    assert_eq!(defs["Allow"]["required"], json!(["bots", "guests"]));
    assert_eq!(defs["AllowGiven"].get("required"), None);
    let moved = defs["Moved"]["required"].as_array().unwrap();
    assert_eq!(moved[..3], [json!("type"), json!("game"), json!("seq")]);
    assert!(moved.contains(&json!("to_move")) && !moved.contains(&json!("req")), "{moved:?}");
}

/// Calls `visit` with each schema and its place.
fn each(schema: &Value, place: &str, visit: &mut impl FnMut(&Value, &str)) {
    match schema {
        Value::Object(fields) => {
            visit(schema, place);
            for (key, field) in fields {
                each(field, &format!("{place}/{key}"), visit);
            }
        }
        Value::Array(members) => {
            for member in members {
                each(member, place, visit);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn every_type_has_one_name() {
    for document in [document(), closed_document()] {
        let defs = document["$defs"].as_object().unwrap();
        assert!(["TimeControl", "Auth", "ErrorCode"].iter().all(|name| defs.contains_key(*name)));
        let mut shapes = BTreeMap::new();
        for (name, schema) in defs {
            assert!(!name.ends_with(|last: char| last.is_ascii_digit()), "{name}");
            each(schema, name, &mut |inner, place| {
                let is_type = inner.get("properties").is_some_and(Value::is_object)
                    || inner.get("enum").is_some_and(Value::is_array);
                let is_kind = place.ends_with("/kind/not");
                assert!(!is_type || place == name || is_kind, "{place} has no name");
            });
            // What is read otherwise than written differs in what has to be there.
            let shape = (schema["properties"].to_string(), schema["required"].to_string());
            let other = shapes.insert(shape, name);
            assert!(other.is_none() || schema.get("properties").is_none(), "{name}: {other:?}");
        }
    }
}

#[test]
fn optional_fields_are_never_null() {
    each(&document(), "", &mut |schema, place| {
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            return;
        };
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        for (name, property) in properties {
            let may_be_null = property.to_string().contains(r#""null""#);
            let is_sent = required.contains(&json!(name));
            assert!(!may_be_null || is_sent || name == "legal_total", "{place}/{name}");
        }
    });
}

#[test]
fn the_open_schema_accepts_unknown_words_of_the_server_only() {
    let (open, closed) = (document(), closed_document());
    let code = |document: &Value| document["$defs"]["Failed"]["properties"]["code"].clone();
    assert_eq!(code(&open)["anyOf"][0], json!({ "$ref": "#/$defs/ErrorCode" }));
    assert_eq!(code(&open)["anyOf"][1], json!({ "type": "string" }));
    assert_eq!(code(&closed)["allOf"], json!([{ "$ref": "#/$defs/ErrorCode" }]));
    let reason = &open["$defs"]["Decline"]["properties"]["reason"];
    assert_eq!(reason["allOf"], json!([{ "$ref": "#/$defs/DeclineReason" }]));
    let heard = |document: &Value| document["$defs"]["ToClient"]["oneOf"].to_string();
    assert!(heard(&open).contains("OtherEvent") && !heard(&closed).contains("OtherEvent"));
    assert_eq!(open["$id"], "urn:adamant:wire:1");
}

fn words(list: &Value) -> BTreeSet<String> {
    let document = asyncapi();
    let names = list.as_array().unwrap().iter().map(|message| {
        let name = message["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
        document["components"]["messages"][name]["name"].as_str().unwrap().to_owned()
    });
    names.collect()
}

#[test]
fn every_request_message_and_event_is_described() {
    let document = asyncapi();
    let messages = document["components"]["messages"].as_object().unwrap();
    let described: BTreeSet<&str> =
        messages.values().map(|message| message["name"].as_str().unwrap()).collect();
    let kinds = EventBody::KINDS.iter().map(|kind| format!("event.{kind}"));
    let types = FromClient::TYPES.iter().chain(ToClient::TYPES).map(ToString::to_string);
    let known: BTreeSet<String> = types.chain(kinds).collect();
    assert_eq!(described.into_iter().map(str::to_owned).collect::<BTreeSet<_>>(), known);
    for name in messages.keys() {
        assert!(document["channels"]["socket"]["messages"].get(name).is_some(), "{name}");
    }
}

#[test]
fn every_request_names_its_replies() {
    let document = asyncapi();
    for (word, replies) in FromClient::REPLIES {
        let operation = &document["operations"][*word];
        assert_eq!(words(&operation["messages"]), BTreeSet::from([(*word).to_owned()]));
        let known = replies.iter().chain(&["error"]).map(ToString::to_string).collect();
        assert_eq!(words(&operation["reply"]["messages"]), known, "{word}");
    }
}

#[test]
fn only_messages_that_may_lack_re_come_unasked() {
    let unasked = words(&asyncapi()["operations"]["notify"]["messages"]);
    for word in ["your_turn", "snapshot", "presence", "notice", "said", "lobby", "event"] {
        assert!(unasked.contains(word), "{word}");
    }
    for word in ["welcome", "ok", "games", "hints"] {
        assert!(!unasked.contains(word), "{word}");
    }
}

/// The sets of messages, with the field that tells their members apart.
const SETS: [(&str, &str); 3] = [("FromClient", "type"), ("ToClient", "type"), ("Event", "kind")];

/// The messages of a schema document by set and word, each with its references inlined.
pub(crate) fn resolved(document: &Value) -> Value {
    let mut sets = Map::new();
    for (set, key) in SETS {
        let mut messages = Map::new();
        for member in document["$defs"][set]["oneOf"].as_array().unwrap() {
            let schema = Resolver { document, open: Vec::new() }.resolve(member);
            let word = schema["properties"][key]["const"].as_str();
            // `ToClient` has two members without a word of their own: known and unknown events.
            let word = word.map_or_else(|| member_name(&schema), str::to_owned);
            assert!(messages.insert(word.clone(), schema).is_none(), "{set} has two of {word}");
        }
        sets.insert(set.to_owned(), messages.into());
    }
    // The known events of `ToClient` are listed as `Event`.
    sets["ToClient"].as_object_mut().unwrap().remove("known event");
    sets.insert("root".to_owned(), json!([document["$schema"], document["$id"]]));
    sorted(sets.into())
}

fn member_name(schema: &Value) -> String {
    let kind = if schema.get("oneOf").is_some() { "known event" } else { "unknown event" };
    kind.to_owned()
}

struct Resolver<'a> {
    document: &'a Value,
    /// The references that are being resolved, outermost first.
    open: Vec<String>,
}

impl Resolver<'_> {
    fn resolve(&mut self, schema: &Value) -> Value {
        match schema {
            Value::Object(fields) => self.resolve_object(fields),
            Value::Array(members) => members.iter().map(|member| self.resolve(member)).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.clone(),
        }
    }

    fn resolve_object(&mut self, fields: &Map<String, Value>) -> Value {
        if let Some(Value::String(target)) = fields.get("$ref") {
            assert_eq!(fields.len(), 1, "references stand alone");
            return self.inline(target);
        }
        let mut resolved = Map::new();
        for (key, value) in fields {
            match (key.as_str(), value) {
                // A default that stands beside a reference is kept in the description.
                ("description", Value::String(text)) => {
                    if let Some((_, default)) = text.rsplit_once(" By default `") {
                        resolved.insert("default".to_owned(), default.into());
                    }
                }
                ("title", Value::String(_)) => {}
                // Not a schema but a map of names to schemas.
                ("properties", Value::Object(properties)) => {
                    let properties = properties
                        .iter()
                        .map(|(name, property)| (name.clone(), self.resolve(property)))
                        .collect();
                    resolved.insert(key.clone(), Value::Object(properties));
                }
                // What a description stood beside is the same as what stands alone.
                ("allOf", Value::Array(members)) if members.len() == 1 => {
                    let Value::Object(one) = self.resolve(&members[0]) else {
                        panic!("a schema is an object")
                    };
                    resolved.extend(one);
                }
                ("required" | "enum" | "oneOf" | "anyOf", Value::Array(_)) => {
                    let Value::Array(mut members) = self.resolve(value) else { unreachable!() };
                    members.sort_by_key(|member| sorted(member.clone()).to_string());
                    resolved.insert(key.clone(), members.into());
                }
                (_, value) => {
                    resolved.insert(key.clone(), self.resolve(value));
                }
            }
        }
        resolved.into()
    }

    /// Returns the definition, or, inside of itself, how many definitions up it begins.
    fn inline(&mut self, target: &str) -> Value {
        if let Some(index) = self.open.iter().rposition(|open| open == target) {
            return json!({ "recursion": self.open.len() - index });
        }
        let name = target.strip_prefix("#/$defs/").expect("references are to definitions");
        let definition = &self.document["$defs"][name];
        assert!(definition.is_object(), "{target} is defined");
        self.open.push(target.to_owned());
        let resolved = self.resolve(definition);
        self.open.pop();
        resolved
    }
}

/// The same value with all keys in order.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.into_iter().collect();
            fields.sort_by(|(one, _), (other, _)| one.cmp(other));
            fields.into_iter().map(|(key, field)| (key, sorted(field))).collect()
        }
        Value::Array(members) => members.into_iter().map(sorted).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}
