//! What an operator does: configuration, monitoring, backups and shutdown.

mod backup; // `backup`, restore and `check`
mod configuration; // configuration errors, certificates, reloads, the service manager
mod metrics; // `/metrics`
mod monitoring; // the security log, and metrics as Prometheus reads them
mod postgres_checks; // `check` and `ratings` on a PostgreSQL database
mod shutdown; // graceful shutdown
mod transfer; // `import` and `export`
