//! The OpenAPI document: the endpoints with the definitions of the protocol that they use.

use std::collections::BTreeSet;

use adamant_protocol::schema::components;
use serde_json::{Map, Value, json};

use super::endpoints::{ENDPOINTS, Endpoint, Query, Success, Tag, page_address};
use crate::http::page::ADDRESSES;

/// The prefix of references to definitions.
const SCHEMAS: &str = "#/components/schemas/";

/// Returns every described path, as the router has it.
#[cfg(test)]
pub(in crate::http) fn paths() -> impl Iterator<Item = &'static str> {
    endpoints().map(|endpoint| endpoint.path)
}

fn endpoints() -> impl Iterator<Item = Endpoint> {
    ADDRESSES.iter().map(|path| page_address(path)).chain(ENDPOINTS.iter().copied())
}

/// Returns the description of everything that the one port answers, in OpenAPI 3.1.
pub(super) fn document() -> Value {
    let definitions = components();
    let mut paths = Map::new();
    for endpoint in endpoints() {
        let path = endpoint.path.replace("{*", "{");
        paths.insert(path, json!({ "get": operation(&endpoint, &definitions) }));
    }
    let paths = Value::Object(paths);
    let responses = refusals();
    let schemas = used(&definitions, [&paths, &responses]);
    json!({
        "openapi": "3.1.1",
        "info": {
            "title": "Adamant by HTTP",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "What can be read without a log-in. Every path also answers `HEAD`. \
                Games are played on the WebSocket, which `/schema/asyncapi.json` describes. \
                Receivers ignore fields and words that they do not know.",
            "license": { "name": "MIT or Apache 2.0", "identifier": env!("CARGO_PKG_LICENSE") },
        },
        "servers": [{ "url": "/", "description": "The server that this document comes from." }],
        "security": [],
        "tags": [
            { "name": Tag::Read.name(), "description": "Games, records, users and descriptions." },
            { "name": Tag::Socket.name(), "description": "Playing and watching." },
            { "name": Tag::Monitoring.name(), "description": "For monitors and load balancers." },
            { "name": Tag::Page.name(), "description": "For browsers." },
        ],
        "paths": paths,
        "components": { "schemas": schemas, "responses": responses },
    })
}

impl Tag {
    const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Socket => "socket",
            Self::Monitoring => "monitoring",
            Self::Page => "page",
        }
    }
}

fn operation(endpoint: &Endpoint, definitions: &Map<String, Value>) -> Value {
    let mut parameters: Vec<Value> = in_path(endpoint.path)
        .map(|name| path_parameter(name, matches!(endpoint.tag, Tag::Page)))
        .collect();
    parameters.extend(query_parameters(&endpoint.query, definitions));
    let refused = match endpoint.tag {
        Tag::Read | Tag::Socket | Tag::Page => "Refused",
        Tag::Monitoring => "Unready",
    };
    let refused = json!({ "$ref": format!("#/components/responses/{refused}") });
    let (status, answer) = answer(&endpoint.answer);
    let mut responses = json!({ status: answer, "4XX": refused, "5XX": refused });
    if matches!(endpoint.answer, Success::Parts(_)) {
        responses["206"] = responses[status].clone();
        responses["206"]["description"] = json!("The bytes that `Range` names.");
    }
    json!({
        "operationId": operation_id(endpoint),
        "tags": [endpoint.tag.name()],
        "summary": endpoint.summary,
        "parameters": parameters,
        "responses": responses,
    })
}

/// Returns the name of an operation. The page has many addresses, which name themselves.
fn operation_id(endpoint: &Endpoint) -> String {
    let words = endpoint.path.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    match endpoint.id {
        "page" if !words.is_empty() => format!("page_{}", words.join("_")),
        id => id.to_owned(),
    }
}

/// Returns the names of the parameters in a path.
fn in_path(path: &str) -> impl Iterator<Item = &str> {
    let parts = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    parts.map(|name| name.trim_start_matches('*'))
}

