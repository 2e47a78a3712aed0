//! The engine protocol: a program chooses moves and speaks lines on its standard input and output,
//! in the manner of UCI and GTP. `docs/ENGINES.md` describes it for authors of engines.
//!
//! - [`messages`] are the lines of both sides, as values.
//! - [`Process`] is a running engine and its pipes.
//! - [`Engine`] is one that has introduced itself: games, positions and thoughts with deadlines.
//! - [`Player`] plays one game with it, and starts it again after a crash.
//! - [`serve()`] is the other side: the levels of `adamant-bot` as an engine.
//!
//! Nothing here knows servers, users or the network.

mod engine;
mod error;
pub mod game;
pub mod limits;
mod line_reader;
pub mod messages;
mod player;
mod process;
mod serve;

pub use engine::{Engine, Introduction, Thought, Time};
pub use error::EngineError;
pub use player::{Choice, Player, PlayerSettings, Request, Resort};
pub use process::{EngineCommand, Log, Process};
pub use serve::{ServeSettings, serve};
