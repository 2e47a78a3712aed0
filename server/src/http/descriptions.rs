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
const TYPES: &str = include_str!("../../../../clients/typescript/src/protocol.ts");

/// The JSON Schema of every message.
pub(in crate::http) async fn json_schema(request: HeaderMap) -> Response {
    static DOCUMENT: LazyLock<Content> =
        LazyLock::new(|| Content::new(schema::document().to_string()));
    respond(&DOCUMENT, &request, JSON_SCHEMA)
}

/// The types of every message for TypeScript.
pub(in crate::http) async fn typescript(request: HeaderMap) -> Response {
    static DOCUMENT: LazyLock<Content> = LazyLock::new(|| Content::new(TYPES));
    respond(&DOCUMENT, &request, TYPESCRIPT)
}

/// The WebSocket in AsyncAPI.
pub(in crate::http) async fn asyncapi(request: HeaderMap) -> Response {
    static DOCUMENT: LazyLock<Content> =
        LazyLock::new(|| Content::new(schema::asyncapi().to_string()));
    respond(&DOCUMENT, &request, ASYNCAPI)
}

/// What can be read by HTTP, in OpenAPI.
pub(in crate::http) async fn openapi(request: HeaderMap) -> Response {
    static DOCUMENT: LazyLock<Content> = LazyLock::new(|| Content::new(document().to_string()));
    respond(&DOCUMENT, &request, OPENAPI)
}

fn respond(document: &Content, request: &HeaderMap, media_type: &'static str) -> Response {
    let mut response = document.response(request, media_type);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// The media types of the descriptions.
pub(super) const JSON_SCHEMA: &str = "application/schema+json";
pub(super) const TYPESCRIPT: &str = "application/typescript; charset=utf-8";
pub(super) const ASYNCAPI: &str = "application/vnd.aai.asyncapi+json;version=3.0.0";
pub(super) const OPENAPI: &str = "application/vnd.oai.openapi+json;version=3.1";

const TEXT: &str = "text/plain";
const HTML: &str = "text/html";

/// One endpoint.
#[derive(Debug, Clone, Copy)]
pub(super) struct Endpoint {
    /// The path, as the router has it.
    pub path: &'static str,
    /// The name of the operation.
    pub id: &'static str,
    /// Whom it is for.
    pub tag: Tag,
    /// What it answers.
    pub summary: &'static str,
    /// The parameters behind the path.
    pub query: Query,
    /// The answer of a request that succeeds.
    pub answer: Success,
}

/// Whom an endpoint is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    /// Programs that read.
    Read,
    /// Programs that play and watch.
    Socket,
    /// Monitors and load balancers.
    Monitoring,
    /// Browsers.
    Page,
}

