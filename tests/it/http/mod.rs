//! The HTTP side of the one port: TLS, headers and the read-only API.

mod headers; // paths, caching, security headers, the `Host` of a request
mod pictures; // pictures of boards

use serde_json::{Value, json};
use tokio::{io::AsyncWriteExt as _, net::TcpStream};

use crate::harness::{
    Peer, Server, game, http,
    raw_socket::{get_from_host, header},
};

/// Returns the WebSocket's answer to the same request, without the request's id.
async fn asked(peer: &mut Peer, request: Value) -> Value {
    let mut answer = peer.ask(request).await;
    answer.as_object_mut().unwrap().remove("re");
    answer
}

#[tokio::test]
async fn lists_users_and_snapshots_equal_those_of_the_websocket() {
    let (server, mut ann, mut bob, game) = game::server_with_two().await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 3).await;
    let mut anonymous = Peer::anonymous(&server).await;
    for (path, request) in [
        ("/v1/games", json!({"type": "games"})),
        ("/v1/games?user=ANN&limit=1", json!({"type": "games", "user": "ann", "limit": 1})),
        ("/v1/games?state=finished", json!({"type": "games", "state": "finished"})),
        ("/v1/games?players=3", json!({"type": "games", "players": 3})),
        (
            "/v1/standings/hexma?players=3&bot=true",
            json!({"type": "standings", "rules": "hexma", "players": 3, "bot": true}),
        ),
        ("/v1/users/bob", json!({"type": "user", "name": "bob"})),
        ("/v1/users/bob/history", json!({"type": "history", "user": "bob"})),
    ] {
        assert_eq!(http::get(&server, path).await, asked(&mut anonymous, request).await, "{path}");
    }
    let snapshot = http::get(&server, &format!("/v1/games/{game}")).await;
    let mut watched = asked(&mut anonymous, json!({"type": "watch", "game": game})).await;
    assert_eq!(snapshot["spectators"], 0, "a read does not count as a spectator");
    for passing in ["spectators", "presence"] {
        watched[passing] = snapshot[passing].clone();
    }
    assert_eq!(snapshot, watched);

    game::resign(&mut bob, &mut ann, &game).await;
    let over = http::get(&server, "/v1/users/ann/history").await;
    assert_eq!(over["games"][0]["game"], json!(game));
    let record = http::ask(&server, "GET", &format!("/v1/games/{game}/record")).await;
    assert_eq!(record.headers["content-type"], "text/plain; charset=utf-8");
    assert!(record.headers["cache-control"].contains("max-age=86400"));
    let text = record.text().await;
    assert!(text.starts_with("adamas challenge") && text.ends_with("resign\n"), "{text}");
}

#[tokio::test]
async fn invalid_reads_have_the_websockets_error_codes() {
    let server = Server::start().await;
    for (path, status, code) in [
        ("/v1/games/nosuch", 404, "not_found"),
        ("/v1/games/nosuch/log", 404, "not_found"),
        ("/v1/games/nosuch/record", 404, "not_found"),
        ("/v1/games/no%20such", 400, "bad_message"),
        ("/v1/games?limit=many", 400, "bad_message"),
        ("/v1/games?state=asleep", 400, "bad_message"),
        ("/v1/games?before=nosuch", 404, "not_found"),
        ("/v1/standings/ludo", 404, "not_found"),
        ("/v1/standings/adamas?players=9", 400, "bad_message"),
        ("/v1/standings/adamas?before=x", 400, "bad_message"),
        ("/v1/standings/adamas?bot=perhaps", 400, "bad_message"),
        ("/v1/users/stranger", 404, "not_found"),
        ("/v1/users/-", 400, "bad_message"),
        ("/v1/users/stranger/history", 404, "not_found"),
        ("/v1/nothing", 404, "not_found"),
        ("/v1/games/x/log?follow=maybe", 400, "bad_message"),
    ] {
        let (found, problem) = http::refused(&server, path).await;
        assert_eq!((found, problem["code"].as_str()), (status, Some(code)), "{path}: {problem}");
        assert!(!problem["message"].as_str().unwrap().is_empty(), "{path}");
    }
    let posted = http::ask(&server, "POST", "/v1/games").await;
    assert_eq!(posted.status, 405);
    assert!(posted.headers["allow"].contains("GET"), "{:?}", posted.headers);
    let head = http::ask(&server, "HEAD", "/v1/games").await;
    assert_eq!((head.status, head.headers["content-type"].as_str()), (200, "application/json"));
    assert_eq!(head.text().await, "");
}

