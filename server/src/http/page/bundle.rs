//! Joins the modules of the page, so that a browser loads them with one request instead of one
//! for each: over a slow line each costs a trip to the server and back.
//!
//! In a bundle each module is a function that runs once. All bundles of a page share one table of
//! these functions, so that a module which two of them contain still runs once. Modules may have the
//! forms that the page uses; others are refused.

use std::collections::{BTreeMap, BTreeSet};

/// What each bundle starts with.
const PRELUDE: &str = "\
const $modules = (globalThis.$modules ??= new Map());
const $define = (name, run) => $modules.has(name) || $modules.set(name, { run });
const $load = (name) => { const module = $modules.get(name); return (module.loaded ??= module.run()); };
";

/// Why the modules cannot be joined.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct BundleError(String);

/// The modules of the page by their paths.
#[derive(Debug)]
struct Modules(BTreeMap<String, Module>);

/// Returns the bundles by the paths at which they are served: those of the roots, which documents
/// load, and of each module that is loaded later.
pub(super) fn bundles(
    sources: &BTreeMap<String, String>,
    roots: &[&str],
) -> Result<BTreeMap<String, String>, BundleError> {
    let modules = Modules::parse(sources)?;
    let mut bundles = BTreeMap::new();
    // What every root from which a module is loaded later has loaded already.
    let mut loaded: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for &root in roots {
        let own = modules.closure(root)?;
        for lazy in modules.lazy(&own)? {
            let known = loaded.remove(&lazy).map_or_else(|| own.clone(), |known| &known & &own);
            loaded.insert(lazy, known);
        }
        bundles.insert(root.to_owned(), modules.bundle(root, &own));
    }
    for (lazy, known) in loaded {
        let own = &modules.closure(&lazy)? - &known;
        bundles.insert(lazy.clone(), modules.bundle(&lazy, &own));
    }
    Ok(bundles)
}

impl Modules {
    fn parse(sources: &BTreeMap<String, String>) -> Result<Self, BundleError> {
        let mut modules = BTreeMap::new();
        for (path, text) in sources {
            modules.insert(path.clone(), Module::parse(path, text)?);
        }
        let modules = Self(modules);
        for (path, module) in &modules.0 {
            for import in &module.imports {
                let exports = &modules.get(&import.from)?.exports;
                let missing = |name: &&str| exports.iter().all(|(exported, _)| exported != name);
                let names = import.names.iter().map(|(name, _)| name.as_str());
                if let Some(name) = names.into_iter().find(missing) {
                    let from = &import.from;
                    let message = format!("{path} imports {name}, which {from} does not export");
                    return Err(BundleError(message));
                }
            }
        }
        Ok(modules)
    }

    fn get(&self, path: &str) -> Result<&Module, BundleError> {
        self.0.get(path).ok_or_else(|| BundleError(format!("there is no module {path}")))
    }

    /// A module, and all that it imports.
    fn closure(&self, path: &str) -> Result<BTreeSet<String>, BundleError> {
        let (mut closure, mut waiting) = (BTreeSet::new(), vec![path]);
        while let Some(path) = waiting.pop() {
            if closure.insert(path.to_owned()) {
                waiting.extend(self.get(path)?.imports.iter().map(|import| import.from.as_str()));
            }
        }
        Ok(closure)
    }

    /// The modules that these load later, and those that they load in turn.
    fn lazy(&self, from: &BTreeSet<String>) -> Result<BTreeSet<String>, BundleError> {
        let mut all = BTreeSet::new();
        let mut waiting: Vec<String> = from.iter().cloned().collect();
        while let Some(path) = waiting.pop() {
            for lazy in &self.get(&path)?.lazy {
                if all.insert(lazy.clone()) {
                    waiting.extend(self.closure(lazy)?);
                }
            }
        }
        Ok(all)
    }

