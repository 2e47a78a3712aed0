//! What an operator sets: a flag beats the environment, which beats the file, which beats the
//! default. The only module that reads the environment.

mod args;
#[expect(clippy::module_inception, reason = "the file has the type that the folder is named for")]
mod config;
mod games;
mod limits;
mod log;
mod network;
mod store;
mod talk;
mod tls;

pub use args::{Args, Backup, Check, Ratings, Task};
pub use config::{Config, ConfigError, service_manager};
pub use games::Games;
pub use limits::Limits;
pub use log::{Log, LogFormat};
pub use network::Network;
pub use store::Store;
pub use talk::Talk;
pub use tls::{Tls, TlsError};
