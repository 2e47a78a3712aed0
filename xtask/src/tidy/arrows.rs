//! Which file uses which. No file uses another that uses it, directly or by way of others, and
//! none of the server uses a floor above its own. The modules of a crate, and what each declares,
//! say which file a path means.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::Ident;
use quote::ToTokens as _;
use syn::{Item, ItemMacro, UseTree};

use super::sources::{Sources, Token, at, ends_with, flatten, joined};

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

/// A path, the name that it has here (none if it ends with `*`), whether that is public, the line.
type Import = (Vec<String>, Option<String>, bool, usize);

/// A module: a file, or a part of one.
#[derive(Default)]
struct Module {
    file: String,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    /// The names that its own code declares, also by macros.
    items: BTreeSet<String>,
    imports: Vec<Import>,
    /// The names and the longer paths in its code, with their lines.
    paths: Vec<(Vec<String>, usize)>,
    /// The macros that its code calls by name, with their lines.
    calls: Vec<(String, usize)>,
}

/// A crate in cargo's sense: a root file and the modules below it, the root first.
#[derive(Default)]
struct Crate {
    modules: Vec<Module>,
    macros: BTreeMap<String, usize>,
}

/// What a path leads to: a module, or something that a module's own code declares.
#[derive(Clone, Copy)]
enum Target {
    Module(usize),
    Item(usize),
}

/// All crates of the workspace.
fn crates(sources: &Sources) -> Vec<Crate> {
    let mut found = Vec::new();
    for (manifest, _) in sources.texts("/Cargo.toml") {
        let package = manifest.trim_end_matches("Cargo.toml");
        let files =
            sources.rust.keys().filter_map(|path| Some((path, path.strip_prefix(package)?)));
        for (path, inside) in files {
            // What cargo takes for the root of a crate.
            let is_root = match *inside.split('/').collect::<Vec<_>>() {
                ["src", file] => ["lib.rs", "main.rs"].contains(&file),
                ["it", file] | ["tests" | "benches" | "examples", _, file] => file == "main.rs",
                ["tests" | "benches" | "examples" | "fuzz_targets", _] | ["src", "bin", _] => true,
                _ => false,
            };
            if is_root {
                let (mut one, folder) = (Crate::default(), path.rsplit_once('/'));
                one.add(sources, path, None, folder.map_or("", |(folder, _)| folder));
                found.push(one);
            }
        }
    }
    found
}

impl Crate {
    /// Adds a file's module; `folder` is where its children lie.
    fn add(&mut self, sources: &Sources, file: &str, parent: Option<usize>, folder: &str) -> usize {
        let module = self.modules.len();
        self.modules.push(Module { file: file.to_owned(), parent, ..Module::default() });
        if let Some(rust) = sources.rust.get(file) {
            self.read(sources, module, &rust.items, folder);
        }
        module
    }

    fn read(&mut self, sources: &Sources, module: usize, items: &[Item], folder: &str) {
        for item in items {
            let mut tokens = Vec::new();
            flatten(item.to_token_stream(), &mut tokens);
            let Item::Mod(inner) = item else {
                if let Item::Macro(ItemMacro { ident: Some(name), .. }) = item {
                    self.macros.insert(name.to_string(), module);
                    self.modules[module].items.insert(name.to_string());
                }
                self.modules[module].read(&tokens, matches!(item, Item::Macro(_)));
                continue;
            };
            let name = inner.ident.to_string();
            let inside = format!("{folder}/{name}");
            let child = if let Some((_, items)) = &inner.content {
                let (file, child) = (self.modules[module].file.clone(), self.modules.len());
                self.modules.push(Module { file, parent: Some(module), ..Module::default() });
                if !tokens.is_empty() {
                    self.read(sources, child, items, &inside);
                }
                child
            } else {
                let file =
                    Some(format!("{inside}.rs")).filter(|file| sources.rust.contains_key(file));
                let file = file.unwrap_or_else(|| format!("{inside}/mod.rs"));
                self.add(sources, &file, Some(module), &inside)
            };
            self.modules[module].children.insert(name, child);
        }
    }

