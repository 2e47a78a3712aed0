//! A Rust file as the checks see it.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::Item;

/// A name, a literal, a sign, or one end of a group; `::` is two signs.
#[derive(Clone)]
pub(super) struct Token {
    pub(super) text: String,
    pub(super) line: usize,
}

impl Token {
    pub(super) fn is_word(&self) -> bool {
        self.text.starts_with(|c: char| c.is_alphabetic() || c == '_') && !self.is_text()
    }

    /// Whether it is a string.
    pub(super) fn is_text(&self) -> bool {
        self.text.len() > 1 && self.text.ends_with(['"', '#'])
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
    pub(super) fn read(text: &str) -> syn::Result<Self> {
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

/// Whether this is the text of the token.
pub(super) fn is(tokens: &[Token], at: usize, text: &str) -> bool {
    tokens.get(at).is_some_and(|token| token.text == text)
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
                Token { text: close.to_owned(), line: group.span_close().start().line }.text
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
