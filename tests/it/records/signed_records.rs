//! Signed records: exported, verified without a server, and detected if changed.

use std::{fs, path::Path};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{process::Command, time::timeout};

use crate::harness::{
    PATIENCE, Peer, Server, Variant, binary, game,
    raw_http::{connect, get},
};

/// The output and exit status of `adamant`.
#[derive(Debug)]
struct CommandOutput {
    status: i32,
    stdout: String,
    stderr: String,
}

/// Runs `adamant` in a home directory without a log-in.
async fn adamant(line: &str) -> CommandOutput {
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
        adamant(&format!("--server {} export {game} --journal -o {file}", server.address())).await;
    assert_eq!(run.status, 0, "{run:?}");
    (directory, file)
}

async fn verified(file: &str, more: &str) -> (CommandOutput, Value) {
    let run = adamant(&format!("verify --json {file} {more}")).await;
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
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
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
    let run = adamant("verify /nowhere/at/all").await;
    assert_eq!(run.status, 2, "{run:?}");
}

#[tokio::test]
async fn the_event_stream_and_the_signature_form_a_record() {
    let server = Server::one_node(|_| {}).await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
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
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
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
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    let signed = ann.ask(json!({"type": "signature", "game": game})).await;
    assert_eq!((&signed["seq"], &signed["alg"]), (&json!(4), &json!("ed25519")));
    assert_eq!(signed["chain"], ann.replay(&game).chain().to_string());
    assert_eq!(ann.welcome["keys"], json!([signed["key"]]));
    let (_kept, file) = exported(&server, &game).await;

    // The key stays after a crash; a new key replaces a deleted file, and the old one stays valid.
    server.kill().await;
    server.restart().await;
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