    /// The files whose own code a module uses, with lines. A module that passes on a name of a
    /// module inside it does not use that one.
    fn used(&self, at: usize) -> Vec<(&str, usize)> {
        let module = &self.modules[at];
        let mut used = Vec::new();
        for (path, name, is_public, line) in &module.imports {
            match self.resolve(at, path, 0) {
                Some(Target::Item(declared)) if !is_public || !self.is_within(declared, at) => {
                    used.push((declared, *line));
                }
                Some(Target::Module(inside)) if name.is_none() && !is_public => {
                    for (path, line) in &module.paths {
                        if let Some(Target::Item(declared)) = self.look_up(inside, &path[0], 0) {
                            used.push((declared, *line));
                        }
                    }
                }
                _ => {}
            }
        }
        for (name, line) in &module.calls {
            let own = module.items.contains(name).then_some(&at);
            used.extend(own.or_else(|| self.macros.get(name)).map(|declared| (*declared, *line)));
        }
        for (path, line) in module.paths.iter().filter(|(path, _)| path.len() > 1) {
            if let Some(Target::Item(declared)) = self.resolve(at, path, 0) {
                used.push((declared, *line));
            }
        }
        used.into_iter().map(|(used, line)| (self.modules[used].file.as_str(), line)).collect()
    }

    /// What a path leads to from a module, if it leads anywhere in this crate.
    fn resolve(&self, from: usize, path: &[String], depth: usize) -> Option<Target> {
        let mut module = match path.first()?.as_str() {
            "crate" => 0,
            "self" => from,
            "super" => self.modules[from].parent?,
            name => match self.look_up(from, name, depth)? {
                Target::Module(module) => module,
                item @ Target::Item(_) => return Some(item),
            },
        };
        for name in &path[1..] {
            module = match self.look_up(module, name, depth) {
                _ if name == "super" => self.modules[module].parent?,
                Some(Target::Module(inside)) => inside,
                item => return Some(item.unwrap_or(Target::Item(module))),
            };
        }
        Some(Target::Module(module))
    }

    /// What a name means in a module.
    fn look_up(&self, module: usize, name: &str, depth: usize) -> Option<Target> {
        let here = &self.modules[module];
        if let Some(child) = here.children.get(name) {
            return Some(Target::Module(*child));
        }
        if here.items.contains(name) {
            return Some(Target::Item(module));
        }
        // A path that leads back to itself ends here.
        let imports = here.imports.iter().filter(|(path, ..)| depth < 8 && *path != [name]);
        let mut named =
            imports.clone().filter(|(_, known_as, ..)| known_as.as_deref() == Some(name));
        if let Some(found) = named.find_map(|(path, ..)| self.resolve(module, path, depth + 1)) {
            return Some(found);
        }
        let mut all = imports.filter(|(_, known_as, ..)| known_as.is_none());
        all.find_map(|(path, ..)| match self.resolve(module, path, depth + 1)? {
            Target::Module(inside) if inside != module => self.look_up(inside, name, depth + 1),
            Target::Module(_) | Target::Item(_) => None,
        })
    }

    /// Whether a module lies inside another, or is it.
    fn is_within(&self, module: usize, outer: usize) -> bool {
        module == outer || self.modules[module].parent.is_some_and(|up| self.is_within(up, outer))
    }
}

