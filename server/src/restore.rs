//! Puts a backup into an empty directory, or one of its games into the store of a server that is
//! stopped.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use serde::Serialize;

use crate::{
    config::Until,
    maintenance::{MaintenanceError, StepBar, keys_to_copy},
    runtime::{files, time::timestamp_ms},
    salvage::{Broken, NewDirectory, Replayed, begin_of, replay},
    signing::{PUBLIC_KEYS_FILE, SECRET_FILE},
    store::{
        GameSource, GameTarget, RatingsMode, WholeGame,
        sqlite::{
            self, OpenError, RebuildError, Rebuilt, check_integrity, check_ratings, database_of,
        },
    },
};

/// The result of a restore.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RestoreReport {
    /// The game, if one was restored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
    /// Restored games.
    pub games: u64,
    /// Their records.
    pub records: u64,
    /// Records that the backup does not have, and of which the store knew.
    pub lost: u64,
    /// Whether the signing key was beside the backup, or is in the directory.
    pub with_key: bool,
    /// Stored ratings that are not those of the games.
    pub rating_differences: u64,
    /// Until when, if it was restored from what was shipped.
    #[serde(skip_serializing_if = "Option::is_none", flatten)]
    pub shipped: Option<ShippedReport>,
}

/// What was restored of a shipped store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShippedReport {
    /// The time until which everything is there.
    pub until: String,
    /// The time of the last record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_record: Option<String>,
    /// What could not be used, as sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

impl RestoreReport {
    /// Whether the ratings agree with the games.
    pub const fn is_ok(&self) -> bool {
        self.rating_differences == 0
    }

    /// Returns what was restored, one fact per line.
    pub fn lines(&self) -> Vec<String> {
        let Self { game, games, records, lost, with_key, rating_differences, shipped } = self;
        let mut lines = vec![match game {
            Some(game) => format!("game {game}: {records} records restored"),
            None => format!("{games} games with {records} records restored"),
        }];
        if let Some(ShippedReport { until, last_record, left_out }) = shipped {
            let last = last_record.as_ref().map(|at| format!("; the last record is of {at}"));
            lines.push(format!("as it was at {until}{}", last.unwrap_or_default()));
            lines.extend(left_out.iter().map(|what| format!("left out: {what}")));
        }
        if *lost > 0 {
            lines.push(format!("lost: the {lost} records after record {records}"));
        }
        if !with_key {
            lines.push("not included: signing.key, signing.pub and vapid.key".to_owned());
        }
        if *rating_differences > 0 {
            lines.push(format!(
                "{rating_differences} differences in the ratings: run `adamant-server ratings \
                 --rebuild`"
            ));
        }
        lines
    }
}

/// Why nothing was restored.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// A file or a store cannot be used.
    #[error(transparent)]
    Task(#[from] MaintenanceError),
    /// A store cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// What was shipped cannot be used.
    #[error(transparent)]
    Shipped(#[from] RebuildError),
    /// The store was damaged before it was shipped.
    #[error(
        "what was shipped is damaged ({found} findings, such as: {first}): nothing is restored; \
         name an earlier time with --until"
    )]
    ShippedDamage {
        /// Number of findings.
        found: u64,
        /// One of them.
        first: String,
    },
    /// The backup has findings.
    #[error(
        "{path} is damaged ({found} findings, such as: {first}): nothing is restored; \
         `adamant-server salvage --data {path}` rescues what is whole"
    )]
    Damaged {
        /// The backup.
        path: String,
        /// Number of findings.
        found: u64,
        /// One of them.
        first: String,
    },
    /// The backup does not have the game.
    #[error("the backup has no game {0}")]
    NoGame(String),
    /// The chain of the game does not hold in the backup.
    #[error("the backup does not have the whole game {game}: {why}")]
    Broken {
        /// The game.
        game: String,
        /// What is wrong.
        why: String,
    },
    /// The game needs no restore.
    #[error(
        "game {game} is whole, with {here} records; the backup has {there}: there is nothing to \
         restore"
    )]
    Whole {
        /// The game.
        game: String,
        /// Its records in the store.
        here: usize,
        /// Its records in the backup.
        there: usize,
    },
    /// The store has more of the game than the backup.
    #[error(
        "{here} records of game {game} can be read, and the backup has {there}: restore it from a \
         later backup"
    )]
    Longer {
        /// The game.
        game: String,
        /// Records that can be read in the store.
        here: usize,
        /// Its records in the backup.
        there: usize,
    },
    /// The game has ended since the backup.
    #[error("game {0} has ended, and had not in the backup: restore it from a later backup")]
    Ended(String),
    /// The two have different records.
    #[error("record {record} of game {game} is another one in the backup: it is another game")]
    OtherGame {
        /// The game.
        game: String,
        /// The first record that differs.
        record: usize,
    },
    /// The backup has the keys of another server.
    #[error("the backup is of another server: it has none of the keys in {path}")]
    OtherServer {
        /// The keys of the directory.
        path: String,
    },
}

