//! The levels of `adamant-bot` as an engine. Input and output are lines. Nothing here reads a
//! clock, so that the same lines and seed give the same moves on any machine.

mod conversation;
mod strength;

pub use conversation::{ServeSettings, serve};
