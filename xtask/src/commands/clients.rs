//! The clients for Python and TypeScript, and the page: their types, which come from the schemas of
//! the wire, their tests, their packages, and what the page costs.

use std::{
    fs,
    path::{self, Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result};

use crate::{
    run::{cargo, output, program, root, run, step, target},
    suite::{Live, Share, Tally, commits, reporter},
    tools,
};

const PYTHON: &str = "clients/python";
pub(super) const TYPESCRIPT: &str = "clients/typescript";
pub(super) const PAGE: &str = "web";

/// The Node.js of the TypeScript client's tests, which the package `node` brings.
const NODE: &str = "node_modules/.bin/node";

const TSC: &str = "node_modules/.bin/tsc";

/// The pictures of README.md.
const PICTURES: &str = "docs/pictures";

/// The schema as it is published.
fn open_schema() -> PathBuf {
    target().join("adamant.v1.open.schema.json")
}

/// The schema without what a later server may add.
pub(super) fn closed_schema() -> PathBuf {
    target().join("adamant.v1.schema.json")
}

/// Builds the workspace and writes both schemas.
pub(super) fn build_schemas() -> Result<()> {
    run(&mut cargo(&["test", "--workspace", "--locked", "--no-run"]))?;
    write_schemas()
}

/// Writes both schemas with the terminal client that is built.
pub(super) fn write_schemas() -> Result<()> {
    for (path, arguments) in [(open_schema(), &[][..]), (closed_schema(), &["--closed"])] {
        let adamant = target().join("debug/adamant");
        let text = output(program(adamant).arg("schema").args(arguments))?;
        fs::write(&path, text).with_context(|| format!("{} cannot be written", path.display()))?;
    }
    Ok(())
}

/// Writes the types of the clients and the page again, or compares them.
pub(crate) fn types(check: bool) -> Result<()> {
    build_schemas()?;
    typescript_types(check)?;
    tools::require_python_packages()?;
    python_types(check)
}

fn python_types(check: bool) -> Result<()> {
    generate(&mut python(&["generate.py"]), check)
}

/// Writes the types of the TypeScript client and of the page again, or compares them.
fn typescript_types(check: bool) -> Result<()> {
    install(TYPESCRIPT)?;
    generate(inside(TYPESCRIPT, NODE).arg("generate.mjs"), check)
}

fn generate(generator: &mut Command, check: bool) -> Result<()> {
    generator.arg(closed_schema());
    if check {
        generator.arg("--check");
    }
    run(generator).context("to write them anew: cargo xtask types")
}

/// The tests of the Python client, with its types and its style. In full it plays for longer.
pub(super) fn python_tests(live: &Live<'_>, in_full: bool) -> Result<Tally> {
    python_types(true)?;
    run(&mut python(&["-m", "mypy"]))?;
    run(&mut python(&["-m", "ruff", "check", "--quiet"]))?;
    run(&mut python(&["-m", "ruff", "format", "--quiet", "--check"]))?;
    let mut tests = python(&[]);
    tests.arg(reporter("python.py")).args(["tests", "."]);
    run_tests(live, &mut tests, in_full.then_some("all"))
}

/// The tests of the TypeScript client, with its types. In full it plays for longer.
pub(super) fn typescript_tests(live: &Live<'_>, in_full: bool) -> Result<Tally> {
    typescript_types(true)?;
    compile()?;
    run(inside(TYPESCRIPT, TSC).args(["--project", "."]))?;
    let mut tests = inside(TYPESCRIPT, NODE);
    tests.args(["--test", "--test-timeout=600000"]).args(node_reporter()).arg("tests/*.test.ts");
    tests.env("ADAMANT_SCHEMA", open_schema());
    run_tests(live, &mut tests, in_full.then_some("all"))
}

/// The tests of the page with its types: in the short form, or those that a share of the long form
/// adds.
pub(super) fn page_tests(live: &Live<'_>, share: Option<Share>) -> Result<Tally> {
    let mut tests = page(&["--test", "--test-concurrency=1", "--test-timeout=600000"]);
    tests.args(node_reporter()).arg("tests/browser/");
    tests.env("ADAMANT_COMMIT", commits().to_string());
    // A share is what the short form leaves out.
    if !matches!(share, Some(Share::Of(_))) {
        run(inside(PAGE, TSC).args(["--project", "."]))?;
        tests.arg("tests/unit/");
    }
    run_tests(live, &mut tests, share.map(Share::variable).as_deref())
}

/// Runs tests against the server that is built, with a share of the long form.
fn run_tests(live: &Live<'_>, tests: &mut Command, long: Option<&str>) -> Result<Tally> {
    tests.env("ADAMANT_SERVER", target().join("debug/adamant-server"));
    tests.envs(long.map(|long| ("ADAMANT_LONG", long)));
    let mut tally = Tally::default();
    live.run_tests(tests, &mut tally)?;
    Ok(tally)
}

/// Measures what the page costs.
pub(crate) fn measure() -> Result<()> {
    step("tools for the web client's tests", || browser_tools(PAGE))?;
    build_schemas()?;
    step("costs of the web client", || run(&mut page(&["tests/measure/main.js"])))
}

/// Takes the pictures of README.md, or those of every view into a folder.
pub(crate) fn pictures(all: Option<&Path>) -> Result<()> {
    step("tools for the web client's tests", || browser_tools(PAGE))?;
    build_schemas()?;
    let mut pictures = page(&["tests/pictures/main.js"]);
    match all {
        Some(folder) => pictures.arg(path::absolute(folder)?),
        None => pictures.arg(root().join(PICTURES)).arg("--readme"),
    };
    step("pictures", || run(&mut pictures))
}

/// Installs what the tests in a folder need that use a browser.
pub(super) fn browser_tools(directory: &str) -> Result<()> {
    tools::require_browser()?;
    install(directory)
}

/// Builds the wheel of a version into a folder.
pub(super) fn wheel(version: &str, folder: &Path) -> Result<PathBuf> {
    tools::require_python_packages()?;
    let build =
        ["-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir"];
    run(python(&build).arg(folder).arg("."))?;
    Ok(folder.join(format!("adamant_client-{version}-py3-none-any.whl")))
}

/// Builds the tarball of a version into a folder.
pub(super) fn tarball(version: &str, folder: &Path) -> Result<PathBuf> {
    built_typescript()?;
    run(inside(TYPESCRIPT, "npm").args(["pack", "--silent", "--pack-destination"]).arg(folder))?;
    Ok(folder.join(format!("adamant-client-{version}.tgz")))
}

/// Builds the TypeScript package and returns its folder, with Node.js among its packages.
pub(super) fn built_typescript() -> Result<PathBuf> {
    install(TYPESCRIPT)?;
    compile()?;
    Ok(root().join(TYPESCRIPT))
}

/// Compiles the TypeScript package, without what an earlier build has left.
fn compile() -> Result<()> {
    let built = root().join(TYPESCRIPT).join("dist");
    if built.exists() {
        fs::remove_dir_all(&built)?;
    }
    run(inside(TYPESCRIPT, TSC).args(["--project", "tsconfig.build.json"]))
}

/// Installs the packages that a folder's `package-lock.json` names, if it is newer than they are.
fn install(directory: &str) -> Result<()> {
    tools::require_node()?;
    tools::NPM.require()?;
    let folder: PathBuf = root().join(directory);
    let age = |name: &str| fs::metadata(folder.join(name)).and_then(|file| file.modified()).ok();
    let stamp = "node_modules/.package-lock.json";
    if age(stamp).is_some_and(|installed| Some(installed) >= age("package-lock.json")) {
        return Ok(());
    }
    run(inside(directory, "npm").args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]))
}

