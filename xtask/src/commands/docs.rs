//! The tables of the documents that have their facts from definitions: settings, flags, limits,
//! metrics and log lines of the server, and fields, words and codes of the wire.
//!
//! A table stands between two lines, `<!-- generated: cargo xtask docs WHAT -->` and
//! `<!-- end of generated -->`. Definitions are found in all files of a folder, so that a file may
//! move.

use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use proc_macro2::{TokenStream, TokenTree};
use serde_json::Value;
use syn::{
    Attribute, Expr, ExprCall, ExprMethodCall, Fields, Item, ItemStruct, Lit, LitStr, Local,
    Member, Pat, PatIdent, Type,
    spanned::Spanned as _,
    visit::{self, Visit},
};

use super::schemas;
use crate::run::root;

/// The documents that have such tables.
const DOCUMENTS: [&str; 2] = ["docs/operate/reference.md", "docs/PROTOCOL.md"];

const BEGIN: &str = "<!-- generated: cargo xtask docs ";
const END: &str = "<!-- end of generated -->";

/// Writes the tables anew, or compares them.
pub(crate) fn docs(check: bool) -> Result<()> {
    schemas::build()?;
    let schema = serde_json::from_str(&fs::read_to_string(schemas::closed())?)?;
    for document in DOCUMENTS {
        let path = root().join(document);
        let text = fs::read_to_string(&path)?;
        let filled = fill(&text, &schema).with_context(|| document.to_owned())?;
        if check {
            ensure!(text == filled, "{document} is not up to date: cargo xtask docs");
        } else {
            fs::write(path, filled)?;
        }
    }
    Ok(())
}

/// Returns a document with its tables as the definitions have them.
fn fill(text: &str, schema: &Value) -> Result<String> {
    let mut filled = String::with_capacity(text.len());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        filled.push_str(line);
        filled.push('\n');
        let Some(what) = line.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(" -->")) else {
            continue;
        };
        filled.push_str(&table(what, schema).with_context(|| what.to_owned())?);
        lines.find(|line| *line == END).with_context(|| format!("{what} has no end"))?;
        filled.push_str(END);
        filled.push('\n');
    }
    Ok(filled)
}

fn table(what: &str, schema: &Value) -> Result<String> {
    let (kind, names) = what.split_once(' ').unwrap_or((what, ""));
    match kind {
        "settings" => settings(),
        "flags" => flags(),
        "limits" => limits(),
        "metrics" => metrics(),
        "log" => log(),
        "reasons" => reasons(),
        "close-codes" => close_codes(),
        "events" => events(schema),
        "words" => words(schema, names),
        "fields" => fields(schema, names),
        _ => bail!("there is no such table"),
    }
}

/// Returns a table, with bars in its cells escaped.
fn rows<const N: usize>(titles: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let mut table = format!("| {} |\n|{}\n", titles.join(" | "), "---|".repeat(N));
    for row in rows {
        let cells = row.map(|cell| cell.replace('|', "\\|"));
        writeln!(table, "| {} |", cells.join(" | ")).expect("a string takes any text");
    }
    table
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

/// Returns the source files below a folder, in order, without those of tests.
fn sources(folder: &str) -> Result<Vec<(PathBuf, String)>> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                if !path.ends_with("tests") {
                    walk(&path, found)?;
                }
            } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs")
            {
                found.push(path);
            }
        }
        Ok(())
    }
    let mut found = Vec::new();
    walk(&root().join(folder), &mut found)?;
    found.sort();
    found.into_iter().map(|path| Ok((path.clone(), fs::read_to_string(path)?))).collect()
}

fn parsed(folder: &str) -> Result<Vec<syn::File>> {
    let parse = |(path, text): (PathBuf, String)| {
        syn::parse_file(&text).with_context(|| path.display().to_string())
    };
    sources(folder)?.into_iter().map(parse).collect()
}

/// Returns the documentation of an item as one line, with links to items as code.
fn docs_of(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| {
        let value = &attribute.meta.require_name_value().ok()?.value;
        let is_doc = attribute.path().is_ident("doc");
        is_doc.then(|| literal(value)).flatten().map(|line| line.trim().to_owned())
    });
    let lines: Vec<String> = lines.collect();
    lines.join(" ").replace("[`", "`").replace("`]", "`")
}

