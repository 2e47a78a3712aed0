//! What programs can read about the server's interfaces: JSON Schema, TypeScript types, AsyncAPI
//! for the socket and OpenAPI for HTTP. All of it is made from the types that the server uses.

use std::{borrow::Cow, collections::BTreeSet, sync::LazyLock};

use adamant_protocol::{
    downloads::{DownloadList, SignedDownload},
    from_client::{Directory, Games, History, Standings, Stats},
    schema::{self, components},
    to_client::{
        DirectoryList, GameList, GameStats, HistoryList, SignedHead, Snapshot, StandingList,
        UserProfile,
    },
};
use axum::{
    http::{HeaderMap, HeaderValue, header},
    response::Response,
};
use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use super::{
    downloads::HeadQuery,
    event_stream::EventStreamQuery,
    page::ADDRESSES,
    pictures::PictureQuery,
    static_content::Content,
    status::{PublicKeys, ServerVersion},
};

/// The types of the TypeScript client, which `cargo xtask types` makes from the schema.
const TYPES: &str = include_str!("../../../clients/typescript/src/protocol.ts");

/// The JSON Schema of every message.
pub(super) async fn json_schema(request: HeaderMap) -> Response {
    static DOCUMENT: LazyLock<Content> =
        LazyLock::new(|| Content::new(schema::document().to_string()));
    respond(&DOCUMENT, &request, JSON_SCHEMA)
}

/// The types of every message for TypeScript.
pub(super) async fn typescript(request: HeaderMap) -> Response {
    static DOCUMENT: LazyLock<Content> = LazyLock::new(|| Content::new(TYPES));
    respond(&DOCUMENT, &request, TYPESCRIPT)
}

pub(super) async fn asyncapi(request: HeaderMap) -> Response {
    static DOCUMENT: LazyLock<Content> =
        LazyLock::new(|| Content::new(schema::asyncapi().to_string()));
    respond(&DOCUMENT, &request, ASYNCAPI)
}

/// What can be read by HTTP, in OpenAPI.
pub(super) async fn openapi(request: HeaderMap) -> Response {
    static DOCUMENT: LazyLock<Content> = LazyLock::new(|| Content::new(document().to_string()));
    respond(&DOCUMENT, &request, OPENAPI)
}

fn respond(document: &Content, request: &HeaderMap, media_type: &'static str) -> Response {
    let mut response = document.response(request, media_type);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// The media types of the descriptions.
const JSON_SCHEMA: &str = "application/schema+json";
const TYPESCRIPT: &str = "application/typescript; charset=utf-8";
const ASYNCAPI: &str = "application/vnd.aai.asyncapi+json;version=3.0.0";
const OPENAPI: &str = "application/vnd.oai.openapi+json;version=3.1";

const TEXT: &str = "text/plain";
const HTML: &str = "text/html";

#[derive(Debug, Clone, Copy)]
struct Endpoint {
    /// The path, as the router has it.
    pub path: &'static str,
    pub id: &'static str,
    pub tag: Tag,
    pub summary: &'static str,
    pub query: Query,
    /// The answer of a request that succeeds.
    pub answer: Success,
}

/// Whom an endpoint is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    Read,
    Socket,
    Monitoring,
    Page,
}