#[tokio::test]
async fn every_origin_may_read_and_do_nothing_else() {
    let server = Server::start().await;
    for path in ["/version", "/v1/games", "/v1/users/stranger"] {
        let answer = http::ask(&server, "GET", path).await;
        assert_eq!(answer.headers["access-control-allow-origin"], "*", "{path}");
        assert_eq!(answer.headers.get("access-control-allow-credentials"), None);
    }
    let page = http::ask(&server, "GET", "/healthz").await;
    assert_eq!(page.headers.get("access-control-allow-origin"), None);
}

#[tokio::test]
async fn reads_of_an_address_are_limited() {
    let server = Server::with(|setup| {
        setup.set("limits", "messages_burst", 3);
        setup.set("limits", "messages_per_s", 1);
    })
    .await;
    for _ in 0..3 {
        http::get(&server, "/v1/games").await;
    }
    let answer = http::ask(&server, "GET", "/v1/games").await;
    assert_eq!(answer.status, 429);
    assert_eq!(answer.headers["retry-after"], "1");
    let problem: Value = serde_json::from_str(&answer.text().await).unwrap();
    assert_eq!((&problem["code"], &problem["limit"]), (&json!("rate_limited"), &json!("messages")));
    assert!(problem["retry_after_ms"].as_u64().unwrap() <= 1000, "{problem}");
    for path in ["/schema/v1.json", "/version", "/nowhere"] {
        let answer = http::ask(&server, "GET", path).await;
        assert_eq!(answer.status, 429, "{path}");
        assert!(answer.headers.contains_key("retry-after"), "{path}");
    }
    for path in ["/healthz", "/readyz", "/lb", "/metrics"] {
        assert_eq!(http::ask(&server, "GET", path).await.status, 200, "monitors are not counted");
    }
}

#[tokio::test]
async fn page_files_of_an_address_are_limited() {
    let server = Server::with(|setup| setup.set("limits", "page_files_per_min", 3)).await;
    for path in ["/", "/page/current/main.js", "/account"] {
        assert_eq!(http::ask(&server, "GET", path).await.status, 200, "{path}");
    }
    for path in ["/", "/page/current/style.css", "/live"] {
        let answer = http::ask(&server, "GET", path).await;
        assert_eq!(answer.status, 429, "{path}");
        let wait_s: u64 = answer.headers["retry-after"].parse().unwrap();
        assert!((1..=20).contains(&wait_s), "{wait_s}");
        let problem: Value = serde_json::from_str(&answer.text().await).unwrap();
        assert_eq!(problem["limit"], "page_files_per_min", "{problem}");
    }
    assert_eq!(http::ask(&server, "GET", "/v1/games").await.status, 200, "that is another rate");
}

#[tokio::test]
async fn a_first_visit_fits_into_the_limits() {
    let server = Server::with(|setup| setup.set("limits", "page_files_per_min", 600)).await;
    let document = http::ask(&server, "GET", "/").await.text().await;
    let files: Vec<&str> = document.split('"').filter(|part| part.starts_with("/page/")).collect();
    assert!(files.len() > 2, "{document}");
    // Eight visitors share the address.
    for visitor in 0..8 {
        for path in ["/"].iter().chain(&files) {
            let status = http::ask(&server, "GET", path).await.status;
            assert_eq!(status, 200, "visitor {visitor}: {path}");
        }
    }
}

