//! The wire: what is read and written, and how it is described. It does not change unnoticed: the
//! schema is held against a recorded one, and recorded frames against the schema.
#![cfg(test)]

mod fast_path;
mod messages;
mod schema;
