//! Reading by HTTP: games, records, standings and users as JSON, in the same format as on the
//! WebSocket, and boards as pictures. Every client may read, pages of other origins included.
//! Nothing here changes anything.

use std::{net::SocketAddr, sync::Arc};

use adamant_protocol::GameId;
use axum::{
    Router,
    extract::{
        Extension, Path, Query, Request, State,
        rejection::{PathRejection, QueryRejection},
    },
    http::{HeaderValue, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
    routing::get,
};

use super::{
    app_state::AppState,
    caching::{CachePolicy, invalid_address, json_response, json_text},
    descriptions, downloads,
    errors::denial_response,
    event_stream, feed, pictures, status,
};
use crate::{
    address::ClientAddress,
    error::Denial,
    lobby::DirectoryQuery,
    queries::{
        people::{GamesQuery, HistoryPage, HistoryQuery, StandingsPage, StandingsQuery},
        stats::{StatsFilter, StatsQuery},
    },
};

/// What is read here.
pub(super) fn routes() -> Router<Arc<AppState>> {
    Router::new()
        .route("/version", get(status::version))
        .route("/schema/v1.json", get(descriptions::json_schema))
        .route("/schema/v1.d.ts", get(descriptions::typescript))
        .route("/schema/asyncapi.json", get(descriptions::asyncapi))
        .route("/schema/openapi.json", get(descriptions::openapi))
        .route("/v1/games", get(games))
        .route("/v1/games/{game}", get(snapshot))
        .route("/v1/games/{game}/log", get(event_stream::records))
        .route("/v1/games/{game}/record", get(record))
        .route("/v1/games/{game}/signature", get(signature))
        .route("/game/{game}/board.svg", get(pictures::board_svg))
        .route("/game/{game}/board.png", get(pictures::board_png))
        .route("/v1/key", get(status::key))
        .route("/v1/standings/{rules}", get(standings))
        .route("/v1/stats/{rules}", get(stats))
        .route("/v1/bots", get(bots))
        .route("/v1/downloads", get(downloads::list))
        .route("/v1/downloads/{file}", get(downloads::content))
        .route("/v1/downloads/{file}/head", get(downloads::head))
        .route("/v1/users/{name}", get(user))
        .route("/v1/users/{name}/history", get(history))
        .route("/user/{name}/feed.atom", get(feed::atom))
}

/// Applies the rate limit of the address, and lets pages of every origin read the answer. No
/// answer depends on a log-in.
pub(super) async fn admit(
    State(app): State<Arc<AppState>>,
    Extension(peer): Extension<SocketAddr>,
    mut request: Request,
    next: Next,
) -> Response {
    let from = app.client(peer, request.headers());
    request.extensions_mut().insert(from);
    let mut response = match app.rate_limits.check_read(from, app.now_ms()) {
        None => next.run(request).await,
        Some(refused) => refused,
    };
    let any_origin = HeaderValue::from_static("*");
    response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, any_origin);
    response
}

async fn games(
    State(app): State<Arc<AppState>>,
    query: Result<Query<GamesQuery>, QueryRejection>,
) -> Response {
    let answer = match query {
        Ok(Query(query)) => app.services.user_queries.games((None, None), query).await,
        Err(error) => Err(invalid_address(&error)),
    };
    json_response(answer, CachePolicy::Short)
}

async fn standings(
    State(app): State<Arc<AppState>>,
    path: Result<Path<adamant_protocol::ids::RulesName>, PathRejection>,
    page: Result<Query<StandingsPage>, QueryRejection>,
) -> Response {
    let answer = match (path, page) {
        (Ok(Path(rules)), Ok(Query(page))) => {
            app.services.user_queries.standings(None, StandingsQuery { rules, page }).await
        }
        (Err(error), _) => Err(invalid_address(&error)),
        (_, Err(error)) => Err(invalid_address(&error)),
    };
    json_response(answer, CachePolicy::Short)
}

