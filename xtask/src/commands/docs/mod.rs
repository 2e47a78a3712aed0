//! The tables of the documents that have their facts from definitions: settings, limits, metrics
//! and log lines of the server, fields, words and codes of the wire, and flags of programs.
//!
//! A table stands between two lines, `<!-- generated: cargo xtask docs WHAT -->` and
//! `<!-- end of generated -->`. Definitions are found in all files of a folder, so that they may
//! move.

mod programs;
mod server;
mod sources;
mod wire;

use std::fs;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use super::clients;
use crate::run::root;

/// The documents that have such tables.
const DOCUMENTS: [&str; 6] = [
    "CONTRIBUTING.md",
    "docs/CONFORMANCE.md",
    "docs/ENGINES.md",
    "docs/MATCHES.md",
    "docs/PROTOCOL.md",
    "docs/operate/reference.md",
];

const BEGIN: &str = "<!-- generated: cargo xtask docs ";
const END: &str = "<!-- end of generated -->";

/// Writes the tables again, or compares them.
pub(crate) fn docs(check: bool) -> Result<()> {
    clients::build_schemas()?;
    let schema = serde_json::from_str(&fs::read_to_string(clients::closed_schema())?)?;
    for document in DOCUMENTS {
        let path = root().join(document);
        let text = fs::read_to_string(&path)?;
        let filled = fill(&text, &schema).with_context(|| document.to_owned())?;
        if check {
            ensure!(text == filled, "{document} is not up to date: cargo xtask docs");
        } else {
            fs::write(path, filled)?;
        }
    }
    Ok(())
}

/// Returns a document with its tables as the definitions have them.
fn fill(text: &str, schema: &Value) -> Result<String> {
    let mut filled = String::with_capacity(text.len());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        filled.push_str(line);
        filled.push('\n');
        let Some(what) = line.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(" -->")) else {
            continue;
        };
        filled.push_str(&table(what, schema).with_context(|| what.to_owned())?);
        lines.find(|line| *line == END).with_context(|| format!("{what} has no end"))?;
        filled.push_str(END);
        filled.push('\n');
    }
    Ok(filled)
}

fn table(what: &str, schema: &Value) -> Result<String> {
    let (kind, names) = what.split_once(' ').unwrap_or((what, ""));
    match kind {
        "settings" => server::settings(),
        "rates" => server::rates(),
        "limits" => server::limits(),
        "metrics" => server::metrics(),
        "log" => server::log(),
        "flags" => programs::flags(names),
        "commands" => programs::commands(names),
        "variants" => programs::variants(names),
        "close-codes" => programs::close_codes(),
        "reasons" => wire::reasons(),
        "events" => wire::events(schema),
        "words" => wire::words(schema, names),
        "fields" => wire::fields(schema, names),
        _ => bail!("there is no such table"),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{DOCUMENTS, fill};
    use crate::run::root;

    #[test]
    fn the_tables_are_as_the_definitions_have_them() {
        let schema = adamant_protocol::schema::closed_document();
        for document in DOCUMENTS {
            let text = fs::read_to_string(root().join(document)).unwrap();
            let filled = fill(&text, &schema).unwrap();
            let differs = text.lines().zip(filled.lines()).find(|(is, should)| is != should);
            assert_eq!(differs, None, "{document} is not up to date: cargo xtask docs");
            assert_eq!(text, filled, "{document} is not up to date: cargo xtask docs");
        }
    }
}
