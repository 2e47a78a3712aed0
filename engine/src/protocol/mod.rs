//! The engine protocol: a program chooses moves and speaks lines on its standard input and output,
//! in the manner of UCI and GTP. `docs/ENGINES.md` describes it for authors of engines.
//!
//! - [`messages`] are the lines of both sides, as values.
//! - [`Process`] is a running engine and its pipes.
//! - [`Engine`] is one that has introduced itself: games, positions and thoughts with deadlines.
//! - [`Player`] plays one game with it, and starts it again after a crash.
//! - [`serve()`] is the other side: the levels of [`choice`](crate::choice) as an engine.

mod engine;
pub mod game;
pub mod limits;
pub mod messages;
mod player;
mod process;
mod serve;
mod thought;

pub use engine::{Engine, Introduction, Thought, Time};
pub use player::{Choice, Player, PlayerSettings, Request, Resort};
pub use process::{EngineCommand, EngineError, Log, Process};
pub use serve::{ServeSettings, serve};
