//! What only some places may say or use: words, games, crates, packages. And what our documents name
//! between backquotes is there: paths, files, and items of the sources, and what links lead to.

use std::collections::{BTreeMap, HashSet};

use super::sources::{SKIPPED, Sources, Token, at, ends_with, is_one_of, joined};

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
    ("SinkExt", &["session/reader.rs", "house/session.rs"]),
    ("try_write", &["outbound/queue.rs"]),
    ("write_all(", &["runtime/commands.rs", "runtime/files.rs", "store/sqlite/shipping/"]),
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

/// Tables that both databases have statements of their own for: those of the journal and its
/// outages, and two whose rows they count.
const IN_BOTH: &str = "journal games outages users admin_acts";

/// Finds areas whose statements are written once for each database.
pub(super) fn dialects(sources: &Sources) -> Vec<String> {
    let tables = |folder: &str| -> BTreeMap<&str, &str> {
        let files = sources.rust(folder).filter(|(path, _)| !path.contains("/tests"));
        let literals = files.flat_map(|(path, rust)| {
            let texts = rust.tokens.iter().filter(|token| token.text.starts_with('"'));
            texts.map(move |token| (path, token.text.as_str()))
        });
        literals.flat_map(|(path, text)| tables_in(text).map(move |table| (table, path))).collect()
    };
    let (embedded, shared) =
        (tables("server/src/store/sqlite/"), tables("server/src/store/postgres/"));
    let twice = embedded.iter().filter(|(table, _)| shared.contains_key(*table));
    let twice = twice.filter(|(table, _)| !is_one_of(IN_BOTH, table));
    twice.map(|(table, path)| at(path, 0, &format!("both databases write of {table}"))).collect()
}

/// The tables that a statement names, but for those that it has from elsewhere, as `{table}`.
fn tables_in(statement: &str) -> impl Iterator<Item = &str> {
    let mut words = statement.split(|c: char| !c.is_ascii_alphanumeric() && !"_{".contains(c));
    std::iter::from_fn(move || {
        words.find(|word| is_one_of("FROM JOIN INTO UPDATE", word))?;
        Some(words.find(|word| !word.is_empty()).unwrap_or_default())
    })
    .filter(|table| table.starts_with(|first: char| first.is_ascii_lowercase()))
}

/// Sources that must not know one game from another, and the rules, which know it in some files.
const GAMELESS: [&str; 9] =
    ["protocol", "record", "engine", "client", "client-cli", "chaos", "server", "fuzz", "rules"];

/// Sources whose examples for people name games, and files of the rules that list them.
const MAY_NAME_GAMES: &str =
    "/args.rs client-cli/src/cli.rs client-cli/src/spelling.rs /games/mod.rs /games/violation.rs";

/// Searches made for one game.
const SEARCHES: &str = "engine/src/search/";

/// Finds games that are named where none should be: the rules alone know a game by name, and there
/// the game itself and the list of games.
pub(super) fn games(sources: &Sources) -> Vec<String> {
    let mut found = Vec::new();
    for folder in GAMELESS {
        for (path, rust) in sources.rust(&format!("{folder}/src/")) {
            let code = rust.code.to_ascii_lowercase();
            let words = code.split(|c: char| !c.is_ascii_alphanumeric());
            for game in ["adamas", "hexma", "stymie", "diam"] {
                let is_named = code.contains(game)
                    && (folder == "rules" || words.clone().any(|word| word == game));
                let may = MAY_NAME_GAMES.split(' ').any(|end| path.ends_with(end))
                    || [SEARCHES, &format!("rules/src/games/{game}")]
                        .iter()
                        .any(|start| path.starts_with(start));
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
const MAY_NAME_PACKAGES: &str = "campaigns cluster crates release strength";

/// Finds commands for single packages among those that run for every change. cargo joins the
/// features of crates over the packages that a command names, so such a command builds again what
/// `cargo test --workspace` has built.
pub(super) fn feature_sets(sources: &Sources) -> Vec<String> {
    let mut found = Vec::new();
    for (path, rust) in sources.rust("xtask/src/") {
        let name = path.strip_prefix("xtask/src/commands/").unwrap_or(path);
        if !is_one_of(MAY_NAME_PACKAGES, name.trim_end_matches(".rs")) {
            let is_option = |token: &&Token| is_one_of("\"-p\" \"--package\"", &token.text);
            let options = rust.tokens.iter().filter(is_option);
            found.extend(options.map(|token| at(path, token.line, "names a package: --workspace")));
        }
    }
    found
}

/// The crates that other projects use; the others are published nowhere.
const PUBLISHED: &str = "rules protocol record client";

/// What `rules` may use of others, and what `protocol` must not use.
const PURE: &str = "arrayvec smallvec thiserror";
const RUNTIMES: &str = "tokio tokio-tungstenite futures rand";

/// What `rules` does not say: words, and paths.
const IMPURE: &str = "async await Instant serde std::time std::fs std::net std::env rand::";

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
        let is_published = is_one_of(PUBLISHED, package);
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
                        || (is_published && !is_one_of(PUBLISHED, one))
                }
                None if package == "rules" => !name.is_empty() && !is_one_of(PURE, name),
                None => package == "protocol" && is_one_of(RUNTIMES, name),
            };
            if is_wrong {
                found.push(at(path, 0, &format!("{package} may not use {name}")));
            }
        }
    }
    for (path, rust) in sources.rust("rules/src/") {
        let says = |word: &str| rust.tokens.iter().any(|token| token.text == word);
        let is_said = |word: &&str| says(word) || (word.contains(':') && rust.code.contains(word));
        for word in IMPURE.split(' ').filter(is_said) {
            found.push(at(path, 0, &format!("rules may not say {word:?}")));
        }
    }
    found
}