async fn stats(
    State(app): State<Arc<AppState>>,
    path: Result<Path<adamant_protocol::ids::RulesName>, PathRejection>,
    filter: Result<Query<StatsFilter>, QueryRejection>,
) -> Response {
    let answer = match (path, filter) {
        (Ok(Path(rules)), Ok(Query(filter))) => {
            app.services.user_queries.stats(None, StatsQuery { rules, filter }).await
        }
        (Err(error), _) => Err(invalid_address(&error)),
        (_, Err(error)) => Err(invalid_address(&error)),
    };
    json_response(answer, CachePolicy::Short)
}

async fn bots(
    State(app): State<Arc<AppState>>,
    query: Result<Query<DirectoryQuery>, QueryRejection>,
) -> Response {
    let answer = match query {
        Ok(Query(query)) => app.services.user_queries.directory(None, query).await,
        Err(error) => Err(invalid_address(&error)),
    };
    json_response(answer, CachePolicy::Short)
}

async fn user(
    State(app): State<Arc<AppState>>,
    path: Result<Path<adamant_protocol::UserName>, PathRejection>,
) -> Response {
    let answer = match path {
        Ok(Path(name)) => app.services.user_queries.user(None, name).await,
        Err(error) => Err(invalid_address(&error)),
    };
    json_response(answer, CachePolicy::Short)
}

async fn history(
    State(app): State<Arc<AppState>>,
    path: Result<Path<adamant_protocol::UserName>, PathRejection>,
    page: Result<Query<HistoryPage>, QueryRejection>,
) -> Response {
    let answer = match (path, page) {
        (Ok(Path(user)), Ok(Query(page))) => {
            app.services.user_queries.history((None, None), HistoryQuery { user, page }).await
        }
        (Err(error), _) => Err(invalid_address(&error)),
        (_, Err(error)) => Err(invalid_address(&error)),
    };
    json_response(answer, CachePolicy::Short)
}

async fn snapshot(
    State(app): State<Arc<AppState>>,
    Extension(from): Extension<ClientAddress>,
    path: Result<Path<GameId>, PathRejection>,
) -> Response {
    let read = match path {
        Ok(Path(game)) => read_snapshot(&app, &game, from).await,
        Err(error) => Err(invalid_address(&error)),
    };
    match read {
        Ok(snapshot) => json_text(snapshot, CachePolicy::NoStore),
        Err(denial) => denial_response(denial),
    }
}

/// Returns the snapshot that the room sends to a spectator.
async fn read_snapshot(
    app: &AppState,
    game: &GameId,
    from: ClientAddress,
) -> Result<String, Denial> {
    let frame = app.services.rooms.snapshot(game, Some(from)).await?;
    Ok(String::from_utf8_lossy(frame.payload()).into_owned())
}

/// The server's word for a game's log as it stands: a line to put under it.
async fn signature(
    State(app): State<Arc<AppState>>,
    Extension(from): Extension<ClientAddress>,
    path: Result<Path<GameId>, PathRejection>,
) -> Response {
    let signed = match path {
        Ok(Path(game)) => app.services.sign_head(&game, None, Some(from)).await,
        Err(error) => Err(invalid_address(&error)),
    };
    match signed {
        Ok(signed) => {
            json_text(adamant_protocol::encode(&signed.into()) + "\n", CachePolicy::NoStore)
        }
        Err(denial) => denial_response(denial),
    }
}

async fn record(
    State(app): State<Arc<AppState>>,
    Extension(from): Extension<ClientAddress>,
    path: Result<Path<GameId>, PathRejection>,
) -> Response {
    let written = match path {
        Ok(Path(game)) => app.services.rooms.text_record(&game, Some(from)).await,
        Err(error) => Err(invalid_address(&error)),
    };
    match written {
        Ok((text, over)) => {
            let kind = HeaderValue::from_static("text/plain; charset=utf-8");
            let policy = if over { CachePolicy::Long } else { CachePolicy::NoStore };
            let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, policy.header())];
            (headers, text.to_string()).into_response()
        }
        Err(denial) => denial_response(denial),
    }
}
