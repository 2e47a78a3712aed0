//! Output, exit status and requests of each command.

use std::net::TcpListener;

use adamant_rules::Seat;
use serde_json::{Value, json};

use crate::script::{
    Exchange, Home, ScriptedServer, ann, err, error, on, out, records, replayed, signed, snapshot,
    taken_over, watched, welcome,
};

#[test]
fn a_server_that_is_not_there_is_status_3() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let output = Home::new().run(port, "games");
    assert_eq!(output.status.code(), Some(3));
    let text = format!("cannot reach the server at ws://127.0.0.1:{port}");
    assert!(err(&output).contains(&text) && err(&output).contains("--server"), "{}", err(&output));
    assert_eq!(err(&output).matches("refused").count(), 1, "{}", err(&output));

    // With --json the error is printed once, on stdout.
    let output = Home::new().run(port, "games --json");
    assert_eq!((output.status.code(), err(&output)), (Some(3), ""));
    let object: Value = serde_json::from_str(out(&output)).unwrap();
    assert_eq!((&object["type"], &object["code"]), (&json!("error"), &json!("unreachable")));
}

#[test]
fn another_version_of_the_protocol_is_status_5() {
    let script = vec![on("hello", [error("proto_unsupported", "Only 2.", None)])];
    let (output, _) = Home::new().run_against(script, "whoami");
    assert_eq!(output.status.code(), Some(5), "{}", err(&output));
}

#[test]
fn a_command_without_a_log_in_fails_before_it_connects() {
    let output = Home::new().run(1, "move g c1-c2");
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("adamant login"), "{}", err(&output));
    let output = Home::new().run(1, "resign g --as cy");
    assert!(err(&output).contains("adamant login cy"), "{}", err(&output));
}

#[test]
fn open_prints_the_page_where_no_browser_opens() {
    let home = Home::new();
    let page = |words: &str| out(&home.run(7825, words)).to_owned();
    assert_eq!(page("open k7q2mx --print"), "http://127.0.0.1:7825/game/k7q2mx\n");
    assert_eq!(page("open --json"), "{\"url\":\"http://127.0.0.1:7825/\"}\n");
}

#[test]
fn a_webhook_is_shown_with_what_has_become_of_it() {
    let hook = json!({
        "type": "webhook", "re": "$id", "url": "https://example.org/hook", "created": 1,
        "failures": 10, "disabled": true,
    });
    let script = vec![welcome(&ann(), None), on("webhook_get", [hook.to_string()])];
    let (output, _) = Home::new().run_against(script, "webhook show --token at_1");
    let said = out(&output);
    assert!(said.starts_with("https://example.org/hook, set "), "{said}");
    assert!(said.ends_with("switched off because it failed too often: set it again\n"), "{said}");
}

#[test]
fn a_log_in_is_stored_until_logout() {
    let home = Home::new();
    let no_user = || vec![welcome(&Value::Null, None)];
    let ok = json!({"type": "ok", "re": "$id"}).to_string();
    let goodbye = vec![welcome(&ann(), None), on("logout", [ok])];
    let scripts =
        vec![vec![welcome(&ann(), Some("at_1"))], vec![welcome(&ann(), None)], goodbye, no_user()];
    let server = ScriptedServer::start(scripts);
    let login = home.run(server.port, "login --guest ann");
    assert_eq!((login.status.code(), out(&login)), (Some(0), "ann (guest)\n"));
    assert_eq!(out(&home.run(server.port, "whoami")), "ann (guest)\n");
    assert_eq!(home.run(server.port, "logout").status.code(), Some(0));
    assert_eq!(home.run(server.port, "logout").status.code(), Some(2), "it is forgotten");
    assert_eq!(out(&home.run(server.port, "whoami")), "not logged in\n");
    let received = server.received();
    assert_eq!(received[0]["auth"], json!({"guest": "ann"}));
    assert_eq!(received[1]["auth"], json!({"token": "at_1"}));
    assert_eq!(received[3]["type"], "logout", "the log-in ends at the server, too");
    assert_eq!(received[4].get("auth"), None);
}