/// The parameters behind a path.
#[derive(Debug, Clone, Copy)]
pub(super) enum Query {
    /// None.
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
    /// JSON with this schema.
    Own(fn() -> Value),
    /// Something else, by its media type.
    Content(&'static str),
    /// The same, of which a request may ask for a part.
    Parts(&'static str),
    /// The WebSocket.
    Upgrade,
}

type Text = &'static str;

const fn reading(path: Text, id: Text, summary: Text, answer: Success) -> Endpoint {
    Endpoint { path, id, tag: Tag::Read, summary, query: Query::None, answer }
}

const fn page(path: Text, id: Text, summary: Text, media_type: Text) -> Endpoint {
    let answer = Success::Content(media_type);
    Endpoint { path, id, tag: Tag::Page, summary, query: Query::None, answer }
}

const fn monitoring(path: Text, id: Text, summary: Text) -> Endpoint {
    let answer = Success::Content(TEXT);
    Endpoint { path, id, tag: Tag::Monitoring, summary, query: Query::None, answer }
}

impl Endpoint {
    const fn with(self, query: Query) -> Self {
        Self { query, ..self }
    }
}

const fn message<T: JsonSchema>() -> Success {
    Success::Message(T::schema_name)
}

const fn fields<T: JsonSchema>() -> Query {
    Query::Fields(T::schema_name)
}

/// All endpoints but the addresses of the page.
pub(super) const ENDPOINTS: &[Endpoint] = &[
    reading(
        "/v1/games",
        "games",
        "Lists live or finished games, the newest first.",
        message::<GameList>(),
    )
    .with(fields::<Games>()),
    reading("/v1/games/{game}", "snapshot", "The state of a game.", message::<Snapshot>()),
    reading(
        "/v1/games/{game}/log",
        "log",
        "The records of a game, one a line, byte for byte as on the WebSocket: each is an event of \
         `/schema/v1.json`. Empty lines are signs of life.",
        Success::Content("application/x-ndjson"),
    )
    .with(Query::Own(schema::read::<EventStreamQuery>)),
    reading(
        "/v1/games/{game}/record",
        "record",
        "The record of a game in the notation that people write.",
        Success::Content(TEXT),
    ),
    reading(
        "/v1/games/{game}/signature",
        "signature",
        "The server's signature of the record as it is.",
        message::<SignedHead>(),
    ),
    reading(
        "/game/{game}/board.svg",
        "board_svg",
        "A picture of the board.",
        Success::Content("image/svg+xml"),
    )
    .with(Query::Own(schema::read::<PictureQuery>)),
    reading(
        "/game/{game}/board.png",
        "board_png",
        "A picture of the board.",
        Success::Content("image/png"),
    )
    .with(Query::Own(schema::read::<PictureQuery>)),
    reading(
        "/v1/standings/{rules}",
        "standings",
        "The players of a game, strongest first.",
        message::<StandingList>(),
    )
    .with(fields::<Standings>()),
    reading(
        "/v1/stats/{rules}",
        "stats",
        "How the finished games of a kind ended, how long they were, and how they began.",
        message::<GameStats>(),
    )
    .with(fields::<Stats>()),
    reading(
        "/v1/bots",
        "directory",
        "The bots that accept challenges, in the order of their names.",
        message::<DirectoryList>(),
    )
    .with(fields::<Directory>()),
    reading("/v1/users/{name}", "user", "The profile of a user.", message::<UserProfile>()),
    reading(
        "/v1/users/{name}/history",
        "history",
        "The finished games of a user, most recently ended first.",
        message::<HistoryList>(),
    )
    .with(fields::<History>()),
    reading(
        "/user/{name}/feed.atom",
        "feed",
        "The games of a user that changed last, as an Atom feed.",
        Success::Content("application/atom+xml"),
    ),
    reading(
        "/v1/downloads",
        "downloads",
        "The files of finished games, by month and by kind.",
        Success::Own(schema::written::<DownloadList>),
    ),
    reading(
        "/v1/downloads/{file}",
        "download",
        "A file of finished games, one a line, or the part of it that `Range` names.",
        Success::Parts("application/x-ndjson"),
    ),
    reading(
        "/v1/downloads/{file}/head",
        "download_head",
        "The server's signature of a file.",
        Success::Own(schema::written::<SignedDownload>),
    )
    .with(Query::Own(schema::read::<HeadQuery>)),
    reading(
        "/v1/key",
        "key",
        "The public keys that records are signed with.",
        Success::Own(schema::written::<PublicKeys>),
    ),
    reading(
        "/version",
        "version",
        "The versions of the server and of its protocol.",
        Success::Own(schema::written::<ServerVersion>),
    ),
    reading(
        "/schema/v1.json",
        "json_schema",
        "The JSON Schema (draft 2020-12) of every message.",
        Success::Content(JSON_SCHEMA),
    ),
    reading(
        "/schema/v1.d.ts",
        "typescript",
        "The types of every message for TypeScript.",
        Success::Content(TYPESCRIPT),
    ),
    reading(
        "/schema/asyncapi.json",
        "asyncapi",
        "The WebSocket in AsyncAPI 3.0.",
        Success::Content(ASYNCAPI),
    ),
    reading("/schema/openapi.json", "openapi", "This document.", Success::Content(OPENAPI)),
    Endpoint {
        path: adamant_protocol::WEBSOCKET_PATH,
        id: "socket",
        tag: Tag::Socket,
        summary: "The WebSocket, which `/schema/asyncapi.json` describes.",
        query: Query::None,
        answer: Success::Upgrade,
    },
    monitoring("/healthz", "healthz", "Whether the process answers."),
    monitoring("/readyz", "readyz", "Whether the server serves players; 503 with the reason."),
    monitoring("/lb", "lb", "The same for a load balancer; 404 to send no new clients here."),
    monitoring("/metrics", "metrics", "The metrics, for the addresses in `network.metrics_from`."),
    page("/page/{version}/{*path}", "page_file", "A file of the page.", "*/*"),
    page("/embed/game/{game}", "embed", "A game for the frames of other pages.", HTML),
    page("/sw.js", "service_worker", "The page's service worker.", "text/javascript"),
    page("/manifest.webmanifest", "manifest", "The page as an app.", "application/manifest+json"),
];

/// The page at one of its addresses.
pub(super) const fn page_address(path: Text) -> Endpoint {
    page(path, "page", "The page.", HTML)
}

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
