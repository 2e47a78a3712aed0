//! Metrics of the server, by their registrations.

use std::collections::HashMap;

use anyhow::{Context as _, Result, ensure};
use syn::{
    Expr, ExprCall, ExprMethodCall, Fields, Item, ItemStruct, Local, Member, Pat, PatIdent,
    spanned::Spanned as _,
    visit::{self, Visit},
};

use super::{
    text::{code, rows},
    tree::{docs_of, literal, sources},
};

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

/// The registrations.
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

/// The metrics, by their registrations.
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
