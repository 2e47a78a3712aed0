//! One module style: a folder `x/` has a face `x/mod.rs`, which declares and passes on names.

use super::{rust::Rust, sources::Sources, violation::Violation};

const CHECK: &str = "faces";

/// Finds faces with code of their own, and files beside the folder of their modules.
pub(crate) fn check(sources: &Sources) -> Vec<Violation> {
    let mut found = Vec::new();
    for (path, rust) in sources.rust() {
        if path.ends_with("/mod.rs")
            && let Some(line) = own_code(rust)
        {
            let text = "a face holds nothing but docs, `mod`, `use` and `pub use`";
            found.push(Violation::new(CHECK, path, line, text));
        }
        let folder = format!("{}/", path.trim_end_matches(".rs"));
        if sources.rust().any(|(other, _)| other.starts_with(&folder)) {
            let text = format!("has a folder of its modules beside it: move it to {folder}mod.rs");
            found.push(Violation::new(CHECK, path, 0, text));
        }
    }
    found
}

/// The line of the first item that is neither a `mod` nor a `use`.
fn own_code(rust: &Rust) -> Option<usize> {
    let mut at = 0;
    while at < rust.words.len() {
        if rust.is(at, "#") {
            at = rust.after_group(if rust.is(at + 1, "!") { at + 2 } else { at + 1 });
        } else if rust.is(at, "pub") {
            at = if rust.is(at + 1, "(") { rust.after_group(at + 1) } else { at + 1 };
        } else if rust.is(at, "use") || (rust.is(at, "mod") && rust.is(at + 2, ";")) {
            while at < rust.words.len() && !rust.is(at, ";") {
                at += 1;
            }
            at += 1;
        } else {
            return Some(rust.words[at].line);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::own_code;
    use crate::tidy::rust::Rust;

    #[test]
    fn a_face_declares_and_passes_on() {
        let face = "//! Doc.\n#![expect(x)]\n\nmod a;\n#[cfg(test)]\nmod tests;\n\npub(crate) use a::{A, b};\nuse c as _;\n";
        assert_eq!(own_code(&Rust::read(face)), None);
        assert_eq!(own_code(&Rust::read("mod a;\nfn f() {}\n")), Some(2));
        assert_eq!(own_code(&Rust::read("mod a {}\n")), Some(1));
    }
}
