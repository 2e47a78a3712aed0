//! Which of our crates each crate may use, and what the pure ones must do without.

use super::{sources::Sources, violation::Violation};

const CHECK: &str = "manifests";

/// Which of our crates each crate may use, outside of its tests.
const CRATES: [(&str, &[&str]); 15] = [
    ("rules", &[]),
    ("rules/tests", &[]),
    ("protocol", &[]),
    ("client", &["protocol"]),
    ("bot", &["rules"]),
    ("engine", &["rules", "bot"]),
    ("tournament", &["rules", "protocol", "record", "engine"]),
    ("record", &["rules", "protocol"]),
    ("server", &["rules", "protocol", "record", "bot"]),
    ("client-cli", &["client", "protocol", "rules", "record", "bot", "engine", "tournament"]),
    ("fuzz", &["rules", "protocol", "record"]),
    ("bench", &["rules", "protocol", "record", "server", "postgres-fixture"]),
    ("postgres-fixture", &[]),
    ("tests", &[]),
    ("xtask", &["postgres-fixture"]),
];

/// The crates that other projects use; the others are published nowhere.
const PUBLISHED: [&str; 4] = ["rules", "protocol", "record", "client"];

/// A workspace of its own, which is no part of ours.
const FUZZERS: &str = "fuzz/cargo-fuzz";

/// What `rules` may use.
const PURE: [&str; 2] = ["arrayvec", "thiserror"];

/// Words that `rules` does not say.
const IMPURE: [&str; 9] = [
    "async ",
    ".await",
    "std::time",
    "Instant",
    "std::fs",
    "std::net",
    "std::env",
    "rand::",
    "serde",
];

/// What `protocol` must not use.
const RUNTIMES: [&str; 4] = ["tokio", "tokio-tungstenite", "futures", "rand"];

/// Finds dependencies that may not be.
pub(crate) fn check(sources: &Sources) -> Vec<Violation> {
    let mut found = Vec::new();
    for (path, text) in sources.texts("Cargo.toml") {
        let Some(package) = path.strip_suffix("/Cargo.toml") else { continue };
        if package == FUZZERS {
            continue;
        }
        let is_published = PUBLISHED.contains(&package);
        let publish = if is_published { "publish = true" } else { "publish.workspace = true" };
        if !text.lines().any(|line| line == publish) {
            found.push(Violation::new(CHECK, path, 0, format!("does not say {publish:?}")));
        }
        let used = dependencies(text);
        let may = CRATES.iter().find(|(name, _)| *name == package).map(|(_, may)| *may);
        if may.is_none() {
            found.push(Violation::new(
                CHECK,
                path,
                0,
                "says nowhere which of our crates it may use",
            ));
        }
        for name in &used {
            let ours = name.strip_prefix("adamant-");
            let is_wrong = match package {
                "rules" => !PURE.contains(name),
                "protocol" => RUNTIMES.contains(name),
                _ => false,
            };
            let is_unpublished =
                is_published && ours.is_some_and(|ours| !PUBLISHED.contains(&ours));
            if is_wrong
                || is_unpublished
                || ours.is_some_and(|ours| !may.unwrap_or_default().contains(&ours))
            {
                let text = format!("{package} may not use {name}");
                found.push(Violation::new(CHECK, path, 0, text));
            }
        }
    }
    for (path, rust) in sources.rust().filter(|(path, _)| path.starts_with("rules/src/")) {
        for word in IMPURE.into_iter().filter(|word| rust.code().contains(word)) {
            found.push(Violation::new(CHECK, path, 0, format!("rules may not say {word:?}")));
        }
    }
    found
}

/// The names in a manifest's `[dependencies]`.
fn dependencies(manifest: &str) -> Vec<&str> {
    manifest
        .lines()
        .skip_while(|line| *line != "[dependencies]")
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|name| !name.is_empty() && !name.starts_with('#'))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::dependencies;

    #[test]
    fn dependencies_are_read_without_those_of_tests() {
        let manifest = "[package]\nname = \"a\"\n\n[dependencies]\n# Why.\na.workspace = true\nb = \"1\"\n\n[dev-dependencies]\nc = \"1\"\n";
        assert_eq!(dependencies(manifest), ["a", "b"]);
    }
}