/// Copies a backup, or the store of an `export`, into an empty directory, with the keys that lie
/// beside it, and checks the copy.
pub fn restore(from: &Path, to: &Path) -> Result<RestoreReport, RestoreError> {
    let directory = NewDirectory::expect(to)?;
    let database = database_in(from)?;
    fill(&directory, to, |draft| restore_into(&database, draft))
}

/// Where a store is restored. It is moved out once it is whole: no server may start on half of it.
const DRAFT: &str = "restore.new";

/// Fills an empty directory with what a task leaves in a draft.
fn fill(
    directory: &NewDirectory<'_>,
    to: &Path,
    task: impl FnOnce(&Path) -> Result<RestoreReport, RestoreError>,
) -> Result<RestoreReport, RestoreError> {
    directory.fill(|| {
        let draft = to.join(DRAFT);
        files::create_private_directory(&draft).map_err(MaintenanceError::file(&draft))?;
        let report = task(&draft)?;
        move_out(&draft, to).map_err(MaintenanceError::file(to))?;
        Ok(report)
    })
}

/// Moves all files of the draft, the database last.
fn move_out(draft: &Path, to: &Path) -> io::Result<()> {
    let database = database_of(draft);
    for entry in fs::read_dir(draft)? {
        let entry = entry?;
        if entry.path() != database {
            fs::rename(entry.path(), to.join(entry.file_name()))?;
        }
    }
    File::open(to)?.sync_all()?;
    fs::rename(&database, database_of(to))?;
    fs::remove_dir(draft)?;
    File::open(to)?.sync_all()
}

fn database_in(from: &Path) -> Result<PathBuf, RestoreError> {
    let database = database_of(from);
    if database.is_file() {
        return Ok(database);
    }
    Err(MaintenanceError::NoDatabase { path: database.display().to_string() }.into())
}

fn restore_into(database: &Path, to: &Path) -> Result<RestoreReport, RestoreError> {
    let target = database_of(to);
    let copied = sqlite::copy(database, &target, &mut StepBar::of_steps())?.report;
    if let Some(first) = copied.findings.first() {
        let (path, found) = (database.display().to_string(), copied.found);
        return Err(RestoreError::Damaged { path, found, first: first.clone() });
    }
    let with_key = database.with_file_name(SECRET_FILE).is_file();
    if with_key {
        for (path, text) in keys_to_copy(database, &target)? {
            files::replace_atomically(&path, &text, 0o600)
                .map_err(MaintenanceError::file(&path))?;
        }
    }
    let ratings = check_ratings(to, RatingsMode::Check, StepBar::of_ratings())?;
    Ok(RestoreReport {
        game: None,
        games: copied.games,
        records: copied.records,
        lost: 0,
        with_key,
        rating_differences: ratings.found,
        shipped: None,
    })
}

/// Rebuilds a store in an empty directory as of a moment, from the second place to which it was
/// shipped, and checks it. Where a file is missing or damaged, restores what comes before it only if
/// the loss is accepted.
pub fn restore_until(
    from: &Path,
    to: &Path,
    until: Until,
    accept_loss: bool,
) -> Result<RestoreReport, RestoreError> {
    fill(&NewDirectory::expect(to)?, to, |draft| restore_shipped(from, draft, until, accept_loss))
}

fn restore_shipped(
    from: &Path,
    to: &Path,
    until: Until,
    accept_loss: bool,
) -> Result<RestoreReport, RestoreError> {
    let until = match until {
        Until::Latest => None,
        Until::Time(until) => Some(until),
    };
    let target = database_of(to);
    let Rebuilt { at, generation, mut left_out, lost } =
        sqlite::rebuild(from, until, accept_loss, &target)?;
    left_out.extend(lost);
    let report = check_integrity(&target, &mut StepBar::of_steps())?;
    let ratings = check_ratings(to, RatingsMode::Check, StepBar::of_ratings())?;
    if let Some(first) = report.findings.first().filter(|_| report.found > ratings.found) {
        return Err(RestoreError::ShippedDamage { found: report.found, first: first.clone() });
    }
    let has = |name: &str| generation.join(name).is_file();
    let with_key = has(SECRET_FILE) && has(PUBLIC_KEYS_FILE);
    if with_key {
        for (path, text) in keys_to_copy(&generation.join(SHIPPED), &target)? {
            files::replace_atomically(&path, &text, 0o600)
                .map_err(MaintenanceError::file(&path))?;
        }
    }
    let last_record = sqlite::last_record_at(&target)?.map(timestamp_ms);
    Ok(RestoreReport {
        game: None,
        games: report.games,
        records: report.records,
        lost: 0,
        with_key,
        rating_differences: ratings.found,
        shipped: Some(ShippedReport { until: timestamp_ms(at), last_record, left_out }),
    })
}

