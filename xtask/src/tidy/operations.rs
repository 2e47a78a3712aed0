//! The operator's tables: docs/operate/reference.md has each message of the log exactly once, with
//! its level, and each metric exactly once.

use std::collections::{BTreeMap, BTreeSet};

use super::{lexer::Kind, rust::Rust, sources::Sources, violation::Violation};

const DOCUMENT: &str = "docs/operate/reference.md";

const LINES: &str = "log lines";

const METRICS: &str = "metrics";

/// Prefixes of metrics, by the registries that they come from.
const PREFIXES: [&str; 2] = ["adamant_", "process_"];

/// Suffixes that a metric's name may have beyond its registered name.
const ENDINGS: [&str; 6] = ["", "_total", "_info", "_seconds", "_seconds_total", "_bytes"];

/// Finds messages and metrics that only the code or only the document has.
pub(crate) fn check(sources: &Sources) -> Vec<Violation> {
    let document = sources.text(DOCUMENT).unwrap_or_default();
    let mut found = Vec::new();
    let documented = once(LINES, rows(document, "line"), &mut found);
    found.extend(lines(sources, &documented));
    let documented = once(METRICS, rows(document, "metric"), &mut found);
    found.extend(metrics(sources, &documented.into_keys().collect()));
    found
}

/// Returns the rows by name, and adds a violation for each name that has several.
fn once(
    check: &'static str,
    rows: Vec<(String, String)>,
    found: &mut Vec<Violation>,
) -> BTreeMap<String, String> {
    let mut documented = BTreeMap::new();
    for (name, second) in rows {
        if documented.insert(name.clone(), second).is_some() {
            found.push(Violation::new(check, DOCUMENT, 0, format!("{name:?} has several rows")));
        }
    }
    documented
}

fn server(sources: &Sources) -> impl Iterator<Item = (&str, &Rust)> {
    sources.rust().filter(|(path, _)| {
        path.starts_with("server/src/") && !path.ends_with("tests.rs") && !path.contains("/tests/")
    })
}

fn lines(sources: &Sources, documented: &BTreeMap<String, String>) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut logged = BTreeSet::new();
    for (path, rust) in server(sources) {
        for Message { text: message, level, line } in messages(rust) {
            let documented = documented.get(&message);
            if message.contains('{') {
                let text = format!("the message {message:?} varies: put what varies into fields");
                found.push(Violation::new(LINES, path, line, text));
            } else if documented.is_none() {
                let text = format!("the message {message:?} is not in {DOCUMENT}");
                found.push(Violation::new(LINES, path, line, text));
            } else if documented.is_some_and(|documented| *documented != level) {
                let text = format!("{DOCUMENT} has another level for {message:?} than {level}");
                found.push(Violation::new(LINES, path, line, text));
            }
            logged.insert(message);
        }
    }
    for message in documented.keys().filter(|message| !logged.contains(*message)) {
        let text = format!("no code logs {message:?}");
        found.push(Violation::new(LINES, DOCUMENT, 0, text));
    }
    found
}

/// A message that the code logs.
struct Message {
    text: String,
    level: String,
    line: usize,
}

