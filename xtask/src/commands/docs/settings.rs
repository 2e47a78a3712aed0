//! Settings and limits of the server.

use std::{collections::HashMap, fmt::Write as _, fs};

use anyhow::Result;
use syn::{BinOp, Expr, Item, Lit, spanned::Spanned as _};

use super::{
    text::{code, grouped, one_line, rows},
    tree::{doc_lines, docs_of, parsed},
};
use crate::run::root;

/// The settings, from the file with the defaults. Keys that follow a key without a comment of their
/// own share its row.
pub(super) fn settings() -> Result<String> {
    let text = fs::read_to_string(root().join("config/default.toml"))?;
    let (mut section, mut comment) = (String::new(), Vec::new());
    let mut found: Vec<[String; 3]> = Vec::new();
    for line in text.lines() {
        let (is_set, content) = match line.strip_prefix("# ") {
            Some(content) => (false, content),
            None => (true, line),
        };
        if let Some(name) = content.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            name.clone_into(&mut section);
            if is_set {
                comment.clear();
            }
        } else if let Some((key, value)) = content.split_once(" = ").filter(|(key, _)| is_key(key))
        {
            let key = code(&format!("{section}.{key}"));
            let value = if is_set { code(value) } else { String::new() };
            match found.last_mut().filter(|_| comment.is_empty()) {
                Some([keys, values, _]) => {
                    write!(keys, ", {key}")?;
                    if !value.is_empty() {
                        write!(values, ", {value}")?;
                    }
                }
                None => found.push([key, value, comment.join(" ")]),
            }
            comment.clear();
        } else if is_set {
            comment.clear();
        } else {
            comment.push(content.to_owned());
        }
    }
    Ok(rows(["setting", "default", "meaning"], found))
}

pub(super) fn is_key(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_lowercase() || c == '_')
}

/// The constants of the limits, with a table for each file.
pub(super) fn limits() -> Result<String> {
    let files = parsed("server/src/limits")?;
    let constants = files.iter().flat_map(|file| &file.items).filter_map(|item| {
        let Item::Const(item) = item else { return None };
        Some((item.ident.to_string(), &*item.expr))
    });
    let constants: HashMap<String, &Expr> = constants.collect();
    let mut text = String::new();
    for file in &files {
        let mut found: Vec<[String; 3]> = Vec::new();
        for item in &file.items {
            let Item::Const(item) = item else { continue };
            let (name, reason) = (item.ident.to_string(), docs_of(&item.attrs));
            let value = amount(&name, &item.expr, &constants);
            match found.last_mut().filter(|_| reason.is_empty()) {
                Some([names, values, _]) => {
                    write!(names, ", {}", code(&name))?;
                    write!(values, "; {value}")?;
                }
                None => found.push([code(&name), value, reason]),
            }
        }
        if !found.is_empty() {
            let table = rows(["limit", "value", "reason"], found);
            write!(text, "\n{}\n\n{table}", doc_lines(&file.attrs).join("\n"))?;
        }
    }
    text.push('\n');
    Ok(text)
}

/// Returns the value of a limit for people, or its expression.
fn amount(name: &str, value: &Expr, constants: &HashMap<String, &Expr>) -> String {
    if let Expr::Call(call) = value
        && let Expr::Path(function) = &*call.func
        && let Some(unit) = function.path.segments.last().and_then(|last| unit(&last.ident))
        && let Some(count) = call.args.first().and_then(|count| number(count, constants))
    {
        let is_days = unit == "h" && count % 24 == 0;
        return if is_days {
            format!("{} d", grouped(count / 24))
        } else {
            format!("{} {unit}", grouped(count))
        };
    }
    if let Expr::Path(other) = value
        && let Some(other) =
            other.path.get_ident().and_then(|name| constants.get(&name.to_string()))
    {
        return amount(name, other, constants);
    }
    if let Expr::Range(range) = value
        && let (Some(start), Some(end)) = (&range.start, &range.end)
    {
        return format!("{} to {}", amount(name, start, constants), amount(name, end, constants));
    }
    if let Expr::Tuple(tuple) = value {
        let parts = tuple.elems.iter().map(|part| amount("", part, constants));
        return parts.collect::<Vec<_>>().join("; ");
    }
    match number(value, constants) {
        Some(bytes) if name.contains("BYTES") && bytes > 0 && bytes % (1 << 20) == 0 => {
            format!("{} MiB", bytes >> 20)
        }
        Some(bytes) if name.contains("BYTES") && bytes > 0 && bytes % (1 << 10) == 0 => {
            format!("{} KiB", bytes >> 10)
        }
        Some(number) => grouped(number),
        None => value.span().source_text().map_or_else(String::new, |text| code(&one_line(&text))),
    }
}

fn unit(constructor: &proc_macro2::Ident) -> Option<&'static str> {
    match constructor.to_string().as_str() {
        "from_micros" => Some("µs"),
        "from_millis" => Some("ms"),
        "from_secs" => Some("s"),
        "from_mins" => Some("min"),
        "from_hours" => Some("h"),
        _ => None,
    }
}

/// Returns the value of an expression of whole numbers.
fn number(expression: &Expr, constants: &HashMap<String, &Expr>) -> Option<i128> {
    if let Expr::Lit(literal) = expression {
        let Lit::Int(number) = &literal.lit else { return None };
        return number.base10_parse().ok();
    }
    if let Expr::Binary(binary) = expression {
        let left = number(&binary.left, constants)?;
        let right = number(&binary.right, constants)?;
        return if matches!(binary.op, BinOp::Add(_)) {
            left.checked_add(right)
        } else if matches!(binary.op, BinOp::Sub(_)) {
            left.checked_sub(right)
        } else if matches!(binary.op, BinOp::Mul(_)) {
            left.checked_mul(right)
        } else if matches!(binary.op, BinOp::Shl(_)) {
            left.checked_shl(right.try_into().ok()?)
        } else {
            None
        };
    }
    if let Expr::Paren(inner) = expression {
        return number(&inner.expr, constants);
    }
    if let Expr::Cast(cast) = expression {
        return number(&cast.expr, constants);
    }
    if let Expr::MethodCall(call) = expression {
        let is_same = call.method == "unsigned_abs";
        return is_same.then(|| number(&call.receiver, constants)).flatten();
    }
    let Expr::Path(path) = expression else { return None };
    number(constants.get(&path.path.get_ident()?.to_string())?, constants)
}
