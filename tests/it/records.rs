//! Signed records of games, and downloads of many.

use std::{fs, net::SocketAddr, path::Path, process::Output};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, copy, copy_bidirectional},
    net::{TcpListener, TcpStream},
    process::Command,
    time::timeout,
};

use crate::harness::{
    Home, PATIENCE, Peer, Server, Variant, binary, game, http, python,
    raw_socket::{connect, get, get_from_host, header},
    repository,
};

/// Starts a server that publishes games at once.
async fn start() -> Server {
    Server::with(|setup| setup.set("downloads", "every", "50ms")).await
}

/// Starts a game and ends it after some moves.
async fn finish(ann: &mut Peer, bob: &mut Peer, terms: Value) -> String {
    let game = game::start(&mut [&mut *ann, &mut *bob], terms).await;
    game::play_moves(&mut [&mut *ann, &mut *bob], &game, 4).await;
    game::resign(ann, bob, &game).await;
    game
}

/// Waits until the file of all kinds has a number of games, and returns the list of files.
async fn published(server: &Server, games: u64) -> Vec<Value> {
    let waiting = async {
        loop {
            let list = http::get(server, "/v1/downloads").await;
            let files = list["files"].as_array().expect("files").clone();
            let all: u64 = files
                .iter()
                .filter(|file| file["rules"].is_null())
                .map(|file| file["games"].as_u64().expect("a number"))
                .sum();
            if all >= games {
                return files;
            }
        }
    };
    timeout(PATIENCE, waiting).await.expect("the games are published in time")
}

/// Returns the path of the file of all kinds.
fn path_of_all(files: &[Value]) -> String {
    let all: Vec<&Value> = files.iter().filter(|file| file["rules"].is_null()).collect();
    assert_eq!(all.len(), 1, "the test has run across the end of a month: {files:?}");
    format!("/v1/downloads/{}", all[0]["file"].as_str().expect("a name"))
}

async fn fetch(server: &Server, path: &str, headers: &str) -> (String, Vec<u8>) {
    get_from_host(server, path, "localhost", headers).await
}