/// The parameters behind a path.
#[derive(Debug, Clone, Copy)]
pub(super) enum Query {
    None,
    /// The optional fields of a request. Its other fields are in the path.
    Fields(fn() -> Cow<'static, str>),
    /// The fields of a type of the server.
    Own(fn() -> Value),
}

/// The answer of a request that succeeds.
#[derive(Debug, Clone, Copy)]
pub(super) enum Success {
    /// A message of the protocol without `re`, by the name of its type.
    Message(fn() -> Cow<'static, str>),
    Own(fn() -> Value),
    /// Something else, by its media type.
    Content(&'static str),
    /// The same, of which a request may ask for a part.
    Parts(&'static str),
    Upgrade,
}

const fn message<T: JsonSchema>() -> Success {
    Success::Message(T::schema_name)
}

const fn fields<T: JsonSchema>() -> Query {
    Query::Fields(T::schema_name)
}

macro_rules! endpoints {
    ($($tag:ident, $path:expr, $id:literal, $query:expr => $answer:expr, $summary:literal;)*) => {
        &[$(Endpoint {
            path: $path,
            id: $id,
            tag: Tag::$tag,
            summary: $summary,
            query: $query,
            answer: $answer,
        }),*]
    };
}

/// All endpoints but the addresses of the page: for whom, the path, the name of the operation, the
/// parameters behind the path, the answer, and what it is.
const ENDPOINTS: &[Endpoint] = endpoints! {
    Read, "/v1/games", "games", fields::<Games>() => message::<GameList>(),
        "Lists live or finished games, the newest first.";
    Read, "/v1/games/{game}", "snapshot", Query::None => message::<Snapshot>(),
        "The state of a game.";
    Read, "/v1/games/{game}/log", "log", Query::Own(schema::read::<EventStreamQuery>) =>
        Success::Content("application/x-ndjson"),
        "The records of a game, one a line, byte for byte as on the WebSocket: each is an event \
         of `/schema/v1.json`. Empty lines are signs of life.";
    Read, "/v1/games/{game}/record", "record", Query::None => Success::Content(TEXT),
        "The record of a game in the notation that people write.";
    Read, "/v1/games/{game}/signature", "signature", Query::None => message::<SignedHead>(),
        "The server's signature of the record as it is.";
    Read, "/game/{game}/board.svg", "board_svg", Query::Own(schema::read::<PictureQuery>) =>
        Success::Content("image/svg+xml"),
        "A picture of the board.";
    Read, "/game/{game}/board.png", "board_png", Query::Own(schema::read::<PictureQuery>) =>
        Success::Content("image/png"),
        "A picture of the board.";
    Read, "/v1/standings/{rules}", "standings", fields::<Standings>() => message::<StandingList>(),
        "The players of a game, strongest first.";
    Read, "/v1/stats/{rules}", "stats", fields::<Stats>() => message::<GameStats>(),
        "How the finished games of a kind ended, how long they were, and how they began.";
    Read, "/v1/bots", "directory", fields::<Directory>() => message::<DirectoryList>(),
        "The bots that accept challenges, in the order of their names.";
    Read, "/v1/users/{name}", "user", Query::None => message::<UserProfile>(),
        "The profile of a user.";
    Read, "/v1/users/{name}/history", "history", fields::<History>() => message::<HistoryList>(),
        "The finished games of a user, most recently ended first.";
    Read, "/user/{name}/feed.atom", "feed", Query::None => Success::Content("application/atom+xml"),
        "The games of a user that changed last, as an Atom feed.";
    Read, "/v1/downloads", "downloads", Query::None =>
        Success::Own(schema::written::<DownloadList>),
        "The files of finished games, by month and by kind.";
    Read, "/v1/downloads/{file}", "download", Query::None => Success::Parts("application/x-ndjson"),
        "A file of finished games, one a line, or the part of it that `Range` names.";
    Read, "/v1/downloads/{file}/head", "download_head", Query::Own(schema::read::<HeadQuery>) =>
        Success::Own(schema::written::<SignedDownload>),
        "The server's signature of a file.";
    Read, "/v1/key", "key", Query::None => Success::Own(schema::written::<PublicKeys>),
        "The public keys that records are signed with.";
    Read, "/version", "version", Query::None => Success::Own(schema::written::<ServerVersion>),
        "The versions of the server and of its protocol.";
    Read, "/schema/v1.json", "json_schema", Query::None => Success::Content(JSON_SCHEMA),
        "The JSON Schema (draft 2020-12) of every message.";
    Read, "/schema/v1.d.ts", "typescript", Query::None => Success::Content(TYPESCRIPT),
        "The types of every message for TypeScript.";
    Read, "/schema/asyncapi.json", "asyncapi", Query::None => Success::Content(ASYNCAPI),
        "The WebSocket in AsyncAPI 3.0.";
    Read, "/schema/openapi.json", "openapi", Query::None => Success::Content(OPENAPI),
        "This document.";
    Socket, adamant_protocol::WEBSOCKET_PATH, "socket", Query::None => Success::Upgrade,
        "The WebSocket, which `/schema/asyncapi.json` describes.";
    Monitoring, "/healthz", "healthz", Query::None => Success::Content(TEXT),
        "Whether the process answers.";
    Monitoring, "/readyz", "readyz", Query::None => Success::Content(TEXT),
        "Whether the server serves players; 503 with the reason.";
    Monitoring, "/lb", "lb", Query::None => Success::Content(TEXT),
        "The same for a load balancer; 404 to send no new clients here.";
    Monitoring, "/metrics", "metrics", Query::None => Success::Content(TEXT),
        "The metrics, for the addresses in `network.metrics_from`.";
    Page, "/page/{version}/{*path}", "page_file", Query::None => Success::Content("*/*"),
        "A file of the page.";
    Page, "/embed/game/{game}", "embed", Query::None => Success::Content(HTML),
        "A game for the frames of other pages.";
    Page, "/sw.js", "service_worker", Query::None => Success::Content("text/javascript"),
        "The page's service worker.";
    Page, "/manifest.webmanifest", "manifest", Query::None =>
        Success::Content("application/manifest+json"),
        "The page as an app.";
};

/// The page at one of its addresses.
const fn page_address(path: &'static str) -> Endpoint {
    let answer = Success::Content(HTML);
    Endpoint { path, id: "page", tag: Tag::Page, summary: "The page.", query: Query::None, answer }
}

/// The prefix of references to definitions.
const SCHEMAS: &str = "#/components/schemas/";

/// Returns every described path, as the router has it.
#[cfg(test)]
pub(super) fn paths() -> impl Iterator<Item = &'static str> {
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
