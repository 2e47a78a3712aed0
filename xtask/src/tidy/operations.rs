//! The operator's tables: each line of the log and each metric stands in docs/OPERATIONS.md, and
//! nothing else does.

use std::collections::{BTreeMap, BTreeSet};

use super::{lexer::Kind, rust::Rust, sources::Sources, violation::Violation};

const DOCUMENT: &str = "docs/OPERATIONS.md";

const LINES: &str = "log lines";

const METRICS: &str = "metrics";

/// Prefixes of metrics, by the registries that they come from.
const PREFIXES: [&str; 2] = ["adamant_", "process_"];

/// What a metric's name may end in beyond the name it is registered by.
const ENDINGS: [&str; 6] = ["", "_total", "_info", "_seconds", "_seconds_total", "_bytes"];

/// Finds lines and metrics that one side has and the other has not.
pub(crate) fn check(sources: &Sources) -> Vec<Violation> {
    let document = sources.text(DOCUMENT).unwrap_or_default();
    let mut found = lines(sources, &first_cells(document, "line"));
    found.extend(metrics(sources, &first_cells(document, "metric")));
    found
}

fn server(sources: &Sources) -> impl Iterator<Item = (&str, &Rust)> {
    sources.rust().filter(|(path, _)| {
        path.starts_with("server/src/") && !path.ends_with("tests.rs") && !path.contains("/tests/")
    })
}

fn lines(sources: &Sources, documented: &BTreeSet<String>) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut logged = BTreeSet::new();
    for (path, rust) in server(sources) {
        for (message, line) in messages(rust) {
            if message.contains('{') {
                let text = format!("the message {message:?} varies: put what varies into fields");
                found.push(Violation::new(LINES, path, line, text));
            } else if !documented.contains(&message) {
                let text = format!("the message {message:?} is not in {DOCUMENT}");
                found.push(Violation::new(LINES, path, line, text));
            }
            logged.insert(message);
        }
    }
    for message in documented.difference(&logged) {
        let text = format!("no code logs {message:?}");
        found.push(Violation::new(LINES, DOCUMENT, 0, text));
    }
    found
}

/// The messages that a file logs for operators, with their lines.
fn messages(rust: &Rust) -> Vec<(String, usize)> {
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
            arguments.last_mut().expect("there is one at least").push(word);
        }
        let texts = arguments.iter().filter_map(|argument| match argument[..] {
            [text] if text.kind == Kind::Text => Some(text),
            [text, end] if text.kind == Kind::Text && end.text == ")" => Some(text),
            _ => None,
        });
        found.extend(texts.take(1).map(|text| (unquoted(&text.text), text.line)));
    }
    found
}

/// A text as the program has it.
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

/// A metric's name without its prefix and labels.
fn plain(name: &str) -> &str {
    let name = name.split('{').next().unwrap_or(name);
    PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name)
}

/// The names that are registered, with their places: the first argument of each call, in files that
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

/// The code in the first cells of the tables whose first column has this title.
fn first_cells(document: &str, title: &str) -> BTreeSet<String> {
    let mut cells = BTreeSet::new();
    let mut is_in = false;
    for line in document.lines() {
        let Some(cell) = line.strip_prefix('|').and_then(|row| row.split('|').next()) else {
            is_in = false;
            continue;
        };
        if cell.trim() == title {
            is_in = true;
        } else if is_in {
            cells.extend(cell.split('`').skip(1).step_by(2).map(str::to_owned));
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::{first_cells, messages, plain};
    use crate::tidy::rust::Rust;

    #[test]
    fn messages_are_read_behind_their_fields() {
        let text = "fn f() { tracing::info!(game = %g.f(\"a\"), %error, \"one\"); warn!(\"two \\\n  lines\"); error!(\"{x} {}\", y); info!(why = \"field\", \"three\"); }";
        let rust = Rust::read(text);
        let messages: Vec<String> = messages(&rust).into_iter().map(|(text, _)| text).collect();
        assert_eq!(messages, ["one", "two lines", "{x} {}", "three"]);
    }

    #[test]
    fn the_first_column_of_a_table_is_read() {
        let document =
            "| line | meaning |\n|---|---|\n| `a`, `b` | `c` |\n\n| other | |\n| `d` | |\n";
        assert_eq!(first_cells(document, "line").into_iter().collect::<String>(), "ab");
        assert_eq!(plain("adamant_sessions_ended_total{cause}"), "sessions_ended_total");
    }
}
