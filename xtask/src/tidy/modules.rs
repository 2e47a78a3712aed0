//! The modules of a crate, what each declares, and which file a path means.

use std::collections::{BTreeMap, BTreeSet};

use quote::ToTokens as _;
use syn::{Item, UseTree};

use super::{
    rust::{Token, flatten, is},
    sources::Sources,
};

/// A path, the name that it has here (none if it ends with `*`), whether that is public, the line.
type Import = (Vec<String>, Option<String>, bool, usize);

/// A module: a file, or a part of one.
#[derive(Default)]
pub(super) struct Module {
    pub(super) file: String,
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
pub(super) struct Crate {
    pub(super) modules: Vec<Module>,
    macros: BTreeMap<String, usize>,
}

/// What a path leads to: a module, or something that a module's own code declares.
#[derive(Clone, Copy)]
enum Target {
    Module(usize),
    Item(usize),
}

/// All crates of the workspace.
pub(super) fn crates(sources: &Sources) -> Vec<Crate> {
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
                let mut one = Crate::default();
                one.add(
                    sources,
                    path,
                    None,
                    path.rsplit_once('/').map_or("", |(folder, _)| folder),
                );
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
                let name =
                    if let Item::Macro(called) = item { called.ident.as_ref() } else { None };
                self.macros.extend(name.map(|name| (name.to_string(), module)));
                self.modules[module].items.extend(name.map(ToString::to_string));
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
    pub(super) fn used(&self, at: usize) -> Vec<(&str, usize)> {
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
        let with = |name: &dyn ToString| [before, &[name.to_string()]].concat();
        let (path, name) = match tree {
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
            UseTree::Name(name) if name.ident == "self" => {
                (before.to_vec(), before.last().cloned())
            }
            UseTree::Name(name) => (with(&name.ident), Some(name.ident.to_string())),
            UseTree::Rename(name) if name.ident == "self" => {
                (before.to_vec(), Some(name.rename.to_string()))
            }
            UseTree::Rename(name) => (with(&name.ident), Some(name.rename.to_string())),
        };
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
