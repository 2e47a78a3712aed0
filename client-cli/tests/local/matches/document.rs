//! Every example of docs/MATCHES.md: its files are written, its commands run, and what it shows is
//! what they print.

use std::fs;

use super::playground::Playground;
use crate::documents::{document, fits, repository};

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
