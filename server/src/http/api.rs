//! Reading by HTTP: games, records, standings and users as JSON, in the same words as on the
//! WebSocket. Anybody may read, pages of other origins included; nothing here can be changed.

use std::{net::SocketAddr, sync::Arc};

use adamant_protocol::GameId;
use axum::{
    Router,
    extract::{
        Extension, Path, Query, Request, State,
        rejection::{PathRejection, QueryRejection},
    },
    http::{HeaderValue, header},
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
    routing::get,
};

use super::{
    caching::{Keep, json, told, unreadable},
    errors::refusal,
    event_stream,
    server::Front,
    status,
};
use crate::{
    address::ClientAddress,
    error::Denial,
    outbound::{
        client::Caller,
        outbox::{Heard, outbox},
    },
    queries::people::{GamesQuery, HistoryPage, HistoryQuery, StandingsPage, StandingsQuery},
    room::Command,
    store::StoreError,
};

/// What is read here.
pub(super) fn routes(front: &Arc<Front>) -> Router<Arc<Front>> {
    Router::new()
        .route("/version", get(status::version))
        .route("/schema/v1.json", get(status::schema))
        .route("/v1/games", get(games))
        .route("/v1/games/{game}", get(snapshot))
        .route("/v1/games/{game}/log", get(event_stream::log))
        .route("/v1/games/{game}/record", get(record))
        .route("/v1/games/{game}/signature", get(signature))
        .route("/v1/key", get(status::key))
        .route("/v1/standings/{rules}", get(standings))
        .route("/v1/users/{name}", get(user))
        .route("/v1/users/{name}/history", get(history))
        .route_layer(middleware::from_fn_with_state(Arc::clone(front), admit))
}

/// Lets so many requests of one address pass, and pages of every origin read the answer. There is
/// nothing here that only a logged-in visitor could see.
async fn admit(
    State(front): State<Arc<Front>>,
    Extension(peer): Extension<SocketAddr>,
    mut request: Request,
    next: Next,
) -> Response {
    let from = front.client(peer, request.headers());
    request.extensions_mut().insert(from);
    let mut response = match front.admission.read(from, front.now_ms()) {
        None => next.run(request).await,
        Some(refused) => refused,
    };
    let everybody = HeaderValue::from_static("*");
    response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, everybody);
    response
}

async fn games(
    State(front): State<Arc<Front>>,
    query: Result<Query<GamesQuery>, QueryRejection>,
) -> Response {
    let answer = match query {
        Ok(Query(query)) => front.services.directory.games(None, query).await,
        Err(error) => Err(unreadable(&error)),
    };
    told(answer, Keep::Moment)
}

async fn standings(
    State(front): State<Arc<Front>>,
    path: Result<Path<adamant_protocol::ids::RulesName>, PathRejection>,
    page: Result<Query<StandingsPage>, QueryRejection>,
) -> Response {
    let answer = match (path, page) {
        (Ok(Path(rules)), Ok(Query(page))) => {
            front.services.directory.standings(None, StandingsQuery { rules, page }).await
        }
        (Err(error), _) => Err(unreadable(&error)),
        (_, Err(error)) => Err(unreadable(&error)),
    };
    told(answer, Keep::Moment)
}

async fn user(
    State(front): State<Arc<Front>>,
    path: Result<Path<adamant_protocol::UserName>, PathRejection>,
) -> Response {
    let answer = match path {
        Ok(Path(name)) => front.services.directory.user(None, name).await,
        Err(error) => Err(unreadable(&error)),
    };
    told(answer, Keep::Moment)
}

async fn history(
    State(front): State<Arc<Front>>,
    path: Result<Path<adamant_protocol::UserName>, PathRejection>,
    page: Result<Query<HistoryPage>, QueryRejection>,
) -> Response {
    let answer = match (path, page) {
        (Ok(Path(user)), Ok(Query(page))) => {
            front.services.directory.history(None, HistoryQuery { user, page }).await
        }
        (Err(error), _) => Err(unreadable(&error)),
        (_, Err(error)) => Err(unreadable(&error)),
    };
    told(answer, Keep::Moment)
}

async fn snapshot(
    State(front): State<Arc<Front>>,
    Extension(from): Extension<ClientAddress>,
    path: Result<Path<GameId>, PathRejection>,
) -> Response {
    let looked = match path {
        Ok(Path(game)) => look(&front, &game, from).await,
        Err(error) => Err(unreadable(&error)),
    };
    match looked {
        Ok(snapshot) => json(snapshot, Keep::Nothing),
        Err(denial) => refusal(denial),
    }
}

/// The game as its room tells it to somebody who passes by.
async fn look(front: &Front, game: &GameId, from: ClientAddress) -> Result<String, Denial> {
    let session = front.services.next_session();
    let (outbox, mut queue) = outbox(session, None);
    let caller = Arc::new(Caller::nobody(session, outbox, Some(from)));
    front.services.rooms.send(game, Command::Look { caller }).await?;
    match queue.next().await {
        Heard::Frame(frame) => Ok(String::from_utf8_lossy(frame.payload()).into_owned()),
        Heard::Lagged | Heard::Ended(_) => Err(Denial::Store(StoreError::Stopped)),
    }
}

/// The server's word for a game's log as it stands: a line to put under it.
async fn signature(
    State(front): State<Arc<Front>>,
    Extension(from): Extension<ClientAddress>,
    path: Result<Path<GameId>, PathRejection>,
) -> Response {
    let signed = match path {
        Ok(Path(game)) => front.services.vouch_for(&game, None, Some(from)).await,
        Err(error) => Err(unreadable(&error)),
    };
    match signed {
        Ok(signed) => json(adamant_protocol::encode(&signed.into()) + "\n", Keep::Nothing),
        Err(denial) => refusal(denial),
    }
}

async fn record(
    State(front): State<Arc<Front>>,
    Extension(from): Extension<ClientAddress>,
    path: Result<Path<GameId>, PathRejection>,
) -> Response {
    let written = match path {
        Ok(Path(game)) => front.services.rooms.text_record(&game, Some(from)).await,
        Err(error) => Err(unreadable(&error)),
    };
    match written {
        Ok((text, over)) => {
            let kind = HeaderValue::from_static("text/plain; charset=utf-8");
            let keep = if over { Keep::Long } else { Keep::Nothing };
            let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, keep.header())];
            (headers, text.to_string()).into_response()
        }
        Err(denial) => refusal(denial),
    }
}
