//! The wire does not change unnoticed: the schema is held against a recorded one, and recorded
//! frames against the schema.

mod frames;
mod resolved;
mod schema;
