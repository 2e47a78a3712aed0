//! Limits of downloads.

use std::time::Duration;

/// Games that one publication adds. Their frames take some hundred kilobytes.
pub(crate) const GAMES_PUBLISHED_AT_ONCE: u32 = 50;

/// The pause between two publications while more games wait, so that a server with many old games
/// publishes them beside its other work: 500 a second.
pub(crate) const PUBLISH_PAUSE: Duration = Duration::from_millis(100);

/// Time after the end of a month in which its last games are archived. A game that comes later is
/// in the next month.
pub(crate) const MONTH_SETTLES: Duration = Duration::from_hours(1);

/// Downloads at once. Each reads the store as fast as its client takes it.
pub(crate) const DOWNLOADS_MAX: usize = 16;

/// Those of them that one address may have; a network has some shares of that.
pub(crate) const DOWNLOADS_PER_ADDRESS_MAX: usize = 2;

/// Where all of them are taken, one that is slower than this makes room for another network's, in
/// bytes per second: a client with a common line takes more.
pub(crate) const DOWNLOAD_SLOW_BYTES_PER_S: u64 = 256 * 1024;

/// Time for which a download goes on whatever its pace: the first seconds say little of it.
pub(crate) const DOWNLOAD_UNDISTURBED: Duration = Duration::from_secs(2);

/// Requests for the bytes of a download from one address within a minute.
pub(crate) const DOWNLOADS_PER_MIN: u32 = 60;

/// Lines of a download that the server looks up at once.
pub(crate) const DOWNLOAD_LINES_AT_ONCE: u32 = 64;
