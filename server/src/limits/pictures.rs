//! Limits of pictures of boards.

/// The side of a picture in pixels, unless the client chooses: readable in a column of text.
pub(crate) const PICTURE_SIDE_DEFAULT: u32 = 480;

/// The least side of a picture in pixels: below this nothing can be told.
pub(crate) const PICTURE_SIDE_MIN: u32 = 32;

/// The largest side of a picture in pixels: the time to paint a PNG grows with its square.
pub(crate) const PICTURE_SIDE_MAX: u32 = 1_200;
