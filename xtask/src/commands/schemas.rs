//! The schemas of the wire, which the types of the clients come from.

use std::{fs, path::PathBuf};

use anyhow::{Context as _, Result};

use crate::run::{cargo, output, program, run, target};

/// The schemas of the wire: as it is published, and without what a later server may add.
pub(super) struct Schemas {
    pub(super) open: PathBuf,
    pub(super) closed: PathBuf,
}

/// Builds the server and writes both schemas.
pub(super) fn build() -> Result<Schemas> {
    let build = ["build", "--locked", "--quiet", "-p", "adamant-server", "-p", "adamant-cli"];
    run(&mut cargo(&build))?;
    let schema = |name: &str, arguments: &[&str]| {
        let path = target().join(name);
        let text = output(program(target().join("debug/adamant")).arg("schema").args(arguments))?;
        fs::write(&path, text).with_context(|| format!("{} cannot be written", path.display()))?;
        anyhow::Ok(path)
    };
    let closed = schema("adamant.v1.schema.json", &["--closed"])?;
    Ok(Schemas { open: schema("adamant.v1.open.schema.json", &[])?, closed })
}