#[tokio::test]
async fn the_event_stream_follows_a_live_game_byte_for_byte() {
    let (server, mut ann, mut bob, game) = game::server_with_two().await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    let mut log = http::ask(&server, "GET", &format!("/v1/games/{game}/log?follow=1")).await;
    assert_eq!(log.headers["content-type"], "application/x-ndjson");
    assert_eq!(log.headers["cache-control"], "no-store");
    assert_eq!(log.headers["x-accel-buffering"], "no", "nginx passes each event on at once");
    let mut lines = Vec::new();
    for _ in 0..4 {
        lines.push(log.next_line_with_text().await.unwrap());
    }
    // Live: each event arrives as it happens.
    for _ in 0..4 {
        game::play_moves(&mut [&mut ann, &mut bob], &game, 1).await;
        lines.push(log.next_line_with_text().await.unwrap());
    }
    let mut late =
        http::ask(&server, "GET", &format!("/v1/games/{game}/log?from=7&follow=1")).await;
    game::resign(&mut bob, &mut ann, &game).await;
    while let Some(line) = log.next_line_with_text().await {
        lines.push(line);
    }
    assert!(log.is_whole(), "it ends with the game");
    assert_eq!(lines, ann.records(&game));
    let mut tail = Vec::new();
    while let Some(line) = late.next_line_with_text().await {
        tail.push(line);
    }
    assert!(late.is_whole());
    assert_eq!(tail, ann.records(&game)[6..]);

    // The stream of a finished game can be cached, and is the same.
    let kept = http::ask(&server, "GET", &format!("/v1/games/{game}/log")).await;
    assert_eq!(kept.headers["cache-control"], "public, max-age=86400");
    let text = kept.text().await;
    assert_eq!(text.lines().collect::<Vec<_>>(), ann.records(&game));
    let followed = http::ask(&server, "GET", &format!("/v1/games/{game}/log?follow=1")).await;
    assert_eq!(followed.text().await, text);
    let head = http::ask(&server, "HEAD", &format!("/v1/games/{game}/log?follow=1")).await;
    assert_eq!(head.status, 200);
    assert_eq!(head.text().await, "");
}

#[tokio::test]
async fn the_event_stream_of_a_rated_game_ends_with_the_rating() {
    let server = Server::start().await;
    let mut peers = Vec::new();
    for name in ["ann", "bob"] {
        let mut peer = Peer::guest(&server, name).await;
        peer.ask(json!({"type": "signup", "user": name, "password": "open sesame"})).await;
        peers.push(peer);
    }
    let [ann, bob] = &mut peers[..] else { panic!() };
    let game = game::start(&mut [&mut *ann, &mut *bob], json!({"rated": true})).await;
    game::play_moves(&mut [&mut *ann, &mut *bob], &game, 2).await;
    let mut log = http::ask(&server, "GET", &format!("/v1/games/{game}/log?follow=1")).await;
    for _ in 0..4 {
        log.next_line_with_text().await.unwrap();
    }
    ann.ask(json!({"type": "resign", "game": game})).await;
    let mut kinds = Vec::new();
    while let Some(line) = log.next_line_with_text().await {
        let record: Value = serde_json::from_str(&line).unwrap();
        kinds.push(record["kind"].as_str().unwrap().to_owned());
    }
    assert_eq!(kinds, ["ended", "rated"]);
}

#[tokio::test]
async fn an_idle_event_stream_sends_keepalives_beyond_the_request_timeout() {
    let server = Server::with(|setup| {
        setup.set("limits", "ping_every", "1s");
        setup.set("limits", "idle_close", "3s");
    })
    .await;
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    let mut log = http::ask(&server, "GET", &format!("/v1/games/{game}/log?follow=1")).await;
    for _ in 0..2 {
        log.next_line_with_text().await.unwrap();
    }
    // Seven seconds: longer than the server's timeout for a request.
    for _ in 0..7 {
        assert_eq!(log.line().await.unwrap(), "");
        // The players send signs of life, too.
        ann.ask(json!({"type": "ping"})).await;
        bob.ask(json!({"type": "ping"})).await;
    }
    game::play_moves(&mut [&mut ann, &mut bob], &game, 1).await;
    assert_eq!(log.next_line_with_text().await.as_ref(), ann.records(&game).last());
}

