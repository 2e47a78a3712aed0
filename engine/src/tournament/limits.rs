//! Every bound of a tournament, with its reason.

use std::time::Duration;

/// Engines at the most. With 64 engines a round robin for three players has 41,664 pairings.
pub const ENGINES_MAX: usize = 64;

/// Games of a tournament at the most: each is a file, and folders with more become slow.
pub const GAMES_MAX: u32 = 1_000_000;

/// Games at once at the most: each has a process for every seat.
pub const CONCURRENCY_MAX: usize = 256;

/// Moves of a random opening at the most. Longer ones are rarely balanced.
pub const OPENING_PLIES_MAX: u32 = 40;

/// Attempts to draw an opening that is new and not finished.
pub const OPENING_ATTEMPTS_MAX: u32 = 1_000;

/// The size of a book in bytes at the most.
pub const BOOK_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// The number of plies after which a game is drawn, at the most. The table draws a game with
/// 12,000 records itself, and each ply has at most two.
pub const PLIES_MAX: u32 = 5_000;

/// By how much a move may exceed `movetime`: starting and reading take a while on a busy machine.
pub const MOVETIME_MARGIN: Duration = Duration::from_millis(300);

/// The time between a fallen flag and the moment at which the table is asked for it.
pub const FLAG_SLACK: Duration = Duration::from_millis(2);

/// The longest line of a results file in bytes. Names, reasons and faults have far less.
pub const LINE_BYTES_MAX: usize = 64 * 1024;

/// How much of an engine's error a result keeps, in characters.
pub const FAULT_TEXT_MAX: usize = 300;
