//! What our documents name between backquotes is there: paths, files, and items of the sources. So
//! is the file or folder that a link leads to.

use std::collections::HashSet;

use super::sources::{SKIPPED, Sources, at, ends_with};

/// What is not ours: examples of names, and programs and functions of others.
const NOT_OURS: [&str; 15] = [
    "adamas/2",
    "adamas/3",
    "hexma/2",
    "5s/move",
    "games/game-000001.jsonl",
    "games/game-000001.txt",
    "bot.py",
    "bot.mjs",
    "verify.py",
    "NxM",
    "OxP",
    "malloc_info",
    "pg_basebackup",
    "ssl_key_file",
    "process_cpu_seconds_total",
];

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
                let is_there = NOT_OURS.contains(&name)
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

/// The path that a link in a document leads to.
fn joined(document: &str, target: &str) -> String {
    let mut parts: Vec<&str> = document.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
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
    let is_skipped = name.split('/').any(|part| SKIPPED.contains(&part));
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

#[test]
fn names_of_what_is_not_there_are_found() {
    let text = "`a/b.rs`, `a/`, `b.rs`, `a/NAME/`, `a/d`, `Known::act_lost()`, `application` and\n\
        `a/c.rs`, `a/e/`, `x.rs`, `Known::gone`, `Unknown_`, `snakeCase`\n```\n`a/f.rs`\n```\n";
    let files = [
        ("README.md", text),
        ("a/b.rs", "enum Known { ActLost }"),
        ("a/src/d.rs", ""),
        (HISTORY, "`a/c.rs`"),
    ];
    let missing = ["a/c.rs", "a/e/", "x.rs", "Known::gone", "Unknown_", "snakeCase"];
    let wanted = missing.map(|name| format!("README.md:2: there is no `{name}`"));
    assert_eq!(super::sources::tests::found(names, &files), wanted);
}

#[test]
fn links_that_lead_nowhere_are_found() {
    let text =
        "[a](../b.md#part) [b](c/) [c](#here) [d](https://e) [e](c)\n[f](gone.md#a) [g](../c)\n";
    let files = [("a/README.md", text), ("b.md", ""), ("a/c/d.rs", "")];
    let wanted =
        ["gone.md", "../c"].map(|to| format!("a/README.md:2: the link leads nowhere: {to}"));
    assert_eq!(super::sources::tests::found(links, &files), wanted);
}
