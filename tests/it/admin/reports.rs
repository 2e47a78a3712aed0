//! Reports: what users may send, what operators see, and who is told what.

use serde_json::{Value, json};

use super::operator::{govern, is_refused, run_on};
use crate::harness::{Frame, PASSWORD, Peer, Server, game, now_ms};

fn report(about: impl Into<Value>, text: &str) -> Value {
    let about: Value = about.into();
    let mut request = json!({"type": "report", "reason": "abuse", "text": text});
    for (name, value) in about.as_object().unwrap() {
        request[name] = value.clone();
    }
    request
}

async fn close(server: &Server, report: &Value, words: &[&str]) -> Value {
    let report = report.to_string();
    let words = [&["reports", "close", &report, "--reason", "insults"], words].concat();
    govern(server, &words).await
}

/// The next notice with a number.
async fn lasting_notice(peer: &mut Peer) -> Frame {
    loop {
        let notice = peer.next_of("notice").await;
        if notice.get("n").is_some() {
            return notice;
        }
    }
}

#[tokio::test]
async fn a_report_brings_its_game_and_the_lines_that_were_said_even_if_they_are_taken_back() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let begun = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &begun, 2).await;
    let id = &begun;
    let line = json!({"type": "say", "game": id, "room": "players", "text": "you fool"});
    let n = bob.ask(line).await["n"].clone();
    let sent = ann.ask(report(json!({"user": "Bob", "game": id}), "he insults me")).await;
    assert_eq!(sent["game"], json!(id));
    bob.ask(json!({"type": "unsay", "game": id, "room": "players", "n": n})).await;

    // Another node shows it as well.
    let last = server.node(usize::from(server.nodes() > 1));
    let number = sent["report"].to_string();
    let (status, said) = run_on(last, &["reports", "show", &number, "--json"]).await;
    assert_eq!(status, Some(0), "{said}");
    let shown: Value = serde_json::from_str(&said).unwrap();
    for (field, expected) in [
        ("by", json!("ann")),
        ("user", json!("bob")),
        ("game", json!(id)),
        ("about", json!("abuse")),
        ("text", json!("he insults me")),
        ("players", json!(["ann", "bob"])),
        ("was_live", json!(true)),
        ("ply", json!(2)),
    ] {
        assert_eq!(shown[field], expected, "{field}: {shown}");
    }
    assert_eq!(shown["talk"].as_array().map(Vec::len), Some(1), "{shown}");
    assert_eq!(
        (&shown["talk"][0]["by"], &shown["talk"][0]["text"]),
        (&json!("bob"), &json!("you fool"))
    );
    let listed = govern(&server, &["reports", "list"]).await;
    assert_eq!(listed["reports"][0]["id"], sent["report"]);
    assert_eq!(
        govern(&server, &["reports", "list", "--about", "bob"]).await["reports"][0]["id"],
        sent["report"]
    );
}

#[tokio::test]
async fn a_report_that_says_nothing_or_names_nobody_is_refused() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let _bob = Peer::guest(&server, "bob").await;
    for (request, code) in [
        (report(json!({}), "x"), "bad_message"),
        (report(json!({"user": "Ann"}), "x"), "bad_message"),
        (report(json!({"user": "nobody2"}), "x"), "not_found"),
        (report(json!({"game": "zzzzzz"}), "x"), "not_found"),
        (report(json!({"user": "bob"}), &"x".repeat(1001)), "bad_message"),
        (report(json!({"user": "bob"}), " "), "bad_message"),
        (json!({"type": "report", "user": "bob", "reason": "whim", "text": "x"}), "bad_message"),
    ] {
        ann.refused(request, code).await;
    }
    let mut nobody = Peer::connect(server.address()).await;
    nobody.hello(json!({})).await;
    nobody.refused(report(json!({"user": "bob"}), "x"), "forbidden").await;
    assert_eq!(govern(&server, &["reports", "list"]).await, json!({"reports": []}));
}

