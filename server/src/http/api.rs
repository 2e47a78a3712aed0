//! Reading by HTTP: games, records, standings and users as JSON, in the same format as on the
//! WebSocket, boards as pictures, and a user's games as a feed. Every client may read, pages of other
//! origins included. Nothing here changes anything.

use std::{net::SocketAddr, sync::Arc};

use adamant_protocol::{GameId, UserName, ids::RulesName, to_client::GameEntry};
use axum::{
    Router,
    extract::{Extension, Path, Query, Request, State},
    http::{HeaderMap, HeaderValue, header},
    middleware::Next,
    response::Response,
    routing::get,
};

use super::{
    answers::{Asked, CachePolicy, escaped, json_text, message, text},
    app_state::AppState,
    descriptions, downloads, event_stream, pictures, status,
};
use crate::{
    address::ClientAddress,
    error::Denial,
    limits::FEED_GAMES_MAX,
    lobby::DirectoryQuery,
    queries::{
        people::{GamesQuery, HistoryPage, HistoryQuery, StandingsPage, StandingsQuery},
        stats::{StatsFilter, StatsQuery},
    },
    runtime::time::timestamp,
};

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
        .route("/game/{game}/board.svg", get(pictures::board))
        .route("/game/{game}/board.png", get(pictures::board))
        .route("/v1/key", get(status::key))
        .route("/v1/standings/{rules}", get(standings))
        .route("/v1/stats/{rules}", get(stats))
        .route("/v1/bots", get(bots))
        .route("/v1/downloads", get(downloads::list))
        .route("/v1/downloads/{file}", get(downloads::content))
        .route("/v1/downloads/{file}/head", get(downloads::head))
        .route("/v1/users/{name}", get(user))
        .route("/v1/users/{name}/history", get(history))
        .route("/user/{name}/feed.atom", get(feed))
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

type App = State<Arc<AppState>>;
type Answer = Result<Response, Denial>;

async fn games(State(app): App, Asked(Query(query)): Asked<Query<GamesQuery>>) -> Answer {
    message(app.services.user_queries.games((None, None), query).await)
}

async fn standings(
    State(app): App,
    Asked(Path(rules)): Asked<Path<RulesName>>,
    Asked(Query(page)): Asked<Query<StandingsPage>>,
) -> Answer {
    message(app.services.user_queries.standings(None, StandingsQuery { rules, page }).await)
}

async fn stats(
    State(app): App,
    Asked(Path(rules)): Asked<Path<RulesName>>,
    Asked(Query(filter)): Asked<Query<StatsFilter>>,
) -> Answer {
    message(app.services.user_queries.stats(None, StatsQuery { rules, filter }).await)
}

async fn bots(State(app): App, Asked(Query(query)): Asked<Query<DirectoryQuery>>) -> Answer {
    message(app.services.user_queries.directory(None, query).await)
}

async fn user(State(app): App, Asked(Path(name)): Asked<Path<UserName>>) -> Answer {
    message(app.services.user_queries.user(None, name).await)
}

async fn history(
    State(app): App,
    Asked(Path(user)): Asked<Path<UserName>>,
    Asked(Query(page)): Asked<Query<HistoryPage>>,
) -> Answer {
    message(app.services.user_queries.history((None, None), HistoryQuery { user, page }).await)
}

/// Answers with the snapshot that the room sends to a spectator.
async fn snapshot(
    State(app): App,
    Extension(from): Extension<ClientAddress>,
    Asked(Path(game)): Asked<Path<GameId>>,
) -> Answer {
    let frame = app.services.rooms.snapshot(&game, Some(from)).await?;
    let snapshot = String::from_utf8_lossy(frame.payload()).into_owned();
    Ok(json_text(snapshot, CachePolicy::NoStore))
}

/// The server's word for a game's log as it stands: a line to put under it.
async fn signature(
    State(app): App,
    Extension(from): Extension<ClientAddress>,
    Asked(Path(game)): Asked<Path<GameId>>,
) -> Answer {
    let signed = app.services.sign_head(&game, None, Some(from)).await?;
    Ok(json_text(adamant_protocol::encode(&signed.into()) + "\n", CachePolicy::NoStore))
}

async fn record(
    State(app): App,
    Extension(from): Extension<ClientAddress>,
    Asked(Path(game)): Asked<Path<GameId>>,
) -> Answer {
    let (record, over) = app.services.rooms.text_record(&game, Some(from)).await?;
    let policy = if over { CachePolicy::Long } else { CachePolicy::NoStore };
    Ok(text(record.to_string(), "text/plain; charset=utf-8", policy))
}

