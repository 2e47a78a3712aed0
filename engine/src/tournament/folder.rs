//! A match on disk: a file of results, to which every finished game is appended and synced, and two
//! records of each game.

use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::tournament::{
    limits::LINE_BYTES_MAX,
    plan::Plan,
    result::{GameResult, PlayedGame, Usage, game_id},
    schedule::Schedule,
};

/// The file of results: what is played, then a line for each game.
const RESULTS: &str = "results.jsonl";

/// The file of what engines used: a line for each game, in no order.
const USAGE: &str = "usage.jsonl";

/// The folder of the records.
const GAMES: &str = "games";

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The disk fails.
    #[error("{path}: {error}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong.
        error: io::Error,
    },
    /// Another process has it.
    #[error("{0} is in use by another match")]
    Locked(PathBuf),
    /// It has a match, and none was to be resumed.
    #[error("{0} already holds a match: --resume goes on with it, another --out begins a new one")]
    Exists(PathBuf),
    /// It has another match.
    #[error("{path} holds a match with other settings: {differences}")]
    Differs {
        /// The folder.
        path: PathBuf,
        /// What differs.
        differences: String,
    },
    /// A line is damaged.
    #[error("{path}, line {line}: {why}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
}

/// A match on disk.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// The file of results, locked.
    results: File,
    /// Its first line.
    words: Value,
}

/// Attaches a path to errors of the disk.
fn at(path: &Path) -> impl FnOnce(io::Error) -> FolderError {
    let path = path.to_owned();
    move |error| FolderError::Io { path, error }
}

