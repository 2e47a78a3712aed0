//! What runs for every change builds the whole workspace. cargo joins the features of crates over
//! the packages that a command names, so a command that names one package builds anew what
//! `cargo test --workspace` has built.

use super::{sources::Sources, violation::Violation};

const CHECK: &str = "feature_sets";

/// Options that name a package.
const OPTIONS: [&str; 2] = ["\"-p\"", "\"--package\""];

/// Commands that no change waits for, and the packing of crates, which builds nothing here.
const MAY_NAME_PACKAGES: [&str; 7] = [
    "xtask/src/commands/bench.rs",
    "xtask/src/commands/cluster.rs",
    "xtask/src/commands/contest.rs",
    "xtask/src/commands/crates.rs",
    "xtask/src/commands/fuzz.rs",
    "xtask/src/commands/release.rs",
    "xtask/src/tidy/feature_sets.rs",
];

/// Finds commands for single packages among those that run for every change.
pub(crate) fn check(sources: &Sources) -> Vec<Violation> {
    let mut found = Vec::new();
    let ours = sources.texts(".rs").filter(|(path, _)| path.starts_with("xtask/src/"));
    for (path, text) in ours.filter(|(path, _)| !MAY_NAME_PACKAGES.contains(path)) {
        for (line, text) in (1..).zip(text.lines()) {
            if OPTIONS.iter().any(|option| text.contains(option)) {
                found.push(Violation::new(CHECK, path, line, "names a package: --workspace"));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_names_a_package_is_found() {
        let text = "run(&mut cargo(&[\n    \"build\", \"-p\", \"adamant-server\"]))";
        let in_file = |path: &str| Sources::of([(path.to_owned(), text.to_owned())].into());
        assert_eq!(check(&in_file("xtask/src/commands/test.rs")).len(), 1);
        assert!(check(&in_file("xtask/src/commands/bench.rs")).is_empty());
    }
}
