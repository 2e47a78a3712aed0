//! A release: what RELEASING.md describes, up to the archive, the packages and their checksums.
//! A fresh Debian installs the package and plays on it.

use std::{
    env::consts::{ARCH, OS},
    ffi::OsString,
    fs,
    io::{BufRead as _, BufReader},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use anyhow::{Context as _, Result, bail, ensure};
use nix::{
    sys::signal::{Signal, kill},
    unistd::{Pid, geteuid},
};

use super::{clients, crates, image, materials};
use crate::{
    run::{cargo, note, now, output, print, program, root, run, step, target},
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
    step("build", build)?;
    step("archives", pack)?;
    step("bill of materials", || {
        let file = target().join("dist").join(format!("adamant-{VERSION}.cdx.json"));
        materials::write(VERSION, &file)?;
        write_checksum(&file)
    })?;
    step("package for Debian", debian)?;
    step("image for containers", container)?;
    step("wheel of the Python client", wheel)?;
    step("tarball of the TypeScript client", tarball)?;
    step("packages of the crates", packages)
}

/// Builds the programs as they are shipped.
fn build() -> Result<()> {
    let chosen = ["-p", "adamant-server", "-p", "adamant-cli"];
    run(cargo(&["build", "--profile", SHIPPED, "--locked"]).args(chosen))
}

/// Builds the programs, and the package of them.
pub(super) fn build_package() -> Result<PathBuf> {
    build()?;
    package_built(SHIPPED, VERSION)
}

/// Builds the package of the debug build, which is the one that the tests have built. Its version
/// keeps it apart from a release's.
pub(super) fn build_debug_package() -> Result<PathBuf> {
    run(&mut cargo(&["test", "--workspace", "--locked", "--no-run"]))?;
    package_built("debug", &format!("{VERSION}~debug"))
}

fn package_built(built: &str, version: &str) -> Result<PathBuf> {
    let (programs, symbols) = (empty_folder("programs")?, empty_folder("programs-symbols")?);
    split_symbols(built, &programs, &symbols)?;
    package(version, &programs)
}

/// What stands against a release of this tree.
fn problems() -> Result<Vec<String>> {
    let mut problems = Vec::new();
    let changes = output(program("git").args(["status", "--porcelain"]))?;
    if !changes.is_empty() {
        problems.push("the tree has changes that are not committed".to_owned());
    }
    let changelog = fs::read_to_string(root().join("CHANGELOG.md"))?;
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
    split_symbols(SHIPPED, &folder, &symbols)?;
    run(program("cp").arg("-r").args(CONTENTS).arg(&folder))?;
    archive(&folder)?;
    archive(&symbols)
}

/// Copies the programs from a folder of the target without their symbols, which most users never
/// need and which are most of them. Put beside it again, their file gives a backtrace its names and
/// lines.
fn split_symbols(built: &str, folder: &Path, symbols: &Path) -> Result<()> {
    tools::OBJCOPY.require()?;
    for binary in BINARIES {
        let built = target().join(built).join(binary);
        let (copy, apart) = (folder.join(binary), symbols.join(format!("{binary}.debug")));
        run(program("objcopy").arg("--only-keep-debug").arg(&built).arg(&apart))?;
        let mut link = OsString::from("--add-gnu-debuglink=");
        link.push(&apart);
        run(program("objcopy").arg("--strip-all").arg(link).arg(&built).arg(&copy))?;
    }
    Ok(())
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
    let package = package(VERSION, &programs)?;
    try_out(&package)?;
    write_checksum(&package)
}

/// Builds the image for containers from the server of the archive, runs it, and writes its checksum
/// beside it.
fn container() -> Result<()> {
    let programs = target().join("dist").join(format!("adamant-{VERSION}-{ARCH}-{OS}"));
    let (archive, files) = image::build(VERSION, &programs.join("adamant-server"))?;
    if geteuid().is_root() {
        run(program("chown").args(["-R", image::USER]).arg(files.join("var/lib/adamant")))?;
        let inside = |listen: &str| {
            let mut server = program("chroot");
            server.arg(format!("--userspec={}", image::USER)).arg(&files).env_clear();
            // The first is where `chroot` itself is.
            server.env("PATH", "/usr/sbin:/usr/bin");
            server.env("ADAMANT_CONFIG", "/etc/adamant/adamant.toml");
            server.args(["/usr/local/bin/adamant-server", "--log-format", "text"]);
            server.args(["--listen", listen]);
            server
        };
        let server = Server::start(&mut inside("127.0.0.1:0"))?;
        run(inside(&server.address).arg("health"))?;
    } else {
        note("SKIPPED: only root can run the image without a container engine");
    }
    fs::remove_dir_all(archive.with_file_name("image"))?;
    note(&format!("{} MB", fs::metadata(&archive)?.len() / 1_000_000));
    write_checksum(&archive)
}

/// Builds the wheel and writes its checksum beside it.
fn wheel() -> Result<()> {
    let out = target().join("dist");
    write_checksum(&clients::wheel(VERSION, &out)?)
}

/// Builds the tarball and writes its checksum beside it.
fn tarball() -> Result<()> {
    let out = target().join("dist");
    write_checksum(&clients::tarball(VERSION, &out)?)
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
    step("build as it is shipped", build_as_shipped)?;
    step("load", || {
        let mut load = program(target().join(SHIPPED).join("adamant-bench"));
        if args.is_empty() {
            load.arg("all");
        }
        run(load.args(args))
    })
}

/// Builds the server and what measures it.
pub(super) fn build_as_shipped() -> Result<()> {
    let chosen = ["-p", "adamant-server", "-p", "adamant-bench"];
    run(cargo(&["build", "--profile", SHIPPED, "--locked"]).args(chosen))
}

/// What users of the package read first, in the package's folder for documents.
const DOCUMENTS: [&str; 4] = ["README.md", "CHANGELOG.md", "config", "docs"];

/// Units of systemd, by their place in the repository.
const UNITS: [&str; 4] = [
    "config/adamant.service",
    "config/adamant-backup.service",
    "config/adamant-backup.timer",
    "config/cluster/adamant-promote.service",
];

/// The shells for which the terminal client writes completions, and where each looks for them.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "usr/share/bash-completion/completions/adamant"),
    ("zsh", "usr/share/zsh/vendor-completions/_adamant"),
    ("fish", "usr/share/fish/vendor_completions.d/adamant.fish"),
];

