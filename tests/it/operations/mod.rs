//! What an operator does: configuration, monitoring, backups and shutdown.

pub(crate) mod backup; // `backup`, restore and `check`
mod configuration; // configuration errors, certificates, service manager and logs
pub(crate) mod metrics; // `/metrics`
mod shutdown; // graceful shutdown
