//! The server's configuration. Flags override environment variables, which override the file,
//! which overrides the defaults. No other module reads the environment.

mod admin;
#[cfg(test)]
mod agreement;
mod args;
#[expect(clippy::module_inception, reason = "the file has the type that the folder is named for")]
mod config;
mod limits;
mod mail;
mod network;
mod sections;

pub use admin::AdminConfig;
pub use args::{
    AdminArgs, Args, BackupArgs, CheckArgs, DoctorArgs, ExportArgs, HealthArgs, ImportArgs,
    RatingsArgs, RestoreArgs, SalvageArgs, Task, Until,
};
pub use config::{Config, ConfigError, RenamedKey, service_manager};
pub use limits::Limits;
pub(crate) use limits::LimitsInForce;
pub use mail::MailConfig;
pub(crate) use mail::is_mail_address;
pub(crate) use network::{LoadedTls, Origin};
pub use network::{NetworkConfig, TlsConfig, TlsError};
pub use sections::{
    ClusterConfig, DatabaseUrl, DownloadsConfig, GamesConfig, LogConfig, LogFormat,
    NotificationsConfig, ShippingConfig, StoreConfig, TalkConfig,
};