#[test]
fn signup_logs_in_and_reads_the_password_from_stdin() {
    let home = Home::new();
    let ok = json!({"type": "ok", "re": "$id", "user": "ann", "token": "at_1"}).to_string();
    let account = json!({"name": "ann", "bot": false, "guest": false});
    let scripts = vec![
        vec![welcome(&Value::Null, None), on("signup", [ok])],
        vec![welcome(&account, None)],
        vec![welcome(&account, None)],
    ];
    let server = ScriptedServer::start(scripts);
    let output = home.run_with(server.port, "signup ann --password-stdin", "open sesame\n");
    assert_eq!((output.status.code(), out(&output)), (Some(0), "ann\n"), "{}", err(&output));
    assert_eq!(out(&home.run(server.port, "whoami")), "ann\n");
    let received = server.received();
    assert_eq!(received[1]["password"], "open sesame");
    assert_eq!(received[2]["auth"], json!({"token": "at_1"}));
    assert_eq!(received[3]["auth"], json!({"token": "at_1"}), "it is remembered");
}

#[test]
fn a_refused_move_is_status_4_with_its_reason() {
    let home = Home::new();
    let script = vec![
        welcome(&ann(), None),
        snapshot(33),
        on("move", [error("illegal_move", "This is not allowed.", Some("c2 is not in sight"))]),
    ];
    let (output, received) = home.run_against(script, "--token at_x move g c1-c2");
    assert_eq!(output.status.code(), Some(4));
    assert!(err(&output).contains("This is not allowed.: c2 is not in sight"));
    assert_eq!(received[0]["auth"], json!({"token": "at_x"}));
    assert_eq!((&received[2]["turn"], &received[2]["move"]), (&json!(33), &json!("c1-c2")));

    let script =
        vec![welcome(&ann(), None), on("move", [error("stale_turn", "Turn 7 is over.", None)])];
    let (output, _) = home.run_against(script, "--token at_x --json move g c1-c2 --turn 7");
    assert_eq!(output.status.code(), Some(4));
    let object: Value = serde_json::from_str(out(&output)).unwrap();
    assert_eq!((&object["type"], &object["code"]), (&json!("error"), &json!("stale_turn")));
    assert_eq!((object.get("re"), err(&output)), (None, ""));
}

#[test]
fn a_move_that_is_made_is_status_0() {
    let script = vec![
        welcome(&ann(), None),
        snapshot(33),
        on("move", [json!({"type": "ok", "re": "$id", "seq": 10, "turn": 34}).to_string()]),
    ];
    let (output, _) = Home::new().run_against(script, "--token at_x --json move g c1-c2");
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert_eq!(serde_json::from_str::<Value>(out(&output)).unwrap()["turn"], 34);
}

#[test]
fn options_may_surround_the_text_of_say_and_tokens_are_not_sent() {
    let home = Home::new();
    let ok = || json!({"type": "ok", "re": "$id", "n": 1}).to_string();
    let said = |line: &str| {
        let (output, received) =
            home.run_against(vec![welcome(&ann(), None), on("say", [ok()])], line);
        assert_eq!(output.status.code(), Some(0), "{line}: {}", err(&output));
        (received[0]["auth"]["token"].clone(), received[1]["text"].clone())
    };
    for (line, text) in [
        ("say g --room players good luck --token at_1", "good luck"),
        ("--token at_1 --json say g --room players good luck", "good luck"),
        ("say g hello --token at_1 there --room players", "hello there"),
        ("say g --token at_1 --room players play -well :-)", "play -well :-)"),
        ("say g --token at_1 --room players -- --as ann is an option", "--as ann is an option"),
    ] {
        assert_eq!(said(line), (json!("at_1"), json!(text)), "{line}");
    }
    let unknown = home.run(1, "say g hello --wow --token at_1");
    assert_eq!(unknown.status.code(), Some(2));
    assert!(err(&unknown).contains("-- --wow"), "{}", err(&unknown));
    for line in [
        "say g --token at_1 mine is at_0f3c0f3c0f3c0f3c",
        "say g --token at_1 -- --token at_0f3c0f3c0f3c0f3c",
        "token create at_0f3c0f3c0f3c0f3c --token at_1",
    ] {
        let output = home.run(1, line);
        assert_eq!(output.status.code(), Some(2), "{line}: {}", err(&output));
        assert!(err(&output).contains("looks like a token"), "{}", err(&output));
        assert!(!err(&output).contains("0f3c"), "it is not repeated");
    }
}

