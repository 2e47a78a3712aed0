//! Answers as text for people: fields one a line, and lists as tables.

use adamant_protocol::values::Named;
use serde::{Deserialize, Serialize};

use crate::runtime::time::timestamp;

/// The answer to a request, whose fields keep their order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Answer {
    /// Nothing.
    Null(()),
    /// Whether something is so.
    Truth(bool),
    /// A number; times are in epoch milliseconds.
    Number(u64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Self>),
    /// Fields by name.
    Fields(Named<Self>),
}

impl Answer {
    fn is_empty(&self) -> bool {
        match self {
            Self::Null(()) => true,
            Self::List(all) => all.is_empty(),
            _ => false,
        }
    }

    fn is_table(&self) -> bool {
        matches!(self, Self::List(rows) if matches!(rows.first(), Some(Self::Fields(_))))
    }

    /// Returns the answer as lines for people.
    pub fn lines(&self) -> Vec<String> {
        let Self::Fields(Named(fields)) = self else { return vec![self.shown("")] };
        if let [(_, Self::List(rows))] = &**fields
            && rows.is_empty()
        {
            return vec!["none".to_owned()];
        }
        let (tables, others): (Vec<_>, Vec<_>) = fields
            .iter()
            .filter(|(_, value)| *value != Self::Null(()))
            .partition(|(_, value)| value.is_table());
        let mut lines: Vec<String> = others
            .iter()
            .map(|(name, value)| format!("{}: {}", words(name), value.shown(name)))
            .collect();
        for (name, value) in tables {
            let Self::List(rows) = value else { continue };
            if fields.len() > 1 {
                lines.push(format!("{}:", words(name)));
            }
            lines.extend(table(rows));
        }
        lines
    }

    fn shown(&self, name: &str) -> String {
        match self {
            Self::Null(()) => String::new(),
            Self::Truth(is_so) => if *is_so { "yes" } else { "no" }.to_owned(),
            Self::Number(number) if is_time(name) => timestamp(*number),
            Self::Number(number) => number.to_string(),
            // Users choose the labels of their tokens.
            Self::Text(text) => text.replace(char::is_control, "\u{fffd}"),
            Self::List(all) if all.is_empty() => "none".to_owned(),
            Self::List(all) => all.iter().map(|one| one.shown("")).collect::<Vec<_>>().join(", "),
            Self::Fields(Named(fields)) => {
                let fields = fields
                    .iter()
                    .map(|(name, value)| format!("{} {}", words(name), value.shown(name)));
                fields.collect::<Vec<_>>().join(", ")
            }
        }
    }
}

/// The name of a field in words.
fn words(name: &str) -> String {
    name.replace('_', " ")
}

fn is_time(name: &str) -> bool {
    ["until", "at", "account_since"].contains(&name) || name.ends_with("_at")
}

/// Rows with a heading. Columns in which no row has anything are left out.
fn table(rows: &[Answer]) -> Vec<String> {
    let fields = rows.iter().filter_map(|row| match row {
        Answer::Fields(Named(fields)) => Some(fields),
        _ => None,
    });
    let rows: Vec<&Vec<(Box<str>, Answer)>> = fields.collect();
    let mut columns: Vec<&str> = Vec::new();
    for (name, _) in rows.iter().copied().flatten() {
        if !columns.contains(&&**name) {
            columns.push(name);
        }
    }
    let has = |row: &Vec<(Box<str>, Answer)>, column: &str| {
        row.iter().any(|(name, value)| **name == *column && !value.is_empty())
    };
    columns.retain(|column| rows.iter().any(|row| has(row, column)));
    let cell = |row: &Vec<(Box<str>, Answer)>, column: &str| {
        let found = row.iter().find(|(name, _)| **name == *column);
        found.map(|(name, value)| value.shown(name)).unwrap_or_default()
    };
    let mut lines: Vec<Vec<String>> = vec![columns.iter().map(|name| words(name)).collect()];
    lines.extend(rows.iter().map(|row| columns.iter().map(|name| cell(row, name)).collect()));
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
    let widths: Vec<usize> = (0..columns.len()).map(|at| width(at).unwrap_or(0)).collect();
    let aligned = |line: &Vec<String>| {
        let cells = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    lines.iter().map(aligned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_stand_one_a_line_and_lists_as_tables() {
        let answer: Answer = serde_json::from_str(
            r#"{
                "user": "ann", "guest": false, "owner": null, "bots": ["a", "b"], "notes": [],
                "bans": [
                    {"id": 1, "reason": "spam", "until": 951868799000, "network": null},
                    {"id": 12, "reason": "x"}
                ]
            }"#,
        )
        .unwrap();
        let expected = [
            "user: ann",
            "guest: no",
            "bots: a, b",
            "notes: none",
            "bans:",
            "id  reason  until",
            "1   spam    2000-02-29T23:59:59Z",
            "12  x",
        ];
        assert_eq!(answer.lines(), expected);
        assert_eq!(serde_json::from_str::<Answer>(r#"{"bans":[]}"#).unwrap().lines(), ["none"]);
    }
}
