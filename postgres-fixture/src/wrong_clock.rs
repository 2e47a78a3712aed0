//! A clock that is wrong, for single processes.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result};

use crate::programs::output;

/// What shifts the clock of a process, in C because the process need not be written in Rust.
const SOURCE: &str = include_str!("wrong_clock.c");

/// Returns the environment of a process whose machine's clock is so many seconds ahead, or behind
/// if negative. Its monotonic clock is right. The folder, which must be the caller's own and
/// readable for the process, gets the library that does it.
///
/// # Panics
///
/// If there is no C compiler.
pub fn wrong_clock(folder: &Path, ahead_seconds: i64) -> [(&'static str, String); 2] {
    let library = folder.join("wrong_clock.so");
    if !library.exists() {
        build(&library).expect("a C compiler builds the library");
    }
    [
        ("LD_PRELOAD", library.display().to_string()),
        ("ADAMANT_TEST_CLOCK_AHEAD", ahead_seconds.to_string()),
    ]
}

fn build(library: &Path) -> Result<()> {
    let source = library.with_extension("c");
    fs::write(&source, SOURCE)?;
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(library).arg(&source);
    output(compiler.stdin(Stdio::null())).context("a C compiler is missing")?;
    Ok(())
}