/// Builds the package of a version from a folder with the programs as they are shipped.
pub(super) fn package(version: &str, programs: &Path) -> Result<PathBuf> {
    tools::HELP2MAN.require()?;
    let name = format!("adamant_{version}_{}", architecture()?);
    let folder = target().join("dist").join(&name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    for (from, to) in [
        (programs.join("adamant-server"), "usr/bin/adamant-server"),
        (programs.join("adamant"), "usr/bin/adamant"),
        (root().join("config/cluster/promote"), "usr/bin/adamant-promote"),
        (root().join("config/debian/adamant.toml"), "etc/adamant/adamant.toml"),
    ] {
        put(&folder.join(to), &fs::read(&from)?, to.starts_with("usr/bin/"))?;
    }
    for unit in UNITS {
        let name = unit.rsplit('/').next().unwrap_or(unit);
        let text = fs::read_to_string(root().join(unit))?
            .replace("/usr/local/bin/promote", "/usr/bin/adamant-promote")
            .replace("/usr/local/bin/", "/usr/bin/")
            .replace("/usr/share/doc/adamant/", "/usr/share/doc/adamant/docs/");
        put(&folder.join("usr/lib/systemd/system").join(name), text.as_bytes(), false)?;
    }
    let documents = folder.join("usr/share/doc/adamant");
    fs::create_dir_all(&documents)?;
    run(program("cp").arg("-r").args(DOCUMENTS).arg(&documents))?;
    put(&documents.join("copyright"), copyright()?.as_bytes(), false)?;
    said_by_the_programs(&folder)?;
    control(version, &folder)?;
    let package = folder.with_file_name(format!("{name}.deb"));
    run(program("dpkg-deb")
        .args(["--build", "--root-owner-group", "-Zxz"])
        .arg(&folder)
        .arg(&package))?;
    fs::remove_dir_all(&folder)?;
    Ok(package)
}

/// Debian's name of the machine's architecture.
fn architecture() -> Result<&'static str> {
    match ARCH {
        "x86_64" => Ok("amd64"),
        "aarch64" => Ok("arm64"),
        other => bail!("Debian's name of {other} is unknown here"),
    }
}

