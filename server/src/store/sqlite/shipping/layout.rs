//! The files of a second place: a directory for each generation, with its segments, and the copies
//! of the database on which they build.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use serde::{Deserialize, Serialize};

use super::segment::FORMAT;
use crate::runtime::time::{parse_timestamp, timestamp_ms};

/// The file that begins a generation.
pub(super) const BEGIN: &str = "begin.json";

/// What a copy of the database needs, and that it is whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CopyHead {
    pub(super) format: u32,
    /// The time from which on it can be restored, in epoch milliseconds.
    pub(super) at: u64,
    /// The first segment that it needs.
    pub(super) first: u64,
    /// The segment without which it is torn; smaller than the first one if it needs none.
    pub(super) until: u64,
    pub(super) bytes: u64,
    /// Its BLAKE3 hash in hex.
    pub(super) hash: String,
}

impl CopyHead {
    pub(super) const fn new(first: u64) -> Self {
        Self { format: FORMAT, at: 0, first, until: 0, bytes: 0, hash: String::new() }
    }
}

/// Returns a new name of a generation. Names are in the order of time.
pub(super) fn generation_name(now_ms: u64, random: u32) -> String {
    let mut name = timestamp_ms(now_ms);
    name.retain(|letter| !matches!(letter, '-' | ':'));
    format!("{name}-{random:08x}")
}

/// Returns a time behind the beginning of all generations, even if this machine's clock is behind
/// that of the machine that has shipped them.
pub(super) fn behind_all(place: &Path, now_ms: u64) -> io::Result<u64> {
    let mut at = now_ms;
    for entry in fs::read_dir(place)? {
        let name = entry?.file_name();
        let Some(name) = name.to_str().filter(|name| is_generation(name)) else { continue };
        at = at.max(began_at(name).map_or(at, |began| began + 1));
    }
    Ok(at)
}

