//! The sentences that players and operators read: refusals, quotas, mistakes of a configuration,
//! rule violations. Each stands in `texts.txt` as well, so that a bulk edit of the sources cannot
//! change one unseen. After a change that is meant:
//!
//! ```text
//! ADAMANT_WRITE_TEXTS=1 cargo test --workspace --test it texts::
//! ```

use std::{collections::BTreeSet, env, fs, path::Path};

use crate::harness::repository;

/// Where such sentences stand.
const SOURCES: [&str; 4] = ["protocol/src", "record/src", "rules/src", "server/src"];

/// Folders and files without them: SQL, the chaos mode, the simulation, the page, and descriptions of the
/// HTTP API.
const OTHERS: [&str; 6] = ["tests", "store", "chaos", "simulation", "page", "descriptions.rs"];

/// Calls whose texts only developers and logs see.
const CALLS: [&str; 12] = [
    "tracing::",
    "expect",
    "unreachable!",
    "panic!",
    "assert",
    "debug_assert",
    "println!",
    "eprintln!",
    "gauge",
    "optional",
    "register",
    "rsplit_once",
];

/// Fields and arguments of attributes whose texts only developers and metrics see.
const FIELDS: [&str; 6] = ["help:", "help=", "reason=", "must_use=", "doc=", "note="];

#[test]
#[expect(clippy::disallowed_methods, reason = "the environment chooses what to do")]
fn no_sentence_changes_unseen() {
    let mut found = BTreeSet::new();
    for sources in SOURCES {
        read_folder(&repository().join(sources), &mut found);
    }
    let path = repository().join("tests/it/texts.txt");
    if env::var_os("ADAMANT_WRITE_TEXTS").is_some() {
        let lines: Vec<&str> = found.iter().map(String::as_str).collect();
        fs::write(&path, lines.join("\n") + "\n").unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap();
    let expected: BTreeSet<String> = expected.lines().map(str::to_owned).collect();
    let new: Vec<_> = found.difference(&expected).collect();
    let gone: Vec<_> = expected.difference(&found).collect();
    assert!(new.is_empty() && gone.is_empty(), "new: {new:#?}\ngone: {gone:#?}");
}

fn read_folder(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if OTHERS.contains(&name) {
            continue;
        }
        if path.is_dir() {
            read_folder(&path, found);
        } else if let Some(stem) = name.strip_suffix(".rs")
            && !stem.ends_with("tests")
        {
            let source = fs::read_to_string(&path).unwrap();
            let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap();
            found.extend(sentences(code));
        }
    }
}

/// The literals of a source that are sentences, with their line breaks escaped.
fn sentences(mut rest: &str) -> Vec<String> {
    let mut found = Vec::new();
    // The code without blanks, comments and literals, and where its open brackets are.
    let (mut code, mut open) = (String::new(), Vec::new());
    while let Some(next) = rest.chars().next() {
        if rest.starts_with("//") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        } else if let Some((literal, after)) = literal(rest, &code) {
            if is_sentence(literal) && !is_for_developers(&code, &open) {
                found.push(one_line(literal));
            }
            rest = after;
        } else if let Some(after) = after_char(rest) {
            rest = after;
        } else {
            match next {
                '(' | '[' | '{' => open.push(code.len()),
                ')' | ']' | '}' => {
                    open.pop();
                }
                _ => {}
            }
            if !next.is_whitespace() {
                code.push(next);
            }
            rest = &rest[next.len_utf8()..];
        }
    }
    found
}

/// The text literal at the beginning, and what is behind it.
fn literal<'a>(rest: &'a str, code: &str) -> Option<(&'a str, &'a str)> {
    if let Some(raw) = rest.strip_prefix('r').or_else(|| rest.strip_prefix("br"))
        && !code.ends_with(|last: char| last.is_alphanumeric() || last == '_')
    {
        let marks = raw.len() - raw.trim_start_matches('#').len();
        if let Some(text) = raw[marks..].strip_prefix('"') {
            return text.split_once(&format!("\"{}", &raw[..marks]));
        }
    }
    let text = rest.strip_prefix('"')?;
    let mut escaped = false;
    let end = text.find(|c: char| {
        let is_end = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        is_end
    });
    end.map(|end| (&text[..end], &text[end + 1..]))
}

/// What is behind a character literal at the beginning; a lifetime is none.
fn after_char(rest: &str) -> Option<&str> {
    let inside = rest.strip_prefix('\'')?;
    let mut chars = inside.char_indices();
    let (_, first) = chars.next()?;
    let end = if first == '\\' {
        2 + inside.get(2..)?.find('\'')?
    } else {
        chars.next().filter(|(_, quote)| *quote == '\'')?.0
    };
    Some(&inside[end + 1..])
}

/// Whether it has two words side by side.
fn is_sentence(text: &str) -> bool {
    let mut words = text.split([' ', '\n']).filter(|word| !word.is_empty());
    let is_word = |word: &str| word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase());
    let first = words.next().unwrap_or_default();
    let mut before = is_word(first);
    words.any(|word| {
        let two = before && word.starts_with(|c: char| c.is_ascii_lowercase() || c == '{');
        before = is_word(word);
        two
    })
}

fn is_for_developers(code: &str, open: &[usize]) -> bool {
    let call = open.last().map_or("", |&at| &code[..at]);
    let start = call.rfind(|c: char| !c.is_alphanumeric() && !"_:!".contains(c));
    let call = &call[start.map_or(0, |at| at + 1)..];
    CALLS.iter().any(|name| call.starts_with(name))
        || FIELDS.iter().any(|field| code.ends_with(field))
}

/// Joins lines that end with a backslash, and escapes line breaks.
fn one_line(text: &str) -> String {
    let mut parts = text.split("\\\n");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.trim_start()).replace('\n', "\\n")
}