fn put(path: &Path, content: &[u8], is_program: bool) -> Result<()> {
    fs::create_dir_all(path.parent().context("no folder")?)?;
    fs::write(path, content).with_context(|| path.display().to_string())?;
    fs::set_permissions(path, fs::Permissions::from_mode(if is_program { 0o755 } else { 0o644 }))?;
    Ok(())
}

/// The licences, under either of which everything in the package may be used.
fn copyright() -> Result<String> {
    let [mit, apache, typeface] = ["LICENSE-MIT", "LICENSE-APACHE", "web/src/fonts/OFL.txt"]
        .map(|file| fs::read_to_string(root().join(file)));
    Ok(format!(
        "Adamant is licensed under MIT or Apache-2.0, as you choose; the typeface of the page's \
         headings under the Open Font License.\n\n{}\n\n{}\n\n{}",
        mit?, apache?, typeface?
    ))
}

/// Manual pages and completions, which the programs write themselves.
fn said_by_the_programs(folder: &Path) -> Result<()> {
    let pages = folder.join("usr/share/man/man1");
    fs::create_dir_all(&pages)?;
    run(program(folder.join("usr/bin/adamant")).args(["man", "--out"]).arg(&pages))?;
    let mut server = program("help2man");
    server.args(["--no-info", "--name", "live server for four abstract board games"]);
    let page = output(server.arg(folder.join("usr/bin/adamant-server")))?;
    put(&pages.join("adamant-server.1"), &page, false)?;
    for page in fs::read_dir(&pages)? {
        run(program("gzip").args(["--best", "--no-name"]).arg(page?.path()))?;
    }
    for (shell, place) in COMPLETIONS {
        let text = output(program(folder.join("usr/bin/adamant")).args(["completions", shell]))?;
        put(&folder.join(place), &text, false)?;
    }
    Ok(())
}

/// What dpkg reads: the package's name and needs, its scripts, and the files that an operator edits.
fn control(version: &str, folder: &Path) -> Result<()> {
    let control = folder.join("DEBIAN");
    let size = output(program("du").args(["-sk", "--apparent-size"]).arg(folder))?;
    let size = String::from_utf8(size)?;
    let text = format!(
        "Package: adamant\nVersion: {version}\nArchitecture: {}\nSection: games\nPriority: optional\n\
        Maintainer: The Adamant developers <adamant@localhost>\nInstalled-Size: {}\n\
        Depends: libc6 (>= {}), libgcc-s1, adduser, init-system-helpers\n\
        Recommends: ca-certificates\nSuggests: postgresql-client, python3\n\
        Description: server and terminal client for four abstract board games\n \
        Adamas, Hexma, Stymie and Diam, for people, spectators and bots. The server referees and\n \
        records every move, and serves a page to play on; adamant plays from a terminal.\n",
        architecture()?,
        size.split_whitespace().next().unwrap_or("0"),
        libc(&folder.join("usr/bin"))?,
    );
    put(&control.join("control"), text.as_bytes(), false)?;
    put(&control.join("conffiles"), b"/etc/adamant/adamant.toml\n", false)?;
    for script in ["postinst", "prerm", "postrm"] {
        let text = fs::read(root().join("config/debian").join(script))?;
        put(&control.join(script), &text, true)?;
    }
    Ok(())
}

