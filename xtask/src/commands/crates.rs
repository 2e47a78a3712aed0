//! The crates that other projects use: their packages, a bot that is built from these alone, and a
//! program that a protocol which has grown must not break.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result};
use proc_macro2::{Delimiter, Group, LineColumn, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::{Attribute, Fields, Visibility, visit::Visit};

use crate::{
    run::{cargo, program, root, run, target},
    suite::{Binaries, Live, Tally},
};

/// The published crates, in the order in which they are published.
const CRATES: [&str; 4] = ["adamant-rules", "adamant-protocol", "adamant-record", "adamant-client"];

/// What the bot needs beside them.
const DEPENDENCIES: &str = r#"rand = "0.10"
tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
"#;

/// The server's address in README.md. The bot under test takes it from its command line.
const ADDRESS: &str = r#""ws://127.0.0.1:7777""#;
const ADDRESS_GIVEN: &str = r#"std::env::args().nth(1).ok_or("no address")?"#;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Packs the published crates, and plays with a bot that is built from the packages.
pub(super) fn tests(live: &Live<'_>, binaries: &Binaries) -> Result<Tally> {
    live.status("packing the crates".to_owned());
    let packages = pack(&["--no-verify"])?;
    live.status("building the bot of the client's README.md".to_owned());
    let bot = build(&packages)?;
    live.status("building a program against a protocol that has grown".to_owned());
    check_growth(&format!("adamant-protocol-{VERSION}"), &target().join("crates"))?;
    let mut tally = Tally::default();
    let game = |tests: &mut Command| {
        tests.args(["--ignored", "bots::readme_bot::"]).env("ADAMANT_README_BOT", bot);
    };
    binaries.named("tests/it")?.run(live, 1, game, &mut tally)?;
    Ok(tally)
}

/// Packs the crates and returns the packages. Without `--no-verify` each is built from its package.
pub(super) fn pack(options: &[&str]) -> Result<Vec<PathBuf>> {
    let chosen = CRATES.iter().flat_map(|name| ["--package", name]);
    // The registry's index may be newer than what is here, and is not needed.
    run(&mut cargo(&["fetch", "--locked"]))?;
    // Whether the tree has changes is the release's question.
    run(cargo(&["package", "--locked", "--offline", "--allow-dirty"]).args(chosen).args(options))?;
    let folder = target().join("package");
    Ok(CRATES.iter().map(|name| folder.join(format!("{name}-{VERSION}.crate"))).collect())
}

/// Builds the bot in a workspace of its own, which has only the packages; returns the program.
fn build(packages: &[PathBuf]) -> Result<PathBuf> {
    let folder = target().join("crates");
    let bot = folder.join("bot");
    let mut manifest = "[package]\nname = \"bot\"\nedition = \"2024\"\n\n[workspace]\n\n\
        [profile.dev]\ndebug = false\n\n[dependencies]\n"
        .to_owned();
    let mut patches = "\n[patch.crates-io]\n".to_owned();
    for (name, package) in CRATES.iter().zip(packages) {
        unpack(name, package, &folder)?;
        writeln!(manifest, "{name} = \"{VERSION}\"")?;
        writeln!(patches, "{name} = {{ path = \"../{name}-{VERSION}\" }}")?;
    }
    fs::create_dir_all(bot.join("src"))?;
    fs::write(bot.join("Cargo.toml"), manifest + DEPENDENCIES + &patches)?;
    // The versions of the workspace, which are here already.
    fs::copy(root().join("Cargo.lock"), bot.join("Cargo.lock"))?;
    fs::write(bot.join("src/main.rs"), program_of_readme(&folder)?)?;
    run(cargo(&["build", "--offline", "--target-dir"])
        .arg(folder.join("target"))
        .current_dir(&bot))?;
    Ok(folder.join("target/debug/bot"))
}

fn unpack(name: &str, package: &Path, folder: &Path) -> Result<()> {
    let unpacked = folder.join(format!("{name}-{VERSION}"));
    if unpacked.exists() {
        fs::remove_dir_all(&unpacked)?;
    }
    fs::create_dir_all(folder)?;
    // Packed files all have one time, by which cargo would not notice that they have changed.
    run(program("tar").arg("-xmzf").arg(package).arg("-C").arg(folder))
}

/// Returns the bot of the README.md in the client's package.
fn program_of_readme(folder: &Path) -> Result<String> {
    let readme = folder.join(format!("adamant-client-{VERSION}")).join("README.md");
    let text = fs::read_to_string(&readme)?;
    let program = text.split_once("```rust,no_run\n").and_then(|(_, rest)| rest.split_once("```"));
    let (program, _) = program.with_context(|| format!("{} has no program", readme.display()))?;
    let lines = program.lines().count();
    anyhow::ensure!(lines <= 25, "the bot in {} has {lines} lines", readme.display());
    anyhow::ensure!(program.contains(ADDRESS), "the bot connects to another address");
    Ok(program.replace(ADDRESS, ADDRESS_GIVEN))
}

/// The mark of what grows.
const GROWS: &str = r#"cfg_attr (not (feature = "exhaustive") , non_exhaustive)"#;

/// A further field, of what is encoded and of what is not.
const FIELD: &str = " #[serde(default)] pub later: Option<u8>,";
const PLAIN_FIELD: &str = " pub later: Option<u8>,";

/// A further word.
const WORD: &str = "\n/// Of tomorrow.\nOfTomorrow = \"of_tomorrow\",\n";

/// A further message in each direction.
const MESSAGE: &str = "

/// Later.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Later {
    /// The id.
    pub id: RequestId,
}
";

