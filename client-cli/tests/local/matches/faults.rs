//! Engines that fail lose the game, and the match goes on.

use serde_json::{Value, json};

use super::playground::{Playground, engine};

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
