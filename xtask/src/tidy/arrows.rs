//! Which file uses which. No file uses another that uses it, directly or by way of others, and
//! none of the server uses a floor above its own.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    modules::{Crate, crates},
    sources::{Sources, at, ends_with},
};

/// For each file the files that it uses, each with the first line that says so.
type Arrows = BTreeMap<String, BTreeMap<String, usize>>;

/// Finds circles of files in Rust, JavaScript, TypeScript and Python, and what is wrong with the
/// floors of the server.
pub(super) fn check(sources: &Sources) -> Vec<String> {
    let mut all: Vec<Arrows> = crates(sources).iter().map(of_crate).collect();
    let mut found = floors(sources, &all);
    all.push(of_scripts(sources));
    for arrows in all {
        let reach: BTreeMap<&String, BTreeSet<&String>> =
            arrows.keys().map(|file| (file, reached(&arrows, file))).collect();
        for (file, used, line) in flat(&arrows) {
            if reach.get(used).is_some_and(|reached| reached.contains(file)) {
                found.push(at(file, line, &format!("uses {used}, in a circle of files")));
            }
        }
    }
    found
}

/// The arrows inside a crate. A name that comes through a face counts for the file that declares
/// it.
fn of_crate(one: &Crate) -> Arrows {
    let mut arrows = Arrows::new();
    for (number, module) in one.modules.iter().enumerate() {
        let uses = arrows.entry(module.file.clone()).or_default();
        for (used, line) in one.used(number).into_iter().filter(|(used, _)| *used != module.file) {
            let first = uses.entry(used.to_owned()).or_insert(line);
            *first = line.min(*first);
        }
    }
    arrows
}

/// The arrows between scripts. What is loaded at run time (`import(..)`) is none.
fn of_scripts(sources: &Sources) -> Arrows {
    let mut arrows = Arrows::new();
    for (path, text) in [".js", ".mjs", ".ts", ".py"].iter().flat_map(|end| sources.texts(end)) {
        let uses = arrows.entry(path.to_owned()).or_default();
        let read = if ends_with(path, ".py") { python_imports } else { script_imports };
        for (line, text) in (1..).zip(text.lines()) {
            for target in read(text).iter().map(|target| joined(path, target)) {
                let stem = target.trim_end_matches(".js");
                let files = [target.clone(), format!("{stem}.ts"), format!("{target}.py")];
                let is_other = |file: &String| file != path && sources.texts.contains_key(file);
                if let Some(used) = files.into_iter().find(is_other) {
                    uses.entry(used).or_insert(line);
                }
            }
        }
    }
    arrows
}

/// The file that a line of JavaScript or TypeScript imports or passes on.
fn script_imports(line: &str) -> Vec<String> {
    let is_export = line.starts_with("export ") || line.starts_with("} from ");
    let is_import = line.starts_with("import ") || (is_export && line.contains(" from "));
    let name = line.split(['"', '\'']).nth(1).filter(|name| is_import && name.starts_with('.'));
    name.map(str::to_owned).into_iter().collect()
}

/// The files that a line of Python imports from its own package.
fn python_imports(line: &str) -> Vec<String> {
    let import =
        line.trim_start().strip_prefix("from .").and_then(|line| line.split_once(" import "));
    match import {
        Some(("", names)) => names.split(',').map(|name| name.trim().to_owned()).collect(),
        Some((name, _)) => vec![name.replace('.', "/")],
        None => Vec::new(),
    }
}

/// A path as seen from a file, without `.` and `..`.
fn joined(file: &str, path: &str) -> String {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => parts.truncate(parts.len().saturating_sub(1)),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn flat(arrows: &Arrows) -> impl Iterator<Item = (&String, &String, usize)> {
    arrows.iter().flat_map(|(file, uses)| uses.iter().map(move |(used, line)| (file, used, *line)))
}

/// The files that can be reached from a file by one arrow or more.
fn reached<'a>(arrows: &'a Arrows, file: &str) -> BTreeSet<&'a String> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&String> = arrows[file].keys().collect();
    while let Some(next) = open.pop() {
        if reached.insert(next) {
            open.extend(arrows.get(next).into_iter().flat_map(BTreeMap::keys));
        }
    }
    reached
}

