//! Settings, limits, metrics and log lines of the server.

use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write as _,
    fs,
    path::PathBuf,
};

use anyhow::{Context as _, Result, anyhow, ensure};
use proc_macro2::{TokenStream, TokenTree};
use syn::{
    BinOp, Expr, ExprCall, ExprMethodCall, Fields, Item, ItemStruct, Lit, LitStr, Local, Member,
    Pat, PatIdent,
    spanned::Spanned as _,
    visit::{self, Visit},
};

use super::sources::{code, doc_lines, docs_of, grouped, literal, one_line, parsed, rows, sources};
use crate::run::root;

/// The settings, from the file with the defaults. Keys that follow a key without a comment of their
/// own share its row.
pub(super) fn settings() -> Result<String> {
    Ok(rows(["setting", "default", "meaning"], defaults()?))
}

/// The limits that are counted by time, address or network, by the name that a refused client is
/// told: that of the setting.
pub(super) fn rates() -> Result<String> {
    const SUFFIXES: [&str; 5] =
        ["_per_min", "_per_hour", "_per_day", "_per_address", "_per_network"];
    // No client is told of these by their names.
    const OTHERS: [&str; 3] = ["page_files_per_min", "handshakes_per_address", "mails_per_hour"];
    let told = defaults()?.into_iter().filter_map(|[key, value, meaning]| {
        let name = key.trim_matches('`').strip_prefix("limits.")?;
        let is_rate = SUFFIXES.iter().any(|suffix| name.ends_with(suffix));
        let how_much = format!("{}: `{name}`", value.trim_matches('`'));
        (is_rate && !OTHERS.contains(&name)).then_some([meaning, how_much])
    });
    Ok(rows(["what", "how much"], told))
}

fn defaults() -> Result<Vec<[String; 3]>> {
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
    Ok(found)
}

pub(super) fn is_key(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_lowercase() || c == '_')
}

