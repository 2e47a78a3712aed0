//! Sources and what stands in them, and text of tables.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, bail};
use syn::{Attribute, Expr, Item, Lit};

use crate::run::root;

/// Folders without sources of our own.
const SKIPPED: [&str; 3] = ["target", "node_modules", "tests"];

/// Returns the source files below a folder, in order, without those of tests.
pub(super) fn sources(folder: &str) -> Result<Vec<(PathBuf, String)>> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                if !name.starts_with('.') && !SKIPPED.contains(&name.as_str()) {
                    walk(&path, found)?;
                }
            } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs")
            {
                found.push(path);
            }
        }
        Ok(())
    }
    let mut found = Vec::new();
    walk(&root().join(folder), &mut found)?;
    found.sort();
    found.into_iter().map(|path| Ok((path.clone(), fs::read_to_string(path)?))).collect()
}

pub(super) fn parsed(folder: &str) -> Result<Vec<syn::File>> {
    let parse = |(path, text): (PathBuf, String)| {
        syn::parse_file(&text).with_context(|| path.display().to_string())
    };
    sources(folder)?.into_iter().map(parse).collect()
}

/// Returns the documentation of an item as one line, with links to items as code.
pub(super) fn docs_of(attributes: &[Attribute]) -> String {
    doc_lines(attributes).join(" ")
}

/// Returns the documentation of an item line by line, with links to items as code.
pub(super) fn doc_lines(attributes: &[Attribute]) -> Vec<String> {
    let lines = attributes.iter().filter_map(|attribute| {
        let value = &attribute.meta.require_name_value().ok()?.value;
        let is_doc = attribute.path().is_ident("doc");
        let line = is_doc.then(|| literal(value)).flatten()?;
        Some(line.trim().replace("[`", "`").replace("`]", "`"))
    });
    lines.collect()
}

pub(super) fn literal(expression: &Expr) -> Option<String> {
    let Expr::Lit(literal) = expression else { return None };
    let Lit::Str(text) = &literal.lit else { return None };
    Some(text.value())
}

/// Returns the item of a file below a folder that these words, such as `enum Kind`, define, with
/// its file.
pub(super) fn item(folder: &str, words: &str) -> Result<(syn::File, usize)> {
    let name = words.split(' ').next_back().unwrap_or_default();
    for (path, text) in sources(folder)?.iter().filter(|(_, text)| text.contains(words)) {
        let file = syn::parse_file(text).with_context(|| path.display().to_string())?;
        let at = file.items.iter().position(|item| {
            matches!(item, Item::Enum(item) if item.ident == name)
                || matches!(item, Item::Struct(item) if item.ident == name)
        });
        if let Some(at) = at {
            return Ok((file, at));
        }
    }
    bail!("no file in {folder} has {words}")
}

/// Returns a table, with bars in its cells escaped.
pub(super) fn rows<const N: usize>(
    titles: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    let mut table = format!("| {} |\n|{}\n", titles.join(" | "), "---|".repeat(N));
    for row in rows {
        let cells = row.map(|cell| cell.replace('|', "\\|"));
        writeln!(table, "| {} |", cells.join(" | ")).expect("a string takes any text");
    }
    table
}

pub(super) fn code(text: &str) -> String {
    format!("`{text}`")
}

/// Returns a number with its thousands apart.
pub(super) fn grouped(number: i128) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the words of a name in camel case, in lower case and with this between them.
pub(super) fn words_of(name: &str, between: char) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push(between);
        }
        text.extend(letter.to_lowercase());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{grouped, rows, words_of};

    #[test]
    fn numbers_and_names_are_written_for_people() {
        assert_eq!(grouped(1_048_576), "1,048,576");
        assert_eq!(grouped(100), "100");
        assert_eq!(words_of("SeatUser", ' '), "seat user");
        assert_eq!(words_of("LogIns", '-'), "log-ins");
    }

    #[test]
    fn bars_in_cells_do_not_end_them() {
        let table = rows(["a"], [["x|y".to_owned()]]);
        assert_eq!(table, "| a |\n|---|\n| x\\|y |\n");
    }
}