/// The oldest C library with every symbol that the programs use.
fn libc(programs: &Path) -> Result<String> {
    let mut newest = (0, 0);
    for name in ["adamant-server", "adamant"] {
        let symbols = output(program("objdump").arg("-T").arg(programs.join(name)))?;
        for word in String::from_utf8_lossy(&symbols).split(|c: char| !c.is_ascii_graphic()) {
            let version = word.trim_matches(['(', ')']).strip_prefix("GLIBC_").unwrap_or_default();
            let mut parts = version.split('.').map(str::parse::<u32>);
            if let (Some(Ok(major)), Some(Ok(minor))) = (parts.next(), parts.next()) {
                newest = newest.max((major, minor));
            }
        }
    }
    ensure!(newest > (0, 0), "the programs name no version of the C library");
    Ok(format!("{}.{}", newest.0, newest.1))
}

/// Installs the package in a fresh Debian, and makes a move there; says how long both took. Without
/// the rights or the tool it is left out with a line.
pub(super) fn try_out(package: &Path) -> Result<()> {
    if !geteuid().is_root() {
        note("SKIPPED: only root can install the package in a fresh Debian");
        return Ok(());
    }
    let fresh = fresh_debian("fresh-debian", &[])?;
    let name = package.file_name().context("no name")?;
    fs::copy(package, fresh.join("root").join(name))?;
    let inside = |args: &[&str]| {
        let mut command = program("chroot");
        command.arg(&fresh).args(args).env("HOME", "/root").env_remove("TMPDIR");
        command
    };
    let begun = now();
    run(inside(&["dpkg", "--install"]).arg(Path::new("/root").join(name)))?;
    let installed = begun.elapsed();
    let mut server = inside(&["runuser", "-u", "adamant", "--", "adamant-server"]);
    server.args(["--config", "/etc/adamant/adamant.toml", "--listen", "127.0.0.1:0"]);
    let server = Server::start(server.env("ADAMANT_DATA", "/var/lib/adamant"))?;
    let play = |args: &[&str]| -> Result<String> {
        let mut client = inside(&["adamant", "--server", &server.address]);
        Ok(String::from_utf8(output(client.args(args))?)?.trim().to_owned())
    };
    let game = play(&["challenge", "diam", "house-easy", "--wait=always", "--no-join"])?;
    let game = game.lines().last().and_then(|line| line.split_whitespace().last()).unwrap_or("");
    play(&["move", game, "a1"])?;
    note(&format!("installed after {installed:.1?}, the first move after {:.1?}", begun.elapsed()));
    drop(server);
    run(&mut inside(&["dpkg", "--purge", "adamant"]))?;
    ensure!(fresh.join("var/lib/adamant").exists(), "the games went with the package");
    Ok(fs::remove_dir_all(&fresh)?)
}

/// Makes a fresh Debian in a folder of `target`, with what the package needs and these packages.
pub(super) fn fresh_debian(name: &str, packages: &[&str]) -> Result<PathBuf> {
    tools::DEBOOTSTRAP.require()?;
    let fresh = target().join(name);
    if fresh.exists() {
        fs::remove_dir_all(&fresh)?;
    }
    let include = [&["--include=adduser", "init-system-helpers"], packages].concat().join(",");
    run(program("debootstrap").args(["--variant=minbase", &include, "bookworm"]).arg(&fresh))?;
    Ok(fresh)
}

/// A server that runs while this lives.
struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start(command: &mut Command) -> Result<Self> {
        let mut process = command.stderr(Stdio::piped()).spawn()?;
        let log = BufReader::new(process.stderr.take().context("no log")?);
        for line in log.lines() {
            let line = line?;
            if let Some((_, url)) = line.split_once("url=ws://") {
                let address = url.split('/').next().unwrap_or(url).to_owned();
                return Ok(Self { process, address });
            }
        }
        bail!("the server in the fresh Debian did not start: {}", process.wait()?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        kill(Pid::from_raw(self.process.id().cast_signed()), Signal::SIGTERM).ok();
        self.process.wait().ok();
    }
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
