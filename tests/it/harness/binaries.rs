//! Where the product's binaries are, and whether they are those of the sources as they stand.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
    time::SystemTime,
};

/// What to do about a binary that is not there or not up to date.
const ADVICE: &str = "run `cargo test --workspace`, which builds the binaries, too";

/// The root of the repository.
pub(crate) fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package lies in the workspace")
}

/// The directory that cargo builds this profile in.
pub(crate) fn target() -> PathBuf {
    let test = std::env::current_exe().expect("a running test knows its own path");
    // A test is target/<profile>/deps/it-<hash>.
    let profile = test.parent().and_then(Path::parent);
    profile.expect("cargo puts tests two levels deep").to_owned()
}

/// The path of `adamant-server` or `adamant`, checked once to be as new as its sources.
pub(crate) fn binary(name: &str) -> PathBuf {
    static SERVER: OnceLock<PathBuf> = OnceLock::new();
    static CLI: OnceLock<PathBuf> = OnceLock::new();
    let known = match name {
        "adamant-server" => &SERVER,
        "adamant" => &CLI,
        other => panic!("the workspace has no binary called {other}"),
    };
    known.get_or_init(|| find(name)).clone()
}

fn find(name: &str) -> PathBuf {
    let profile = target();
    let path = profile.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let Some(built) = modified(&path) else {
        panic!("{} is missing: {ADVICE}", path.display());
    };
    for source in sources(&profile.join(format!("{name}.d"))) {
        let fresh = modified(&source).is_some_and(|changed| changed <= built);
        assert!(fresh, "{} is older than {}: {ADVICE}", path.display(), source.display());
    }
    path
}

/// The sources that cargo noted down when it built a binary, from `<binary>: <source> ..`.
fn sources(noted: &Path) -> Vec<PathBuf> {
    // `cargo test` notes nothing down for the binaries that it builds beside the tests; but then
    // it has just seen to it that they are fresh.
    let Ok(text) = fs::read_to_string(noted) else { return Vec::new() };
    let (_, sources) = text.trim_end().split_once(": ").unwrap_or_default();
    // A space inside a path is written with a backslash before it.
    sources
        .replace("\\ ", "\0")
        .split(' ')
        .map(|path| PathBuf::from(path.replace('\0', " ")))
        .collect()
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}
