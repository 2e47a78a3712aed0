//! Fields, words and reasons of the wire.

use anyhow::{Context as _, Result, anyhow, ensure};
use proc_macro2::{TokenStream, TokenTree};
use serde_json::Value;
use syn::LitStr;

use super::{
    server::is_key,
    sources::{code, grouped, one_line, rows, sources, words_of},
};

/// The keys of the reasons why a move is illegal, with their sentences.
pub(super) fn reasons() -> Result<String> {
    let mut found = Vec::new();
    for (path, text) in sources("rules/src")?.iter().filter(|(_, text)| text.contains("ReasonText"))
    {
        let tokens: TokenStream =
            text.parse().map_err(|error| anyhow!("{}: {error}", path.display()))?;
        let mut prefix = String::new();
        reasons_in(tokens, &mut prefix, &mut found);
    }
    found.sort_by_key(|[key, _]| {
        // Those of every game first.
        let game = key.trim_matches('`').split('.').next().unwrap_or_default().to_owned();
        (game != "move", game)
    });
    Ok(rows(["key", "sentence"], found))
}

/// Adds the reasons in definitions of both forms: of a `reasons!` macro, where the key lacks its
/// `prefix`, and of constants.
fn reasons_in(tokens: TokenStream, prefix: &mut String, found: &mut Vec<[String; 2]>) {
    let mut before = String::new();
    let mut key = None;
    for token in tokens {
        let is_value = ["=", ",", ":"].contains(&before.as_str());
        match &token {
            TokenTree::Group(group) if before != "#" => reasons_in(group.stream(), prefix, found),
            TokenTree::Literal(text) => {
                let Ok(text) = syn::parse_str::<LitStr>(&text.to_string()) else { continue };
                let text = text.value();
                if before == "of" {
                    *prefix = text;
                } else if is_key_of_reason(&text) {
                    key = Some(text);
                } else if is_value && let Some(key) = &mut key {
                    found.push([code(key), text]);
                    // What follows is the sentence for the number one.
                    key.push_str("_one");
                } else if before.starts_with(char::is_uppercase) && is_key(&text) {
                    key = Some(format!("{prefix}.{text}"));
                }
            }
            TokenTree::Group(_) | TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
        before = token.to_string();
        if before == ";" {
            key = None;
        }
    }
}

fn is_key_of_reason(text: &str) -> bool {
    text.split_once('.').is_some_and(|(of, name)| text.len() > 2 && is_key(of) && is_key(name))
}

fn definition<'a>(schema: &'a Value, name: &str) -> Result<&'a Value> {
    schema["$defs"].get(name).with_context(|| format!("the schema has no {name}"))
}

/// The words of a list, from lines such as "- `word`: meaning" in its description.
pub(super) fn words(schema: &Value, name: &str) -> Result<String> {
    let definition = definition(schema, name)?;
    let text = definition["description"].as_str().unwrap_or_default();
    let found = text.lines().filter_map(|line| {
        let (word, meaning) = line.strip_prefix("- ")?.split_once(": ")?;
        Some([word.to_owned(), meaning.to_owned()])
    });
    Ok(rows(["word", "meaning"], found))
}

/// Fields that every message of a class has, and that the prose describes.
const COMMON: [&str; 10] =
    ["type", "id", "re", "kind", "game", "seq", "at", "req", "hash", "chain"];

/// The kinds of events with their fields.
pub(super) fn events(schema: &Value) -> Result<String> {
    let members = definition(schema, "Event")?["oneOf"].as_array().context("it has no kinds")?;
    let found = members.iter().map(|member| {
        let event = referenced(schema, member).context("a kind has no definition")?;
        let kind = event["properties"]["kind"]["const"].as_str().context("it has no kind")?;
        let fields =
            ordered(event).into_iter().filter(|(name, _)| !COMMON.contains(&name.as_str()));
        let fields: Vec<String> = fields
            .map(|(name, field)| format!("{}: {}", code(&name), described(schema, field, true)))
            .collect();
        let meaning = event["description"].as_str().unwrap_or_default();
        Ok([code(kind), one_line(meaning), fields.join("<br>")])
    });
    let found: Vec<[String; 3]> = found.collect::<Result<_>>()?;
    Ok(rows(["kind", "meaning", "fields"], found))
}

/// The fields of one or several definitions, with a table for each.
pub(super) fn fields(schema: &Value, names: &str) -> Result<String> {
    let mut tables = Vec::new();
    for name in names.split(' ') {
        let definition = definition(schema, name)?;
        let required = definition["required"].as_array();
        let is_required =
            |field: &str| required.is_some_and(|all| all.iter().any(|one| one == field));
        let tag = &definition["properties"]["type"]["const"];
        let title = tag.as_str().map_or_else(|| words_of(name, ' '), code);
        let own = ordered(definition)
            .into_iter()
            .filter(|(field, _)| !["type", "id", "re"].contains(&field.as_str()));
        let found: Vec<[String; 3]> = own
            .map(|(field, value)| {
                let kind = kind(schema, value);
                [code(&field), kind, described(schema, value, is_required(&field))]
            })
            .collect();
        ensure!(!found.is_empty(), "{name} has no fields of its own");
        tables.push(rows([&*format!("field of {title}"), "type", "meaning"], found));
    }
    Ok(tables.join("\n"))
}