#[tokio::test]
async fn a_file_is_read_whole_and_in_parts_and_only_grows() {
    let server = start().await;
    let [mut ann, mut bob] = Peer::guests(&server, ["ann", "bob"]).await;
    let hidden = finish(&mut ann, &mut bob, json!({"unlisted": true})).await;
    let first = finish(&mut ann, &mut bob, json!({})).await;
    let second = finish(&mut ann, &mut bob, json!({"rules": "diam"})).await;
    let live = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    let files = published(&server, 2).await;
    let path = path_of_all(&files);

    let (head, whole) = fetch(&server, &path, "").await;
    assert!(head.starts_with("http/1.1 200"), "{head}");
    assert_eq!(header(&head, "accept-ranges"), Some("bytes"));
    assert_eq!(header(&head, "content-type"), Some("application/x-ndjson"));
    assert_eq!(header(&head, "content-length"), Some(&*whole.len().to_string()));
    let etag = header(&head, "etag").expect("a tag").to_owned();
    let text = String::from_utf8(whole.clone()).unwrap();
    assert!(!text.contains(&hidden) && !text.contains(&live), "{text}");
    let games: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(games.len(), 2);
    for (line, id) in games.iter().zip([&first, &second]) {
        assert_eq!(line["game"], json!(id));
        assert_eq!(line["seats"][0]["user"], "ann");
        assert_eq!(line["result"]["reason"], "resigned");
        let records = line["record"].as_array().expect("records");
        assert_eq!(line["head"]["seq"], json!(records.len()));
        assert_eq!(line["head"]["chain"], records.last().unwrap()["chain"]);
        // The same records as one by one.
        let log = http::ask(&server, "GET", &format!("/v1/games/{id}/log")).await.text().await;
        let expected = log.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>().join(",");
        assert!(text.contains(&format!("\"record\":[{expected}],\"head\"")), "{id}");
    }
    let diam = files.iter().find(|file| file["rules"] == "diam").expect("a file of its kind");
    let of_diam = format!("/v1/downloads/{}", diam["file"].as_str().unwrap());
    let (_, only) = fetch(&server, &of_diam, "").await;
    assert_eq!(Some(&*String::from_utf8(only).unwrap()), text.split_inclusive('\n').nth(1));

    // Parts are what the whole has there, whichever node sends them.
    for at in [1, whole.len() / 3, whole.len() / 2, whole.len() - 1] {
        let (head, part) = fetch(&server, &path, &format!("Range: bytes={at}-\r\n")).await;
        assert!(head.starts_with("http/1.1 206"), "{head}");
        let range = format!("bytes {at}-{}/{}", whole.len() - 1, whole.len());
        assert_eq!(header(&head, "content-range"), Some(&*range));
        assert_eq!(part, whole[at..], "from {at}");
    }
    let behind = format!("Range: bytes={}-\r\n", whole.len());
    let (head, _) = fetch(&server, &path, &behind).await;
    assert!(head.starts_with("http/1.1 416"), "{head}");
    assert_eq!(header(&head, "content-range"), Some(&*format!("bytes */{}", whole.len())));
    let with = |version: &str| format!("Range: bytes=5-\r\nIf-Range: {version}\r\n");
    assert!(fetch(&server, &path, &with(&etag)).await.0.starts_with("http/1.1 206"));
    let (head, again) = fetch(&server, &path, &with("\"older\"")).await;
    assert!(head.starts_with("http/1.1 200") && again == whole, "{head}");
    let known = format!("If-None-Match: {etag}\r\n");
    assert!(fetch(&server, &path, &known).await.0.starts_with("http/1.1 304"));

    // The file grows behind what was read, and an earlier state can still be signed.
    let before = http::get(&server, &format!("{path}/head")).await;
    assert_eq!((&before["games"], &before["complete"]), (&json!(2), &json!(false)));
    assert_eq!(before["last_game"], json!(second));
    ann.ask(json!({"type": "resign", "game": live})).await;
    published(&server, 3).await;
    let (head, longer) = fetch(&server, &path, "").await;
    assert_ne!(header(&head, "etag"), Some(&*etag));
    assert!(longer.len() > whole.len() && longer.starts_with(&whole));
    let signed = http::get(&server, &format!("{path}/head?games=2")).await;
    assert_eq!((&signed["chain"], &signed["bytes"]), (&before["chain"], &before["bytes"]));
    for missing in ["?games=0", "?games=4"] {
        assert_eq!(http::refused(&server, &format!("{path}/head{missing}")).await.0, 404);
    }
}

/// Runs `adamant` in a directory.
async fn adamant(server: &Server, directory: &TempDir, line: &str) -> Output {
    let home = Home::new();
    let mut command = home.command(server, line.split_whitespace());
    let run = command.current_dir(directory.path()).output();
    timeout(PATIENCE, run).await.expect("it ends in time").expect("it runs")
}