/// Answers with a user's games as an Atom feed (RFC 4287), which programs that collect news follow.
async fn feed(
    State(app): App,
    headers: HeaderMap,
    Asked(Path(name)): Asked<Path<UserName>>,
) -> Answer {
    let queries = &app.services.user_queries;
    let finished = HistoryQuery { user: name.clone(), page: HistoryPage::of(FEED_GAMES_MAX) };
    let finished = queries.history((None, None), finished).await?;
    let live = queries.games((None, None), GamesQuery::live_of(name, FEED_GAMES_MAX)).await?;
    let mut games: Vec<GameEntry> = live.games;
    games.extend(finished.games);
    games.sort_by(|a, b| b.last_at.cmp(&a.last_at).then_with(|| a.game.cmp(&b.game)));
    games.truncate(FEED_GAMES_MAX as usize);
    let feed = document(&app.site(&headers), &finished.user, &games);
    Ok(text(feed, "application/atom+xml; charset=utf-8", CachePolicy::Short))
}

/// Returns the feed of these games, the latest first.
fn document(site: &str, user: &UserName, games: &[GameEntry]) -> String {
    let site = printable(site);
    let user = printable(user.as_str());
    let updated = timestamp(games.first().map_or(0, |game| game.last_at));
    let entries: String = games.iter().map(|game| entry(&site, game)).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
         <feed xmlns=\"http://www.w3.org/2005/Atom\">\n\
         <title>Games of {user}</title>\n\
         <id>{site}/user/{user}</id>\n\
         <link href=\"{site}/user/{user}\"/>\n\
         <link rel=\"self\" href=\"{site}/user/{user}/feed.atom\"/>\n\
         <updated>{updated}</updated>\n\
         <author><name>{user}</name></author>\n\
         {entries}</feed>\n"
    )
}

fn entry(site: &str, game: &GameEntry) -> String {
    let players: Vec<&str> = game.seats.iter().map(|seat| seat.user.as_str()).collect();
    let title = printable(&format!("{}: {}", game.rules.name, players.join(" - ")));
    let summary = printable(&summary(game, &players));
    let (published, updated) = (timestamp(game.started_at), timestamp(game.last_at));
    let id = printable(game.game.as_str());
    format!(
        "<entry>\n<title>{title}</title>\n<id>{site}/game/{id}</id>\n\
         <link href=\"{site}/game/{id}\"/>\n<published>{published}</published>\n\
         <updated>{updated}</updated>\n<summary>{summary}</summary>\n</entry>\n"
    )
}

fn summary(game: &GameEntry, players: &[&str]) -> String {
    let name = |seat: u8| players.get(usize::from(seat)).copied().unwrap_or_default();
    let moves = match game.ply {
        1 => "1 move".to_owned(),
        ply => format!("{ply} moves"),
    };
    match (&game.result, game.to_move) {
        (Some(result), _) => {
            let end = match result.winners.as_slice() {
                [] => "aborted".to_owned(),
                [winner] => format!("{} won", name(*winner)),
                _ => "drawn".to_owned(),
            };
            format!("{end} after {moves}")
        }
        (None, Some(seat)) => format!("{} is to move after {moves}", name(seat)),
        (None, None) => moves,
    }
}

/// XML allows no control characters at all.
fn printable(text: &str) -> String {
    escaped(&text.replace(char::is_control, ""))
}

#[cfg(test)]
mod tests {
    use crate::store::fixture::entry;

    use super::*;

    #[test]
    fn a_feed_names_games_players_and_times() {
        let game = entry("k7q2mx", "adamas", 1_795_251_640_120);
        let feed = document("https://play.example.org", &"ann".parse().unwrap(), &[game]);
        for line in [
            "<id>https://play.example.org/game/k7q2mx</id>",
            "<title>adamas: ann - bob</title>",
            "<updated>2026-11-21T09:00:40Z</updated>",
            "<summary>ann is to move after 0 moves</summary>",
        ] {
            assert!(feed.lines().any(|found| found == line), "{line} is missing:\n{feed}");
        }
    }

    #[test]
    fn text_from_outside_cannot_add_markup() {
        assert_eq!(printable("a<b>&\"c'\u{7}"), "a&lt;b&gt;&amp;&quot;c&#39;");
        let feed = document("http://x\"><y", &"ann".parse().unwrap(), &[]);
        assert!(!feed.contains("<y"), "{feed}");
    }
}
