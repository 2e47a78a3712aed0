//! A schema without what does not matter on the wire: names of definitions, titles and
//! descriptions. Two schemas that accept the same frames for the same reasons become equal.

use serde_json::{Map, Value, json};

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
