//! What only some places may say or use: words, games, crates, packages.

use super::sources::{Sources, at};

/// Words with the places, below `server/src`, that may say them.
const RESERVED: [(&str, &[&str]); 13] = [
    ("rusqlite", &["store/sqlite/", "store/sql.rs", "store/store.rs"]),
    ("tokio_postgres", &["store/postgres/", "store/sql.rs"]),
    ("SELECT ", &["store/"]),
    ("INSERT ", &["store/"]),
    ("PRAGMA", &["store/sqlite/"]),
    ("env::", &["config/"]),
    ("tokio::signal", &["runtime/shutdown.rs"]),
    ("SystemTime", &["runtime/time.rs"]),
    ("rand::rng", &["runtime/entropy.rs"]),
    ("spawn_blocking", &["runtime/work_pool.rs"]),
    // A server bot is the client at the other end of a pipe to its session.
    ("SinkExt", &["session/reader.rs", "house/bot_session.rs"]),
    ("try_write", &["outbound/queue.rs"]),
    ("write_all(", &["runtime/files.rs"]),
];

/// Finds words of the server outside of their homes, and homes that are not there.
pub(super) fn reserved(sources: &Sources) -> Vec<String> {
    let mut found = Vec::new();
    for (word, homes) in RESERVED {
        for (path, _) in sources.rust("server/src/").filter(|(_, rust)| rust.code.contains(word)) {
            if !homes.iter().any(|home| path["server/src/".len()..].starts_with(home)) {
                found.push(at(path, 0, &format!("may not say {word:?}")));
            }
        }
        for home in homes.iter().map(|home| format!("server/src/{home}")) {
            if !sources.rust.keys().any(|path| path.starts_with(&home)) {
                found.push(at(&home, 0, &format!("is not there, where {word:?} belongs")));
            }
        }
    }
    found
}

/// Sources that must not know one game from another.
const GAMELESS: [&str; 8] =
    ["protocol", "record", "engine", "client", "client-cli", "chaos", "server", "fuzz"];

/// Sources whose examples for people name games, searches made for one game, and files of the rules
/// that list them.
const MAY_NAME_GAMES: [&str; 7] = [
    "/play/fixture.rs",
    "/args/",
    "/args.rs",
    "engine/src/search/",
    "/games/mod.rs",
    "/games/kind.rs",
    "/games/violation.rs",
];

/// Finds games that are named where none should be: the rules alone know a game by name, and there
/// the game itself and the list of games.
pub(super) fn games(sources: &Sources) -> Vec<String> {
    let mut found = Vec::new();
    let (gameless, rules) =
        (GAMELESS.map(|folder| format!("{folder}/src/")), "rules/src/".to_owned());
    for folder in gameless.iter().chain([&rules]) {
        for (path, rust) in sources.rust(folder) {
            let code = rust.code.to_ascii_lowercase();
            let words = code.split(|c: char| !c.is_ascii_alphanumeric());
            for game in ["adamas", "hexma", "stymie", "diam"] {
                let is_rules = *folder == rules;
                let is_named = if is_rules {
                    code.contains(game)
                } else {
                    words.clone().any(|word| word == game)
                };
                let may = MAY_NAME_GAMES.iter().any(|part| path.contains(part))
                    || path.starts_with(&format!("rules/src/games/{game}"));
                if is_named && !may {
                    found.push(at(path, 0, &format!("names the game {game}")));
                }
            }
        }
    }
    found
}

/// Finds each `select!` that is not biased: without `biased` a draw picks the branch, and neither a
/// simulation nor a seed of the chaos mode repeats.
pub(super) fn selects(sources: &Sources) -> Vec<String> {
    let files = sources.rust("server/src/").chain(sources.rust("chaos/src/"));
    let is_unbiased =
        |code: &str| code.split("select!").skip(1).any(|rest| !rest[1..].starts_with("biased"));
    let unbiased = files.filter(|(_, rust)| is_unbiased(&rust.code));
    unbiased.map(|(path, _)| at(path, 0, "has a `select!` without `biased`")).collect()
}

/// Commands that no change waits for, and the packing of crates, which builds nothing here.
const MAY_NAME_PACKAGES: [&str; 5] = ["campaigns", "cluster", "crates", "release", "strength"];

/// Finds commands for single packages among those that run for every change. cargo joins the
/// features of crates over the packages that a command names, so such a command builds anew what
/// `cargo test --workspace` has built.
pub(super) fn feature_sets(sources: &Sources) -> Vec<String> {
    let may = MAY_NAME_PACKAGES.map(|name| format!("xtask/src/commands/{name}.rs"));
    let mut found = Vec::new();
    for (path, rust) in
        sources.rust("xtask/src/").filter(|(path, _)| !may.iter().any(|may| may == path))
    {
        let tokens = rust.tokens.iter();
        let options = tokens.filter(|token| ["\"-p\"", "\"--package\""].contains(&&*token.text));
        found.extend(options.map(|token| at(path, token.line, "names a package: --workspace")));
    }
    found
}

/// The crates that other projects use; the others are published nowhere.
const PUBLISHED: [&str; 4] = ["rules", "protocol", "record", "client"];

/// What `rules` may use of others, and what `protocol` must not use.
const PURE: [&str; 2] = ["arrayvec", "thiserror"];
const RUNTIMES: [&str; 4] = ["tokio", "tokio-tungstenite", "futures", "rand"];