#[tokio::test]
async fn the_same_report_is_taken_once_and_a_user_has_five_open_ones() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let _bob = Peer::guest(&server, "bob").await;
    let first = ann.ask(report(json!({"user": "bob"}), "1")).await;
    let again = ann.ask(report(json!({"user": "bob"}), "1")).await;
    assert_eq!((&again["report"], &again["dup"]), (&first["report"], &json!(true)));
    for text in ["2", "3", "4", "5"] {
        ann.ask(report(json!({"user": "bob"}), text)).await;
    }
    let refused = ann.refused(report(json!({"user": "bob"}), "6"), "rate_limited").await;
    assert_eq!(
        (&refused["limit"], &refused["retry"]),
        (&json!("reports_per_user"), &json!("after"))
    );
    close(&server, &first["report"], &["--step", "none"]).await;
    ann.ask(report(json!({"user": "bob"}), "6")).await;
}

#[tokio::test]
async fn one_network_cannot_fill_the_queue() {
    let server = Server::start().await;
    let _bob = Peer::guest(&server, "bob").await;
    let from = [127, 0, 9, 9];
    for user in 0..5 {
        let mut peer = Peer::connect_from(from, server.address()).await;
        peer.hello_guest(&format!("u{user}x")).await;
        let most = if user < 4 { 5 } else { 0 };
        for text in 0..most {
            peer.ask(report(json!({"user": "bob"}), &text.to_string())).await;
        }
        if most == 0 {
            let refused = peer.refused(report(json!({"user": "bob"}), "x"), "rate_limited").await;
            assert_eq!(refused["limit"], "reports_per_network");
        }
    }
    let mut other = Peer::guest(&server, "other").await;
    other.ask(report(json!({"user": "bob"}), "x")).await;
}

#[tokio::test]
async fn a_warning_waits_for_the_user_and_stays_until_it_is_read() {
    let server = Server::start().await;
    let mut ann = Peer::account(&server, "ann").await;
    let bob = Peer::account(&server, "bob").await;
    let token = bob.token.clone().unwrap();
    drop(bob);
    let sent = ann.ask(report(json!({"user": "bob"}), "rude")).await;
    let closed = close(&server, &sent["report"], &["--step", "warn", "--answer", "we spoke"]).await;
    assert_eq!((&closed["step"], &closed["why"]), (&json!("warn"), &json!("insults")));
    let notice = lasting_notice(&mut ann).await;
    for (field, expected) in [
        ("what", json!("report_closed")),
        ("report", sent["report"].clone()),
        ("outcome", json!("acted")),
        ("text", json!("we spoke")),
    ] {
        assert_eq!(notice[field], expected, "{notice}");
    }
    for _ in 0..2 {
        let mut bob = Peer::with_token(&server, &token).await;
        let notice = lasting_notice(&mut bob).await;
        assert_eq!((&notice["what"], &notice["text"]), (&json!("warning"), &json!("insults")));
    }
    let mut bob = Peer::with_token(&server, &token).await;
    let n = lasting_notice(&mut bob).await["n"].clone();
    bob.ask(json!({"type": "notice_seen", "n": n})).await;
    // Another user's number takes nothing of one's own back.
    bob.ask(json!({"type": "notice_seen", "n": notice["n"]})).await;
    let mut bob = Peer::with_token(&server, &token).await;
    assert!(!bob.has_received(|frame| frame["type"] == "notice").await);
    let shown = govern(&server, &["users", "show", "bob"]).await;
    assert_eq!(shown["notes"][0]["note"], "warned: insults");
    let number = sent["report"].to_string();
    let words = ["reports", "close", &number, "--step", "none", "--reason", "x"];
    assert!(is_refused(&server, &words).await.contains("closed already"));
}

