//! A Rust file as the checks see it: its tokens, its comments, and what of it is compiled for tests
//! alone.

use std::ops::Range;

use super::lexer::{Kind, Token, tokens};

/// A token that owns its text.
#[derive(Debug, Clone)]
pub(crate) struct Word {
    /// What it is.
    pub(crate) kind: Kind,
    /// As it is written.
    pub(crate) text: String,
    /// Its line, from 1.
    pub(crate) line: usize,
    /// Whether it is compiled for tests alone.
    pub(crate) is_test: bool,
}

/// A Rust file.
#[derive(Debug)]
pub(crate) struct Rust {
    /// Its code, without comments.
    pub(crate) words: Vec<Word>,
    /// Its comments with the lines where they begin.
    pub(crate) comments: Vec<(usize, String)>,
    code: String,
}

impl Rust {
    /// Reads a file.
    pub(crate) fn read(text: &str) -> Self {
        let lines = Lines::of(text);
        let (comments, code): (Vec<_>, Vec<_>) =
            tokens(text).into_iter().partition(|token| token.kind == Kind::Comment);
        let tests = tests(&code);
        let is_test = |at: usize| tests.iter().any(|range| range.contains(&at));
        let words: Vec<Word> = code
            .iter()
            .enumerate()
            .map(|(at, token)| Word {
                kind: token.kind,
                text: token.text.to_owned(),
                line: lines.at(token.start),
                is_test: is_test(at),
            })
            .collect();
        let comments =
            comments.iter().map(|token| (lines.at(token.start), token.text.to_owned())).collect();
        let code = compiled(text, &code, &is_test);
        Self { words, comments, code }
    }

    /// The text of the file without comments and tests.
    pub(crate) fn code(&self) -> &str {
        &self.code
    }

    /// Whether the sign stands at this word.
    pub(crate) fn is(&self, at: usize, sign: &str) -> bool {
        self.words.get(at).is_some_and(|word| word.text == sign)
    }

    /// The name at this word, if it is one.
    pub(crate) fn name(&self, at: usize) -> Option<&str> {
        let word = self.words.get(at)?;
        (word.kind == Kind::Word).then(|| word.text.trim_start_matches("r#"))
    }

    /// The word after the bracket that closes the one at this word.
    pub(crate) fn after_group(&self, at: usize) -> usize {
        after_group(&self.words, at, |word| (word.kind, &word.text))
    }
}

/// The starts of a text's lines.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        let starts = text.match_indices('\n').map(|(at, _)| at + 1);
        Self(std::iter::once(0).chain(starts).collect())
    }

    /// The line of a byte, from 1.
    fn at(&self, byte: usize) -> usize {
        self.0.partition_point(|start| *start <= byte)
    }
}

/// The tokens of items under `#[cfg(test)]`.
fn tests(code: &[Token<'_>]) -> Vec<Range<usize>> {
    let attribute = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut found: Vec<Range<usize>> = Vec::new();
    for at in 0..code.len() {
        let begins = code[at..].iter().map(|token| token.text).take(7).eq(attribute);
        if begins && found.last().is_none_or(|range| range.end <= at) {
            found.push(at..end_of_item(code, at));
        }
    }
    found
}

/// The token after the item at this token, whose attributes stand before it.
fn end_of_item(code: &[Token<'_>], mut at: usize) -> usize {
    let group = |at| after_group(code, at, |token| (token.kind, token.text));
    while let Some(token) = code.get(at) {
        match token.text {
            ";" | "," => return at + 1,
            "{" => return group(at),
            "(" | "[" => at = group(at),
            _ => at += 1,
        }
    }
    at
}

fn after_group<T>(items: &[T], open: usize, read: impl Fn(&T) -> (Kind, &str)) -> usize {
    let mut depth = 0_usize;
    for (at, item) in items.iter().enumerate().skip(open) {
        match read(item) {
            (Kind::Sign, "(" | "[" | "{") => depth += 1,
            (Kind::Sign, ")" | "]" | "}") => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    items.len()
}

fn compiled(text: &str, code: &[Token<'_>], is_test: &dyn Fn(usize) -> bool) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut end = 0;
    for (at, token) in code.iter().enumerate() {
        if !is_test(at) {
            let between = &text[end..token.start];
            kept.push_str(if between.trim().is_empty() { between } else { " " });
            kept.push_str(token.text);
        }
        end = token.start + token.text.len();
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::Rust;

    #[test]
    fn tests_and_comments_are_no_code() {
        let text = "use a; // crate::b\n#[cfg(test)]\nmod tests {\n use crate::c;\n}\n#[cfg(test)]\nuse crate::d;\nfn f() {}\n";
        let rust = Rust::read(text);
        assert!(!rust.code().contains("crate"), "{}", rust.code());
        assert!(rust.code().contains("fn f() {}"));
        assert_eq!(rust.comments, [(1, "// crate::b".to_owned())]);
        assert_eq!(rust.words.last().map(|word| (word.line, word.is_test)), Some((8, false)));
    }
}