/// Describes a parameter in a path. The page has a document for whatever stands there.
fn path_parameter(name: &str, is_of_page: bool) -> Value {
    let schema = match name {
        _ if is_of_page => json!({ "type": "string" }),
        "game" => reference("GameId"),
        "name" => reference("UserName"),
        "rules" => reference("RulesName"),
        "invite" => reference("InviteId"),
        _ => json!({ "type": "string" }),
    };
    json!({ "name": name, "in": "path", "required": true, "schema": schema })
}

fn query_parameters(query: &Query, definitions: &Map<String, Value>) -> Vec<Value> {
    let (object, is_request) = match query {
        Query::None => return Vec::new(),
        Query::Fields(name) => (definitions[&*name()].clone(), true),
        Query::Own(schema) => (schema(), false),
    };
    let required = object["required"].as_array().cloned().unwrap_or_default();
    let fields = object["properties"].as_object().into_iter().flatten();
    let optional = fields.filter(|(name, _)| !is_request || !required.contains(&json!(name)));
    let parameters = optional.map(|(name, schema)| {
        let mut schema = schema.clone();
        let about = schema.as_object_mut().and_then(|fields| fields.remove("description"));
        // Without a description beside it a reference need not be set apart.
        if let Some([reference]) = schema["allOf"].as_array().map(Vec::as_slice) {
            schema = reference.clone();
        }
        json!({
            "name": name,
            "in": "query",
            "description": about,
            "required": required.contains(&json!(name)),
            "schema": schema,
        })
    });
    parameters.collect()
}

/// Returns the status and the answer of a request that succeeds.
fn answer(answer: &Success) -> (&'static str, Value) {
    let (media_type, schema) = match answer {
        Success::Message(name) => ("application/json", reference(&name())),
        Success::Own(schema) => ("application/json", schema()),
        Success::Content(kind) | Success::Parts(kind) => {
            let kind = kind.split(';').next().unwrap_or(kind);
            let is_json = kind.ends_with("+json");
            (kind, json!({ "type": if is_json { "object" } else { "string" } }))
        }
        Success::Upgrade => return ("101", json!({ "description": "The WebSocket is open." })),
    };
    let content = json!({ media_type: { "schema": schema } });
    ("200", json!({ "description": "The answer.", "content": content }))
}

/// Returns the refusals, which are the same everywhere.
fn refusals() -> Value {
    let problem = json!({ "schema": reference("Failed") });
    json!({
        "Refused": {
            "description": "The request is refused, in the words of the WebSocket: 404 for \
                `not_found`, 429 for `rate_limited`, 503 for `busy`, `overloaded` and `read_only`, \
                500 for `internal`, 400 for all others. Browsers get a page for an unknown address.",
            "content": { "application/json": problem, "text/html": { "schema": { "type": "string" } } },
        },
        "Unready": {
            "description": "The reason in one line, or as JSON.",
            "content": { "application/json": problem, "text/plain": { "schema": { "type": "string" } } },
        },
    })
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("{SCHEMAS}{name}") })
}

/// Returns the definitions that these refer to, and those that these use in turn.
fn used(definitions: &Map<String, Value>, by: [&Value; 2]) -> Map<String, Value> {
    let mut found = BTreeSet::new();
    let mut open: Vec<String> = by.into_iter().flat_map(referred).collect();
    while let Some(name) = open.pop() {
        if found.insert(name.clone()) {
            open.extend(referred(&definitions[&name]));
        }
    }
    found.into_iter().map(|name| (name.clone(), definitions[&name].clone())).collect()
}

/// Returns the names of the definitions that a value refers to.
fn referred(value: &Value) -> Vec<String> {
    match value {
        Value::Object(fields) => fields.values().flat_map(referred).collect(),
        Value::Array(members) => members.iter().flat_map(referred).collect(),
        Value::String(text) => text.strip_prefix(SCHEMAS).map(str::to_owned).into_iter().collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}
