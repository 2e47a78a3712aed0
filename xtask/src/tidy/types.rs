//! One name for one type in a crate: a reader who jumps by name lands right.

use std::collections::{BTreeMap, BTreeSet};

use super::{lexer::Kind, modules::crates, rust::Rust, sources::Sources, violation::Violation};

const CHECK: &str = "types";

/// Names that mean the same wherever the crate, given by its root, declares them.
const SAME_MEANING: [(&str, &[&str]); 1] = [(
    // Each game has its own: its cells, what stands on them, its moves, its reasons to reject.
    "rules/src/lib.rs",
    &[
        "Board",
        "CellSet",
        "Direction",
        "Move",
        "MoveKind",
        "Position",
        "PositionError",
        "RuleViolation",
        "Spot",
        "Stack",
    ],
)];

/// Finds names that a crate declares for more than one type.
pub(crate) fn check(sources: &Sources) -> Vec<Violation> {
    let mut found = Vec::new();
    for one in crates(sources) {
        let root = &one.modules[0].file;
        let same =
            SAME_MEANING.iter().find(|(at, _)| at == root).map_or(&[][..], |(_, names)| names);
        let files: BTreeSet<&str> = one.modules.iter().map(|module| module.file.as_str()).collect();
        let mut places: BTreeMap<&str, Vec<(&str, usize)>> = BTreeMap::new();
        for file in files {
            let Some(rust) = sources.rust_file(file) else { continue };
            for (name, line) in declared(rust) {
                places.entry(name).or_default().push((file, line));
            }
        }
        places.retain(|name, places| places.len() > 1 && !same.contains(name));
        for (name, places) in places {
            for (file, line) in &places {
                let others: Vec<&str> =
                    places.iter().map(|(file, _)| *file).filter(|other| other != file).collect();
                let text = format!("{name} is also the name of a type in {}", others.join(", "));
                found.push(Violation::new(CHECK, file, *line, text));
            }
        }
    }
    found
}

/// The types that a file declares, those inside functions and tests too.
fn declared(rust: &Rust) -> Vec<(&str, usize)> {
    let mut found = Vec::new();
    let mut inside_impl = 0;
    for (at, word) in rust.words.iter().enumerate() {
        if word.kind != Kind::Word {
            continue;
        }
        match word.text.as_str() {
            "impl" | "trait" => inside_impl = inside_impl.max(end_of_block(rust, at)),
            _ => {}
        }
        let is_type = match word.text.as_str() {
            "struct" | "enum" | "union" | "trait" => true,
            "type" => at >= inside_impl,
            _ => false,
        };
        let Some(name) = rust.name(at + 1).filter(|_| is_type) else { continue };
        let follows = ["{", "(", ";", "<", "=", ":", "where"];
        if follows.iter().any(|sign| rust.is(at + 2, sign)) {
            found.push((name, word.line));
        }
    }
    found
}

/// The word after the block of an `impl` or a `trait`; the word itself if it opens none.
fn end_of_block(rust: &Rust, mut at: usize) -> usize {
    let begin = at;
    while at < rust.words.len() {
        match rust.words[at].text.as_str() {
            "{" => return rust.after_group(at),
            ";" | ")" | "," | "=" => return begin,
            "(" | "[" => at = rust.after_group(at),
            _ => at += 1,
        }
    }
    begin
}

#[cfg(test)]
mod tests {
    use super::declared;
    use crate::tidy::rust::Rust;

    #[test]
    fn types_are_found_but_not_those_of_a_trait() {
        let text = "struct A(u8); impl Iterator for A { type Item = u8; fn f() { enum B { X } } } type C<'a> = &'a A; trait D { type E; } fn f(x: impl Fn()) { struct F; }";
        let rust = Rust::read(text);
        let names: Vec<&str> = declared(&rust).iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["A", "B", "C", "D", "F"]);
    }
}
