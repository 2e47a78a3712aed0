//! What programs have by name: flags of the command line, and the variants of enums.

use std::collections::HashMap;

use anyhow::{Context as _, Result, bail, ensure};
use proc_macro2::TokenTree;
use syn::{
    Attribute, Item, ItemEnum, Pat, Type,
    spanned::Spanned as _,
    visit::{self, Visit},
};

use super::sources::{code, docs_of, item, rows, words_of};

/// The flags in structures of a program, with the variables of the environment that stand for them.
pub(super) fn flags(names: &str) -> Result<String> {
    let mut names = names.split(' ');
    let folder = names.next().unwrap_or_default();
    let mut found = Vec::new();
    for name in names {
        let (file, at) = item(folder, &format!("struct {name}"))?;
        if let Item::Struct(item) = &file.items[at] {
            found.extend(item.fields.iter().filter_map(flag));
        }
    }
    ensure!(!found.is_empty(), "there are no flags");
    let has_variables = found.iter().any(|[_, variable, _]| !variable.is_empty());
    Ok(if has_variables {
        rows(["flag", "environment", "meaning"], found)
    } else {
        rows(["option", "meaning"], found.into_iter().map(|[flag, _, meaning]| [flag, meaning]))
    })
}

fn flag(field: &syn::Field) -> Option<[String; 3]> {
    let (mut long, mut value, mut variable) = (None, String::new(), String::new());
    let (mut default, mut is_hidden) = (String::new(), false);
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("arg")) {
        for (key, text) in arguments(attribute) {
            match (key.as_str(), text) {
                ("long", None) => {
                    long = Some(field.ident.as_ref()?.to_string().replace('_', "-"));
                }
                ("long", Some(text)) => long = Some(text),
                ("value_name", Some(text)) => value = format!(" {text}"),
                ("env", Some(text)) => variable = code(&text),
                ("default_value" | "default_value_t", Some(text)) => default = text,
                ("hide" | "hide_default_value", _) => is_hidden = true,
                _ => {}
            }
        }
    }
    let mut meaning = docs_of(&field.attrs);
    if !default.is_empty() && !is_hidden {
        meaning = format!("{}; by default {}", meaning.trim_end_matches('.'), code(&default));
    }
    let is_shown = !is_hidden || !default.is_empty();
    is_shown.then_some([code(&format!("--{}{value}", long?)), variable, meaning])
}

/// Returns the arguments of an attribute, each with its value if that is a literal or the last word
/// of a path.
fn arguments(attribute: &Attribute) -> Vec<(String, Option<String>)> {
    let Ok(list) = attribute.meta.require_list() else { return Vec::new() };
    let tokens: Vec<TokenTree> = list.tokens.clone().into_iter().collect();
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == ',');
    let read = |argument: &[TokenTree]| {
        let TokenTree::Ident(key) = argument.first()? else { return None };
        let value = match argument.last()? {
            TokenTree::Literal(text) => Some(text.to_string().trim_matches('"').to_owned()),
            TokenTree::Ident(word) => Some(words_of(&word.to_string(), '-')),
            TokenTree::Group(_) | TokenTree::Punct(_) => None,
        };
        Some((key.to_string(), value.filter(|_| argument.len() > 1)))
    };
    tokens.split(is_comma).filter_map(read).collect()
}

/// The commands of an enum of groups of commands, each with its arguments.
pub(super) fn commands(names: &str) -> Result<String> {
    let (folder, name) = names.split_once(' ').context("a name is missing")?;
    let mut found = Vec::new();
    for group in &enumeration(folder, name)?.0.variants {
        if matches!(group.fields, syn::Fields::Named(_)) {
            found.push(command(&words_of(&group.ident.to_string(), '-'), group));
            continue;
        }
        let Some(Type::Path(of)) = group.fields.iter().next().map(|field| &field.ty) else {
            bail!("{} has no commands", group.ident);
        };
        let of = of.path.segments.last().context("a path has a name")?.ident.to_string();
        let group = words_of(&group.ident.to_string(), '-');
        for variant in &enumeration(folder, &of)?.0.variants {
            let word = words_of(&variant.ident.to_string(), '-');
            found.push(command(&format!("{group} {word}"), variant));
        }
    }
    Ok(rows(["command", "meaning"], found))
}

fn command(words: &str, variant: &syn::Variant) -> [String; 2] {
    let arguments = variant.fields.iter().filter_map(argument);
    let line: Vec<String> = [words.to_owned()].into_iter().chain(arguments).collect();
    [code(&line.join(" ")), docs_of(&variant.attrs)]
}

