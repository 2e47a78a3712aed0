//! Where shipped files go: a directory, such as that of a mounted share, or a command that gets each
//! file as its input and the name as its last argument.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use bytes::Bytes;
use tokio::process::Command;

use super::layout::BEGIN;
use crate::{
    config::ShippingConfig,
    limits::SHIP_COMMAND_WAIT,
    runtime::{commands::feed, files},
};

#[derive(Debug, Clone)]
pub(super) enum Destination {
    Directory(PathBuf),
    Command(Vec<String>),
}

impl Destination {
    /// Returns the configured destination; `None` if nothing is shipped.
    pub(super) fn of(config: &ShippingConfig) -> Option<Self> {
        match (&config.directory, &config.command[..]) {
            (Some(directory), _) => Some(Self::Directory(directory.clone())),
            (None, []) => None,
            (None, command) => Some(Self::Command(command.to_vec())),
        }
    }

    /// Ships a file of a generation whole: a reader finds all of it or nothing. Blocks on a
    /// directory, so that only the threads that ship may call it.
    pub(super) async fn put(
        &self,
        generation: &str,
        name: &str,
        parts: impl Iterator<Item = io::Result<Bytes>>,
    ) -> io::Result<()> {
        match self {
            Self::Directory(directory) => write(&directory.join(generation), name, parts),
            Self::Command(command) => run(command, &format!("{generation}/{name}"), parts).await,
        }
    }

    pub(super) async fn put_one(
        &self,
        generation: &str,
        name: &str,
        file: Bytes,
    ) -> io::Result<()> {
        self.put(generation, name, std::iter::once(Ok(file))).await
    }
}

/// Writes a file under another name, and renames it once it is durable.
fn write(
    generation: &Path,
    name: &str,
    parts: impl Iterator<Item = io::Result<Bytes>>,
) -> io::Result<()> {
    // The directory itself is not created: its share may not be mounted. Nor is that of a generation
    // that has begun: segments without those before are worth nothing.
    if name == BEGIN {
        fs::create_dir(generation)?;
        sync_parent(generation)?;
    }
    let path = generation.join(name);
    let temporary = files::temporary_path(&path);
    let write_parts = || {
        let mut file = files::create_private(&temporary)?;
        parts.into_iter().try_for_each(|part| file.write_all(&part?))?;
        file.sync_all()?;
        fs::rename(&temporary, &path)
    };
    let shipped = write_parts();
    if shipped.is_err() {
        // The next file of this name writes over it.
        drop(fs::remove_file(&temporary));
        if name == BEGIN {
            // It would pass for a generation of another server.
            drop(fs::remove_dir(generation));
        }
    }
    shipped?;
    sync_parent(&path)
}

/// Syncs the directory of a file, unless its file system, such as that of some shares, cannot.
fn sync_parent(path: &Path) -> io::Result<()> {
    match files::sync_parent_directory(path) {
        Err(error)
            if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

async fn run(
    command: &[String],
    name: &str,
    parts: impl Iterator<Item = io::Result<Bytes>>,
) -> io::Result<()> {
    let [program, arguments @ ..] = command else { return Err(io::ErrorKind::InvalidInput.into()) };
    let mut command = Command::new(program);
    feed(command.args(arguments).arg(name), parts, SHIP_COMMAND_WAIT).await
}