/// What is not ours: examples of names, and programs and functions of others.
const NOT_OURS: &str = "adamas/2 adamas/3 hexma/2 5s/move games/game-000001.jsonl \
    games/game-000001.txt bot.py bot.mjs verify.py NxM OxP malloc_info pg_basebackup ssl_key_file \
    process_cpu_seconds_total";

/// A document about what is past.
const HISTORY: &str = "CHANGELOG.md";

/// Finds names of paths and files, of which the end may suffice, and of items that are nowhere.
pub(super) fn names(sources: &Sources) -> Vec<String> {
    let paths: HashSet<&str> = sources.texts.keys().flat_map(|path| ends_of(path)).collect();
    let code = sources.texts("").filter(|(path, _)| !ends_with(path, ".md"));
    let words: HashSet<&str> = code
        .flat_map(|(_, text)| text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'))
        .collect();
    let words: HashSet<String> = words.into_iter().map(plain).collect();
    let mut found = Vec::new();
    for (document, text) in sources.texts(".md").filter(|(path, _)| *path != HISTORY) {
        let mut is_code = false;
        for (number, line) in (1..).zip(text.lines()) {
            is_code ^= line.trim_start().starts_with("```");
            for name in line.split('`').skip(1).step_by(2).filter(|_| !is_code) {
                let is_there = is_one_of(NOT_OURS, name)
                    || if is_path(name) {
                        let shown = name.trim_start_matches("./").trim_end_matches('/');
                        paths.contains(shown) || paths.contains(&*shown.replacen('/', "/src/", 1))
                    } else {
                        items(name).all(|item| words.contains(&plain(item)))
                    };
                if !is_there {
                    found.push(at(document, number, &format!("there is no `{name}`")));
                }
            }
        }
    }
    found
}

/// Finds links between our files that lead nowhere.
pub(super) fn links(sources: &Sources) -> Vec<String> {
    let mut found = Vec::new();
    for (document, text) in sources.texts(".md") {
        for (number, line) in (1..).zip(text.lines()) {
            let targets = line.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
            for target in targets.filter(|to| !to.is_empty() && !to.contains(':')) {
                let path = joined(document, target);
                let folder = format!("{path}/");
                if !sources.texts.keys().any(|file| *file == path || file.starts_with(&folder)) {
                    found.push(at(document, number, &format!("the link leads nowhere: {target}")));
                }
            }
        }
    }
    found
}

/// The ends of a path and of the folders on it, with and without the ending of the file.
fn ends_of(path: &str) -> impl Iterator<Item = &str> {
    let starts = [0].into_iter().chain(path.match_indices('/').map(|(at, _)| at + 1));
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    let stem = path.rfind('.').into_iter().filter(|at| !path[*at..].contains('/'));
    let ends: Vec<usize> = ends.chain(stem).collect();
    starts.flat_map(move |start| {
        let ends = ends.clone().into_iter().filter(move |end| *end > start);
        ends.map(move |end| &path[start..end])
    })
}

/// Whether a name is a path below our folders, or a file of a kind that we write.
fn is_path(name: &str) -> bool {
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
    let is_placeholder = name.split(['/', '.', '-']).any(|part| {
        part.len() > 1 && part != "README" && part.chars().all(|c| c.is_ascii_uppercase())
    });
    let is_skipped = name.split('/').any(|part| is_one_of(SKIPPED, part));
    let is_file =
        [".rs", ".js", ".mjs", ".ts", ".py", ".toml", ".yml"].iter().any(|end| name.ends_with(end));
    let is_inside = name.contains('/');
    is_plain
        && !is_placeholder
        && !is_skipped
        && (is_inside || is_file)
        && !name.starts_with(['.', '/'])
}

/// The items that a name consists of: `snake_case`, `CamelCase`, and both with `::` between them.
fn items(name: &str) -> impl Iterator<Item = &str> {
    let name = name.trim_end_matches("()");
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == ':');
    let parts: Vec<&str> = if is_plain { name.split("::").collect() } else { Vec::new() };
    let is_path = parts.len() > 1;
    parts.into_iter().filter(move |part| {
        let humps = part.as_bytes().windows(2);
        let is_camel =
            humps.into_iter().any(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase());
        // Metrics are joined from parts; `operations` looks for them.
        (is_path || is_camel || part.contains('_')) && !part.starts_with("adamant_")
    })
}