/// Stands for the database beside which shipped keys lie.
const SHIPPED: &str = "shipped";

/// Puts a game of a backup, or of the store of an `export`, in the place of the damaged one in a
/// data directory. No server may use that.
pub fn restore_game(from: &Path, to: &Path, game: &str) -> Result<RestoreReport, RestoreError> {
    let database = database_in(from)?;
    let source = GameSource::open(&database)?;
    let there = source.find(game)?;
    if there.last_seq() == 0 {
        return Err(RestoreError::NoGame(game.to_owned()));
    }
    database_in(to)?;
    let target = GameTarget::open(to)?;
    expect_same_server(&database, to)?;
    let here = target.find(game)?;
    let backup = replay(game, source.records(&there));
    let present = replay(game, target.records(&here));
    let Replayed { game: Some(loaded), records, broken: None } = backup else {
        let why = backup.broken.map_or_else(|| "record 1 cannot be read".to_owned(), |it| it.why);
        return Err(RestoreError::Broken { game: game.to_owned(), why });
    };
    if (records.len() as u64) < there.last_seq() && !loaded.is_over() {
        let Broken { why, .. } = Broken::missing(records.len() as u64 + 1);
        return Err(RestoreError::Broken { game: game.to_owned(), why });
    }
    let is_whole = present.broken.is_none()
        && present.game.is_some()
        && present.records.len() as u64 >= here.last_seq();
    let (game, lengths) = (game.to_owned(), (present.records.len(), records.len()));
    let refusal = match (lengths, records.iter().zip(&present.records).position(|(a, b)| a != b)) {
        (_, Some(first)) => Some(RestoreError::OtherGame { game: game.clone(), record: first + 1 }),
        ((here, there), None) if is_whole => {
            Some(RestoreError::Whole { game: game.clone(), here, there })
        }
        ((here, there), None) if here > there => {
            Some(RestoreError::Longer { game: game.clone(), here, there })
        }
        _ if here.listed.is_some_and(|listed| listed.is_finished) && !loaded.is_over() => {
            Some(RestoreError::Ended(game.clone()))
        }
        _ => None,
    };
    if let Some(refusal) = refusal {
        return Err(refusal);
    }
    let restored = records.len() as u64;
    let whole = WholeGame {
        begin: begin_of(&loaded, records),
        is_finished: there.listed.is_some_and(|listed| listed.is_finished) && loaded.is_over(),
        is_published: here.listed.is_some_and(|listed| listed.is_published),
        is_counted: here.listed.is_some_and(|listed| listed.is_counted),
    };
    target.replace(&whole)?;
    let ratings = check_ratings(to, RatingsMode::Check, StepBar::of_ratings())?;
    Ok(RestoreReport {
        game: Some(game),
        games: 1,
        records: restored,
        lost: here.last_seq().saturating_sub(restored),
        with_key: true,
        rating_differences: ratings.found,
        shipped: None,
    })
}

/// Refuses a backup with keys of which the directory has none. A backup without keys may be of any
/// server.
fn expect_same_server(database: &Path, to: &Path) -> Result<(), RestoreError> {
    let read = |path: &Path| match fs::read_to_string(path) {
        Ok(text) => Ok(text.lines().map(str::to_owned).collect::<Vec<_>>()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(RestoreError::Task(MaintenanceError::file(path)(error))),
    };
    let here = to.join(PUBLIC_KEYS_FILE);
    let (theirs, ours) = (read(&database.with_file_name(PUBLIC_KEYS_FILE))?, read(&here)?);
    if theirs.is_empty() || ours.is_empty() || theirs.iter().any(|key| ours.contains(key)) {
        return Ok(());
    }
    Err(RestoreError::OtherServer { path: here.display().to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_database_is_in_its_place_only_once_all_is_restored() {
        let to = tempfile::tempdir().unwrap();
        let to = to.path();
        let restored = fill(&NewDirectory::expect(to).unwrap(), to, |draft| {
            fs::write(database_of(draft), "whole").unwrap();
            fs::write(draft.join(SECRET_FILE), "key").unwrap();
            assert!(!database_of(to).exists());
            let shipped = None;
            let (game, rating_differences, with_key) = (None, 0, true);
            let (games, records, lost) = (1, 1, 0);
            let report =
                RestoreReport { game, games, records, lost, with_key, rating_differences, shipped };
            Ok(report)
        });
        assert!(restored.is_ok());
        assert_eq!(fs::read_to_string(database_of(to)).unwrap(), "whole");
        assert!(to.join(SECRET_FILE).exists() && !to.join(DRAFT).exists());
    }
}
