//! The page for browsers: its files, which are part of the program, and the documents that load
//! them. What the page does is in `web/src`.

mod bundle;
mod document;
mod files;
mod preview;

pub(super) use document::{ADDRESSES, document, embedded_game, not_found_document};
pub(super) use files::{file, manifest, service_worker};