    /// Writes a bundle of these modules, which is served in place of one of them.
    fn bundle(&self, entry: &str, modules: &BTreeSet<String>) -> String {
        let mut text = PRELUDE.to_owned();
        text.extend(modules.iter().map(|path| self.module_text(path)));
        let exports = list(self.0[entry].exports.iter().map(|(name, _)| (name, name)));
        if !exports.is_empty() {
            text.extend(["export const { ", &exports, " } = "]);
        }
        text.extend(["await $load(\"", entry, "\");\n"]);
        let up = "../".repeat(entry.matches('/').count());
        text.replace(ROOT, if up.is_empty() { "./" } else { &up })
    }

    fn module_text(&self, path: &str) -> String {
        let Module { imports, exports, lazy: _, body } = &self.0[path];
        let import = |import: &Import| {
            let names = list(import.names.iter().map(|(name, own)| (name, own)));
            format!("const {{ {names} }} = await $load(\"{}\");\n", import.from)
        };
        let imports: String = imports.iter().map(import).collect();
        let names = list(exports.iter().map(|(name, own)| (name, own)));
        format!("$define(\"{path}\", async () => {{\n{imports}{body}return {{ {names} }};\n}});\n")
    }
}

/// Writes the content of an object literal or pattern.
fn list<'a>(pairs: impl Iterator<Item = (&'a String, &'a String)>) -> String {
    let one = |(name, own): (&String, &String)| {
        if name == own { name.clone() } else { format!("{name}: {own}") }
    };
    pairs.map(one).collect::<Vec<_>>().join(", ")
}

/// Stands in a body for the way from the served file to the root of the page's files.
const ROOT: char = '\0';

/// A module that can become part of a bundle.
#[derive(Debug, Default, PartialEq, Eq)]
struct Module {
    pub imports: Vec<Import>,
    /// What it exports: the name for others, and its own.
    pub exports: Vec<(String, String)>,
    /// The modules that it may load later.
    pub lazy: BTreeSet<String>,
    pub body: String,
}

/// An `import` statement.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Import {
    pub from: String,
    /// What it takes from there: the name there, and its own.
    pub names: Vec<(String, String)>,
}

impl Module {
    /// Reads the text of the module with this path.
    pub(super) fn parse(path: &str, text: &str) -> Result<Self, BundleError> {
        let mut module = Self::default();
        let mut lines = text.lines();
        // Inside a template over several lines nothing is a comment.
        let (mut in_comment, mut in_template) = (false, false);
        while let Some(line) = lines.next() {
            if in_template {
                in_template ^= has_odd_backticks(line);
                module.push(path, line);
                continue;
            }
            let Some(line) = code_of(line, &mut in_comment) else { continue };
            let unsupported = |statement: &str| {
                BundleError(format!("{path}: a bundle cannot contain: {statement}"))
            };
            if is_statement(&line, "import") || line.starts_with("export {") {
                let mut statement = line;
                while !statement.ends_with(';') {
                    let more = lines.next().ok_or_else(|| unsupported(&statement))?;
                    statement.push_str(more.trim());
                }
                module.link(path, &statement).ok_or_else(|| unsupported(&statement))?;
            } else if let Some(declaration) = line.strip_prefix("export ") {
                let name = declared_name(declaration).ok_or_else(|| unsupported(&line))?;
                module.exports.push((name.into(), name.into()));
                in_template = has_odd_backticks(declaration);
                module.push(path, declaration);
            } else {
                in_template = has_odd_backticks(&line);
                module.push(path, &line);
            }
        }
        Ok(module)
    }

    /// Notes an `import` or a list of exports; `None` if its form is unknown.
    fn link(&mut self, path: &str, statement: &str) -> Option<()> {
        let statement = statement.trim_end_matches(';');
        if let Some(list) = statement.strip_prefix("export ") {
            self.exports.extend(list_of_names(list)?.into_iter().map(|(own, given)| (given, own)));
            return Some(());
        }
        let statement = statement.strip_prefix("import ")?;
        let (list, from) = statement.split_once(" from ").unwrap_or(("{}", statement));
        let from = from.strip_prefix('"')?.strip_suffix('"')?;
        self.imports.push(Import { from: resolved(path, from)?, names: list_of_names(list)? });
        Some(())
    }

