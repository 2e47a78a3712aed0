//! The operator's tables: docs/operate/reference.md has each message of the log exactly once, with
//! its level, and each metric exactly once.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    rust::{Rust, Token, after_group, is},
    sources::{Sources, at},
};

const DOCUMENT: &str = "docs/operate/reference.md";

/// Prefixes of metrics, by the registries that they come from.
const PREFIXES: [&str; 2] = ["adamant_", "process_"];

/// Suffixes that a metric's name may have beyond its registered name.
const ENDINGS: [&str; 6] = ["", "_total", "_info", "_seconds", "_seconds_total", "_bytes"];

/// Finds messages and metrics that only the code or only the document has.
pub(super) fn check(sources: &Sources) -> Vec<String> {
    let document = sources.text(DOCUMENT);
    let mut found = Vec::new();
    let documented = rows(document, "line", &mut found);
    lines(sources, &documented, &mut found);
    let documented = rows(document, "metric", &mut found);
    metrics(sources, &documented, &mut found);
    found
}

/// The code in the first cell and the text of the second cell of each row, from the tables whose
/// first column has this title.
fn rows(document: &str, title: &str, found: &mut Vec<String>) -> BTreeMap<String, String> {
    let mut rows = BTreeMap::new();
    let mut is_in = false;
    for (number, line) in (1..).zip(document.lines()) {
        let Some(row) = line.strip_prefix('|') else {
            is_in = false;
            continue;
        };
        let mut cells = row.split('|').map(str::trim);
        let (first, second) = (cells.next().unwrap_or_default(), cells.next().unwrap_or_default());
        for name in first.split('`').skip(1).step_by(2).filter(|_| is_in) {
            if rows.insert(name.to_owned(), second.to_owned()).is_some() {
                found.push(at(DOCUMENT, number, &format!("{name:?} has several rows")));
            }
        }
        is_in |= first == title;
    }
    rows
}

fn lines(sources: &Sources, documented: &BTreeMap<String, String>, found: &mut Vec<String>) {
    let mut logged = BTreeSet::new();
    for (path, rust) in sources.rust("server/src/") {
        for (level, message, line) in messages(rust) {
            let wrong = match documented.get(&message) {
                _ if message.contains('{') => "varies: put what varies into fields",
                None => "is not in docs/operate/reference.md",
                Some(known) if *known != level => "has another level in docs/operate/reference.md",
                Some(_) => "",
            };
            if !wrong.is_empty() {
                found.push(at(path, line, &format!("the message {message:?} ({level}) {wrong}")));
            }
            logged.insert(message);
        }
    }
    for message in documented.keys().filter(|message| !logged.contains(*message)) {
        found.push(at(DOCUMENT, 0, &format!("no code logs {message:?}")));
    }
}

/// The messages that a file logs for operators, with their levels and lines.
fn messages(rust: &Rust) -> Vec<(String, String, usize)> {
    let mut found = Vec::new();
    let tokens = &rust.tokens;
    for (at, level) in tokens.iter().enumerate() {
        let is_log = ["info", "warn", "error"].contains(&&*level.text);
        if is_log && is(tokens, at + 1, "!") && is(tokens, at + 2, "(") {
            let message = message(&tokens[at + 3..after_group(tokens, at + 2) - 1]);
            let value = |text: &str| syn::parse_str::<syn::LitStr>(text).map(|text| text.value());
            found.extend(message.and_then(|message| {
                Some((level.text.clone(), value(&message.text).ok()?, message.line))
            }));
        }
    }
    found
}

/// The first argument that is a text alone: the message, or the format before its arguments.
fn message(arguments: &[Token]) -> Option<&Token> {
    let mut at = 0;
    while at < arguments.len() {
        let begins = at == 0 || is(arguments, at - 1, ",");
        let ends = at + 1 == arguments.len() || is(arguments, at + 1, ",");
        if begins && ends && arguments[at].is_text() {
            return Some(&arguments[at]);
        }
        let is_group = ["(", "[", "{"].contains(&&*arguments[at].text);
        at = if is_group { after_group(arguments, at) } else { at + 1 };
    }
    None
}

fn metrics(sources: &Sources, documented: &BTreeMap<String, String>, found: &mut Vec<String>) {
    let registered = registered(sources);
    let is_same = |documented: &str, registered: &str| {
        let plain = PREFIXES.iter().find_map(|prefix| documented.strip_prefix(prefix));
        let ending = plain.unwrap_or(documented).strip_prefix(registered);
        ending.is_some_and(|ending| ENDINGS.contains(&ending))
    };
    for (name, (path, line)) in &registered {
        if !documented.keys().any(|documented| is_same(documented, name)) {
            found.push(at(path, *line, &format!("the metric {name:?} is not in {DOCUMENT}")));
        }
    }
    for documented in documented.keys() {
        if !registered.keys().any(|name| is_same(documented, name)) {
            found.push(at(DOCUMENT, 0, &format!("no code registers {documented:?}")));
        }
    }
}

/// The registered names with their places: the first argument of each call, in files that fill a
/// registry, if it is a plain name.
fn registered(sources: &Sources) -> BTreeMap<String, (&str, usize)> {
    let mut found = BTreeMap::new();
    let files = sources.rust("server/src/");
    for (path, rust) in files.filter(|(_, rust)| rust.code.contains("Registry::")) {
        for call in rust.tokens.windows(4) {
            let name = call[2].text.trim_matches('"');
            let is_name = name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
            let is_first = call[0].is_word() && call[1].text == "(" && call[3].text == ",";
            if call[2].is_text() && is_name && is_first {
                found.entry(name.to_owned()).or_insert((path, call[2].line));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{super::sources::tests::found, *};

    #[test]
    fn messages_are_read_behind_their_fields() {
        let text = "fn f() { tracing::info!(game = %g.f(\"a\"), %error, \"one\"); warn!(\"two \\\n  lines\"); error!(\"{x} {}\", y); info!(why = \"field\", \"three\"); }";
        let rust = Rust::read(text).unwrap();
        let messages =
            messages(&rust).into_iter().map(|(level, text, _)| format!("{level} {text}"));
        let wanted = ["info one", "warn two lines", "error {x} {}", "info three"];
        assert!(messages.eq(wanted));
    }

    #[test]
    fn what_only_the_code_or_only_the_document_has_is_found() {
        let code = "fn f() { info!(\"known\"); warn!(\"raised\"); error!(\"new {x}\"); error!(\"new\"); }\n\
            fn g(to: &mut Registry) { Registry::x(to); add(\"games\", 1); add(\"users\", 1); }";
        let document = "| line | level |\n|---|---|\n| `known`, `raised` | info |\n| `old` | warn |\n\n\
            | other | |\n| `known` | |\n\n\
            | metric | |\n|---|---|\n| `adamant_games_total` | |\n| `process_old` | |\n| `process_old` | |\n";
        let wanted = [
            "server/src/a.rs:1: the message \"raised\" (warn) has another level in docs/operate/reference.md",
            "server/src/a.rs:1: the message \"new {x}\" (error) varies: put what varies into fields",
            "server/src/a.rs:1: the message \"new\" (error) is not in docs/operate/reference.md",
            "docs/operate/reference.md: no code logs \"old\"",
            "docs/operate/reference.md:13: \"process_old\" has several rows",
            "server/src/a.rs:2: the metric \"users\" is not in docs/operate/reference.md",
            "docs/operate/reference.md: no code registers \"process_old\"",
        ];
        assert_eq!(found(check, &[("server/src/a.rs", code), (DOCUMENT, document)]), wanted);
    }
}