fn literal(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

// The server's settings and flags.

/// The settings, from the file with the defaults. Keys that follow a key without a comment of their
/// own share its row.
fn settings() -> Result<String> {
    let text = fs::read_to_string(root().join("config/default.toml"))?;
    let (mut section, mut comment) = (String::new(), Vec::new());
    let mut found: Vec<[String; 3]> = Vec::new();
    for line in text.lines() {
        let (is_set, content) = match line.strip_prefix("# ") {
            Some(content) => (false, content),
            None => (true, line),
        };
        if let Some(name) = content.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            name.clone_into(&mut section);
            if is_set {
                comment.clear();
            }
        } else if let Some((key, value)) = content.split_once(" = ").filter(|(key, _)| is_key(key))
        {
            let key = code(&format!("{section}.{key}"));
            let value = if is_set { code(value) } else { String::new() };
            match found.last_mut().filter(|_| comment.is_empty()) {
                Some([keys, values, _]) => {
                    write!(keys, ", {key}")?;
                    if !value.is_empty() {
                        write!(values, ", {value}")?;
                    }
                }
                None => found.push([key, value, comment.join(" ")]),
            }
            comment.clear();
        } else if is_set {
            comment.clear();
        } else {
            comment.push(content.to_owned());
        }
    }
    Ok(rows(["setting", "default", "meaning"], found))
}

fn is_key(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_lowercase() || c == '_')
}

/// The flags of the server, and the variables of the environment that stand for them.
fn flags() -> Result<String> {
    let mut found = Vec::new();
    for file in parsed("server/src/config")? {
        for item in file.items {
            let Item::Struct(item) = item else { continue };
            if item.ident == "Args" {
                found.extend(item.fields.iter().filter_map(flag));
            }
        }
    }
    ensure!(!found.is_empty(), "there is no Args");
    Ok(rows(["flag", "environment", "meaning"], found))
}

fn flag(field: &syn::Field) -> Option<[String; 3]> {
    let attribute = field.attrs.iter().find(|attribute| attribute.path().is_ident("arg"))?;
    let (mut long, mut value, mut variable) = (None, String::new(), String::new());
    let mut key = String::new();
    let mut tokens = attribute.meta.require_list().ok()?.tokens.clone().into_iter();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(word) => {
                key = word.to_string();
                if key == "long" {
                    long = Some(field.ident.as_ref()?.to_string().replace('_', "-"));
                }
            }
            TokenTree::Literal(text) => {
                let text = text.to_string().trim_matches('"').to_owned();
                match key.as_str() {
                    "long" => long = Some(text),
                    "value_name" => value = format!(" {text}"),
                    "env" => variable = code(&text),
                    _ => {}
                }
            }
            TokenTree::Punct(_) | TokenTree::Group(_) => {}
        }
    }
    Some([code(&format!("--{}{value}", long?)), variable, docs_of(&field.attrs)])
}

// The server's limits.

/// The constants of the limits, with a table for each file.
fn limits() -> Result<String> {
    let files = parsed("server/src/limits")?;
    let constants = files.iter().flat_map(|file| &file.items).filter_map(|item| match item {
        Item::Const(item) => Some((item.ident.to_string(), &*item.expr)),
        _ => None,
    });
    let constants: HashMap<String, &Expr> = constants.collect();
    let mut text = String::new();
    for file in &files {
        let mut found: Vec<[String; 3]> = Vec::new();
        for item in &file.items {
            let Item::Const(item) = item else { continue };
            let (name, reason) = (item.ident.to_string(), docs_of(&item.attrs));
            let value = amount(&name, &item.expr, &constants);
            match found.last_mut().filter(|_| reason.is_empty()) {
                Some([names, values, _]) => {
                    write!(names, ", {}", code(&name))?;
                    write!(values, "; {value}")?;
                }
                None => found.push([code(&name), value, reason]),
            }
        }
        if !found.is_empty() {
            let table = rows(["limit", "value", "reason"], found);
            write!(text, "\n{}\n\n{table}", docs_of(&file.attrs))?;
        }
    }
    text.push('\n');
    Ok(text)
}

