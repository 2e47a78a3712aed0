//! The rules about the source tree that no lint holds. Each check has a file and a unit test, so
//! that `cargo test --workspace` runs them all.

mod checks;
mod circles;
mod faces;
mod feature_sets;
mod floors;
mod imports;
mod lexer;
mod manifests;
mod merges;
mod modules;
mod names;
mod operations;
mod paths;
mod phrases;
mod prose;
mod reserved;
mod rust;
mod selects;
mod sources;
mod violation;

pub(crate) use checks::tidy;
pub(crate) use phrases::prose;
