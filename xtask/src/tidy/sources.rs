//! The files of a checkout, and a Rust file as the checks see it.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context as _, Result};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::Item;

/// Folders that hold nothing written by hand.
pub(super) const SKIPPED: &str =
    ".git target node_modules dist corpus artifacts data adamant-data .venv";

/// Endings of the files that the checks read.
const READ: &str = "rs md toml js mjs css ts py yml txt html json c cfg service";

/// What is wrong at a line of a file, from 1; at 0 with the file as a whole.
pub(super) fn at(path: &str, line: usize, what: &str) -> String {
    if line == 0 { format!("{path}: {what}") } else { format!("{path}:{line}: {what}") }
}

/// Whether a path ends so, in these letters.
pub(super) fn ends_with(path: &str, ending: &str) -> bool {
    path.ends_with(ending)
}

/// Whether a word is in a list with blanks between its words.
pub(super) fn is_one_of(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|one| one == word)
}

/// A path as seen from a file, without `.` and `..`.
pub(super) fn joined(file: &str, path: &str) -> String {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The files of a checkout by path, with `/` between folders; those that are not read have no text.
#[derive(Default)]
pub(super) struct Sources {
    pub(super) texts: BTreeMap<String, String>,
    pub(super) rust: BTreeMap<String, Rust>,
}

impl Sources {
    pub(super) fn collect(&mut self, root: &Path, folder: &Path) -> Result<()> {
        for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path.is_symlink() || is_one_of(SKIPPED, &name) {
                continue;
            }
            if path.is_dir() {
                self.collect(root, &path)?;
                continue;
            }
            let inside = path.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
            let is_read =
                path.extension().is_some_and(|end| is_one_of(READ, &end.to_string_lossy()));
            let text = if is_read { fs::read_to_string(&path)? } else { String::new() };
            self.add(&inside, text)?;
        }
        Ok(())
    }

    pub(super) fn add(&mut self, path: &str, text: String) -> Result<()> {
        if ends_with(path, ".rs") {
            self.rust.insert(path.to_owned(), Rust::read(&text).with_context(|| path.to_owned())?);
        }
        self.texts.insert(path.to_owned(), text);
        Ok(())
    }

    pub(super) fn text(&self, path: &str) -> &str {
        self.texts.get(path).map_or("", String::as_str)
    }

    /// All files whose path ends so, with their texts.
    pub(super) fn texts(&self, ending: &str) -> impl Iterator<Item = (&str, &str)> {
        let texts = self.texts.iter().filter(move |(path, _)| path.ends_with(ending));
        texts.map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// The Rust files below a folder that are not tests alone.
    pub(super) fn rust(&self, folder: &str) -> impl Iterator<Item = (&str, &Rust)> {
        let files = self.rust.iter().map(|(path, rust)| (path.as_str(), rust));
        files.filter(move |(path, _)| {
            path.starts_with(folder) && !path.ends_with("/tests.rs") && !path.contains("/tests/")
        })
    }
}

/// A Rust file without its comments and without what is compiled for tests alone.
pub(super) struct Rust {
    pub(super) items: Vec<Item>,
    pub(super) tokens: Vec<Token>,
    /// The tokens as one text, with blanks only between words.
    pub(super) code: String,
}

impl Rust {
    fn read(text: &str) -> syn::Result<Self> {
        let file = syn::parse_file(text)?;
        let mut tokens = Vec::new();
        flatten(file.to_token_stream(), &mut tokens);
        let mut code = String::new();
        for token in &tokens {
            let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
            if code.ends_with(is_word) && token.text.starts_with(is_word) {
                code.push(' ');
            }
            code.push_str(&token.text);
        }
        Ok(Self { items: file.items, tokens, code })
    }
}

/// A name, a literal, a sign, or one end of a group; `::` is two signs.
#[derive(Clone)]
pub(super) struct Token {
    pub(super) text: String,
    pub(super) line: usize,
}

impl Token {
    pub(super) fn is_word(&self) -> bool {
        let is_text = self.text.len() > 1 && self.text.ends_with(['"', '#']);
        self.text.starts_with(|c: char| c.is_alphabetic() || c == '_') && !is_text
    }
}

/// Adds the tokens of a stream, without documentation and without items for tests alone.
pub(super) fn flatten(stream: TokenStream, to: &mut Vec<Token>) {
    let mut trees = stream.into_iter().peekable();
    while let Some(tree) = trees.next() {
        let line = tree.span().start().line;
        let text = match &tree {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace | Delimiter::None => ("{", "}"),
                };
                to.push(Token { text: open.to_owned(), line });
                flatten(group.stream(), to);
                close.to_owned()
            }
            TokenTree::Punct(sign) if sign.as_char() == '\'' => {
                trees.next().map(|name| format!("'{name}")).unwrap_or_default()
            }
            TokenTree::Punct(sign) if sign.as_char() == '#' => {
                trees.next_if(|next| matches!(next, TokenTree::Punct(not) if not.as_char() == '!'));
                let attribute = trees.peek().map(ToString::to_string).unwrap_or_default();
                if attribute.starts_with("[doc") {
                    trees.next();
                    continue;
                }
                if attribute.replace(' ', "") == "[cfg(test)]" {
                    // The item ends with a semicolon, a comma or its body.
                    trees.find(|tree| match tree {
                        TokenTree::Punct(sign) => [';', ','].contains(&sign.as_char()),
                        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                        TokenTree::Ident(_) | TokenTree::Literal(_) => false,
                    });
                    continue;
                }
                "#".to_owned()
            }
            TokenTree::Ident(_) | TokenTree::Literal(_) | TokenTree::Punct(_) => tree.to_string(),
        };
        to.push(Token { text, line });
    }
}

#[test]
fn tests_and_comments_are_no_code() {
    let text = "use a; // crate::b\n#[cfg(test)]\nmod tests {\n use crate::c;\n}\n\
        #[cfg(test)]\nuse crate::d;\n/// crate::e\nfn f<'a>() { g('\"', r#\"// \"#) }\n";
    let rust = Rust::read(text).unwrap();
    assert_eq!(rust.code, "use a;fn f<'a>(){g('\"',r#\"// \"#)}");
    assert_eq!(rust.tokens.last().map(|token| token.line), Some(9));
    assert!(Rust::read("fn f() {").is_err());
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// What a check finds in these files, if it is not that the rest of the tree is missing. Each
    /// file is a paragraph after a line with its path.
    pub(in super::super) fn found(check: fn(&Sources) -> Vec<String>, files: &str) -> Vec<String> {
        let mut sources = Sources::default();
        for file in files.split("=== ").skip(1) {
            let (path, text) = file.split_once('\n').expect("a path is a line");
            sources.add(path, text.to_owned()).unwrap();
        }
        let mut found = check(&sources);
        found.retain(|one| !one.contains("is not there"));
        found
    }
}