/// Returns the value of a limit for people, or its expression.
fn amount(name: &str, value: &Expr, constants: &HashMap<String, &Expr>) -> String {
    if let Expr::Call(call) = value
        && let Expr::Path(function) = &*call.func
        && let Some(unit) = function.path.segments.last().and_then(|last| unit(&last.ident))
        && let Some(count) = call.args.first().and_then(|count| number(count, constants))
    {
        let is_days = unit == "h" && count % 24 == 0;
        return if is_days {
            format!("{} d", grouped(count / 24))
        } else {
            format!("{} {unit}", grouped(count))
        };
    }
    if let Expr::Path(other) = value
        && let Some(other) =
            other.path.get_ident().and_then(|name| constants.get(&name.to_string()))
    {
        return amount(name, other, constants);
    }
    if let Expr::Range(range) = value
        && let (Some(start), Some(end)) = (&range.start, &range.end)
    {
        return format!("{} to {}", amount(name, start, constants), amount(name, end, constants));
    }
    if let Expr::Tuple(tuple) = value {
        let parts = tuple.elems.iter().map(|part| amount("", part, constants));
        return parts.collect::<Vec<_>>().join("; ");
    }
    match number(value, constants) {
        Some(bytes) if name.contains("BYTES") && bytes > 0 && bytes % (1 << 20) == 0 => {
            format!("{} MiB", bytes >> 20)
        }
        Some(bytes) if name.contains("BYTES") && bytes > 0 && bytes % (1 << 10) == 0 => {
            format!("{} KiB", bytes >> 10)
        }
        Some(number) => grouped(number),
        None => value.span().source_text().map_or_else(String::new, |text| code(&one_line(&text))),
    }
}

fn unit(constructor: &proc_macro2::Ident) -> Option<&'static str> {
    match constructor.to_string().as_str() {
        "from_micros" => Some("µs"),
        "from_millis" => Some("ms"),
        "from_secs" => Some("s"),
        "from_mins" => Some("min"),
        "from_hours" => Some("h"),
        _ => None,
    }
}

/// Returns the value of an expression of whole numbers.
fn number(expression: &Expr, constants: &HashMap<String, &Expr>) -> Option<i128> {
    match expression {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.base10_parse().ok(),
            _ => None,
        },
        Expr::Binary(binary) => {
            let left = number(&binary.left, constants)?;
            let right = number(&binary.right, constants)?;
            match binary.op {
                syn::BinOp::Add(_) => left.checked_add(right),
                syn::BinOp::Sub(_) => left.checked_sub(right),
                syn::BinOp::Mul(_) => left.checked_mul(right),
                syn::BinOp::Div(_) => left.checked_div(right),
                syn::BinOp::Shl(_) => left.checked_shl(right.try_into().ok()?),
                _ => None,
            }
        }
        Expr::Paren(inner) => number(&inner.expr, constants),
        Expr::Cast(cast) => number(&cast.expr, constants),
        Expr::MethodCall(call) if call.method == "unsigned_abs" => {
            number(&call.receiver, constants)
        }
        Expr::Path(path) => number(constants.get(&path.path.get_ident()?.to_string())?, constants),
        _ => None,
    }
}

/// Returns a number with its thousands apart.
fn grouped(number: i128) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

// The server's metrics.

/// What the registrations refer to: the types and documentation of fields, by name.
#[derive(Default)]
struct Registered {
    fields: HashMap<String, (String, String)>,
    labels: HashMap<String, String>,
}

impl Registered {
    /// Adds a structure: its names as labels, and its fields if metrics are registered beside it.
    fn add(&mut self, item: &ItemStruct, has_registry: bool) {
        let Fields::Named(fields) = &item.fields else { return };
        let mut names = Vec::new();
        for field in &fields.named {
            let Some(name) = &field.ident else { continue };
            let name = name.to_string().trim_start_matches("r#").to_owned();
            names.push(code(&name));
            if has_registry {
                let kind = field.ty.span().source_text().unwrap_or_default();
                self.fields.insert(name, (kind, docs_of(&field.attrs)));
            }
        }
        self.labels.insert(item.ident.to_string(), names.join(", "));
    }
}

/// The registrations of one file.
struct Registrations<'a> {
    registered: &'a Registered,
    prefix: String,
    /// Variables with a help.
    helps: HashMap<String, String>,
    /// Variables with the value of a field.
    bound: HashMap<String, String>,
    rows: Vec<[String; 5]>,
}

