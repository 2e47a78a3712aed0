//! Log-ins, the default server and settings.

use std::{fs, net::TcpListener};

use serde_json::{Value, json};

use crate::script::{Exchange, Home, ScriptedServer, ann, err, error, on, out, welcome};

fn account(name: &str) -> Value {
    json!({"name": name, "bot": false, "guest": false})
}

/// Rejects the token of a hello.
fn stale() -> Exchange {
    on("hello", [error("unauthorized", "this token is not valid (any more)", None)])
}

fn no_games() -> Exchange {
    on("games", [json!({"type": "games", "re": "$id", "games": [], "more": false}).to_string()])
}

#[test]
fn an_expired_log_in_does_not_stop_reading_or_playing() {
    let home = Home::new();
    let catalogue = json!({"type": "catalogue", "re": "$id", "games": [], "house": []}).to_string();
    let guest = json!({"name": "ann-1234", "bot": false, "guest": true});
    let server = ScriptedServer::start(vec![
        vec![welcome(&account("ann"), Some("at_1"))],
        vec![stale()],
        vec![welcome(&Value::Null, None), no_games()],
        vec![stale()],
        vec![stale()],
        vec![welcome(&guest, Some("at_2")), on("catalogue", [catalogue])],
    ]);
    let port = server.port;
    assert_eq!(
        home.run_with(port, "login ann --password-stdin", "secret\n").status.code(),
        Some(0)
    );
    let read = home.run(port, "games");
    assert_eq!(read.status.code(), Some(0), "{}", err(&read));
    assert!(err(&read).contains("the log-in of ann at"), "{}", err(&read));
    let acted = home.run(port, "resign g");
    assert_eq!(acted.status.code(), Some(4), "{}", err(&acted));
    for hint in ["the log-in of ann", "adamant login ann", "adamant logout --as ann"] {
        assert!(err(&acted).contains(hint), "{}", err(&acted));
    }
    let played = home.run(port, "play hexma");
    assert!(err(&played).contains("continuing as a new guest"), "{}", err(&played));
    let received = server.received();
    assert_eq!(received[2].get("auth"), None);
    assert!(received[6]["auth"]["guest"].as_str().unwrap().starts_with("ann-"), "{}", received[6]);
}

