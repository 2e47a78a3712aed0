//! The server's configuration. Flags override environment variables, which override the file,
//! which overrides the defaults. No other module reads the environment.

mod admin;
#[cfg(test)]
mod agreement;
mod args;
mod cluster;
#[expect(clippy::module_inception, reason = "the file has the type that the folder is named for")]
mod config;
mod database_url;
mod downloads;
mod file_keys;
mod games;
mod limits;
mod log;
mod network;
mod notifications;
mod origin;
mod store;
mod talk;
mod tls;

pub use admin::AdminConfig;
pub use args::{AdminArgs, Args, BackupArgs, CheckArgs, ExportArgs, ImportArgs, RatingsArgs, Task};
pub use cluster::ClusterConfig;
pub use config::{Config, ConfigError, service_manager};
pub use database_url::DatabaseUrl;
pub use downloads::DownloadsConfig;
pub use file_keys::RenamedKey;
pub use games::GamesConfig;
pub use limits::Limits;
pub use log::{LogConfig, LogFormat};
pub use network::NetworkConfig;
pub use notifications::NotificationsConfig;
pub(crate) use origin::Origin;
pub use store::StoreConfig;
pub use talk::TalkConfig;
pub use tls::{TlsConfig, TlsError};