/// The document with the floors of the server, from the top: each in lines of its own.
const DOCUMENT: &str = "ARCHITECTURE.md";
const BEGIN: &str = "<!-- floors: read by cargo xtask tidy -->\n```\n";

/// Finds modules of the server without a floor, floors without a module, and arrows that go up.
fn floors(sources: &Sources, all: &[Arrows]) -> Vec<String> {
    let list =
        sources.text(DOCUMENT).split_once(BEGIN).and_then(|(_, rest)| rest.split_once("```"));
    let mut floors = BTreeMap::new();
    for (floor, modules) in list.map_or("", |(list, _)| list).split("\n\n").enumerate() {
        floors.extend(modules.lines().filter_map(|line| Some((line.split(' ').next()?, floor))));
    }
    let mut found = Vec::new();
    let mut modules = BTreeSet::new();
    for arrows in all {
        modules.extend(arrows.keys().filter_map(|file| module_of(file)).map(str::to_owned));
        for (file, used, line) in flat(arrows) {
            if let (Some(module), Some(below)) = (module_of(file), module_of(used))
                && floors.get(module) > floors.get(below)
            {
                let what = format!("{module} may not use {below}, which is above it");
                found.push(at(file, line, &what));
            }
        }
    }
    for module in modules.iter().filter(|module| !floors.contains_key(module.as_str())) {
        found.push(at(DOCUMENT, 0, &format!("the server's module {module} has no floor")));
    }
    for module in floors.keys().filter(|module| !modules.contains(**module)) {
        found.push(at(DOCUMENT, 0, &format!("the server has no module {module}")));
    }
    found
}

/// The server's module that a file belongs to. The roots of its crates are none.
fn module_of(file: &str) -> Option<&str> {
    let module = file.strip_prefix("server/src/")?.split(['/', '.']).next()?;
    (!["lib", "main"].contains(&module)).then_some(module)
}

#[cfg(test)]
mod tests {
    use super::{super::sources::tests::found, *};

    /// The arrows of a crate with these files.
    fn read(files: &[(&str, &str)]) -> Vec<String> {
        let files = [files, &[("c/Cargo.toml", "")]].concat();
        let arrows = |sources: &Sources| {
            let arrows = crates(sources).iter().map(of_crate).collect::<Vec<_>>();
            let lines = arrows.iter().flat_map(flat).map(|(from, to, _)| format!("{from} -> {to}"));
            lines.map(|line| line.replace("c/src/", "")).collect()
        };
        found(arrows, &files)
    }

    #[test]
    fn a_name_through_a_face_counts_for_its_file() {
        let files = [
            ("c/src/lib.rs", "mod a; mod b;"),
            (
                "c/src/a.rs",
                "use crate::b::{Deep, inner::{self, Other as O}}; fn f() { inner::g() }",
            ),
            ("c/src/b/mod.rs", "mod deep; pub mod inner; pub use deep::Deep;"),
            ("c/src/b/deep.rs", "pub struct Deep;"),
            ("c/src/b/inner.rs", "pub struct Other; pub fn g() {}"),
        ];
        assert_eq!(read(&files), ["a.rs -> b/deep.rs", "a.rs -> b/inner.rs"]);
    }

    #[test]
    fn a_face_with_code_of_its_own_is_a_file() {
        let files = [
            ("c/src/lib.rs", "mod b;"),
            ("c/src/b/mod.rs", "mod deep; pub use deep::Deep; #[derive(D)] pub struct Own(Deep);"),
            ("c/src/b/deep.rs", "use super::Own; pub struct Deep; fn f() -> super::Own {}"),
        ];
        assert_eq!(read(&files), ["b/deep.rs -> b/mod.rs"]);
        let files = [
            ("c/src/lib.rs", "mod b;"),
            ("c/src/b/mod.rs", "mod deep; use deep::Deep; pub struct Own(Deep);"),
            ("c/src/b/deep.rs", "pub struct Deep; fn f(_: crate::b::Own) {}"),
        ];
        assert_eq!(read(&files), ["b/deep.rs -> b/mod.rs", "b/mod.rs -> b/deep.rs"]);
    }

