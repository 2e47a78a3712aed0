//! Finds the server's and the client's binaries, and checks that they are up to date.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
    time::SystemTime,
};

/// The remedy for a missing or stale binary.
const ADVICE: &str = "run `cargo test --workspace`, which builds the binaries, too";

/// The root of the repository.
pub(crate) fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package lies in the workspace")
}

/// The directory of this profile's binaries.
pub(crate) fn target() -> PathBuf {
    let test = std::env::current_exe().expect("a running test knows its own path");
    // A test is target/<profile>/deps/it-<hash>.
    let profile = test.parent().and_then(Path::parent);
    profile.expect("cargo puts tests two levels deep").to_owned()
}

/// Returns the path of `adamant-server` or `adamant`. Panics if the binary is older than its
/// sources.
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
        // A source that is gone was moved since `cargo build` wrote the list.
        let fresh = modified(&source).is_none_or(|changed| changed <= built);
        assert!(fresh, "{} is older than {}: {ADVICE}", path.display(), source.display());
    }
    path
}

/// Parses the sources that cargo listed for a binary: `<binary>: <source> ..`.
fn sources(noted: &Path) -> Vec<PathBuf> {
    // `cargo test` lists nothing for the binaries that it builds beside the tests, but has just
    // built them.
    let Ok(text) = fs::read_to_string(noted) else { return Vec::new() };
    let (_, sources) = text.trim_end().split_once(": ").unwrap_or_default();
    // A space inside a path has a backslash before it.
    sources
        .replace("\\ ", "\0")
        .split(' ')
        .map(|path| PathBuf::from(path.replace('\0', " ")))
        .collect()
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}