/// An argument as it stands in a usage: what may be left out in brackets.
fn argument(field: &syn::Field) -> Option<String> {
    let name = field.ident.as_ref()?.to_string();
    let given = field.attrs.iter().filter(|attribute| attribute.path().is_ident("arg"));
    let given: HashMap<String, Option<String>> = given.flat_map(arguments).collect();
    let value = given.get("value_name").cloned().flatten();
    let value = value.unwrap_or_else(|| name.to_uppercase());
    let Some(long) = given.get("long") else { return Some(value) };
    let long = long.clone().unwrap_or_else(|| name.replace('_', "-"));
    let is = |kind: &str| matches!(&field.ty, Type::Path(of) if of.path.segments[0].ident == kind);
    let shown = if is("bool") { format!("--{long}") } else { format!("--{long} {value}") };
    let has_default = given.keys().any(|key| key.starts_with("default_value"));
    let may_be_left_out = is("Option") || is("bool") || has_default;
    Some(if may_be_left_out { format!("[{shown}]") } else { shown })
}

/// The variants of an enum by their names on the command line or in JSON, with their documentation
/// or, if a function of it is named, with what that returns.
pub(super) fn variants(names: &str) -> Result<String> {
    let words: Vec<&str> = names.split(' ').collect();
    let [style, folder, name, function @ ..] = &words[..] else { bail!("a name is missing") };
    let between = if *style == "kebab" { '-' } else { '_' };
    let (of_enum, arms) = enumeration(folder, name)?;
    let shown = of_enum.variants.iter().filter(|variant| {
        let all = variant.attrs.iter().filter(|attribute| !attribute.path().is_ident("doc"));
        !all.flat_map(arguments).any(|(key, _)| key == "hide")
    });
    let found = shown.map(|variant| {
        let meaning = match function.first() {
            Some(function) => arms.of(function, variant)?.trim_matches('"').to_owned(),
            None => docs_of(&variant.attrs),
        };
        Ok([code(&words_of(&variant.ident.to_string(), between)), meaning])
    });
    let found: Vec<[String; 2]> = found.collect::<Result<_>>()?;
    Ok(rows(["name", "meaning"], found))
}

/// The codes with which the server closes a WebSocket.
pub(super) fn close_codes() -> Result<String> {
    let (of_enum, arms) = enumeration("protocol", "CloseCode")?;
    let found = of_enum.variants.iter().map(|variant| {
        let reason = code(arms.of("reason", variant)?.trim_matches('"'));
        let comes_back = if arms.of("reconnect", variant)? == "true" { "yes" } else { "no" };
        let number = arms.of("number", variant)?.to_owned();
        Ok([number, reason, docs_of(&variant.attrs), comes_back.to_owned()])
    });
    let found: Vec<[String; 4]> = found.collect::<Result<_>>()?;
    Ok(rows(["code", "reason", "meaning", "come back?"], found))
}

/// Returns an enum, and what its functions return for each variant.
fn enumeration(folder: &str, name: &str) -> Result<(ItemEnum, Arms)> {
    let (file, at) = item(folder, &format!("enum {name}"))?;
    let mut arms = Arms::default();
    for item in &file.items {
        if let Item::Impl(item) = item
            && item.trait_.is_none()
            && matches!(&*item.self_ty, Type::Path(of) if of.path.is_ident(name))
        {
            arms.visit_item_impl(item);
        }
    }
    let Some(Item::Enum(of_enum)) = file.items.into_iter().nth(at) else {
        bail!("{name} is no enum");
    };
    Ok((of_enum, arms))
}

/// What functions that match on `self` return: by function and variant.
#[derive(Default)]
struct Arms {
    function: String,
    found: HashMap<(String, String), String>,
}

impl Arms {
    fn of(&self, function: &str, variant: &syn::Variant) -> Result<&str> {
        let of = |variant: &str| self.found.get(&(function.to_owned(), variant.to_owned()));
        let value = of(&variant.ident.to_string()).or_else(|| of("_")).map(String::as_str);
        value.with_context(|| format!("{} has no {function}", variant.ident))
    }
}

impl<'e> Visit<'e> for Arms {
    fn visit_impl_item_fn(&mut self, function: &'e syn::ImplItemFn) {
        self.function = function.sig.ident.to_string();
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_arm(&mut self, arm: &'e syn::Arm) {
        let value = arm.body.span().source_text().unwrap_or_default();
        let patterns: Vec<&Pat> = if let Pat::Or(patterns) = &arm.pat {
            patterns.cases.iter().collect()
        } else {
            vec![&arm.pat]
        };
        for pattern in patterns {
            let variant = if let Pat::Path(path) = pattern {
                path.path.segments.last().map(|last| last.ident.to_string())
            } else {
                matches!(pattern, Pat::Wild(_)).then(|| "_".to_owned())
            };
            if let Some(variant) = variant {
                self.found.insert((self.function.clone(), variant), value.clone());
            }
        }
    }
}