/// Enums that never grow: the values of JSON.
const CLOSED: [&str; 2] = ["OptionValue", "Options"];

const MODULES: [&str; 11] = [
    "codec",
    "downloads",
    "error",
    "event",
    "fast_path",
    "from_client",
    "ids",
    "notification",
    "sketch",
    "to_client",
    "values",
];

/// Builds the program against the unpacked package in `folder`, then against its copy.
pub(super) fn check_growth(package: &str, folder: &Path) -> Result<()> {
    let sources = sources_below(&folder.join(package).join("src"))?;
    let mut found = Found::default();
    for (path, text) in &sources {
        let file = syn::parse_file(text).with_context(|| format!("{} is Rust", path.display()))?;
        found.visit_file(&file);
    }
    let program = folder.join("everything");
    fs::create_dir_all(program.join("src"))?;
    fs::write(program.join("src/main.rs"), found.program()?)?;
    build_program(&program, package, folder)?;

    let copy = folder.join("grown");
    if copy.exists() {
        fs::remove_dir_all(&copy)?;
    }
    for (path, text) in &sources {
        let path = copy.join(path.strip_prefix(folder.join(package))?);
        fs::create_dir_all(path.parent().context("a file has a folder")?)?;
        fs::write(path, grown(text, &found.structs)?)?;
    }
    for name in ["Cargo.toml", "README.md"] {
        fs::copy(folder.join(package).join(name), copy.join(name))?;
    }
    build_program(&program, "grown", folder)
}

fn build_program(program: &Path, protocol: &str, folder: &Path) -> Result<()> {
    let manifest = format!(
        "[package]\nname = \"everything\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\nadamant-protocol = {{ path = \"../{protocol}\" }}\n"
    );
    fs::write(program.join("Cargo.toml"), manifest)?;
    fs::copy(root().join("Cargo.lock"), program.join("Cargo.lock"))?;
    run(cargo(&["check", "--offline", "--target-dir"])
        .arg(folder.join("target"))
        .current_dir(program))
}

/// Returns the Rust files below a folder with their texts.
fn sources_below(folder: &Path) -> Result<Vec<(PathBuf, String)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(sources_below(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path)?;
            files.push((path, text));
        }
    }
    files.sort();
    Ok(files)
}

fn grows(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let text = attribute.meta.to_token_stream().to_string();
        text.replace(' ', "") == GROWS.replace(' ', "")
    })
}

const fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn is_encoded(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("derive")
            && attribute.to_token_stream().to_string().contains("Deserialize")
    })
}

