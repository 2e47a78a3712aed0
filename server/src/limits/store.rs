//! Limits of the store, its disk, and what a row counts for.

use std::time::Duration;

/// Rows of a table that an import or an export copies at once.
pub(crate) const TRANSFER_ROWS_AT_ONCE: usize = 500;

/// Times that a part of a damaged table is halved without a readable row, before a rescue leaves it.
pub(crate) const SALVAGE_HALVINGS: u32 = 8;

/// Games that an import or an export copies at once, with their records.
pub(crate) const TRANSFER_GAMES_AT_ONCE: usize = 50;

/// Results of games that are rated again at once.
pub(crate) const TRANSFER_RESULTS_AT_ONCE: usize = 100;

/// The server warns of a disk with fewer free bytes: some days of a busy server.
pub(crate) const DISK_LOW_BYTES: u64 = 1024 * 1024 * 1024;

/// Time between two checks of the free space.
pub(crate) const DISK_CHECK_EVERY: Duration = Duration::from_mins(1);

/// A store is migrated only if the disk has this many times its size free: for the copy, and for the
/// WAL of the migration.
pub(crate) const MIGRATION_SPACE_FACTOR: u64 = 2;

/// Bytes that are read of the WAL, or of the database, at once to be shipped.
pub(crate) const SHIP_READ_BYTES: usize = 256 * 1024;

/// Bytes of pages that may wait to be shipped while the second place does not take them: minutes of
/// a busy server. Beyond it a new generation begins once it does.
pub(crate) const SHIPPED_WAITING_MAX: usize = 64 * 1024 * 1024;

/// Time that the command which ships may leave its input unread, or take to end.
pub(crate) const SHIP_COMMAND_WAIT: Duration = Duration::from_secs(30);

/// The server warns if the last shipped second is older.
pub(crate) const SHIPPED_LATE: Duration = Duration::from_secs(10);

/// The time until the database is copied again to the second place after a copy has failed.
pub(crate) const SHIP_COPY_RETRY: Duration = Duration::from_mins(1);

/// The time from the beginning of a generation to the next one, if its copy was not whole: what has
/// ended the one ends the other.
pub(crate) const SHIP_BEGIN_WAIT: Duration = Duration::from_secs(10);

/// A copy is soon after the one before if this share of the time between two has passed: an hour of a
/// day.
pub(crate) const SHIP_SOON_SHARE: u32 = 24;

/// The time that a stop waits for what is not yet shipped.
pub(crate) const SHIP_STOP_WAIT: Duration = Duration::from_secs(10);

/// `doctor` warns of a last backup that is older.
pub(crate) const BACKUP_OLD: Duration = Duration::from_hours(48);

/// What a record counts for beside its own bytes: its row.
pub(crate) const RECORD_ROW_BYTES: u64 = 32;

/// The longest record of a move, on the largest board of Adamas with three players. Fields and
/// clocks take some 450 bytes, a split onto every cell in sight 260, six captures with all pieces
/// of two players 400, and a request id of two-byte letters 128.
#[cfg(test)]
pub(crate) const LONGEST_RECORD_BYTES: u64 = 1250;

/// What a game counts for beside its records: its list entry and its result.
pub(crate) const GAME_ROW_BYTES: u64 = 2048;

/// What a user counts for, with the first token.
pub(crate) const USER_ROW_BYTES: u64 = 1024;

/// What a challenge, a rematch or the acceptance of one counts for.
pub(crate) const CHALLENGE_ROW_BYTES: u64 = 1024;

/// What a mute, a block or a change of settings counts for.
pub(crate) const RELATION_ROW_BYTES: u64 = 128;

/// What a line of talk counts for beside its text.
pub(crate) const TALK_ROW_BYTES: u64 = 192;

/// Jobs that may wait for the store's writer. Beyond it their senders wait.
pub(crate) const STORE_JOBS_MAX: usize = 4096;

/// `retry_after` of a request that was not stored because the disk is full.
pub(crate) const STORE_RETRY: Duration = Duration::from_secs(2);

/// Writes that share one commit. More would only make the first of them wait longer.
pub(crate) const STORE_BATCH_WRITES_MAX: usize = 1024;

/// The pause before the next commit for each write of the last one. From some ten thousand writes a
/// second on, more and more of them share a commit.
pub(crate) const COMMIT_PAUSE_PER_WRITE: Duration = Duration::from_micros(100);

/// The longest time between the starts of two commits. Under load every move pays half of it. A
/// commit of more than a hundred moves takes longer than this, so that as many share the next one.
pub(crate) const COMMIT_PAUSE_MAX: Duration = Duration::from_millis(1);

/// Stale rows that stay in the journal. They are deleted in order, and many of them lie side by
/// side.
pub(crate) const STALE_ROWS_KEPT: usize = 2048;

/// Stale rows that each write deletes: more than it adds, so that they do not pile up.
pub(crate) const STALE_ROWS_PER_WRITE: usize = 3;

/// Page cache of the store's writer, in KiB. It holds the end of the journal, with the records that
/// are archived soon.
pub(crate) const WRITER_CACHE_KIB: i64 = 4 * 1024;