/// A name as it is compared: `act_lost` on the wire is `ActLost` in the code.
fn plain(name: &str) -> String {
    name.replace('_', "").to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::{super::sources::tests::found, *};

    #[test]
    fn names_of_what_is_not_there_are_found() {
        let files = "=== README.md
`a/b.rs`, `a/`, `b.rs`, `a/NAME/`, `a/d`, `Known::act_lost()`, `application` and
`a/c.rs`, `a/e/`, `x.rs`, `Known::gone`, `Unknown_`, `snakeCase`\n```\n`a/f.rs`\n```
=== a/b.rs\nenum Known { ActLost }
=== a/src/d.rs
=== CHANGELOG.md\n`a/c.rs`";
        let missing = ["a/c.rs", "a/e/", "x.rs", "Known::gone", "Unknown_", "snakeCase"];
        let wanted = missing.map(|name| format!("README.md:2: there is no `{name}`"));
        assert_eq!(found(names, files), wanted);
    }

    #[test]
    fn links_that_lead_nowhere_are_found() {
        let files = "=== a/README.md
[a](../b.md#part) [b](c/) [c](#here) [d](https://e) [e](c)\n[f](gone.md#a) [g](../c)
=== b.md
=== a/c/d.rs\n";
        let wanted =
            ["gone.md", "../c"].map(|to| format!("a/README.md:2: the link leads nowhere: {to}"));
        assert_eq!(found(links, files), wanted);
    }

    #[test]
    fn words_and_games_outside_of_their_homes_are_found() {
        let text = "fn f() { g(\"SELECT 1\") } // rusqlite";
        let files = format!("=== server/src/store/a.rs\n{text}\n=== server/src/room/a.rs\n{text}");
        assert_eq!(found(reserved, &files), ["server/src/room/a.rs: may not say \"SELECT \""]);
        let mut sources = Sources::default();
        sources.add("server/src/lib.rs", String::new()).unwrap();
        assert!(reserved(&sources)[0].contains("is not there"));
        let files = "=== server/src/a.rs\nconst A: &str = \"hexma@1\";
=== server/src/a/tests.rs\nconst A: &str = \"hexma\";
=== rules/src/table.rs\nfn f(_: DiamBoard) {}
=== rules/src/games/diam/board.rs\nstruct DiamBoard;";
        let wanted =
            ["server/src/a.rs: names the game hexma", "rules/src/table.rs: names the game diam"];
        assert_eq!(found(games, files), wanted);
    }

    #[test]
    fn an_area_with_statements_for_each_database_is_found() {
        let select = "fn f() { q(\"SELECT a FROM mutes\\n JOIN users\") }";
        let insert =
            "fn f() { q(\"INSERT INTO mutes (a) VALUES (1)\"); q(\"SELECT 1 FROM games\") }";
        let files = format!(
            "=== server/src/store/sqlite/a.rs\n{select}\n=== server/src/store/postgres/b.rs\n{insert}"
        );
        let wanted = ["server/src/store/sqlite/a.rs: both databases write of mutes"];
        assert_eq!(found(dialects, &files), wanted);
    }

    #[test]
    fn an_unbiased_select_and_a_command_for_a_package_are_found() {
        let files = "=== server/src/a.rs\nfn f() { tokio::select! { biased; () = a => {} } }
=== server/src/b.rs\nfn f() { tokio::select! { () = a => {} } }";
        assert_eq!(found(selects, files), ["server/src/b.rs: has a `select!` without `biased`"]);
        let text = "fn f() {\n    run(&[\"build\", \"-p\", \"adamant-server\"])\n}";
        let commands = ["test", "cluster"];
        let files = commands.map(|name| format!("=== xtask/src/commands/{name}.rs\n{text}\n"));
        let wanted = ["xtask/src/commands/test.rs:2: names a package: --workspace"];
        assert_eq!(found(feature_sets, &files.concat()), wanted);
    }

    #[test]
    fn dependencies_that_may_not_be_are_found() {
        let manifest = |path: &str, publish: &str, name: &str| {
            format!(
                "=== {path}/Cargo.toml\n[package]\n{publish}\n\n[dependencies]\n# Why.\n\
                 {name}.workspace = true\n\n[dev-dependencies]\nadamant-server = \"1\"\n"
            )
        };
        let files = [
            "=== ARCHITECTURE.md\n| `rules` | a | - |\n| `client` | a | protocol, rules |\n",
            &manifest("rules", "publish = true", "rand"),
            &manifest("client", "publish.workspace = true", "adamant-server"),
            "=== rules/src/a.rs\nasync fn f() { std::fs::read(\"asynchronous\") }",
        ];
        let wanted = [
            "client/Cargo.toml: does not say \"publish = true\"",
            "client/Cargo.toml: client may not use adamant-server",
            "rules/Cargo.toml: rules may not use rand",
            "rules/src/a.rs: rules may not say \"async\"",
            "rules/src/a.rs: rules may not say \"std::fs\"",
        ];
        assert_eq!(found(manifests, &files.concat()), wanted);
    }
}
