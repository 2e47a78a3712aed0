//! The socket: its permissions, what lies in its place, and that nothing else leads to it.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    os::unix::{fs::PermissionsExt as _, net::UnixListener, net::UnixStream},
    path::Path,
};

use adamant_protocol::FromClient;
use serde_json::{Value, json};

use super::operator::{govern, run_on};
use crate::harness::{Node, Peer, Server, Setup, http, raw_socket, repository};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn the_servers_user_alone_may_use_the_socket_and_it_goes_with_the_server() {
    let mut server = Server::start().await;
    let socket = server.data().join("admin.sock");
    assert_eq!(mode(&socket), 0o600);
    server.kill().await;
    assert!(socket.exists(), "a killed server leaves it");
    let (status, said) = run_on(server.node(0), &["sign-up", "show"]).await;
    assert!(status == Some(1) && said.contains("is the server running?"), "{said}");
    server.restart().await;
    let state = govern(&server, &["sign-up", "show"]).await;
    assert_eq!(state, json!({"accounts": "open", "guests": "on"}));
    server.stop().await;
    assert!(!socket.exists());
}

#[tokio::test]
async fn a_configured_socket_has_its_path_and_its_group() {
    let directory = tempfile::tempdir().unwrap();
    let socket = directory.path().join("governed");
    let server = Server::one_node(|setup| {
        setup.set("admin", "socket", socket.display().to_string());
        setup.set("admin", "group", "root");
    })
    .await;
    assert_eq!(mode(&socket), 0o660);
    assert!(!server.data().join("admin.sock").exists());
}

#[tokio::test]
async fn what_others_have_put_in_its_place_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("taken");
    let start = || async {
        let mut setup = Setup::default();
        setup.set("admin", "socket", path.display().to_string());
        let said = Node::try_start(setup).await.err().expect("the server does not start");
        said.join("\n")
    };
    fs::write(&path, "somebody's").unwrap();
    assert!(start().await.contains("a file lies there that is no socket"));
    assert_eq!(fs::read_to_string(&path).unwrap(), "somebody's");
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink(directory.path().join("elsewhere"), &path).unwrap();
    assert!(start().await.contains("a file lies there that is no socket"));
    fs::remove_file(&path).unwrap();
    let listener = UnixListener::bind(&path).unwrap();
    assert!(start().await.contains("another server listens there"));
    drop(listener);
}

/// Sends lines to a socket; returns the answers.
fn exchange(socket: &Path, lines: &[&str]) -> Vec<Value> {
    let mut stream = UnixStream::connect(socket).unwrap();
    let mut answers = BufReader::new(stream.try_clone().unwrap()).lines();
    lines
        .iter()
        .map(|line| {
            writeln!(stream, "{line}").unwrap();
            serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap()
        })
        .collect()
}

