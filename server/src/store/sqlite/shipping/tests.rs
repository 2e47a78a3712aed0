use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;
use rusqlite::Connection;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::{
    RebuildError,
    capture::{Capture, copy_when_full},
    destination::Destination,
    layout::{self, FoundGeneration, segment_name},
    rebuild,
    shipper::{LastShipped, Shipper, ShipperParts},
};
use crate::{
    config::ShippingConfig,
    store::sqlite::{
        connection::{configure, create, leave_wal_on_close},
        place::{DATABASE_FILE, WAL_FILE},
    },
};

/// So small that the WAL restarts after a few commits.
const WAL_PAGES: u32 = 12;

/// Bytes that may wait to be shipped: fewer than a table of some thousand rows.
const WAITING_MAX: usize = 256 * 4096;

/// A database that is shipped, without a thread: a test says when.
struct Shipped {
    directory: TempDir,
    place: TempDir,
    connection: Connection,
    shipper: Shipper,
    rows: i64,
}

impl Shipped {
    fn to(config: ShippingConfig, place: TempDir) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(DATABASE_FILE);
        let mut connection = Connection::open(&path).unwrap();
        configure(&connection).unwrap();
        leave_wal_on_close(&connection).unwrap();
        create(&mut connection).unwrap();
        let capture =
            Arc::new(Mutex::new(Capture::new(directory.path().join(WAL_FILE), WAITING_MAX)));
        connection.wal_hook(Some(copy_when_full(Arc::clone(&capture), WAL_PAGES))).unwrap();
        let shipper = Shipper::new(ShipperParts {
            destination: Destination::of(&config).unwrap(),
            config,
            directory: directory.path().to_owned(),
            capture,
            database: Arc::new(fs::File::open(path).unwrap()),
            metrics: Arc::default(),
            last: LastShipped::new(),
            stop: CancellationToken::new(),
        });
        Self { directory, place, connection, shipper, rows: 0 }
    }

    fn to_directory() -> Self {
        let place = tempfile::tempdir().unwrap();
        let directory = Some(place.path().to_owned());
        Self::to(ShippingConfig { directory, ..ShippingConfig::default() }, place)
    }

    /// Commits rows one by one.
    fn add(&mut self, rows: i64) {
        for _ in 0..rows {
            self.rows += 1;
            let insert = "INSERT INTO outages (until_at, from_at) VALUES (?1, 0)";
            self.connection.execute(insert, [self.rows]).unwrap();
        }
    }

    async fn ship(&mut self) {
        self.shipper.ship().await.unwrap();
    }

    /// Adds rows and ships until a copy of the present generation is whole.
    async fn ship_a_copy(&mut self) {
        self.ship().await;
        let before = self.copies();
        while self.copies() == before {
            self.add(1);
            self.ship().await;
        }
    }

    fn copies(&self) -> usize {
        self.generations().iter().map(|of| of.copies.len()).sum()
    }

    fn generations(&self) -> Vec<FoundGeneration> {
        layout::generations(self.place.path()).unwrap()
    }

    fn last_segment(&self) -> PathBuf {
        let found = self.generations().pop().unwrap();
        found.path.join(segment_name(*found.segments.last().unwrap()))
    }

    /// Returns how many rows there were at a time, and until when.
    fn restore(&self, until: Option<u64>, accept_loss: bool) -> Result<(i64, u64), RebuildError> {
        let to = tempfile::tempdir().unwrap();
        let target = to.path().join(DATABASE_FILE);
        let rebuilt = rebuild(self.place.path(), until, accept_loss, &target)?;
        Ok((rows_in(&target), rebuilt.at))
    }
}