/// A program that starts in a folder of the repository.
fn inside(directory: &str, name: &str) -> Command {
    let mut command = program(name);
    command.current_dir(root().join(directory));
    command
}

fn page(args: &[&str]) -> Command {
    let mut node = inside(PAGE, "node");
    node.args(args).env("ADAMANT_SERVER", target().join("debug/adamant-server"));
    node.env("ADAMANT_SCHEMA", open_schema());
    node
}

/// The Python of the tests, in the folder of the client. What it caches goes to the target folder.
fn python(args: &[&str]) -> Command {
    let cache = |name: &str| target().join("python").join(name);
    let mut python = program(tools::python());
    python.current_dir(root().join(PYTHON)).args(args).env("PYTHONPATH", "src");
    python.env("MYPY_CACHE_DIR", cache("mypy")).env("RUFF_CACHE_DIR", cache("ruff"));
    python.env("PYTHONPYCACHEPREFIX", cache("bytecode")).env("PIP_DISABLE_PIP_VERSION_CHECK", "1");
    python
}

/// Arguments of Node's test runner, by which it reports to this program.
fn node_reporter() -> [String; 2] {
    let reporter = reporter("node.mjs");
    [format!("--test-reporter={}", reporter.display()), "--test-reporter-destination=stdout".into()]
}