impl Registrations<'_> {
    fn bind(&mut self, name: &PatIdent, value: &Expr) {
        let mut names = Names::default();
        names.visit_expr(value);
        if let Some(help) = literal(value) {
            self.helps.insert(name.ident.to_string(), help);
        } else if let Some(field) = names.fields.pop() {
            self.bound.insert(name.ident.to_string(), field);
        }
    }

    /// Adds a metric if the arguments are those of one: its name, its help, perhaps a unit, and its
    /// value.
    fn add<'e>(&mut self, arguments: impl Iterator<Item = &'e Expr>) {
        let arguments: Vec<&Expr> = arguments.collect();
        let [name, help, rest @ ..] = &arguments[..] else { return };
        let Some(name) = literal(name) else { return };
        let Some(help) = literal(help).or_else(|| self.helps.get(&last_name(help)?).cloned())
        else {
            return;
        };
        let text: String = rest.iter().filter_map(|part| part.span().source_text()).collect();
        let mut fields = Names::default();
        rest.iter().for_each(|part| fields.visit_expr(part));
        let bound = fields.variables.iter().filter_map(|name| self.bound.get(name));
        let known = fields.fields.iter().chain(bound).find_map(|it| self.registered.fields.get(it));
        let (kind, docs) = known.map_or((text.as_str(), ""), |(kind, docs)| (kind, docs));
        let unit = if text.contains("Seconds") {
            "seconds"
        } else if text.contains("Bytes") || text.contains("bytes()") {
            "bytes"
        } else {
            ""
        };
        let is_info = name == "build";
        let is_counter = kind.contains("Counter") || text.contains("REFUSALS");
        let kind_name = match () {
            () if kind.contains("Histogram") => "histogram",
            () if is_counter => "counter",
            () => "gauge",
        };
        let label = kind.split_once("Family<").and_then(|(_, rest)| rest.split([',', '>']).next());
        let labels = match label.and_then(|label| self.registered.labels.get(label.trim())) {
            Some(labels) => labels.clone(),
            None if is_info => code("version"),
            None if text.contains("REFUSALS") => code("code"),
            None => String::new(),
        };
        let unit_end = if unit.is_empty() { String::new() } else { format!("_{unit}") };
        let kind_end = match () {
            () if is_counter => "_total",
            () if is_info => "_info",
            () => "",
        };
        let meaning = if docs.is_empty() || docs.trim_end_matches('.') == help {
            format!("{help}.")
        } else {
            format!("{help}. {docs}")
        };
        let name = code(&format!("{}_{name}{unit_end}{kind_end}", self.prefix));
        self.rows.push([name, kind_name.to_owned(), labels, unit.to_owned(), meaning]);
    }
}

/// The names of the variables and fields in an expression.
#[derive(Default)]
struct Names {
    variables: Vec<String>,
    fields: Vec<String>,
}

impl<'e> Visit<'e> for Names {
    fn visit_expr_field(&mut self, field: &'e syn::ExprField) {
        visit::visit_expr_field(self, field);
        if let Member::Named(name) = &field.member {
            self.fields.push(name.to_string());
        }
    }

    fn visit_expr_path(&mut self, path: &'e syn::ExprPath) {
        self.variables.extend(path.path.get_ident().map(ToString::to_string));
    }
}

impl<'e> Visit<'e> for Registrations<'_> {
    fn visit_local(&mut self, local: &'e Local) {
        match local.init.as_ref().map(|init| (&local.pat, &*init.expr)) {
            Some((Pat::Ident(name), value)) => self.bind(name, value),
            Some((Pat::Tuple(names), Expr::Tuple(values))) => {
                for (name, value) in names.elems.iter().zip(&values.elems) {
                    if let Pat::Ident(name) = name {
                        self.bind(name, value);
                    }
                }
            }
            _ => {}
        }
        visit::visit_local(self, local);
    }

    fn visit_expr_method_call(&mut self, call: &'e ExprMethodCall) {
        if call.method == "register" || call.method == "register_with_unit" {
            self.add(call.args.iter());
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &'e ExprCall) {
        if let Expr::Path(function) = &*call.func {
            let is_prefix =
                function.path.segments.last().is_some_and(|it| it.ident == "with_prefix");
            if is_prefix {
                self.prefix = call.args.first().and_then(literal).unwrap_or_default();
            } else if function.path.get_ident().is_some() {
                // A closure that registers.
                self.add(call.args.iter());
            }
        }
        visit::visit_expr_call(self, call);
    }
}

fn last_name(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        _ => None,
    }
}