/// What the program names.
#[derive(Default)]
struct Found {
    /// The structs that grow.
    structs: BTreeSet<String>,
    /// Their public fields, of those that are not made by macros.
    fields: Vec<(String, Vec<String>)>,
    /// Enums with their variants, as patterns.
    enums: Vec<(String, Vec<String>)>,
    /// Constructors with their arguments.
    constructors: Vec<(String, TokenStream)>,
    /// What is public and cannot grow.
    closed: Vec<String>,
}

impl Visit<'_> for Found {
    fn visit_item_struct(&mut self, item: &syn::ItemStruct) {
        let name = item.ident.to_string();
        let public = |field: &&syn::Field| matches!(field.vis, Visibility::Public(_));
        if !grows(&item.attrs) {
            let is_open = item.fields.iter().filter(public).any(|field| field.ident.is_some());
            self.closed.extend((is_open && is_public(&item.vis)).then_some(name));
            return;
        }
        let fields = item.fields.iter().filter(public).filter_map(|field| field.ident.as_ref());
        self.fields.push((name.clone(), fields.map(ToString::to_string).collect()));
        self.structs.insert(name);
    }

    fn visit_item_enum(&mut self, item: &syn::ItemEnum) {
        if !grows(&item.attrs) {
            let name = item.ident.to_string();
            let may = CLOSED.contains(&&*name) || !is_public(&item.vis);
            self.closed.extend((!may).then_some(name));
            return;
        }
        let pattern = |variant: &syn::Variant| match variant.fields {
            Fields::Named(_) => format!("{} {{ .. }}", variant.ident),
            Fields::Unnamed(_) => format!("{}(..)", variant.ident),
            Fields::Unit => variant.ident.to_string(),
        };
        self.enums.push((item.ident.to_string(), item.variants.iter().map(pattern).collect()));
    }

    fn visit_item_macro(&mut self, item: &syn::ItemMacro) {
        let tokens: Vec<TokenTree> = item.mac.tokens.clone().into_iter().collect();
        let name = item.mac.path.segments.last().map(|segment| segment.ident.to_string());
        match name.as_deref() {
            Some("words") => {
                let lists = enums_of(&tokens).map(|(name, list)| (name, words_of(list.stream())));
                self.enums.extend(lists);
            }
            Some("reasons") => self.add_reasons(&tokens, &item.mac.tokens),
            Some("constructor") => {
                if let [TokenTree::Ident(name), TokenTree::Group(fields)] = &tokens[..] {
                    let is_argument = |token: &TokenTree| !is_punct(token, ';');
                    let arguments = fields.stream().into_iter().take_while(is_argument).collect();
                    self.constructors.push((name.to_string(), arguments));
                }
            }
            Some("messages") => self.enums.push(("ToClient".to_owned(), kinds_of(&tokens))),
            Some("requests") => self.enums.push(("FromClient".to_owned(), kinds_of(&tokens))),
            Some("bodies") => self.enums.push(("EventBody".to_owned(), kinds_of(&tokens))),
            Some(name) if name.ends_with("_requests") => {
                let names = tokens.iter().filter(|token| matches!(token, TokenTree::Ident(_)));
                self.structs.extend(names.map(ToString::to_string));
            }
            _ => {}
        }
    }
}

impl Found {
    /// Adds the two enums of a list of reasons.
    fn add_reasons(&mut self, tokens: &[TokenTree], all: &TokenStream) {
        let common = words_of(all.clone());
        let mut names = tokens.windows(2).filter_map(|pair| match pair {
            [TokenTree::Ident(name), next] if is_punct(next, ';') => Some((name, None)),
            [TokenTree::Ident(name), TokenTree::Group(further)] => Some((name, Some(further))),
            _ => None,
        });
        if let (Some((name, _)), Some((wide, Some(further)))) = (names.next(), names.next()) {
            self.enums.push((name.to_string(), common.clone()));
            self.enums.push((wide.to_string(), [words_of(further.stream()), common].concat()));
        }
    }

