//! A release: what RELEASING.md describes, up to the archive and its checksum.

use std::{
    env::consts::{ARCH, OS},
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, bail};

use super::{crates, debian, python, typescript};
use crate::{
    run::{cargo, note, output, print, program, run, step, target},
    tools,
};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Files and folders of the archive beside the binaries.
const CONTENTS: [&str; 6] =
    ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE", "config", "docs"];

/// The profile of what is shipped and measured.
pub(super) const SHIPPED: &str = "shipped";

const BINARIES: [&str; 2] = ["adamant-server", "adamant"];

/// Checks, builds and packs a release. A dry run reports what would stop a release and goes on.
pub(crate) fn release(dry_run: bool) -> Result<()> {
    step("checks", || {
        for problem in problems()? {
            if !dry_run {
                bail!("{problem}");
            }
            note(&format!("would stop a release: {problem}"));
        }
        Ok(())
    })?;
    step("build", || {
        let chosen = ["-p", "adamant-server", "-p", "adamant-cli"];
        run(cargo(&["build", "--profile", SHIPPED, "--locked"]).args(chosen))
    })?;
    step("archives", pack)?;
    step("package for Debian", debian)?;
    step("wheel of the Python client", wheel)?;
    step("tarball of the TypeScript client", tarball)?;
    step("packages of the crates", packages)
}

/// What stands against a release of this tree.
fn problems() -> Result<Vec<String>> {
    let mut problems = Vec::new();
    let changes = output(program("git").args(["status", "--porcelain"]))?;
    if !changes.is_empty() {
        problems.push("the tree has changes that are not committed".to_owned());
    }
    let changelog = fs::read_to_string(crate::run::root().join("CHANGELOG.md"))?;
    problems.extend(changelog_problem(&changelog, VERSION));
    let tag = format!("v{VERSION}");
    let tags = output(program("git").args(["tag", "--list", &tag]))?;
    if !tags.is_empty() {
        problems.push(format!("the tag {tag} exists already"));
    }
    Ok(problems)
}

/// What is wrong with the notes for a version.
fn changelog_problem(changelog: &str, version: &str) -> Option<String> {
    let mut sections = changelog.split("\n## ").skip(1);
    let Some(notes) = sections.find(|section| {
        let title = section.lines().next().unwrap_or_default();
        title
            .trim_start_matches('[')
            .strip_prefix(version)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([']', ' ']))
    }) else {
        return Some(format!("CHANGELOG.md has no section for version {version}"));
    };
    let is_empty = notes.lines().skip(1).all(|line| line.trim().is_empty());
    is_empty.then(|| format!("the section for version {version} in CHANGELOG.md is empty"))
}

/// Packs the archive and that of the symbols, and writes their checksums beside them.
fn pack() -> Result<()> {
    let name = format!("adamant-{VERSION}-{ARCH}-{OS}");
    let (folder, symbols) = (empty_folder(&name)?, empty_folder(&format!("{name}-symbols"))?);
    tools::OBJCOPY.require()?;
    for binary in BINARIES {
        split_symbols(binary, &folder, &symbols)?;
    }
    run(program("cp").arg("-r").args(CONTENTS).arg(&folder))?;
    archive(&folder)?;
    archive(&symbols)
}

/// Copies a binary without its symbols, which most users never need and which are most of it. Put
/// beside it again, their file gives a backtrace its names and lines.
fn split_symbols(binary: &str, folder: &Path, symbols: &Path) -> Result<()> {
    let built = target().join(SHIPPED).join(binary);
    let (copy, apart) = (folder.join(binary), symbols.join(format!("{binary}.debug")));
    run(program("objcopy").arg("--only-keep-debug").arg(&built).arg(&apart))?;
    let mut link = OsString::from("--add-gnu-debuglink=");
    link.push(&apart);
    run(program("objcopy").arg("--strip-all").arg(link).arg(&built).arg(&copy))
}

fn empty_folder(name: &str) -> Result<PathBuf> {
    let folder = target().join("dist").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Packs a folder and writes the archive's checksum beside it.
fn archive(folder: &Path) -> Result<()> {
    let name = folder.file_name().and_then(|name| name.to_str()).context("no name")?;
    let (out, archive) = (target().join("dist"), format!("{name}.tar.gz"));
    let same = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner"];
    run(program("tar").current_dir(&out).args(same).args(["-czf", &archive, name]))?;
    write_checksum(&out.join(archive))
}

/// Builds the package from the programs of the archive, tries it out, and writes its checksum
/// beside it.
fn debian() -> Result<()> {
    let programs = target().join("dist").join(format!("adamant-{VERSION}-{ARCH}-{OS}"));
    let package = debian::package(VERSION, &programs)?;
    debian::try_out(&package)?;
    write_checksum(&package)
}

/// Builds the wheel and writes its checksum beside it.
fn wheel() -> Result<()> {
    let out = target().join("dist");
    write_checksum(&python::wheel(VERSION, &out)?)
}

/// Builds the tarball and writes its checksum beside it.
fn tarball() -> Result<()> {
    let out = target().join("dist");
    write_checksum(&typescript::tarball(VERSION, &out)?)
}

/// Builds the packages of the crates, each from what the package has, and writes their checksums
/// beside them.
fn packages() -> Result<()> {
    let out = target().join("dist");
    for package in crates::pack(&[])? {
        let name = package.file_name().context("no name")?;
        let kept = out.join(name);
        fs::copy(&package, &kept)?;
        write_checksum(&kept)?;
    }
    Ok(())
}

fn write_checksum(file: &Path) -> Result<()> {
    let (folder, name) =
        (file.parent().context("no folder")?, file.file_name().context("no name")?);
    let sum = output(program("sha256sum").current_dir(folder).arg(name))?;
    let mut beside = file.as_os_str().to_owned();
    beside.push(".sha256");
    fs::write(beside, &sum)?;
    print(&format!("{}\n{}", file.display(), String::from_utf8(sum)?.trim_end()));
    Ok(())
}

/// Measures the parts, then the server under load; or with arguments, what these ask for.
pub(crate) fn bench(quick: bool, args: &[String]) -> Result<()> {
    if args.is_empty() {
        step("micro benchmarks", || {
            let mut benchmarks = cargo(&["bench", "--locked", "-p", "adamant-bench"]);
            if quick {
                benchmarks.args(["--benches", "--", "--sample-count", "10"]);
            }
            run(&mut benchmarks)
        })?;
    }
    if quick {
        return Ok(());
    }
    step("build as it is shipped", || {
        let chosen = ["-p", "adamant-server", "-p", "adamant-bench"];
        run(cargo(&["build", "--profile", SHIPPED, "--locked"]).args(chosen))
    })?;
    step("load", || {
        let mut load = program(target().join(SHIPPED).join("adamant-bench"));
        if args.is_empty() {
            load.arg("all");
        }
        run(load.args(args))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_needs_notes_in_the_changelog() {
        let changelog =
            "# Changelog\n\n## Unreleased\n\n- x\n\n## 0.2.0 - 2026-12-01\n\n- y\n\n## [0.1.0]\n";
        assert_eq!(changelog_problem(changelog, "0.2.0"), None);
        assert!(changelog_problem(changelog, "0.1.0").is_some_and(|why| why.contains("empty")));
        assert!(changelog_problem(changelog, "0.2").is_some_and(|why| why.contains("no section")));
    }
}
