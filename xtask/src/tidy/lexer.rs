//! Cuts Rust text into tokens and comments. What it knows is what tells code from text: nested
//! comments, raw strings, lifetimes.

/// A piece of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name or a keyword.
    Word,
    /// One sign; `::` is two.
    Sign,
    /// A string, with its quotes.
    Text,
    /// A character, a lifetime or a number.
    Other,
    /// A comment, with its slashes.
    Comment,
}

/// A piece of code and where it stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token<'a> {
    /// What it is.
    pub(crate) kind: Kind,
    /// As it is written.
    pub(crate) text: &'a str,
    /// Where it begins, in bytes.
    pub(crate) start: usize,
}

/// Cuts a text into its tokens, comments among them.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let (kind, length) = if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        } else if rest.starts_with("//") {
            (Kind::Comment, rest.find('\n').unwrap_or(rest.len()))
        } else if rest.starts_with("/*") {
            (Kind::Comment, block_comment(rest))
        } else if let Some(length) = string(rest) {
            (Kind::Text, length)
        } else if c == '\'' {
            (Kind::Other, quoted(rest))
        } else if c.is_alphabetic() || c == '_' {
            let raw = if rest.starts_with("r#") { 2 } else { 0 };
            (Kind::Word, raw + word(&rest[raw..]))
        } else if c.is_ascii_digit() {
            (Kind::Other, word(rest))
        } else {
            (Kind::Sign, c.len_utf8())
        };
        found.push(Token { kind, text: &rest[..length], start: at });
        at += length;
    }
    found
}

fn word(rest: &str) -> usize {
    rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
}

fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < rest.len() {
        let here = &rest.as_bytes()[at..];
        if here.starts_with(b"/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if here.starts_with(b"*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

/// The length of a string literal of any kind, if one begins here.
fn string(rest: &str) -> Option<usize> {
    let prefix = rest.find(|c| !matches!(c, 'b' | 'c' | 'r'))?;
    let after = &rest[prefix..];
    let hashes = after.len() - after.trim_start_matches('#').len();
    if prefix > 2 || !after[hashes..].starts_with('"') {
        return None;
    }
    let body = prefix + hashes + 1;
    if rest[..prefix].contains('r') {
        let end = format!("\"{}", "#".repeat(hashes));
        return Some(rest[body..].find(&end).map_or(rest.len(), |at| body + at + end.len()));
    }
    if hashes > 0 {
        return None;
    }
    let mut escaped = false;
    for (at, c) in rest[body..].char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(body + at + 1),
            _ => {}
        }
    }
    Some(rest.len())
}

/// The length of a character or a lifetime.
fn quoted(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), _) => {
            rest.get(3..).and_then(|rest| rest.find('\'')).map_or(rest.len(), |end| 3 + end + 1)
        }
        (Some(_), Some((end, '\''))) => end + 1,
        _ => 1 + word(&rest[1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, tokens};

    #[test]
    fn quotes_in_comments_and_characters_open_no_text() {
        let text = r##"fn f<'a>(x: &'a str) { let c = '"'; let q = '\''; /* a /* b */ c */ r#"a" // "# ; b"\"" }"##;
        let texts: Vec<&str> =
            tokens(text).iter().filter(|token| token.kind == Kind::Text).map(|t| t.text).collect();
        assert_eq!(texts, [r##"r#"a" // "#"##, r#"b"\"""#]);
        let comments = tokens(text).into_iter().filter(|token| token.kind == Kind::Comment).count();
        assert_eq!(comments, 1);
    }

    #[test]
    fn each_text_is_read_to_its_end() {
        for text in ["'", "\"", "r#\"", "/*", "'\\", "b'", "1.0e5", "r#type", "é€"] {
            let end = tokens(text).last().map(|token| token.start + token.text.len());
            assert_eq!(end, Some(text.len()), "{text}");
        }
    }
}