/// Returns the fields of a definition: what must be there first.
fn ordered(definition: &Value) -> Vec<(String, &Value)> {
    let required = definition["required"].as_array().into_iter().flatten();
    let required: Vec<&str> = required.filter_map(Value::as_str).collect();
    let properties = definition["properties"].as_object().into_iter().flatten();
    let mut fields: Vec<(String, &Value)> =
        properties.map(|(name, value)| (name.clone(), value)).collect();
    fields.sort_by_cached_key(|(name, _)| {
        let at = required.iter().position(|other| other == name);
        (at.unwrap_or(required.len()), name.clone())
    });
    fields
}

/// Returns the meaning of a field, with whether it may be absent.
fn described(schema: &Value, field: &Value, is_required: bool) -> String {
    let own = field["description"].as_str();
    let referenced = || referenced(schema, field)?["description"].as_str();
    let text = own.or_else(referenced).unwrap_or_default();
    // The words of a list stand in its type.
    let text = one_line(text.split("\n\n").next().unwrap_or_default());
    let default =
        field.get("default").map(|value| format!(", by default {}", code(&value.to_string())));
    let default = default.unwrap_or_default();
    if is_required { text } else { format!("Optional{default}. {text}") }
}

fn referenced<'a>(schema: &'a Value, value: &Value) -> Option<&'a Value> {
    let of_all = || value["allOf"].as_array()?.first()?["$ref"].as_str();
    let name = value["$ref"].as_str().or_else(of_all)?.rsplit('/').next()?;
    schema["$defs"].get(name)
}

/// Definitions that the document describes in a place of their own.
const DESCRIBED: [(&str, &str); 5] = [
    ("TimeControl", "[clock](#clocks)"),
    ("Options", "options"),
    ("GameResult", "result"),
    ("Sketch", "[sketch](#a-sketch)"),
    ("RulesName", "string"),
];

/// The words of a list that the type of a field names.
const WORDS_MAX: usize = 10;

/// Returns the type of a field in words.
fn kind(schema: &Value, value: &Value) -> String {
    let of_all = || value["allOf"].as_array()?.first()?["$ref"].as_str();
    if let Some(reference) = value["$ref"].as_str().or_else(of_all) {
        let name = reference.rsplit('/').next().unwrap_or_default();
        if let Some((_, words)) = DESCRIBED.iter().find(|(described, _)| *described == name) {
            return (*words).to_owned();
        }
        let definition = &schema["$defs"][name];
        return match definition["properties"].as_object() {
            Some(fields) if fields.len() <= 6 => {
                let names = ordered(definition).into_iter().map(|(name, _)| format!("\"{name}\""));
                code(&format!("{{{}}}", names.collect::<Vec<_>>().join(",")))
            }
            Some(_) => words_of(name, ' '),
            None if definition.get("oneOf").is_some() => words_of(name, ' '),
            None if definition["enum"].as_array().is_some_and(|words| words.len() > WORDS_MAX) => {
                words_of(name, ' ')
            }
            None => kind(schema, definition),
        };
    }
    if let Some(choices) = value["anyOf"].as_array() {
        let choices = choices.iter().map(|choice| kind(schema, choice));
        return choices.collect::<Vec<_>>().join(" or ");
    }
    if let Some(words) = value["enum"].as_array() {
        let words = words.iter().map(|word| code(word.as_str().unwrap_or("null")));
        return words.collect::<Vec<_>>().join(", ");
    }
    if let Some(names) = value["type"].as_array() {
        let alone = |name: &Value| {
            let mut alone = value.clone();
            alone["type"] = name.clone();
            kind(schema, &alone)
        };
        return names.iter().map(alone).collect::<Vec<_>>().join(" or ");
    }
    match value["type"].as_str() {
        Some("array") => format!("list of {}", kind(schema, &value["items"])),
        Some("integer") => format!("number{}", bounds(value)),
        Some("boolean") => "bool".to_owned(),
        Some("null") => code("null"),
        Some(other) => other.to_owned(),
        None => value["const"].as_str().map(code).unwrap_or_default(),
    }
}

/// Returns the bounds of a number, if they are others than those of a machine's number.
fn bounds(value: &Value) -> String {
    let least = value["minimum"].as_i64().filter(|least| *least > 0);
    let most = value["maximum"]
        .as_i64()
        .filter(|most| ![255, 65_535, 4_294_967_295, 9_007_199_254_740_991].contains(most));
    match (least, most) {
        (None, None) => String::new(),
        (Some(least), None) => format!(" from {}", grouped(least.into())),
        (least, Some(most)) => {
            format!(", {} to {}", grouped(least.unwrap_or(0).into()), grouped(most.into()))
        }
    }
}