/// What `rules` does not say: words, and paths.
const IMPURE: [&str; 9] = [
    "async",
    "await",
    "Instant",
    "serde",
    "std::time",
    "std::fs",
    "std::net",
    "std::env",
    "rand::",
];

/// Finds dependencies that ARCHITECTURE.md does not list, outside of tests, and what the pure
/// crates must do without.
pub(super) fn manifests(sources: &Sources) -> Vec<String> {
    let mut found = Vec::new();
    // The table of the crates: name, what it is, which of our crates it may use.
    let rows = sources.text("ARCHITECTURE.md").lines().filter_map(|line| line.strip_prefix("| `"));
    let listed: Vec<(&str, &str)> = rows
        .filter_map(|row| Some((row.split_once('`')?.0, row.rsplit('|').nth(1)?.trim())))
        .collect();
    // The fuzzers are a workspace of their own.
    for (path, text) in
        sources.texts("/Cargo.toml").filter(|(path, _)| !path.contains("cargo-fuzz"))
    {
        let package = path.trim_end_matches("/Cargo.toml");
        let is_published = PUBLISHED.contains(&package);
        let publish = if is_published { "publish = true" } else { "publish.workspace = true" };
        if !text.lines().any(|line| line == publish) {
            found.push(at(path, 0, &format!("does not say {publish:?}")));
        }
        let Some((_, may)) = listed.iter().find(|(name, _)| *name == package) else {
            found.push(at(path, 0, "is not in the table of ARCHITECTURE.md"));
            continue;
        };
        let section = text.lines().skip_while(|line| *line != "[dependencies]").skip(1);
        let lines = section.take_while(|line| !line.starts_with('['));
        for name in lines.filter_map(|line| line.split(['.', ' ', '=', '#']).next()) {
            let is_wrong = match name.strip_prefix("adamant-") {
                Some(one) => {
                    !(*may == "all" || may.split(", ").any(|may| may == one))
                        || (is_published && !PUBLISHED.contains(&one))
                }
                None if package == "rules" => !name.is_empty() && !PURE.contains(&name),
                None => package == "protocol" && RUNTIMES.contains(&name),
            };
            if is_wrong {
                found.push(at(path, 0, &format!("{package} may not use {name}")));
            }
        }
    }
    for (path, rust) in sources.rust("rules/src/") {
        let says = |word: &str| rust.tokens.iter().any(|token| token.text == word);
        for word in IMPURE
            .iter()
            .filter(|word| says(word) || (word.contains(':') && rust.code.contains(*word)))
        {
            found.push(at(path, 0, &format!("rules may not say {word:?}")));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{super::sources::tests::found, *};

    #[test]
    fn words_and_games_outside_of_their_homes_are_found() {
        let text = "fn f() { g(\"SELECT 1\") } // rusqlite\n";
        let files = [("server/src/store/a.rs", text), ("server/src/room/a.rs", text)];
        assert_eq!(found(reserved, &files), ["server/src/room/a.rs: may not say \"SELECT \""]);
        let mut sources = Sources::default();
        sources.add("server/src/lib.rs", String::new()).unwrap();
        assert!(reserved(&sources)[0].contains("is not there"));
        let files = [
            ("server/src/a.rs", "const A: &str = \"hexma@1\";"),
            ("server/src/a/tests.rs", "const A: &str = \"hexma\";"),
            ("rules/src/table.rs", "fn f(_: DiamBoard) {}"),
            ("rules/src/games/diam/board.rs", "struct DiamBoard;"),
        ];
        let wanted =
            ["server/src/a.rs: names the game hexma", "rules/src/table.rs: names the game diam"];
        assert_eq!(found(games, &files), wanted);
    }

    #[test]
    fn an_unbiased_select_and_a_command_for_a_package_are_found() {
        let files = [
            ("server/src/a.rs", "fn f() { tokio::select! { biased; () = a => {} } }"),
            ("server/src/b.rs", "fn f() { tokio::select! { () = a => {} } }"),
        ];
        assert_eq!(found(selects, &files), ["server/src/b.rs: has a `select!` without `biased`"]);
        let text = "fn f() {\n    run(&[\"build\", \"-p\", \"adamant-server\"])\n}";
        let files = [("xtask/src/commands/test.rs", text), ("xtask/src/commands/cluster.rs", text)];
        let wanted = ["xtask/src/commands/test.rs:2: names a package: --workspace"];
        assert_eq!(found(feature_sets, &files), wanted);
    }

    #[test]
    fn dependencies_that_may_not_be_are_found() {
        let manifest = |name: &str, publish: &str| {
            format!(
                "[package]\n{publish}\n\n[dependencies]\n# Why.\n{name}.workspace = true\n\n[dev-dependencies]\nadamant-server = \"1\"\n"
            )
        };
        let rules = manifest("rand", "publish = true");
        let client = manifest("adamant-server", "publish.workspace = true");
        let files = [
            ("ARCHITECTURE.md", "| `rules` | a | - |\n| `client` | a | protocol, rules |\n"),
            ("rules/Cargo.toml", &*rules),
            ("client/Cargo.toml", &*client),
            ("rules/src/a.rs", "async fn f() { std::fs::read(\"asynchronous\") }"),
        ];
        let wanted = [
            "client/Cargo.toml: does not say \"publish = true\"",
            "client/Cargo.toml: client may not use adamant-server",
            "rules/Cargo.toml: rules may not use rand",
            "rules/src/a.rs: rules may not say \"async\"",
            "rules/src/a.rs: rules may not say \"std::fs\"",
        ];
        assert_eq!(found(manifests, &files), wanted);
    }
}