fn said(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

#[tokio::test]
async fn the_program_resumes_a_download_and_verifies_it() {
    let server = start().await;
    let [mut ann, mut bob] = Peer::guests(&server, ["ann", "bob"]).await;
    finish(&mut ann, &mut bob, json!({"rules": "hexma"})).await;
    finish(&mut ann, &mut bob, json!({})).await;
    let files = published(&server, 2).await;
    let path = path_of_all(&files);
    let month = files[0]["month"].as_str().unwrap().to_owned();
    let name = format!("{month}.ndjson");
    let (_, whole) = fetch(&server, &path, "").await;

    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join(&name);
    let list = adamant(&server, &directory, "download").await;
    let text = String::from_utf8_lossy(&list.stdout).into_owned();
    assert!(text.contains(&month) && text.contains("hexma"), "{text}");
    let run = adamant(&server, &directory, &format!("download {month} --json")).await;
    assert!(run.status.success(), "{run:?}");
    assert_eq!((&said(&run)["games"], &said(&run)["resumed_at"]), (&json!(2), &json!(0)));
    assert_eq!(fs::read(&file).unwrap(), whole);
    let verified = adamant(&server, &directory, &format!("verify {name} --json")).await;
    assert_eq!((&said(&verified)["ok"], &said(&verified)["games"]), (&json!(true), &json!(2)));
    let one = adamant(&server, &directory, &format!("download {month} --game hexma -o h")).await;
    assert!(one.status.success(), "{one:?}");
    assert!(whole.starts_with(&fs::read(directory.path().join("h")).unwrap()));

    // Cut in the middle of the second game, it goes on behind the first.
    fs::write(&file, &whole[..whole.len() - 100]).unwrap();
    let cut = adamant(&server, &directory, &format!("verify {name}")).await;
    assert!(String::from_utf8_lossy(&cut.stderr).contains("line 2: the file breaks off"));
    finish(&mut ann, &mut bob, json!({})).await;
    published(&server, 3).await;
    let run = adamant(&server, &directory, &format!("download {month} --json")).await;
    let first = whole.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    assert_eq!((&said(&run)["games"], &said(&run)["resumed_at"]), (&json!(3), &json!(first)));
    let longer = fs::read(&file).unwrap();
    assert_eq!(longer, fetch(&server, &path, "").await.1);

    // Tampered games are found by their records, tampered facts and missing games by the signature.
    let text = String::from_utf8(longer).unwrap();
    let key = said(&run)["key"].as_str().unwrap().to_owned();
    let moved = text.replacen("\"kind\":\"moved\",\"seat\":0", "\"kind\":\"moved\",\"seat\":1", 1);
    let renamed = text.replacen("\"user\":\"ann\"", "\"user\":\"eve\"", 1);
    let shorter: String = text.split_inclusive('\n').skip(1).collect();
    let started = text.replacen("\"started_at\":1", "\"started_at\":2", 1);
    for (tampered, why) in [
        (&moved, "does not continue the chain"),
        (&renamed, "the record does not have the players"),
        (&shorter, "the signature is for 3 games, but there are 2"),
        (&started, "the signature is for other lines"),
    ] {
        assert_ne!(*tampered, text, "{why}");
        fs::write(&file, tampered).unwrap();
        let run = adamant(&server, &directory, &format!("verify {name} --key {key}")).await;
        let stderr = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(run.status.code() == Some(1) && stderr.contains(why), "{why}: {run:?}");
    }
    fs::write(&file, &started).unwrap();
    let run = adamant(&server, &directory, &format!("download {month}")).await;
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    for other in ["not a download\n", "not a download"] {
        fs::write(&file, other).unwrap();
        let run = adamant(&server, &directory, &format!("download {month}")).await;
        assert!(String::from_utf8_lossy(&run.stderr).contains("move it away"), "{run:?}");
        assert_eq!(fs::read_to_string(&file).unwrap(), other);
    }
    let none = adamant(&server, &directory, "download 1970-01").await;
    assert_eq!(none.status.code(), Some(4), "{none:?}");
}

/// Starts a relay to a server, which cuts the first answers with a file in the middle. Returns its
/// address.
#[expect(clippy::disallowed_methods, reason = "the task ends with the runtime of the test")]
async fn breaking_relay(to: SocketAddr, mut breaks: u32) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(client.read_u8().await.unwrap());
            }
            let mut server = TcpStream::connect(to).await.unwrap();
            server.write_all(&head).await.unwrap();
            let head = String::from_utf8(head).unwrap();
            let is_file = head.contains(".ndjson HTTP");
            if is_file && breaks > 0 {
                breaks -= 1;
                copy(&mut server.take(2000), &mut client).await.unwrap();
            } else {
                drop(copy_bidirectional(&mut client, &mut server).await);
            }
        }
    });
    address
}