    fn push(&mut self, path: &str, line: &str) {
        const LAZY: &str = "import(\"";
        let mut line = line.replace(
            "import.meta.url",
            &format!("new URL(\"{ROOT}{path}\", import.meta.url).href"),
        );
        for (at, _) in line.clone().rmatch_indices(LAZY) {
            let start = at + LAZY.len();
            let Some(length) = line[start..].find('"') else { continue };
            let Some(target) = resolved(path, &line[start..start + length]) else { continue };
            line.replace_range(start..start + length, &format!("{ROOT}{target}"));
            self.lazy.insert(target);
        }
        self.body.push_str(&line);
        self.body.push('\n');
    }
}

/// The code of a line, without comments and indentation; `None` if there is none. A comment counts
/// only at the start of a line, or if it is a type.
fn code_of(line: &str, in_comment: &mut bool) -> Option<String> {
    let mut rest = line.trim();
    loop {
        if *in_comment {
            rest = rest.split_once("*/")?.1.trim_start();
            *in_comment = false;
        } else if rest.starts_with("/*") {
            rest = &rest[2..];
            *in_comment = true;
        } else {
            break;
        }
    }
    let mut code = rest.to_owned();
    while let Some((before, comment)) = code.split_once("/** @")
        && let Some((_, after)) = comment.split_once("*/")
    {
        code = format!("{before}{}", after.trim_start());
    }
    let is_statement_of_module = line.starts_with(|first: char| !first.is_whitespace());
    let is_empty = code.is_empty() || code.starts_with("//");
    // An `import` inside a block is a call, whatever it looks like.
    let code = if is_statement_of_module { code } else { format!(" {code}") };
    (!is_empty).then_some(code)
}

fn has_odd_backticks(line: &str) -> bool {
    !line.replace("\\`", "").matches('`').count().is_multiple_of(2)
}

fn is_statement(line: &str, keyword: &str) -> bool {
    line.strip_prefix(keyword).is_some_and(|rest| rest.starts_with(' '))
}

/// The name in a declaration such as `const NAME = 1;`.
fn declared_name(declaration: &str) -> Option<&str> {
    let rest = ["async function ", "function ", "class ", "const "]
        .iter()
        .find_map(|keyword| declaration.strip_prefix(keyword))?;
    let end =
        rest.find(|letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == '$'));
    end.map(|end| &rest[..end]).filter(|name| !name.is_empty())
}

/// Reads `{ a, b as c }` into the names before and after `as`.
fn list_of_names(list: &str) -> Option<Vec<(String, String)>> {
    let names = list.trim().strip_prefix('{')?.strip_suffix('}')?.split(',');
    let names = names.map(str::trim).filter(|name| !name.is_empty());
    let pair = |name: &str| {
        let (one, other) = name.split_once(" as ").unwrap_or((name, name));
        (one.trim().to_owned(), other.trim().to_owned())
    };
    Some(names.map(pair).collect())
}