#[test]
fn an_open_offer_is_found_and_answered() {
    let ok = json!({"type": "ok", "re": "$id"}).to_string();
    let script = vec![welcome(&ann(), None), snapshot(3), on("answer", [ok])];
    let (output, received) = Home::new().run_against(script, "--token at_x draw g accept");
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert_eq!((&received[2]["offer"], &received[2]["accept"]), (&json!("o_2"), &json!(true)));
}

#[test]
fn challenge_sends_the_options_and_prints_the_id() {
    let ok = json!({"type": "ok", "re": "$id", "challenge": "h_9"}).to_string();
    let script = vec![welcome(&ann(), Some("at_1")), on("challenge", [ok])];
    let line = "challenge adamas -size=4 bob -prog_cap --clock 5m+5s";
    let (output, received) = Home::new().run_against(script, line);
    assert_eq!((output.status.code(), out(&output)), (Some(0), "h_9\n"), "{}", err(&output));
    assert!(received[0]["auth"]["guest"].as_str().unwrap().starts_with("ann-"));
    let challenge = &received[1];
    assert_eq!(challenge["options"], json!({"size": 4, "prog_cap": true}));
    assert_eq!(challenge["seats"], json!(["ann", "bob"]));
    let clock = json!({"mode": "fischer", "base_ms": 300_000, "inc_ms": 5_000});
    assert_eq!(challenge["clock"], clock);
}

#[test]
fn challenge_wait_ends_with_the_game_or_the_decline() {
    let home = Home::new();
    for (closed, code, says) in [
        (json!({"game": "k7q2mx"}), 0, "k7q2mx\n"),
        (json!({"reason": "too_fast", "by": "bob"}), 1, ""),
    ] {
        let ok = json!({"type": "ok", "re": "$id", "challenge": "h_9"}).to_string();
        let mut answer = json!({"type": "challenge_closed", "challenge": "h_9"});
        answer.as_object_mut().unwrap().extend(closed.as_object().unwrap().clone());
        let other = json!({"type": "challenge_closed", "challenge": "h_1", "game": "other"});
        let says_all = [ok, other.to_string(), answer.to_string()];
        let script = vec![welcome(&ann(), None), on("challenge", says_all)];
        let (output, _) = home.run_against(script, "--token at_x challenge adamas bob --wait");
        assert_eq!((output.status.code(), out(&output)), (Some(code), says));
        let declined = err(&output).contains("declined by bob: the clock is too fast");
        assert_eq!(declined, code == 1, "{}", err(&output));
    }
}

/// Answers a request for the catalogue with server bots.
fn house() -> Exchange {
    let catalogue = json!({
        "type": "catalogue", "re": "$id", "games": [], "house": [{"user": "house", "level": "medium"}]
    });
    on("catalogue", [catalogue.to_string()])
}

#[test]
fn play_waits_ten_seconds_for_a_server_bot() {
    let open = json!({"type": "ok", "re": "$id", "challenge": "h_9"}).to_string();
    let ok = json!({"type": "ok", "re": "$id"}).to_string();
    let script = vec![welcome(&ann(), None), house(), on("challenge", [open]), on("cancel", [ok])];
    let (output, received) = Home::new().run_against(script, "play adamas --token at_1");
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    assert!(err(&output).contains("house has not answered in 10 s"), "{}", err(&output));
    assert_eq!(received[3]["challenge"], "h_9");
}

