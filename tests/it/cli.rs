//! The command line program against a real server.

use std::process::Output;

use serde_json::{Value, json};
use tokio::{io::AsyncWriteExt as _, time::timeout};

use crate::harness::{Home, PATIENCE, Peer, Server, game, server_command};

/// A home directory for the program, and the server that its commands use.
struct Shell<'a> {
    home: Home,
    server: &'a Server,
}

impl<'a> Shell<'a> {
    fn new(server: &'a Server) -> Self {
        Self { home: Home::new(), server }
    }

    async fn run(&self, line: &str) -> Output {
        self.run_with(line, "").await
    }

    /// Runs a command line with `input` on its standard input.
    async fn run_with(&self, line: &str, input: &str) -> Output {
        let mut child = self
            .home
            .command(self.server, line.split_whitespace())
            .spawn()
            .expect("the program can be run");
        let mut stdin = child.stdin.take().expect("piped");
        // A command that reads no input may have exited already.
        let _unread = stdin.write_all(input.as_bytes()).await;
        drop(stdin);
        let ended = timeout(PATIENCE, child.wait_with_output()).await;
        ended.unwrap_or_else(|_| panic!("`adamant {line}` does not end")).expect("it ran")
    }

    /// Runs a command that must succeed, and returns its standard output.
    async fn said(&self, line: &str) -> String {
        let output = self.run(line).await;
        assert_eq!(output.status.code(), Some(0), "`adamant {line}`: {output:?}");
        text(&output.stdout)
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

#[tokio::test]
async fn two_bots_play_a_game_that_is_exported_and_replayed() {
    let server = Server::start().await;
    let (one, other) = (Shell::new(&server), Shell::new(&server));
    let (hal, eve) = tokio::join!(
        one.run("bot --guest hal --level random --seek adamas --games 1"),
        other.run("bot --guest eve --seek adamas --games 1"),
    );
    assert_eq!(hal.status.code(), Some(0), "{hal:?}");
    assert_eq!(eve.status.code(), Some(0), "{eve:?}");
    let mut anonymous = Peer::anonymous(&server).await;
    let list = anonymous.ask(json!({"type": "games", "state": "finished", "user": "hal"})).await;
    let entry = &list["games"][0];
    let game = entry["game"].as_str().unwrap();
    let listed = one.said("games --finished --json").await;
    assert!(listed.contains(game), "{listed}");

    let exported = one.said(&format!("export {game}")).await;
    assert!(exported.starts_with("adamas challenge"), "{exported}");
    let replayed = one.run_with("replay -", &exported).await;
    assert_eq!(replayed.status.code(), Some(0), "{replayed:?}");
    // The last board printed is the one that the server shows.
    let shown = one.said(&format!("show {game}")).await;
    let board = |said: &str| {
        let lines = said.lines().filter(|line| line.contains('.')).map(str::trim_end);
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let (replayed, shown) = (board(&text(&replayed.stdout)), board(&shown));
    assert!(!shown.is_empty() && replayed.ends_with(&shown), "{replayed:?}\n{shown:?}");
}

#[tokio::test]
async fn commands_start_and_play_a_game() {
    let server = Server::start().await;
    let home = Shell::new(&server);
    assert_eq!(home.said("login --guest ann").await, "ann (guest)\n");
    let mut bob = Peer::guest(&server, "bob").await;
    let id = home.said("challenge adamas -size=4 -prog_cap ann bob").await;
    let challenged = bob.next_of("challenged").await;
    assert_eq!(challenged["challenge"], id.trim_end());
    assert_eq!(challenged["options"], json!({"size": 4, "pieces": 12, "prog_cap": true}));
    let accept = json!({"type": "accept", "challenge": challenged["challenge"]});
    let game = bob.ask(accept).await["game"].as_str().unwrap().to_owned();
    bob.next_event(&game, "started").await;

    let play = game::choose_move(bob.table(&game));
    let made: Value =
        serde_json::from_str(&home.said(&format!("--json move {game} {play}")).await).unwrap();
    assert_eq!(made["turn"], 1);
    assert_eq!(bob.next_event(&game, "moved").await["move"], play.as_str());
    let refused = home.run(&format!("move {game} {play}")).await;
    assert_eq!(refused.status.code(), Some(4), "{refused:?}");
    let answer = game::choose_move(bob.table(&game));
    game::make_move(&mut bob, &game, &answer).await;
    let illegal = home.run(&format!("move {game} d4-d4")).await;
    assert_eq!(illegal.status.code(), Some(4), "{illegal:?}");
    let shown = home.said(&format!("show {game}")).await;
    assert!(shown.contains("O ann to move, turn 2."), "{shown}");
    home.said(&format!("resign {game}")).await;
    assert_eq!(bob.next_event(&game, "ended").await["winners"], json!([1]));

    assert_eq!(home.run(&format!("move {game} {play}")).await.status.code(), Some(4));
    assert_eq!(home.run("show nosuchgame").await.status.code(), Some(4));
    assert_eq!(home.run("challenge adamas -colour=red ann bob").await.status.code(), Some(2));
    assert_eq!(home.run("dance").await.status.code(), Some(2));
}

#[tokio::test]
async fn commands_make_offers_claims_and_rematches() {
    let server = Server::with(|setup| setup.set("games", "claim_after_untimed", "1ms")).await;
    let home = Shell::new(&server);
    home.said("login --guest ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    home.said("challenge adamas ann bob").await;
    let challenge = bob.next_of("challenged").await["challenge"].clone();
    let accept = json!({"type": "accept", "challenge": challenge});
    let game = bob.ask(accept).await["game"].as_str().unwrap().to_owned();
    bob.next_event(&game, "started").await;
    let play = game::choose_move(bob.table(&game));
    home.said(&format!("move {game} {play}")).await;
    bob.next_event(&game, "moved").await;
    let play = game::choose_move(bob.table(&game));
    game::make_move(&mut bob, &game, &play).await;
    let play = game::choose_move(bob.table(&game));
    home.said(&format!("move {game} {play}")).await;

    home.said(&format!("takeback {game}")).await;
    let offered = bob.next_event(&game, "offered").await;
    assert_eq!(offered["what"], "takeback");
    let refused = home.run(&format!("call-off {game} accept")).await;
    assert_eq!(refused.status.code(), Some(4), "{refused:?}");
    home.said(&format!("takeback {game} withdraw")).await;
    bob.next_event(&game, "offer_closed").await;
    bob.ask(json!({"type": "offer", "game": game, "what": "draw"})).await;
    home.said(&format!("draw {game} decline")).await;

    // Bob, who is to move, is connected; then he is not, and ann may claim the game.
    let here = home.run(&format!("claim {game} --seat 2")).await;
    assert_eq!(here.status.code(), Some(4), "{here:?}");
    bob.disconnect();
    let claimed = loop {
        let output = home.run(&format!("claim {game} --seat 2 --json")).await;
        if output.status.code() == Some(0) {
            break text(&output.stdout);
        }
    };
    let claimed: Value = serde_json::from_str(&claimed).unwrap();
    assert_eq!(claimed["game"], game.as_str());

    let asked = home.said(&format!("rematch {game}")).await;
    let mut bob = bob.reconnect(&server).await;
    bob.next_event(&game, "ended").await;
    assert_eq!(bob.next_of("challenged").await["challenge"], asked.trim_end());
    let next = bob.ask(json!({"type": "rematch", "game": game})).await["game"].clone();
    let known = home.said(&format!("rematch {game} --json")).await;
    assert_eq!(serde_json::from_str::<Value>(known.lines().next().unwrap()).unwrap()["game"], next);
    let next = next.as_str().unwrap();
    home.said(&format!("call-off {next}")).await;
    let offer = bob.next_event(next, "offered").await["offer"].clone();
    bob.ask(json!({"type": "answer", "game": next, "offer": offer, "accept": true})).await;
    assert_eq!(bob.next_event(next, "aborted").await["reason"], "agreed");
}

#[tokio::test]
async fn commands_show_standings_users_and_histories() {
    let server = Server::start().await;
    let mut peers = Vec::new();
    for name in ["ann", "bob"] {
        let mut peer = Peer::guest(&server, name).await;
        peer.ask(json!({"type": "signup", "user": name, "password": "open sesame"})).await;
        peers.push(peer);
    }
    let [ann, bob] = &mut peers[..] else { panic!() };
    let rated = json!({"rules": "hexma", "rated": true});
    let game = game::start(&mut [&mut *ann, &mut *bob], rated).await;
    game::play_moves(&mut [&mut *ann, &mut *bob], &game, 2).await;
    bob.ask(json!({"type": "resign", "game": game})).await;
    ann.next_event(&game, "rated").await;

    let home = Shell::new(&server);
    let standings = home.said("standings hexma").await;
    let rows: Vec<Vec<&str>> =
        standings.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[1], ["1", "ann", "1662?", "±290", "1", "1", "0", "0"], "{standings}");
    assert_eq!(rows[2], ["2", "bob", "1338?", "±290", "1", "0", "0", "1"], "{standings}");
    let first: Value =
        serde_json::from_str(&home.said("standings hexma --limit 1 --json").await).unwrap();
    assert_eq!((&first["user"], &first["rating"]), (&json!("ann"), &json!(1662)));
    assert_eq!(home.said("standings hexma --people").await, standings);
    assert_eq!(home.said("standings hexma --bots --json").await, "");
    assert_eq!(home.run("standings hexma --bots --people").await.status.code(), Some(2));
    assert_eq!(home.said("standings adamas").await, "");
    assert_eq!(home.run("standings ludo").await.status.code(), Some(4));
    assert_eq!(home.said("stats diam").await, "");
    let stats: Value = serde_json::from_str(&home.said("stats diam --json").await).unwrap();
    assert_eq!((&stats["rules"], &stats["games"]), (&json!("diam@1"), &json!(0)));
    assert_eq!(home.run("stats ludo").await.status.code(), Some(4));

    let user = home.said("user bob").await;
    assert!(user.starts_with("bob: a player since 20"), "{user}");
    assert!(user.contains("; games: 0 live, 1 finished"), "{user}");
    assert!(user.contains("hexma for 2  1338? ±290  2"), "{user}");
    let user: Value = serde_json::from_str(&home.said("user bob --json").await).unwrap();
    assert_eq!(user["ratings"][0]["rating"], 1338);
    assert_eq!(home.run("user stranger").await.status.code(), Some(4));

    let history = home.said("history bob --rules hexma").await;
    assert!(history.contains("1338 (-162)") && history.contains("ann won (resigned)"), "{history}");
    let entry: Value = serde_json::from_str(&home.said("history bob --json").await).unwrap();
    assert_eq!((&entry["game"], &entry["ratings"]["after"]), (&json!(game), &json!([1662, 1338])));
    assert!(home.said("games --finished --players 2").await.contains(&game));
    assert_eq!(home.said("games --finished --players 3").await, "");
}

#[tokio::test]
async fn commands_manage_accounts_tokens_and_bots() {
    let server = Server::start().await;
    let home = Shell::new(&server);
    let signup = home.run_with("signup ann --password-stdin", "open sesame\n").await;
    assert_eq!(text(&signup.stdout), "ann\n", "{signup:?}");
    let json = |said: &str| -> Vec<Value> {
        said.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
    };

    let first = json(&home.said("token list --json").await);
    let [only] = &first[..] else { panic!("more than one log-in: {first:?}") };
    assert_eq!((&only["label"], &only["current"]), (&json!("sign-up"), &json!(true)));

    let secret = home.said("token create laptop --expires 90d").await;
    let made = &json(&home.said("--json token create hexbot --bot").await)[0];
    let listed = home.said("token list").await;
    let lines: Vec<&str> = listed.lines().collect();
    assert_eq!(
        lines[0].split_whitespace().collect::<Vec<_>>().join(" "),
        "TOKEN LABEL FOR CREATED USED EXPIRES"
    );
    let laptop = lines.iter().find(|line| line.contains("laptop")).expect("it is listed");
    assert!(laptop.contains("never") && laptop.ends_with("in 90 days"), "{listed}");
    let entries = json(&home.said("token list --json").await);
    let bots: Vec<&Value> = entries.iter().filter(|token| token["bot"] == true).collect();
    assert_eq!((bots.len(), &bots[0]["token"]), (1, &made["token_id"]));

    let mut laptop = Peer::with_token(&server, secret.trim_end()).await;
    let find = |label: &str| entries.iter().find(|token| token["label"] == label).unwrap();
    let id = find("laptop")["token"].as_str().unwrap().to_owned();
    home.said(&format!("token revoke {id}")).await;
    assert_eq!(laptop.expect_close().await, 4007);
    let again = home.run(&format!("token revoke {id}")).await;
    assert_eq!(again.status.code(), Some(4), "{again:?}");
    assert_eq!(home.run("token revoke at_1234").await.status.code(), Some(2));

    home.said("bot create hexbot").await;
    assert_eq!(home.run("bot create h3xbot2 --accept-any").await.status.code(), Some(2));
    assert_eq!(home.run("bot create b").await.status.code(), Some(2));
    let secret = home.said("token create server --for hexbot").await;
    let listed = &json(&home.said("bot list --json").await)[0];
    assert_eq!((&listed["name"], &listed["tokens"]), (&json!("hexbot"), &json!(1)));
    assert!(home.said("bot list").await.contains("hexbot"), "it is in the table, too");
    assert!(home.said("token list --for hexbot").await.contains("a program"));
    let who = home.said(&format!("whoami --token {}", secret.trim_end())).await;
    assert_eq!(who, "hexbot (bot)\n");

    let wrong = home.run_with("password --password-stdin", "wrong\nbattery staple\n").await;
    assert_eq!(wrong.status.code(), Some(4), "{wrong:?}");
    let changed = home.run_with("password --password-stdin", "open sesame\nbattery staple\n").await;
    assert_eq!(changed.status.code(), Some(0), "{changed:?}");
    assert_eq!(home.said("whoami").await, "ann\n");
    let login = home.run_with("login ann --password-stdin", "battery staple\n").await;
    assert_eq!(login.status.code(), Some(0), "{login:?}");
}

#[tokio::test]
async fn an_unreachable_server_has_its_own_exit_status() {
    let mut server = Server::start().await;
    server.stop().await;
    let output = Shell::new(&server).run("games").await;
    assert_eq!(output.status.code(), Some(3), "{output:?}");
}

#[tokio::test]
async fn commands_talk_mute_and_list_live_games() {
    let (server, [mut bob]) = Peer::start_with_guests(["bob"]).await;
    let home = Shell::new(&server);
    home.said("login --guest ann").await;
    home.said("challenge adamas ann bob --delay 1 --wait=never").await;
    let challenge = bob.next_of("challenged").await["challenge"].clone();
    let accepted = bob.ask(json!({"type": "accept", "challenge": challenge})).await;
    let game = accepted["game"].as_str().unwrap();
    let created = bob.next_event(game, "created").await;
    assert_eq!(created["delay"], 1);

    let said = home.said(&format!("--json say {game} good luck, play -well")).await;
    let ok: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&ok["type"], &ok["n"]), (&json!("ok"), &json!(1)));
    assert_eq!(bob.next_of("said").await["text"], "good luck, play -well");
    bob.ask(json!({"type": "say", "game": game, "room": "players", "text": "you too"})).await;
    let talk = home.said(&format!("talk {game}")).await;
    assert_eq!(talk, "1. ann says: good luck, play -well\n2. bob says: you too\n");
    home.said(&format!("unsay {game} 1")).await;
    let left = home.said(&format!("talk {game} --json")).await;
    let left: Value = serde_json::from_str(&left).unwrap();
    assert_eq!((&left["n"], &left["by"]), (&json!(2), &json!("bob")));
    home.said("mute bob").await;
    assert_eq!(home.said("mutes").await, "bob\n");
    assert_eq!(home.said("mutes --json").await, "{\"user\":\"bob\"}\n");
    assert_eq!(home.said(&format!("talk {game}")).await, "");
    home.said("unmute bob").await;
    let refused = home.run(&format!("say {game} --room spectators hi")).await;
    assert_eq!(refused.status.code(), Some(4), "{refused:?}");

    let featured = home.said("tv adamas").await;
    assert!(featured.contains(game) && featured.contains("X bob"), "{featured}");
    let featured: Value = serde_json::from_str(&home.said("tv adamas --json").await).unwrap();
    assert_eq!(featured["game"], *game);
    assert_eq!(home.said("tv hexma --json").await, "", "there is none");
    let live = home.said("live").await;
    assert!(live.contains(game) && live.contains("adamas -size=3"), "{live}");
    let live: Value = serde_json::from_str(&home.said("live adamas --json").await).unwrap();
    assert_eq!(live["game"], *game);
    assert!(live.get("entry").is_none() && live["position"].is_object(), "{live}");
    assert_eq!(home.run("tv checkers").await.status.code(), Some(4));
}

#[tokio::test]
async fn a_report_is_sent_and_what_came_of_it_is_read() {
    let server = Server::start().await;
    let _bob = Peer::guest(&server, "bob").await;
    let home = Shell::new(&server);
    home.said("login --guest ann").await;
    assert_eq!(home.said("notices --json").await, "");
    assert_eq!(home.run("report --reason spam too much").await.status.code(), Some(2));
    let sent = home.said("--json report --user bob --reason spam too much of it").await;
    let sent: Value = serde_json::from_str(&sent).unwrap();
    let number = sent["report"].to_string();
    let socket = server.data().join("admin.sock").display().to_string();
    let close = ["admin", "--socket", &socket, "reports", "close", &number, "--step", "none"];
    let (status, said) = server_command(&[&close[..], &["--reason", "no flood"]].concat()).await;
    assert_eq!(status, Some(0), "{said}");
    let read = home.said("notices").await;
    let expected = "is closed: the operator saw nothing to act on.";
    assert_eq!(read, format!("Your report {number} {expected}\n"));
    let seen: Value = serde_json::from_str(&home.said("--json notices --seen").await).unwrap();
    assert_eq!((&seen["outcome"], &seen["report"]), (&json!("dismissed"), &sent["report"]));
    assert_eq!(home.said("notices --json").await, "");
}

#[tokio::test]
async fn play_chooses_the_level_of_the_server_bot() {
    let server = Server::start().await;
    let home = Shell::new(&server);
    home.said("login --guest ann").await;
    let levels = [
        ("", "house"),
        ("--level easy", "house-easy"),
        ("--level hard", "house-hard"),
        ("--level 1", "house-easy"),
        ("--level 5", "house-5"),
    ];
    for (words, user) in levels {
        // Neither player moves, so the clock ends the game.
        let said = home.said(&format!("--json play stymie --clock 1s/move {words}")).await;
        let created: Value = serde_json::from_str(said.lines().next().unwrap()).unwrap();
        assert_eq!(created["seats"][1]["user"], user, "{said}");
    }
    assert_eq!(home.run("play stymie --level best").await.status.code(), Some(2));
}

#[tokio::test]
async fn play_reads_moves_from_standard_input() {
    let server = Server::start().await;
    let home = Shell::new(&server);
    let text_of = |output: &Output| (text(&output.stdout), text(&output.stderr));

    let played = home.run_with("play adamas", "c1 - c2\ntry c1-b1\nsay hello\nresign\n").await;
    let (printed, told) = text_of(&played);
    assert_eq!(played.status.code(), Some(0), "{printed}{told}");
    assert!(printed.contains("1. O somebody-") && printed.contains(": c1-c2\n"), "{printed}");
    assert!(printed.ends_with("wins: the opponent resigned.\n"), "{printed}");

    // The end of the input leaves the game, which continues.
    let left = home.run_with("play adamas", "c1-c2\n").await;
    let (printed, told) = text_of(&left);
    assert_eq!(left.status.code(), Some(0), "{printed}{told}");
    assert!(printed.contains(": c1-c2\n"), "the event precedes the reply: {printed}");
    let game = told.split("adamant join ").nth(1).and_then(|rest| rest.split('`').next()).unwrap();
    assert!(told.contains("is still live"), "{told}");
    let nothing = home.run(&format!("join {game}")).await;
    assert_eq!(nothing.status.code(), Some(0), "{nothing:?}");

    // An error ends the program, and the lines after it are not played.
    let refused = home.run_with(&format!("join {game}"), "c9-c9\nresign\n").await;
    let (printed, told) = text_of(&refused);
    assert_eq!(refused.status.code(), Some(4), "{printed}{told}");
    assert!(told.contains("no cell c9") && !printed.contains("resigned"), "{printed}{told}");
    let refused = home.run_with(&format!("join {game}"), "accept\n").await;
    assert_eq!(refused.status.code(), Some(4), "{refused:?}");

    // The server bot declines a draw; the program waits for the answer.
    let offered = home.run_with(&format!("join {game} --json"), "draw\n").await;
    assert_eq!(offered.status.code(), Some(0), "{offered:?}");
    let last: Value = serde_json::from_str(text(&offered.stdout).lines().last().unwrap()).unwrap();
    assert_eq!((&last["kind"], &last["outcome"]), (&json!("offer_closed"), &json!("declined")));

    // A user who is no player watches the game.
    let other = Shell::new(&server);
    let watching =
        other.home.command(&server, ["join", game]).stdin(std::process::Stdio::null()).output();
    let resignation = format!("resign {game}");
    let resigning = home.said(&resignation);
    let (watched, _) = tokio::join!(timeout(PATIENCE, watching), resigning);
    let watched = watched.expect("it ends").expect("it ran");
    assert_eq!(watched.status.code(), Some(0), "{watched:?}");
    assert!(text(&watched.stderr).contains("You do not play in"), "{watched:?}");
}

#[tokio::test]
async fn a_move_accepts_a_turn_number_and_pbmserv_notation() {
    let server = Server::start().await;
    let home = Shell::new(&server);
    home.said("login --guest ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    home.said("adamas challenge -size=3 ann bob").await;
    let challenge = bob.next_of("challenged").await["challenge"].clone();
    let accept = json!({"type": "accept", "challenge": challenge});
    let game = bob.ask(accept).await["game"].as_str().unwrap().to_owned();

    let preview = home.said(&format!("preview {game} c1 - c2")).await;
    assert!(preview.starts_with("c1-c2\n"), "{preview}");
    for line in [format!("move {game}#2 c1-c2"), format!("adamas move#0 {game} c1-c2")] {
        let stale = home.run(&line).await;
        assert_eq!(stale.status.code(), Some(4), "{line}: {stale:?}");
        assert!(text(&stale.stderr).contains("is number 1, not"), "{stale:?}");
    }
    home.said(&format!("adamas move#1 {game} c1 -c2")).await;
    assert_eq!(bob.next_event(&game, "moved").await["move"], "c1-c2");
}

#[tokio::test]
async fn commands_invite_block_and_choose_challengers() {
    let server = Server::start().await;
    let (home, other) = (Shell::new(&server), Shell::new(&server));
    home.said("login --guest ann").await;
    other.said("login --guest bob").await;
    let link = home.said("invite hexma --clock days:2 --unlisted").await.trim_end().to_owned();
    assert!(link.starts_with(&format!("http://{}/join/i_", server.address())), "{link}");
    let shown = other.said(&format!("invites {link} --json")).await;
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!((&shown["by"], &shown["unlisted"]), (&json!("ann"), &json!(true)));
    assert!(home.said("invites").await.contains("1 of 2"));
    let accepted = other.said(&format!("accept {link} --json")).await;
    let game = serde_json::from_str::<Value>(accepted.lines().next().unwrap()).unwrap();
    assert!(game["game"].is_string(), "{accepted}");
    assert_eq!(home.said("invites").await, "");

    let seek = home.said("seek stymie --lasting --rating 1400-").await;
    assert!(home.said("lobby").await.contains(seek.trim_end()));
    home.said(&format!("cancel {seek}")).await;
    assert_eq!(home.said("lobby").await, "");

    home.said("block bob").await;
    assert_eq!(home.said("blocks").await, "bob\n");
    assert_eq!(other.run("challenge adamas ann bob").await.status.code(), Some(4));
    home.said("unblock bob").await;
    assert!(home.said("settings --challenges none --json").await.contains("none"));
    assert!(home.said("settings").await.starts_with("challenges  none"));
    assert_eq!(other.run("challenge adamas ann bob").await.status.code(), Some(4));
}