#[tokio::test]
async fn each_line_is_answered_and_what_is_no_request_has_no_effect() {
    let server = Server::start().await;
    let socket = server.data().join("admin.sock");
    let answers = exchange(
        &socket,
        &[r#"{"sign-up":"show"}"#, "no JSON", r#"{"shutdown":{}}"#, r#"{"sign-up":"show"}"#],
    );
    let open = json!({"ok": {"accounts": "open", "guests": "on"}});
    assert_eq!((&answers[0], &answers[3]), (&open, &open));
    for refused in &answers[1..3] {
        assert_eq!(refused["error"]["code"], "bad_request", "{refused}");
    }
    let mut stream = UnixStream::connect(&socket).unwrap();
    let long = "x".repeat(64 * 1024 + 1);
    // The server may close before it has read all.
    drop(writeln!(stream, "{long}"));
    let answer = BufReader::new(stream).lines().next().unwrap().unwrap();
    assert!(answer.contains("a request is one line"), "{answer}");
}

/// The words that a client of the network might try.
const REQUESTS: [&str; 5] = [
    r#"{"users":{"close":{"user":"ann","reason":"x"}}}"#,
    r#"{"bans":{"user":{"user":"ann","reason":"x"}}}"#,
    r#"{"sign-up":{"accounts":{"who":"closed","reason":"x"}}}"#,
    r#"{"notice":{"all":{"text":"x"}}}"#,
    r#"{"maintenance":{"plan":{"in":"0s","text":"x"}}}"#,
];

#[tokio::test]
async fn no_act_can_be_reached_from_the_network() {
    let (server, [mut ann]) = Peer::start_with_accounts(["ann"]).await;
    let before = govern(&server, &["audit", "list"]).await;
    for request in REQUESTS {
        let request: Value = serde_json::from_str(request).unwrap();
        let (word, rest) = request.as_object().unwrap().iter().next().unwrap();
        let mut typed = json!({"type": word, "id": "a"});
        for (name, value) in rest.as_object().into_iter().flatten() {
            typed[name] = value.clone();
        }
        let nested = json!({"type": "admin", "id": "b", "request": request});
        for frame in [&request, &typed, &nested] {
            // Three unreadable frames in a minute end a session, so each has its own.
            let mut eve = Peer::guest(&server, &format!("eve{}", rand_name(frame))).await;
            eve.send_unchecked(frame).await;
            let refused = eve.next_of("error").await;
            let code = refused["code"].as_str().unwrap();
            assert!(["unknown_type", "bad_message", "bad_json"].contains(&code), "{refused}");
        }
        for method in ["GET", "POST"] {
            for path in ["/admin", "/v1/admin", &format!("/v1/admin/{word}")] {
                let status = http::ask(&server, method, path).await.status;
                assert!(status == 404 || status == 405, "{method} {path}: {status}");
            }
        }
        // Not even on the port, spoken as on the socket.
        let (head, _) = raw_socket::exchange(&server, &format!("{request}\r\n\r\n")).await;
        assert!(head.starts_with("http/1.1 400 "), "{head}");
    }
    assert_eq!(govern(&server, &["audit", "list"]).await, before, "nothing was done");
    ann.ask(json!({"type": "ping"})).await;
}

/// The words of all commands, as the reference lists them: `("users", "show")`.
fn commands() -> Vec<(String, Option<String>)> {
    let text = fs::read_to_string(repository().join("docs/operate/reference.md")).unwrap();
    let (_, table) = text.split_once("AdminRequest -->").unwrap();
    let (table, _) = table.split_once("<!-- end of generated -->").unwrap();
    let rows = table.lines().filter_map(|row| row.strip_prefix("| `")?.split('`').next());
    let is_word =
        |word: &&str| word.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-');
    rows.map(|row| {
        let mut words = row.split(' ').take_while(is_word).map(str::to_owned);
        (words.next().expect("a row begins with a word"), words.next())
    })
    .collect()
}

#[tokio::test]
async fn no_word_of_the_socket_is_a_type_on_the_wire() {
    let server = Server::start().await;
    let mut ann = Peer::account(&server, "ann").await;
    let before = govern(&server, &["audit", "list"]).await;
    let commands = commands();
    assert!(commands.len() > 30, "{commands:?}");
    let fields = json!({
        "user": "ann", "name": "ann2", "note": "x", "text": "x", "reason": "x", "for": "1h",
        "network": "127.0.0.0/8", "number": 1, "step": "close", "who": "closed", "may": "off",
        "in": "0s", "code": "x", "limit": 9,
    });
    for (group, word) in commands {
        let word = word.unwrap_or_else(|| group.clone());
        let types = [
            group.clone(),
            word.clone(),
            format!("{group}_{word}"),
            format!("{group} {word}"),
            format!("admin_{group}"),
            format!("admin_{group}_{word}"),
        ];
        // Players cancel challenges and ask for users, too.
        let is_request = |word: &String| FromClient::TYPES.contains(&word.as_str());
        let spelled = types.iter().flat_map(|word| [word.clone(), word.replace('-', "_")]);
        for spelled in spelled.filter(|word| !is_request(word)) {
            let mut frame = fields.clone();
            frame["type"] = json!(spelled);
            ann.refused(frame, "unknown_type").await;
        }
    }
    assert_eq!(govern(&server, &["audit", "list"]).await, before, "nothing was done");
}

/// Returns letters that differ for each frame.
fn rand_name(frame: &Value) -> String {
    let sum = frame
        .to_string()
        .bytes()
        .fold(7_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
    format!("{:x}", sum % 0xffff_ffff)
}
