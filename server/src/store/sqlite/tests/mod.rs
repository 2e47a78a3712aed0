//! Tests of the store over files.

mod fixture; // games that are over at once, data directories
mod ratings; // ratings follow from the records
mod reads; // lists and other reads
mod writes; // commits, the WAL, stale rows
