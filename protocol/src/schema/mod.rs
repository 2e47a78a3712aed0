//! The wire as one JSON Schema document, made from the types that read and write it.
//!
//! What a client may say is described as it is read: what has a default may be left out. What a
//! client may hear is described as it is written. Unknown fields are allowed everywhere, because
//! messages only ever grow.

mod document;
pub(crate) mod shape;
mod tidy;

pub use document::{closed_document, document};
