//! The house's rules about who may use whom, read off the source tree. What a lint can hold is
//! held by lints; here is the rest.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use adamant_rules::Kind;

use crate::harness::repository;

/// Which of our crates each crate may use.
const CRATES: [(&str, &[&str]); 7] = [
    ("rules", &[]),
    ("protocol", &[]),
    ("client", &["protocol"]),
    ("bot", &["rules"]),
    ("record", &["rules", "protocol"]),
    ("server", &["rules", "protocol", "record", "bot"]),
    ("client-cli", &["client", "protocol", "rules", "record", "bot"]),
];

/// The server's floors, from the top. A module may use those below it, and those beside it as long
/// as there is no circle.
const FLOORS: [&[&str]; 8] = [
    &["simulation", "bench_api"],
    &["app", "maintenance"],
    &["http", "house"],
    &["session"],
    &["queries", "lobby", "live", "talk"],
    &["room", "accounts"],
    &["store", "signing", "config", "error", "quotas", "outbound", "runtime"],
    &["address", "rate_limiter", "ratings", "text_cache", "fair_queue", "limits"],
];

/// Words that only one place in the server may know.
const RESERVED: [(&str, &[&str]); 10] = [
    ("rusqlite", &["store/sqlite/"]),
    ("SELECT ", &["store/sqlite/"]),
    ("INSERT ", &["store/sqlite/"]),
    ("PRAGMA", &["store/sqlite/"]),
    ("env::", &["config/"]),
    ("tokio::signal", &["runtime/shutdown.rs"]),
    ("SystemTime", &["runtime/time.rs"]),
    // A house player sits at the other end of a session's pipe, as any client does.
    ("SinkExt", &["session/reader.rs", "house/mod.rs"]),
    ("try_write", &["outbound/queue.rs"]),
    ("write_all(", &["runtime/files.rs"]),
];

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The sources below a directory of the workspace: their paths inside it and what the compiler
/// sees of them outside of tests.
fn code(directory: &str) -> Vec<(String, String)> {
    let root = repository().join(directory);
    let mut paths = Vec::new();
    sources(&root, &mut paths);
    paths.sort();
    assert!(!paths.is_empty(), "there are no sources in {directory}");
    let name = |path: &Path| path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
    paths
        .iter()
        .filter(|path| !path.ends_with("tests.rs"))
        .map(|path| (name(path), without_comments_and_tests(&fs::read_to_string(path).unwrap())))
        .collect()
}

fn without_comments_and_tests(text: &str) -> String {
    let code = text.split_once("#[cfg(test)]\nmod tests {").map_or(text, |(code, _)| code);
    code.lines()
        .map(|line| line.split_once("//").map_or(line, |(code, _)| code))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The names in a manifest's `[dependencies]`.
fn dependencies(package: &str) -> BTreeSet<String> {
    let manifest = fs::read_to_string(repository().join(package).join("Cargo.toml")).unwrap();
    manifest
        .lines()
        .skip_while(|line| *line != "[dependencies]")
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|name| !name.is_empty() && !name.starts_with('#'))
        .map(str::to_owned)
        .collect()
}

#[test]
fn crates_use_only_those_they_may() {
    for (package, may) in CRATES {
        let ours: Vec<String> = dependencies(package)
            .iter()
            .filter_map(|name| name.strip_prefix("adamant-").map(str::to_owned))
            .collect();
        for used in ours {
            assert!(may.contains(&used.as_str()), "{package} may not use {used}");
        }
    }
}

#[test]
fn the_rules_are_pure() {
    for name in dependencies("rules") {
        assert!(["arrayvec", "thiserror"].contains(&name.as_str()), "rules may not use {name}");
    }
    let impure =
        ["async ", ".await", "std::time", "Instant", "std::fs", "std::net", "std::env", "rand::"];
    for (path, code) in code("rules/src") {
        for word in impure {
            assert!(!code.contains(word), "rules/src/{path} says {word:?}");
        }
    }
}

/// Crates that must not know one game from another.
const GAMELESS: [&str; 7] = [
    "protocol/src",
    "record/src",
    "bot/src",
    "client/src",
    "client-cli/src",
    "server/src",
    "fuzz/src",
];

/// Sources that are tests, or whose examples for people name games.
const MAY_NAME_GAMES: [&str; 4] = ["play/fixture.rs", "/tests/", "/tests.rs", "args/"];