#[test]
fn play_prints_the_reason_of_a_server_bot_that_declines() {
    let open = json!({"type": "ok", "re": "$id", "challenge": "h_9"}).to_string();
    let closed =
        json!({"type": "challenge_closed", "challenge": "h_9", "reason": "busy", "by": "house"});
    let script = vec![welcome(&ann(), None), house(), on("challenge", [open, closed.to_string()])];
    let (output, _) = Home::new().run_against(script, "play adamas --token at_1");
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let text = "declined by house: too many games already";
    assert!(err(&output).contains(text), "{}", err(&output));
}

#[test]
fn play_prints_the_sentence_of_the_server_about_its_limits() {
    let open = json!({"type": "ok", "re": "$id", "challenge": "h_9"}).to_string();
    let why = "your network has 10 games with it: end one, or choose another level";
    let closed = json!({
        "type": "challenge_closed", "challenge": "h_9", "reason": "busy", "by": "house", "message": why
    });
    let script = vec![welcome(&ann(), None), house(), on("challenge", [open, closed.to_string()])];
    let (output, _) = Home::new().run_against(script, "play adamas --token at_1");
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let text = format!("was declined by house: {why}\n");
    assert!(err(&output).contains(&text), "{}", err(&output));
}

#[test]
fn an_address_without_encryption_is_said_and_one_without_a_scheme_is_encrypted() {
    let home = Home::new();
    let said = |address: &str| {
        let line = format!("--server {address} login --guest ann");
        let output = home.run_anywhere(&line);
        assert_eq!(output.status.code(), Some(3), "{}", err(&output));
        err(&output).contains("is not encrypted")
    };
    assert!(said("ws://nobody.invalid"));
    assert!(!said("nobody.invalid:7777"));
    assert!(!said("ws://127.0.0.1:1"));
}

#[test]
fn show_prints_earlier_boards() {
    let moves = ["c1-e1,c2,4xc3,a1", "c5-c4,3xa3"];
    let home = Home::new();
    let show =
        |line: &str| home.run_against(vec![welcome(&Value::Null, None), replayed(&moves)], line).0;
    let board: Value = serde_json::from_str(out(&show("show g#1 --json"))).unwrap();
    assert_eq!(board["position"]["c3"], "OOOO");
    assert_eq!((&board["ply"], &board["to_move"]), (&json!(1), &json!("X")));
    let last: Value = serde_json::from_str(out(&show("show g --json"))).unwrap();
    let fields = |board: &Value| board.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(fields(&board), fields(&last), "one shape, whichever board");
    assert_eq!((&last["to_move"], &last["seats"][1]["user"]), (&json!("O"), &json!("bob")));
    let now = show("show g");
    assert!(out(&now).contains("O ann to move, turn 2."), "{}", out(&now));
    assert!(!out(&now).contains('\u{1b}'), "no colours into a pipe");
    assert!(
        out(&now).starts_with("adamas -size=3 -pieces=8  g  no clock  casual\nO ann   X bob\n")
    );
    let beyond = show("show g#3");
    assert_eq!(beyond.status.code(), Some(2));
    assert!(err(&beyond).contains("g has 2 moves"), "{}", err(&beyond));
}

#[test]
fn show_says_for_whom_a_computer_plays() {
    let script = vec![welcome(&Value::Null, None), watched(taken_over())];
    let shown = Home::new().run_against(script, "show g").0;
    assert!(out(&shown).contains("house instead of bob"), "{}{}", out(&shown), err(&shown));
}

