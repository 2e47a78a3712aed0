//! The wire does not change unnoticed: the schema is held against a recorded one, and recorded
//! frames against the schema.

#![cfg(test)]

mod frames;
mod resolved;
mod schema;
