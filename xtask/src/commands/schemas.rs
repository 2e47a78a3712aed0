//! The schemas of the wire, which the types of the clients come from.

use std::{fs, path::PathBuf};

use anyhow::{Context as _, Result};

use crate::run::{cargo, output, program, run, target};

/// The schema as it is published.
pub(super) fn open() -> PathBuf {
    target().join("adamant.v1.open.schema.json")
}

/// The schema without what a later server may add.
pub(super) fn closed() -> PathBuf {
    target().join("adamant.v1.schema.json")
}

/// Builds the workspace and writes both.
pub(super) fn build() -> Result<()> {
    run(&mut cargo(&["test", "--workspace", "--locked", "--no-run"]))?;
    write()
}

/// Writes both with the client that is built.
pub(super) fn write() -> Result<()> {
    for (path, arguments) in [(open(), &[][..]), (closed(), &["--closed"])] {
        let adamant = target().join("debug/adamant");
        let text = output(program(adamant).arg("schema").args(arguments))?;
        fs::write(&path, text).with_context(|| format!("{} cannot be written", path.display()))?;
    }
    Ok(())
}