/// Returns the messages that a file logs for operators.
fn messages(rust: &Rust) -> Vec<Message> {
    let mut found = Vec::new();
    for (at, word) in rust.words.iter().enumerate() {
        let is_log = ["info", "warn", "error"].contains(&word.text.as_str())
            && rust.is(at + 1, "!")
            && rust.is(at + 2, "(");
        if !is_log || word.is_test {
            continue;
        }
        let group = &rust.words[at + 3..rust.after_group(at + 2)];
        // The message is the last argument, or the format before its arguments.
        let mut depth = 0_i32;
        let mut arguments = vec![Vec::new()];
        for word in group {
            match word.text.as_str() {
                "(" | "[" | "{" if word.kind == Kind::Sign => depth += 1,
                ")" | "]" | "}" if word.kind == Kind::Sign => depth -= 1,
                "," if depth == 0 => {
                    arguments.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            arguments.last_mut().expect("the list starts with one").push(word);
        }
        let texts = arguments.iter().filter_map(|argument| match argument[..] {
            [text] if text.kind == Kind::Text => Some(text),
            [text, end] if text.kind == Kind::Text && end.text == ")" => Some(text),
            _ => None,
        });
        found.extend(texts.take(1).map(|text| Message {
            text: unquoted(&text.text),
            level: word.text.clone(),
            line: text.line,
        }));
    }
    found
}

/// Returns the value of a string literal.
fn unquoted(text: &str) -> String {
    let mut lines = text.trim_matches('"').split("\\\n");
    let mut whole = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        whole.push_str(line.trim_start());
    }
    whole
}

fn metrics(sources: &Sources, documented: &BTreeSet<String>) -> Vec<Violation> {
    let registered = registered(sources);
    let names: BTreeMap<&String, &str> =
        documented.iter().map(|name| (name, plain(name))).collect();
    let is_same = |documented: &str, registered: &str| {
        documented.strip_prefix(registered).is_some_and(|ending| ENDINGS.contains(&ending))
    };
    let mut found = Vec::new();
    for (name, (path, line)) in &registered {
        if !names.values().any(|documented| is_same(documented, name)) {
            let text = format!("the metric {name:?} is not in {DOCUMENT}");
            found.push(Violation::new(METRICS, path, *line, text));
        }
    }
    for (documented, plain) in names {
        if !registered.keys().any(|name| is_same(plain, name)) {
            let text = format!("no code registers {documented:?}");
            found.push(Violation::new(METRICS, DOCUMENT, 0, text));
        }
    }
    found
}

/// Returns a metric's name without its prefix.
fn plain(name: &str) -> &str {
    PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name)
}

/// Returns the registered names with their places: the first argument of each call, in files that
/// fill a registry, if it is a plain name.
fn registered(sources: &Sources) -> BTreeMap<String, (&str, usize)> {
    let mut found = BTreeMap::new();
    for (path, rust) in server(sources).filter(|(_, rust)| rust.code().contains("Registry::")) {
        for (at, word) in rust.words.iter().enumerate() {
            let name = word.text.trim_matches('"');
            let is_name = name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
            let is_first = at > 1 && rust.is(at - 1, "(") && rust.is(at + 1, ",");
            let called = at.checked_sub(2).and_then(|at| rust.name(at)).unwrap_or_default();
            if word.kind == Kind::Text && !word.is_test && is_name && is_first && !called.is_empty()
            {
                found.entry(name.to_owned()).or_insert((path, word.line));
            }
        }
    }
    found
}

/// Returns the code in the first cell and the text of the second cell of each row, from the tables
/// whose first column has this title.
fn rows(document: &str, title: &str) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    let mut is_in = false;
    for line in document.lines() {
        let Some(row) = line.strip_prefix('|') else {
            is_in = false;
            continue;
        };
        let mut cells = row.split('|').map(str::trim);
        let (first, second) = (cells.next().unwrap_or_default(), cells.next().unwrap_or_default());
        if first == title {
            is_in = true;
        } else if is_in {
            let names = first.split('`').skip(1).step_by(2);
            rows.extend(names.map(|name| (name.to_owned(), second.to_owned())));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::{messages, once, plain, rows};
    use crate::tidy::rust::Rust;

    #[test]
    fn messages_are_read_behind_their_fields() {
        let text = "fn f() { tracing::info!(game = %g.f(\"a\"), %error, \"one\"); warn!(\"two \\\n  lines\"); error!(\"{x} {}\", y); info!(why = \"field\", \"three\"); }";
        let rust = Rust::read(text);
        let messages: Vec<(String, String)> =
            messages(&rust).into_iter().map(|message| (message.level, message.text)).collect();
        let messages: Vec<(&str, &str)> =
            messages.iter().map(|(level, text)| (level.as_str(), text.as_str())).collect();
        assert_eq!(
            messages,
            [("info", "one"), ("warn", "two lines"), ("error", "{x} {}"), ("info", "three")]
        );
    }

    #[test]
    fn rows_are_read_from_tables_with_the_title() {
        let document =
            "| line | level |\n|---|---|\n| `a`, `b` | `c` |\n\n| other | |\n| `d` | |\n";
        let rows = rows(document, "line");
        assert_eq!(rows, [("a".into(), "`c`".into()), ("b".into(), "`c`".into())]);
        assert_eq!(plain("adamant_sessions_ended_total"), "sessions_ended_total");
    }

    #[test]
    fn a_name_with_several_rows_is_a_violation() {
        let row = |name: &str| (name.to_owned(), String::new());
        let mut found = Vec::new();
        let documented = once("log lines", vec![row("a"), row("b"), row("a")], &mut found);
        assert_eq!((documented.len(), found.len()), (2, 1));
    }
}
