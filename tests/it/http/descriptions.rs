//! The descriptions of the interfaces: that they are served, and that the server answers as OpenAPI
//! says.

use serde_json::{Value, json};

use crate::harness::{
    Peer, Server, game, http,
    raw_http::{get_from_host, header},
};

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
    bob.ask(json!({"type": "resign", "game": game})).await;
    ann.next_event(&game, "ended").await;
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