#[test]
fn not_found_errors_have_fitting_hints() {
    let home = Home::new();
    for (line, kind, message, hints) in [
        ("user bob", "user", "there is no user called bob", false),
        ("export nosuch --journal", "signature", "there is no game nosuch", true),
    ] {
        let script =
            vec![welcome(&Value::Null, None), on(kind, [error("not_found", message, None)])];
        let (output, _) = home.run_against(script, line);
        assert_eq!(output.status.code(), Some(4));
        assert_eq!(err(&output).contains("adamant games"), hints, "{line}: {}", err(&output));
    }
    let stands =
        error("already", "the offer stands", Some("an offer of that kind is open already"));
    let script = vec![welcome(&ann(), None), on("offer", [stands])];
    let (output, _) = home.run_against(script, "draw g --token at_1");
    assert!(err(&output).contains("adamant draw g accept"), "{}", err(&output));
    let late = "a game can be aborted only early; later, offer the others to abort it";
    let script = vec![welcome(&ann(), None), on("abort", [error("too_late", "no", Some(late))])];
    let (output, _) = home.run_against(script, "abort g --token at_1");
    assert!(err(&output).contains("adamant call-off g"), "{}", err(&output));
    let empty = || {
        let list = json!({"type": "games", "re": "$id", "games": [], "more": false}).to_string();
        vec![welcome(&Value::Null, None), on("games", [list])]
    };
    let (output, _) = home.run_against(empty(), "games");
    assert!(err(&output).contains("No game is live."), "{}", err(&output));
    let (output, _) = home.run_against(empty(), "games --rules chess");
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("there is no game chess"), "{}", err(&output));
}

#[test]
fn try_prints_the_board_after_the_move() {
    let ok = json!({"type": "ok", "re": "$id", "legal": true, "move": "c1-a1,c2,4xc3,e1"});
    let script = vec![welcome(&ann(), None), replayed(&[]), on("try", [ok.to_string()])];
    let (output, received) = Home::new().run_against(script, "--token at_x try g c1-e1,c2,4xc3,a1");
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(out(&output).starts_with("c1-a1,c2,4xc3,e1\n"), "{}", out(&output));
    assert!(out(&output).contains("X bob to move, turn 1."), "{}", out(&output));
    assert_eq!(received[2]["turn"], 0);
}

