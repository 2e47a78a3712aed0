//! A game is known by name to the rules alone, and there to itself and to the list of games.

use std::collections::BTreeSet;

use super::{sources::Sources, violation::Violation};

const CHECK: &str = "names";

/// The games.
const GAMES: [&str; 4] = ["adamas", "hexma", "stymie", "diam"];

/// Sources that must not know one game from another.
const GAMELESS: [&str; 9] = [
    "protocol/src/",
    "record/src/",
    "bot/src/",
    "engine/src/",
    "tournament/src/",
    "client/src/",
    "client-cli/src/",
    "server/src/",
    "fuzz/src/",
];

/// Sources that are tests, or whose examples for people name games.
const MAY_NAME_GAMES: [&str; 4] = ["/play/fixture.rs", "/tests/", "/tests.rs", "/args/"];

/// Files of the rules that list the games.
const LISTS: [&str; 3] =
    ["rules/src/games/mod.rs", "rules/src/games/kind.rs", "rules/src/games/violation.rs"];

/// Finds games that are named where none should be.
pub(crate) fn check(sources: &Sources) -> Vec<Violation> {
    let mut found = Vec::new();
    for (path, rust) in sources.rust() {
        let named: BTreeSet<&str> = if GAMELESS.iter().any(|folder| path.starts_with(folder)) {
            let code = rust.code().to_ascii_lowercase();
            let words: BTreeSet<&str> = code.split(|c: char| !c.is_ascii_alphanumeric()).collect();
            GAMES.into_iter().filter(|game| words.contains(game)).collect()
        } else if path.starts_with("rules/src/") && !LISTS.contains(&path) {
            let code = rust.code().to_ascii_lowercase();
            GAMES.into_iter().filter(|game| code.contains(game)).collect()
        } else {
            continue;
        };
        for game in named {
            let may = MAY_NAME_GAMES.iter().any(|part| path.contains(part))
                || path.starts_with(&format!("rules/src/games/{game}"));
            if !may {
                found.push(Violation::new(CHECK, path, 0, format!("names the game {game}")));
            }
        }
    }
    found
}