#[test]
fn a_game_is_known_by_name_to_the_rules_alone() {
    for directory in GAMELESS {
        for (path, code) in code(directory) {
            let words: BTreeSet<String> = code
                .split(|c: char| !c.is_ascii_alphanumeric())
                .map(str::to_ascii_lowercase)
                .collect();
            let may = MAY_NAME_GAMES.iter().any(|part| path.contains(part));
            for kind in Kind::ALL {
                assert!(may || !words.contains(kind.name()), "{directory}/{path} names {kind:?}");
            }
        }
    }
    // In the rules, a game is known to itself and to the list of games.
    for (path, code) in code("rules/src") {
        for kind in Kind::ALL {
            let at_home = path.starts_with(&format!("games/{}", kind.name()));
            let is_list = ["games/mod.rs", "games/kind.rs"].contains(&path.as_str());
            let names = code.to_ascii_lowercase().contains(kind.name());
            assert!(at_home || is_list || !names, "rules/src/{path} names {kind:?}");
        }
    }
}

#[test]
fn the_protocol_knows_no_runtime() {
    for name in ["tokio", "tokio-tungstenite", "futures", "rand"] {
        assert!(!dependencies("protocol").contains(name), "protocol may not use {name}");
    }
}

#[test]
fn each_secret_of_the_server_has_one_home() {
    let sources = code("server/src");
    for (word, homes) in RESERVED {
        for (path, code) in &sources {
            let at_home = homes.iter().any(|home| path.starts_with(home));
            assert!(at_home || !code.contains(word), "server/src/{path} says {word:?}");
        }
    }
}

/// The server's modules with the modules that each uses.
fn arrows() -> BTreeMap<String, BTreeSet<String>> {
    let mut arrows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, code) in code("server/src") {
        let module = path.split(['/', '.']).next().unwrap().to_owned();
        if ["lib", "main"].contains(&module.as_str()) {
            continue;
        }
        if !path.contains('/') {
            assert!(!code.contains("super::"), "server/src/{path} names others by crate::");
        }
        let uses = arrows.entry(module.clone()).or_default();
        uses.extend(code.split("crate::").skip(1).flat_map(modules_named));
        uses.remove(&module);
    }
    arrows
}

/// The modules that are named right after `crate::`: one, or those of a list in braces.
fn modules_named(rest: &str) -> Vec<String> {
    let word = |text: &str| {
        let text = text.trim_start();
        text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("").to_owned()
    };
    let Some(list) = rest.strip_prefix('{') else { return vec![word(rest)] };
    let mut depth = 0;
    let mut named = vec![word(list)];
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => named.push(word(&list[at + 1..])),
            _ => {}
        }
    }
    named.retain(|name| !name.is_empty());
    named
}

fn floor_of(module: &str) -> usize {
    FLOORS
        .iter()
        .position(|floor| floor.contains(&module))
        .unwrap_or_else(|| panic!("server module {module} has no floor"))
}

#[test]
fn inside_the_server_arrows_go_down() {
    let arrows = arrows();
    for (module, uses) in &arrows {
        for used in uses {
            assert!(floor_of(module) <= floor_of(used), "{module} may not use {used} above it");
        }
    }
    assert!(arrows["session"].contains("room"), "the arrows are read: {arrows:?}");
}

#[test]
fn inside_the_server_there_is_no_circle() {
    let mut arrows = arrows();
    while !arrows.is_empty() {
        let bottom: Vec<String> = arrows
            .iter()
            .filter(|(_, uses)| uses.is_empty())
            .map(|(module, _)| module.clone())
            .collect();
        assert!(!bottom.is_empty(), "these modules use each other in a circle: {arrows:?}");
        arrows.retain(|module, _| !bottom.contains(module));
        for uses in arrows.values_mut() {
            uses.retain(|module| !bottom.contains(module));
        }
    }
}

/// Without it a change of the reading above could make everything pass.
#[test]
fn lists_of_modules_are_read() {
    let list = "{\n    accounts::{A, B},\n    error::Denial,\n    limits::{X, Y::{Z, W}},\n    outbox,\n};";
    assert_eq!(modules_named(list), ["accounts", "error", "limits", "outbox"]);
    assert_eq!(modules_named("session::Services;"), ["session"]);
    let text = "use a;\n// crate::b\n#[cfg(test)]\nmod tests {\n use crate::c;\n}\n";
    assert!(!without_comments_and_tests(text).contains("crate::"));
}
