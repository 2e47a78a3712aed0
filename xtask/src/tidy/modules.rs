//! The modules of each crate, what each declares, and which file a path means.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    lexer::Kind,
    rust::{Rust, Word},
    sources::Sources,
};

/// One name that a `use` brings in.
#[derive(Debug, Clone)]
pub(crate) struct Import {
    /// The path, as written.
    pub(crate) path: Vec<String>,
    /// The name it has here; none if everything inside the path is meant.
    pub(crate) name: Option<String>,
    /// Whether others may use it from here.
    pub(crate) is_public: bool,
    /// Its line.
    pub(crate) line: usize,
}

/// A module: a file, or a part of one.
#[derive(Debug)]
pub(crate) struct Module {
    /// Its file.
    pub(crate) file: String,
    /// The module that declares it.
    pub(crate) parent: Option<usize>,
    /// The words of its file that are its own, but for what modules inside it take.
    words: Vec<usize>,
    children: BTreeMap<String, usize>,
    items: BTreeSet<String>,
    imports: Vec<Import>,
    macros: BTreeSet<String>,
    /// Macros that its code calls by name, with their lines.
    calls: Vec<(String, usize)>,
    /// Paths of two names or more in its code, with their lines.
    paths: Vec<(Vec<String>, usize)>,
}

/// A crate in cargo's sense: a root file and the modules below it.
#[derive(Debug)]
pub(crate) struct Crate {
    /// The folder of its package.
    pub(crate) package: String,
    /// Its modules; the first is the root.
    pub(crate) modules: Vec<Module>,
}

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    /// A module.
    Module(usize),
    /// Something that this module's own code declares.
    Item(usize),
}

/// All crates of the workspace.
pub(crate) fn crates(sources: &Sources) -> Vec<Crate> {
    let mut found = Vec::new();
    for package in sources.packages() {
        for (path, _) in sources.rust() {
            let inside = path.strip_prefix(package).and_then(|path| path.strip_prefix('/'));
            if inside.is_some_and(is_root) {
                let mut one = Crate { package: package.to_owned(), modules: Vec::new() };
                one.add(sources, path, None, folder(path));
                found.push(one);
            }
        }
    }
    found
}