#[test]
fn exported_records_replay_and_verify() {
    let moves = ["c1-e1,c2,4xc3,a1", "c5-c4,3xa3"];
    let home = Home::new();
    let file = home.path("game.txt");
    let script = || vec![welcome(&Value::Null, None), replayed(&moves)];
    let line = format!("export g -o {}", file.display());
    let (output, _) = home.run_against(script(), &line);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let (again, _) = home.run_against(script(), &line);
    assert_eq!(again.status.code(), Some(2), "what is there stays: {}", err(&again));
    let (forced, _) = home.run_against(script(), &format!("{line} --force"));
    assert_eq!(forced.status.code(), Some(0), "{}", err(&forced));
    let replay = home.run(1, &format!("replay {} --json", file.display()));
    assert_eq!(replay.status.code(), Some(0), "{}", err(&replay));
    assert_eq!(out(&replay).lines().count(), 3);

    let written = records(&moves, None);
    for line in ["export g --format journal", "export g --journal"] {
        let signed = signed(&written);
        let sign = on("signature", [signed.replacen('{', r#"{"re":"$id","#, 1)]);
        let script = vec![welcome(&Value::Null, None), sign, replayed(&moves)];
        let (output, _) = home.run_against(script, line);
        let (last, before) =
            out(&output).trim_end().rsplit_once('\n').map(|(before, last)| (last, before)).unwrap();
        assert_eq!(before.lines().collect::<Vec<_>>(), written);
        assert_eq!(last, signed);

        let verified = home.run_with(1, "verify", out(&output));
        assert_eq!(verified.status.code(), Some(0), "{}", err(&verified));
        assert!(
            out(&verified).contains("All 4 events are valid. The game is live."),
            "{}",
            out(&verified)
        );
        // Only the line ends differ, and a mark of byte order.
        let pasted = out(&output).replace('\n', "\r\n");
        for pasted in [format!("\u{feff}{pasted}"), pasted] {
            let verified = home.run_with(1, "verify", &pasted);
            assert_eq!(verified.status.code(), Some(0), "{}", err(&verified));
        }
        let changed = home.run_with(1, "verify", &out(&output).replace("3xa3", "2xa3"));
        assert_eq!(changed.status.code(), Some(1), "{}", err(&changed));
        let unsigned = before.to_owned() + "\n";
        assert_eq!(home.run_with(1, "verify", &unsigned).status.code(), Some(0));
        let strict = home.run_with(1, "verify --require-signature", &unsigned);
        assert_eq!(strict.status.code(), Some(1), "{}", err(&strict));
        assert!(err(&strict).contains("not signed"), "{}", err(&strict));
        let signed = home.run_with(1, "verify --require-signature", out(&output));
        assert_eq!(signed.status.code(), Some(0), "{}", err(&signed));
        let replayed = home.run_with(1, "replay", out(&output));
        assert_eq!(replayed.status.code(), Some(2));
        assert!(err(&replayed).contains("adamant verify"), "{}", err(&replayed));
    }
}

#[test]
fn a_game_on_the_server_is_printed_as_one_of_a_file() {
    let told = json!({"ply": 1, "seat": 0, "move": "c1-e1,c2,4xc3,a1", "value": -200, "exact": false,
        "best": ["c1-c2", "c5-c4"], "best_value": 300, "best_exact": false, "verdict": "mistake"});
    let done = json!({"type": "analysis", "re": "$id", "game": "g", "state": "done",
        "moves": [told], "accuracy": [{"seat": 0, "percent": 40}], "turning_points": [1]});
    let script = || {
        let analysed = on("analyse", [done.to_string()]);
        vec![welcome(&Value::Null, None), analysed, replayed(&["c1-e1,c2,4xc3,a1"])]
    };
    let (output, received) = Home::new().run_against(script(), "analyse g");
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert_eq!(received[1]["game"], "g");
    let said = out(&output);
    assert!(said.contains("mistake that loses 25 %; better c1-c2 c5-c4, 65 %"), "{said}");
    assert!(said.contains("Turning point, ply 1: O ann played c1-a1,c2,4xc3,e1."), "{said}");
    let (output, _) = Home::new().run_against(script(), "analyse g --json");
    let lines: Vec<Value> =
        out(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["loss"], &lines[0]["best_value"]), (&json!(0.25), &json!(300)));
    assert_eq!(lines[1]["turning_points"], json!([1]));

    let output = Home::new().run(1, "analyse g --nodes 5");
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("there is no file g;"), "{}", err(&output));

    let refused = error("forbidden", "a game is analysed once it is over", None);
    let script = vec![welcome(&Value::Null, None), on("analyse", [refused])];
    let (output, _) = Home::new().run_against(script, "analyse g");
    assert!(err(&output).contains("once it is over"), "{}", err(&output));
}

#[test]
fn a_tampered_record_is_not_exported() {
    let mut step = replayed(&["c1-e1,c2,4xc3,a1"]);
    let last = step.says.last_mut().unwrap();
    *last = last.replace("c1-a1", "c1-a2");
    let script = vec![welcome(&Value::Null, None), step];
    let (output, _) = Home::new().run_against(script, "export g");
    assert_eq!((output.status.code(), out(&output)), (Some(1), ""), "{}", err(&output));
}

#[test]
fn games_prints_a_table_or_json_lines() {
    let entry = json!({
        "game": "k7q2mx", "rules": "adamas@1", "options": {"size": 3, "prog_cap": false},
        "seats": [{"user": "ann", "letter": "O"}, {"user": "bob", "letter": "X"}],
        "clock": {"mode": "none"}, "rated": false, "state": "live", "ply": 4, "to_move": 1,
        "started_at": 1, "last_at": 2
    });
    let list = json!({"type": "games", "re": "$id", "games": [entry], "more": false});
    let script = || vec![welcome(&Value::Null, None), on("games", [list.to_string()])];
    let home = Home::new();
    let (output, received) = home.run_against(script(), "games --user ann --limit 5");
    let table = "ID      GAME            PLAYERS       CLOCK     MOVES  TO MOVE\n\
                 k7q2mx  adamas -size=3  O ann, X bob  no clock  4      bob\n";
    assert_eq!(out(&output), table);
    assert_eq!((&received[1]["user"], &received[1]["limit"]), (&json!("ann"), &json!(5)));
    let (output, _) = home.run_against(script(), "games --json");
    assert_eq!(serde_json::from_str::<Value>(out(&output)).unwrap()["game"], "k7q2mx");
}

/// A rate-limit error.
fn too_often(wait_ms: u64) -> String {
    let error = json!({
        "type": "error", "re": "$id", "code": "rate_limited", "message": "at most 1 seeks a minute",
        "retry": "after", "retry_after_ms": wait_ms, "limit": "seeks_per_min"
    });
    error.to_string()
}

#[test]
fn bots_retry_after_a_rate_limit_and_people_get_the_wait() {
    let records = records(&[], Seat::new(0));
    let ok = json!({"type": "ok", "re": "$id", "seek": "k_1", "game": "g"}).to_string();
    let begun = [ok, records[0].clone(), records[1].clone(), records[2].clone()];
    let script = vec![welcome(&ann(), Some("at_1")), on("seek", [too_often(1)]), on("seek", begun)];
    let (output, received) =
        Home::new().run_against(script, "bot --guest ann --seek adamas --games 1");
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert_eq!(received.len(), 3);

    let script = vec![welcome(&ann(), Some("at_1")), on("seek", [too_often(2_000)])];
    let (output, _) = Home::new().run_against(script, "seek adamas");
    assert_eq!(output.status.code(), Some(4));
    assert!(err(&output).contains("Try again in 2 s."), "{}", err(&output));
}

#[test]
fn a_bot_accepts_plays_and_stops_after_its_games() {
    let records = records(&[], Seat::new(0));
    let challenged = json!({
        "type": "challenged", "challenge": "h_9", "by": "bob", "rules": "adamas@1",
        "options": {}, "seats": ["ann", "bob"], "shuffle": false, "clock": {"mode": "none"},
        "rated": false, "accepted": ["bob"]
    });
    let your_turn = json!({
        "type": "your_turn", "game": "g", "seat": 0, "turn": 0, "ply": 0, "hash": "00"
    });
    let ok = json!({"type": "ok", "re": "$id", "game": "g"}).to_string();
    let mut hello = welcome(&ann(), Some("at_1"));
    hello.says.push(challenged.to_string());
    let accepted = [ok, records[0].clone(), records[1].clone(), your_turn.to_string()];
    // The move is too late: the game has just ended.
    let late = [error("game_over", "The game is over.", None), records[2].clone()];
    let script = vec![hello, on("accept", accepted), on("move", late)];
    let line = "bot --guest ann --accept-any --games 1 --level random";
    let (output, received) = Home::new().run_against(script, line);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert_eq!(received[1]["challenge"], "h_9");
    assert_eq!((&received[2]["turn"], &received[2]["game"]), (&json!(0), &json!("g")));
    assert_eq!(out(&output), "g: X bob wins: the opponent resigned.\n");
}

#[test]
fn a_game_that_has_yet_to_arrive_takes_a_place() {
    let challenged = |challenge: &str, rules: &str| {
        json!({
            "type": "challenged", "challenge": challenge, "by": "bob", "rules": rules,
            "options": {}, "seats": ["bob", "ann"], "shuffle": false, "clock": {"mode": "none"},
            "rated": false, "accepted": ["bob"]
        })
        .to_string()
    };
    let begins = json!({"type": "ok", "re": "$id", "game": "g"}).to_string();
    let ok = json!({"type": "ok", "re": "$id"}).to_string();
    let mut hello = welcome(&ann(), Some("at_1"));
    hello.says.push(challenged("h_1", "adamas@1"));
    // The reply names the game, and the events of the game come later than the next challenge.
    let accepted = [begins, challenged("h_2", "adamas@1")];
    let records = records(&[], Seat::new(0));
    let script = vec![hello, on("accept", accepted), on("*", [ok].into_iter().chain(records))];
    let line = "bot --guest ann --accept-any --games-at-once 1 --games 1 --level random";
    let (output, received) = Home::new().run_against(script, line);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert_eq!((&received[2]["type"], &received[2]["reason"]), (&json!("decline"), &json!("busy")));
}
