//! The crates that other projects use: their packages, and a bot that is built from these alone.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result};

use super::growth;
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
    growth::check(&format!("adamant-protocol-{VERSION}"), &target().join("crates"))?;
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
    run(program("tar").arg("-xzf").arg(package).arg("-C").arg(folder))
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
