//! A user's games as an Atom feed (RFC 4287): what programs that collect news can follow.

use std::sync::Arc;

use adamant_protocol::{UserName, to_client::GameEntry};
use axum::{
    extract::{Path, State, rejection::PathRejection},
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse as _, Response},
};

use super::{
    app_state::AppState,
    caching::{CachePolicy, invalid_address},
    errors::denial_response,
};
use crate::{
    error::Denial,
    limits::FEED_GAMES_MAX,
    queries::people::{GamesQuery, HistoryPage, HistoryQuery},
    runtime::dates,
};

/// Answers with the feed of a user.
pub(super) async fn atom(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    path: Result<Path<UserName>, PathRejection>,
) -> Response {
    let written = match path {
        Ok(Path(name)) => write(&app, name, &app.site(&headers)).await,
        Err(error) => Err(invalid_address(&error)),
    };
    match written {
        Ok(text) => {
            let kind = HeaderValue::from_static("application/atom+xml; charset=utf-8");
            let policy = CachePolicy::Short.header();
            ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, policy)], text).into_response()
        }
        Err(denial) => denial_response(denial),
    }
}

async fn write(app: &AppState, name: UserName, site: &str) -> Result<String, Denial> {
    let queries = &app.services.user_queries;
    let finished = HistoryQuery { user: name.clone(), page: HistoryPage::of(FEED_GAMES_MAX) };
    let finished = queries.history((None, None), finished).await?;
    let live = queries.games((None, None), GamesQuery::live_of(name, FEED_GAMES_MAX)).await?;
    let mut games: Vec<GameEntry> = live.games;
    games.extend(finished.games);
    games.sort_by(|a, b| b.last_at.cmp(&a.last_at).then_with(|| a.game.cmp(&b.game)));
    games.truncate(FEED_GAMES_MAX as usize);
    Ok(document(site, &finished.user, &games))
}

/// Returns the feed of these games, the latest first.
fn document(site: &str, user: &UserName, games: &[GameEntry]) -> String {
    let site = escaped(site);
    let user = escaped(user.as_str());
    let updated = dates::timestamp(games.first().map_or(0, |game| game.last_at));
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
    let title = escaped(&format!("{}: {}", game.rules.name, players.join(" - ")));
    let summary = escaped(&summary(game, &players));
    let (published, updated) = (dates::timestamp(game.started_at), dates::timestamp(game.last_at));
    let id = escaped(game.game.as_str());
    format!(
        "<entry>\n<title>{title}</title>\n<id>{site}/game/{id}</id>\n\
         <link href=\"{site}/game/{id}\"/>\n<published>{published}</published>\n\
         <updated>{updated}</updated>\n<summary>{summary}</summary>\n</entry>\n"
    )
}

/// Says how a game stands.
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

/// Escapes text for elements and attributes. XML allows no control characters at all.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            control if control.is_control() => {}
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::fixture::entry;

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
        assert_eq!(escaped("a<b>&\"c\"\u{7}"), "a&lt;b&gt;&amp;&quot;c&quot;");
        let feed = document("http://x\"><y", &"ann".parse().unwrap(), &[]);
        assert!(!feed.contains("<y"), "{feed}");
    }
}