/// Whether cargo takes a file of a package for the root of a crate.
fn is_root(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    matches!(
        parts[..],
        ["src", "lib.rs" | "main.rs"]
            | ["src", "bin", _]
            | ["tests" | "benches" | "examples" | "it", "main.rs"]
            | ["tests" | "benches" | "examples" | "fuzz_targets", _]
            | ["tests" | "benches" | "examples", _, "main.rs"]
    )
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

impl Crate {
    /// Adds a file's module; `folder` is where its children lie.
    fn add(&mut self, sources: &Sources, path: &str, parent: Option<usize>, folder: &str) -> usize {
        let module = self.new_module(path, parent);
        if let Some(rust) = sources.rust_file(path) {
            Reader { sources, rust, path }.read(self, module, 0..rust.words.len(), folder);
        }
        module
    }

    fn new_module(&mut self, file: &str, parent: Option<usize>) -> usize {
        self.modules.push(Module {
            file: file.to_owned(),
            parent,
            words: Vec::new(),
            children: BTreeMap::new(),
            items: BTreeSet::new(),
            imports: Vec::new(),
            macros: BTreeSet::new(),
            calls: Vec::new(),
            paths: Vec::new(),
        });
        self.modules.len() - 1
    }

    /// What a path leads to from a module, if it leads anywhere in this crate.
    pub(crate) fn resolve(&self, from: usize, path: &[String]) -> Option<Target> {
        self.resolve_within(from, path, 0)
    }

    fn resolve_within(&self, from: usize, path: &[String], depth: usize) -> Option<Target> {
        let mut names = path.iter();
        let mut module = match names.next()?.as_str() {
            "crate" => 0,
            "self" => from,
            "super" => self.modules[from].parent?,
            name => match self.lookup(from, name, depth)? {
                Target::Module(module) => module,
                item @ Target::Item(_) => return Some(item),
            },
        };
        for name in names {
            if name == "super" {
                module = self.modules[module].parent?;
                continue;
            }
            match self.lookup(module, name, depth) {
                Some(Target::Module(inside)) => module = inside,
                Some(item) => return Some(item),
                None => return Some(Target::Item(module)),
            }
        }
        Some(Target::Module(module))
    }

    /// What a name means in a module.
    pub(crate) fn lookup(&self, module: usize, name: &str, depth: usize) -> Option<Target> {
        let here = &self.modules[module];
        if let Some(child) = here.children.get(name) {
            return Some(Target::Module(*child));
        }
        if here.items.contains(name) {
            return Some(Target::Item(module));
        }
        // A path that leads back to itself ends here.
        if depth > 8 {
            return None;
        }
        let named = here.imports.iter().filter(|import| import.name.as_deref() == Some(name));
        let mut found = named.filter_map(|import| {
            let leads_to_itself = import.path.len() == 1 && import.path[0] == name;
            if leads_to_itself {
                None
            } else {
                self.resolve_within(module, &import.path, depth + 1)
            }
        });
        if let Some(target) = found.next() {
            return Some(target);
        }
        let all = here.imports.iter().filter(|import| import.name.is_none());
        let mut found = all.filter_map(|import| match import.path.first()?.as_str() {
            "crate" | "self" | "super" => {
                match self.resolve_within(module, &import.path, depth + 1)? {
                    Target::Module(inside) if inside != module => {
                        self.lookup(inside, name, depth + 1)
                    }
                    Target::Module(_) | Target::Item(_) => None,
                }
            }
            first if here.children.contains_key(first) => {
                match self.resolve_within(module, &import.path, depth + 1)? {
                    Target::Module(inside) => self.lookup(inside, name, depth + 1),
                    Target::Item(_) => None,
                }
            }
            _ => None,
        });
        found.next()
    }

    /// The module whose macro a name calls: its own, an imported one, or one that stands earlier in
    /// the crate's text.
    pub(crate) fn macro_called(&self, module: usize, name: &str) -> Option<usize> {
        if self.modules[module].macros.contains(name) {
            return Some(module);
        }
        if let Some(Target::Item(declared)) = self.lookup(module, name, 0) {
            return Some(declared);
        }
        self.modules.iter().position(|other| other.macros.contains(name))
    }

    /// Whether a module lies inside another, or is it.
    pub(crate) fn is_within(&self, mut module: usize, outer: usize) -> bool {
        loop {
            if module == outer {
                return true;
            }
            match self.modules[module].parent {
                Some(parent) => module = parent,
                None => return false,
            }
        }
    }
}

impl Module {
    /// What its `use` lines bring in.
    pub(crate) fn imports(&self) -> &[Import] {
        &self.imports
    }

    /// The macros that its code calls by name.
    pub(crate) fn calls(&self) -> &[(String, usize)] {
        &self.calls
    }

    /// The paths in its code.
    pub(crate) fn paths(&self) -> &[(Vec<String>, usize)] {
        &self.paths
    }

    /// The names in its code, with their lines.
    pub(crate) fn names<'a>(&self, rust: &'a Rust) -> impl Iterator<Item = (&'a str, usize)> {
        let words = self.words.iter().map(|at| (rust.name(*at), rust.words[*at].line));
        words.filter_map(|(name, line)| Some((name?, line)))
    }
}

/// Reads a file into the modules of a crate.
struct Reader<'a> {
    sources: &'a Sources,
    rust: &'a Rust,
    path: &'a str,
}

