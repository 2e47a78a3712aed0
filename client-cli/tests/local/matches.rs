//! `adamant match`: games, faults of engines, interruptions, and every example of docs/MATCHES.md.

use std::{
    collections::BTreeMap,
    fs::{self, OpenOptions},
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{Run, document, fits, repository};

/// An engine that does what its first argument says.
const ENGINE: &str = r#"
import os, sys
mode = sys.argv[1]
for line in sys.stdin:
    command, *words = line.split() or [""]
    if command == "adamant-engine":
        print(f"id name {mode}\ncan draw\noption name style type string default plain\nready", flush=True)
    elif command == "go":
        if mode == "crash" or mode == "crash-once" and not os.path.exists("crashed"):
            open("crashed", "w").close()
            sys.exit(3)
        elif mode == "illegal":
            print("bestmove z99", flush=True)
        elif mode == "long":
            print("x" * 70000, flush=True)
        elif mode == "error":
            print("error no more", flush=True)
        elif mode == "resign":
            print("bestmove resign", flush=True)
        elif mode != "hang":
            print("legal max 1", flush=True)
    elif command == "legal":
        print("bestmove", words[1], "draw" if mode == "peace" else "", flush=True)
    elif command == "offer":
        print("accept" if mode == "peace" else "decline", flush=True)
    elif command == "quit":
        break
"#;

/// A small game, and engines that end it soon.
pub(super) const SMALL: &str = "adamant match --game diam -board=8x4";

/// A folder in which matches are played.
pub(super) struct Playground {
    folder: TempDir,
}

impl Playground {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().expect("room for files");
        fs::write(folder.path().join("mode.py"), ENGINE).expect("room for a file");
        Self { folder }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("room for a file");
    }

    pub(super) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("the file is there")
    }

    /// Returns a command of a shell in this folder, which finds the program.
    pub(super) fn shell(&self, line: &str) -> Command {
        let program = Path::new(env!("CARGO_BIN_EXE_adamant"));
        let folder = program.parent().expect("it lies in a folder").display();
        let mut command = Command::new("sh");
        // `exec` lets signals reach the program.
        command.args(["-c", &format!("PATH='{folder}':$PATH; exec {line}")]);
        command.current_dir(self.folder.path()).env_remove("CLICOLOR_FORCE");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs a command line to its end.
    pub(super) fn run(&self, line: &str) -> Run {
        let output = self.shell(line).output().expect("there is a shell");
        Run {
            stdout: String::from_utf8(output.stdout).expect("data is text"),
            stderr: String::from_utf8(output.stderr).expect("messages are text"),
            status: output.status.code().expect("it is not killed"),
        }
    }

    /// Plays a small match. Returns its report.
    #[track_caller]
    pub(super) fn play(&self, arguments: &str) -> Value {
        let run = self.run(&format!("{SMALL} --json {arguments}"));
        assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
        serde_json::from_str(&run.stdout).expect("one object")
    }

    /// Returns the results in a folder, without its first line.
    pub(super) fn results(&self, folder: &str) -> Vec<Value> {
        let text = self.read(&format!("{folder}/results.jsonl"));
        text.lines().skip(1).map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    /// Returns all files of a match with their bytes.
    pub(super) fn files(&self, folder: &str) -> BTreeMap<String, Vec<u8>> {
        let games = fs::read_dir(self.path(folder).join("games")).expect("a folder of records");
        let mut paths: Vec<PathBuf> = games.map(|entry| entry.expect("a file").path()).collect();
        paths.push(self.path(folder).join("results.jsonl"));
        let name =
            |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        paths.iter().map(|path| (name(path), fs::read(path).expect("a file"))).collect()
    }

    /// Lets `verify` and `replay` read all records of a match. Returns how many there are.
    #[track_caller]
    pub(super) fn check_records(&self, folder: &str) -> usize {
        let results = self.results(folder);
        for result in &results {
            let file = format!(
                "{folder}/games/game-{:06}",
                result["game"].as_u64().expect("it has a number")
            );
            let verified = self.run(&format!("adamant verify --json {file}.jsonl"));
            assert_eq!(verified.status, 0, "{file}: {}{}", verified.stdout, verified.stderr);
            let verified: Value = serde_json::from_str(&verified.stdout).expect("one object");
            assert_eq!(verified["chain"], result["chain"], "{file}");
            let replayed = self.run(&format!("adamant replay --json {file}.txt"));
            assert_eq!(replayed.status, 0, "{file}: {}{}", replayed.stdout, replayed.stderr);
        }
        results.len()
    }
}

/// Returns a report without what engines used, which differs from run to run.
fn without_usage(mut report: Value) -> Value {
    for engine in report["engines"].as_array_mut().expect("a list of engines") {
        engine.as_object_mut().expect("an object for each").remove("usage").expect("its usage");
    }
    report
}

/// Returns the words that let a mode of the engine take part.
pub(super) fn engine(mode: &str) -> String {
    format!("--engine 'python3 mode.py {mode}'")
}

/// Two levels of the program, which play differently.
pub(super) const LEVELS: &str = "--engine 'adamant engine --level search --nodes 60' --name strong \
     --engine 'adamant engine --level greedy' --name weak --nodes 60";

#[test]
fn node_budgets_give_the_same_bytes_however_many_games_are_played_at_once() {
    let place = Playground::new();
    let first = place.play(&format!("{LEVELS} --games 12 --out one"));
    let again = place.play(&format!("{LEVELS} --games 12 --out many --concurrency 3"));
    assert_eq!(without_usage(first), without_usage(again));
    assert_eq!(place.files("one"), place.files("many"));
    assert_eq!(place.check_records("one"), 12);
    let other = place.play(&format!("{LEVELS} --games 12 --out other --seed 2"));
    assert_eq!(other["games"], 12);
    assert_ne!(place.files("one"), place.files("other"), "another seed, other openings");
}

#[test]
fn each_opening_is_played_with_both_sides_and_only_once() {
    let place = Playground::new();
    place.play(&format!("{} {} --movetime 5s --games 6 --out two", engine("ok"), engine("ok")));
    let results = place.results("two");
    let seats: Vec<&Value> = results.iter().map(|result| &result["seats"]).collect();
    assert_eq!(seats[..2], [&json!(["ok", "ok-2"]), &json!(["ok-2", "ok"])]);
    let opening = |game: usize| -> Vec<String> {
        let text = place.read(&format!("two/games/game-{game:06}.txt"));
        text.lines().skip(1).take(4).map(str::to_owned).collect()
    };
    for pair in 0..3 {
        assert_eq!(opening(2 * pair + 1), opening(2 * pair + 2));
        assert_eq!(results[2 * pair]["opening"], pair + 1);
    }
    assert_ne!(opening(1), opening(3));
    assert_ne!(opening(3), opening(5));
}

#[test]
fn three_players_have_every_seat_and_share_points() {
    let place = Playground::new();
    let run = place.run(
        "adamant match --json --game hexma --players 3 --games 3 --nodes 30 --out three \
         --engine 'adamant engine' --name aa --engine 'adamant engine --level random' --name bb \
         --engine 'adamant engine --level random --seed 3' --name cc",
    );
    assert_eq!(run.status, 0, "{}", run.stderr);
    let seats: Vec<Value> =
        place.results("three").iter().map(|result| result["seats"].clone()).collect();
    let wanted = [json!(["aa", "bb", "cc"]), json!(["bb", "cc", "aa"]), json!(["cc", "aa", "bb"])];
    assert_eq!(seats, wanted);
    assert_eq!(place.check_records("three"), 3);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let engines = report["engines"].as_array().unwrap();
    let points: f64 = engines.iter().map(|engine| engine["points"].as_f64().unwrap()).sum();
    assert!((points - 3.0).abs() < 1e-9);
    assert!(engines.iter().all(|engine| engine["rating"]["elo"].is_f64()));
    assert_eq!(report["pairings"][0]["pentanomial"], Value::Null);
}

#[test]
#[ignore = "long"]
fn a_ladder_rates_every_engine_and_a_gauntlet_leaves_pairings_out() {
    let place = Playground::new();
    let engines = format!("{} {} {}", engine("ok"), engine("resign"), engine("peace"));
    let ladder = place.play(&format!("{engines} --nodes 1 --games 2"));
    assert_eq!((&ladder["games"], ladder["pairings"].as_array().unwrap().len()), (&json!(6), 3));
    let elo = |report: &Value, place: usize| report["engines"][place]["rating"]["elo"].as_f64();
    assert!(elo(&ladder, 0) > elo(&ladder, 1), "{ladder}");
    let gauntlet = place.play(&format!("{engines} --nodes 1 --games 2 --format gauntlet"));
    assert_eq!(gauntlet["games"], 4);
    let table = place.run(&format!("{SMALL} {engines} --nodes 1 --games 2"));
    for part in ["ENGINE", "ELO", "±", "PAIRING", "ok - resign", "+2 =0 -0"] {
        assert!(table.stdout.contains(part), "{part} is not in\n{}", table.stdout);
    }
}

#[test]
fn the_report_has_its_documented_shape() {
    let place = Playground::new();
    let report = place.play(&format!("{} {} --nodes 1 --games 4", engine("ok"), engine("resign")));
    let mut shape = without_usage(report.clone());
    let estimate = shape["pairings"][0]["estimate"].take();
    assert_eq!(
        shape,
        json!({
            "type": "match", "end": "complete", "game": "diam",
            "options": report["options"], "players": 2, "games": 4, "planned": 4,
            "engines": [
                {"name": "ok", "games": 4, "wins": 4, "draws": 0, "losses": 0, "points": 4.0,
                 "rating": null, "faults": {}},
                {"name": "resign", "games": 4, "wins": 0, "draws": 0, "losses": 4, "points": 0.0,
                 "rating": null, "faults": {}},
            ],
            "pairings": [
                {"engines": ["ok", "resign"], "games": 4, "wins": 4, "draws": 0, "losses": 0,
                 "pentanomial": [0, 0, 0, 0, 2], "estimate": null},
            ],
            "sprt": null,
        })
    );
    let used = report["engines"][0]["usage"].clone();
    assert!(used["moves"].as_u64() > Some(0) && used["time_ms_max"].as_f64() > Some(0.0), "{used}");
    assert!(used["time_ms"].as_f64() <= used["time_ms_max"].as_f64(), "{used}");
    assert_eq!((&used["nodes"], &used["nodes_max"]), (&Value::Null, &Value::Null));
    assert_eq!(
        estimate,
        json!({"score": 1.0, "elo": null, "elo_low": null, "elo_high": null, "los": 1.0})
    );
}

#[test]
#[ignore = "long"]
fn a_sequential_test_ends_a_match_and_counts_games_in_order() {
    let place = Playground::new();
    let play = |folder: &str, how: &str| {
        without_usage(place.play(&format!(
            "{} {} --nodes 1 --games 200 --sprt elo0=0,elo1=200 --out {folder} {how}",
            engine("ok"),
            engine("resign")
        )))
    };
    let report = play("one", "");
    assert_eq!(report["sprt"]["verdict"], "accept_h1");
    assert_eq!(report["end"], "decided");
    assert!(report["games"].as_u64().unwrap() < 200, "{report}");
    assert_eq!(play("many", "--concurrency 5"), report);
    assert_eq!(place.files("many"), place.files("one"));
    assert_eq!(play("many", "--resume"), report, "a verdict stands");
    assert_eq!(place.files("many"), place.files("one"));
}

#[test]
fn long_games_are_drawn_and_engines_may_agree_on_a_draw() {
    let place = Playground::new();
    let (ok, peaceful) = (engine("ok"), engine("peace"));
    let short = place.play(&format!("{ok} {ok} --nodes 1 --games 2 --max-plies 6 --out short"));
    assert_eq!(short["engines"][0]["draws"], 2);
    let agreed = place.play(&format!("{peaceful} {peaceful} --nodes 1 --games 2 --out peace"));
    assert_eq!(agreed["engines"][0]["draws"], 2);
    for (folder, reason, plies) in [("short", "max_plies", 6), ("peace", "agreement", 5)] {
        assert_eq!(place.check_records(folder), 2);
        for result in place.results(folder) {
            assert_eq!((&result["reason"], &result["plies"]), (&json!(reason), &json!(plies)));
        }
    }
    let declined = place.play(&format!("{peaceful} {ok} --nodes 1 --games 2 --out declined"));
    assert_eq!(declined["games"], 2);
    assert!(place.results("declined").iter().all(|result| result["reason"] != "agreement"));
}

#[test]
fn a_book_and_a_file_of_engines_are_read() {
    let place = Playground::new();
    place.write("book.txt", "# two openings\na1 x2\nA1 X3\n");
    place.write(
        "match.toml",
        "game = \"diam\"\noption = [\"-board=8x4\"]\ngames = 4\nnodes = 5\nopenings = \"book.txt\"\n\
         [[engine]]\nname = \"one\"\ncommand = \"python3 mode.py ok\"\noptions = { style = 3 }\n\
         [[engine]]\ncommand = \"python3 mode.py resign\"\n",
    );
    let run = place.run("adamant match --config match.toml --out out --json");
    assert_eq!(run.status, 0, "{}", run.stderr);
    let first = place.read("out/games/game-000004.txt");
    assert!(first.starts_with("diam challenge -board=8x4"), "{first}");
    assert!(first.contains(" resign one\nA1\nX3\n"), "{first}");
    place.write("no-game.toml", "nodes = 5\n");
    let run = place.run("adamant match --config no-game.toml");
    assert!(run.stderr.contains("a match needs a game"), "{}", run.stderr);
    place.write("match.toml", &place.read("match.toml").replace("style", "colour"));
    let run = place.run("adamant match --config match.toml");
    assert!(run.stderr.contains("one has no option colour; it has style"), "{}", run.stderr);
}

#[test]
fn mistakes_on_the_command_line_are_explained() {
    let place = Playground::new();
    let ok = engine("ok");
    for (arguments, why) in [
        (format!("{ok} {ok} --games 2"), "ok has no budget: give --nodes, --movetime or --clock"),
        (format!("{ok} {ok} --nodes 1 --games 3"), "3 games are not a multiple of 2, 4 are"),
        (format!("{ok} {ok} --nodes 1 --games 4000000000"), "a tournament has at most 1000000"),
        (format!("{ok} --nodes 1 --games 2"), "a game for 2 needs as many engines"),
        (format!("{ok} {ok} --players 3 --nodes 1 --games 3"), "diam is for 2 to 2 players, not 3"),
        (format!("{ok} {ok} {ok} --nodes 1 --sprt elo0=0,elo1=5"), "a sequential test needs two"),
        (format!("{ok} {ok} --nodes 1 --name aa --name AA"), "two engines are called AA"),
        (
            format!("{ok} {ok} --nodes 1 --concurrency 0 --out out"),
            "--concurrency must be from 1 to 256",
        ),
        (format!("{ok} --engine /no/such/file --nodes 1"), "cannot be started"),
        (format!("{ok} --engine false --nodes 1"), "the engine ended: exit status: 1"),
        (format!("{ok} {ok} --nodes 1 --resume"), "--out <DIR>"),
        (format!("{ok} {ok} --nodes 1 --max-plies 0"), "a game is drawn after 1 to 5000 plies"),
    ] {
        let run = place.run(&format!("{SMALL} {arguments}"));
        assert_ne!(run.status, 0, "{arguments}");
        assert!(run.stderr.contains(why), "{arguments}: {}", run.stderr);
    }
    assert!(!place.path("out").exists(), "a match that cannot begin leaves nothing behind");
}

/// Plays two games of an engine that fails against one that does not.
#[track_caller]
fn loses_by(mode: &str, budget: &str, kind: &str, why: &str) {
    let place = Playground::new();
    let engines = format!("{} {}", engine(mode), engine("ok"));
    let report = place.play(&format!("{engines} {budget} --games 2 --concurrency 2 --out out"));
    assert_eq!(report["engines"][0]["faults"], json!({ (kind): 2 }), "{report}");
    assert_eq!(report["engines"][1]["wins"], 2);
    for (index, result) in place.results("out").iter().enumerate() {
        assert_eq!((&result["reason"], &result["winners"]), (&json!(kind), &json!(["ok"])));
        let fault = &result["faults"][0];
        assert_eq!((&fault["engine"], &fault["kind"]), (&json!(mode), &json!(kind)));
        assert!(fault["text"].as_str().is_some_and(|text| text.contains(why)), "{fault}");
        let text = place.read(&format!("out/games/game-{:06}.txt", index + 1));
        assert!(text.contains(&format!("# {mode} {kind} at ply ")), "{text}");
    }
    assert_eq!(place.check_records("out"), 2);
}

#[test]
fn crashes_illegal_moves_and_broken_lines_lose() {
    loses_by("crash", "--nodes 1", "crashed", "exit status: 3");
    loses_by("illegal", "--nodes 1", "illegal_move", "z99");
    loses_by("long", "--nodes 1", "protocol", "more than 65536 bytes");
    loses_by("error", "--nodes 1", "error", "no more");
}

#[test]
#[ignore = "long"]
fn engines_that_hang_or_use_too_much_time_lose() {
    loses_by("hang", "--nodes 1 --hang-timeout 2s", "no_answer", "no move in time");
    loses_by("hang", "--movetime 2s", "timed_out", "no move in time");
    loses_by("hang", "--clock 2s/move", "timed_out", "ran out of time");
}

#[test]
fn a_match_goes_on_with_a_process_that_is_started_again() {
    let place = Playground::new();
    let report =
        place.play(&format!("{} {} --nodes 1 --games 4", engine("crash-once"), engine("ok")));
    assert_eq!(report["engines"][0]["faults"], json!({"crashed": 1}));
    assert_eq!(report["games"], 4);
}

#[test]
fn in_a_game_of_three_the_others_play_on() {
    let place = Playground::new();
    let run = place.run(&format!(
        "adamant match --json --game adamas -size=3 --opening-plies 3 --players 3 --nodes 1 --games 3 \
         --max-plies 40 --out out {} {} {}",
        engine("ok"),
        engine("crash"),
        engine("peace")
    ));
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(place.check_records("out"), 3);
    for result in place.results("out") {
        assert_eq!(result["faults"].as_array().unwrap().len(), 1, "{result}");
        assert!(!result["winners"].as_array().unwrap().contains(&json!("crash")), "{result}");
        let fault_ply = result["faults"][0]["ply"].as_u64();
        assert!(result["plies"].as_u64() > fault_ply, "the others play on: {result}");
    }
}

#[test]
fn what_engines_write_to_standard_error_is_shown_if_wanted() {
    let place = Playground::new();
    place.write(
        "loud.py",
        &place
            .read("mode.py")
            .replace("import os, sys", "import os, sys; sys.stderr.write('hi!\\n')"),
    );
    let line = format!(
        "adamant match --game diam -board=8x4 --nodes 1 --games 2 {} --engine 'python3 loud.py ok' \
         --name calm --name loud",
        engine("resign")
    );
    assert!(!place.run(&line).stderr.contains("loud: hi!"));
    let run = place.run(&format!("{line} --verbose"));
    assert!(run.stderr.contains("loud: hi!"), "{}", run.stderr);
    assert_eq!(Value::from(run.status), json!(0));
}

/// Starts a match and waits until the program has stored this number of games.
fn started(
    place: &Playground,
    line: &str,
    games: u32,
) -> (Child, impl Iterator<Item = String> + use<>) {
    let mut child = place.shell(line).spawn().expect("there is a shell");
    let stderr = child.stderr.take().expect("it is piped");
    let mut lines = BufReader::new(stderr).lines().map_while(Result::ok);
    let wanted = format!("{games}/");
    assert!(lines.any(|line| line.starts_with(&wanted)), "{games} games are played");
    (child, lines)
}

/// What a match prints, without the time of the moves.
fn timeless(printed: &str) -> Vec<&str> {
    printed.lines().filter(|line| !line.contains(" ms a move")).collect()
}

#[test]
#[ignore = "long"]
fn a_killed_match_goes_on_and_ends_as_if_it_had_not_been_killed() {
    let place = Playground::new();
    let line = |folder: &str| format!("{SMALL} {LEVELS} --games 80 --concurrency 2 --out {folder}");
    let whole = place.run(&line("whole"));
    assert_eq!(whole.status, 0, "{}", whole.stderr);
    let (mut child, lines) = started(&place, &line("killed"), 5);
    child.kill().unwrap();
    child.wait().unwrap();
    drop(lines);
    let before = place.results("killed").len();
    assert!((5..80).contains(&before), "{before} games were stored");
    // A crash of the machine may cut the last line.
    let path = place.path("killed/results.jsonl");
    let mut file = OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(b"{\"game\":80,\"openi").unwrap();
    let resumed = place.run(&format!("{} --resume", line("killed")));
    assert_eq!(resumed.status, 0, "{}", resumed.stderr);
    assert_eq!(timeless(&resumed.stdout), timeless(&whole.stdout));
    let told = format!("{before} of 80 games have been played before.");
    assert!(resumed.stderr.contains(&told), "{}", resumed.stderr);
    assert_eq!(place.files("killed"), place.files("whole"));
    let again = place.run(&format!("{} --resume", line("killed")));
    assert_eq!((again.status, again.stdout), (0, resumed.stdout), "a match that is over stays so");
}

#[test]
fn ctrl_c_prints_the_score_and_how_to_go_on() {
    let place = Playground::new();
    let line = format!("{SMALL} {LEVELS} --games 2000 --out out");
    let (child, lines) = started(&place, &line, 2);
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.unwrap().success());
    let last = lines.last().unwrap();
    assert!(last.starts_with("Interrupted after "), "{last}");
    assert!(last.ends_with("The same command with --resume goes on."), "{last}");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stdout).unwrap().contains("strong - weak: +"));
}

