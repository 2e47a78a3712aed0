//! Validates frames against the published schema, closed: an unknown field or type is an error.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex},
};

use adamant_protocol::FromClient;
use jsonschema::Validator;
use serde_json::{Value, json};

/// The schema, with the validators that frames have needed so far.
struct Schema {
    document: Value,
    /// The name of each message's definition, by its set and its type on the wire.
    names: HashMap<(&'static str, String), String>,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    let document = adamant_protocol::schema::closed_document();
    let mut names = HashMap::new();
    for (set, key) in [("FromClient", "type"), ("ToClient", "type"), ("Event", "kind")] {
        let members = document["$defs"][set]["oneOf"].as_array().expect("a set has members");
        for member in members {
            let name = member["$ref"].as_str().expect("a member is a reference");
            let name = name.trim_start_matches("#/$defs/");
            // Events differ by kind.
            if let Some(word) = document["$defs"][name]["properties"][key]["const"].as_str() {
                names.insert((set, word.to_owned()), name.to_owned());
            }
        }
    }
    Schema { document, names, validators: Mutex::default() }
});

impl Schema {
    fn validator(&self, name: &str) -> Arc<Validator> {
        let mut validators = self.validators.lock().expect("no test fails in here");
        let made = validators.entry(name.to_owned()).or_insert_with(|| {
            let defs = &self.document["$defs"];
            let root = json!({ "$ref": format!("#/$defs/{name}"), "$defs": defs });
            Arc::new(jsonschema::draft202012::new(&root).expect("the schema is one"))
        });
        Arc::clone(made)
    }

    fn fault(&self, set: &'static str, word: &Value, frame: &Value) -> Option<String> {
        let word = word.as_str().unwrap_or_default();
        let Some(name) = self.names.get(&(set, word.to_owned())) else {
            return Some(format!("{set} has no message of type {word:?}"));
        };
        let validator = self.validator(name);
        let faults: Vec<String> = validator
            .iter_errors(frame)
            .map(|error| format!("{name} at {}: {error}", error.instance_path()))
            .collect();
        (!faults.is_empty()).then(|| faults.join("\n"))
    }
}

/// Returns why a request is not in the schema; `None` if it is.
pub(crate) fn fault_in_request(frame: &Value) -> Option<String> {
    SCHEMA.fault("FromClient", &frame["type"], frame)
}

/// Returns why a frame to a client is not in the schema; `None` if it is.
pub(crate) fn fault_in_message(frame: &Value) -> Option<String> {
    if frame["type"] == "event" {
        SCHEMA.fault("Event", &frame["kind"], frame)
    } else {
        SCHEMA.fault("ToClient", &frame["type"], frame)
    }
}

/// Whether a request of this type may have a reply of this type. Every request may fail.
pub(crate) fn is_reply(request: &Value, reply: &Value) -> bool {
    let replies = FromClient::REPLIES.iter().find(|(word, _)| request["type"] == *word);
    reply["type"] == "error"
        || replies.is_some_and(|(_, types)| types.iter().any(|word| reply["type"] == *word))
}