#[tokio::test]
async fn a_stopping_server_aborts_event_streams() {
    let (mut server, _ann, _bob, game) = game::server_with_two().await;
    let mut log = http::ask(&server, "GET", &format!("/v1/games/{game}/log?follow=1")).await;
    for _ in 0..2 {
        log.next_line_with_text().await.unwrap();
    }
    assert!(server.stop().await.success());
    assert_eq!(log.next_line_with_text().await, None);
    assert!(!log.is_whole(), "the game goes on");
}

#[tokio::test]
async fn event_streams_count_as_connections() {
    let server = Server::with(|setup| setup.set("limits", "connections_per_address", 4)).await;
    let (_ann, _bob, game) = game::start_two(&server).await;
    let path = format!("/v1/games/{game}/log?follow=1");
    let mut first = http::ask(&server, "GET", &path).await;
    let mut second = http::ask(&server, "GET", &path).await;
    first.next_line_with_text().await.unwrap();
    second.next_line_with_text().await.unwrap();
    let (status, problem) = http::refused(&server, &path).await;
    assert_eq!((status, &problem["code"]), (429, &json!("rate_limited")));
    // A slot becomes free with the connection that held it.
    drop(first);
    let mut attempts = 0;
    loop {
        let answer = http::ask(&server, "GET", &path).await;
        if answer.status == 200 {
            break;
        }
        attempts += 1;
        assert!(attempts < 10_000, "the slot is never freed");
    }
}

#[tokio::test]
async fn a_slow_reader_delays_no_player() {
    let (server, mut ann, mut bob, game) = game::server_with_two().await;
    let mut stuck = TcpStream::connect(server.address()).await.unwrap();
    let request = format!("GET /v1/games/{game}/log?follow=1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    stuck.write_all(request.as_bytes()).await.unwrap();
    stuck.readable().await.unwrap();
    let mut log = http::ask(&server, "GET", &format!("/v1/games/{game}/log?follow=1")).await;
    game::play_to_end(&mut [&mut ann, &mut bob], &game).await;
    let mut lines = Vec::new();
    while let Some(line) = log.next_line_with_text().await {
        lines.push(line);
    }
    assert_eq!(lines, ann.records(&game));
    drop(stuck);
}

#[tokio::test]
async fn the_event_stream_respects_the_spectator_delay() {
    let server = Server::start().await;
    let (mut ann, mut bob, game) = game::start_two_with(&server, json!({"delay": 2})).await;
    let path = |what: &str| format!("/v1/games/{game}{what}");
    let mut log = http::ask(&server, "GET", &path("/log?follow=1")).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 5).await;
    let moves = |text: &str| text.lines().skip(1).filter(|line| !line.is_empty()).count();
    let record = http::ask(&server, "GET", &path("/record")).await.text().await;
    assert_eq!(moves(&record), 3, "{record}");
    assert_eq!(http::get(&server, &path("")).await["ply"], 3);
    let stored = http::ask(&server, "GET", &path("/log")).await.text().await;
    let known: Vec<&str> = ann.records(&game)[..5].iter().map(String::as_str).collect();
    assert_eq!(stored.lines().collect::<Vec<_>>(), known);

    game::resign(&mut bob, &mut ann, &game).await;
    let mut lines = Vec::new();
    while let Some(line) = log.next_line_with_text().await {
        lines.push(line);
    }
    assert!(log.is_whole());
    assert_eq!(lines, ann.records(&game));
    let record = http::ask(&server, "GET", &path("/record")).await.text().await;
    assert_eq!(moves(&record), 6, "{record}");
}

/// Returns the document, whose references a validator resolves in its own root.
async fn openapi(server: &Server) -> Value {
    let answer = http::ask(server, "GET", "/schema/openapi.json").await;
    assert_eq!(answer.headers["content-type"], "application/vnd.oai.openapi+json;version=3.1");
    serde_json::from_str(&answer.text().await).expect("JSON")
}

