//! Moves that are put together cell by cell, in every game.

mod cases;
mod clicks;
mod properties;
