//! What every test needs.
//!
//! A test starts a [`Server`], connects [`Peer`]s to it, and lets them play with the functions of
//! [`game`]. [`http`] reads the HTTP API, and [`raw_socket`] sends bytes that no well-behaved client
//! sends.

pub(crate) mod game; // starts games and makes moves; every game with its players and flags
pub(crate) mod http; // a minimal HTTP client
mod peer; // a test client
pub(crate) mod raw_socket; // any bytes on a TCP connection
pub(crate) mod schema; // validates frames
mod self_test; // tests of the harness
mod server; // the server of a test, its process; home directories of the program

use std::{
    env, fs,
    path::{Path, PathBuf},
    sync::OnceLock,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde_json::Value;
use tokio::{process::Command, time::timeout};

pub(crate) use self::{
    game::Variant,
    http::Metrics,
    peer::{Frame, PASSWORD, Peer},
    server::{Home, Node, Server, Setup},
};

/// The remedy for a missing or stale binary.
const ADVICE: &str = "run `cargo test --workspace`, which builds the binaries, too";

/// The root of the repository.
pub(crate) fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package lies in the workspace")
}

/// The directory of this profile's binaries.
pub(crate) fn target() -> PathBuf {
    let test = env::current_exe().expect("a running test knows its own path");
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
    let path = profile.join(format!("{name}{}", env::consts::EXE_SUFFIX));
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

/// The time as the server's events have it.
#[expect(clippy::disallowed_methods, reason = "tests compare moments with the server's times")]
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970");
    u64::try_from(since.as_millis()).expect("it is before the year 500 million")
}

/// Runs the server's program with a command; returns its exit status and output.
pub(crate) async fn server_command(arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(binary("adamant-server"));
    command.args(arguments);
    let output = timeout(PATIENCE, command.output()).await.expect("in time").expect("it runs");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).expect("text"))
}

/// Adds fields to a frame, or replaces them.
pub(crate) fn with(mut frame: Value, fields: Value) -> Value {
    let (Some(object), Value::Object(fields)) = (frame.as_object_mut(), fields) else {
        panic!("frames and fields are objects")
    };
    object.extend(fields);
    frame
}

/// Set in the long form, in which tests do more of what they draw by lot.
const LONG_VARIABLE: &str = "ADAMANT_LONG";

/// The number of the commit, so that each one draws something else.
const COMMIT_VARIABLE: &str = "ADAMANT_COMMIT";

/// Whether the tests run in their long form.
#[expect(clippy::disallowed_methods, reason = "the environment chooses the form")]
pub(crate) fn is_long() -> bool {
    env::var_os(LONG_VARIABLE).is_some()
}

/// The number of the commit, or 0 if nobody says.
#[expect(clippy::disallowed_methods, reason = "the environment chooses the commit")]
pub(crate) fn commit() -> u64 {
    env::var(COMMIT_VARIABLE).map_or(0, |number| number.parse().expect("a number"))
}

/// All in the long form, and in the short one every `nth`. After as many commits in a row each has
/// had its turn.
pub(crate) fn some_of<T>(mut all: Vec<T>, nth: u64) -> Vec<T> {
    let mut numbers = commit()..;
    all.retain(|_| is_long() || numbers.next().is_some_and(|number| number.is_multiple_of(nth)));
    all
}

/// The longest wait of a test, far longer than anything takes. A test that reaches it has found a
/// fault, and prints what it has received so far.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Finds a Python with the module that the example needs: the tests' own or the system's.
pub(crate) async fn python() -> PathBuf {
    let prepared = target().with_file_name("python").join("bin/python3");
    let candidates = [prepared.clone(), PathBuf::from("python3")];
    for python in candidates {
        let import =
            Command::new(&python).args(["-c", "import websockets.asyncio.client"]).output();
        if import.await.is_ok_and(|output| output.status.success()) {
            return python;
        }
    }
    let directory = prepared.parent().and_then(|bin| bin.parent()).expect("two levels deep");
    panic!(
        "the example needs Python with websockets: run `python3 -m venv {0} && {0}/bin/pip install websockets`",
        directory.display()
    );
}
