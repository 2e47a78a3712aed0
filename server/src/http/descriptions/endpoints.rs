//! The endpoints with what OpenAPI says about them. A test compares their paths with the router's.

use std::borrow::Cow;

use adamant_protocol::{
    downloads::{DownloadList, SignedDownload},
    from_client::{Directory, Games, History, Standings, Stats},
    schema,
    to_client::{
        DirectoryList, GameList, GameStats, HistoryList, SignedHead, Snapshot, StandingList,
        UserProfile,
    },
};
use schemars::JsonSchema;
use serde_json::Value;

use crate::http::{
    downloads::HeadQuery,
    event_stream::EventStreamQuery,
    pictures::PictureQuery,
    status::{PublicKeys, ServerVersion},
};

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