/// Checks JSON against a schema of the document.
fn check(document: &Value, schema: &Value, found: &Value, what: &str) {
    let root = json!({ "allOf": [schema], "components": document["components"] });
    let validator = jsonschema::draft202012::new(&root).expect("the schema is one");
    let faults: Vec<String> = validator.iter_errors(found).map(|fault| fault.to_string()).collect();
    assert!(faults.is_empty(), "{what}: {faults:?}\n{found}");
}

/// Checks an answer against the document: its status, its media type, and its body if that is JSON.
async fn check_answer(server: &Server, document: &Value, path: &str, asked: &str, is_good: bool) {
    let answer = http::ask(server, "GET", asked).await;
    let responses = &document["paths"][path]["get"]["responses"];
    let status = answer.status.to_string();
    let described = match responses.get(&status) {
        Some(described) => described,
        None => &responses[format!("{}XX", &status[..1])],
    };
    let described = match described["$ref"].as_str() {
        Some(place) => document.pointer(&place[1..]).expect("a response of its own"),
        None => described,
    };
    assert!(described.is_object(), "{asked}: {status}");
    assert_eq!(answer.status < 300, is_good, "{asked}: {status}");
    let Some(content) = described["content"].as_object() else {
        assert_eq!(answer.status, 101, "{asked}");
        return;
    };
    let media_type = answer.headers["content-type"].split(';').next().unwrap_or_default();
    let any = content.get("*/*");
    let Some(of_type) = content.get(media_type).or(any) else {
        panic!("{asked}: {media_type} is not described");
    };
    if (media_type == "application/json" || media_type.ends_with("+json")) && any.is_none() {
        let body = serde_json::from_str(&answer.text().await).expect("JSON");
        check(document, &of_type["schema"], &body, asked);
    }
}

#[tokio::test]
async fn every_answer_is_as_openapi_says() {
    let server = Server::with(|setup| {
        setup.argument("--no-limits");
        setup.set("downloads", "every", "50ms");
    })
    .await;
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 3).await;
    let live = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    game::resign(&mut bob, &mut ann, &game).await;
    let mut kim = Peer::guest(&server, "kim").await;
    let account = json!({"type": "signup", "user": "kim", "password": "open sesame"});
    kim.ask(account).await;

    let download = loop {
        let files = http::get(&server, "/v1/downloads").await;
        if let Some(name) = files["files"][0]["file"].as_str() {
            break name.to_owned();
        }
    };

    let document = openapi(&server).await;
    let paths = document["paths"].as_object().expect("paths");
    assert!(paths.len() > 40, "{}", paths.len());
    for (path, methods) in paths {
        let is_socket = methods["get"]["responses"].get("101").is_some();
        let fill = |game: &str| {
            let values = [
                ("{game}", game),
                ("{name}", "ann"),
                ("{rules}", "adamas"),
                ("{invite}", "nosuch"),
                ("{number}", "1"),
                ("{version}", "current"),
                ("{path}", "main.js"),
                ("{file}", &download),
            ];
            values.iter().fold(path.clone(), |filled, (name, value)| filled.replace(name, value))
        };
        for game in [&game, &live] {
            // A plain request for the WebSocket is refused, as a refusal is described.
            check_answer(&server, &document, path, &fill(game), !is_socket).await;
        }
    }
    for (path, asked) in [
        ("/v1/games", "/v1/games?user=ANN&limit=1&state=finished&rated=false".to_owned()),
        ("/v1/games/{game}/log", format!("/v1/games/{game}/log?from=2&follow=1")),
        ("/v1/standings/{rules}", "/v1/standings/hexma?players=3&limit=5".to_owned()),
        ("/v1/stats/{rules}", "/v1/stats/hexma?players=3&opponents=mixed".to_owned()),
        ("/v1/users/{name}", "/v1/users/kim".to_owned()),
        ("/v1/users/{name}/history", "/v1/users/bob/history?rules=adamas&limit=1".to_owned()),
        (
            "/game/{game}/board.svg",
            format!("/game/{game}/board.svg?ply=1&theme=dark&board=slate&size=64"),
        ),
    ] {
        check_answer(&server, &document, path, &asked, true).await;
        let described = document["paths"][path]["get"]["parameters"].as_array().unwrap();
        let query = asked.split_once('?').map_or("", |(_, query)| query);
        for (name, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
            let parameter = described.iter().find(|parameter| parameter["name"] == name);
            let parameter = parameter.unwrap_or_else(|| panic!("{path} has no parameter {name}"));
            let read: Value = serde_json::from_str(value).unwrap_or_else(|_| json!(value));
            let text = json!(value);
            let is_text = parameter["schema"]["enum"].is_array();
            check(&document, &parameter["schema"], if is_text { &text } else { &read }, name);
        }
    }
    // The page has a document for every id, and no record has a number beyond the largest.
    check_answer(&server, &document, "/game/{game}", "/game/No%20Such", true).await;
    let id = &document["paths"]["/game/{game}"]["get"]["parameters"][0]["schema"];
    check(&document, id, &json!("No Such"), "an id in an address of the page");
    let of_log = &document["paths"]["/v1/games/{game}/log"]["get"]["parameters"];
    let from = of_log.as_array().unwrap().iter().find(|parameter| parameter["name"] == "from");
    let most = from.unwrap()["schema"]["maximum"].as_u64().expect("a largest number");
    for (from, is_good) in [(1, true), (most, true), (0, false), (most + 1, false)] {
        let asked = format!("/v1/games/{game}/log?from={from}");
        check_answer(&server, &document, "/v1/games/{game}/log", &asked, is_good).await;
    }
    for (path, asked) in [
        ("/v1/games/{game}", "/v1/games/nosuch"),
        ("/v1/games", "/v1/games?limit=many"),
        ("/v1/users/{name}", "/v1/users/-"),
        ("/v1/downloads/{file}", "/v1/downloads/1970-01.ndjson"),
        ("/v1/downloads/{file}/head", "/v1/downloads/1970-01.ndjson/head?games=1"),
        ("/game/{game}/board.png", "/game/nosuch/board.png"),
    ] {
        check_answer(&server, &document, path, asked, false).await;
    }
}

