//! The rules about the source tree that no lint holds, as a command and as a test.

mod arrows;
mod places;
mod sources;

use anyhow::{Result, ensure};

use sources::Sources;

/// Returns each place where a rule does not hold, as [`sources::at`] says it.
type Check = fn(&Sources) -> Vec<String>;

const CHECKS: [Check; 9] = [
    arrows::check,
    places::dialects,
    places::feature_sets,
    places::games,
    places::links,
    places::manifests,
    places::names,
    places::reserved,
    places::selects,
];

/// Checks the tree.
pub(crate) fn tidy() -> Result<()> {
    let mut sources = Sources::default();
    sources.collect(crate::run::root(), crate::run::root())?;
    let found: Vec<String> = CHECKS.iter().flat_map(|check| check(&sources)).collect();
    ensure!(found.is_empty(), "{}\nthe source tree breaks {} rules", found.join("\n"), found.len());
    Ok(())
}

#[test]
fn the_source_tree_is_tidy() {
    tidy().unwrap();
}
