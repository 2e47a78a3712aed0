//! Schedules, results and reports.

use serde_json::{Value, json};

use super::playground::{LEVELS, Playground, SMALL, engine, without_usage};

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
        place.play(&format!(
            "{} {} --nodes 1 --games 200 --sprt elo0=0,elo1=200 --out {folder} {how}",
            engine("ok"),
            engine("resign")
        ))
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