impl Module {
    /// Reads what an item declares and uses. A macro may declare types of the module further
    /// inside.
    fn read(&mut self, tokens: &[Token], is_macro: bool) {
        let declare = ["struct", "enum", "union", "trait", "type", "fn", "static", "const"];
        let (mut is_head, mut brackets) = (true, 0);
        let mut at = 0;
        while at < tokens.len() {
            let Token { text, line } = &tokens[at];
            if text == "use" && !is(tokens, at + 1, "<") {
                let end = (at..tokens.len()).find(|end| is(tokens, *end, ";")).unwrap_or(at);
                let tree: Vec<&str> =
                    tokens[at + 1..end].iter().map(|token| &*token.text).collect();
                // A macro's text may be no tree.
                if let Ok(tree) = syn::parse_str(&tree.join(" ").replace(": :", "::")) {
                    let is_public =
                        at > 0 && (is(tokens, at - 1, "pub") || is(tokens, at - 1, ")"));
                    self.import(&tree, &[], is_public, *line);
                }
                at = end + 1;
                continue;
            }
            brackets += i32::from(text == "[") - i32::from(text == "]");
            is_head &= brackets > 0
                || !["(", "{", "=", ";"].contains(&&**text)
                || is(tokens, at.wrapping_sub(1), "pub");
            if (is_head || is_macro) && declare.contains(&&**text) && at + 1 < tokens.len() {
                self.items.insert(tokens[at + 1].text.clone());
            }
            if is(tokens, at + 1, "!") {
                self.calls.push((text.clone(), *line));
            }
            let is_inside = at > 1 && is(tokens, at - 1, ":") && is(tokens, at - 2, ":");
            if tokens[at].is_word() && !is_inside {
                self.paths.push((path_at(tokens, at), *line));
            } else if text.starts_with("\"crate::") || text.starts_with("\"super::") {
                // As in `#[serde(with = "crate::a::b")]`.
                let path = text.trim_matches('"').split("::").map(str::to_owned);
                self.paths.push((path.collect(), *line));
            }
            at += 1;
        }
    }

    fn import(&mut self, tree: &UseTree, before: &[String], is_public: bool, line: usize) {
        let with = |name: &Ident| [before, &[name.to_string()]].concat();
        let (mut path, mut name) = match tree {
            UseTree::Path(inner) => {
                return self.import(&inner.tree, &with(&inner.ident), is_public, line);
            }
            UseTree::Group(group) => {
                return group
                    .items
                    .iter()
                    .for_each(|one| self.import(one, before, is_public, line));
            }
            UseTree::Glob(_) => (before.to_vec(), None),
            UseTree::Name(name) => (with(&name.ident), Some(name.ident.to_string())),
            UseTree::Rename(name) => (with(&name.ident), Some(name.rename.to_string())),
        };
        if path.pop_if(|last| *last == "self").is_some() && name.as_deref() == Some("self") {
            name = path.last().cloned();
        }
        self.imports.push((path, name, is_public, line));
    }
}

/// The names of the path that begins at a token.
fn path_at(tokens: &[Token], mut at: usize) -> Vec<String> {
    let mut path = vec![tokens[at].text.clone()];
    while is(tokens, at + 1, ":")
        && is(tokens, at + 2, ":")
        && let Some(name) = tokens.get(at + 3).filter(|name| name.is_word())
    {
        path.push(name.text.clone());
        at += 3;
    }
    path
}

/// Whether this is the text of the token.
fn is(tokens: &[Token], at: usize, text: &str) -> bool {
    tokens.get(at).is_some_and(|token| token.text == text)
}

#[cfg(test)]
mod tests {
    use super::{super::sources::tests::found, *};

    /// The arrows of a crate with these files.
    fn read(files: &str) -> Vec<String> {
        let arrows = |sources: &Sources| {
            let arrows = crates(sources).iter().map(of_crate).collect::<Vec<_>>();
            let lines = arrows.iter().flat_map(flat).map(|(from, to, _)| format!("{from} -> {to}"));
            lines.map(|line| line.replace("c/src/", "")).collect()
        };
        found(arrows, &format!("=== c/Cargo.toml\n{}", files.replace("=== ", "=== c/src/")))
    }

    #[test]
    fn a_name_through_a_face_counts_for_its_file() {
        let files = "=== lib.rs\nmod a; mod b;
=== a.rs\nuse crate::b::{Deep, inner::{self, Other as O}}; fn f() { inner::g() }
=== b/mod.rs\nmod deep; pub mod inner; pub use deep::Deep;
=== b/deep.rs\npub struct Deep;
=== b/inner.rs\npub struct Other; pub fn g() {}";
        assert_eq!(read(files), ["a.rs -> b/deep.rs", "a.rs -> b/inner.rs"]);
    }

    #[test]
    fn a_face_with_code_of_its_own_is_a_file() {
        let files = "=== lib.rs\nmod b;
=== b/mod.rs\nmod deep; pub use deep::Deep; #[derive(D)] pub struct Own(Deep);
=== b/deep.rs\nuse super::Own; pub struct Deep; fn f() -> super::Own {}";
        assert_eq!(read(files), ["b/deep.rs -> b/mod.rs"]);
        let files = "=== lib.rs\nmod b;
=== b/mod.rs\nmod deep; use deep::Deep; pub struct Own(Deep);
=== b/deep.rs\npub struct Deep; fn f(_: crate::b::Own) {}";
        assert_eq!(read(files), ["b/deep.rs -> b/mod.rs", "b/mod.rs -> b/deep.rs"]);
    }

