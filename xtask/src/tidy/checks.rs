//! All checks, as a command and as tests.

use anyhow::{Result, ensure};

use super::{
    circles, faces, feature_sets, floors, manifests, merges, names, operations, paths, prose,
    reserved, selects, sources::Sources, violation::Violation,
};

type Check = fn(&Sources) -> Vec<Violation>;

const CHECKS: [Check; 12] = [
    circles::check,
    faces::check,
    feature_sets::check,
    floors::check,
    manifests::check,
    merges::check,
    names::check,
    operations::check,
    paths::check,
    prose::check,
    reserved::check,
    selects::check,
];

/// Checks the tree, after it has written the floors into ARCHITECTURE.md if asked to.
pub(crate) fn tidy(write: bool) -> Result<()> {
    if write {
        floors::write(crate::run::root())?;
    }
    let found = violations(&Sources::read(crate::run::root())?);
    let lines: Vec<String> = found.iter().map(Violation::to_string).collect();
    ensure!(found.is_empty(), "{}\nthe source tree breaks {} rules", lines.join("\n"), lines.len());
    Ok(())
}

fn violations(sources: &Sources) -> Vec<Violation> {
    CHECKS.iter().flat_map(|check| check(sources)).collect()
}

#[cfg(test)]
mod tests {
    use super::violations;
    use crate::tidy::{sources::Sources, violation::Violation};

    #[test]
    fn the_source_tree_is_tidy() {
        let sources = Sources::read(crate::run::root()).unwrap();
        let found: Vec<String> = violations(&sources).iter().map(Violation::to_string).collect();
        assert!(found.is_empty(), "\n{}", found.join("\n"));
    }
}
