//! Matches that are interrupted go on where they were.

use std::{
    fs::OpenOptions,
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, Command},
};

use super::playground::{LEVELS, Playground, SMALL, engine};

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
    std::fs::write(results, text.replace("\"game\":2", "\"game\":1")).unwrap();
    let damaged = place.run(&format!("{line} --resume"));
    assert!(damaged.stderr.contains("line 3: game 1 stands here twice"), "{}", damaged.stderr);
}