impl Reader<'_> {
    fn read(&self, of: &mut Crate, module: usize, range: std::ops::Range<usize>, folder: &str) {
        let rust = self.rust;
        let mut depth = 0_usize;
        let mut other_path = None;
        let mut at = range.start;
        while at < range.end {
            let word = &rust.words[at];
            let next = rust.name(at + 1);
            match (word.kind, word.text.as_str()) {
                (Kind::Sign, "#") if rust.is(at + 1, "[") => {
                    if rust.is(at + 2, "path") {
                        other_path = Some(rust.words[at + 4].text.trim_matches('"').to_owned());
                    }
                    let end = rust.after_group(at + 1);
                    if !word.is_test {
                        for at in at..end {
                            let path = path_in_text(&rust.words[at]);
                            let line = rust.words[at].line;
                            of.modules[module].paths.extend(path.map(|path| (path, line)));
                            self.path_at(of, module, at);
                        }
                    }
                    at = end;
                    continue;
                }
                (Kind::Sign, "{") => depth += 1,
                (Kind::Sign, "}") => depth = depth.saturating_sub(1),
                (Kind::Word, "mod") if next.is_some() && depth == 0 => {
                    let name = next.unwrap_or_default().to_owned();
                    let other = other_path.take();
                    let (child, end) = if rust.is(at + 2, "{") {
                        let end = rust.after_group(at + 2);
                        let child = of.new_module(self.path, Some(module));
                        let inside = format!("{folder}/{name}");
                        if !word.is_test {
                            self.read(of, child, at + 3..end - 1, &inside);
                        }
                        (child, end)
                    } else {
                        (self.file(of, module, folder, &name, other), at + 3)
                    };
                    of.modules[module].children.insert(name, child);
                    at = end;
                    continue;
                }
                (Kind::Word, "use") if !word.is_test && !rust.is(at + 1, "<") => {
                    at = self.imports(of, module, at);
                    continue;
                }
                (Kind::Word, "struct" | "enum" | "union" | "trait" | "type" | "fn" | "static")
                    // A macro may declare types of the module further inside.
                    if depth == 0 || !matches!(word.text.as_str(), "type" | "fn" | "static") =>
                {
                    of.modules[module].items.extend(next.map(str::to_owned));
                }
                (Kind::Word, "const") if depth == 0 => {
                    of.modules[module].items.extend(next.map(str::to_owned));
                }
                (Kind::Word, "macro_rules") => {
                    let name = rust.name(at + 2).map(str::to_owned);
                    of.modules[module].macros.extend(name.clone());
                    of.modules[module].items.extend(name);
                }
                (Kind::Word, name) if rust.is(at + 1, "!") && !word.is_test => {
                    of.modules[module].calls.push((name.to_owned(), word.line));
                }
                _ => {}
            }
            if !word.is_test {
                of.modules[module].words.push(at);
                self.path_at(of, module, at);
            }
            at += 1;
        }
    }

    fn file(
        &self,
        of: &mut Crate,
        module: usize,
        folder: &str,
        name: &str,
        other: Option<String>,
    ) -> usize {
        let candidates = match other {
            Some(other) => vec![format!("{}/{other}", super::modules::folder(self.path))],
            None => vec![format!("{folder}/{name}.rs"), format!("{folder}/{name}/mod.rs")],
        };
        let path = candidates.iter().find(|path| self.sources.rust_file(path).is_some());
        let path = path.unwrap_or(&candidates[0]).clone();
        let inside = format!("{folder}/{name}");
        of.add(self.sources, &path, Some(module), &inside)
    }

    /// Reads a `use` and returns the word after it.
    fn imports(&self, of: &mut Crate, module: usize, at: usize) -> usize {
        let before = at.checked_sub(1).map(|before| self.rust.words[before].text.as_str());
        let is_public = matches!(before, Some("pub" | ")"));
        let mut found = Vec::new();
        let end = self.tree(at + 1, &[], is_public, &mut found);
        of.modules[module].imports.extend(found);
        end + 1
    }

    /// Reads one branch of a `use` and returns the word after it.
    fn tree(
        &self,
        mut at: usize,
        before: &[String],
        public: bool,
        found: &mut Vec<Import>,
    ) -> usize {
        let rust = self.rust;
        let mut path = before.to_vec();
        let mut import = |path: Vec<String>, name: Option<String>, at: usize| {
            let line = rust.words.get(at).map_or(0, |word| word.line);
            found.push(Import { path, name, is_public: public, line });
        };
        loop {
            if rust.is(at, "{") {
                let end = rust.after_group(at);
                at += 1;
                while at + 1 < end {
                    // A file that does not compile may hold a word that is no branch.
                    at = self.tree(at, &path, public, found).max(at + 1);
                    if rust.is(at, ",") {
                        at += 1;
                    }
                }
                return end;
            }
            if rust.is(at, "*") {
                import(path, None, at);
                return at + 1;
            }
            let Some(name) = rust.name(at) else { return at + usize::from(rust.is(at, ":")) };
            if name != "self" || path.is_empty() {
                path.push(name.to_owned());
            }
            at += 1;
            if rust.is(at, ":") {
                at += 2;
                continue;
            }
            let mut known_as = path.last().cloned();
            if rust.is(at, "as") {
                known_as = rust.name(at + 1).map(str::to_owned);
                at += 2;
            }
            import(path, known_as, at - 1);
            return at;
        }
    }

    /// Notes the path that begins at a word, if one does.
    fn path_at(&self, of: &mut Crate, module: usize, at: usize) {
        let rust = self.rust;
        let continues = at > 0 && rust.is(at - 1, ":") && at > 1 && rust.is(at - 2, ":");
        let Some(first) = rust.name(at).filter(|_| !continues) else { return };
        let mut path = vec![first.to_owned()];
        let mut next = at + 1;
        while rust.is(next, ":") && rust.is(next + 1, ":") {
            let Some(name) = rust.name(next + 2) else { break };
            path.push(name.to_owned());
            next += 3;
        }
        if path.len() > 1 {
            of.modules[module].paths.push((path, rust.words[at].line));
        }
    }
}

/// The path that a text holds, as in `#[serde(with = "crate::a::b")]`.
fn path_in_text(word: &Word) -> Option<Vec<String>> {
    let path = (word.kind == Kind::Text).then(|| word.text.trim_matches('"'))?;
    let is_path = path.starts_with("crate::") || path.starts_with("super::");
    let is_plain = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    (is_path && path.chars().all(is_plain)).then(|| path.split("::").map(str::to_owned).collect())
}