/// The constants of the limits, with a table for each file.
pub(super) fn limits() -> Result<String> {
    let files = parsed("server/src/limits")?;
    let constants = files.iter().flat_map(|file| &file.items).filter_map(|item| {
        let Item::Const(item) = item else { return None };
        Some((item.ident.to_string(), &*item.expr))
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
            write!(text, "\n{}\n\n{table}", doc_lines(&file.attrs).join("\n"))?;
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
    if let Expr::Lit(literal) = expression {
        let Lit::Int(number) = &literal.lit else { return None };
        return number.base10_parse().ok();
    }
    if let Expr::Binary(binary) = expression {
        let left = number(&binary.left, constants)?;
        let right = number(&binary.right, constants)?;
        return if matches!(binary.op, BinOp::Add(_)) {
            left.checked_add(right)
        } else if matches!(binary.op, BinOp::Sub(_)) {
            left.checked_sub(right)
        } else if matches!(binary.op, BinOp::Mul(_)) {
            left.checked_mul(right)
        } else if matches!(binary.op, BinOp::Shl(_)) {
            left.checked_shl(right.try_into().ok()?)
        } else {
            None
        };
    }
    if let Expr::Paren(inner) = expression {
        return number(&inner.expr, constants);
    }
    if let Expr::Cast(cast) = expression {
        return number(&cast.expr, constants);
    }
    if let Expr::MethodCall(call) = expression {
        let is_same = call.method == "unsigned_abs";
        return is_same.then(|| number(&call.receiver, constants)).flatten();
    }
    let Expr::Path(path) = expression else { return None };
    number(constants.get(&path.path.get_ident()?.to_string())?, constants)
}

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
        for part in rest {
            fields.visit_expr(part);
        }
        let bound = fields.variables.iter().filter_map(|name| self.bound.get(name));
        let known = fields.fields.iter().chain(bound).find_map(|it| self.registered.fields.get(it));
        let (kind, docs) =
            known.map_or((text.as_str(), ""), |(kind, docs)| (kind.as_str(), docs.as_str()));
        let unit = if text.contains("Seconds") {
            "seconds"
        } else if text.contains("Bytes") || text.contains("bytes()") {
            "bytes"
        } else {
            ""
        };
        let is_info = name == "build";
        let is_counter = kind.contains("Counter") || text.contains("REFUSALS");
        let kind_name = if kind.contains("Histogram") {
            "histogram"
        } else if is_counter {
            "counter"
        } else {
            "gauge"
        };
        let label = kind.split_once("Family<").and_then(|(_, rest)| rest.split([',', '>']).next());
        let labels = match label.and_then(|label| self.registered.labels.get(label.trim())) {
            Some(labels) => labels.clone(),
            None if is_info => code("version"),
            None if text.contains("REFUSALS") => code("code"),
            None => String::new(),
        };
        let unit_end = if unit.is_empty() { String::new() } else { format!("_{unit}") };
        let kind_end = if is_counter {
            "_total"
        } else if is_info {
            "_info"
        } else {
            ""
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
    let Expr::Path(path) = expression else { return None };
    path.path.get_ident().map(ToString::to_string)
}

pub(super) fn metrics() -> Result<String> {
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
    for file in &filled {
        registrations.visit_file(file);
    }
    let mut found = registrations.rows;
    ensure!(!found.is_empty(), "no metric is registered");
    found.sort();
    Ok(rows(["metric", "type", "labels", "unit", "meaning"], found))
}

/// The lines of the log that operators read. The comment above a macro, `// operator: ..`, says
/// what the line means and what to do; of several macros with one message, one has it.
pub(super) fn log() -> Result<String> {
    log_table(sources("server/src")?)
}

fn log_table(sources: impl IntoIterator<Item = (PathBuf, String)>) -> Result<String> {
    let mut found: BTreeMap<String, ([String; 3], Option<String>)> = BTreeMap::new();
    for (path, text) in sources {
        let lines: Vec<&str> = text.lines().collect();
        let tokens: TokenStream =
            text.parse().map_err(|error| anyhow!("{}: {error}", path.display()))?;
        for LogLine { level, fields, message, line } in log_lines(tokens) {
            let at = format!("{}:{line}: the message {message:?}", path.display());
            ensure!(!message.contains('{'), "{at} varies: put what varies into fields");
            let known = found.get(&message).map(|([_, known, _], _)| known);
            ensure!(known.is_none_or(|known| *known == level), "{at} has another level elsewhere");
            let meaning = operator_comment(&lines, line);
            let row = [code(&message), level, fields];
            let known = found.entry(message).or_insert((row, None));
            known.1 = known.1.take().or(meaning);
        }
    }
    let found = found.into_iter().map(|(message, ([line, level, fields], meaning))| {
        let meaning = meaning
            .with_context(|| format!("no comment `// operator: ..` says what {message:?} means"))?;
        Ok([line, level, fields, meaning])
    });
    let found: Vec<[String; 4]> = found.collect::<Result<_>>()?;
    Ok(rows(["line", "level", "fields", "meaning and what to do"], found))
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
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
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
                let last = rest.iter().rev().find_map(|token| {
                    let TokenTree::Ident(name) = token else { return None };
                    Some(name)
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

#[cfg(test)]
mod tests {
    use super::{arguments, log_table, operator_comment};

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
    fn a_message_has_one_text_one_level_and_one_meaning() {
        let table = |text: &str| {
            log_table([("a.rs".into(), text.to_owned())]).map_err(|error| format!("{error:#}"))
        };
        let known = "// operator: meant\ninfo!(\"known\");\n";
        assert!(table(known).unwrap().ends_with("| `known` | info |  | meant |\n"));
        let twice = format!("{known}warn!(\"known\");");
        let wrong = [
            (&*twice, "a.rs:3: the message \"known\" has another level elsewhere"),
            (
                "error!(\"new {x}\");",
                "a.rs:1: the message \"new {x}\" varies: put what varies into fields",
            ),
            ("warn!(\"new\");", "no comment `// operator: ..` says what \"new\" means"),
        ];
        for (text, error) in wrong {
            assert_eq!(table(text).unwrap_err(), error);
        }
    }
}
