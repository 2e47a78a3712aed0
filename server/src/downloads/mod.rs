//! Downloads: the finished and listed games of a month as files that only grow. A publisher gives
//! each game its lines, once and for all; the files themselves are put together when a client reads
//! them.

mod files;
mod publisher;
#[cfg(test)]
mod tests;

pub(crate) use files::{DownloadContent, DownloadFiles};
pub(crate) use publisher::Publisher;