#[tokio::test]
async fn a_silenced_user_plays_and_reads_why_no_line_is_taken() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let begun = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    let line = json!({"type": "say", "game": begun, "room": "players", "text": "you fool"});
    bob.ask(line.clone()).await;
    let sent = ann.ask(report(json!({"user": "bob", "game": begun}), "rude")).await;
    let is_refused_so = async |words: &[&str], why: &str| {
        let report = sent["report"].to_string();
        let words = [&["reports", "close", &report, "--reason", "x"], words].concat();
        let said = is_refused(&server, &words).await;
        assert!(said.contains(why), "{said}");
    };
    is_refused_so(&["--step", "silence"], "--for").await;
    is_refused_so(&["--step", "warn", "--for", "1h"], "--for").await;
    close(&server, &sent["report"], &["--step", "silence", "--for", "2h"]).await;
    let notice = lasting_notice(&mut bob).await;
    assert_eq!((&notice["what"], &notice["text"]), (&json!("silenced"), &json!("insults")));
    let left = notice["until"].as_u64().unwrap() - now_ms();
    assert!((7_000_000..=7_200_000).contains(&left), "{left}");
    let refused = bob.refused(line.clone(), "silenced").await;
    assert_eq!(refused["until"], notice["until"]);
    let message = refused["message"].as_str().unwrap();
    assert!(message.starts_with("you may not talk until 20"), "{message}");
    game::play_moves(&mut [&mut ann, &mut bob], &begun, 2).await;
    let bans = govern(&server, &["bans", "list"]).await;
    assert_eq!(
        (&bans["bans"][0]["what"], &bans["bans"][0]["user"]),
        (&json!("silence"), &json!("bob"))
    );
    let id = bans["bans"][0]["id"].to_string();
    govern(&server, &["bans", "lift", &id, "--reason", "sorry"]).await;
    loop {
        // The node of bob may hear of it a moment later.
        if bob.request(line.clone()).await["type"] == "ok" {
            break;
        }
    }
}

#[tokio::test]
async fn who_is_suspended_or_closed_is_sent_away_and_the_reporter_hears_of_an_act_alone() {
    let server = Server::start().await;
    let mut ann = Peer::account(&server, "ann").await;
    for (name, step, message) in [
        ("bob", &["--step", "suspend", "--for", "1h"][..], "this user is banned until"),
        ("cy2", &["--step", "close"], "this account is closed: insults"),
    ] {
        let mut reported = Peer::account(&server, name).await;
        let sent = ann.ask(report(json!({"user": name}), "rude")).await;
        close(&server, &sent["report"], step).await;
        assert!([1012, 4007].contains(&reported.expect_close().await));
        let notice = lasting_notice(&mut ann).await;
        assert_eq!((&notice["outcome"], notice.get("text")), (&json!("acted"), None));
        let mut again = Peer::connect(server.address()).await;
        let auth = json!({"user": name, "password": PASSWORD});
        let hello = json!({"type": "hello", "proto": [1], "auth": auth});
        let refused = again.request(hello).await;
        assert_eq!(refused["code"], "banned", "{refused}");
        assert!(refused["message"].as_str().unwrap().starts_with(message), "{refused}");
    }
    let acts = govern(&server, &["audit", "list", "--about", "cy2"]).await;
    assert_eq!(acts["acts"][0]["reason"], "insults");
    let sent = ann.ask(report(json!({"user": "house"}), "rude")).await;
    let number = sent["report"].to_string();
    let words = ["reports", "close", &number, "--step", "warn", "--reason", "x"];
    assert!(is_refused(&server, &words).await.contains("games.house"));
    close(&server, &sent["report"], &["--step", "none"]).await;
    let notice = lasting_notice(&mut ann).await;
    assert_eq!(notice["outcome"], "dismissed");
}

#[tokio::test]
async fn a_user_is_warned_and_silenced_without_a_report() {
    let server = Server::start().await;
    let mut bob = Peer::guest(&server, "bob").await;
    govern(&server, &["users", "warn", "bob", "--reason", "calm down"]).await;
    let notice = lasting_notice(&mut bob).await;
    assert_eq!((&notice["what"], &notice["text"]), (&json!("warning"), &json!("calm down")));
    govern(&server, &["bans", "silence", "bob", "--reason", "I said so"]).await;
    let notice = lasting_notice(&mut bob).await;
    assert_eq!((&notice["what"], notice.get("until")), (&json!("silenced"), None));
}