#[test]
fn logout_of_a_guest_with_live_games_needs_forget() {
    let home = Home::new();
    let live = || {
        let mut hello = welcome(&ann(), None);
        let game = json!({"game": "k7q2mx", "seat": 0, "seq": 3, "resume": "snapshot"});
        let games = json!([game]).to_string();
        hello.says[0] = hello.says[0].replace(r#""games":[]"#, &format!(r#""games":{games}"#));
        hello
    };
    let ok = json!({"type": "ok", "re": "$id"}).to_string();
    let server = ScriptedServer::start(vec![
        vec![welcome(&ann(), Some("at_1"))],
        vec![live()],
        vec![live(), on("logout", [ok])],
    ]);
    let port = server.port;
    home.run(port, "login --guest ann");
    let kept = home.run(port, "logout");
    assert_eq!(kept.status.code(), Some(2), "{}", err(&kept));
    for text in ["ann", "k7q2mx", "--forget", "adamant signup ann"] {
        assert!(err(&kept).contains(text), "{text}: {}", err(&kept));
    }
    let gone = home.run(port, "logout --forget --json");
    assert_eq!(gone.status.code(), Some(0), "{}", err(&gone));
    let object: Value = serde_json::from_str(out(&gone)).unwrap();
    assert_eq!((&object["user"], &object["ended"]), (&json!("ann"), &json!(true)));
    assert_eq!(server.received()[3]["forget"], true);
    // Without a server the live games of a guest are unknown; an account loses nothing.
    fs::write(
        home.path("adamant/credentials.toml"),
        "[servers.\"ws://127.0.0.1:1\".users.ann]\nname = \"ann\"\ntoken = \"at_1\"\nguest = true\n\
         [servers.\"ws://127.0.0.1:1\".users.bob]\nname = \"bob\"\ntoken = \"at_2\"\n",
    )
    .unwrap();
    assert_eq!(home.run(1, "logout --as ann").status.code(), Some(3));
    let bob = home.run(1, "logout --as bob");
    assert_eq!(bob.status.code(), Some(0), "{}", err(&bob));
    assert!(err(&bob).contains("could not be ended") && err(&bob).contains("You are ann"));
}

#[test]
fn signup_of_a_guest_under_another_name_explains_the_commands() {
    let home = Home::new();
    let no = error("forbidden", "your games know you as guest-1: sign up under that name", None);
    let guest = json!({"name": "guest-1", "bot": false, "guest": true});
    let server = ScriptedServer::start(vec![
        vec![welcome(&guest, Some("at_1"))],
        vec![welcome(&guest, None), on("signup", [no])],
    ]);
    home.run(server.port, "login --guest guest-1");
    let output = home.run_with(server.port, "signup ann --password-stdin", "open sesame\n");
    assert_eq!(output.status.code(), Some(4));
    for command in ["adamant signup guest-1", "adamant logout --as guest-1", "adamant signup ann"] {
        assert!(err(&output).contains(command), "{}", err(&output));
    }
    server.received();
}

#[test]
fn the_first_server_named_at_login_becomes_the_default() {
    let home = Home::new();
    let server = ScriptedServer::start(vec![
        vec![welcome(&ann(), Some("at_1"))],
        vec![welcome(&ann(), None)],
        vec![welcome(&account("bob"), Some("at_2"))],
        vec![welcome(&account("bob"), None)],
        vec![welcome(&ann(), None)],
    ]);
    let port = server.port;
    let login = home.run_anywhere(&format!("login --guest ann --server localhost:{port}"));
    assert_eq!(login.status.code(), Some(0), "{}", err(&login));
    assert!(err(&login).contains("Commands go to"), "{}", err(&login));
    assert_eq!(out(&home.run_anywhere("whoami")), "ann (guest)\n", "this machine has one name");
    home.run_with(port, "login bob --password-stdin", "secret\n");
    assert_eq!(out(&home.run_anywhere("whoami")), "bob\n");
    let known = home.run_anywhere("switch --json");
    let known: Vec<Value> =
        out(&known).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let current = |at: usize| (&known[at]["user"], &known[at]["current"]);
    assert_eq!(current(0), (&json!("ann"), &json!(false)), "{known:?}");
    assert_eq!(current(1), (&json!("bob"), &json!(true)), "{known:?}");
    assert_eq!(home.run_anywhere("switch Ann").status.code(), Some(0));
    assert_eq!(home.run_anywhere("switch eve").status.code(), Some(2));
    assert_eq!(out(&home.run_anywhere("whoami")), "ann (guest)\n");
    server.received();

    // The error names the server that does not answer, and the one with a log-in.
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let lost = home.run(closed, "games");
    assert_eq!(lost.status.code(), Some(3));
    let text = format!("ann at ws://127.0.0.1:{port}");
    assert!(err(&lost).contains(&text), "{}", err(&lost));
}

#[test]
fn config_prints_settings_in_their_precedence() {
    let home = Home::new();
    let config =
        || -> Value { serde_json::from_str(out(&home.run_anywhere("config --json"))).unwrap() };
    assert_eq!(config()["server"], "ws://127.0.0.1:7777");
    fs::create_dir(home.path("adamant")).unwrap();
    let file = home.path("adamant/config.toml");
    fs::write(&file, "server = \"wss://play.example.org\"\ncolor = \"never\"\n").unwrap();
    assert_eq!(config()["server"], "wss://play.example.org");
    assert_eq!(config()["color"], "never");
    assert_eq!(config()["file"], file.to_str().unwrap());
    let shown = home.run(7, "config --color always");
    assert!(out(&shown).contains("ws://127.0.0.1:7 (ADAMANT_SERVER)"), "{}", out(&shown));
    let shown = home.run(7, "config --server a.example:8");
    assert!(out(&shown).contains("wss://a.example:8 (command line)"), "{}", out(&shown));
    fs::write(&file, "sever = 1\n").unwrap();
    let slip = home.run_anywhere("games");
    assert_eq!(slip.status.code(), Some(2));
    assert!(err(&slip).contains("config.toml") && err(&slip).contains("sever"), "{}", err(&slip));
}