    /// Returns a program that makes what has a constructor, reads each field and matches each word.
    fn program(&self) -> Result<String> {
        anyhow::ensure!(self.closed.is_empty(), "{:?} cannot grow", self.closed);
        anyhow::ensure!(self.enums.len() > 25, "there are {} enums", self.enums.len());
        anyhow::ensure!(self.constructors.len() > 90, "only {}", self.constructors.len());
        let mut text = "#![allow(dead_code, non_snake_case, unused)]\n\n".to_owned();
        writeln!(text, "use adamant_protocol::{{*, {}::*}};\n", MODULES.join("::*, "))?;
        for (name, arguments) in &self.constructors {
            let tokens: Vec<TokenTree> = arguments.clone().into_iter().collect();
            let names = tokens.windows(2).filter_map(|pair| match pair {
                [TokenTree::Ident(name), TokenTree::Punct(colon)]
                    if colon.as_char() == ':' && colon.spacing() == proc_macro2::Spacing::Alone =>
                {
                    Some(name.to_string())
                }
                _ => None,
            });
            let names = names.collect::<Vec<_>>().join(", ");
            writeln!(text, "fn make_{name}({arguments}) -> {name} {{ {name}::new({names}) }}")?;
        }
        for (name, fields) in &self.fields {
            let fields = fields.join(", ");
            let comma = if fields.is_empty() { "" } else { ", " };
            writeln!(
                text,
                "fn read_{name}(it: &{name}) {{ let {name} {{ {fields}{comma}.. }} = it; }}"
            )?;
        }
        for (name, variants) in &self.enums {
            writeln!(text, "fn match_{name}(it: &{name}) -> usize {{\n    match it {{")?;
            for (number, variant) in variants.iter().enumerate() {
                writeln!(text, "        {name}::{variant} => {number},")?;
            }
            text.push_str("        _ => 0,\n    }\n}\n");
        }
        text.push_str("fn main() {}\n");
        Ok(text)
    }
}

fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

/// Returns the enums of a list of words with their braces.
fn enums_of(tokens: &[TokenTree]) -> impl Iterator<Item = (String, &Group)> {
    tokens.windows(3).filter_map(|three| match three {
        [TokenTree::Ident(word), TokenTree::Ident(name), TokenTree::Group(list)]
            if word == "enum" =>
        {
            Some((name.to_string(), list))
        }
        _ => None,
    })
}

/// Returns the variants that have a word.
fn words_of(tokens: TokenStream) -> Vec<String> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let words = tokens.windows(3).filter_map(|three| match three {
        [TokenTree::Ident(variant), equals, TokenTree::Literal(_)] if is_punct(equals, '=') => {
            Some(variant.to_string())
        }
        _ => None,
    });
    words.collect()
}

/// Returns the variants of a list of messages, as patterns.
fn kinds_of(tokens: &[TokenTree]) -> Vec<String> {
    let kinds = tokens.windows(3).filter_map(|three| match three {
        [equals, more, TokenTree::Ident(variant)]
            if is_punct(equals, '=') && is_punct(more, '>') =>
        {
            Some(format!("{variant}(..)"))
        }
        _ => None,
    });
    kinds.collect()
}

/// Returns the text of a file of the copy.
fn grown(text: &str, structs: &BTreeSet<String>) -> Result<String> {
    let file = syn::parse_file(text)?;
    let mut growth = Growth { structs, of: None, edits: Vec::new(), end: "" };
    growth.visit_file(&file);
    let Growth { mut edits, end, .. } = growth;
    edits.sort_by_key(|(at, _)| std::cmp::Reverse((at.line, at.column)));
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for (at, addition) in edits {
        let line = &mut lines[at.line - 1];
        // Columns count characters.
        let byte = line.char_indices().nth(at.column).map_or(line.len(), |(byte, _)| byte);
        line.insert_str(byte, addition);
    }
    let end = if text.contains("pub const PROTOCOL_VERSION") { MESSAGE } else { end };
    Ok(lines.join("\n") + end + "\n")
}

/// Collects what the copy has besides.
struct Growth<'a> {
    structs: &'a BTreeSet<String>,
    /// The type of the `impl` that is read.
    of: Option<String>,
    edits: Vec<(LineColumn, &'static str)>,
    /// What the end of the file gets.
    end: &'static str,
}

