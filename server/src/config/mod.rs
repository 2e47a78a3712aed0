//! The server's configuration. Flags override environment variables, which override the file,
//! which overrides the defaults. No other module reads the environment.

mod agreement;
mod args;
#[expect(clippy::module_inception, reason = "the file has the type that the folder is named for")]
mod config;
mod limits;
mod network;
#[cfg(test)]
mod sections;

pub use args::{Args, BackupArgs, CheckArgs, ExportArgs, ImportArgs, RatingsArgs, Task};
pub use config::RenamedKey;
pub use config::{Config, ConfigError, service_manager};
pub use limits::Limits;
pub use network::NetworkConfig;
pub(crate) use network::Origin;
pub use network::{TlsConfig, TlsError};
pub use sections::ClusterConfig;
pub use sections::DatabaseUrl;
pub use sections::DownloadsConfig;
pub use sections::GamesConfig;
pub use sections::NotificationsConfig;
pub use sections::StoreConfig;
pub use sections::TalkConfig;
pub use sections::{LogConfig, LogFormat};