impl Folder {
    /// Opens a folder, or makes it. Returns the results of a match that is resumed.
    pub fn open(
        path: &Path,
        plan: &Plan,
        schedule: &Schedule,
        resume: bool,
    ) -> Result<(Self, Vec<GameResult>), FolderError> {
        let games = path.join(GAMES);
        fs::create_dir_all(&games).map_err(at(&games))?;
        let file = path.join(RESULTS);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut results = options.open(&file).map_err(at(&file))?;
        match results.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(FolderError::Locked(path.to_owned())),
            Err(TryLockError::Error(error)) => return Err(at(&file)(error)),
        }
        let mut bytes = Vec::new();
        results.read_to_end(&mut bytes).map_err(at(&file))?;
        // A crash may have cut the last line.
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        bytes.truncate(whole);
        results.set_len(whole as u64).map_err(at(&file))?;
        results.seek(SeekFrom::End(0)).map_err(at(&file))?;
        let mut folder = Self { path: path.to_owned(), results, words: plan.words() };
        if bytes.is_empty() {
            let line = format!("{}\n", folder.words);
            folder.append_line(&line)?;
            sync_folder(path)?;
            return Ok((folder, Vec::new()));
        }
        if !resume {
            return Err(FolderError::Exists(path.to_owned()));
        }
        let mut finished = folder.read(&bytes, schedule)?;
        folder.read_usage(&mut finished)?;
        Ok((folder, finished))
    }

    /// Reads the results of a match with the same settings.
    fn read(&self, bytes: &[u8], schedule: &Schedule) -> Result<Vec<GameResult>, FolderError> {
        let mut lines = (1..).zip(bytes.split(|&byte| byte == b'\n'));
        let damaged = |line: usize, why: String| FolderError::Damaged {
            path: self.path.join(RESULTS),
            line,
            why,
        };
        let (_, first) = lines.next().unwrap_or((1, &[]));
        let words: Value =
            serde_json::from_slice(first).map_err(|why| damaged(1, why.to_string()))?;
        let differences = differences(&words, &self.words);
        if !differences.is_empty() {
            return Err(FolderError::Differs {
                path: self.path.clone(),
                differences: differences.join("; "),
            });
        }
        let (mut finished, mut numbers) = (Vec::new(), BTreeSet::new());
        for (line, bytes) in lines.filter(|(_, bytes)| !bytes.is_empty()) {
            if bytes.len() > LINE_BYTES_MAX {
                return Err(damaged(line, "the line is too long".to_owned()));
            }
            let result: GameResult =
                serde_json::from_slice(bytes).map_err(|why| damaged(line, why.to_string()))?;
            if !(1..=schedule.games()).contains(&result.game) {
                return Err(damaged(line, format!("there is no game {}", result.game)));
            }
            if !numbers.insert(result.game) {
                return Err(damaged(line, format!("game {} stands here twice", result.game)));
            }
            finished.push(result);
        }
        Ok(finished)
    }

    /// Adds to results what engines used. The file is a note beside the results: a line that a
    /// crash has cut, or of a game without a result, is passed over.
    fn read_usage(&self, finished: &mut [GameResult]) -> Result<(), FolderError> {
        let path = self.path.join(USAGE);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(at(&path)(error)),
        };
        let lines = text.lines().filter_map(|line| serde_json::from_str::<UsageLine>(line).ok());
        for line in lines {
            let result = finished.iter_mut().find(|result| result.game == line.game);
            if let Some(result) = result {
                result.usage = line.usage;
            }
        }
        Ok(())
    }

    fn append_usage(&self, result: &GameResult) -> Result<(), FolderError> {
        let path = self.path.join(USAGE);
        let line = UsageLine { game: result.game, usage: result.usage.clone() };
        let line = serde_json::to_string(&line).expect("numbers are plain data");
        let mut file =
            OpenOptions::new().append(true).create(true).open(&path).map_err(at(&path))?;
        file.write_all(format!("{line}\n").as_bytes()).map_err(at(&path))
    }

    /// Stores a game: first its records, then its result.
    pub(crate) fn append(&mut self, played: &PlayedGame) -> Result<(), FolderError> {
        self.append_usage(&played.result)?;
        let [journal, text] = self.records(&played.result);
        write_synced(&journal, &played.journal)?;
        write_synced(&text, played.text.as_bytes())?;
        sync_folder(&self.path.join(GAMES))?;
        self.append_line(&line(&played.result))
    }

    /// Removes the records of games that do not count.
    pub(crate) fn remove<'a>(
        &self,
        results: impl Iterator<Item = &'a GameResult>,
    ) -> Result<(), FolderError> {
        for result in results {
            for path in self.records(result) {
                match fs::remove_file(&path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        return Err(at(&path)(error));
                    }
                    Ok(()) | Err(_) => {}
                }
            }
        }
        Ok(())
    }

    /// Replaces the file of results by one with these, in their order.
    pub(crate) fn sort(&mut self, results: &[GameResult]) -> Result<(), FolderError> {
        let mut text = format!("{}\n", self.words);
        text.extend(results.iter().map(line));
        let (path, new) = (self.path.join(RESULTS), self.path.join("results.jsonl.new"));
        write_synced(&new, text.as_bytes())?;
        fs::rename(&new, &path).map_err(at(&path))?;
        sync_folder(&self.path)
    }

    fn append_line(&mut self, line: &str) -> Result<(), FolderError> {
        let path = self.path.join(RESULTS);
        self.results.write_all(line.as_bytes()).map_err(at(&path))?;
        self.results.sync_data().map_err(at(&path))
    }

    /// The files of a game: its journal record and its text record.
    fn records(&self, result: &GameResult) -> [PathBuf; 2] {
        let id = game_id(result.game);
        ["jsonl", "txt"].map(|kind| self.path.join(GAMES).join(format!("{id}.{kind}")))
    }
}

/// A line of the file of what engines used.
#[derive(Serialize, Deserialize)]
struct UsageLine {
    game: u32,
    usage: Vec<Usage>,
}

fn line(result: &GameResult) -> String {
    let json = serde_json::to_string(result).expect("a result is plain data");
    format!("{json}\n")
}

/// Returns the settings that differ.
fn differences(found: &Value, wanted: &Value) -> Vec<String> {
    let (Some(found), Some(wanted)) = (found.as_object(), wanted.as_object()) else {
        return vec!["the first line is no list of settings".to_owned()];
    };
    let shown = |value: Option<&Value>| value.map_or("nothing".to_owned(), ToString::to_string);
    let mut names: Vec<&String> = found.keys().chain(wanted.keys()).collect();
    names.sort();
    names.dedup();
    let differ = names.into_iter().filter(|name| found.get(*name) != wanted.get(*name));
    differ
        .map(|name| {
            let (was, is) = (shown(found.get(name)), shown(wanted.get(name)));
            format!("{name} was {was} and is {is}")
        })
        .collect()
}

fn write_synced(path: &Path, bytes: &[u8]) -> Result<(), FolderError> {
    let write = || -> io::Result<()> {
        let mut file = File::create(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    write().map_err(at(path))
}

fn sync_folder(path: &Path) -> Result<(), FolderError> {
    // Other systems cannot sync a folder.
    if cfg!(unix) {
        File::open(path).and_then(|folder| folder.sync_all()).map_err(at(path))?;
    }
    Ok(())
}
