//! Words that only one place in the server may know.

use super::{sources::Sources, violation::Violation};

const CHECK: &str = "reserved";

/// Words with the places, below `server/src`, that may say them.
const RESERVED: [(&str, &[&str]); 13] = [
    ("rusqlite", &["store/sqlite/", "store/sql.rs", "store/database.rs"]),
    ("tokio_postgres", &["store/postgres/", "store/sql.rs"]),
    ("SELECT ", &["store/"]),
    ("INSERT ", &["store/"]),
    ("PRAGMA", &["store/sqlite/"]),
    ("env::", &["config/"]),
    ("tokio::signal", &["runtime/shutdown.rs"]),
    ("SystemTime", &["runtime/time.rs"]),
    ("rand::rng", &["runtime/entropy.rs"]),
    ("spawn_blocking", &["runtime/work_pool.rs"]),
    // A server bot is the client at the other end of a pipe to its session.
    // The relay and the opponent of the chaos mode are clients of a server that is whole.
    ("SinkExt", &["session/reader.rs", "house/bot_session.rs", "chaos/"]),
    ("try_write", &["outbound/queue.rs"]),
    ("write_all(", &["runtime/files.rs", "chaos/"]),
];

/// Finds words outside of their homes, and homes that are not there.
pub(crate) fn check(sources: &Sources) -> Vec<Violation> {
    let mut found = Vec::new();
    for (word, homes) in RESERVED {
        for (path, rust) in sources.rust() {
            let Some(inside) = path.strip_prefix("server/src/") else { continue };
            let is_test = inside.ends_with("tests.rs") || inside.contains("/tests/");
            let at_home = homes.iter().any(|home| inside.starts_with(home));
            if !is_test && !at_home && rust.code().contains(word) {
                found.push(Violation::new(CHECK, path, 0, format!("may not say {word:?}")));
            }
        }
        for home in homes {
            let home = format!("server/src/{home}");
            if !sources.rust().any(|(path, _)| path.starts_with(&home)) {
                let text = format!("{home}, where {word:?} belongs, is not there");
                found.push(Violation::new(CHECK, file!(), 0, text));
            }
        }
    }
    found
}