/// Page cache while the WAL is preallocated, in KiB. Pages that do not fit go to the WAL.
pub(crate) const FILLING_CACHE_KIB: i64 = 256;

/// The WAL is preallocated only if the disk has this many times its size free, because the database
/// grows too.
pub(crate) const WAL_SPACE_FACTOR: u64 = 2;

/// Free bytes without which a server does not start to write: a new database and a key.
pub(crate) const START_FREE_BYTES: usize = 512 * 1024;

/// Time between two checks for free space, while a server is read-only because the disk is full.
pub(crate) const FULL_DISK_CHECK_EVERY: Duration = Duration::from_secs(2);

/// Page cache of each connection that reads, in KiB. Most reads are of single rows.
pub(crate) const READER_CACHE_KIB: i64 = 512;

/// Connections that read the store at the same time.
pub(crate) const STORE_READERS_MAX: usize = 4;

/// Those of them that lists may use, so that lists do not delay log-ins and rooms.
pub(crate) const LIST_READERS_MAX: usize = 2;

/// Time for which a list may wait for a connection. Beyond it the answer is `busy`.
pub(crate) const LIST_WAIT_MAX: Duration = Duration::from_secs(2);

/// Steps of the database's virtual machine that a list may take: some ten milliseconds of a core,
/// and a hundred times the cost of a page that follows an index.
pub(crate) const LIST_STEPS_MAX: std::ffi::c_int = 1_000_000;

/// `retry_after` of a list that was not read.
pub(crate) const LIST_RETRY: Duration = Duration::from_secs(1);

/// Records of an archived game that share a row. A few are read as fast as one, and a row of the
/// longest records fits into memory many times.
pub(crate) const RECORDS_PER_BLOCK: u64 = 128;

/// Prepared statements that a connection keeps: more than there are.
pub(crate) const STATEMENTS_KEPT: usize = 96;

/// Steps of the database's virtual machine between two looks at how many a check has taken.
pub(crate) const CHECK_STEPS_AT_ONCE: std::ffi::c_int = 1_000_000;

/// Steps that a check may take for each page of the database: many times what it needs.
pub(crate) const CHECK_STEPS_PER_PAGE: u64 = 1_000_000;

/// Times that a WAL which looks damaged is read before it counts as damaged. A running server may
/// be writing that frame.
pub(crate) const WAL_READS: u32 = 3;

/// Findings of a check that are listed. The others are only counted.
pub(crate) const CHECK_FINDINGS_MAX: usize = 100;

/// Games or players on a page of a list, unless the client asks for fewer.
pub(crate) const PAGE_MAX: u32 = 100;

/// Pages that a search among finished games looks through: some milliseconds. The client asks for
/// what is behind them.
pub(crate) const SEARCHED_PAGES_MAX: usize = 10;

/// The time between two looks whether this node does some work that one node does for all.
pub(crate) const SHARED_WORK_CHECKED_EVERY: Duration = Duration::from_secs(1);

/// Finished games that are counted for the statistics in one transaction. Each read fills the page
/// cache of a reading connection from the memory of another thread, and glibc keeps it there: a
/// hundred games took 0.5 MiB a thread, and these take 0.1 MiB.
pub(crate) const GAMES_COUNTED_AT_ONCE: u32 = 10;

/// Time between two looks for finished games to count.
pub(crate) const COUNTING_EVERY: Duration = Duration::from_secs(5);

/// The pause after a look that found as many games as are counted at once, as in an old database.
pub(crate) const COUNTING_PAUSE: Duration = Duration::from_millis(20);

/// Results that are rated again in one transaction: some ten milliseconds.
pub(crate) const RESULTS_RATED_AGAIN_AT_ONCE: u32 = 200;

/// The pause between two such transactions, in which games go on.
pub(crate) const RATING_AGAIN_PAUSE: Duration = Duration::from_millis(20);

/// Time between two looks for results that are to be rated again, such as after the end of the node
/// that rated them. An annulment is heard at once.
pub(crate) const RATING_AGAIN_LOOKED_FOR_EVERY: Duration = Duration::from_secs(30);

/// The length that the statistics count longer games as, in moves.
pub(crate) const COUNTED_LENGTH_MAX: u32 = 1000;

/// Bars of the chart of lengths.
pub(crate) const LENGTH_BARS_MAX: u32 = 50;

/// Moves of an opening.
pub(crate) const OPENING_MOVES_MAX: usize = 3;

/// The first records of a game in which its opening is looked for. Offers and takebacks stand
/// there, too.
pub(crate) const OPENING_RECORDS: usize = 16;

/// Openings of each number of moves that are kept for each kind of game, number of players and
/// kinds of opponents. Twice as many may stand there: then the least played ones are dropped, so
/// that new ones have the room to become frequent.
pub(crate) const OPENINGS_KEPT: u32 = 1000;

/// Openings of each number of moves in an answer.
pub(crate) const OPENINGS_SHOWN: u32 = 10;

/// Reasons for the end of a game in an answer: more than there are.
pub(crate) const RESULT_REASONS_MAX: u32 = 64;
