//! The kinds of games in texts of help.

use adamant_rules::Kind;

/// Appends the list of all games to a help text: `The game: this, that or another`.
pub(super) fn help_with_kinds(what: &str) -> String {
    let names: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
    let (last, others) = names.split_last().expect("there are games");
    format!("{what}: {} or {last}", others.join(", "))
}
