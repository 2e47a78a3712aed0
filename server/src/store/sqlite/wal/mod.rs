//! Finds damage in SQLite's write-ahead log (WAL) before SQLite opens it. SQLite itself accepts
//! the WAL as far as its checksums hold and silently drops the rest, because it cannot tell a torn
//! write from a flipped byte. This server can, because it syncs each commit before it writes the
//! next one.
//!
//! The format is that of <https://www.sqlite.org/fileformat2.html>, "The Write-Ahead Log": a header
//! of 32 bytes, then frames of 24 bytes and a page each. A frame names its page, the size of the
//! database in pages if it ends a commit (0 otherwise), the header's two salts, and a checksum.
//! The checksum runs through all frames from the header on: each frame's checksum continues that of
//! the frame before. Therefore also behind a bad frame it can be seen that a frame was written
//! right after the one before it: it *follows* it.
//!
//! The file may hold:
//!
//! - Frames of the present generation, which carry the header's salts. Those that `SQLite` accepts
//!   come first: all commits except possibly the last one.
//! - Behind them any frames of the last commit, whole, torn or missing. A power cut keeps an
//!   arbitrary part of what was not synced, possibly with the frame that ends the commit. This is
//!   no damage: the commit was not acknowledged.
//! - Frames with the present salts that were never committed: preallocated space, pages that were
//!   written early and rolled back, a commit whose sync failed. They were overwritten from their
//!   beginning, so that the remaining ones follow none of the frames before them.
//! - Frames of earlier generations, with other salts.
//!
//! A frame that follows one that ends a commit was written by the *next* commit, after that one was
//! synced. Therefore **the WAL is damaged if, at or behind the first frame that `SQLite` does not
//! accept, a frame with the present salts follows one that ends a commit.** Nothing in the list
//! above looks so.
//!
//! A frame's header says whether it ends a commit. This is certain if the frame's checksum holds.
//! If not, the header may be a mixture of an old and a new frame. Then it counts only if it lies in
//! one sector, whose beginning is never older than its end, and if a whole commit follows: frames
//! that were never committed have none.
//!
//! Undetected is damage inside the very last commit, which looks like a torn one. So is damage in
//! the last but one, if it hits the header of the frame that ends it, or if that header lies across
//! two sectors.
//!
//! `SQLite` drops the whole WAL if its header does not hold. A power cut can tear the header only
//! when the WAL restarts, after all of it has been copied into the database and synced. Therefore a
//! bad header is damage if the database lacks anything that the frames hold.

mod damage;
mod format;
#[cfg(test)]
mod tests;

pub(crate) use damage::Loss;
pub(super) use damage::{examine, generation};