/// Returns the rows of a sound database.
fn rows_in(database: &Path) -> i64 {
    let connection = Connection::open(database).unwrap();
    let found: String =
        connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(found, "ok");
    let count = "SELECT COUNT(*), MAX(until_at) FROM outages";
    let (rows, last): (i64, Option<i64>) =
        connection.query_row(count, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    assert_eq!(last.unwrap_or_default(), rows, "none is missing in between");
    rows
}

#[tokio::test]
async fn every_moment_that_was_shipped_is_restored_while_the_wal_restarts_and_copies_are_made() {
    let mut shipped = Shipped::to_directory();
    shipped.add(5);
    shipped.ship_a_copy().await;
    let mut at = BTreeMap::new();
    for round in 0..60 {
        shipped.add(1 + round % 7);
        shipped.ship().await;
        let (rows, until) = shipped.restore(None, false).unwrap();
        assert_eq!(rows, shipped.rows);
        at.insert(until, rows);
    }
    shipped.add(3);
    assert_eq!(shipped.generations().len(), 1, "the segments continue");
    for (until, rows) in at {
        assert_eq!(shipped.restore(Some(until), false).unwrap(), (rows, until));
    }
    let early = shipped.restore(Some(1), false).unwrap_err().to_string();
    assert!(early.contains("has no whole copy of a database that was shipped before"), "{early}");
}

#[tokio::test]
async fn a_later_copy_needs_only_what_comes_after_it() {
    let place = tempfile::tempdir().unwrap();
    let directory = Some(place.path().to_owned());
    let (copy_every, keep) = (Duration::from_millis(1), std::num::NonZeroUsize::MIN);
    let config = ShippingConfig { directory, copy_every, keep, ..ShippingConfig::default() };
    let mut shipped = Shipped::to(config, place);
    shipped.add(40);
    shipped.ship_a_copy().await;
    while shipped.generations()[0].segments.first() == Some(&1) {
        shipped.add(20);
        shipped.ship().await;
    }
    shipped.ship().await;
    assert_eq!(shipped.restore(None, false).unwrap().0, shipped.rows);
}

#[tokio::test]
async fn a_wal_that_another_program_has_copied_begins_a_generation() {
    let mut shipped = Shipped::to_directory();
    shipped.add(2);
    shipped.ship_a_copy().await;
    shipped.add(2);
    let other = Connection::open(shipped.directory.path().join(DATABASE_FILE)).unwrap();
    other.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    shipped.add(1);
    shipped.ship_a_copy().await;
    assert_eq!(shipped.generations().len(), 2);
    assert_eq!(shipped.restore(None, false).unwrap().0, shipped.rows);
}

#[tokio::test]
async fn a_missing_or_damaged_segment_ends_what_is_restored_and_only_if_that_is_accepted() {
    let mut shipped = Shipped::to_directory();
    shipped.ship_a_copy().await;
    shipped.add(1);
    shipped.ship().await;
    let (before, until) = shipped.restore(None, false).unwrap();
    shipped.add(1);
    shipped.ship().await;
    let path = shipped.last_segment();
    shipped.add(1);
    shipped.ship().await;
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, bytes).unwrap();
    for why in ["its checksum does not hold", "it is missing"] {
        let refused = shipped.restore(None, false).unwrap_err().to_string();
        assert!(refused.contains(why) && refused.contains("--accept-loss"), "{refused}");
        assert_eq!(shipped.restore(None, true).unwrap(), (before, until));
        fs::remove_file(&path).ok();
    }
    // A segment in another's place does not follow.
    fs::copy(shipped.last_segment(), &path).unwrap();
    let refused = shipped.restore(None, false).unwrap_err().to_string();
    assert!(refused.contains("it does not follow the one before"), "{refused}");
    let copy = shipped.generations()[0].path.join(layout::copy_name(1));
    fs::write(copy, "").unwrap();
    let refused = shipped.restore(None, true).unwrap_err().to_string();
    assert!(refused.contains("copy-0001.db cannot be used"), "{refused}");
}

#[tokio::test]
async fn a_place_that_is_away_for_a_while_gets_all_that_has_come_meanwhile() {
    let mut shipped = Shipped::to_directory();
    shipped.ship_a_copy().await;
    let place = shipped.place.path();
    let away = place.with_extension("away");
    fs::rename(place, &away).unwrap();
    for _ in 0..3 {
        shipped.add(20);
        assert!(shipped.shipper.ship().await.is_err());
    }
    assert!(!shipped.place.path().exists(), "a share that is not mounted is not made up");
    fs::rename(&away, shipped.place.path()).unwrap();
    shipped.ship().await;
    assert_eq!(shipped.generations().len(), 1);
    assert_eq!(shipped.restore(None, false).unwrap().0, shipped.rows);
}