#[test]
fn a_folder_holds_one_match() {
    let place = Playground::new();
    let engines = format!("{} {}", engine("ok"), engine("resign"));
    let line = format!("{SMALL} {engines} --nodes 1 --games 2 --out out");
    assert_eq!(place.run(&line).status, 0);
    let again = place.run(&line);
    assert_eq!(again.status, 2);
    assert!(again.stderr.contains("already holds a match: --resume goes on"), "{}", again.stderr);
    let other = place.run(&format!("{line} --resume").replace("--nodes 1", "--nodes 2 --seed 9"));
    assert_eq!(other.status, 2);
    for part in ["a match with other settings", "seed was 1 and is 9", "\"nodes\":1"] {
        assert!(other.stderr.contains(part), "{part} is not in {}", other.stderr);
    }
    let results = place.path("out/results.jsonl");
    let text = place.read("out/results.jsonl");
    fs::write(results, text.replace("\"game\":2", "\"game\":1")).unwrap();
    let damaged = place.run(&format!("{line} --resume"));
    assert!(damaged.stderr.contains("line 3: game 1 stands here twice"), "{}", damaged.stderr);
}

/// Whether lines are what the document shows. A line `..` stands for any number of lines.
fn all_fit(shown: &[&str], lines: &[&str]) -> bool {
    match (shown.split_first(), lines.split_first()) {
        (None, None) => true,
        (Some((&"..", rest)), _) => {
            (0..=lines.len()).any(|skipped| all_fit(rest, &lines[skipped..]))
        }
        (Some((first, rest)), Some((line, lines))) => fits(first, line) && all_fit(rest, lines),
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// Runs a block of commands, each after `$ `, with what it prints to standard output.
fn run_block(place: &Playground, block: &str) {
    let mut runs: Vec<(String, Vec<&str>)> = Vec::new();
    let mut is_open = false;
    for line in block.lines() {
        let (text, goes_on) = line.strip_suffix('\\').map_or((line, false), |text| (text, true));
        if let Some(command) = text.strip_prefix("$ ") {
            runs.push((command.to_owned(), Vec::new()));
            is_open = goes_on;
        } else if is_open {
            let (command, _) = runs.last_mut().expect("a command goes on");
            command.push_str(text);
            is_open = goes_on;
        } else {
            runs.last_mut().expect("a block begins with a command").1.push(line);
        }
    }
    for (command, shown) in runs {
        let run = place.run(&command);
        assert_eq!(run.status, 0, "{command}\n{}", run.stderr);
        let lines: Vec<&str> = run.stdout.lines().collect();
        assert!(all_fit(&shown, &lines), "{command}\nprints\n{}", run.stdout);
    }
}

#[test]
#[ignore = "long"]
fn every_example_of_the_document_runs() {
    let document = document("MATCHES.md");
    let place = Playground::new();
    fs::copy(repository().join("docs/examples/engine.py"), place.path("engine.py")).unwrap();
    let (mut commands, mut files) = (0, 0);
    for block in document.split("\n```").skip(1).step_by(2) {
        let (kind, text) = block.split_once('\n').expect("a kind and lines");
        match kind.split_once(' ') {
            Some((_, file)) => {
                place.write(file, text);
                files += 1;
            }
            None if kind == "console" => {
                run_block(&place, text);
                commands += text.matches("$ ").count();
            }
            None => assert!(["json", "text"].contains(&kind), "{kind} is neither"),
        }
    }
    assert!(commands >= 5 && files >= 2, "{commands} commands and {files} files");
}

#[test]
fn shown_lines_stand_for_lines() {
    assert!(all_fit(&["a", "..", "c .."], &["a", "b", "b", "c d"]));
    assert!(all_fit(&[".."], &[]));
    assert!(!all_fit(&["a"], &["a", "b"]));
}