/// The metrics, by their registrations.
fn metrics() -> Result<String> {
    let files = sources("server/src")?;
    let mut registered = Registered::default();
    let mut filled = Vec::new();
    for (path, text) in files.iter().filter(|(_, text)| text.contains("prometheus_client")) {
        let file = syn::parse_file(text).with_context(|| path.display().to_string())?;
        let has_registry = text.contains("Registry::with_prefix");
        for item in &file.items {
            if let Item::Struct(item) = item {
                registered.add(item, has_registry);
            }
        }
        filled.extend(has_registry.then_some(file));
    }
    let mut registrations = Registrations {
        registered: &registered,
        prefix: String::new(),
        helps: HashMap::new(),
        bound: HashMap::new(),
        rows: Vec::new(),
    };
    filled.iter().for_each(|file| registrations.visit_file(file));
    let mut found = registrations.rows;
    ensure!(!found.is_empty(), "no metric is registered");
    found.sort();
    Ok(rows(["metric", "type", "labels", "unit", "meaning"], found))
}

// The server's log.

/// The lines of the log that operators read. The comment above a macro, `// operator: ..`, says
/// what the line means and what to do.
fn log() -> Result<String> {
    let mut found = BTreeMap::new();
    for (path, text) in sources("server/src")? {
        let place = path.display();
        let lines: Vec<&str> = text.lines().collect();
        let tokens: TokenStream = text.parse().map_err(|error| anyhow!("{place}: {error}"))?;
        for LogLine { level, fields, message, line } in log_lines(tokens) {
            let meaning = operator_comment(&lines, line).with_context(|| {
                format!("{place}, line {line}: what does {message:?} mean? Add `// operator: ..`")
            })?;
            let row = [code(&message), level, fields, meaning];
            found.entry(message).or_insert(row);
        }
    }
    Ok(rows(["line", "level", "fields", "meaning and what to do"], found.into_values()))
}

/// A macro that logs.
struct LogLine {
    level: String,
    fields: String,
    message: String,
    line: usize,
}

fn log_lines(tokens: TokenStream) -> Vec<LogLine> {
    let mut found = Vec::new();
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => found.extend(log_lines(group.stream())),
            TokenTree::Ident(level) if ["info", "warn", "error"].iter().any(|it| level == it) => {
                let Some([TokenTree::Punct(mark), TokenTree::Group(group)]) =
                    tokens.get(at + 1..at + 3)
                else {
                    continue;
                };
                if mark.as_char() == '!'
                    && let Some((fields, message)) = arguments(group.stream())
                {
                    let line = level.span().start().line;
                    found.push(LogLine { level: level.to_string(), fields, message, line });
                }
            }
            _ => {}
        }
    }
    found
}

/// Returns the names of the fields and the message of a macro that logs.
fn arguments(tokens: TokenStream) -> Option<(String, String)> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == ',');
    let mut fields = Vec::new();
    for argument in tokens.split(is_comma) {
        match argument {
            [TokenTree::Literal(text)] => {
                let text: LitStr = syn::parse_str(&text.to_string()).ok()?;
                return Some((fields.join(", "), text.value()));
            }
            [TokenTree::Punct(_), TokenTree::Ident(name), rest @ ..]
            | [TokenTree::Ident(name), rest @ ..] => {
                let last = rest.iter().rev().find_map(|token| match token {
                    TokenTree::Ident(name) => Some(name),
                    _ => None,
                });
                let is_named = rest
                    .iter()
                    .any(|token| matches!(token, TokenTree::Punct(p) if p.as_char() == '='));
                let name = if is_named { name } else { last.unwrap_or(name) };
                fields.push(code(&name.to_string()));
            }
            _ => {}
        }
    }
    None
}

/// Returns what the comment above a line says to operators.
fn operator_comment(lines: &[&str], line: usize) -> Option<String> {
    let above = lines.get(..line.checked_sub(1)?)?.iter().rev();
    let comment: Vec<&str> =
        above.map_while(|line| line.trim_start().strip_prefix("//")).map(str::trim).collect();
    let begin = comment.iter().position(|line| line.starts_with("operator:"))?;
    let text: Vec<&str> = comment.get(..=begin)?.iter().rev().copied().collect();
    Some(text.join(" ").trim_start_matches("operator:").trim().to_owned())
}

// The wire.

