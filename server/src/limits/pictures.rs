//! Limits of pictures of boards.

use std::time::Duration;

/// The side of a picture in pixels, unless the client chooses: readable in a column of text.
pub(crate) const PICTURE_SIDE_DEFAULT: u32 = 480;

/// The least side of a picture in pixels: below this nothing can be told.
pub(crate) const PICTURE_SIDE_MIN: u32 = 32;

/// The largest side of a picture in pixels: the time to paint a PNG grows with its square. A larger
/// one is painted as large as this.
pub(crate) const PICTURE_SIDE_MAX: u32 = 640;

/// Pixels of a PNG that cost as much as one reading: some 4 ms of a core.
pub(crate) const PIXELS_PER_READING: u32 = 8_000;

/// Cores for each picture that is painted at a time.
pub(crate) const CORES_PER_PAINTING: usize = 4;

/// Pictures that one network waits for.
pub(crate) const PAINTINGS_WAITING_MAX: usize = 16;

/// Time for which a picture may wait for its turn. Beyond it the answer is `busy`.
pub(crate) const PAINTING_WAIT_MAX: Duration = Duration::from_secs(5);

/// `retry_after` of a picture that had no turn.
pub(crate) const PAINTING_RETRY: Duration = Duration::from_secs(2);

/// Bytes of pictures in the cache: some hundred.
pub(crate) const PICTURE_CACHE_BYTES_MAX: usize = 16 * 1024 * 1024;