/// Returns when a generation of this name began.
fn began_at(name: &str) -> Option<u64> {
    let (date, time) = name.get(..19)?.split_once('T')?;
    let (year, month, day) = (date.get(..4)?, date.get(4..6)?, date.get(6..)?);
    let (hour, minute, second) = (time.get(..2)?, time.get(2..4)?, time.get(4..)?);
    parse_timestamp(&format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z"))
}

/// Returns the name of the newest generation, and whether one of this name is there.
pub(super) fn newest_and(place: &Path, name: &str) -> io::Result<(Option<String>, bool)> {
    let (mut newest, mut is_there) = (None, false);
    for entry in fs::read_dir(place)? {
        let Ok(found) = entry?.file_name().into_string() else { continue };
        if is_generation(&found) {
            is_there |= found == name;
            newest = newest.max(Some(found));
        }
    }
    Ok((newest, is_there))
}

fn is_generation(name: &str) -> bool {
    let parts = name.split_once("Z-");
    let is_time = |time: &str| {
        time.len() == "20261122T101112.123".len() && time.starts_with(|c: char| c.is_ascii_digit())
    };
    parts.is_some_and(|(time, random)| is_time(time) && random.len() == 8)
}

pub(super) fn segment_name(number: u64) -> String {
    format!("{number:010}.wal")
}

pub(super) fn copy_name(number: u32) -> String {
    format!("copy-{number:04}.db")
}

pub(super) fn copy_head_name(number: u32) -> String {
    format!("copy-{number:04}.json")
}

/// A whole copy of the database in a generation.
#[derive(Debug, Clone)]
pub(super) struct FoundCopy {
    pub(super) number: u32,
    pub(super) head: CopyHead,
}

/// A generation as it is found.
#[derive(Debug)]
pub(super) struct FoundGeneration {
    pub(super) name: String,
    pub(super) path: PathBuf,
    /// The whole copies, the oldest first.
    pub(super) copies: Vec<FoundCopy>,
    /// The numbers of its segments, in order.
    pub(super) segments: Vec<u64>,
}

/// Returns the generations of a second place, the oldest first.
pub(super) fn generations(place: &Path) -> io::Result<Vec<FoundGeneration>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(place)? {
        let entry = entry?;
        if let Some(name) = entry.file_name().to_str().filter(|name| is_generation(name)) {
            found.push(generation(name, entry.path())?);
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

fn generation(name: &str, path: PathBuf) -> io::Result<FoundGeneration> {
    let (mut copies, mut segments) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(&path)? {
        let entry = entry?;
        let file = entry.file_name();
        let Some(file) = file.to_str() else { continue };
        let copy = file.strip_prefix("copy-").and_then(|rest| rest.strip_suffix(".json"));
        if let Some(number) = copy.and_then(|number| number.parse().ok()) {
            // One that cannot be read is none.
            if let Ok(head) = serde_json::from_slice(&fs::read(entry.path())?) {
                copies.push(FoundCopy { number, head });
            }
        } else if let Some(number) = file.strip_suffix(".wal").and_then(|name| name.parse().ok()) {
            segments.push(number);
        }
    }
    copies.sort_by_key(|copy| copy.number);
    segments.sort_unstable();
    Ok(FoundGeneration { name: name.to_owned(), path, copies, segments })
}

/// Whether a place has no room.
pub(super) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// Removes the oldest copy, unless it is the only one, and what no other one needs. Returns whether
/// there was one to remove.
pub(super) fn remove_oldest(place: &Path, present: &str) -> io::Result<bool> {
    let copies: usize = generations(place)?.iter().map(|of| of.copies.len()).sum();
    let keep = copies.saturating_sub(1).max(1);
    remove_old(place, present, keep, Duration::ZERO)?;
    Ok(keep < copies)
}

/// Removes what no kept copy needs: `keep` of them stay. Where there are more, those go first that the
/// next one follows soon, as after a server that ends at each start; then the oldest.
pub(super) fn remove_old(
    place: &Path,
    present: &str,
    keep: usize,
    soon: Duration,
) -> io::Result<()> {
    let found = generations(place)?;
    let mut kept: Vec<(&str, &FoundCopy)> =
        found.iter().flat_map(|of| of.copies.iter().map(|copy| (of.name.as_str(), copy))).collect();
    while kept.len() > keep {
        let is_soon = |pair: &[(&str, &FoundCopy)]| {
            let [(_, copy), (_, next)] = pair else { return false };
            u128::from(next.head.at.saturating_sub(copy.head.at)) < soon.as_millis()
        };
        let goes = kept.windows(2).position(is_soon).unwrap_or(0);
        kept.remove(goes);
    }
    for of in &found {
        let copies: BTreeMap<u32, u64> = kept
            .iter()
            .filter(|(generation, _)| *generation == of.name)
            .map(|(_, copy)| (copy.number, copy.head.first))
            .collect();
        // Without a whole copy the segments of a generation that has ended restore nothing.
        if copies.is_empty() && of.name != present {
            removed(fs::remove_dir_all(&of.path))?;
            continue;
        }
        for old in of.copies.iter().filter(|copy| !copies.contains_key(&copy.number)) {
            // Without the head it is no copy.
            removed(fs::remove_file(of.path.join(copy_head_name(old.number))))?;
            removed(fs::remove_file(of.path.join(copy_name(old.number))))?;
        }
        let first = copies.values().min().copied().unwrap_or_default();
        for number in of.segments.iter().filter(|number| **number < first) {
            removed(fs::remove_file(of.path.join(segment_name(*number))))?;
        }
    }
    Ok(())
}

/// Another removal, or an operator, may have been there first.
fn removed(result: io::Result<()>) -> io::Result<()> {
    result.or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::files;

    fn fill(place: &Path, name: &str, copies: &[(u32, u64)], segments: u64) {
        let path = place.join(name);
        files::create_private_directory(&path).unwrap();
        for (number, first) in copies {
            let at = began_at(name).unwrap() + u64::from(*number);
            let head = serde_json::to_string(&CopyHead { at, ..CopyHead::new(*first) }).unwrap();
            fs::write(path.join(copy_head_name(*number)), head).unwrap();
            fs::write(path.join(copy_name(*number)), "").unwrap();
        }
        for number in 1..=segments {
            fs::write(path.join(segment_name(number)), "").unwrap();
        }
    }

    #[test]
    fn what_no_kept_copy_needs_is_removed_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path();
        let [old, useless, kept, present] =
            [1, 2, 3, 4].map(|second| generation_name(second * 1000, 7));
        fill(place, &old, &[(1, 1)], 3);
        fill(place, &useless, &[], 3);
        fill(place, &kept, &[(1, 1), (2, 3)], 5);
        fill(place, &present, &[], 2);
        fs::write(place.join("notes"), "mine").unwrap();
        remove_old(place, &present, 1, Duration::ZERO).unwrap();
        let found = generations(place).unwrap();
        let names: Vec<_> = found.iter().map(|of| of.name.clone()).collect();
        assert_eq!(names, [kept, present]);
        assert_eq!(found[0].segments, [3, 4, 5]);
        let copies: Vec<_> = found[0].copies.iter().map(|copy| copy.number).collect();
        assert_eq!((copies, found[1].segments.len()), (vec![2], 2));
        assert!(place.join("notes").exists());
    }

    #[test]
    fn a_full_place_gives_up_its_oldest_copies_and_keeps_the_last() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path();
        let [old, ended, present] = [1, 2, 3].map(|second| generation_name(second * 1000, 7));
        fill(place, &old, &[(1, 1), (2, 3)], 4);
        fill(place, &ended, &[], 3);
        fill(place, &present, &[], 2);
        let left = || {
            let found = generations(place).unwrap().into_iter();
            found.map(|of| (of.name, of.copies.len(), of.segments)).collect::<Vec<_>>()
        };
        let last = [(old, 1, vec![3, 4]), (present.clone(), 0, vec![1, 2])];
        assert!(remove_oldest(place, &present).unwrap());
        assert_eq!(left(), last);
        assert!(!remove_oldest(place, &present).unwrap());
        assert_eq!(left(), last);
    }

    #[test]
    fn restarts_in_a_row_do_not_displace_the_copies_of_days() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path();
        let after = |minutes: u64| generation_name(minutes * 60_000, 7);
        let days = [0, 24, 48].map(|hours| after(hours * 60));
        let restarts = [0, 1, 2, 3].map(|minute| after(60 * 60 + minute));
        for name in days.iter().chain(&restarts) {
            fill(place, name, &[(1, 1)], 1);
        }
        let [_, one_day, two_days] = days;
        let [.., present] = restarts;
        remove_old(place, &present, 3, Duration::from_hours(1)).unwrap();
        let left = generations(place).unwrap().into_iter().map(|of| of.name);
        assert_eq!(left.collect::<Vec<_>>(), [one_day, two_days, present]);
    }

    #[test]
    fn a_generation_comes_after_those_of_a_machine_whose_clock_is_ahead() {
        let place = tempfile::tempdir().unwrap();
        assert_eq!(behind_all(place.path(), 5).unwrap(), 5);
        fill(place.path(), &generation_name(1_795_251_632_722, 7), &[], 0);
        assert_eq!(behind_all(place.path(), 5).unwrap(), 1_795_251_632_723);
    }
}