/// The keys of the reasons why a move is illegal, with their sentences.
fn reasons() -> Result<String> {
    let mut found = Vec::new();
    for (path, text) in sources("rules/src")? {
        let tokens: TokenStream =
            text.parse().map_err(|error| anyhow!("{}: {error}", path.display()))?;
        let mut prefix = String::new();
        reasons_in(tokens, &mut prefix, &mut found);
    }
    found.sort_by_key(|[key, _]| {
        // Those of every game first.
        let game = key.trim_matches('`').split('.').next().unwrap_or_default().to_owned();
        (game != "move", game)
    });
    Ok(rows(["key", "sentence"], found))
}

/// Adds the reasons in definitions of both forms: of a `reasons!` macro, where the key lacks its
/// `prefix`, and of constants.
fn reasons_in(tokens: TokenStream, prefix: &mut String, found: &mut Vec<[String; 2]>) {
    let mut before = String::new();
    let mut key = None;
    for token in tokens {
        let is_value = ["=", ",", ":"].contains(&before.as_str());
        match &token {
            TokenTree::Group(group) if before != "#" => reasons_in(group.stream(), prefix, found),
            TokenTree::Literal(text) => {
                let Ok(text) = syn::parse_str::<LitStr>(&text.to_string()) else { continue };
                let text = text.value();
                if before == "of" {
                    *prefix = text;
                } else if is_key_of_reason(&text) {
                    key = Some(text);
                } else if is_value && let Some(key) = &mut key {
                    found.push([code(key), text]);
                    // What follows is the sentence for the number one.
                    key.push_str("_one");
                } else if !prefix.is_empty() && is_key(&text) {
                    key = Some(format!("{prefix}.{text}"));
                }
            }
            _ => {}
        }
        before = token.to_string();
        if before == ";" {
            key = None;
        }
    }
}

fn is_key_of_reason(text: &str) -> bool {
    text.split_once('.').is_some_and(|(of, name)| is_key(of) && is_key(name))
}

/// The codes with which the server closes a WebSocket.
fn close_codes() -> Result<String> {
    let files = parsed("protocol/src")?;
    let items: Vec<&Item> = files.iter().flat_map(|file| &file.items).collect();
    let codes = items.iter().find_map(|item| match item {
        Item::Enum(item) if item.ident == "CloseCode" => Some(item),
        _ => None,
    });
    let mut arms = Arms::default();
    for item in &items {
        if let Item::Impl(item) = item
            && item.trait_.is_none()
            && matches!(&*item.self_ty, Type::Path(of) if of.path.is_ident("CloseCode"))
        {
            arms.visit_item_impl(item);
        }
    }
    let codes = codes.context("there is no CloseCode")?.variants.iter();
    let found = codes.map(|variant| {
        let of = |function: &str| {
            let arm = arms.found.get(&(function.to_owned(), variant.ident.to_string()));
            arm.cloned().with_context(|| format!("{} has no {function}", variant.ident))
        };
        let comes_back = if of("reconnect")? == "true" { "yes" } else { "no" };
        let reason = of("reason")?.trim_matches('"').to_owned();
        let meaning = docs_of(&variant.attrs);
        Ok([of("number")?, code(&reason), meaning, comes_back.to_owned()])
    });
    let found: Vec<[String; 4]> = found.collect::<Result<_>>()?;
    Ok(rows(["code", "reason", "meaning", "come back?"], found))
}

/// What functions that match on `self` return: by function and variant.
#[derive(Default)]
struct Arms {
    function: String,
    found: HashMap<(String, String), String>,
}

impl<'e> Visit<'e> for Arms {
    fn visit_impl_item_fn(&mut self, function: &'e syn::ImplItemFn) {
        self.function = function.sig.ident.to_string();
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_arm(&mut self, arm: &'e syn::Arm) {
        let value = arm.body.span().source_text().unwrap_or_default();
        let patterns: Vec<&Pat> = match &arm.pat {
            Pat::Or(patterns) => patterns.cases.iter().collect(),
            pattern => vec![pattern],
        };
        for pattern in patterns {
            if let Pat::Path(path) = pattern
                && let Some(variant) = path.path.segments.last()
            {
                let of = (self.function.clone(), variant.ident.to_string());
                self.found.insert(of, value.clone());
            }
        }
    }
}

fn definition<'a>(schema: &'a Value, name: &str) -> Result<&'a Value> {
    schema["$defs"].get(name).with_context(|| format!("the schema has no {name}"))
}