    #[test]
    fn names_are_found_behind_a_star_a_macro_and_an_attribute() {
        let files = [
            ("c/src/lib.rs", "mod a; mod b; mod c; mod d;"),
            ("c/src/a.rs", "use crate::b::*; #[serde(with = \"crate::d\")] struct A(Made);"),
            ("c/src/b.rs", "pub use crate::c::Made;"),
            ("c/src/c.rs", "text_id! { pub struct Made; }"),
            ("c/src/d.rs", "#[serde(with = \"crate::c::there\")] struct D;"),
        ];
        assert_eq!(read(&files), ["a.rs -> c.rs", "b.rs -> c.rs", "d.rs -> c.rs"]);
    }

    #[test]
    fn a_macro_is_used_where_it_is_called() {
        let files = [
            ("c/src/lib.rs", "mod a;"),
            ("c/src/a/mod.rs", "macro_rules! made { () => {} } mod b; mod c; use b::B;"),
            ("c/src/a/b.rs", "made! {} other! { pub struct B; } fn f() { vec![1] }"),
            ("c/src/a/c.rs", "use crate::a::b::B;"),
        ];
        assert_eq!(read(&files), ["a/b.rs -> a/mod.rs", "a/c.rs -> a/b.rs", "a/mod.rs -> a/b.rs"]);
    }

    #[test]
    fn tests_inside_a_file_are_no_arrow() {
        let files = [
            ("c/src/lib.rs", "mod a; mod b; #[cfg(test)] mod tests;"),
            ("c/src/a.rs", "pub struct A; #[cfg(test)] mod tests { use crate::b::B; }"),
            ("c/src/b.rs", "pub struct B(crate::a::A);"),
            ("c/src/tests.rs", "use crate::a::A;"),
        ];
        assert_eq!(read(&files), ["b.rs -> a.rs", "tests.rs -> a.rs"]);
    }

    #[test]
    fn a_circle_is_found_beside_a_path() {
        let files = [
            ("c/Cargo.toml", ""),
            ("c/src/lib.rs", "mod a; mod b; mod c; mod d;"),
            ("c/src/a.rs", "pub struct A(crate::b::B);"),
            ("c/src/b.rs", "use crate::{c::C, d::D};\npub struct B;"),
            ("c/src/c.rs", "use crate::a::A; pub struct C;"),
            ("c/src/d.rs", "pub struct D;"),
        ];
        let wanted = [("a", "b"), ("b", "c"), ("c", "a")].map(|(one, other)| {
            format!("c/src/{one}.rs:1: uses c/src/{other}.rs, in a circle of files")
        });
        assert_eq!(found(check, &files), wanted);
    }

    #[test]
    fn circles_of_scripts_are_found() {
        let files = [
            ("web/src/a.js", "import { b } from \"./ui/b.js\";\n"),
            ("web/src/ui/b.js", "import {\n  a,\n} from \"../a.js\";\n"),
            ("web/src/c.js", "const later = () => import(\"./d.js\");\n"),
            ("web/src/d.js", "import \"./c.js\";\n"),
            ("clients/t/a.ts", "import type { B } from \"./b.js\";\n"),
            ("clients/t/b.ts", "export { A } from \"./a.js\";\n"),
            ("clients/p/a.py", "if TYPE_CHECKING:\n    from ._b import B\n"),
            ("clients/p/_b.py", "from . import a\n"),
        ];
        assert_eq!(found(check, &files).len(), 6);
    }

    #[test]
    fn arrows_up_and_modules_without_a_floor_are_found() {
        let files = [
            (DOCUMENT, &*format!("{BEGIN}app  all\nroom games\n\nlimits bounds\n```\n")),
            ("server/Cargo.toml", ""),
            ("server/src/lib.rs", "mod limits; mod room; mod cellar;"),
            ("server/src/limits.rs", "use crate::room::Room;"),
            ("server/src/room.rs", "pub struct Room;"),
            ("server/src/cellar.rs", ""),
        ];
        let wanted = [
            "server/src/limits.rs:1: limits may not use room, which is above it",
            "ARCHITECTURE.md: the server's module cellar has no floor",
            "ARCHITECTURE.md: the server has no module app",
        ];
        assert_eq!(found(check, &files), wanted);
    }
}
