//! Adapts schemas to strict validators and generators of types: each type once and by its name, no
//! `null` that is never sent, bounds instead of formats.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// The prefix of references to definitions.
const DEFS: &str = "#/$defs/";

/// Returns a reference to a definition.
pub(super) fn reference(name: &str) -> Value {
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
pub(super) fn tidy(schema: &mut Value) {
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
pub(super) fn name_titled(defs: &mut Map<String, Value>) {
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
pub(super) fn set_references_apart(schema: &mut Value) {
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
pub(super) fn open_words(schema: &mut Value, words: &BTreeSet<String>) {
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
pub(super) fn lists_of_words(defs: &Map<String, Value>) -> BTreeSet<String> {
    let lists = defs.iter().filter(|(_, schema)| schema.get("enum").is_some());
    lists.map(|(name, _)| name.clone()).collect()
}

/// Adds the definitions of requests to those of messages. Equal definitions are shared. One that
/// differs gets another name, as do those that refer to it, in `requests` too.
pub(super) fn share(
    written: &mut Map<String, Value>,
    read: Map<String, Value>,
    requests: &mut [&mut Value],
) {
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
