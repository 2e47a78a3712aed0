//! The wire: what is read and written, and how it is described. It does not change unnoticed: the
//! schema is held against a recorded one, and recorded frames against the schema.

#![cfg(test)]

mod acceptance;
mod asyncapi;
mod document;
mod events;
mod fast_path;
mod frames;
mod legal_writer;
mod requests;
mod resolved;
mod schema;
mod texts;