#[tokio::test]
async fn the_program_goes_on_when_the_connection_breaks() {
    let server = start().await;
    let [mut ann, mut bob] = Peer::guests(&server, ["ann", "bob"]).await;
    for _ in 0..3 {
        finish(&mut ann, &mut bob, json!({})).await;
    }
    let files = published(&server, 3).await;
    let (_, whole) = fetch(&server, &path_of_all(&files), "").await;
    assert!(whole.len() > 4000, "the relay cuts within the file");
    let relay = breaking_relay(server.address(), 2).await;
    let directory = tempfile::tempdir().unwrap();
    let month = files[0]["month"].as_str().unwrap();
    let line = format!("download {month} -o games --json --server {relay}");
    let run = adamant(&server, &directory, &line).await;
    assert!(run.status.success(), "{run:?}");
    assert_eq!(fs::read(directory.path().join("games")).unwrap(), whole);
}

#[tokio::test]
async fn the_python_of_the_document_reads_and_checks_a_file() {
    let server = start().await;
    let [mut ann, mut bob] = Peer::guests(&server, ["ann", "bob"]).await;
    finish(&mut ann, &mut bob, json!({})).await;
    let game = finish(&mut ann, &mut bob, json!({"rules": "diam"})).await;
    let files = published(&server, 2).await;
    let (_, whole) = fetch(&server, &path_of_all(&files), "").await;
    let head = http::get(&server, &format!("{}/head", path_of_all(&files))).await;

    let document = fs::read_to_string(repository().join("docs/DATA.md")).unwrap();
    let program = document.split("```python\n").nth(1).expect("a program");
    let program = program.split("```").next().unwrap();
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("games.ndjson"), whole).unwrap();
    fs::write(directory.path().join("read.py"), program).unwrap();
    let mut command = Command::new(python().await);
    let command = command.args(["read.py", "games.ndjson"]).current_dir(directory.path());
    let run = timeout(PATIENCE, command.output()).await.expect("it ends in time").unwrap();
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(run.status.success(), "{run:?}");
    assert!(text.contains(&format!("{game} diam ann bob")), "{text}");
    assert!(text.contains(&format!("2 games, chain {}", head["chain"].as_str().unwrap())));
}

#[tokio::test]
async fn an_operator_may_offer_no_downloads() {
    let server = Server::with(|setup| setup.set("downloads", "enabled", false)).await;
    for path in ["/v1/downloads", "/v1/downloads/2026-11.ndjson", "/v1/downloads/x/head"] {
        let (status, why) = http::refused(&server, path).await;
        assert_eq!((status, &why["code"]), (404, &json!("not_found")), "{path}");
        assert!(why["message"].as_str().unwrap().contains("switched them off"), "{why}");
    }
}

#[tokio::test]
async fn an_address_may_not_ask_for_downloads_without_end() {
    let server = Server::embedded(|_| {}).await;
    let refused = async {
        loop {
            let (status, why) = http::refused(&server, "/v1/downloads/1970-01.ndjson").await;
            if status == 429 {
                return why;
            }
            assert_eq!(status, 404, "{why}");
        }
    };
    let why = timeout(PATIENCE, refused).await.expect("a refusal in time");
    assert_eq!((&why["limit"], &why["retry"]), (&json!("downloads_per_min"), &json!("after")));
}

/// The output and exit status of `adamant`.
#[derive(Debug)]
struct CommandOutput {
    status: i32,
    stdout: String,
    stderr: String,
}