#[tokio::test]
async fn a_place_that_is_away_for_too_long_gets_a_new_copy_when_it_is_back() {
    let mut shipped = Shipped::to_directory();
    shipped.ship_a_copy().await;
    let place = shipped.place.path();
    let away = place.with_extension("away");
    fs::rename(place, &away).unwrap();
    while shipped.shipper.parts.capture.lock().gap().is_none() {
        let insert = "INSERT INTO outages (until_at, from_at)
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
             SELECT ?1 + i, 0 FROM n";
        shipped.connection.execute(insert, [shipped.rows]).unwrap();
        shipped.rows += 5000;
        assert!(shipped.shipper.ship().await.is_err());
    }
    fs::rename(&away, shipped.place.path()).unwrap();
    shipped.ship_a_copy().await;
    assert_eq!(shipped.generations().len(), 2);
    assert_eq!(shipped.restore(None, false).unwrap().0, shipped.rows);
}

#[tokio::test]
async fn of_two_servers_in_one_place_the_last_one_ships_and_the_other_says_so() {
    let mut first = Shipped::to_directory();
    first.ship_a_copy().await;
    let config = first.shipper.parts.config.clone();
    let mut second = Shipped::to(config, tempfile::tempdir().unwrap());
    second.ship().await;
    first.add(1);
    let told = first.shipper.ship().await.unwrap_err().to_string();
    assert!(told.starts_with("another server ships to "), "{told}");
    first.shipper.parts.capture.lock().lose("it begins anew");
    assert!(first.shipper.ship().await.is_err(), "nor does it begin anew");
    second.add(7);
    std::mem::swap(&mut first.place, &mut second.place);
    while second.copies() == 1 {
        second.add(1);
        second.ship().await;
    }
    assert_eq!(second.restore(None, false).unwrap().0, second.rows);
}

#[tokio::test]
async fn a_generation_that_somebody_removes_is_followed_by_another() {
    let mut shipped = Shipped::to_directory();
    shipped.ship_a_copy().await;
    fs::remove_dir_all(&shipped.generations()[0].path).unwrap();
    shipped.add(1);
    let told = shipped.shipper.ship().await.unwrap_err().to_string();
    assert!(told.contains("is gone"), "{told}");
    shipped.ship_a_copy().await;
    assert_eq!(shipped.restore(None, false).unwrap().0, shipped.rows);
}

#[tokio::test]
async fn a_generation_that_ends_at_once_is_followed_by_another_only_after_a_while() {
    let mut shipped = Shipped::to_directory();
    shipped.ship().await;
    shipped.shipper.parts.capture.lock().lose("as during a long read of a long WAL");
    for _ in 0..3 {
        assert!(shipped.shipper.ship().await.is_err());
    }
    assert_eq!(shipped.generations().len(), 1);
}

#[tokio::test]
async fn a_wal_that_lacks_what_was_committed_is_told() {
    let mut shipped = Shipped::to_directory();
    shipped.ship_a_copy().await;
    shipped.add(1);
    let wal = shipped.directory.path().join(WAL_FILE);
    let mut bytes = fs::read(&wal).unwrap();
    // The first frame, behind the header of the file.
    bytes[32 + 24..][..4096].fill(7);
    fs::write(&wal, bytes).unwrap();
    shipped.shipper.parts.capture.lock().lose("it begins anew");
    let told = shipped.shipper.ship().await.unwrap_err().to_string();
    assert_eq!(told, "the WAL does not hold what was committed");
}

#[tokio::test]
async fn a_command_gets_each_file_and_its_failure_is_told() {
    let place = tempfile::tempdir().unwrap();
    let script = "mkdir -p \"$0/${1%/*}\" && cat > \"$0/$1\"";
    let words = ["sh", "-c", script, place.path().to_str().unwrap()];
    let command = words.map(str::to_owned).to_vec();
    let config = ShippingConfig { command, ..ShippingConfig::default() };
    let mut shipped = Shipped::to(config.clone(), place);
    shipped.ship_a_copy().await;
    shipped.add(3);
    shipped.ship().await;
    assert_eq!(shipped.restore(None, false).unwrap().0, shipped.rows);

    let command = ["sh", "-c", "exit 3"].map(str::to_owned).to_vec();
    let config = ShippingConfig { command, ..config };
    let mut failing = Shipped::to(config, tempfile::tempdir().unwrap());
    let told = failing.shipper.ship().await.unwrap_err().to_string();
    assert_eq!(told, "sh: exit status: 3");
}