impl Growth<'_> {
    fn add(&mut self, at: LineColumn, addition: &'static str) {
        self.edits.push((at, addition));
    }

    /// Whether a literal or pattern is one of a struct that grows.
    fn is_grown(&self, path: &syn::Path) -> bool {
        let Some(name) = path
            .get_ident()
            .map(ToString::to_string)
            .or_else(|| path.segments.last().map(|segment| segment.ident.to_string()))
        else {
            return false;
        };
        let name = if name == "Self" { self.of.clone().unwrap_or_default() } else { name };
        self.structs.contains(&name)
    }

    /// Adds to the definitions in a macro.
    fn add_in_macro(&mut self, tokens: TokenStream, is_constructor: bool) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for (index, token) in tokens.iter().enumerate() {
            let TokenTree::Group(group) = token else { continue };
            let before = |back: usize| {
                index.checked_sub(back).map(|at| tokens[at].to_string()).unwrap_or_default()
            };
            if group.delimiter() == Delimiter::Brace && before(3) == "struct" && before(2) == "$" {
                self.add(group.span_open().end(), FIELD);
            }
            if group.delimiter() == Delimiter::Brace
                && is_constructor
                && before(1) == "Self"
                && before(2) != ">"
            {
                self.add(group.span_open().end(), " later: None,");
            }
            self.add_in_macro(group.stream(), is_constructor);
        }
    }
}

impl<'ast> Visit<'ast> for Growth<'_> {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        if let (true, Fields::Named(fields)) = (grows(&item.attrs), &item.fields) {
            let field = if is_encoded(&item.attrs) { FIELD } else { PLAIN_FIELD };
            self.add(fields.brace_token.span.open().end(), field);
        }
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        let open = item.brace_token.span.open().end();
        if item.ident == "KnownClock" {
            self.add(open, " #[serde(skip)] OfTomorrow,");
        } else if grows(&item.attrs) {
            self.add(open, " OfTomorrow,");
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let before = self.of.take();
        if let syn::Type::Path(path) = &*item.self_ty {
            self.of = path.path.segments.last().map(|segment| segment.ident.to_string());
        }
        syn::visit::visit_item_impl(self, item);
        self.of = before;
    }

    fn visit_expr_struct(&mut self, literal: &'ast syn::ExprStruct) {
        if literal.rest.is_none()
            && self.is_grown(&literal.path)
            && literal.path.segments.len() == 1
        {
            self.add(literal.brace_token.span.open().end(), " later: None,");
        }
        syn::visit::visit_expr_struct(self, literal);
    }

    fn visit_pat_struct(&mut self, pattern: &'ast syn::PatStruct) {
        if pattern.rest.is_none()
            && self.is_grown(&pattern.path)
            && pattern.path.segments.len() == 1
        {
            self.add(pattern.brace_token.span.open().end(), " later: _,");
        }
        syn::visit::visit_pat_struct(self, pattern);
    }

    fn visit_expr_match(&mut self, matched: &'ast syn::ExprMatch) {
        let comma = matched.arms.last().is_some_and(|arm| arm.comma.is_none());
        let arm = if comma { ", _ => unreachable!()," } else { " _ => unreachable!()," };
        self.add(matched.brace_token.span.close().start(), arm);
        syn::visit::visit_expr_match(self, matched);
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        if let Some(name) = &item.ident {
            self.add_in_macro(item.mac.tokens.clone(), name == "constructor");
            return;
        }
        let name = item.mac.path.segments.last().map(|segment| segment.ident.to_string());
        let syn::MacroDelimiter::Brace(braces) = &item.mac.delimiter else { return };
        let (open, close) = (braces.span.open().end(), braces.span.close().start());
        match name.as_deref() {
            Some("words") => {
                let tokens: Vec<TokenTree> = item.mac.tokens.clone().into_iter().collect();
                for (_, list) in enums_of(&tokens) {
                    self.add(list.span_open().end(), WORD);
                }
            }
            Some("reasons") => self.add(close, WORD),
            Some("messages" | "bodies") => {
                self.end = "\nuse crate::Later;";
                self.add(open, "\n/// Later.\n\"later\" => Later(Later),\n");
            }
            Some("requests") => {
                self.end = "\nuse crate::Later;";
                self.add(open, "\n/// Later.\n\"later\" => Later -> \"ok\",\n");
            }
            _ => {}
        }
    }
}
