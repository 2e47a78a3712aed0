//! Joins the modules of the page, so that a browser loads them with one request instead of one
//! for each: over a slow line each costs a trip to the server and back.
//!
//! In a bundle each module is a function that runs once. All bundles of a page share one table of
//! these functions, so that a module which two of them contain still runs once.

use std::collections::{BTreeMap, BTreeSet};

use super::modules::{Import, Module, ROOT, Unsupported};

/// What each bundle starts with.
const PRELUDE: &str = "\
const $modules = (globalThis.$modules ??= new Map());
const $define = (name, run) => $modules.has(name) || $modules.set(name, { run });
const $load = (name) => { const module = $modules.get(name); return (module.loaded ??= module.run()); };
";

/// Why the modules cannot be joined.
#[derive(Debug, thiserror::Error)]
pub(super) enum BundleError {
    /// A module has an unknown form.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// A module that is imported does not exist.
    #[error("there is no module {0}")]
    Missing(String),
    /// A name is imported that the module does not export.
    #[error("{module} imports {name}, which {from} does not export")]
    NotExported {
        /// Who imports it.
        module: String,
        /// What.
        name: String,
        /// From where.
        from: String,
    },
}

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
                    let (module, from) = (path.clone(), import.from.clone());
                    return Err(BundleError::NotExported { module, name: name.into(), from });
                }
            }
        }
        Ok(modules)
    }

    fn get(&self, path: &str) -> Result<&Module, BundleError> {
        self.0.get(path).ok_or_else(|| BundleError::Missing(path.to_owned()))
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
}
