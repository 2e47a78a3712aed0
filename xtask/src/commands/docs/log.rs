//! Lines of the server's log.

use std::{collections::BTreeMap, path::PathBuf};

use anyhow::{Context as _, Result, anyhow, ensure};
use proc_macro2::{TokenStream, TokenTree};
use syn::LitStr;

use super::{
    text::{code, rows},
    tree::sources,
};

/// The lines of the log that operators read. The comment above a macro, `// operator: ..`, says
/// what the line means and what to do; of several macros with one message, one has it.
pub(super) fn log() -> Result<String> {
    table(sources("server/src")?)
}

fn table(sources: impl IntoIterator<Item = (PathBuf, String)>) -> Result<String> {
    let mut found: BTreeMap<String, ([String; 3], Option<String>)> = BTreeMap::new();
    for (path, text) in sources {
        let lines: Vec<&str> = text.lines().collect();
        let tokens: TokenStream =
            text.parse().map_err(|error| anyhow!("{}: {error}", path.display()))?;
        for LogLine { level, fields, message, line } in log_lines(tokens) {
            let at = format!("{}:{line}: the message {message:?}", path.display());
            ensure!(!message.contains('{'), "{at} varies: put what varies into fields");
            let known = found.get(&message).map(|([_, known, _], _)| known);
            ensure!(known.is_none_or(|known| *known == level), "{at} has another level elsewhere");
            let meaning = operator_comment(&lines, line);
            let row = [code(&message), level, fields];
            let known = found.entry(message).or_insert((row, None));
            known.1 = known.1.take().or(meaning);
        }
    }
    let found = found.into_iter().map(|(message, ([line, level, fields], meaning))| {
        let meaning = meaning
            .with_context(|| format!("no comment `// operator: ..` says what {message:?} means"))?;
        Ok([line, level, fields, meaning])
    });
    let found: Vec<[String; 4]> = found.collect::<Result<_>>()?;
    Ok(rows(["line", "level", "fields", "meaning and what to do"], found))
}

/// A macro that logs.
struct LogLine {
    level: String,
    fields: String,
    message: String,
    line: usize,
}

fn log_lines(tokens: TokenStream) -> Vec<LogLine> {
    let mut found = Vec::new();
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => found.extend(log_lines(group.stream())),
            TokenTree::Ident(level) if ["info", "warn", "error"].iter().any(|it| level == it) => {
                let Some([TokenTree::Punct(mark), TokenTree::Group(group)]) =
                    tokens.get(at + 1..at + 3)
                else {
                    continue;
                };
                if mark.as_char() == '!'
                    && let Some((fields, message)) = arguments(group.stream())
                {
                    let line = level.span().start().line;
                    found.push(LogLine { level: level.to_string(), fields, message, line });
                }
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
    found
}

/// Returns the names of the fields and the message of a macro that logs.
fn arguments(tokens: TokenStream) -> Option<(String, String)> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == ',');
    let mut fields = Vec::new();
    for argument in tokens.split(is_comma) {
        match argument {
            [TokenTree::Literal(text)] => {
                let text: LitStr = syn::parse_str(&text.to_string()).ok()?;
                return Some((fields.join(", "), text.value()));
            }
            [TokenTree::Punct(_), TokenTree::Ident(name), rest @ ..]
            | [TokenTree::Ident(name), rest @ ..] => {
                let last = rest.iter().rev().find_map(|token| {
                    let TokenTree::Ident(name) = token else { return None };
                    Some(name)
                });
                let is_named = rest
                    .iter()
                    .any(|token| matches!(token, TokenTree::Punct(p) if p.as_char() == '='));
                let name = if is_named { name } else { last.unwrap_or(name) };
                fields.push(code(&name.to_string()));
            }
            _ => {}
        }
    }
    None
}

/// Returns what the comment above a line says to operators.
fn operator_comment(lines: &[&str], line: usize) -> Option<String> {
    let above = lines.get(..line.checked_sub(1)?)?.iter().rev();
    let comment: Vec<&str> =
        above.map_while(|line| line.trim_start().strip_prefix("//")).map(str::trim).collect();
    let begin = comment.iter().position(|line| line.starts_with("operator:"))?;
    let text: Vec<&str> = comment.get(..=begin)?.iter().rev().copied().collect();
    Some(text.join(" ").trim_start_matches("operator:").trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::{arguments, operator_comment, table};

    #[test]
    fn messages_stand_behind_their_fields() {
        let of = |text: &str| arguments(text.parse().unwrap());
        let read = of("game = %g.f(\"a\"), %error, user, lasted_ms = 3, \"one\"").unwrap();
        assert_eq!(read, ("`game`, `error`, `user`, `lasted_ms`".into(), "one".into()));
        assert_eq!(of("\"one \\\n   line\""), Some((String::new(), "one line".into())));
        assert_eq!(of("x, y"), None);
    }

    #[test]
    fn the_comment_for_operators_stands_directly_above() {
        let lines =
            ["// a reason", "// operator: the store failed;", "// it retries", "warn!(", "x"];
        let comment = operator_comment(&lines, 4);
        assert_eq!(comment.as_deref(), Some("the store failed; it retries"));
        assert_eq!(operator_comment(&lines, 5), None);
    }

    #[test]
    fn a_message_has_one_text_one_level_and_one_meaning() {
        let table = |text: &str| {
            table([("a.rs".into(), text.to_owned())]).map_err(|error| format!("{error:#}"))
        };
        let known = "// operator: meant\ninfo!(\"known\");\n";
        assert!(table(known).unwrap().ends_with("| `known` | info |  | meant |\n"));
        let twice = format!("{known}warn!(\"known\");");
        let wrong = [
            (&*twice, "a.rs:3: the message \"known\" has another level elsewhere"),
            (
                "error!(\"new {x}\");",
                "a.rs:1: the message \"new {x}\" varies: put what varies into fields",
            ),
            ("warn!(\"new\");", "no comment `// operator: ..` says what \"new\" means"),
        ];
        for (text, error) in wrong {
            assert_eq!(table(text).unwrap_err(), error);
        }
    }
}