/// The words of a list, from lines such as "- `word`: meaning" in its description.
fn words(schema: &Value, name: &str) -> Result<String> {
    let definition = definition(schema, name)?;
    let text = definition["description"].as_str().unwrap_or_default();
    let found = text.lines().filter_map(|line| {
        let (word, meaning) = line.strip_prefix("- ")?.split_once(": ")?;
        Some([word.to_owned(), meaning.to_owned()])
    });
    Ok(rows(["word", "meaning"], found))
}

/// Fields that every message of a class has, and that the prose describes.
const COMMON: [&str; 10] =
    ["type", "id", "re", "kind", "game", "seq", "at", "req", "hash", "chain"];

/// The kinds of events with their fields.
fn events(schema: &Value) -> Result<String> {
    let members = definition(schema, "Event")?["oneOf"].as_array().context("it has no kinds")?;
    let found = members.iter().map(|member| {
        let event = referenced(schema, member).context("a kind has no definition")?;
        let kind = event["properties"]["kind"]["const"].as_str().context("it has no kind")?;
        let fields =
            ordered(event).into_iter().filter(|(name, _)| !COMMON.contains(&name.as_str()));
        let fields: Vec<String> = fields
            .map(|(name, field)| format!("{}: {}", code(&name), described(schema, field, true)))
            .collect();
        let meaning = event["description"].as_str().unwrap_or_default();
        Ok([code(kind), one_line(meaning), fields.join("<br>")])
    });
    let found: Vec<[String; 3]> = found.collect::<Result<_>>()?;
    Ok(rows(["kind", "meaning", "fields"], found))
}

/// The fields of one or several definitions, with a table for each.
fn fields(schema: &Value, names: &str) -> Result<String> {
    let mut tables = Vec::new();
    for name in names.split(' ') {
        let definition = definition(schema, name)?;
        let required = definition["required"].as_array();
        let is_required =
            |field: &str| required.is_some_and(|all| all.iter().any(|one| one == field));
        let tag = &definition["properties"]["type"]["const"];
        let title = tag.as_str().map_or_else(|| spaced(name), code);
        let own = ordered(definition)
            .into_iter()
            .filter(|(field, _)| !["type", "id", "re", "kind"].contains(&field.as_str()));
        let found: Vec<[String; 3]> = own
            .map(|(field, value)| {
                let kind = kind(schema, value);
                [code(&field), kind, described(schema, value, is_required(&field))]
            })
            .collect();
        ensure!(!found.is_empty(), "{name} has no fields of its own");
        tables.push(rows([&*format!("field of {title}"), "type", "meaning"], found));
    }
    Ok(tables.join("\n"))
}

/// Returns the fields of a definition: what must be there first.
fn ordered(definition: &Value) -> Vec<(String, &Value)> {
    let required = definition["required"].as_array().into_iter().flatten();
    let required: Vec<&str> = required.filter_map(Value::as_str).collect();
    let properties = definition["properties"].as_object().into_iter().flatten();
    let mut fields: Vec<(String, &Value)> =
        properties.map(|(name, value)| (name.clone(), value)).collect();
    fields.sort_by_key(|(name, _)| {
        required.iter().position(|other| other == name).unwrap_or(required.len())
    });
    fields
}

/// Returns the meaning of a field, with whether it may be absent.
fn described(schema: &Value, field: &Value, is_required: bool) -> String {
    let own = field["description"].as_str();
    let referenced = || referenced(schema, field)?["description"].as_str();
    let text = own.or_else(referenced).unwrap_or_default();
    // The words of a list stand in its type.
    let text = one_line(text.split("\n\n").next().unwrap_or_default());
    let default = match &field["default"] {
        Value::Null => String::new(),
        default => format!(", by default {}", code(&default.to_string())),
    };
    if is_required { text } else { format!("Optional{default}. {text}") }
}

fn referenced<'a>(schema: &'a Value, value: &Value) -> Option<&'a Value> {
    let of_all = || value["allOf"].as_array()?.first()?["$ref"].as_str();
    let name = value["$ref"].as_str().or_else(of_all)?.rsplit('/').next()?;
    schema["$defs"].get(name)
}

