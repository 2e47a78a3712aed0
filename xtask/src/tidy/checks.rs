//! All checks, as a command and as tests.

use std::fs;

use anyhow::{Result, bail};

use super::{
    circles, faces, floors, manifests, names, operations, paths, pending, prose, reserved, sizes,
    sources::Sources, types, violation::Violation,
};
use crate::progress::{note, print};

type Check = fn(&Sources) -> Vec<Violation>;

const CHECKS: [Check; 11] = [
    circles::check,
    faces::check,
    floors::check,
    manifests::check,
    names::check,
    operations::check,
    paths::check,
    prose::check,
    reserved::check,
    sizes::check,
    types::check,
];

/// Checks the tree, after it has written the floors into ARCHITECTURE.md or dropped exceptions that
/// are no longer needed, if asked to.
pub(crate) fn tidy(write: bool, shrink: bool) -> Result<()> {
    if write {
        floors::write(crate::run::root())?;
    }
    let sources = Sources::read(crate::run::root())?;
    let found = violations(&sources);
    if shrink {
        let list = sources.text(pending::LIST).unwrap_or_default();
        fs::write(crate::run::root().join(pending::LIST), pending::shrunk(list, &found))?;
    }
    let list = fs::read_to_string(crate::run::root().join(pending::LIST))?;
    let found = pending::unexpected(&list, found);
    for violation in &found {
        print(&violation.to_string());
    }
    if !found.is_empty() {
        bail!("the source tree breaks {} rules", found.len());
    }
    let exceptions = list.lines().count();
    if exceptions > 0 {
        note(&format!("{exceptions} known exceptions are left in {}", pending::LIST));
    }
    Ok(())
}

fn violations(sources: &Sources) -> Vec<Violation> {
    CHECKS.iter().flat_map(|check| check(sources)).collect()
}

#[cfg(test)]
mod tests {
    use super::{pending, violations};
    use crate::tidy::{sources::Sources, violation::Violation};

    #[test]
    fn the_source_tree_is_tidy() {
        let sources = Sources::read(crate::run::root()).unwrap();
        let list = sources.text(pending::LIST).unwrap();
        let found = pending::unexpected(list, violations(&sources));
        let found: Vec<String> = found.iter().map(Violation::to_string).collect();
        assert!(found.is_empty(), "\n{}", found.join("\n"));
    }
}
