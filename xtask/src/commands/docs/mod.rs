//! The tables of the documents that have their facts from definitions: settings, limits, metrics
//! and log lines of the server, fields, words and codes of the wire, and flags of programs.
//!
//! A table stands between two lines, `<!-- generated: cargo xtask docs WHAT -->` and
//! `<!-- end of generated -->`. Definitions are found in all files of a folder, so that they may
//! move.

mod log;
mod metrics;
mod programs;
mod settings;
mod tables;
mod text;
mod tree;
mod wire;

pub(crate) use tables::docs;