/// Returns the name of a definition in words: `SeatUser` is "seat user".
fn spaced(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push(' ');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

/// Definitions that the document describes in a place of their own.
const DESCRIBED: [(&str, &str); 5] = [
    ("TimeControl", "[clock](#clocks)"),
    ("Options", "options"),
    ("GameResult", "result"),
    ("Sketch", "[sketch](#a-sketch)"),
    ("RulesName", "string"),
];

/// Returns the type of a field in words.
fn kind(schema: &Value, value: &Value) -> String {
    let of_all = || value["allOf"].as_array()?.first()?["$ref"].as_str();
    if let Some(reference) = value["$ref"].as_str().or_else(of_all) {
        let name = reference.rsplit('/').next().unwrap_or_default();
        if let Some((_, words)) = DESCRIBED.iter().find(|(described, _)| *described == name) {
            return (*words).to_owned();
        }
        let definition = &schema["$defs"][name];
        return match definition["properties"].as_object() {
            Some(fields) if fields.len() <= 4 => {
                let names = ordered(definition).into_iter().map(|(name, _)| format!("\"{name}\""));
                code(&format!("{{{}}}", names.collect::<Vec<_>>().join(",")))
            }
            Some(_) => spaced(name),
            None if definition.get("oneOf").is_some() => spaced(name),
            None => kind(schema, definition),
        };
    }
    if let Some(choices) = value["anyOf"].as_array() {
        let choices = choices.iter().map(|choice| kind(schema, choice));
        return choices.collect::<Vec<_>>().join(" or ");
    }
    if let Some(words) = value["enum"].as_array() {
        let words = words.iter().map(|word| code(word.as_str().unwrap_or("null")));
        return words.collect::<Vec<_>>().join(", ");
    }
    match &value["type"] {
        Value::String(name) => match name.as_str() {
            "array" => format!("list of {}", kind(schema, &value["items"])),
            "integer" => format!("number{}", bounds(value)),
            "boolean" => "bool".to_owned(),
            other => other.to_owned(),
        },
        Value::Array(names) => {
            let alone = |name: &Value| {
                let mut alone = value.clone();
                alone["type"] = name.clone();
                kind(schema, &alone).replace("null", "`null`")
            };
            names.iter().map(alone).collect::<Vec<_>>().join(" or ")
        }
        _ => match &value["const"] {
            Value::Null => String::new(),
            word => code(word.as_str().unwrap_or_default()),
        },
    }
}

/// Returns the bounds of a number, if they are others than those of a machine's number.
fn bounds(value: &Value) -> String {
    let least = value["minimum"].as_i64().filter(|least| *least > 0);
    let most = value["maximum"]
        .as_i64()
        .filter(|most| ![255, 65_535, 4_294_967_295, 9_007_199_254_740_991].contains(most));
    match (least, most) {
        (None, None) => String::new(),
        (Some(least), None) => format!(" from {}", grouped(least.into())),
        (least, Some(most)) => {
            format!(", {} to {}", grouped(least.unwrap_or(0).into()), grouped(most.into()))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{DOCUMENTS, arguments, fill, grouped, operator_comment, spaced};
    use crate::run::root;

    #[test]
    fn the_tables_are_as_the_definitions_have_them() {
        let schema = adamant_protocol::schema::closed_document();
        for document in DOCUMENTS {
            let text = fs::read_to_string(root().join(document)).unwrap();
            let filled = fill(&text, &schema).unwrap();
            let differs = text.lines().zip(filled.lines()).find(|(is, should)| is != should);
            assert_eq!(differs, None, "{document} is not up to date: cargo xtask docs");
            assert_eq!(text, filled, "{document} is not up to date: cargo xtask docs");
        }
    }

    #[test]
    fn messages_stand_behind_their_fields() {
        let of = |text: &str| arguments(text.parse().unwrap());
        let read = of("game = %g.f(\"a\"), %error, user, lasted_ms = 3, \"one\"").unwrap();
        assert_eq!(read, ("`game`, `error`, `user`, `lasted_ms`".into(), "one".into()));
        assert_eq!(of("\"one \\\n   line\""), Some((String::new(), "one line".into())));
        assert_eq!(of("x, y"), None);
    }

    #[test]
    fn the_comment_for_operators_stands_directly_above() {
        let lines =
            ["// a reason", "// operator: the store failed;", "// it retries", "warn!(", "x"];
        let comment = operator_comment(&lines, 4);
        assert_eq!(comment.as_deref(), Some("the store failed; it retries"));
        assert_eq!(operator_comment(&lines, 5), None);
    }

    #[test]
    fn numbers_and_names_are_written_for_people() {
        assert_eq!(
            (grouped(1_048_576), grouped(100), grouped(-1500)),
            ("1,048,576".into(), "100".into(), "-1,500".into())
        );
        assert_eq!(spaced("SeatUser"), "seat user");
    }
}