#[tokio::test]
async fn the_descriptions_are_served_as_the_schema_is() {
    let server = Server::start().await;
    let fetch = async |path: &str, kind: &str| {
        let (head, gzip) = get_from_host(&server, path, "here", "Accept-Encoding: gzip\r\n").await;
        assert!(head.starts_with("http/1.1 200"), "{path}: {head}");
        assert_eq!(header(&head, "content-type"), Some(kind), "{path}");
        assert_eq!(header(&head, "access-control-allow-origin"), Some("*"), "{path}");
        assert_eq!(header(&head, "cross-origin-resource-policy"), Some("cross-origin"), "{path}");
        assert_eq!(header(&head, "cache-control"), Some("no-cache"), "{path}");
        assert_eq!(header(&head, "content-encoding"), Some("gzip"), "{path}");
        let tag = header(&head, "etag").expect("a tag").replace("w/", "W/");
        let known = format!("If-None-Match: {tag}\r\n");
        let (head, _) = get_from_host(&server, path, "here", &known).await;
        assert!(head.starts_with("http/1.1 304"), "{path}: {head}");
        let text = http::ask(&server, "GET", path).await.text().await;
        assert!(gzip.len() < text.len(), "{path}");
        text
    };
    fetch("/schema/v1.json", "application/schema+json").await;
    fetch("/schema/openapi.json", "application/vnd.oai.openapi+json;version=3.1").await;
    let kind = "application/vnd.aai.asyncapi+json;version=3.0.0";
    let asyncapi: Value =
        serde_json::from_str(&fetch("/schema/asyncapi.json", kind).await).unwrap();
    assert_eq!(asyncapi, adamant_protocol::schema::asyncapi());
    let types = fetch("/schema/v1.d.ts", "application/typescript; charset=utf-8").await;
    for name in adamant_protocol::schema::components().keys() {
        let is_declared = |kind: &str| types.contains(&format!("export {kind} {name} "));
        // The types have the closed schema, which no unknown event is in.
        assert!(is_declared("interface") || is_declared("type") || name == "OtherEvent", "{name}");
    }
}