    #[test]
    fn names_are_found_behind_a_star_a_macro_and_an_attribute() {
        let files = "=== lib.rs\nmod a; mod b; mod c; mod d;
=== a.rs\nuse crate::b::*; #[serde(with = \"crate::d\")] struct A(Made);
=== b.rs\npub use crate::c::Made;
=== c.rs\ntext_id! { pub struct Made; }
=== d.rs\n#[serde(with = \"crate::c::there\")] struct D;";
        assert_eq!(read(files), ["a.rs -> c.rs", "b.rs -> c.rs", "d.rs -> c.rs"]);
    }

    #[test]
    fn a_macro_is_used_where_it_is_called() {
        let files = "=== lib.rs\nmod a;
=== a/mod.rs\nmacro_rules! made { () => {} } mod b; mod c; use b::B;
=== a/b.rs\nmade! {} other! { pub struct B; } fn f() { vec![1] }
=== a/c.rs\nuse crate::a::b::B;";
        assert_eq!(read(files), ["a/b.rs -> a/mod.rs", "a/c.rs -> a/b.rs", "a/mod.rs -> a/b.rs"]);
    }

    #[test]
    fn tests_inside_a_file_are_no_arrow() {
        let files = "=== lib.rs\nmod a; mod b; #[cfg(test)] mod tests;
=== a.rs\npub struct A; #[cfg(test)] mod tests { use crate::b::B; }
=== b.rs\npub struct B(crate::a::A);
=== tests.rs\nuse crate::a::A;";
        assert_eq!(read(files), ["b.rs -> a.rs", "tests.rs -> a.rs"]);
    }

    #[test]
    fn a_circle_is_found_beside_a_path() {
        let files = "=== c/Cargo.toml
=== c/src/lib.rs\nmod a; mod b; mod c; mod d;
=== c/src/a.rs\npub struct A(crate::b::B);
=== c/src/b.rs\nuse crate::{c::C, d::D};\npub struct B;
=== c/src/c.rs\nuse crate::a::A; pub struct C;
=== c/src/d.rs\npub struct D;";
        let wanted = [("a", "b"), ("b", "c"), ("c", "a")].map(|(one, other)| {
            format!("c/src/{one}.rs:1: uses c/src/{other}.rs, in a circle of files")
        });
        assert_eq!(found(check, files), wanted);
    }

    #[test]
    fn circles_of_scripts_are_found() {
        let files = "=== web/src/a.js\nimport { b } from \"./ui/b.js\";
=== web/src/ui/b.js\nimport {\n  a,\n} from \"../a.js\";
=== web/src/c.js\nconst later = () => import(\"./d.js\");
=== web/src/d.js\nimport \"./c.js\";
=== clients/t/a.ts\nimport type { B } from \"./b.js\";
=== clients/t/b.ts\nexport { A } from \"./a.js\";
=== clients/p/a.py\nif TYPE_CHECKING:\n    from ._b import B
=== clients/p/_b.py\nfrom . import a";
        assert_eq!(found(check, files).len(), 6);
    }

    #[test]
    fn arrows_up_and_modules_without_a_floor_are_found() {
        let files = format!(
            "=== {DOCUMENT}\n{BEGIN}app  all\nroom games\n\nlimits bounds\n```
=== server/Cargo.toml
=== server/src/lib.rs\nmod limits; mod room; mod cellar;
=== server/src/limits.rs\nuse crate::room::Room;
=== server/src/room.rs\npub struct Room;
=== server/src/cellar.rs\n"
        );
        let wanted = [
            "server/src/limits.rs:1: limits may not use room, which is above it",
            "ARCHITECTURE.md: the server's module cellar has no floor",
            "ARCHITECTURE.md: the server has no module app",
        ];
        assert_eq!(found(check, &files), wanted);
    }
}
