//! Phrases that hide who acts: "whoever", "nobody", "is told" and the like. They are counted in our
//! own prose: comments and texts of Rust and JavaScript, names of functions, Markdown, comments of
//! TOML.

use std::{collections::BTreeMap, path::Path};

use anyhow::Result;

use super::{lexer::Kind, rust::Rust, sources::Sources};
use crate::progress::print;

/// Words that stand for an actor without naming one.
const PRONOUNS: [&str; 5] = ["whoever", "whomever", "nobody", "somebody", "anybody"];

/// Words of which two hide an actor or a number.
const PAIRS: [(&str, &str); 3] = [("is", "told"), ("are", "told"), ("so", "many")];

/// After these, or at the beginning of a clause, "who" has no noun to belong to.
const NO_NOUN: [&str; 20] = [
    "and", "or", "but", "of", "to", "for", "from", "by", "with", "as", "than", "that", "if",
    "whether", "not", "on", "in", "at", "when", "because",
];

/// Files that have these phrases as their subject.
const EXEMPT: [&str; 1] = ["src/tidy/phrases.rs"];

/// A phrase and where it stands.
#[derive(Debug)]
struct Found {
    path: String,
    line: usize,
    phrase: String,
}

/// Counts the phrases in a checkout and prints the counts, or each place.
pub(crate) fn prose(root: &Path, list: bool) -> Result<()> {
    let found = all(&Sources::read(root)?);
    if list {
        for found in &found {
            print(&format!("{}:{}: {}", found.path, found.line, found.phrase));
        }
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for found in &found {
        *counts.entry(&found.phrase).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(phrase, count)| (std::cmp::Reverse(*count), *phrase));
    for (phrase, count) in counts {
        print(&format!("{count:6}  {phrase}"));
    }
    print(&format!("{:6}  in all", found.len()));
    Ok(())
}

fn all(sources: &Sources) -> Vec<Found> {
    let mut all = Vec::new();
    let mut add = |path: &str, pieces: Vec<Piece>| {
        if EXEMPT.iter().any(|exempt| path.ends_with(exempt)) {
            return;
        }
        for piece in pieces {
            let found = phrases(&words(&piece));
            all.extend(found.into_iter().map(|(line, phrase)| Found {
                path: path.to_owned(),
                line,
                phrase,
            }));
        }
    };
    for (path, rust) in sources.rust() {
        add(path, of_rust(rust));
    }
    for (path, text) in sources.texts(".js").chain(sources.texts(".mjs")) {
        add(path, of_javascript(text));
    }
    for (path, text) in sources.texts(".md") {
        add(path, of_markdown(text));
    }
    for (path, text) in sources.texts(".toml") {
        add(path, of_toml(text));
    }
    all
}

/// Lines of prose that belong together, each with its number.
type Piece = Vec<(usize, String)>;

fn of_rust(rust: &Rust) -> Vec<Piece> {
    let comments = rust.comments.iter().flat_map(|(line, text)| {
        text.lines().enumerate().map(move |(at, text)| (line + at, without_slashes(text)))
    });
    let mut pieces = joined(comments);
    for (at, word) in rust.words.iter().enumerate() {
        if word.kind == Kind::Text {
            let text = word.text.replace("\\n", " ").replace("\\\"", "\"");
            pieces.push(lines(word.line, &text));
        } else if word.text == "fn"
            && let Some(name) = rust.name(at + 1)
        {
            pieces.push(vec![(word.line, name.replace('_', " "))]);
        }
    }
    pieces
}

fn without_slashes(comment: &str) -> String {
    comment.trim().trim_start_matches(['/', '!', '*']).trim_end_matches("*/").trim().to_owned()
}

/// Joins lines that follow each other without an empty one between them.
fn joined(lines: impl Iterator<Item = (usize, String)>) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for (line, text) in lines {
        match pieces.last_mut() {
            Some(piece)
                if piece
                    .last()
                    .is_some_and(|(last, text)| last + 1 == line && !text.is_empty()) =>
            {
                piece.push((line, text));
            }
            _ => pieces.push(vec![(line, text)]),
        }
    }
    pieces
}

fn lines(first: usize, text: &str) -> Piece {
    text.lines().enumerate().map(|(at, text)| (first + at, text.to_owned())).collect()
}

/// The comments and texts of JavaScript.
/// A pattern that holds a quote may hide the rest of its line.
fn of_javascript(text: &str) -> Vec<Piece> {
    let mut comments = Vec::new();
    let mut pieces = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let end = if rest.starts_with("//") {
            let end = rest.find('\n').unwrap_or(rest.len());
            comments.push((line, without_slashes(&rest[..end])));
            end
        } else if rest.starts_with("/*") {
            let end = rest.find("*/").map_or(rest.len(), |end| end + 2);
            comments.extend(
                lines(line, &rest[..end])
                    .into_iter()
                    .map(|(line, text)| (line, without_slashes(&text))),
            );
            end
        } else if matches!(c, '"' | '\'' | '`') {
            let end = end_of_text(rest, c);
            pieces.push(lines(line, rest[..end].trim_matches(c)));
            end
        } else {
            c.len_utf8()
        };
        line += rest[..end].matches('\n').count();
        at += end;
    }
    pieces.extend(joined(comments.into_iter()));
    pieces
}

