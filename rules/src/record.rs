//! The text record.
