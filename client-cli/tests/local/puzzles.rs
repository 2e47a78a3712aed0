//! `adamant puzzles`: the puzzles of the page are proved, mined ones pass the same check, and they
//! can be played.

use serde_json::Value;

use crate::adamant;

/// Puzzles of the page.
const PUZZLES: &str = include_str!("../../../web/src/learn/puzzles/diam.jsonl");

fn puzzle(line: &str) -> Value {
    serde_json::from_str(line).expect("a puzzle is JSON")
}

#[test]
#[ignore = "long: proves every puzzle by trying all moves"]
fn every_puzzle_of_the_page_is_proven() {
    let run = adamant(&["puzzles", "check", "--all", "--json"], b"");
    assert_eq!((run.stderr.as_str(), run.status), ("", 0), "{}", run.stdout);
    let result = puzzle(&run.stdout);
    assert!(result["puzzles"].as_u64() > Some(1_000), "{result}");
}

#[test]
fn a_wrong_puzzle_is_named_by_its_line() {
    let (first, rest) = PUZZLES.split_once('\n').unwrap();
    let mut wrong = puzzle(first);
    wrong["choices"] = 1.into();
    let second = rest.lines().next().unwrap();
    let run = adamant(&["puzzles", "check"], format!("{second}\n{wrong}\n").as_bytes());
    assert_eq!(run.status, 1);
    assert!(run.stderr.starts_with("adamant: -:2: the number of choices is "), "{}", run.stderr);
    assert!(run.stderr.ends_with("1 of 2 puzzles are wrong.\n"), "{}", run.stderr);
}

#[test]
fn a_line_of_another_thing_is_wrong_and_so_is_no_line() {
    let run = adamant(&["puzzles", "check"], b"{\"id\":\"x\"}\n");
    assert_eq!(run.status, 1);
    assert!(run.stderr.contains("missing field"), "{}", run.stderr);
    assert_eq!(adamant(&["puzzles", "check"], b"").status, 1);
}

#[test]
fn puzzles_are_mined_from_a_record() {
    let record = b"diam challenge ann bob\nA1\nX2\nB1\nX5\nA3\n";
    let mined = adamant(&["puzzles", "mine", "--record", "-", "--json"], record);
    assert_eq!(mined.status, 0, "{}", mined.stderr);
    let won = puzzle(&mined.stdout);
    assert_eq!(
        (won["moves"].as_str(), won["solution"].as_str()),
        (Some("A1 X2 B1 X5"), Some("B5"))
    );
    assert_eq!((won["goal"].as_str(), won["plies"].as_u64()), (Some("win"), Some(1)));
    let checked = adamant(&["puzzles", "check"], mined.stdout.as_bytes());
    assert_eq!(checked.status, 0, "{}", checked.stderr);
}

#[test]
fn mining_goes_on_where_it_was_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("found.jsonl");
    let mine = |seed: &str| {
        let out = file.to_str().unwrap();
        let args = ["puzzles", "mine", "diam", "--count", "2", "--seed", seed, "--out", out];
        let run = adamant(&args, b"");
        assert_eq!((run.stderr.as_str(), run.status), ("2 puzzles found.\n", 0));
        std::fs::read_to_string(&file).unwrap()
    };
    let first = mine("4");
    std::fs::write(&file, format!("{first}{{\"id\":\"cut")).unwrap();
    let both = mine("4");
    assert!(both.starts_with(&first), "{both}");
    assert_eq!(both.lines().count(), 4, "{both}");
    let checked = adamant(&["puzzles", "check", file.to_str().unwrap()], b"");
    assert_eq!(checked.stdout, "All 4 puzzles are proven.\n", "{}", checked.stderr);

    // A last line that is whole is kept, and a file of something else is left alone.
    let none = ["puzzles", "mine", "diam", "--count", "0", "--out", file.to_str().unwrap()];
    for (text, status) in [(both.trim_end(), 0), ("{\"version\":1}", 1)] {
        std::fs::write(&file, text).unwrap();
        assert_eq!(adamant(&none, b"").status, status);
        assert_eq!(std::fs::read_to_string(&file).unwrap().trim_end(), text);
    }
}

#[test]
fn a_puzzle_is_solved_after_a_wrong_move_and_a_hint() {
    let mut puzzles: Vec<Value> = PUZZLES.lines().map(puzzle).collect();
    puzzles.sort_by_key(|puzzle| puzzle["grade"].as_u64());
    let number = puzzles.iter().position(|puzzle| puzzle["plies"] == 3).unwrap() + 1;
    let line = puzzles[number - 1]["solution"].as_str().unwrap();
    let [first, reply, last] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
    let typed = format!("nonsense\nhint\nhint\n{first}\n{last}\nquit\n");
    let args = ["puzzles", "play", "diam", "--from", &number.to_string()];
    let run = adamant(&args, typed.as_bytes());
    assert_eq!((run.stderr.as_str(), run.status), ("", 0));
    for said in [
        format!("Puzzle {number} of {}: diam", puzzles.len()),
        "win in 2 moves.".to_owned(),
        "Look at ".to_owned(),
        format!("Play {first}."),
        format!("Right! The other side plays {reply}."),
        "win with this move.".to_owned(),
        "Solved!".to_owned(),
        "1 solved.".to_owned(),
    ] {
        assert!(run.stdout.contains(&said), "{said}: {}", run.stdout);
    }
}
