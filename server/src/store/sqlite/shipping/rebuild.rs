//! Rebuilds a database as of a moment from what was shipped: a copy, and the segments behind it.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read as _, Write as _},
    os::unix::fs::{FileExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use data_encoding::HEXLOWER;

use super::{
    layout::{self, FoundCopy, FoundGeneration, copy_name, segment_name},
    segment::{FORMAT, Segment, SegmentError},
};
use crate::{limits::SHIP_READ_BYTES, runtime::time::timestamp};

/// A database that was rebuilt.
#[derive(Debug)]
pub(crate) struct Rebuilt {
    /// The time of its last segment, or of its copy, in epoch milliseconds.
    pub at: u64,
    /// The generation, with the keys if they were shipped.
    pub generation: PathBuf,
    /// What there is of later generations and not used.
    pub left_out: Vec<String>,
    /// Why the segments end before the moment that was asked for, if they do.
    pub lost: Option<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum RebuildError {
    #[error("{path}: {error}")]
    File { path: String, error: io::Error },
    #[error("{path} has no whole copy of a database that was shipped{before}")]
    NoCopy { path: String, before: String },
    #[error(
        "{path}: {why}: what was stored after {at} is lost; add --accept-loss to restore up to \
         then, or name an earlier time"
    )]
    Broken { path: String, why: String, at: String },
    #[error("{path} cannot be used: {why}; name an earlier time than {at}")]
    NoBase { path: String, why: String, at: String },
}

impl RebuildError {
    fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::File { path: path.display().to_string(), error }
    }
}

/// Writes a database as it was at a time, or as it was last shipped, to a new file.
pub(crate) fn rebuild(
    place: &Path,
    until: Option<u64>,
    accept_loss: bool,
    target: &Path,
) -> Result<Rebuilt, RebuildError> {
    let until_ms = until.unwrap_or(u64::MAX);
    let found = layout::generations(place).map_err(RebuildError::file(place))?;
    let mut left_out = Vec::new();
    for generation in found.iter().rev() {
        let copies = generation.copies.iter().rev();
        let base = copies.clone().find(|copy| copy.head.at <= until_ms);
        if let Some(base) = base {
            let file = OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(target)
                .map_err(RebuildError::file(target))?;
            let building = Building { generation, base, file: &file, target };
            let (at, lost) = building.run(until_ms, accept_loss)?;
            file.sync_all().map_err(RebuildError::file(target))?;
            return Ok(Rebuilt { at, generation: generation.path.clone(), left_out, lost });
        }
        if generation.copies.is_empty() && !generation.segments.is_empty() && until.is_none() {
            let name = &generation.name;
            left_out.push(format!("generation {name} has no whole copy, and is left out"));
        }
    }
    let path = place.display().to_string();
    let before = until.map(|until| format!(" before {}", timestamp(until))).unwrap_or_default();
    Err(RebuildError::NoCopy { path, before })
}

struct Building<'a> {
    generation: &'a FoundGeneration,
    base: &'a FoundCopy,
    file: &'a File,
    target: &'a Path,
}

impl Building<'_> {
    fn run(&self, until_ms: u64, accept_loss: bool) -> Result<(u64, Option<String>), RebuildError> {
        let head = &self.base.head;
        self.lay_base()?;
        let (mut number, mut at, mut hash) = (head.first, head.at, None);
        let mut applied = None;
        let broken = loop {
            let path = self.generation.path.join(segment_name(number));
            let (segment, found) = match self.segment(&path, number, hash.as_deref()) {
                Ok(Some(segment)) => segment,
                Ok(None) => break None,
                Err(why) => break Some((path, why)),
            };
            if segment.head.at > until_ms {
                break None;
            }
            self.apply(&segment).map_err(RebuildError::file(self.target))?;
            at = at.max(segment.head.at);
            (applied, hash, number) = (Some(number), Some(found), number + 1);
        };
        let is_torn = head.until >= head.first && applied.is_none_or(|last| last < head.until);
        match broken {
            Some((path, why)) if is_torn => Err(self.no_base(&path, why)),
            None if is_torn => Err(self.no_base(
                &self.generation.path.join(segment_name(number)),
                "it is missing".to_owned(),
            )),
            Some((path, why)) if !accept_loss => {
                let (path, at) = (path.display().to_string(), timestamp(at));
                Err(RebuildError::Broken { path, why, at })
            }
            broken => Ok((at, broken.map(|(path, why)| format!("{}: {why}", path.display())))),
        }
    }

    fn no_base(&self, path: &Path, why: String) -> RebuildError {
        let (path, at) = (path.display().to_string(), timestamp(self.base.head.at));
        RebuildError::NoBase { path, why, at }
    }

    /// Writes the copy of the database.
    fn lay_base(&self) -> Result<(), RebuildError> {
        let path = self.generation.path.join(copy_name(self.base.number));
        let failed = |error| RebuildError::file(&path)(error);
        if self.base.head.format != FORMAT {
            return Err(
                self.no_base(&path, SegmentError::Format(self.base.head.format).to_string())
            );
        }
        let mut copy = File::open(&path).map_err(failed)?;
        let (mut hasher, mut part) = (blake3::Hasher::new(), vec![0; SHIP_READ_BYTES]);
        let mut target = self.file;
        loop {
            let read = copy.read(&mut part).map_err(failed)?;
            if read == 0 {
                break;
            }
            hasher.update(&part[..read]);
            target.write_all(&part[..read]).map_err(RebuildError::file(self.target))?;
        }
        if HEXLOWER.encode(hasher.finalize().as_bytes()) != self.base.head.hash {
            return Err(self.no_base(&path, SegmentError::Checksum.to_string()));
        }
        Ok(())
    }

    /// Reads a segment with its hash; `None` behind the last one. Returns why it cannot be used.
    fn segment(
        &self,
        path: &Path,
        number: u64,
        before: Option<&str>,
    ) -> Result<Option<(Segment, String)>, String> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let is_last = self.generation.segments.last().is_none_or(|last| *last < number);
                return if is_last { Ok(None) } else { Err("it is missing".to_owned()) };
            }
            Err(error) => return Err(error.to_string()),
        };
        let (segment, hash) = Segment::decode(&bytes).map_err(|error| error.to_string())?;
        let first = (number == 1).then_some(self.generation.name.as_str());
        let follows = before.or(first).is_none_or(|before| segment.head.before == before);
        if segment.head.number != number || !follows {
            return Err("it does not follow the one before".to_owned());
        }
        Ok(Some((segment, hash)))
    }

    fn apply(&self, segment: &Segment) -> io::Result<()> {
        let page_bytes = u64::from(segment.head.page_bytes);
        for (page, bytes) in segment.pages.iter().filter(|(page, _)| **page <= segment.head.size) {
            self.file.write_all_at(bytes, u64::from(page - 1) * page_bytes)?;
        }
        self.file.set_len(u64::from(segment.head.size) * page_bytes)
    }
}
