//! Reads a module of the page: what it imports and exports, and its text without comments. It
//! understands the forms that the page uses, and refuses others.

use std::collections::BTreeSet;

/// Stands in a body for the way from the served file to the root of the page's files.
pub(super) const ROOT: char = '\0';

/// A module that can become part of a bundle.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Module {
    /// What it imports when it starts.
    pub imports: Vec<Import>,
    /// What it exports: the name for others, and its own.
    pub exports: Vec<(String, String)>,
    /// The modules that it may load later.
    pub lazy: BTreeSet<String>,
    /// Its statements, without imports and exports.
    pub body: String,
}

/// An `import` statement.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Import {
    /// The path of the module.
    pub from: String,
    /// What it takes from there: the name there, and its own.
    pub names: Vec<(String, String)>,
}

/// A statement that a bundle cannot contain.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: a bundle cannot contain: {statement}")]
pub(super) struct Unsupported {
    path: String,
    statement: String,
}

impl Module {
    /// Reads the text of the module with this path.
    pub(super) fn parse(path: &str, text: &str) -> Result<Self, Unsupported> {
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
            let unsupported =
                |statement: &str| Unsupported { path: path.into(), statement: statement.into() };
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

    /// Adds a line of code.
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

    #[test]
    fn a_module_is_read() {
        let text = "// About.\nimport { a, b as c } from \"../ui/a.js\";\nimport {\n  d,\n} from \"./d.js\";\n\
                    import \"./e.js\";\n\n/** Doc.\n * @import {X} from \"./x.js\"\n */\n\
                    export const F = /** @type {import(\"./x.js\").X} */ (a);\n\
                    const url = \"https://x\"; // kept\n\
                    export async function* g() {\n  // gone\n  return import(\"./lazy.js\");\n}\n\
                    const t = `\n// kept\n  ${c}`;\nexport { d, t as T };\n";
        let module = Module::parse("home/f.js", text).unwrap_err();
        assert_eq!(module.statement, "export async function* g() {");
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