/// Runs `adamant` in a home directory without a log-in.
async fn adamant_alone(line: &str) -> CommandOutput {
    let home = tempfile::tempdir().unwrap();
    let child = Command::new(binary("adamant"))
        .args(line.split_whitespace())
        .env("HOME", home.path())
        .env("XDG_CONFIG_HOME", home.path())
        .env("NO_COLOR", "1")
        .env_remove("ADAMANT_SERVER")
        .env_remove("ADAMANT_TOKEN")
        .stdin(std::process::Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = timeout(PATIENCE, child).await.expect("it ends in time").expect("it can be run");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let status = output.status.code().expect("it is not killed");
    CommandOutput { status, stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// Exports a game into a new directory.
async fn exported(server: &Server, game: &str) -> (TempDir, String) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("game.jsonl").display().to_string();
    let run =
        adamant_alone(&format!("--server {} export {game} --journal -o {file}", server.address()))
            .await;
    assert_eq!(run.status, 0, "{run:?}");
    (directory, file)
}

async fn verified(file: &str, more: &str) -> (CommandOutput, Value) {
    let run = adamant_alone(&format!("verify --json {file} {more}")).await;
    let said = serde_json::from_str(run.stdout.trim()).unwrap_or_default();
    (run, said)
}

/// Starts a game of this variant; returns its players and its id.
async fn begun(server: &Server, variant: &Variant) -> (Vec<Peer>, String) {
    let mut peers = Vec::new();
    for name in ["ann", "bob", "cy"].into_iter().take(variant.players) {
        peers.push(Peer::guest(server, name).await);
    }
    let game = game::start(&mut peers.iter_mut().collect::<Vec<_>>(), variant.terms()).await;
    (peers, game)
}

#[tokio::test]
async fn every_game_is_exported_signed_and_verified_offline() {
    for variant in Variant::all().into_iter().filter(|variant| variant.options.is_empty()) {
        let mut server = Server::one_node(|_| {}).await;
        let (mut peers, game) = begun(&server, &variant).await;
        game::play_moves(&mut peers.iter_mut().collect::<Vec<_>>(), &game, 6).await;
        let (_live, live) = exported(&server, &game).await;
        peers[0].ask(json!({"type": "resign", "game": game})).await;
        if variant.players == 3 {
            peers[1].ask(json!({"type": "resign", "game": game})).await;
        }
        for peer in &mut peers {
            peer.next_event(&game, "ended").await;
        }
        let (_over, over) = exported(&server, &game).await;
        let key = peers[0].welcome["keys"][0].as_str().unwrap().to_owned();
        let at_server = format!("--server {}", server.address());
        let (run, said) = verified(&over, &at_server).await;
        assert_eq!((run.status, &said["key_is_known"]), (0, &json!(true)), "{run:?}");
        drop(peers);
        server.stop().await;

        for (file, goes_on) in [(&live, true), (&over, false)] {
            let (run, said) = verified(file, &format!("--key {key}")).await;
            assert_eq!(run.status, 0, "{variant}: {run:?}");
            let lines = fs::read_to_string(file).unwrap().lines().count();
            assert_eq!(said["seq"], lines - 1, "all lines but the signature are events");
            assert_eq!((&said["ok"], &said["key"]), (&json!(true), &json!(key)));
            assert_eq!(said["result"].is_null(), goes_on, "{variant}: {said}");
        }
    }
}

#[tokio::test]
async fn a_changed_record_is_reported_with_its_line() {
    let (server, mut ann, mut bob, game) = game::server_with_two().await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 3).await;
    bob.ask(json!({"type": "resign", "game": game})).await;
    for peer in [&mut ann, &mut bob] {
        peer.next_event(&game, "ended").await;
    }
    let (_kept, file) = exported(&server, &game).await;
    let whole = fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    assert_eq!(lines.len(), 7, "{whole}");

    let changed = whole.replace(r#""reason":"resigned""#, r#""reason":"timed_out""#);
    let cut = [&lines[..4], &lines[6..]].concat().join("\n");
    let unsigned = lines[..6].join("\n");
    let cases = [
        (changed, "", 1, "line 6: record 6 does not continue the chain"),
        (cut, "", 1, "line 5: the signature is for 6 records, but there are 4"),
        (unsigned.clone(), "", 0, ""),
        (
            unsigned,
            &*format!("--server {}", server.address()),
            1,
            "line 6: the record is not signed",
        ),
        (
            whole.clone(),
            &*format!("--key {}", "0".repeat(64)),
            1,
            "line 7: the record is signed with key",
        ),
        ("adamas challenge ann bob\n".to_owned(), "", 2, "this is not a journal"),
        (String::new(), "", 2, "there is no record"),
    ];
    for (text, more, status, why) in cases {
        let damaged = Path::new(&file).with_extension("damaged");
        fs::write(&damaged, text).unwrap();
        let (run, said) = verified(&damaged.display().to_string(), more).await;
        assert_eq!(run.status, status, "{why}: {run:?}");
        assert!(run.stderr.contains(why), "{why}: {run:?}");
        if status == 1 {
            assert_eq!(said["ok"], false, "{said}");
            assert!(why.starts_with(&format!("line {}:", said["line"])), "{said}");
        }
    }
    let run = adamant_alone("verify /nowhere/at/all").await;
    assert_eq!(run.status, 2, "{run:?}");
}

#[tokio::test]
async fn the_event_stream_and_the_signature_form_a_record() {
    let server = Server::one_node(|_| {}).await;
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 3).await;
    let ask = async |path: &str| get(connect(&server).await, path).await;
    let (head, key) = ask("/v1/key").await;
    assert!(head.starts_with("http/1.1 200"), "{head}");
    let key: Value = serde_json::from_str(&key).unwrap();
    let expected = json!({"alg": "ed25519", "key": ann.welcome["keys"][0], "earlier": []});
    assert_eq!(key, expected);

    let (_, signature) = ask(&format!("/v1/games/{game}/signature")).await;
    let records = ann.records(&game).join("\n");
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("game.jsonl");
    fs::write(&file, format!("{records}\n{signature}")).unwrap();
    let key = key["key"].as_str().unwrap();
    let (run, said) = verified(&file.display().to_string(), &format!("--key {key}")).await;
    assert_eq!((run.status, &said["seq"]), (0, &json!(5)), "{run:?}");
    let (head, _) = ask("/v1/games/nowhere/signature").await;
    assert!(head.starts_with("http/1.1 404"), "{head}");
}

#[tokio::test]
async fn a_spectator_gets_no_signature_of_hidden_events() {
    let (server, [mut ann, mut bob]) = Peer::start_with_guests(["ann", "bob"]).await;
    let mut anonymous = Peer::anonymous(&server).await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({"delay": 2})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 5).await;
    let sign = json!({"type": "signature", "game": game});
    let known = ann.ask(sign.clone()).await;
    assert_eq!(known["seq"], 7);
    let behind = anonymous.ask(sign).await;
    assert_eq!(behind["seq"], 5, "two moves behind");
    let fifth: Value = serde_json::from_str(&ann.records(&game)[4]).unwrap();
    assert_eq!(behind["chain"], fifth["chain"]);
    let (_kept, file) = exported(&server, &game).await;
    let (run, said) = verified(&file, "").await;
    assert_eq!((run.status, &said["seq"]), (0, &json!(5)), "{run:?}");
}

