//! The wire as one JSON Schema document, made from the types that read and write it.
//!
//! Requests are described as the server decodes them: fields with a default are optional. Messages
//! to a client are described as the server encodes them. Unknown fields are allowed everywhere,
//! because messages only grow.

mod asyncapi;
mod document;
pub(crate) mod shape;
mod tidy;

pub use asyncapi::{asyncapi, components};
pub use document::{closed_document, document, read, written};