/// The path of a module that another one names by a relative path.
fn resolved(from: &str, relative: &str) -> Option<String> {
    let mut path: Vec<&str> = from.split('/').collect();
    path.pop();
    for part in relative.starts_with('.').then(|| relative.split('/'))? {
        match part {
            "." => {}
            ".." => drop(path.pop()?),
            part => path.push(part),
        }
    }
    Some(path.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(texts: &[(&str, &str)]) -> BTreeMap<String, String> {
        texts.iter().map(|&(path, text)| (path.to_owned(), text.to_owned())).collect()
    }

    #[test]
    fn a_module_is_in_the_bundles_of_those_that_have_not_loaded_it() {
        let sources = sources(&[
            ("main.js", "import { a } from \"./ui/a.js\";\na(() => import(\"./view/late.js\"));"),
            ("other.js", "import(\"./view/late.js\");"),
            ("ui/a.js", "export const a = 1;"),
            (
                "view/late.js",
                "import { a } from \"../ui/a.js\";\nimport { b } from \"./b.js\";\nexport class Late {}",
            ),
            ("view/b.js", "export const b = new URL(import.meta.url);"),
        ]);
        let one = bundles(&sources, &["main.js"]).unwrap();
        assert_eq!(one.keys().collect::<Vec<_>>(), ["main.js", "view/late.js"]);
        let defined = |text: &str, path: &str| text.contains(&format!("$define(\"{path}\""));
        assert!(defined(&one["main.js"], "ui/a.js") && !defined(&one["main.js"], "view/b.js"));
        assert!(one["main.js"].contains("import(\"./view/late.js\")"), "{}", one["main.js"]);
        assert!(one["main.js"].ends_with("\nawait $load(\"main.js\");\n"));
        let late = &one["view/late.js"];
        assert!(defined(late, "view/b.js") && !defined(late, "ui/a.js"));
        assert!(
            late.contains("new URL(new URL(\"../view/b.js\", import.meta.url).href)"),
            "{late}"
        );
        assert!(late.ends_with("\nexport const { Late } = await $load(\"view/late.js\");\n"));
        let two = bundles(&sources, &["main.js", "other.js"]).unwrap();
        assert!(defined(&two["view/late.js"], "ui/a.js"), "the other root has not loaded it");
    }

    #[test]
    fn what_is_missing_is_named() {
        let missing = sources(&[("main.js", "import { a } from \"./a.js\";")]);
        assert_eq!(
            bundles(&missing, &["main.js"]).unwrap_err().to_string(),
            "there is no module a.js"
        );
        let other = sources(&[
            ("main.js", "import { a } from \"./a.js\";"),
            ("a.js", "export const b = 1;"),
        ]);
        let error = bundles(&other, &["main.js"]).unwrap_err();
        assert_eq!(error.to_string(), "main.js imports a, which a.js does not export");
    }

    #[test]
    fn a_module_is_read() {
        let text = "// About.\nimport { a, b as c } from \"../ui/a.js\";\nimport {\n  d,\n} from \"./d.js\";\n\
                    import \"./e.js\";\n\n/** Doc.\n * @import {X} from \"./x.js\"\n */\n\
                    export const F = /** @type {import(\"./x.js\").X} */ (a);\n\
                    const url = \"https://x\"; // kept\n\
                    export async function* g() {\n  // gone\n  return import(\"./lazy.js\");\n}\n\
                    const t = `\n// kept\n  ${c}`;\nexport { d, t as T };\n";
        let module = Module::parse("home/f.js", text).unwrap_err();
        assert!(module.to_string().ends_with(": export async function* g() {"), "{module}");
        let module = Module::parse("home/f.js", &text.replace("function*", "function")).unwrap();
        let pair = |one: &str, other: &str| (one.to_owned(), other.to_owned());
        let import = |from: &str, names: Vec<_>| Import { from: from.into(), names };
        assert_eq!(
            module.imports,
            [
                import("ui/a.js", vec![pair("a", "a"), pair("b", "c")]),
                import("home/d.js", vec![pair("d", "d")]),
                import("home/e.js", vec![]),
            ]
        );
        let exports = [pair("F", "F"), pair("g", "g"), pair("d", "d"), pair("T", "t")];
        assert_eq!(module.exports, exports);
        assert_eq!(module.lazy.into_iter().collect::<Vec<_>>(), ["home/lazy.js"]);
        assert_eq!(
            module.body,
            "const F = (a);\nconst url = \"https://x\"; // kept\nasync function g() {\n \
             return import(\"\0home/lazy.js\");\n}\nconst t = `\n// kept\n  ${c}`;\n"
        );
    }

    #[test]
    fn other_forms_are_refused() {
        for statement in [
            "import a from \"./a.js\";",
            "import * as a from \"./a.js\";",
            "import { a } from \"a\";",
            "export default 1;",
            "export let a = 1;",
            "export { a",
        ] {
            let error = Module::parse("b.js", statement).unwrap_err();
            assert_eq!(error.to_string(), format!("b.js: a bundle cannot contain: {statement}"));
        }
    }
}
