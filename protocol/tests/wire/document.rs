//! The document of all messages: what it defines, and how.

use std::collections::BTreeMap;

use adamant_protocol::{
    EventBody, FromClient, ToClient,
    schema::{closed_document, document},
};
use serde_json::{Value, json};

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