#[tokio::test]
async fn a_record_stays_valid_after_a_key_change() {
    let mut server = Server::one_node(|_| {}).await;
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    let signed = ann.ask(json!({"type": "signature", "game": game})).await;
    assert_eq!((&signed["seq"], &signed["alg"]), (&json!(4), &json!("ed25519")));
    assert_eq!(signed["chain"], ann.replay(&game).chain().to_string());
    assert_eq!(ann.welcome["keys"], json!([signed["key"]]));
    let (_kept, file) = exported(&server, &game).await;

    // The key stays after a crash; a new key replaces a deleted file, and the old one stays valid.
    server.crash().await;
    let mut ann = ann.reconnect(&server).await;
    let again = ann.ask(json!({"type": "signature", "game": game})).await;
    assert_eq!((&again["key"], &again["sig"]), (&signed["key"], &signed["sig"]));
    server.kill().await;
    fs::remove_file(server.data().join("signing.key")).unwrap();
    server.restart().await;
    let mut ann = ann.reconnect(&server).await;
    let anew = ann.ask(json!({"type": "signature", "game": game})).await;
    assert_ne!(anew["key"], signed["key"]);
    assert_eq!(ann.welcome["keys"], json!([anew["key"], signed["key"]]));
    let (_anew, newer) = exported(&server, &game).await;
    for file in [file, newer] {
        let (run, said) = verified(&file, &format!("--server {}", server.address())).await;
        assert_eq!((run.status, &said["key_is_known"]), (0, &json!(true)), "{run:?}");
    }
    ann.refused(json!({"type": "signature", "game": "nowhere"}), "not_found").await;
}
