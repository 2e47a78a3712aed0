//! Which file uses which, inside each crate.
//!
//! A name that comes through a face counts for the file that declares it. Declaring a module and
//! passing on its names (`pub use x::Y`) is no use.

use std::collections::BTreeMap;

use super::{
    modules::{Crate, Target, crates},
    rust::Rust,
    sources::Sources,
};

/// For each file the files that it uses, each with the first line that says so.
pub(crate) type Arrows = BTreeMap<String, BTreeMap<String, usize>>;

/// The arrows inside each crate, with the folder of its package.
pub(crate) fn arrows(sources: &Sources) -> Vec<(String, Arrows)> {
    crates(sources).iter().map(|one| (one.package.clone(), of_crate(one, sources))).collect()
}

fn of_crate(one: &Crate, sources: &Sources) -> Arrows {
    let mut arrows = Arrows::new();
    for (at, module) in one.modules.iter().enumerate() {
        let Some(rust) = sources.rust_file(&module.file) else { continue };
        let uses = arrows.entry(module.file.clone()).or_default();
        for (used, line) in used(one, at, rust) {
            let file = &one.modules[used].file;
            if *file != module.file {
                let first = uses.entry(file.clone()).or_insert(line);
                *first = line.min(*first);
            }
        }
    }
    arrows
}

/// The modules whose own code a module uses, with lines.
fn used(one: &Crate, at: usize, rust: &Rust) -> Vec<(usize, usize)> {
    let module = &one.modules[at];
    let mut used = Vec::new();
    for import in module.imports() {
        match one.resolve(at, &import.path) {
            Some(Target::Item(declared)) => {
                let is_passed_on = import.is_public && one.is_within(declared, at);
                if !is_passed_on {
                    used.push((declared, import.line));
                }
            }
            Some(Target::Module(inside)) if import.name.is_none() && !import.is_public => {
                for (name, line) in module.names(rust) {
                    if let Some(Target::Item(declared)) = one.lookup(inside, name, 0) {
                        used.push((declared, line));
                    }
                }
            }
            Some(Target::Module(_)) | None => {}
        }
    }
    for (name, line) in module.calls() {
        used.extend(one.macro_called(at, name).map(|declared| (declared, *line)));
    }
    for (path, line) in module.paths() {
        if let Some(Target::Item(declared)) = one.resolve(at, path) {
            used.push((declared, *line));
        }
    }
    used
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::arrows;
    use crate::tidy::sources::Sources;

    /// The arrows of a crate `c` with these files below `src`.
    fn read(files: &[(&str, &str)]) -> Vec<String> {
        let mut texts: BTreeMap<String, String> = files
            .iter()
            .map(|(path, text)| (format!("c/src/{path}"), (*text).to_owned()))
            .collect();
        texts.insert("c/Cargo.toml".to_owned(), String::new());
        let arrows = arrows(&Sources::of(texts));
        let short = |path: &str| path.trim_start_matches("c/src/").to_owned();
        let lines = arrows.iter().flat_map(|(_, arrows)| arrows).flat_map(|(from, uses)| {
            uses.keys().map(move |to| format!("{} -> {}", short(from), short(to)))
        });
        lines.collect()
    }

    #[test]
    fn a_name_through_a_face_counts_for_its_file() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "use crate::b::{Deep, inner::{self, Other as O}}; fn f() { inner::g() }"),
            ("b/mod.rs", "mod deep; pub mod inner; pub use deep::Deep;"),
            ("b/deep.rs", "pub struct Deep;"),
            ("b/inner.rs", "pub struct Other; pub fn g() {}"),
        ];
        assert_eq!(read(&files), ["a.rs -> b/deep.rs", "a.rs -> b/inner.rs"]);
    }

    #[test]
    fn a_file_with_an_unclosed_brace_is_read_to_its_end() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "use crate::b::{Deep; fn f() -> Deep { f() }"),
            ("b.rs", "pub struct Deep;"),
        ];
        assert_eq!(read(&files), ["a.rs -> b.rs"]);
    }

    #[test]
    fn a_face_with_code_of_its_own_is_a_file() {
        let files = [
            ("lib.rs", "mod b;"),
            ("b/mod.rs", "mod deep; pub use deep::Deep; pub struct Own(Deep);"),
            ("b/deep.rs", "use super::Own; pub struct Deep; fn f() -> super::Own {}"),
        ];
        assert_eq!(read(&files), ["b/deep.rs -> b/mod.rs"]);
        let files = [
            ("lib.rs", "mod b;"),
            ("b/mod.rs", "mod deep; use deep::Deep; pub struct Own(Deep);"),
            ("b/deep.rs", "pub struct Deep; fn f(_: crate::b::Own) {}"),
        ];
        assert_eq!(read(&files), ["b/deep.rs -> b/mod.rs", "b/mod.rs -> b/deep.rs"]);
    }

    #[test]
    fn names_are_found_behind_a_star_a_macro_and_an_attribute() {
        let files = [
            ("lib.rs", "mod a; mod b; mod c; mod d;"),
            ("a.rs", "use crate::b::*; #[serde(with = \"crate::d\")] struct A(Made);"),
            ("b.rs", "pub use crate::c::Made;"),
            ("c.rs", "text_id! { pub struct Made; }"),
            ("d.rs", "#[serde(with = \"crate::c::there\")] struct D;"),
        ];
        assert_eq!(read(&files), ["a.rs -> c.rs", "b.rs -> c.rs", "d.rs -> c.rs"]);
    }

    #[test]
    fn a_macro_is_used_where_it_is_called() {
        let files = [
            ("lib.rs", "mod a;"),
            ("a/mod.rs", "macro_rules! made { () => {} } mod b; mod c; use b::B;"),
            ("a/b.rs", "made! {} vec![1];"),
            ("a/c.rs", "use crate::a::b::B;"),
        ];
        assert_eq!(read(&files), ["a/b.rs -> a/mod.rs", "a/c.rs -> a/b.rs", "a/mod.rs -> a/b.rs"]);
    }

    #[test]
    fn tests_inside_a_file_are_no_arrow() {
        let files = [
            ("lib.rs", "mod a; mod b; #[cfg(test)] mod tests;"),
            ("a.rs", "pub struct A; #[cfg(test)] mod tests { use crate::b::B; }"),
            ("b.rs", "pub struct B(crate::a::A);"),
            ("tests.rs", "use crate::a::A;"),
        ];
        assert_eq!(read(&files), ["b.rs -> a.rs", "tests.rs -> a.rs"]);
    }
}
