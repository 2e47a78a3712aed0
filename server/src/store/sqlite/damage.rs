//! What was found damaged: the file by `SQLite`, or a game by its chain. From then on nothing is
//! stored, after a restart either, until the operator has accepted the damage. A game whose damage
//! is accepted stays closed, and stops nothing else.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use adamant_protocol::GameId;
use parking_lot::Mutex;

use super::errors::{OpenError, is_malformed};
use crate::runtime::files;

/// What was found, a line each. A server that finds the file only reads.
const FOUND_FILE: &str = "damage-found";
/// What the operator has accepted, a line each.
const ACCEPTED_FILE: &str = "damage-accepted";

/// What the writer and the readers know of it. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct Damage(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    is_found: AtomicBool,
    /// `None` if nothing is to be written.
    directory: Option<PathBuf>,
    /// Whether the operator accepts what is found until the next start.
    accepts: bool,
    /// Whether the operator has accepted what was found before.
    was_accepted: bool,
    /// The lock is held while a file is written, which is rare.
    accepted: Mutex<BTreeSet<GameId>>,
}

impl Damage {
    /// Reads what was found before. If the operator accepts it, it is found no more.
    pub(super) fn open(directory: &Path, accepts: bool) -> Result<Self, OpenError> {
        let failed = |error| OpenError::Directory { path: directory.display().to_string(), error };
        let found = lines(directory, FOUND_FILE).map_err(failed)?;
        let was_accepted = accepts && !found.is_empty();
        if !found.is_empty() && !accepts {
            return Err(OpenError::Found(found.join("; ")));
        }
        if was_accepted {
            add(directory, ACCEPTED_FILE, &found).map_err(failed)?;
            remove(directory, FOUND_FILE).map_err(failed)?;
            // operator: `--accept-loss` is in effect. Remove the option
            tracing::warn!(what = found.join("; "), "continuing in spite of damage");
        }
        let accepted = lines(directory, ACCEPTED_FILE).map_err(failed)?;
        let accepted = Mutex::new(accepted.iter().filter_map(|line| game_of(line)).collect());
        let (directory, is_found) = (Some(directory.to_owned()), AtomicBool::new(false));
        Ok(Self(Arc::new(Inner { is_found, directory, accepts, was_accepted, accepted })))
    }

    pub(super) fn was_accepted(&self) -> bool {
        self.0.was_accepted
    }

    pub(super) fn is_found(&self) -> bool {
        self.0.is_found.load(Ordering::Relaxed)
    }

    /// Notes that `SQLite` has found the file malformed, if that is what the error says.
    pub(super) fn note(&self, error: &rusqlite::Error) {
        if !is_malformed(error) || self.0.is_found.swap(true, Ordering::Relaxed) {
            return;
        }
        // operator: SQLite found the file malformed. `/readyz` answers 503, after a restart too;
        // see "Damage"
        tracing::error!(%error, "the database is malformed: nothing is stored any more");
        self.keep(FOUND_FILE, format!("the database: {error}"));
    }

    /// Notes that the chain of a game is broken, unless the operator has accepted that.
    pub(super) fn note_game(&self, game: &GameId, why: &str) {
        let mut accepted = self.0.accepted.lock();
        if accepted.contains(game) {
            return;
        }
        let line = format!("game {game}: {why}");
        if self.0.accepts {
            accepted.insert(game.clone());
            self.keep(ACCEPTED_FILE, line);
        } else {
            self.0.is_found.store(true, Ordering::Relaxed);
            self.keep(FOUND_FILE, line);
        }
    }

    fn keep(&self, name: &str, line: String) {
        let Some(directory) = &self.0.directory else { return };
        if let Err(error) = add(directory, name, &[line]) {
            // operator: the server would write again after a restart. Keep it running or stopped,
            // and see "Damage"
            tracing::error!(name, %error, "the damage could not be noted");
        }
    }
}

/// Forgets the damage of a game that has been restored.
pub(super) fn forget_game(directory: &Path, game: &GameId) -> io::Result<()> {
    for name in [FOUND_FILE, ACCEPTED_FILE] {
        let mut noted = lines(directory, name)?;
        let before = noted.len();
        noted.retain(|line| game_of(line).as_ref() != Some(game));
        if noted.is_empty() && before > 0 {
            remove(directory, name)?;
        } else if noted.len() < before {
            write(directory, name, &noted)?;
        }
    }
    Ok(())
}

fn game_of(line: &str) -> Option<GameId> {
    line.strip_prefix("game ")?.split_once(':')?.0.parse().ok()
}

fn lines(directory: &Path, name: &str) -> io::Result<Vec<String>> {
    match fs::read_to_string(directory.join(name)) {
        Ok(text) => Ok(text.lines().map(str::to_owned).collect()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn add(directory: &Path, name: &str, more: &[String]) -> io::Result<()> {
    let mut all = lines(directory, name)?;
    let new = more.iter().filter(|line| !all.contains(line)).cloned().collect::<Vec<_>>();
    all.extend(new);
    write(directory, name, &all)
}

fn write(directory: &Path, name: &str, lines: &[String]) -> io::Result<()> {
    files::replace_atomically(&directory.join(name), &(lines.join("\n") + "\n"), 0o600)
}

fn remove(directory: &Path, name: &str) -> io::Result<()> {
    let path = directory.join(name);
    fs::remove_file(&path)?;
    files::sync_parent_directory(&path)
}
