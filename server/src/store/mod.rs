//! Where things are made durable: the journal of games, and users, tokens and challenges.

mod journal;
mod live;
pub mod memory;
pub mod sqlite;
mod users;

pub use journal::{Append, AppendError, Fold, FoldedState, Journal, StoreError, Summary};
pub use live::{LiveGame, LiveGames};
pub use sqlite::{HotGame, Sqlite};
pub use users::{NewToken, StoredChallenge, User, UserId};
