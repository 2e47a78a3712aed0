//! `adamant puzzles`: the page's puzzles are proved, and mined ones pass the same check.

use crate::adamant;

/// The puzzles of the page.
const PUZZLES: &str = include_str!("../../../web/src/learn/puzzles.json");

#[test]
fn every_puzzle_of_the_page_has_exactly_one_solution() {
    let run = adamant(&["puzzles", "check", "--json"], PUZZLES.as_bytes());
    assert_eq!((run.stderr.as_str(), run.status), ("", 0), "{}", run.stdout);
    let puzzles: Vec<serde_json::Value> = serde_json::from_str(PUZZLES).unwrap();
    assert_eq!(run.stdout, format!("{{\"ok\":true,\"puzzles\":{}}}\n", puzzles.len()));
}

#[test]
fn a_wrong_puzzle_is_named() {
    let puzzles: Vec<serde_json::Value> = serde_json::from_str(PUZZLES).unwrap();
    let mut wrong = puzzles[0].clone();
    wrong["solution"][0] = wrong["moves"][0].clone();
    let run = adamant(&["puzzles", "check"], wrong.to_string().as_bytes());
    assert_eq!(run.status, 1);
    let id = puzzles[0]["id"].as_str().unwrap();
    assert!(run.stderr.starts_with(&format!("adamant: {id}: the search finds ")), "{}", run.stderr);
}

#[test]
fn a_file_of_other_things_is_refused() {
    let run = adamant(&["puzzles", "check"], b"[{\"id\":\"x\"}]");
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("missing field"), "{}", run.stderr);
}

#[test]
fn puzzles_are_mined_from_a_record() {
    let record = b"diam challenge ann bob\nA1\nX2\nB1\nX5\nA3\n";
    let mined = adamant(&["puzzles", "mine", "-", "--json"], record);
    assert_eq!(mined.status, 0);
    let lines: Vec<serde_json::Value> =
        mined.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let won = lines.iter().find(|puzzle| puzzle["moves"].as_array().unwrap().len() == 4).unwrap();
    assert_eq!(won["solution"], serde_json::json!(["B5"]));
    assert_eq!((won["goal"].as_str(), won["plies"].as_u64()), (Some("win"), Some(1)));
    let checked = adamant(&["puzzles", "check"], mined.stdout.as_bytes());
    assert_eq!(checked.status, 0, "{}", checked.stderr);
}

#[test]
fn bots_play_the_same_games_for_the_same_seed() {
    let mine = |seed: &str| {
        let args = ["puzzles", "mine", "-", "--json", "--play", "2", "--seed", seed];
        adamant(&args, b"diam challenge ann bob\n")
    };
    let found = mine("4");
    assert_eq!((&found, found.status), (&mine("4"), 0));
}