fn end_of_text(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' if quote != '`' => return at,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

fn of_markdown(text: &str) -> Vec<Piece> {
    let mut is_code = false;
    let prose = lines(1, text).into_iter().filter(|(_, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    });
    joined(prose)
}

fn of_toml(text: &str) -> Vec<Piece> {
    let comments = lines(1, text).into_iter().filter_map(|(line, text)| {
        let (before, comment) = text.split_once('#')?;
        let is_text = before.matches('"').count() % 2 == 1;
        (!is_text).then(|| (line, comment.trim().to_owned()))
    });
    joined(comments)
}

/// A word of prose.
#[derive(Debug)]
struct Term {
    text: String,
    line: usize,
    /// The sign that ends the clause before it.
    after: Option<char>,
    /// Whether it is the last of a question.
    asks: bool,
}

/// The words of a piece. What stands between backquotes is one word.
fn words(piece: &Piece) -> Vec<Term> {
    let mut words: Vec<Term> = Vec::new();
    let mut after = Some('.');
    for (line, text) in piece {
        let mut rest = text.as_str();
        if rest.trim_start().starts_with(['-', '#', '|', '*']) {
            after = Some('.');
        }
        while let Some(c) = rest.chars().next() {
            let length = if c == '`' {
                rest[1..].find('`').map_or(1, |end| end + 2)
            } else {
                let end = |c: char| !c.is_alphanumeric() && c != '_' && c != '\'';
                rest.find(end).unwrap_or(rest.len()).max(c.len_utf8())
            };
            if c.is_alphanumeric() || c == '_' || length > 1 {
                let text = rest[..length].trim_matches('\'').to_owned();
                words.push(Term { text, line: *line, after, asks: false });
                after = None;
            } else if c == '?' {
                if let Some(word) = words.last_mut() {
                    word.asks = true;
                }
                after = Some(c);
            } else if matches!(c, '.' | ';' | ':' | '!' | '(' | '|' | '"') {
                after = Some(c);
            }
            rest = &rest[length..];
        }
    }
    words
}

/// The phrases among words, each with its line.
fn phrases(words: &[Term]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let lower: Vec<String> = words.iter().map(|word| word.text.to_ascii_lowercase()).collect();
    for (at, word) in lower.iter().enumerate() {
        let line = words[at].line;
        let next = lower.get(at + 1).map_or("", String::as_str);
        if PRONOUNS.contains(&word.as_str()) {
            found.push((line, word.clone()));
        } else if PAIRS.contains(&(word.as_str(), next)) {
            found.push((line, format!("{word} {next}")));
        } else if word == "who" && !next.is_empty() && !is_question(&words[at..]) {
            let before = at.checked_sub(1).map_or("", |before| lower[before].as_str());
            if words[at].after.is_some() || NO_NOUN.contains(&before) {
                found.push((line, "who without a noun".to_owned()));
            }
        }
    }
    found
}

/// Whether the sentence that goes on with these words is a question.
fn is_question(words: &[Term]) -> bool {
    let end = words.iter().skip(1).position(|word| word.after.is_some()).unwrap_or(words.len() - 1);
    words[..=end].iter().any(|word| word.asks)
}

#[cfg(test)]
mod tests {
    use super::{of_javascript, of_markdown, of_rust, of_toml, phrases, words};
    use crate::tidy::rust::Rust;

    fn count(pieces: &[super::Piece]) -> usize {
        pieces.iter().map(|piece| phrases(&words(piece)).len()).sum()
    }

    #[test]
    fn who_needs_a_noun() {
        let in_markdown = |text: &str| count(&of_markdown(text));
        for text in ["Who loses pays.", "Ask, and who answers wins.", "It is told.", "- Who is it."]
        {
            assert_eq!(in_markdown(text), 1, "{text}");
        }
        for text in ["The player who loses.", "The player\nwho loses.", "Who is it?", "`Who is`."] {
            assert_eq!(in_markdown(text), 0, "{text}");
        }
        assert_eq!(in_markdown("```\nnobody\n```\nsomebody\n"), 1);
    }

    #[test]
    fn comments_texts_and_names_are_prose() {
        let rust = "/// Nobody.\nfn whoever_comes() { let nobody = \"somebody\"; }\n";
        assert_eq!(count(&of_rust(&Rust::read(rust))), 3);
        let javascript = "// So\n// many.\nconst nobody = \"is told\"; /* Whoever. */";
        assert_eq!(count(&of_javascript(javascript)), 3);
        assert_eq!(count(&of_toml("a = \"# nobody\"\nb = 1 # nobody\n")), 1);
    }
}
